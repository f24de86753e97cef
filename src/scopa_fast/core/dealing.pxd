# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The first position of a deal (rules.md section 3), with its table bonus (CIR-7, ESC-1).
from libc.stdint cimport int16_t, uint8_t, uint64_t

from scopa_fast.core.cards cimport MATTA_BIT, MAX_SEATS, bit, lowest, popcount, rank_sum
from scopa_fast.core.position cimport GameState, NOBODY, next_seat
from scopa_fast.core.rules cimport CIRULLA_BONUS, MAX_STOCK, RuleSet


cdef inline bint is_void(const RuleSet* rules, uint64_t table) noexcept nogil:
    """Whether the cards turned up void the deal (DEAL-6, DEAL-7)."""
    if rules.table == 0:
        return False
    return ((rules.void_kings and popcount(table >> (4 * (rules.ranks - 1))) >= rules.void_kings)
            or (rules.void_aces and popcount(table & 15) >= rules.void_aces))


cdef inline int table_bonus_points(const RuleSet* rules, uint64_t table) noexcept nogil:
    """Scopa points the first table earns the dealer's side (CIR-7, ESC-1)."""
    cdef int total = rank_sum(table), first
    cdef uint64_t rest
    if rules.table_bonus == 0 or popcount(table) != 4:
        return 0
    if rules.table_bonus == CIRULLA_BONUS:
        if not rules.matta or not table & MATTA_BIT:
            return 1 if total == 15 else 2 if total == 30 else 0
        # The 7C is worth whatever fits, 1 to 10.
        total -= 7
        return 1 if 5 <= total <= 14 else 2 if 20 <= total <= 29 else 0
    if total == 15:
        return 1
    if total != 30:
        return 0
    # Two groups of fifteen: no card is fifteen alone, so they are two pairs, and one is the lowest card's.
    rest = table & (table - 1)
    first = (lowest(table) >> 2) + 1
    while rest:
        if first + (lowest(rest) >> 2) + 1 == 15:
            return 2
        rest &= rest - 1
    return 0


cdef inline bint start_deal(const RuleSet* rules, const uint8_t* deck, int dealer, GameState* state) noexcept nogil:
    """Set up the first position of a deal, table bonus included; return False, with only the cards set, if it is void."""
    cdef int i, j, seat = dealer, side, bonus
    cdef uint64_t mask
    state.table = 0
    state.dealer = <uint8_t>dealer
    state.seat = <uint8_t>next_seat(rules, dealer)
    state.last = NOBODY
    state.matta = 0
    state.exposed = 0
    for i in range(MAX_SEATS):
        state.scope[i] = 0
        state.bonus[i] = 0
    for i in range(rules.seats):
        seat = next_seat(rules, seat)
        mask = 0
        for j in range(rules.hand):
            mask |= bit(deck[rules.hand_from[i][j]])
        state.cards[seat] = mask
    for i in range(rules.sides):
        state.cards[rules.seats + i] = 0
    for i in range(rules.table):
        state.table |= bit(deck[rules.table_from[i]])
    state.stock_left = <uint8_t>(rules.plays - rules.seats * rules.hand)
    for i in range(state.stock_left):
        state.stock[MAX_STOCK - state.stock_left + i] = deck[rules.stock_from[i]]
    if is_void(rules, state.table):
        return False
    bonus = table_bonus_points(rules, state.table)
    if bonus:
        side = rules.side_of[dealer]
        state.cards[rules.seats + side] = state.table
        state.table = 0
        state.scope[side] = <int16_t>bonus
        state.last = <uint8_t>side
    return True
