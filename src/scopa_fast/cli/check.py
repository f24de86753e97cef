"""``scopa-fast replay`` and ``verify``: games and worked cases against the rules."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from ..cases import CaseResult, read_cases, run_case
from ..engines import BACKENDS, find_engine
from ..errors import ScopaError
from ..records import Record
from .common import BAD_DATA, INTERRUPTED, Failure, JsonOption, emit, emit_json, emit_tables

__all__ = ["replay", "verify"]


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="Records, one JSON object a line.")],
    json_: JsonOption = False,
) -> None:
    """Check the moves of recorded games and show how each deal was scored; stop at the first bad record."""
    shown: list[dict[str, Any]] = []
    count = 0
    failure: Failure | None = None
    try:
        for record in find_engine().Record.from_file(file):
            count += 1
            if json_:
                shown.append(_replayed(record))
            else:
                emit("\n".join(_replay_lines(record)))
        if not count:
            failure = Failure(f"{file}: no records", BAD_DATA)
    except (ScopaError, OSError) as error:
        failure = Failure(error, BAD_DATA)
    except KeyboardInterrupt:
        failure = Failure(f"interrupted after {count} records", INTERRUPTED)
    if json_:
        emit_json({"file": str(file), "valid": failure is None, "records": shown, "error": str(failure) if failure else None})
    if failure:
        raise failure
    if not json_:
        emit(f"{count} record{'s' * (count != 1)}: every move is legal")


def _replayed(record: Record) -> dict[str, Any]:
    state = record.final_state()
    score = state.score() if state.is_terminal() else None
    return {
        "id": record.id, "rules": record.rules.text, "players": record.players, "moves": len(record.moves), "finished": score is not None,
        "total": score and score.total, "points": score and dict(score.points), "explanation": score and score.explain(),
    }


def _replay_lines(record: Record) -> list[str]:
    state = record.final_state()
    players = f", {' '.join(record.players)}" if record.players else ""
    head = f"{record.id} ({record.rules.text}{players})"
    if not state.is_terminal():
        return [f"{head}: not finished, {state.plays_left} cards to play"]
    return [f"{head}:", *[f"  {line}" for line in state.score().explain()]]


def verify(
    file: Annotated[Path, typer.Argument(metavar="CASES.json", exists=True, dir_okay=False, help="Worked cases, or records of games.")],
    backend: Annotated[Literal["native", "reference", "both"], typer.Option("--backend", help="The engines to check.")] = "native",
    json_: JsonOption = False,
) -> None:
    """Run worked cases and show which came out otherwise than expected."""
    try:
        cases = list(read_cases(file))
    except (ScopaError, OSError) as error:
        raise Failure(error, BAD_DATA) from None
    if not cases:
        raise Failure(f"{file}: no cases", BAD_DATA)
    results: dict[str, list[CaseResult]] = {name: [] for name in (BACKENDS if backend == "both" else (backend,))}
    interrupted = False
    try:
        for name, found in results.items():
            engine = find_engine(name)
            for case in cases:
                found.append(run_case(case, engine))
    except KeyboardInterrupt:  # the cases that are finished are shown
        interrupted = True
    failed = sum(not result.passed for found in results.values() for result in found)
    if json_:
        summaries = {name: _summary(found) for name, found in results.items()}
        emit_json({"file": str(file), "cases": len(cases), "failed": failed, "backends": summaries})
    else:
        emit_tables(_verify_table(results), *_failure_lines(results))
    if interrupted:
        done = sum(len(found) for found in results.values())
        raise Failure(f"interrupted after {done} of {len(cases) * len(results)} runs of a case", INTERRUPTED)
    if failed:
        raise typer.Exit(BAD_DATA)


def _summary(results: list[CaseResult]) -> dict[str, Any]:
    passed, failed = _counts(results)
    return {
        "kinds": {kind: {"passed": passed[kind], "failed": failed[kind]} for kind in passed | failed},
        "failures": [
            {"id": result.id, "kind": result.kind, "expected": result.expected, "got": result.got, "error": result.error or None}
            for result in results if not result.passed
        ],
    }


def _counts(results: list[CaseResult]) -> tuple[Counter[str], Counter[str]]:
    return Counter(r.kind for r in results if r.passed), Counter(r.kind for r in results if not r.passed)


def _verify_table(results: dict[str, list[CaseResult]]) -> Table:
    table = Table()
    for title in ("backend", "kind", "passed", "failed"):
        table.add_column(title, justify="left" if title in ("backend", "kind") else "right")
    for name, found in results.items():
        passed, failed = _counts(found)
        for kind in passed | failed:
            table.add_row(name, kind, str(passed[kind]), str(failed[kind]), style="red" if failed[kind] else "")
        style = "bold red" if failed.total() else "bold"
        table.add_row(name, "all", str(passed.total()), str(failed.total()), style=style, end_section=True)
    return table


def _failure_lines(results: dict[str, list[CaseResult]]) -> list[Text]:
    lines = []
    for name, found in results.items():
        for result in found:
            if result.error:
                lines.append(f"{name} {result.kind} {result.id}: {result.error}")
            elif not result.passed:
                lines.append(f"{name} {result.kind} {result.id}:")
                for key, expected in result.expected.items():
                    lines.append(f"  {key}: expected {json.dumps(expected)}, got {json.dumps(result.got[key])}")
    return [Text("\n".join(lines))] if lines else []
