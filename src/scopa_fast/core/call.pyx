"""One call of the solver, from limits and threads down to the questions that are put to the proof search."""

from concurrent.futures import wait
from threading import Lock

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from scopa_fast.core.call cimport Call, Clock, Searcher, UNSURE, now, points_made
from scopa_fast.core.key cimport key_term
from scopa_fast.core.lookup cimport lookup_table
from scopa_fast.core.ordering cimport order_table
from scopa_fast.core.position cimport copy_state, packet_mask, plays_left
from scopa_fast.core.prover cimport BUSY, Choice, ROOM_AHEAD, SHARED_PLIES, Search, estimate_t, prove_t
from scopa_fast.core.rules cimport ONE, RuleSet
from scopa_fast.core.state cimport State
from scopa_fast.core.transpositions cimport Bucket, SolverTable, buckets_of, hash_ranks

from scopa_fast.arguments import check_megabytes, check_nodes, check_progress, check_seconds, check_threads
from scopa_fast.core.levels import prover_addresses
from scopa_fast.core.transpositions import check_table
from scopa_fast.solutions import MoveValue, Progress
from scopa_fast.table_file import write_table
from scopa_fast.workers import Workers

_prove, _estimate = prover_addresses()
cdef prove_t prove = <prove_t><size_t>_prove
cdef estimate_t estimate = <estimate_t><size_t>_estimate

cdef enum:
    POLL = 4096             # positions between two looks at the clock
    LONG_PLIES = 28         # plays left from which a solve may take long
    DEEP = 8                # plays after its start whose results are kept apart then

LOOK = 0.05
"""Seconds between two looks at signals."""
TELL = 0.5
"""Seconds between two calls of ``progress``."""
SAVE = 1.0, 20.0, 600.0
"""Seconds until the first save; how many times as long as the last save took, and at most, until the next."""


cdef double now() noexcept nogil:
    """Seconds on a clock that nobody sets."""
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return <double>t.tv_sec + 1e-9 * <double>t.tv_nsec


cdef uint64_t poll_caller(void* caller, uint64_t nodes) noexcept nogil:
    """The thread that called looks at its limits and now and then, holding the interpreter, at everything else."""
    cdef Clock* clock = <Clock*>caller
    cdef double time = now()
    cdef uint64_t total
    if clock.halt:
        return 0
    total = nodes + nodes_of_helpers(clock)
    if total >= clock.most_nodes or time >= clock.deadline:
        clock.limited = True
        return 0
    if time >= clock.next_look and not look(clock.call, time):
        return 0
    return nodes + (POLL if total + POLL < clock.most_nodes else clock.most_nodes - total)


cdef uint64_t nodes_of_helpers(const Clock* clock) noexcept nogil:
    cdef uint64_t total = 0
    cdef int i
    for i in range(clock.helpers):
        total += clock.helping[i].nodes
    return total


cdef bint look(void* call, double time) noexcept with gil:
    return (<Call>call).look(time)


cdef uint64_t poll_helper(void* caller, uint64_t nodes) noexcept nogil:
    """Helpers stop when they are told to."""
    return 0 if (<int*>caller)[0] else nodes + POLL


cdef class Searcher:
    """What one thread needs to answer questions."""

    def __cinit__(self):
        memset(&self.s, 0, sizeof(Search))
        self.s.choices = <Choice*>malloc(2 * ROOM_AHEAD * sizeof(Choice))
        if self.s.choices == NULL:
            raise MemoryError()
        self.s.room = 2 * ROOM_AHEAD

    def __dealloc__(self):
        free(self.s.choices)

    cdef int load(self, State state) except -1:
        """Go to a position."""
        cdef Search* s = &self.s
        cdef const RuleSet* rules = &state.native.c
        cdef uint64_t salt = rules.key ^ key_term(27, state.c.dealer)
        cdef int packet
        if self.state is None or self.state.native is not state.native:
            self.order = order_table(state.native)
            s.order = &self.order.c
            s.rules = rules
            s.look = &lookup_table(state.native).c
            s.plain_sweeps = rules.scopa_value == ONE and (not rules.ace_sweep or rules.ace_sweep_scopa)
        self.state = state
        copy_state(rules, &state.c, &s.state)
        s.plies = plays_left(rules, &state.c)
        # Near the end of the deal the table is not worth a look.
        s.late_plies = 4 if rules.seats == 2 else 7
        s.probe_from = s.late_plies + 1 if s.table.buckets != NULL else s.plies + 1
        s.salts[0] = salt
        for packet in range(state.c.stock_left // 3):
            salt ^= key_term(32 + packet, packet_mask(&state.c, packet))
            s.salts[3 * packet + 3] = salt
        s.hashed = hash_ranks(rules, &s.state, &s.order.terms)
        return 0

    def prove(self, int need):
        """Answer a question beside other threads, which stop then; None if told to stop."""
        cdef bint won
        with nogil:
            won = prove(&self.s, need)
        if self.s.stop:
            return None
        (<int*>self.s.caller)[0] = True
        return won


_keeping = Lock()
cdef list _spare = []           # tables of finished calls
cdef list _searchers = []

cdef enum:
    SPARE = 2                   # as many of each are kept
    SPARE_BUCKETS = 1 << 20     # the largest table that is: 64 MB


cdef object pop(list kept):
    """Something kept, or None."""
    with _keeping:
        return kept.pop() if kept else None


cdef int keep(list kept, object what) except -1:
    with _keeping:
        if len(kept) < SPARE:
            kept.append(what)
    return 0


cdef class Call:
    """A call of one of the functions of solver.pyx: its table, threads, limits, and what it tells on the way."""

    def __init__(self, table, megabytes, threads, nodes, seconds, progress):
        check_megabytes(megabytes)
        check_threads(threads)
        check_table(table)
        check_progress(progress)
        self.clock.most_nodes = <uint64_t>-1 if nodes is None else check_nodes(nodes)
        self.begun = now()
        self.clock.deadline = 1e300 if seconds is None else self.begun + check_seconds(seconds)
        self.clock.next_look = self.begun + LOOK
        self.next_tell = self.begun + TELL
        self.next_save = 1e300
        self.progress = progress
        self.searcher = pop(_searchers) or Searcher()
        self.searcher.s.nodes = 0
        self.searcher.s.busy = NULL
        self.searcher.s.table.buckets = NULL
        self.searcher.s.poll = poll_caller
        self.clock.call = <void*>self
        self.searcher.s.caller = &self.clock
        self.searcher.s.poll_at = 1 if seconds is not None or nodes == 1 else min(POLL, self.clock.most_nodes)
        self.helpers = []
        self.done, self.total = 0, 1
        self.moves, self.bounds = [], []

    cdef int open_table(self, SolverTable table, int megabytes, size_t wanted, State state) except -1:
        """Take the caller's table, or one of our own with room for the buckets wanted."""
        cdef size_t count
        if table is not None:
            table.take()
            self.table = table
            count = table.count
        else:
            count = buckets_of(megabytes)
            if count > wanted:
                count = wanted
            self.own_table = True
            self.table = pop(_spare) or SolverTable(0)
            if self.table.count < count:
                self.table.make(count)
            elif count:
                memset(self.table.buckets, 0, count * sizeof(Bucket))
            self.table.busy = True
        self.searcher.s.table.deep_plies = 0
        if state is not None and state.native.c.hand > 3 and plays_left(&state.native.c, &state.c) >= LONG_PLIES and count >= 16:
            self.searcher.s.table.deep_plies = plays_left(&state.native.c, &state.c) - DEEP
        self.use(count)
        return 0

    cdef int use(self, size_t count) except -1:
        """Search with the first so many buckets of the table."""
        self.searcher.s.table.buckets = self.table.buckets if count else NULL
        self.searcher.s.table.mask = count - 1
        return 0

    cdef int add_helpers(self, int threads) except -1:
        """Start what it takes to answer with several threads. Without a table they would have nothing to share."""
        cdef Searcher helper
        if threads == 1 or self.searcher.s.table.buckets == NULL:
            return 0
        self.busy = <uint64_t*>malloc(BUSY * sizeof(uint64_t))
        if self.busy == NULL:
            raise MemoryError()
        memset(self.busy, 0, BUSY * sizeof(uint64_t))
        self.searcher.s.busy = self.busy
        self.clock.helping = <Search**>malloc((threads - 1) * sizeof(void*))
        if self.clock.helping == NULL:
            raise MemoryError()
        for _ in range(threads - 1):
            helper = Searcher()
            helper.s.table = self.searcher.s.table
            helper.s.busy = self.busy
            helper.s.poll = poll_helper
            helper.s.caller = &self.clock.halt
            self.clock.helping[self.clock.helpers] = &helper.s
            self.clock.helpers += 1
            self.helpers.append(helper)
        self.workers = Workers(threads - 1)
        return 0

    def close(self):
        """Give everything back."""
        interrupt = None
        if self.workers is not None:
            self.clock.halt = True
            interrupt = self.workers.close()
        free(self.busy)
        free(self.clock.helping)
        self.busy, self.clock.helping, self.clock.helpers = NULL, NULL, 0
        if self.searcher.s.room == 2 * ROOM_AHEAD:
            keep(_searchers, self.searcher)
        if self.table is not None:
            self.table.busy = False  # before another call may have it
            if self.own_table and self.table.count <= SPARE_BUCKETS:
                keep(_spare, self.table)
        if interrupt is not None:
            raise interrupt

    cdef bint look(self, double time) noexcept:
        """Look at signals, tell the progress, save; whether to go on."""
        try:
            PyErr_CheckSignals()
            if self.progress is not None and time >= self.next_tell:
                self.next_tell = time + TELL
                self.progress(
                    Progress(self.lower, self.upper, self.nodes(), time - self.begun, self.done, self.total, self.move_values())
                )
            if time >= self.next_save:
                self.write()
                self.next_save = now() + min(max(SAVE[0], SAVE[1] * (now() - time)), SAVE[2])
        except BaseException as error:
            self.error = error
            return False
        self.clock.next_look = time + LOOK
        return True

    cdef object nodes(self):
        return self.searcher.s.nodes + nodes_of_helpers(&self.clock)

    cdef object seconds(self):
        return now() - self.begun

    cdef int write(self) except -1:
        self.saved["bounds"] = self.lower, self.upper
        write_table(self.save, self.saved, self.table.used(self.searcher.s.table.mask + 1 if self.searcher.s.table.buckets else 0))
        return 0

    cdef int ask(self, State state, int points) except -2:
        """Whether the value of a position is at least so many points; UNSURE if a limit comes first."""
        cdef Searcher searcher = self.searcher
        cdef const RuleSet* rules = &state.native.c
        cdef bint turned = rules.side_of[state.c.seat] == 1, won = False
        cdef int need = points - points_made(state)
        if turned:
            need = 1 - need
        if self.clock.limited:
            return UNSURE
        searcher.load(state)
        tasks = []
        if self.helpers and searcher.s.plies > SHARED_PLIES:
            self.clock.halt = False
            for helper in self.helpers:
                (<Searcher>helper).load(state)
                (<Searcher>helper).s.poll_at = (<Searcher>helper).s.nodes + POLL
                tasks.append(self.workers.submit((<Searcher>helper).prove, need))
        with nogil:
            won = prove(&searcher.s, need)
        stopped = searcher.s.stop
        if tasks:
            self.clock.halt = True
            wait(tasks)
            self.clock.halt = False
        if not stopped:
            return won != turned
        for task in tasks:
            if self.error is None and task.result() is not None:
                return task.result() != turned
        self.raise_error()
        return UNSURE

    cdef object estimate(self, State state, int depth):
        """About what a position is worth, or None if a limit came first."""
        cdef Searcher searcher = self.searcher
        cdef int points
        searcher.load(state)
        with nogil:
            points = estimate(&searcher.s, depth)
        if searcher.s.stop:
            self.raise_error()
            return None
        return points_made(state) + (points if searcher.s.rules.side_of[state.c.seat] == 0 else -points)

    cdef object guess(self, State state):
        """Where to begin to look for a value: an estimate that takes no time beside the proof."""
        cdef int left = plays_left(&state.native.c, &state.c)
        # An even number of moves is better than the odd one after it.
        cdef object points = self.estimate(state, 0 if left <= 8 else 2 if left < 24 or state.native.c.hand == 3 else 4)
        return points_made(state) if points is None else points

    cdef int raise_error(self) except -1:
        """Raise what came up during a search."""
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        if not self.clock.limited and not self.clock.halt:
            raise MemoryError()
        return 0

    cdef tuple bound(self, State state, int lower, int upper, int value, bint main):
        """The bounds of a position's value, beginning with a guess; they meet unless a limit comes first."""
        cdef int answer, asked = 0, stride = 1
        cdef bint above = False, below = False
        while lower < upper:
            value = min(max(value, lower + 1), upper)
            answer = self.ask(state, value)
            if answer == UNSURE:
                break
            if answer:
                lower, above = value, True
            else:
                upper, below = value - 1, True
            if main:
                self.lower, self.upper = lower, upper
            # Away from a guess that is far off in longer and longer strides, then between what is known.
            if above and below:
                value = lower + 1 + (upper - lower) // 2 if upper - lower > 2 else lower + 1
            else:
                asked += 1
                if asked > 2:
                    stride *= 2
                value = lower + stride if above else upper + 1 - stride
        return lower, upper

    cdef int find_value(self, State state) except -1:
        """Narrow the bounds of the position that was asked for."""
        if self.lower < self.upper:
            self.bound(state, self.lower, self.upper, self.guess(state), True)
        return 0

    cdef tuple find_line(self, State state, int value):
        """The first optimal move at each step, or nothing if a limit comes first."""
        cdef bint first
        cdef int answer
        state = state.clone()
        line = []
        while not state.is_terminal():
            moves = state.legal_moves()
            first = state.native.c.side_of[state.c.seat] == 0
            for move in moves[:-1]:
                state.play(move)
                answer = self.ask(state, value if first else value + 1)
                if answer == UNSURE:
                    return ()
                if answer == first:
                    break
                state.undo()
            else:
                move = moves[len(moves) - 1]
                state.play(move)
            line.append(move)
        return tuple(line)


    cdef tuple move_values(self):
        """What is known of each move so far; the best ones reach a bound of the position."""
        return tuple([
            MoveValue(move, low, high, low >= self.upper if self.first else high <= self.lower)
            for move, (low, high) in zip(self.moves, self.bounds)
        ])


cdef int points_made(State state) noexcept:
    """Points of side 0 less those of side 1 that are made already (PT-12)."""
    return state.c.scope[0] + state.c.bonus[0] - state.c.scope[1] - state.c.bonus[1]
