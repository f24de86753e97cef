# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# Which move looks best before anything is searched: what it gains at once, less what it leaves to the next seat. Suits have
# no say: weights for them did not save a position. The weights (ordering.pyx) were tuned on the positions that proofs visit.
from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint64_t

from scopa_fast.core.cards cimport MAX_RANKS
from scopa_fast.core.lookup cimport LookupTable
from scopa_fast.core.transpositions cimport Terms
from scopa_fast.core.rules cimport FIFTEEN, MATCH_OR_SUM, NativeRules, RuleSet

cdef enum:
    DECLARED = 1 << 20      # points that cost nothing come first
    MAX_LEFT = 20           # higher sums of a table are alike

# A move on a table without two cards of a rank. All of them together should stay in the fastest memory.
ctypedef struct KnownMove:
    uint16_t captured           # rank set
    uint16_t after              # the rank set it leaves, none if a card then lies beside its like
    int16_t worth
    uint8_t to_pile             # whether the card goes to its owner's pile (ACE-4)
    uint8_t doubles             # whether the card is laid beside its like

ctypedef struct Ordering:
    const KnownMove* moves      # in the order of Lookup.moves
    const uint64_t* change      # [rank set]: sum of Terms.table
    const uint64_t* sweeps      # [rank set]: all cards that would sweep such a table and score
    int32_t sweep_next          # worth of leaving a sweep to the other side
    int32_t scopa, capture
    int32_t gain[MAX_RANKS]     # worth of each captured card
    int32_t lay[MAX_RANKS]
    int32_t left[MAX_LEFT + 1]  # worth of a table left, by its sum
    Terms terms


cdef class OrderTable:
    cdef Ordering c
    cdef LookupTable look
    cdef KnownMove* moves
    cdef uint64_t* sweeps
    cdef uint64_t* change
    cdef int ranks

    cdef int left(self, int row, int card)


cdef OrderTable order_table(NativeRules native)


cdef inline uint64_t sweeping_cards(const RuleSet* rules, uint64_t table, int total) noexcept nogil:
    """All cards that would take a whole table of this sum, and score."""
    cdef uint64_t cards = 0
    if rules.capture != FIFTEEN and 0 < total <= rules.ranks:
        cards = <uint64_t>15 << (4 * total - 4)
    if rules.capture != MATCH_OR_SUM and 5 <= total <= 14:
        cards |= <uint64_t>15 << (4 * (15 - total) - 4)
    if rules.ace_sweep and rules.ace_sweep_scopa and table and (rules.ace_all or table & 15 == 0):
        cards |= 15
    return cards
