"""From a Rules to the flat RuleSet the kernel reads."""

from functools import lru_cache

from scopa_fast.core.rules cimport *
from scopa_fast.core.cards cimport MAX_RANKS
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from scopa_fast.cards import full_mask, make_card
from scopa_fast.rules import parse_rules
from scopa_fast.arguments import check_rules

# Bytes of a GameState before its masks; state.pyx checks it.
cdef enum:
    STATE_HEADER = 80

_CAPTURE = {"match_or_sum": MATCH_OR_SUM, "fifteen": FIFTEEN, "cirulla": CIRULLA}
_PRECEDENCE = {"single": SINGLE, "fewest": FEWEST, "free": FREE}
_TO_PILE = {"no": PILE_NO, "empty": PILE_EMPTY, "any": PILE_ANY}
_SCOPA_VALUE = {"one": ONE, "rank": RANK, "count": COUNT}
_PRIMIERA = {"standard": SCALE, "southern": SCALE, "zero_faces": SCALE, "rank_count": RANK_COUNT, "none": NO_PRIME}
_INCOMPLETE = {"compare": COMPARE, "none": INCOMPLETE_LOSES, "sum": SUMS_ONLY}
_NAPOLA = {"none": NO_NAPOLA, "run": RUN, "all_coins": ALL_COINS}
_TABLE_BONUS = {"none": NO_BONUS, "cirulla": CIRULLA_BONUS, "escoba": ESCOBA_BONUS}

_SCALE = (21, 18, 16, 15, 14, 13, 12)
_SCALE_RANKS = (7, 6, 1, 5, 4, 3, 2)


cdef class NativeRules:
    def __cinit__(self, rules):
        memset(&self.c, 0, sizeof(RuleSet))
        self.rules = rules
        cdef RuleSet* c = &self.c
        cdef int seat
        c.key = rules.key
        c.pack = full_mask(rules.deck)
        c.deck_bit = <uint64_t>(rules.deck == "fr52") << 60
        c.cards, c.ranks = rules.cards, rules.cards // 4
        c.seats, c.sides = rules.seats, len(rules.sides)
        c.hand, c.table, c.rounds, c.plays = rules.hand, rules.table, rules.rounds, rules.plays
        c.state_size = STATE_HEADER + 8 * (c.seats + c.sides)
        for seat in range(c.seats):
            c.side_of[seat] = rules.side_of[seat]
            c.pile_of[seat] = c.seats + c.side_of[seat]
        _fill_deal(self, rules)
        c.void_kings, c.void_aces, c.void_next = rules.void_kings, rules.void_aces, rules.void_dealer == "next"
        c.capture, c.precedence, c.forced = _CAPTURE[rules.capture], _PRECEDENCE[rules.precedence], rules.forced
        c.ace_sweep, c.ace_all = rules.ace_sweep, rules.ace_on_table == "all"
        c.ace_sweep_scopa, c.ace_to_pile = rules.ace_sweep_scopa, _TO_PILE[rules.ace_to_pile]
        c.first_ace_ban = rules.first_ace_ban
        c.last_play_scopa, c.scopa_value = rules.last_play_scopa == "dealer", _SCOPA_VALUE[rules.scopa_value]
        # CIR-1: with hands of nine or ten nothing can be declared.
        c.hand_bonus = rules.hand_bonus and rules.hand == 3
        c.bonus_sum, c.matta = rules.hand_bonus_both == "sum", rules.matta
        c.table_bonus = _TABLE_BONUS[rules.table_bonus] if rules.table else NO_BONUS
        c.primiera, c.incomplete = _PRIMIERA[rules.primiera], _INCOMPLETE[rules.primiera_incomplete]
        c.re_bello, c.sette_coppe = rules.re_bello, rules.sette_coppe
        c.palle_del_cane = rules.palle_del_cane and rules.primiera != "none"
        c.napola, c.napola_max, c.grande = _NAPOLA[rules.napola], rules.napola_max, rules.grande
        c.cappotto, c.wipe = rules.coins_cappotto, rules.coins_wipe
        c.tie_all, c.half = rules.tie_points == "all", rules.majority == "half"
        c.more_items = rules.re_bello or rules.sette_coppe or c.palle_del_cane or c.napola != NO_NAPOLA or rules.grande
        _fill_primes(self, _prime_worths(rules))
        king = c.ranks
        c.re_bello_bit = 1 << make_card(king, 0)
        c.faces_of_coins = sum(1 << make_card(rank, 0) for rank in (king - 2, king - 1, king))


    def __dealloc__(self):
        free(self.prime_of_suit)


cdef _fill_primes(NativeRules native, dict worths):
    """Fill the worth of every set of ranks in one suit from the worth of each rank."""
    cdef int rows = 1 << native.c.ranks, row, rank
    cdef uint16_t best
    cdef uint16_t worth[MAX_RANKS]
    for rank in range(native.c.ranks):
        worth[rank] = worths[rank + 1]
    native.prime_of_suit = <uint16_t*>calloc(rows, sizeof(uint16_t))
    if not native.prime_of_suit:
        raise MemoryError()
    for row in range(1, rows):
        best = 0
        for rank in range(native.c.ranks):
            if row >> rank & 1 and worth[rank] > best:
                best = worth[rank]
        native.prime_of_suit[row] = <uint16_t>(1 << PRIME_SHIFT | best)
    native.c.prime_of_suit = native.prime_of_suit
    # Ties go to the ranks that PRI-5 counts first.
    order = [6, 5, 0, 4, 3, 2, 1, *range(7, native.c.ranks)]
    if native.c.primiera != RANK_COUNT:
        order.sort(key=lambda rank: -worths[rank + 1])
    for rank in range(native.c.ranks):
        native.c.prime_order[rank] = order[rank]


def _prime_worths(rules):
    """Worth of each rank in the prime (PRI-2, PRI-6, PRI-9)."""
    scale = dict(zip(_SCALE_RANKS, (rules.primiera_scale or _SCALE)[:7]))
    ranks = rules.cards // 4
    face = rules.primiera_scale[7] if rules.primiera_scale else 0 if rules.primiera == "zero_faces" else 10
    for rank in range(8, ranks + 1):
        scale[rank] = rank if rules.primiera == "southern" else face
    return scale


cdef _fill_deal(NativeRules native, rules):
    """Follow the deck through DEAL-1 to DEAL-4 and DEAL-9, seats counted from dealer + 1."""
    cdef RuleSet* c = &native.c
    hands = [[] for _ in range(rules.seats)]
    table, stock = [], []
    deck = iter(range(rules.cards))

    def packets(targets, size):
        for target in targets:
            target.extend(next(deck) for _ in range(size))

    if rules.hand == 9:
        for turned_up in (2, 2, 0):
            packets(hands, 3)
            packets([table], turned_up)
    elif rules.hand == 10:
        packets(hands + hands, 5)
    else:
        for round_ in range(rules.rounds):
            fresh = [[] for _ in range(rules.seats)] if round_ else hands
            for _ in range(1 if rules.deal_style == "packet" else 3):
                packets(fresh, 3 if rules.deal_style == "packet" else 1)
            if round_ == 0:
                packets([table], 4)
            else:
                for packet in fresh:
                    stock.extend(packet)
    assert next(deck, None) is None
    for seat, places in enumerate(hands):
        for i, place in enumerate(places):
            c.hand_from[seat][i] = place
    for i, place in enumerate(table):
        c.table_from[i] = place
    for i, place in enumerate(stock):
        c.stock_from[i] = place
    c.packet = 5 if rules.hand == 10 else 0 if rules.hand == 3 and rules.deal_style == "single" else 3
    if stock == list(range(rules.cards - len(stock), rules.cards)):
        c.stock_at = rules.cards - len(stock)


@lru_cache(maxsize=256)
def _from_text(text):
    return parse_rules(text)


cdef NativeRules native_rules(object rules):
    """The kernel's form of a Rules or its text, made once for each Rules object."""
    if isinstance(rules, str):
        rules = _from_text(rules)
    else:
        check_rules(rules)
    cdef dict cache = rules.__dict__
    native = cache.get("_native")
    if native is None:
        native = NativeRules(rules)
        cache["_native"] = native
    return <NativeRules>native
