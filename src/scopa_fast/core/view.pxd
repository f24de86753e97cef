# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# What one seat knows, as bots and samplers read it.
from libc.stdint cimport uint64_t

from scopa_fast.core.position cimport GameState
from scopa_fast.core.rules cimport NativeRules
from scopa_fast.core.state cimport State

cdef enum:
    MAX_MOVES = 80              # of a deal: 52 cards, and a declaration for every three of them


cdef class SeatView:
    cdef GameState c            # what is seen, and the unseen cards in a fixed order where they can be
    cdef NativeRules native
    cdef int viewer
    cdef bint made
    cdef uint64_t hidden_cards  # cards in the stock and the hidden hands
    cdef int n_moves
    cdef uint64_t moves_made[MAX_MOVES]

    cdef int look_at(self, State state) except -1
    cdef int is_hidden(self, int seat) noexcept
    cdef int place_unseen(self) except -1
    cdef State any_world(self)


cdef SeatView view_of(State state, int seat)
cdef SeatView as_view(object view)
cdef SeatView to_move(object view)
