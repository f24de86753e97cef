# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The traditional players cs (Chitarrella and Saracino) and cg (Cicuti and Guardamagna, cs with a module for the sevens): a score
# for each move, the larger the better. docs/bots.md lists the terms. conventions.pxd has the optional ones, of which nothing here knows.
from libc.stdint cimport int32_t, uint32_t, uint64_t

from scopa_fast.core.cards cimport (
    CARD_SHIFT, COINS_MASK, KIND_SHIFT, KIND_TO_PILE, MATTA_BIT, MAX_CARDS, SETTEBELLO_BIT, bit, lowest, popcount, rank_sum,
    value_of,
)
from scopa_fast.core.greedy cimport threats
from scopa_fast.core.knowledge cimport Knowledge, chance
from scopa_fast.core.position cimport GameState, move_scopa, next_seat, rank_cards
from scopa_fast.core.rules cimport ONE, RANK, RuleSet
from scopa_fast.core.values cimport Values, sum_worths

cdef enum:
    SEVENS_RANK = 7
    SETTEBELLO = 24

ctypedef struct Player:
    const Values* values
    uint32_t conventions    # those of conventions.pxd that it follows, as bits
    bint sevens             # cg

# What all moves of a turn share. Not to be copied: it may point into itself.
ctypedef struct Prospect:
    const Player* player
    const Knowledge* k
    int side
    int parity              # 1 for the side that wants broken ranks, -1 for the dealer's, 0 if ranks do not matter
    uint64_t uncaptured
    int broken              # ranks of which an odd number of cards is not captured yet
    bint last_may_sweep     # whether a sweep by the next seat would score
    const int32_t* of_card  # what each card is worth
    int32_t marginal[MAX_CARDS]  # with that convention


cdef inline uint64_t odd_ranks(const GameState* state, uint64_t cards) noexcept nogil:
    """The ranks of which there is an odd number of cards, as the lowest bit of each nibble; a declared 7C is one of its rank."""
    cdef uint64_t wild = 0
    if state.matta and cards & MATTA_BIT:
        cards ^= MATTA_BIT
        wild = <uint64_t>1 << (4 * state.matta - 4)
    cards ^= cards >> 1
    cards ^= cards >> 2
    return cards & COINS_MASK ^ wild


cdef inline double sweep_chance(const Prospect* p, int q, uint64_t left) noexcept nogil:
    """How likely a seat is to be able to sweep a table, times the points that would score (SCO-4)."""
    cdef const Knowledge* k = p.k
    cdef uint64_t cards = threats(k.rules, k.state, left, p.last_may_sweep) & k.pool[q]
    cdef int rank, points
    if cards == 0:
        return 0
    points = 1
    if k.rules.scopa_value == RANK:
        # The largest of the ranks that would.
        for rank in range(1, k.rules.ranks + 1):
            if rank_cards(k.state, rank) & cards:
                points = rank
    elif k.rules.scopa_value != ONE:
        points = popcount(left) + 1
    return points * chance(k, q, cards)


cdef inline int sum_of(const GameState* state, uint64_t cards) noexcept nogil:
    """The sum of the ranks of some cards, a declared 7C by its declared one."""
    return rank_sum(cards) + (state.matta - 7 if state.matta and cards & MATTA_BIT else 0)


cdef inline bint has_sum(const GameState* state, uint64_t cards, int total) noexcept nogil:
    """Whether two or more of some cards add up to a total."""
    cdef int one = 0, more = 0, rank
    while cards:
        rank = value_of(lowest(cards), state.matta)
        cards &= cards - 1
        if rank <= total:
            more |= (one | more) << rank
            one |= 1 << rank
    return (more >> total) & 1


cdef inline int cards_to_play(const Knowledge* k) noexcept nogil:
    """Cards that the seat will still play in this deal, those it has not been dealt included."""
    return popcount(k.hand) + k.state.stock_left // k.rules.seats


cdef inline uint64_t copies_of(const Prospect* p, uint64_t of_rank) noexcept nogil:
    """Which cards of a rank are neither captured nor on the table nor in the own hand."""
    return p.uncaptured & ~p.k.hand & ~p.k.state.table & of_rank


cdef inline void look_round(const Player* player, const Knowledge* k, Prospect* p) noexcept nogil:
    """Find what all moves of a turn share."""
    cdef const RuleSet* rules = k.rules
    cdef int side
    p.player, p.k = player, k
    p.side = rules.side_of[k.seat]
    p.parity = 0
    if rules.sides == 2:
        p.parity = -1 if p.side == rules.side_of[k.state.dealer] else 1
    p.uncaptured = rules.pack
    for side in range(rules.sides):
        p.uncaptured &= ~k.state.cards[rules.seats + side]
    p.broken = popcount(odd_ranks(k.state, p.uncaptured))
    p.last_may_sweep = k.left > 2 or (k.left == 2 and rules.last_play_scopa)
    p.of_card = player.values.of_card


cdef inline double judge_sevens(const Prospect* p, int card, uint64_t captured, uint64_t left) noexcept nogil:
    """What the module for the sevens adds: of its lines the last that applies. Of the four seats of scopone the
    last is the dealer, and what is said of the third and the second goes for the seats before the dealer."""
    cdef const Knowledge* k = p.k
    cdef const RuleSet* rules = k.rules
    cdef const GameState* state = k.state
    cdef int seats = rules.seats, cards_left = cards_to_play(k), dealer = state.dealer, q
    cdef uint64_t sevens = rank_cards(state, SEVENS_RANK), mine = k.hand & sevens, taken = captured & sevens
    cdef bint plays_seven = (bit(card) & sevens) != 0, broken = popcount(p.uncaptured & sevens) & 1, breaks
    cdef bint is_dealer = k.seat == dealer, is_second = p.parity > 0 and k.seat == (dealer + seats - 1) % seats
    cdef double worth = 0, more = 0
    if taken and (mine & SETTEBELLO_BIT or popcount(mine) >= 2):
        worth = 60
    if p.parity == 0:
        return worth
    if p.parity > 0 and taken & SETTEBELLO_BIT:
        if popcount(mine) <= 1 and captured & (captured - 1):
            worth = 40
        elif popcount(mine) >= 2 and plays_seven:
            worth = 40
    if is_dealer:
        if mine == SETTEBELLO_BIT and taken & k.all_laid[(dealer + seats - 1) % seats] and seats > 2:
            for q in range(seats):
                if q != k.seat and rules.side_of[q] == p.side and chance(k, q, sevens) > 0:
                    if not (card == SETTEBELLO and broken and sweep_chance(p, next_seat(rules, k.seat), left) == 0):
                        worth = -40
        if mine == 0:
            breaks = popcount(p.uncaptured & ~captured & ~bit(card) & sevens) & 1
            if breaks and not broken:
                worth = 10
    if is_second:
        if popcount(mine) == 2 and plays_seven and chance(k, dealer, sevens) == 0 and cards_left > 2:
            worth = -40
        if popcount(mine) == 1 and seats > 2 and taken & k.all_laid[(dealer + seats - 2) % seats]:
            worth = -40
        for q in range(seats):
            if q != k.seat and rules.side_of[q] == p.side and taken & k.all_laid[q] and card != SETTEBELLO:
                worth = -60
    if cards_left <= 3 and plays_seven and broken:
        worth = 15
    if p.parity < 0 and not broken and copies_of(p, sevens):
        more = -30 if has_sum(state, left, SEVENS_RANK) else 0
        if mine & ~bit(card) and cards_left > 2:
            more += 20
        if more:
            worth = more
    if p.parity > 0 and 1 <= popcount(mine) <= 2 and plays_seven and captured & (captured - 1) and sum_of(state, captured) == SEVENS_RANK:
        worth = 30
    return worth


cdef inline double cs_worth(const Prospect* p, uint64_t move) noexcept nogil:
    """The score of a move that plays a card."""
    cdef const Knowledge* k = p.k
    cdef const RuleSet* rules = k.rules
    cdef const GameState* state = k.state
    cdef int card = <int>(move >> CARD_SHIFT) & 63, kind = <int>(move >> KIND_SHIFT) & 3, rank = value_of(card, state.matta)
    cdef uint64_t captured = move & (bit(CARD_SHIFT) - 1), left = state.table & ~captured, gained = captured, of_rank
    cdef double worth = 0
    cdef int points = 0
    if kind == KIND_TO_PILE or captured:
        gained |= bit(card)
    else:
        left |= bit(card)
    if captured == state.table:
        points = move_scopa(rules, state, move)
    if points > 0:
        worth += 4000 * points
    elif rules.side_of[next_seat(rules, k.seat)] != p.side:
        worth -= 1000 * sweep_chance(p, next_seat(rules, k.seat), left)
    if gained:
        worth += 50 + sum_worths(p.of_card, gained)
    else:
        of_rank = rank_cards(state, rank)
        worth += 8 * (popcount(k.hand & of_rank) - 1) - p.of_card[card]
        if copies_of(p, of_rank) == 0:
            worth += 8
        if rank == SEVENS_RANK:
            worth -= 20
    if p.parity and gained:
        worth += 10 * p.parity * (popcount(odd_ranks(state, p.uncaptured & ~gained)) - p.broken)
    if p.player.sevens:
        worth += judge_sevens(p, card, captured, left)
    return worth
