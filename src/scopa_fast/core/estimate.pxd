# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# What a position is worth about: best play for some moves, then the move that looks best for each seat.
from scopa_fast.core.cards cimport MAX_SEATS, unlikely
from scopa_fast.core.choices cimport bring_best, list_choices
from scopa_fast.core.position cimport GameState, NOBODY, copy_state
from scopa_fast.core.prover cimport Search, look_up
from scopa_fast.core.rules cimport RuleSet
from scopa_fast.core.scoring cimport ScoreSheet, score_sides
from scopa_fast.core.steps cimport Step, step, step_back
from libc.stdint cimport uint64_t

cdef enum:
    UNKNOWN = 1 << 20       # more than any number of points


cdef inline int final_points(const RuleSet* rules, const GameState* state, int side) noexcept nogil:
    """Points of a side less those of the other out of the piles, after the last play."""
    cdef ScoreSheet sheet
    cdef int nothing[MAX_SEATS]
    cdef uint64_t piles[2]
    nothing[0] = nothing[1] = 0
    piles[0], piles[1] = state.cards[rules.seats], state.cards[rules.seats + 1]
    if state.last != NOBODY:
        piles[state.last] |= state.table
    score_sides(rules, piles, nothing, nothing, &sheet)
    return sheet.total[side] - sheet.total[1 - side]


cdef inline int play_greedily(Search* s) noexcept nogil:
    """What the side to move gets more than the other if both always play the move of most worth."""
    cdef const RuleSet* rules = s.rules
    cdef GameState* state = &s.state
    cdef GameState start
    cdef Step old
    cdef size_t n
    cdef int side = rules.side_of[state.seat], mover, points = 0, gained
    copy_state(rules, state, &start)
    while True:
        n = list_choices(s)
        if n == 0:
            break
        bring_best(s.choices + s.used, n)
        mover = rules.side_of[state.seat]
        gained = step(rules, state, mover, s.choices[s.used].move, &old)
        points += gained if mover == side else -gained
    points += final_points(rules, state, side)
    copy_state(rules, &start, state)
    return points


cdef inline int look_ahead(Search* s, int depth, int least, int most) noexcept nogil:
    """As play_greedily, after `depth` moves of best play (alpha-beta)."""
    cdef const RuleSet* rules = s.rules
    cdef size_t first = s.used, n, tried
    cdef int side = rules.side_of[s.state.seat], points, value, found = -UNKNOWN
    cdef Step old
    s.nodes += 1
    if unlikely(not look_up(s)):
        return 0
    if depth == 0:
        return play_greedily(s)
    n = list_choices(s)
    if n == 0:
        return final_points(rules, &s.state, side)
    s.used = first + n
    for tried in range(n):
        bring_best(s.choices + first + tried, n - tried)
        points = step(rules, &s.state, side, s.choices[first + tried].move, &old)
        if rules.side_of[s.state.seat] == side:
            value = points + look_ahead(s, depth - 1, least - points, most - points)
        else:
            value = points - look_ahead(s, depth - 1, points - most, points - least)
        step_back(rules, &s.state, side, &old)
        if s.stop:
            break
        if value > found:
            found = value
            if value > least:
                least = value
            if least >= most:
                break
    s.used = first
    return found
