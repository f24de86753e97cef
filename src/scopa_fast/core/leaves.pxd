# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# Walks down trees whose leaves a caller judges, many at a time. search.pyx asks.
from libc.stdint cimport int16_t, uint64_t

from scopa_fast.core.cards cimport MAX_SEATS
from scopa_fast.core.position cimport GameState, NOBODY, plays_left
from scopa_fast.core.rules cimport RuleSet
from scopa_fast.core.seek cimport Leaf, Seek, descend_t, score_t, settle_t

cdef enum:
    TURN_COLUMNS = 6

# A tree and how often it is walked down.
ctypedef struct Walk:
    Seek* s
    uint64_t done, wanted


cdef inline int gather(
    descend_t descend, score_t score, settle_t settle, Walk* walks, int trees, Leaf* leaves, int* of_leaf, int batch, double loss
) noexcept nogil:
    """Walk down trees in turn until there are `batch` leaves to ask about, or each had its share; how many there are, -1 without
    memory. Finished deals are settled at once."""
    cdef float rewards[MAX_SEATS]
    cdef int n = 0, turn, tree
    for turn in range(trees * ((batch + trees - 1) / trees)):
        tree = turn % trees
        if n == batch:
            break
        if walks[tree].done >= walks[tree].wanted:
            continue
        if not descend(walks[tree].s, &leaves[n], loss):
            return -1
        walks[tree].done += 1
        if leaves[n].over:
            score(walks[tree].s, &leaves[n], rewards)
            settle(walks[tree].s, &leaves[n], rewards)
        else:
            of_leaf[n] = tree
            n += 1
    return n


cdef inline void write_rows(
    const RuleSet* rules, const Leaf* leaves, int n, uint64_t* cards, int16_t* turn, int16_t* scope, int16_t* bonus
) noexcept nogil:
    """Write leaves as rows of the arrays of Leaves."""
    cdef int i, j, places = rules.seats + rules.sides + 1
    cdef const GameState* state
    for i in range(n):
        state = &leaves[i].state
        for j in range(rules.seats):
            cards[i * places + j] = state.cards[j]
        cards[i * places + rules.seats] = state.table
        for j in range(rules.sides):
            cards[i * places + rules.seats + 1 + j] = state.cards[rules.seats + j]
            scope[i * rules.sides + j], bonus[i * rules.sides + j] = state.scope[j], state.bonus[j]
        turn[0], turn[1], turn[2] = state.seat, state.dealer, -1 if state.last == NOBODY else state.last
        turn[3], turn[4], turn[5] = <int16_t>plays_left(rules, state), state.matta, state.exposed
        turn += TURN_COLUMNS


cdef inline void settle_all(
    settle_t settle, Walk* walks, const Leaf* leaves, const int* of_leaf, int n, const float* rewards, int sides
) noexcept nogil:
    """Give all leaves their rewards, a row of them for each."""
    cdef int i
    for i in range(n):
        settle(walks[of_leaf[i]].s, &leaves[i], &rewards[i * sides])


cdef inline bint all_done(const Walk* walks, int trees) noexcept nogil:
    cdef int i
    for i in range(trees):
        if walks[i].done < walks[i].wanted:
            return False
    return True
