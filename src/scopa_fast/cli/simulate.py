"""``scopa-fast simulate``: many deals, and who won them with what."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ..bots import split_bots
from ..errors import ScopaError
from ..records import Record
from ..results import PlayoutTotals
from ..rules import Rules
from ..sim import Report, Simulation, seat_bots, share_interval
from .common import (
    INTERRUPTED,
    Failure,
    Interrupt,
    JsonOption,
    RulesOption,
    SeedOption,
    SetOption,
    emit_json,
    emit_tables,
    parse_rules_options,
    progress_bar,
    whole_number,
)

__all__ = ["simulate"]

MULTI_POINT = ("napola", "grande", "scopa", "bonus")
"""Items that can be worth more than a point, so that how often they are won does not say it all."""


def simulate(
    rules: RulesOption = "scopa",
    set_: SetOption = None,
    deals: Annotated[int, typer.Option("--deals", metavar="N", parser=whole_number(1, 1 << 53), help="Deals to play.")] = 100_000,
    seed: SeedOption = None,
    bots: Annotated[
        str, typer.Option("--bots", metavar="NAMES", help="Players: one for all, one for each side or one for each seat.")
    ] = "random",
    dealer: Annotated[
        str | None, typer.Option("--dealer", metavar="SEAT", help="The seat that deals, or 'rotate'. \\[default: the last seat]")
    ] = None,
    declarations: Annotated[
        str, typer.Option("--declarations", metavar="HOW", help="Hands that random players may declare: never, always or uniform.")
    ] = "never",
    records: Annotated[Path | None, typer.Option("--records", metavar="FILE", help="Write each deal to a file as a JSON line.")] = None,
    threads: Annotated[
        int, typer.Option("--threads", metavar="N", parser=whole_number(1, 1024), help="Worker threads, if all are random.")
    ] = 1,
    json_: JsonOption = False,
) -> None:
    """Play many deals (with a fresh seed unless told) and count wins, ties, points, and who makes each point."""
    plan = _plan(parse_rules_options(rules, set_), deals, seed, bots, dealer, declarations, threads)
    begun = time.perf_counter()
    with _record_writer(records) as write, _progress(deals) as advance, Interrupt() as interrupt:
        totals: PlayoutTotals | None = None
        for chunk in plan.run(write):
            totals = chunk if totals is None else totals + chunk
            advance(chunk.deals)
            if interrupt.requested:
                break
    assert totals is not None  # a plan has at least one deal
    report = Report(plan, totals, max(time.perf_counter() - begun, 1e-9))
    if json_:
        emit_json(report.as_dict())
    else:
        emit_tables(*_tables(report))
    if not report.is_complete:
        raise typer.Exit(INTERRUPTED)


def _plan(rules: Rules, deals: int, seed: int | None, bots: str, dealer: str | None, declarations: str, threads: int) -> Simulation:
    if dealer is None or dealer == "rotate":
        who: int | Literal["rotate"] | None = "rotate" if dealer else None
    elif dealer.isascii() and dealer.isdigit():
        who = int(dealer)
    else:
        raise Failure(f"--dealer {dealer!r} is neither a seat number nor 'rotate'")
    try:
        players = seat_bots(rules, split_bots(bots), declarations=declarations)
        # 32 bits: short enough to type again.
        return Simulation(rules, deals, secrets.randbits(32) if seed is None else seed, players, dealer=who, threads=threads)
    except ScopaError as error:
        raise Failure(error) from None


@contextlib.contextmanager
def _record_writer(path: Path | None) -> Iterator[Callable[[Record], object] | None]:
    """Give a function that writes a record as a line; line by line, so that a file cut short still ends with a whole one."""
    if path is None:
        yield None
        return
    try:
        with path.open("w", encoding="utf-8", newline="\n", buffering=1) as file:
            yield lambda record: file.write(record.to_json() + "\n")
    except OSError as error:
        raise Failure(f"cannot write --records {str(path)!r}: {error.strerror}") from None


@contextlib.contextmanager
def _progress(deals: int) -> Iterator[Callable[[int], object]]:
    with progress_bar(TextColumn("deals"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as progress:
        task = progress.add_task("deals", total=deals)
        yield lambda count: progress.advance(task, count)


# The tables.


def _tables(report: Report) -> list[Table | Text]:
    plan, totals = report.simulation, report.totals
    n = totals.deals
    dealer = "rotating" if plan.dealer == "rotate" else f"seat {plan.dealer_of(0)}"
    lines = [
        f"{totals.rules.text}: {n:,} deals, seed {plan.seed}, dealer {dealer}",
        f"{report.seconds:.2f} s: {n / report.seconds:,.0f} deals/s, {totals.plays / report.seconds:,.0f} plays/s"
        + (f", {totals.voids:,} void deals dealt again" if totals.voids else ""),
        "± is half a 95 % interval. Repeat with --seed " + str(plan.seed),
    ]
    if not report.is_complete:
        lines.insert(1, f"INTERRUPTED: {n:,} of {plan.deals:,} deals were finished, and these are their totals")
    return [Text(lines[0], style="bold"), *([Text(lines[1], style="bold red")] if not report.is_complete else []),
            _sides_table(report), _items_table(report), *[Text(line) for line in lines[-2:]]]


def _sides_table(report: Report) -> Table:
    data, totals = report.as_dict(), report.totals
    table = Table()
    for name in ("side", "seats", "players"):
        table.add_column(name)
    for name in ("wins", "win %", "points per deal", "scope per deal" if totals.rules.scopa_value == "one" else "scopa points per deal"):
        table.add_column(name, justify="right")
    for side in data["sides"]:
        table.add_row(
            str(side["side"]), " ".join(map(str, side["seats"])), " ".join(side["bots"]), f"{side['wins']:,}",
            _share(side["wins"], totals.deals), _mean(side["points_per_deal"], side["points_interval"]),
            f"{side['scopa_points_per_deal']:.3f}",
        )
    table.add_row("tie", "", "", f"{totals.ties:,}", _share(totals.ties, totals.deals), "", "", end_section=True)
    if "margin_per_deal" in data:
        table.add_row("0 minus 1", "", "", "", "", _mean(data["margin_per_deal"], data["margin_interval"]), "")
    return table


def _items_table(report: Report) -> Table:
    totals, n = report.totals, report.totals.deals
    table = Table()
    table.add_column("point")
    for side in range(len(totals.rules.sides)):
        table.add_column(f"side {side}", justify="right")
    table.add_column("nobody", justify="right")
    for item in report.items():
        nobody = report.nobody(item)
        table.add_row(item, *[f"{100 * won / n:.1f} %" for won in totals.won[item]], "" if nobody is None else f"{100 * nobody / n:.1f} %")
    for item in report.items():
        if item in MULTI_POINT:
            table.add_row(f"{item}, points per deal", *[f"{points / n:.3f}" for points in totals.items[item]], "")
    return table


def _share(count: int, n: int) -> str:
    low, high = share_interval(count, n)
    return f"{100 * count / n:.2f} ± {50 * (high - low):.2f}"


def _mean(mean: float, interval: tuple[float, float] | None) -> str:
    return f"{mean:.3f}" + (f" ± {(interval[1] - interval[0]) / 2:.3f}" if interval else "")
