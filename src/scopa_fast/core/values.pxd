# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# What each card is worth to the rule players, ready for whole rank sets.
from libc.stdint cimport int32_t, uint64_t

from scopa_fast.core.cards cimport COINS_MASK, MAX_CARDS, SETTEBELLO_BIT, lowest, popcount
from scopa_fast.core.ordering cimport Ordering, OrderTable
from scopa_fast.core.rules cimport NativeRules, RuleSet

ctypedef struct Values:
    const Ordering* order
    const int32_t* plain            # [rank set]: sum over its ranks, suits apart
    int32_t of_card[MAX_CARDS]
    int settebello, re_bello        # what these two are worth beyond that of their rank and suit
    uint64_t re_bello_bit


cdef class ValueTable:
    cdef Values c
    cdef OrderTable order
    cdef int32_t* plain


cdef ValueTable value_table(NativeRules native)


cdef inline int suit_values(const Values* values, uint64_t cards) noexcept nogil:
    """What some cards are worth beyond their ranks."""
    cdef int worth = 10 * popcount(cards & COINS_MASK)
    if cards & SETTEBELLO_BIT:
        worth += values.settebello
    if cards & values.re_bello_bit:
        worth += values.re_bello
    return worth


cdef inline int sum_values(const Values* values, uint64_t cards) noexcept nogil:
    """What some cards are worth."""
    return sum_worths(values.of_card, cards)


cdef inline int sum_worths(const int32_t* of_card, uint64_t cards) noexcept nogil:
    """The sum of what each of some cards is worth."""
    cdef int worth = 0
    while cards:
        worth += of_card[lowest(cards)]
        cards &= cards - 1
    return worth
