# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The 64-bit key of a position (docs/notation.md): an exclusive or of one mixed term for each field, so that a search can
# update it term by term and leave out what a seat does not see.
from libc.stdint cimport uint8_t, uint64_t

from scopa_fast.core.position cimport GameState, packet_mask
from scopa_fast.core.rng cimport GOLDEN, mix64
from scopa_fast.core.rules cimport RuleSet


cdef inline uint64_t key_term(uint64_t slot, uint64_t value) noexcept nogil:
    return mix64(slot * GOLDEN + value)


cdef inline uint64_t state_key(const RuleSet* rules, const GameState* state) noexcept nogil:
    """The key of a whole position."""
    cdef uint64_t key = rules.key ^ key_term(9, state.table)
    cdef int i
    for i in range(rules.seats):
        key ^= key_term(1 + i, state.cards[i])
    for i in range(rules.sides):
        key ^= key_term(10 + i, state.cards[rules.seats + i])
        key ^= key_term(18 + i, <uint64_t>state.scope[i] | <uint64_t>state.bonus[i] << 16)
    key ^= key_term(26, <uint64_t>state.seat | <uint64_t>state.dealer << 8 | <uint64_t><uint8_t>(state.last + 1) << 16
                    | <uint64_t>state.matta << 24 | <uint64_t>state.exposed << 32)
    for i in range(state.stock_left // 3):
        key ^= key_term(32 + i, packet_mask(state, i))
    return key
