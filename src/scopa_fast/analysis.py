"""What each play of a recorded deal cost: every position solved move by move, from the last one back.

Late positions are cheap, and what they leave in the table is what the earlier ones look up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import cast

from .arguments import check_megabytes, check_nodes, check_progress, check_seconds, check_threads, check_two_sides
from .core import Record, State
from .core.solver import solve_moves
from .core.transpositions import SolverTable, check_table
from .errors import ScopaError
from .solutions import Analysis, MoveValues, PlayAnalysis, Progress

__all__ = ["analyse", "analyse_plays"]


def analyse(
    record: Record,
    *,
    table: SolverTable | None = None,
    megabytes: int = 64,
    threads: int = 1,
    nodes: int | None = None,
    seconds: float | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Analysis:
    """Return what each move of a record cost its side, in points and with every card open.

    The deal need not be finished: its deck tells the order of the stock. A declaration is a move like any other (CIR-4). The
    limits are for the whole analysis, which ends at the first move from the end that one leaves open: that move, with its bounds,
    and those after it are the plays of the answer. A Ctrl-C loses them; :func:`analyse_plays` hands them out as they come.

    :param table: a table to use and to keep, by default a new one of ``megabytes``.
    :param threads: threads of each search; the values do not depend on them.
    :param nodes: about how many positions to search at most.
    :param seconds: about how long to take at most.
    :param progress: called after each move, and about twice a second while one takes longer.
    :raises UnsolvableRulesError: if the rules have more than two sides (SEAT-2).
    :raises ScopaError: if the record has no moves.
    """
    total = len(record.moves) if isinstance(record, Record) else 0
    plays = analyse_plays(record, table=table, megabytes=megabytes, threads=threads, nodes=nodes, seconds=seconds, progress=progress)
    found = tuple(plays)[::-1]
    return Analysis(record.rules, total, found)


def analyse_plays(
    record: Record,
    *,
    table: SolverTable | None = None,
    megabytes: int = 64,
    threads: int = 1,
    nodes: int | None = None,
    seconds: float | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Iterator[PlayAnalysis]:
    """Yield each play of :func:`analyse` once it is done, the last one first, so that a Ctrl-C loses none but the one at hand.

    Bad arguments are refused at once, the work begins with the first play that is asked for.

    :raises UnsolvableRulesError: if the rules have more than two sides (SEAT-2).
    :raises ScopaError: if the record has no moves.
    """
    if not isinstance(record, Record):
        raise TypeError(f"record must be a Record of the native engine, not {type(record).__name__}: {record!r}")
    check_two_sides(record.rules)
    check_table(table)
    check_megabytes(megabytes)
    check_threads(threads)
    if nodes is not None:
        check_nodes(nodes)
    if seconds is not None:
        seconds = check_seconds(seconds)
    check_progress(progress)
    if not record.moves:
        raise ScopaError(f"no moves to analyse in the record {record.id!r}")
    return _solve_plays(record, SolverTable(megabytes) if table is None else table, threads, nodes, seconds, progress)


def _solve_plays(
    record: Record,
    table: SolverTable,
    threads: int,
    nodes: int | None,
    seconds: float | None,
    progress: Callable[[Progress], object] | None,
) -> Iterator[PlayAnalysis]:
    begun = time.perf_counter()
    deadline = begun + (seconds or 0)
    plays = list(enumerate(zip(cast(Iterator[State], record.states()), record.moves, strict=False)))  # one state more than moves
    searched = done = 0

    def report(found: Progress | MoveValues) -> None:
        if progress is not None:
            elapsed = time.perf_counter() - begun
            progress(Progress(found.lower, found.upper, searched + found.nodes, elapsed, done, len(plays)))

    told = None if progress is None else report
    for number, (state, move) in reversed(plays):
        values = solve_moves(state, table=table, threads=threads, nodes=nodes, seconds=seconds, progress=told)
        done += 1
        report(values)
        searched += values.nodes
        yield PlayAnalysis(number, state.seat, state.side, move, values)
        if nodes is not None:
            nodes -= values.nodes
        if seconds is not None:
            seconds = deadline - time.perf_counter()
        if not values.solved or (nodes is not None and nodes <= 0) or (seconds is not None and seconds <= 0):
            return
