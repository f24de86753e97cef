"""Runs the experiments E1 to E13 and writes each beside its published figures: the tables of ``docs/experiments.md``.

    pip install ".[arena]" && python bench/experiments/run.py --write

Every deal between bots is kept in ``--folder``, so that a run that was stopped goes on where it was when the same command is given
again; the first Ctrl-C ends it after the deal at hand and shows what there is, the second at once. Results are the same for every
number of threads, but for bots that think for a time (E8).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

BENCH = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCH), str(BENCH.parent / "tests")]

from rich.console import Console  # noqa: E402
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: E402
from rich.table import Table  # noqa: E402
from rivals import ROOT, replace_between  # noqa: E402
from solver import commit  # noqa: E402

import scopa_fast as sf  # noqa: E402
from experiments.definitions import CHECKSUM, EXPERIMENTS, SEED, Experiment  # noqa: E402
from experiments.measure import Run, check_deals, run_part  # noqa: E402
from experiments.tables import Outcome, size_table  # noqa: E402
from scopa_fast.arguments import check_threads  # noqa: E402
from scopa_fast.cli.common import Interrupt  # noqa: E402
from scopa_fast.errors import ScopaError  # noqa: E402

PAGE = ROOT / "docs" / "experiments.md"
FOLDER = ROOT / ".benchmarks" / "experiments"
INTERRUPTED = 130


def run_experiment(experiment: Experiment, run: Run, deals: int | None = None, *, full: bool = False) -> Outcome:
    """Run an experiment, or go on with it.

    :param deals: deals of each pairing, or positions; by default those of the definition.
    :param full: whether those are the ones of the full size.
    """
    found = []
    for part in experiment.parts:
        size = deals or (part.full if full else part.deals)
        found.append(run_part(f"{experiment.id}-{part.name}", part, size, run))
    return Outcome(experiment, tuple(found))


def machine() -> str:
    """Return what it runs on, in a few words."""
    info = sf.cpu_info()
    return f"{info['processor'] or info['machine']}, {info['compiler']}, kernel level {info['level']}, Python {sys.version.split()[0]}"


def markdown_table(rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (rows[0], ["---"] * len(rows[0]), *rows[1:]))


def show(outcome: Outcome) -> None:
    """Print an experiment."""
    # Wide enough for every row, unless a person looks at it.
    out = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
    head, *rows = outcome.table()
    table = Table(*head, title=f"{outcome.experiment.id}: {outcome.experiment.title}", title_justify="left")
    for row in rows:
        table.add_row(*(text.replace("`", "").replace("[", "\\[") for text in row))
    out.print(table)
    for note in outcome.notes():
        out.print(note.replace("`", ""), markup=False, soft_wrap=True)
    out.print()


def parse() -> argparse.Namespace:
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < 1:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
        return int(text)

    names = [experiment.id for experiment in EXPERIMENTS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=names, metavar="ID", default=names, help=f"only these of {', '.join(names)}")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--deals", type=number, metavar="N", help="deals of each pairing, or positions, in all parts alike")
    size.add_argument("--full", action="store_true", help="the full size of each part, which may take hours")
    parser.add_argument("--threads", type=number, default=1, metavar="N", help="threads that play (default: 1)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for results (default: .benchmarks/experiments)")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/experiments.md")
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")
    options = parser.parse_args()
    try:
        check_threads(options.threads)
    except ValueError as error:
        parser.error(str(error))
    return options


def main() -> int:
    options = parse()
    check_deals()
    options.folder.mkdir(parents=True, exist_ok=True)
    console = Console(stderr=True)
    begun, found = time.perf_counter(), []
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    with Interrupt() as interrupt:
        run = Run(
            options.folder, options.threads, {"version": sf.__version__, "commit": commit(), "machine": machine()},
            stop=lambda: interrupt.requested,
        )  # fmt: skip
        for experiment in EXPERIMENTS:
            if experiment.id not in options.only or interrupt.requested:
                continue
            with bar:
                task = bar.add_task(experiment.id, total=None)
                run.progress = lambda what, done, total, name=experiment.id, task=task: bar.update(
                    task, description=f"{name} {what}", completed=done, total=total
                )
                try:
                    outcome = run_experiment(experiment, run, options.deals, full=options.full)
                except (ScopaError, OSError) as error:
                    console.print(f"{experiment.id}: {error}", markup=False, highlight=False, soft_wrap=True)
                    return 1
                except KeyboardInterrupt:  # the second one
                    return INTERRUPTED
                finally:
                    bar.remove_task(task)
            found.append(outcome)
            if not options.json:
                show(outcome)
    if options.json:
        print(json.dumps(report(found, time.perf_counter() - begun), indent=1))
    if options.write:
        replace_between(PAGE, "sizes", markdown_table(size_table()))
        for outcome in found:
            # What was stopped before it played every pairing has no table worth keeping.
            if all(part.done for part in outcome.found):
                replace_between(PAGE, outcome.experiment.id, outcome.markdown())
    if not all(outcome.is_complete for outcome in found) or len(found) < len(set(options.only)):
        kept = f"stopped; what was played is kept in {options.folder}, the same command goes on with it"
        console.print(kept, markup=False, highlight=False, soft_wrap=True)
        return INTERRUPTED
    return 0


def report(found: list[Outcome], seconds: float) -> dict[str, Any]:
    """Return everything, ready for JSON."""
    return {
        "seed": SEED, "deals_sha256": CHECKSUM, "versions": {"scopa_fast": sf.__version__, "python": sys.version.split()[0]},
        "commit": commit(), "machine": sf.cpu_info(), "load": os.getloadavg(), "seconds": round(seconds, 1),
        "experiments": [outcome.as_dict() for outcome in found],
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
