# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The convention `forty_eight`: with one card left in each hand, the points that a move makes on average over all ways the hidden
# cards may lie, each of them played openly and at its best by all.
from libc.stdint cimport uint64_t

from scopa_fast.core.cards cimport MAX_SEATS, lowest, popcount
from scopa_fast.core.generate cimport Turn, moves_of_card, read_turn
from scopa_fast.core.lookup cimport Lookup
from scopa_fast.core.position cimport GameState, Undo, copy_state, deal_over, make_move, make_undoable, unmake_move
from scopa_fast.core.strategy cimport Prospect
from scopa_fast.core.rules cimport RuleSet
from scopa_fast.core.scoring cimport ScoreSheet, score_sides

cdef enum:
    MAX_PLACED = 4      # hidden hands, in at most 24 ways
    FEW_MOVES = 16      # that are listed at a time


cdef inline bint is_last_card(const Prospect* p) noexcept nogil:
    """Whether the seat is about to play its last card, for one of two sides, and few enough hands are hidden. With more of them
    (six or eight seats) the ordinary score holds."""
    return p.k.rules.sides == 2 and p.k.state.stock_left == 0 and popcount(p.k.hand) == 1 and p.k.n_unseen <= MAX_PLACED


cdef inline int lead_at_end(const RuleSet* rules, const GameState* state, int side) noexcept nogil:
    """The points of a side less those of the other, at the end of the deal."""
    cdef ScoreSheet sheet
    cdef int scope[MAX_SEATS]
    cdef int bonus[MAX_SEATS]
    cdef int i
    for i in range(rules.sides):
        scope[i], bonus[i] = state.scope[i], state.bonus[i]
    score_sides(rules, &state.cards[rules.seats], scope, bonus, &sheet)
    return sheet.total[side] - sheet.total[1 - side]


cdef inline int best_lead(const RuleSet* rules, const Lookup* look, GameState* state, int side) noexcept nogil:
    """The lead of a side at the end if all play openly, one card each."""
    cdef uint64_t moves[FEW_MOVES]
    cdef uint64_t n, i, skip = 0
    cdef Turn turn
    cdef Undo undo
    cdef int best = 0, lead, sign, seat = state.seat
    cdef bint any_move = False
    if deal_over(state):
        return lead_at_end(rules, state, side)
    sign = 1 if rules.side_of[seat] == side else -1
    read_turn(rules, state, &turn)
    while True:
        n = moves_of_card(rules, look, state, &turn, lowest(state.cards[seat]), skip, FEW_MOVES, moves)
        for i in range(n):
            make_undoable(rules, state, moves[i], &undo)
            lead = sign * best_lead(rules, look, state, side)
            unmake_move(rules, state, &undo)
            if not any_move or lead > best:
                best, any_move = lead, True
        if n < FEW_MOVES:
            return sign * best
        skip += n


cdef inline int sum_leads(
    const Prospect* p, const Lookup* look, GameState* state, const int* hidden, int n, uint64_t cards, uint64_t move
) noexcept nogil:
    """The sum of the leads after a move over all ways to give `cards` to the last n of the hidden seats."""
    cdef const RuleSet* rules = p.k.rules
    cdef GameState played
    cdef uint64_t rest = cards, card
    cdef int total = 0
    if n == 0:
        copy_state(rules, state, &played)
        make_move(rules, &played, move)
        return best_lead(rules, look, &played, p.side)
    while rest:
        card = rest & (0 - rest)
        rest ^= card
        state.cards[hidden[0]] = card
        total += sum_leads(p, look, state, hidden + 1, n - 1, cards ^ card, move)
    return total


cdef inline double last_card_worth(const Prospect* p, const Lookup* look, uint64_t move) noexcept nogil:
    """The lead that a move of the last card makes, on average."""
    cdef const RuleSet* rules = p.k.rules
    cdef GameState state
    cdef int hidden[MAX_PLACED]
    cdef int n = 0, seat, ways = 1
    copy_state(rules, p.k.state, &state)
    for seat in range(rules.seats):
        if state.cards[seat] and not p.k.known[seat]:
            hidden[n] = seat
            n += 1
            ways *= n
    return <double>sum_leads(p, look, &state, hidden, n, p.k.unseen, move) / <double>ways
