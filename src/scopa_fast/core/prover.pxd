# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The questions a solver asks, and all that one thread needs to answer them.
from libc.stdint cimport uint64_t

from scopa_fast.core.cards cimport MAX_CARDS
from scopa_fast.core.lookup cimport Lookup
from scopa_fast.core.ordering cimport Ordering
from scopa_fast.core.position cimport GameState
from scopa_fast.core.rules cimport MAX_STOCK, RuleSet
from scopa_fast.core.transpositions cimport Table

cdef enum:
    # Choices that positions with looked-up tables may write without asking for room: one path of them.
    ROOM_AHEAD = MAX_CARDS * 256
    BUSY = 1 << 12
    SHARED_PLIES = 12       # fewest plays left for which threads look what others do

ctypedef struct Choice:
    uint64_t move
    uint64_t cards          # once it has failed: the cards that matter to the proof against it
    uint64_t hashed         # Search.hashed after it, unless a new round is dealt
    int worth

ctypedef struct Search:
    GameState state         # where the search is; as at the start when it ends
    const RuleSet* rules
    const Lookup* look
    const Ordering* order
    Table table
    uint64_t hashed         # hash_ranks of the state
    uint64_t* busy          # BUSY positions that threads are searching, or NULL if there is one thread
    uint64_t salts[MAX_STOCK + 1]   # by cards in the stock: what rules, dealer and stock add to every hash
    int plies               # plays left
    int probe_from          # fewest plays left for which the table is asked
    int late_plies          # most plays left for which positions are searched as late ones: two cards in a hand
    bint plain_sweeps       # whether every sweep scores one point, the deal's last apart
    Choice* choices         # the moves of all positions on the path, one after another
    size_t used, room
    uint64_t nodes
    uint64_t poll_at        # number of nodes at which to look up
    uint64_t (*poll)(void*, uint64_t) noexcept nogil     # tells the next such number, 0 to stop
    void* caller
    bint stop               # the answer is not known; everything returns


cdef inline bint look_up(Search* s) noexcept nogil:
    """Look up from the search when it is time; whether it may go on."""
    if s.nodes >= s.poll_at:
        s.poll_at = s.poll(s.caller, s.nodes)
        if s.poll_at == 0:
            s.stop = True
    return not s.stop


ctypedef bint (*prove_t)(Search*, int) noexcept nogil
ctypedef int (*estimate_t)(Search*, int) noexcept nogil
