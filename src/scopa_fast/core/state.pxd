# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The door for Python, and for Cython code that wants the struct behind it: `state.c` is the position, `state.native.c` its rules.
from libc.stdint cimport uint64_t

from scopa_fast.core.lookup cimport Lookup
from scopa_fast.core.position cimport GameState, Undo
from scopa_fast.core.rules cimport NativeRules


cdef class History:
    cdef Undo* moves
    cdef size_t played, room


cdef class State:
    cdef GameState c
    cdef NativeRules native
    cdef const Lookup* look         # the native rules keep it alive
    cdef int _voids
    cdef History history            # the moves to undo, or None

    cdef int obey(self, NativeRules native) except -1
    cdef int remember(self, uint64_t move) except -1
    cdef int refuse(self, uint64_t move) except -1
