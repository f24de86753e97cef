"""The door to dealing and to single rules: shuffled_deck, deal, captures, declarations, table_bonus."""

from libc.stdint cimport uint8_t, uint64_t

from libc.stdlib cimport free, malloc

from scopa_fast.core.captures cimport Options, Table, count_sets, read_options, read_table, scopa_points
from scopa_fast.core.cards cimport value_of
from scopa_fast.core.dealing cimport start_deal, table_bonus_points
from scopa_fast.core.deals cimport as_move, deck_stream, fill_deck, set_masks, shuffled
from scopa_fast.core.generate cimport MAX_DECLARATIONS, list_declarations
from scopa_fast.core.lookup cimport Lookup, find_captures, lookup_table
from scopa_fast.core.position cimport GameState, packet_mask
from scopa_fast.core.rng cimport DECK_ROOM, Rng, deal_stream, shuffle
from scopa_fast.core.rules cimport NativeRules, RuleSet, native_rules

from scopa_fast.arguments import check_card_and_table, check_dealer, check_deck, check_int, check_matta
from scopa_fast.cards import CardSet, mask_of
from scopa_fast.errors import InvalidSeedError
from scopa_fast.moves import Move
from scopa_fast.results import Captures, Deal, NewDeal

_new_move = int.__new__


cdef object as_move(uint64_t move):
    """A Move of a packed int that is known to be one."""
    return _new_move(Move, move)


cdef list set_masks(NativeRules native, const Lookup* look, uint64_t table, int value, int matta):
    """The sets that a card may take, as a list of ints."""
    cdef uint64_t few[64]
    cdef uint64_t* sets = few
    cdef uint64_t n = find_captures(&native.c, look, table, value, matta, 64, sets), i
    if n > 64:
        sets = <uint64_t*>malloc(n * sizeof(uint64_t))
        if not sets:
            raise MemoryError()
        find_captures(&native.c, look, table, value, matta, n, sets)
    try:
        return [sets[i] for i in range(n)]
    finally:
        if sets != few:
            free(sets)


cdef uint64_t deck_stream(object seed, object index) except? 0:
    """The stream of deal number `index`; an Rng is its own stream and has one deal only."""
    if isinstance(seed, Rng):
        if check_int(index, "index") != 0:
            raise InvalidSeedError(f"index must be 0 when the seed is an Rng, not {index}")
        return (<Rng>seed).stream
    return deal_stream(seed, index)


cdef int shuffled(const RuleSet* rules, uint64_t* stream, int* dealer, uint8_t* deck) noexcept nogil:
    """Shuffle until the deal is not void; move the dealer as DEAL-8 says; return the number of void deals."""
    cdef int voids = 0
    cdef GameState state
    while True:
        shuffle(stream, deck, rules.cards)
        if start_deal(rules, deck, dealer[0], &state):
            return voids
        voids += 1
        if rules.void_next:
            dealer[0] = (dealer[0] + 1) % rules.seats


cdef int fill_deck(NativeRules native, object deck, uint8_t* out) except -1:
    """Copy a deck that is every card of the pack once."""
    for i, card in enumerate(check_deck(native.rules, deck)):
        out[i] = card
    return 0


def shuffled_deck(rules, seed=None, index=0, dealer=None):
    """Return the shuffled pack of deal number ``index`` under a seed, the first one that is not void (DEAL-8).

    :param seed: an int, an :class:`Rng` (which advances; then index must be 0), or None for fresh randomness.
    :param dealer: who deals first, by default the last seat; ``void_dealer=next`` may move it.
    :raises InvalidSeedError: if the seed or index is out of range.
    :raises InvalidSeatError: if there is no such dealer.
    """
    cdef NativeRules native = native_rules(rules)
    cdef uint8_t deck[DECK_ROOM]
    cdef int seat = check_dealer(native.rules, dealer), i
    cdef uint64_t own = deck_stream(seed, index)
    voids = shuffled(&native.c, &(<Rng>seed).stream if isinstance(seed, Rng) else &own, &seat, deck)
    return NewDeal(deck=tuple([deck[i] for i in range(native.c.cards)]), dealer=seat, voids=voids)


def deal(rules, deck, dealer=None):
    """Return the cards of a deck as they are dealt, also when the deal is void (rules.md section 3).

    :param deck: every card of the pack once, the top one first.
    :raises InvalidDeckError: if it is not.
    :raises InvalidSeatError: if there is no such dealer.
    """
    cdef NativeRules native = native_rules(rules)
    cdef uint8_t cards[DECK_ROOM]
    cdef GameState state
    cdef int seats = native.c.seats, i, packet
    fill_deck(native, deck, cards)
    cdef int seat = check_dealer(native.rules, dealer)
    void = not start_deal(&native.c, cards, seat, &state)
    name = native.rules.deck
    later = []
    for packet in range(state.stock_left // 3 - 1, -1, -seats):
        hands = [None] * seats
        for i in range(seats):
            hands[(seat + 1 + i) % seats] = CardSet(packet_mask(&state, packet - i), name)
        later.append(tuple(hands))
    table = mask_of([cards[native.c.table_from[i]] for i in range(native.c.table)])
    return Deal(
        void=void,
        redealer=((seat + 1) % seats if native.c.void_next else seat) if void else None,
        first=(seat + 1) % seats,
        rounds=native.c.rounds,
        hands=tuple([CardSet(state.cards[i], name) for i in range(seats)]),
        table=CardSet(table, name),
        later=tuple(later),
        table_bonus=0 if void else table_bonus_points(&native.c, table),
    )


def captures(rules, card, table, *, matta=None, first_play=False, last_play=False):
    """Return all that may become of one card on a table (rules.md section 5).

    :param card: the card played, an int.
    :param table: the cards on the table, any iterable of ints.
    :param matta: the rank (1..10) the 7C was declared as (CIR-6), if it was.
    :param first_play: whether this is the first card of the deal (ACE-7); the rest of the hand is taken to hold other ranks.
    :param last_play: whether it is the last one (SCO-2).
    :raises InvalidCardError: if a card is outside the pack or comes twice.
    """
    cdef NativeRules native = native_rules(rules)
    cdef Table cards
    cdef Options options
    deck = native.rules.deck
    cdef uint64_t mask = check_card_and_table(native.rules, card, table)
    read_table(mask, check_matta(native.rules, matta) or 0, &cards)
    count_sets(&native.c, &cards)
    cdef int value = value_of(card, cards.matta)
    read_options(&native.c, &cards, value, &options)
    if first_play and native.c.first_ace_ban and value == 1:
        return Captures(takes=(), scopa=(), lay=False, to_pile=False)
    takes = set_masks(native, &lookup_table(native).c, mask, value, cards.matta)
    return Captures(
        takes=tuple([CardSet(taken, deck) for taken in takes]),
        scopa=tuple([scopa_points(&native.c, &cards, value, taken, last_play) for taken in takes]),
        lay=options.lay != 0,
        to_pile=options.to_pile != 0,
    )


def capture_masks(rules, card, table_mask, *, matta=None):
    """Return the masks of the legal captured sets of one card on a table, in canonical order (DECK-8).

    :raises InvalidCardError: if a card is outside the pack or comes twice.
    """
    cdef NativeRules native = native_rules(rules)
    cdef int index, wild
    cdef uint64_t mask
    if type(card) is int and type(table_mask) is int and 0 <= card < native.c.cards and 0 <= table_mask <= native.c.pack:
        index = card
        mask = table_mask
        if mask >> index & 1:
            check_card_and_table(native.rules, card, CardSet(mask, native.rules.deck))
    else:
        mask = check_card_and_table(native.rules, card, CardSet(table_mask, native.rules.deck))
        index = card
    wild = 0 if matta is None else check_matta(native.rules, matta)
    return set_masks(native, &lookup_table(native).c, mask, value_of(index, wild), wild)


def declarations(rules, hand_mask):
    """Return the declarations a whole hand allows at the start of a round, by points and then rank (CIR-1 to CIR-5).

    :raises InvalidCardError: if a card is outside the pack.
    """
    cdef NativeRules native = native_rules(rules)
    cdef uint64_t moves[MAX_DECLARATIONS]
    cdef int i
    return [as_move(moves[i]) for i in range(list_declarations(&native.c, CardSet(hand_mask, native.rules.deck).mask, moves))]


def table_bonus(rules, table_mask):
    """Return the scopa points the dealer's side scores on the four cards first turned up (CIR-7, ESC-1), 0 for none.

    :raises InvalidCardError: if a card is outside the pack.
    """
    cdef NativeRules native = native_rules(rules)
    return table_bonus_points(&native.c, CardSet(table_mask, native.rules.deck).mask)
