# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# What the doors share: decks, seeded ones and given ones that are checked; moves and captures as Python objects.
from libc.stdint cimport uint8_t, uint64_t

from scopa_fast.core.lookup cimport Lookup
from scopa_fast.core.rules cimport NativeRules, RuleSet

cdef uint64_t deck_stream(object seed, object index) except? 0
cdef int shuffled(const RuleSet* rules, uint64_t* stream, int* dealer, uint8_t* deck) noexcept nogil
cdef int fill_deck(NativeRules native, object deck, uint8_t* out) except -1
cdef object as_move(uint64_t move)
cdef list set_masks(NativeRules native, const Lookup* look, uint64_t table, int value, int matta)
