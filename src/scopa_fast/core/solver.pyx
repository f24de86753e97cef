"""The exact solver: what a position is worth with every card open."""

import os
from concurrent.futures import wait
from threading import Lock

from libc.stdint cimport uint64_t

from scopa_fast.core.call cimport Call, UNSURE, now, points_made
from scopa_fast.core.cards cimport popcount, rank_sum
from scopa_fast.core.position cimport plays_left
from scopa_fast.core.rules cimport NO_NAPOLA, NO_PRIME, ONE, RANK, RuleSet
from scopa_fast.core.state cimport State

from scopa_fast.arguments import check_int, check_path, check_range, check_seconds, check_threads, check_two_sides
from scopa_fast.core.call import LOOK, SAVE, TELL
from scopa_fast.errors import InvalidTableError
from scopa_fast.solutions import MoveValue, MoveValues, Progress, Solution
from scopa_fast.table_file import check_writable
from scopa_fast.workers import Workers

cdef enum:
    MAX_DEPTH = 200


def solve(state, *, line=True, table=None, megabytes=64, threads=1, nodes=None, seconds=None, save=None, progress=None):
    """Return the value of a position and one line of best play.

    The value is the final points of side 0 less those of side 1 with every card open and the order of the stock known. Points
    already made count (PT-12), what a deal does to a match (PT-13, PT-14, MAT-5) does not. Value and line are the same for any
    table and number of threads.

    :param line: whether to find the line: at each step the first optimal move in canonical order (DECK-8).
    :param table: a table to use and to keep; by default a fresh one.
    :param megabytes: the most memory for a fresh one.
    :param threads: threads that search; without a table one does.
    :param nodes: about how many positions to search at most.
    :param seconds: about how long to take at most.
    :param save: a file for the work done so far, written every now and then and at the end, also after a Ctrl-C; if it exists, the
        solve goes on from there, with the size of the table in it.
    :param progress: called about twice a second with a :class:`Progress`.
    :raises UnsolvableRulesError: if the rules have more than two sides (SEAT-2).
    :raises InvalidTableError: if the file is damaged or of another position.
    :raises OSError: if the file cannot be read or written.
    :raises ValueError: on a bad limit, number of threads or size; or on a table beside ``save``.
    :raises RuntimeError: if another call is using the table.
    """
    check_state(state)
    if not isinstance(line, bool):
        raise TypeError(f"line must be a bool, not {type(line).__name__}: {line!r}")
    cdef Call call = Call(table, megabytes, threads, nodes, seconds, progress)
    cdef tuple moves = ()
    if save is not None:
        check_path(save, "save")
        if table is not None:
            raise ValueError(f"save {save!r} has a table of its own, it cannot be used with another")
    state = (<State>state).clone()
    call.lower, call.upper = reach(state)
    try:
        call.open_table(table, megabytes, buckets_for(state), state)
        if save is not None:
            resume(call, state, save)
        call.add_helpers(threads)
        try:
            call.find_value(state)
            if line and call.lower == call.upper:
                moves = call.find_line(state, call.lower)
        finally:
            if save is not None:
                call.write()
        return Solution(call.lower, call.upper, moves, call.nodes(), call.seconds())
    finally:
        call.close()


cdef int resume(Call call, State state, object path) except -1:
    """Read what a file knows of a position, and keep the file up to date from now on."""
    call.save = path
    call.saved = {"kind": "solve", "position": str(state)}
    if os.path.exists(path):
        header = call.table.read(path, "solve", {"position": str, "bounds": list})
        if header["position"] != call.saved["position"]:
            raise InvalidTableError(f"{path}: a saved solve of another position: {header['position']}")
        bounds = header["bounds"]
        if not (len(bounds) == 2 and all(type(bound) is int for bound in bounds) and call.lower <= bounds[0] <= bounds[1] <= call.upper):
            raise InvalidTableError(f"{path}: damaged: bounds {bounds}")
        call.lower, call.upper = bounds
        call.use(call.table.count)
    check_writable(path)
    call.next_save = now() + SAVE[0]
    return 0


def solve_moves(state, *, table=None, megabytes=64, threads=1, nodes=None, seconds=None, progress=None):
    """Return the value of each legal move, in canonical order, the optimal ones marked.

    Parameters and errors as those of :func:`solve`.
    """
    check_state(state)
    cdef Call call = Call(table, megabytes, threads, nodes, seconds, progress)
    cdef State child
    cdef int low, high, number
    cdef list moves
    state = (<State>state).clone()
    call.first = (<State>state).native.c.side_of[(<State>state).c.seat] == 0
    call.lower, call.upper = reach(state)
    try:
        call.open_table(table, megabytes, buckets_for(state), state)
        call.add_helpers(threads)
        moves = state.legal_moves()
        children = [state.clone() for _ in moves]
        for child, move in zip(children, moves):
            child.play(move)
        call.bounds = [reach(child) for child in children]
        call.moves, call.done, call.total = moves, 0, len(moves)
        call.find_value(state)
        guess = call.lower if call.lower == call.upper else call.lower + (call.upper - call.lower) // 2
        for number, child in enumerate(children):
            low, high = call.bounds[number]
            # No move is better than the position.
            if call.first:
                high = min(high, call.upper)
            else:
                low = max(low, call.lower)
            call.bounds[number] = call.bound(child, low, high, guess, False)
            call.done += 1
        if moves:
            best = max if call.first else min
            call.lower = max(call.lower, best(low for low, _ in call.bounds))
            call.upper = min(call.upper, best(high for _, high in call.bounds))
        values = call.move_values()
        if len(moves) == 1:
            values = (MoveValue(moves[0], call.lower, call.upper, True),)
        return MoveValues(values, call.lower, call.upper, call.nodes(), call.seconds())
    finally:
        call.close()


def at_least(state, points, *, table=None, megabytes=64, threads=1, nodes=None, seconds=None, progress=None):
    """Return whether the value of a position is at least so many points, or None if a limit came first.

    One such question costs about a third of the value. Other parameters and errors as those of :func:`solve`.

    :param points: of side 0 less those of side 1.
    """
    check_state(state)
    check_int(points, "points")
    cdef Call call = Call(table, megabytes, threads, nodes, seconds, progress)
    cdef int answer
    state = (<State>state).clone()
    call.lower, call.upper = reach(state)
    try:
        call.open_table(table, megabytes, buckets_for(state), state)
        if not call.lower < points <= call.upper:
            return points <= call.lower
        call.add_helpers(threads)
        answer = call.ask(state, points)
        return None if answer == UNSURE else bool(answer)
    finally:
        call.close()


def solve_batch(states, *, line=False, threads=1, megabytes=16, nodes=None, seconds=None, progress=None):
    """Return the :class:`Solution` of each of many positions, in order.

    :param states: any number of states, of any rules with two sides.
    :param threads: threads, each of which solves positions of its own.
    :param megabytes: the table of each thread.
    :param nodes: about how many positions to search at most for each state.
    :param seconds: about how long to take at most for each state.

    Other parameters and errors as those of :func:`solve`.
    """
    if isinstance(states, (str, State)) or not hasattr(states, "__iter__"):
        raise TypeError(f"states must be an iterable of State, not {type(states).__name__}: {states!r}")
    states = list(states)
    for state in states:
        check_state(state)
    if not isinstance(line, bool):
        raise TypeError(f"line must be a bool, not {type(line).__name__}: {line!r}")
    cdef Batch batch = Batch.__new__(Batch)
    cdef Call call
    batch.states = [(<State>state).clone() for state in states]
    batch.line, batch.nodes = line, nodes
    batch.seconds = None if seconds is None else check_seconds(seconds)
    batch.found = [None] * len(states)
    batch.numbers = iter(range(len(states)))
    batch.taking = Lock()
    batch.calls = []
    check_threads(threads)
    try:
        for _ in range(min(threads, max(len(states), 1))):
            call = Call(None, megabytes, threads, nodes, seconds, progress if threads == 1 else None)
            call.total = len(states)
            batch.calls.append(call)
            call.open_table(None, megabytes, <size_t>1 << 40, None)
        if threads == 1:
            batch.work(batch.calls[0])
        else:
            batch.wait(progress)
        return batch.found
    finally:
        for call in batch.calls:
            call.close()


cdef class Batch:
    """The positions of a batch and the calls that work on them."""

    cdef list states, found, calls
    cdef object nodes, seconds, numbers, taking
    cdef bint line
    cdef int done

    def work(self, Call call):
        """Solve positions until there are none left."""
        cdef State state
        cdef object spent
        while not call.clock.halt:
            with self.taking:
                number = next(self.numbers, None)
            if number is None:
                return
            state = self.states[number]
            call.done = self.done
            begun, spent = now(), call.searcher.s.nodes
            call.clock.limited = False
            call.clock.most_nodes = <uint64_t>-1 if self.nodes is None else spent + self.nodes
            call.clock.deadline = 1e300 if self.seconds is None else begun + self.seconds
            # The first look at the clock sets the time of the next.
            call.searcher.s.poll_at = spent + 1
            call.lower, call.upper = reach(state)
            call.find_value(state)
            moves = call.find_line(state, call.lower) if self.line and call.lower == call.upper else ()
            self.found[number] = Solution(call.lower, call.upper, moves, call.searcher.s.nodes - spent, now() - begun)
            with self.taking:
                self.done += 1

    def wait(self, progress):
        """Let each call work in a thread of its own."""
        cdef Call call
        cdef double begun = now(), next_tell = begun + TELL
        workers = Workers(len(self.calls))
        try:
            tasks = [workers.submit(self.work, call) for call in self.calls]
            while True:
                finished, open_ = wait(tasks, timeout=LOOK)
                for task in finished:
                    task.result()
                if not open_:
                    return
                if progress is not None and now() >= next_tell:
                    next_tell = now() + TELL
                    total = 0
                    for call in self.calls[::-1]:
                        total += call.searcher.s.nodes
                    progress(Progress(call.lower, call.upper, total, now() - begun, self.done, len(self.states)))
        finally:
            # However this ends, the threads stop.
            for call in self.calls:
                call.clock.halt = True
            interrupt = workers.close()
            if interrupt is not None:
                raise interrupt


def evaluate(state, depth=4):
    """Return about what a position is worth: best play for some moves, then each seat plays the move that looks best.

    Takes a fraction of a millisecond for the usual depths, and is the value itself if the moves reach the end of the deal.

    :param depth: moves of best play, declarations included; 0 for none.
    :raises UnsolvableRulesError: if the rules have more than two sides (SEAT-2).
    :raises ValueError: if the depth is negative or absurd.
    """
    check_state(state)
    check_range(depth, "depth", 0, MAX_DEPTH)
    cdef Call call = Call(None, 0, 1, None, None, None)
    try:
        return call.estimate(state, depth)
    finally:
        call.close()


# -- checks and bounds ---------------------------------------------------------------------


def check_state(state):
    """Refuse what has no value."""
    if not isinstance(state, State):
        found = type(state)
        name = found.__qualname__ if found.__module__ == "builtins" else f"{found.__module__}.{found.__qualname__}"
        raise TypeError(f"state must be a State of the native engine, not {name}: {state!r}")
    check_two_sides((<State>state).native.rules)


cpdef object reach(State state):
    """Bounds that hold for any play: what each side gets if it sweeps with every card and wins all items."""
    cdef const RuleSet* rules = &state.native.c
    cdef int items, side, seat, cards, made = points_made(state)
    cdef uint64_t left = rules.pack & ~(state.c.cards[rules.seats] | state.c.cards[rules.seats + 1])
    cdef int most[2]
    if state.is_terminal():
        score = state.score().total
        return score[0] - score[1], score[0] - score[1]
    items = 3 + (rules.primiera != NO_PRIME) + rules.re_bello + rules.sette_coppe + rules.palle_del_cane + 5 * rules.grande
    items += rules.napola_max if rules.napola != NO_NAPOLA else 0
    for side in range(2):
        # Each side's share of the stock is the same.
        cards = state.c.stock_left // 2
        for seat in range(rules.seats):
            cards += popcount(state.c.cards[seat]) if rules.side_of[seat] == side else 0
        # SCO-4: all sweeps together are worth no more than the ranks, or the number, of the cards that are left.
        most[side] = items + (cards if rules.scopa_value == ONE else rank_sum(left) if rules.scopa_value == RANK else popcount(left))
        if rules.scopa_value == RANK and rules.matta:
            most[side] += rules.ranks
        # CIR-3: a hand of three declares 13 points at most.
        most[side] += 13 * (cards + 2) // 3 if rules.hand_bonus else 0
    return made - most[1], made + most[0]


cdef size_t buckets_for(State state):
    """Enough buckets for most positions; more only take time to clear."""
    cdef const RuleSet* rules = &state.native.c
    cdef int left = plays_left(rules, &state.c)
    return <size_t>1 << max(min(3 * left // 4, 11 + rules.seats if rules.hand == 3 else 30), 8)
