# cython: language_level=3, boundscheck=False, wraparound=False
"""The kernel from your own Cython: random deals, and the captures of every card on every table that comes up.

Build it beside an installed scopa_fast with ``cythonize -i captures.pyx`` and try::

    import captures
    pairs = captures.collect("scopa", 1000, seed=1)
    print(len(pairs) // 2, captures.count("scopa", pairs))
"""

from libc.stdint cimport uint64_t

from scopa_fast.core.cards cimport lowest, value_of
from scopa_fast.core.lookup cimport Lookup, find_captures
from scopa_fast.core.playout cimport random_card_move
from scopa_fast.core.position cimport GameState, copy_state, deal_over, make_move
from scopa_fast.core.rng cimport spawn
from scopa_fast.core.rules cimport RuleSet
from scopa_fast.core.state cimport State

import array

import scopa_fast


def collect(rules, int deals, uint64_t seed):
    """Return table, value, table, value, ... of every card in hand at every turn of some random deals."""
    cdef GameState position
    cdef State state
    cdef uint64_t stream, rest
    pairs = array.array("Q")
    for deal in range(deals):
        new = scopa_fast.shuffled_deck(rules, seed, deal)
        state = scopa_fast.State.from_deck(rules, new.deck, new.dealer)
        stream = spawn(seed, deal)
        copy_state(&state.native.c, &state.c, &position)
        while not deal_over(&position):
            rest = position.cards[position.seat]
            while rest:
                pairs.append(position.table)
                pairs.append(value_of(lowest(rest), position.matta))
                rest &= rest - 1
            make_move(&state.native.c, &position, random_card_move(&state.native.c, state.look, &position, &stream))
    return pairs


def count(rules, pairs, int times=1):
    """List the captures of every pair, `times` over; return how many there are in one pass."""
    cdef State state = scopa_fast.State(rules, 0)
    cdef const uint64_t[::1] numbers = pairs
    cdef uint64_t sets[1024]
    cdef const RuleSet* ruleset = &state.native.c
    cdef const Lookup* look = state.look
    cdef const uint64_t* pair
    cdef const uint64_t* end
    cdef uint64_t total = 0
    cdef int time
    if numbers.shape[0] == 0:
        return 0
    end = &numbers[0] + numbers.shape[0]
    with nogil:
        for time in range(times):
            total = 0
            pair = &numbers[0]
            while pair != end:
                total += find_captures(ruleset, look, pair[0], <int>pair[1], 0, 1024, sets)
                pair += 2
    return total
