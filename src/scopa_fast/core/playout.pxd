# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# One random choice of a move, for a position that a caller holds. Whole deals are played in kernel.pxd.
from libc.stdint cimport uint64_t

from scopa_fast.core.cards cimport lowest, popcount
from scopa_fast.core.generate cimport Turn, count_card_moves, count_of_card, moves_of_card, nth_card_move, playable_cards, read_turn
from scopa_fast.core.lookup cimport Lookup
from scopa_fast.core.position cimport GameState
from scopa_fast.core.rng cimport below
from scopa_fast.core.rules cimport RuleSet


cdef inline uint64_t random_card_move(
    const RuleSet* rules, const Lookup* look, const GameState* state, uint64_t* stream
) noexcept nogil:
    """A card move of the seat to move, each legal one equally likely."""
    cdef Turn turn
    read_turn(rules, state, &turn)
    return nth_card_move(rules, look, state, &turn, below(stream, count_card_moves(rules, look, state, &turn)))


cdef inline uint64_t random_card_first(
    const RuleSet* rules, const Lookup* look, const GameState* state, uint64_t* stream
) noexcept nogil:
    """A random card of the hand, then a random move of that card."""
    cdef uint64_t hand = playable_cards(rules, state), index = below(stream, popcount(hand)), move = 0
    cdef Turn turn
    while index:
        hand &= hand - 1
        index -= 1
    read_turn(rules, state, &turn)
    index = below(stream, count_of_card(rules, look, state, &turn, lowest(hand)))
    moves_of_card(rules, look, state, &turn, lowest(hand), index, 1, &move)
    return move
