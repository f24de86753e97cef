# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The optional conventions of the traditional players. Most add to the score of a move; `absent` is in what hands may hold, `marginal`
# (marginal.pxd) in the worth of cards, and `forty_eight` (last_card.pxd) stands instead of a score.
from libc.stdint cimport uint32_t, uint64_t

from scopa_fast.core.captures cimport (
    Options, Table, count_sets, equal_cards, find_targets, is_ordinary_sweep, read_options, read_table,
)
from scopa_fast.core.cards cimport CARD_SHIFT, KIND_SHIFT, KIND_TO_PILE, MATTA_BIT, bit, lowest, popcount, rank_set, value_of
from scopa_fast.core.knowledge cimport Knowledge, chance, chance_without
from scopa_fast.core.last_card cimport is_last_card, last_card_worth
from scopa_fast.core.lookup cimport Lookup
from scopa_fast.core.marginal cimport weigh_cards
from scopa_fast.core.position cimport GameState, move_scopa, next_seat, rank_cards
from scopa_fast.core.rules cimport FEWEST, RuleSet
from scopa_fast.core.strategy cimport Prospect, cards_to_play, copies_of, cs_worth, sum_of, sweep_chance
from scopa_fast.core.values cimport sum_worths

cdef enum:
    # Player.conventions
    ABSENT = 1
    PARTNER_DOUBLE = 2
    ECHO_LOW = 4
    OPENING_SPARIGLIO = 8
    LAST_EVEN = 16
    FORTY_EIGHT = 32
    MARGINAL = 64
    ACE_GUARD = 128
    ANCHOR = 256
    ELEVEN = 512
    LEAVE_DOUBLES = 1024
    MULINELLO = 2048

    HIGHEST_ANCHOR = 10     # sum of the cards of an anchor, unless it is a single one
    # Sets of ranks, the ace lowest.
    ACE_TWO_THREE = 7
    FIVE_ACE = 17
    SEVEN = 64


cdef inline bint is_partner(const Prospect* p, int q) noexcept nogil:
    """Whether another seat is of the own side."""
    return q != p.k.seat and p.k.rules.side_of[q] == p.side


cdef inline bint rival_next(const Prospect* p) noexcept nogil:
    """Whether another card is played in this deal, by a seat of another side."""
    return p.k.left > 1 and p.k.rules.side_of[next_seat(p.k.rules, p.k.seat)] != p.side


cdef inline double partner_double(const Prospect* p, int card, uint64_t captured, int points) noexcept nogil:
    """Each partner's last card that was laid: leave it, or answer if another side took it."""
    cdef const Knowledge* k = p.k
    cdef double worth = 0
    cdef int q
    for q in range(k.rules.seats):
        if is_partner(p, q):
            if k.laid[q] & captured and points == 0:
                worth -= 30
            if k.lost[q] and value_of(card, k.state.matta) == value_of(lowest(k.lost[q]), k.declared):
                worth += 10
    return worth


cdef inline double echo_low(const Prospect* p, uint64_t captured, uint64_t left) noexcept nogil:
    """For each card of ranks 1 to 4: left on the table by the first player's side, taken from it by the dealer's."""
    cdef uint64_t low = 0xFFFF
    if 1 <= p.k.state.matta <= 4:
        low |= MATTA_BIT
    if p.parity == 0:
        return 0
    return 4 * popcount((left if p.parity > 0 else captured) & low)


cdef inline double opening_spariglio(const Prospect* p, uint64_t captured) noexcept nogil:
    """Two cards of a sum taken by the first card of the deal, before which nothing on the table is declared."""
    cdef int ranks = rank_set(captured)
    cdef double worth = 0
    if p.parity == 0 or p.k.left != p.k.rules.plays or popcount(captured) < 2:
        return 0
    # 3 with 2 or A, or 5 with A; 7 with A, 2 or 3.
    if (ranks & 4 and ranks & 3) or ranks & FIVE_ACE == FIVE_ACE:
        worth += 15
    if ranks & SEVEN and ranks & ACE_TWO_THREE:
        worth += 8
    return worth


cdef inline double last_even(const Prospect* p, int card, uint64_t gained) noexcept nogil:
    """With two cards left the dealer keeps one of a rank that is not broken after the move, the seat before it one that is, if it is
    of the first player's side."""
    cdef const Knowledge* k = p.k
    cdef uint64_t kept = k.hand & ~bit(card), of_rank
    cdef bint is_broken
    if p.parity == 0 or cards_to_play(k) != 2:
        return 0
    of_rank = rank_cards(k.state, value_of(lowest(kept), k.state.matta))
    is_broken = popcount(p.uncaptured & ~gained & of_rank) & 1
    if k.seat == k.state.dealer:
        return 0 if is_broken else 15
    return 15 if is_broken and p.parity > 0 and next_seat(k.rules, k.seat) == k.state.dealer else 0


cdef inline double ace_guard(const Prospect* p, int card, uint64_t captured, uint64_t left) noexcept nogil:
    """Do not burn an ace, nor leave much to one of the next seat, whether or not that scores."""
    cdef const Knowledge* k = p.k
    cdef const RuleSet* rules = k.rules
    cdef const GameState* state = k.state
    cdef Table table
    cdef Options options
    cdef double worth = 0
    if not rules.ace_sweep:
        return 0
    if captured and value_of(card, state.matta) == 1 and popcount(state.table) > 1:
        read_table(state.table, state.matta, &table)
        count_sets(rules, &table)
        read_options(rules, &table, 1, &options)
        # A set of sum 1 is an ace.
        if not options.sweep and (options.sum_b == 0 or table.ways[options.sum_b] == 0):
            worth -= 60
    if left and rival_next(p):
        read_table(left, state.matta, &table)
        if rules.ace_all or equal_cards(&table, 1) == 0 or is_ordinary_sweep(rules, &table, 1):
            worth -= chance(k, next_seat(rules, k.seat), rank_cards(state, 1)) * sum_worths(p.of_card, left) / 2
    return worth


cdef inline int anchor_rank(const Prospect* p, uint64_t table) noexcept nogil:
    """The sum of a table that might be an anchor: one card, or at most 10; else 0."""
    cdef int total = sum_of(p.k.state, table)
    return total if table & (table - 1) == 0 or total <= HIGHEST_ANCHOR else 0


cdef inline double anchor(const Prospect* p, int card, uint64_t captured, uint64_t left, int points) noexcept nogil:
    """Leave a table that only the own hand sweeps, and one that a partner seems to have left so."""
    cdef const Knowledge* k = p.k
    cdef int rank = anchor_rank(p, left), q
    cdef uint64_t of_rank, theirs
    cdef double worth = 0
    if rank:
        of_rank = rank_cards(k.state, rank)
        if copies_of(p, of_rank) == 0 and k.hand & ~bit(card) & of_rank:
            worth += 30
    if captured == 0:
        return worth
    for q in range(k.rules.seats):
        theirs = k.left_by[q]
        if not is_partner(p, q) or theirs & ~k.state.table:
            continue
        rank = anchor_rank(p, theirs)
        if rank == 0:
            continue
        # The partner saw no card of the rank unseen, so that none is in the own hand, and holds one, which is unseen from here.
        of_rank = rank_cards(k.state, rank)
        if k.hand & of_rank or copies_of(p, of_rank) == 0:
            continue
        if theirs & captured == 0:
            worth += 25
        elif points == 0 and cards_to_play(k) > 1:
            worth -= 40
    return worth


cdef inline double leave_doubles(const Prospect* p, int card, uint64_t captured, uint64_t left) noexcept nogil:
    """A capture leaves cards of which the hand keeps two or more."""
    cdef const GameState* state = p.k.state
    cdef uint64_t of_rank, kept = p.k.hand & ~bit(card)
    cdef int copies
    cdef double worth = 0
    if captured == 0:
        return 0
    while left:
        of_rank = rank_cards(state, value_of(lowest(left), state.matta))
        left &= ~of_rank
        copies = popcount(kept & of_rank)
        if copies >= 2:
            worth += 8 * copies
    return worth


cdef inline bint takes_laid(const RuleSet* rules, const Table* before, const Table* after, int laid, int value) noexcept nogil:
    """Whether a card of a value may take the card just laid on a table: `before` and `after` that, the sets of the first counted."""
    cdef Options options
    find_targets(rules, after, value, &options)
    if options.sweep:
        return True
    if options.sum_a >= laid and before.ways[options.sum_a - laid]:
        # An equal card alone is a set of one, and none of the table goes with it.
        if options.size_a == 0 or (options.size_a == 1 and options.sum_a == laid):
            return True
        if options.size_a > 1 and rules.precedence == FEWEST and before.fewest[options.sum_a - laid] == options.size_a - 1:
            return True
    return options.sum_b >= laid and before.ways[options.sum_b - laid] != 0


cdef inline double mulinello(const Prospect* p, uint64_t left, int points) noexcept nogil:
    """The whirlwind: the next seat has to lay a card, and the partner after it captures what it lays."""
    cdef const Knowledge* k = p.k
    cdef const RuleSet* rules = k.rules
    cdef const GameState* state = k.state
    cdef int following = next_seat(rules, k.seat), partner = next_seat(rules, following), laid, value, n, ways = 0
    cdef uint64_t cards, takers
    cdef Table before, after
    cdef Options options
    cdef double one, total = 0
    if k.left < 3 or not rival_next(p) or not is_partner(p, partner):
        return 0
    if points == 0 and sweep_chance(p, following, left) > 0:
        return 0
    read_table(left, state.matta, &before)
    count_sets(rules, &before)
    for laid in range(1, rules.ranks + 1):
        cards = k.pool[following] & rank_cards(state, laid)
        if cards == 0:
            continue
        read_options(rules, &before, laid, &options)
        if not options.lay:
            continue
        cards = cards & (0 - cards)
        read_table(left | cards, state.matta, &after)
        if rules.precedence == FEWEST:
            count_sets(rules, &after)
        takers = 0
        for value in range(1, rules.ranks + 1):
            if takes_laid(rules, &before, &after, laid, value):
                takers |= rank_cards(state, value)
        one = chance_without(k, partner, takers, cards)
        if points == 0 and one < 0.5:
            return 0
        n = popcount(k.pool[following] & rank_cards(state, laid))
        total += n * one
        ways += n
    return 20 * total / ways if ways else 0


cdef inline void bar_absent(Knowledge* k) noexcept nogil:
    """Believe that nobody holds a card with which it passed over a sweep."""
    cdef int q, rank
    for q in range(k.rules.seats):
        if k.known[q]:
            continue
        for rank in range(1, k.rules.ranks + 1):
            if (k.absent[q] >> (rank - 1)) & 1:
                k.pool[q] &= ~rank_cards(k.state, rank)


cdef inline void adopt_conventions(Knowledge* k, Prospect* p) noexcept nogil:
    """What the player's conventions change for all moves of a turn."""
    if p.player.conventions & ABSENT:
        bar_absent(k)
    if p.player.conventions & MARGINAL:
        weigh_cards(p)


cdef inline double follow_conventions(const Prospect* p, uint64_t move) noexcept nogil:
    """What the player's conventions add to the score of a move that plays a card."""
    cdef uint32_t conventions = p.player.conventions
    cdef int card = <int>(move >> CARD_SHIFT) & 63, points = 0
    cdef uint64_t captured = move & (bit(CARD_SHIFT) - 1), left = p.k.state.table & ~captured, gained = captured
    cdef double worth = 0
    if captured or (move >> KIND_SHIFT) & 3 == KIND_TO_PILE:
        gained |= bit(card)
    else:
        left |= bit(card)
    if captured:
        points = move_scopa(p.k.rules, p.k.state, move)
    if conventions & PARTNER_DOUBLE:
        worth += partner_double(p, card, captured, points)
    if conventions & ECHO_LOW:
        worth += echo_low(p, captured, left)
    if conventions & OPENING_SPARIGLIO:
        worth += opening_spariglio(p, captured)
    if conventions & LAST_EVEN:
        worth += last_even(p, card, gained)
    if conventions & ACE_GUARD:
        worth += ace_guard(p, card, captured, left)
    if conventions & ANCHOR:
        worth += anchor(p, card, captured, left, points)
    if conventions & ELEVEN and rival_next(p) and sum_of(p.k.state, left) == 11:
        worth += 6
    if conventions & LEAVE_DOUBLES:
        worth += leave_doubles(p, card, captured, left)
    if conventions & MULINELLO:
        worth += mulinello(p, left, points)
    return worth


cdef inline double player_worth(const Prospect* p, const Lookup* look, uint64_t move) noexcept nogil:
    """The score of a move that plays a card, by the player's conventions."""
    if p.player.conventions == 0:
        return cs_worth(p, move)
    if p.player.conventions & FORTY_EIGHT and is_last_card(p):
        return last_card_worth(p, look, move)
    return cs_worth(p, move) + follow_conventions(p, move)
