# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# One call of the solver: its table, its threads, its limits, and the questions it asks.
from libc.stdint cimport uint64_t

from scopa_fast.core.ordering cimport OrderTable
from scopa_fast.core.prover cimport Search
from scopa_fast.core.state cimport State
from scopa_fast.core.transpositions cimport SolverTable

cdef enum:
    UNSURE = -1             # a limit came before the answer

# What the thread that called looks at while it searches.
ctypedef struct Clock:
    int halt                    # tells all threads to stop
    bint limited                # a limit came
    uint64_t most_nodes         # of all threads
    Search** helping            # the other threads
    int helpers
    double deadline, next_look
    void* call


cdef class Searcher:
    # What one thread needs to answer questions.
    cdef Search s
    cdef State state            # what the pointers lead to
    cdef OrderTable order

    cdef int load(self, State state) except -1


cdef class Call:
    cdef Searcher searcher
    cdef list helpers
    cdef object workers
    cdef SolverTable table
    cdef bint own_table, first  # whether side 0 is to move, for the value of each move
    cdef uint64_t* busy
    cdef Clock clock
    cdef double begun, next_tell, next_save
    cdef object progress, error
    cdef object save, saved     # path; what the file says beside the table
    cdef public int lower, upper, done, total
    cdef list moves, bounds     # each move that was asked for, and what is known of its value

    cdef int open_table(self, SolverTable table, int megabytes, size_t wanted, State state) except -1
    cdef int use(self, size_t count) except -1
    cdef int add_helpers(self, int threads) except -1
    cdef bint look(self, double time) noexcept
    cdef object nodes(self)
    cdef object seconds(self)
    cdef int write(self) except -1
    cdef int ask(self, State state, int points) except -2
    cdef object estimate(self, State state, int depth)
    cdef object guess(self, State state)
    cdef int raise_error(self) except -1
    cdef tuple bound(self, State state, int lower, int upper, int value, bint main)
    cdef int find_value(self, State state) except -1
    cdef tuple find_line(self, State state, int value)
    cdef tuple move_values(self)


cdef double now() noexcept nogil
cdef int points_made(State state) noexcept
