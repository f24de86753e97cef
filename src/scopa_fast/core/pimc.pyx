"""Perfect-information Monte Carlo: each own move's value with all cards open, averaged over worlds."""

import time
from concurrent.futures import wait
from threading import Lock

from libc.stdint cimport uint64_t

from scopa_fast.core.belief cimport Belief
from scopa_fast.core.call cimport Call
from scopa_fast.core.position cimport plays_left
from scopa_fast.core.rng cimport Rng, next64, seed_stream
from scopa_fast.core.state cimport State
from scopa_fast.core.view cimport SeatView, to_move
from scopa_fast.core.worlds cimport Worlds

from scopa_fast.arguments import check_range, check_seconds, check_threads, check_two_sides
from scopa_fast.core.search import check_worlds
from scopa_fast.core.solver import reach
from scopa_fast.core.worlds import MOST_WORLDS
from scopa_fast.searches import MoveStatistics, SearchResult
from scopa_fast.workers import Workers

LOOK = 0.05
COUNT = 20
"""Worlds unless told."""
LISTED = 4096
"""Of how many worlds at most each is taken once although the time may end before that."""
MEGABYTES = 16
"""The table of each thread."""


def pimc(view, *, count=None, seconds=None, exact_plays=16, depth=1, threads=1, seed=None, worlds=None):
    """Average the value of each own move over worlds, as if all cards were open in each of them.

    It knows what the seat sees, but plays as if it would know all from the next move on (strategy fusion, Frank and Basin 1998).
    Values are exact (:func:`solve_moves`) when few cards are left, else those of :func:`evaluate` after each move.

    :param view: what the seat to move sees, of rules with two sides.
    :param count: worlds, by default 20, or as many as the time allows if one is given. If there are no more than that, each is
        taken once and counts by its weight (with ``seconds`` in random order, and only up to 4,096 of them); else so many are dealt.
    :param seconds: stop after so long, at the latest; then the result depends on the machine, and says so. If not a single world is
        solved by then, one of them is estimated.
    :param exact_plays: most plays left for which worlds are solved.
    :param depth: moves of best play that an estimate looks ahead, the own one among them; more of them made weaker players, which
        rely on what nobody can see.
    :param threads: threads, each with worlds of its own; the result does not depend on them.
    :param seed: an int, an :class:`Rng` (which advances by one draw) or None for fresh randomness.
    :param worlds: the :class:`Worlds` of the view to deal from, by default all of them alike.
    :raises UnsolvableRulesError: if the rules have more than two sides (SEAT-2).
    :raises IllegalMoveError: if the seat of the view is not to move.
    :raises ValueError: on a bad number, or worlds of another view.
    """
    cdef SeatView seen = to_move(view)
    cdef double begun = time.perf_counter()
    cdef uint64_t stream
    cdef State state
    cdef Belief belief
    check_two_sides(seen.rules)
    if count is None:
        count = COUNT if seconds is None else MOST_WORLDS
    check_range(count, "count", 1, MOST_WORLDS)
    check_range(exact_plays, "exact_plays", 0, 1000)
    check_range(depth, "depth", 1, 200)
    check_threads(threads)
    deadline = None if seconds is None else begun + check_seconds(seconds)
    stream = next64(&(<Rng>seed).stream) if isinstance(seed, Rng) else seed_stream(seed)
    source = Worlds(seen) if worlds is None else check_worlds(worlds, seen)
    cdef Averager job = Averager.__new__(Averager)
    job.source = source
    job.moves = seen.legal_moves()
    job.exact = plays_left(&seen.native.c, &seen.c) <= exact_plays
    job.depth = depth
    job.deadline = 1e300 if deadline is None else deadline
    job.stream = stream
    job.first = seen.side == 0
    job.listed = list_worlds(source, count, deadline is not None, stream)
    if job.listed is not None:
        count = number_of(source)
    job.numbers = iter(range(count))
    job.found = {}
    job.taking = Lock()
    if threads == 1:
        job.work()
    else:
        job.share(threads)
    values = [0.0] * len(job.moves)
    total = 0.0
    done = 0
    # The worlds after one that came too late do not count.
    while done in job.found:
        weight, world_values = job.found[done]
        total += weight
        done += 1
        for i, value in enumerate(world_values):
            values[i] += weight * value
    sign = 1 if job.first else -1
    moves = tuple([
        MoveStatistics(move, done, sign * value / total if total else 0.0, done) for move, value in zip(job.moves, values)
    ])
    best = max(moves, key=lambda entry: entry.mean)
    return SearchResult(
        move=best.move, moves=moves, line=(best.move,), iterations=done, worlds=done, nodes=job.nodes,
        timed=done < count or job.cut, seconds=time.perf_counter() - begun,
    )


cdef object number_of(Worlds source):
    """How many worlds there are."""
    return len(source) if isinstance(source, Belief) else source.count


cdef object list_worlds(Worlds source, object count, bint timed, uint64_t stream):
    """Each world and its weight, if they are few enough; None if not."""
    number = number_of(source)
    if number > (min(count, LISTED) if timed else count):
        return None
    if not isinstance(source, Belief):
        pairs = ((world, source.weight(world)) for world in source)
    elif (<Belief>source).complete:
        pairs = zip(source, source.likelihoods)
    else:
        return None
    if not timed:
        return iter(pairs)
    # Those that are in time are a fair sample.
    listed = list(pairs)
    return iter([listed[i] for i in Rng(stream).shuffled(number)])


cdef class Averager:
    """The worlds of a call and what its threads find out about them."""

    cdef Worlds source
    cdef list moves
    cdef dict found                 # its weight and the values of the moves, by the number of the world
    cdef object listed              # worlds and their weights one by one, or None: they are dealt
    cdef object numbers, taking, nodes
    cdef bint exact, first, halt, cut
    cdef int depth
    cdef double deadline
    cdef uint64_t stream

    def work(self):
        """Value the moves in one world after another."""
        cdef State state
        seconds = max(0.0, self.deadline - time.perf_counter()) if self.deadline < 1e300 else None
        cdef Call call = Call(None, MEGABYTES if self.exact else 0, 1, None, seconds, None)
        cdef list values
        try:
            call.open_table(None, MEGABYTES if self.exact else 0, <size_t>1 << 14, None)
            while not self.halt:
                with self.taking:
                    number = next(self.numbers, None)
                    if number is None or (number and time.perf_counter() >= self.deadline):
                        break
                    if self.listed is not None:
                        state, weight = next(self.listed)
                    else:
                        weight = 1.0
                        state = self.source.view.any_world()
                        self.source.deal(&state.c, &self.stream)
                values = self.solve(call, state) if self.exact else self.estimate(call, state, self.depth - 1)
                if call.clock.limited:
                    if number:
                        break
                    # Time ended before the first world was solved: estimates are better than nothing.
                    self.cut = True
                    call.close()
                    call = Call(None, 0, 1, None, None, None)
                    call.open_table(None, 0, 0, None)
                    values = self.estimate(call, state, 0)
                self.found[number] = weight, values
        finally:
            with self.taking:
                self.nodes = (self.nodes or 0) + call.nodes()
            call.close()

    cdef list solve(self, Call call, State state):
        """The exact value of each move in a world."""
        cdef State child
        cdef int low, high
        cdef list values = []
        call.lower, call.upper = reach(state)
        call.find_value(state)
        for move in self.moves:
            child = state.clone()
            child.play_unchecked(move)
            low, high = reach(child)
            if self.first:
                high = min(high, call.upper)
            else:
                low = max(low, call.lower)
            low, high = call.bound(child, low, high, call.lower, False)
            values.append(low)
        return values

    cdef list estimate(self, Call call, State state, int depth):
        """About what each move is worth in a world."""
        cdef State child
        cdef list values = []
        for move in self.moves:
            child = state.clone()
            child.play_unchecked(move)
            values.append(call.estimate(child, depth))
        return values

    def share(self, threads):
        """Let threads work."""
        workers = Workers(threads)
        try:
            tasks = [workers.submit(self.work) for _ in range(threads)]
            open_ = True
            while open_:
                finished, open_ = wait(tasks, timeout=LOOK)
                for task in finished:
                    task.result()
        finally:
            self.halt = True
            came = workers.close()
            if came is not None:
                raise came
