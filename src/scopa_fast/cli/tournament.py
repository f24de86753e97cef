"""``scopa-fast tournament``: bots that play each other on the same cards in every seating, and who is how much better."""

from __future__ import annotations

import contextlib
import math
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ..arguments import MAX_THREADS
from ..bots import split_bots
from ..errors import ScopaError
from ..rules import Rules
from ..sim import Entrant, FrozenDeals, ResultFile, Results, SequentialTest, Tournament, share_interval
from ..sim.result_file import read_seed
from .common import (
    BAD_DATA,
    INTERRUPTED,
    Failure,
    Interrupt,
    JsonOption,
    NewRulesOption,
    SeedOption,
    SetOption,
    emit_json,
    emit_tables,
    parse_rules_options,
    progress_bar,
    quoted,
    whole_number,
)
from .picture import new_figure, save_figure

if TYPE_CHECKING:
    from ..sim.standings import Outcomes, Standings

__all__ = ["tournament"]

DEALS = 1000


def _parse_number(word: str | float) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise typer.BadParameter(f"{quoted(str(word))} is not a number")
    return number


def tournament(
    bots: Annotated[str, typer.Option("--bots", metavar="NAMES", help="Who plays: 'random,greedy,ismcts\\[iterations=1000]'.")],
    rules: NewRulesOption = None,
    set_: SetOption = None,
    deals: Annotated[
        int | None, typer.Option("--deals", metavar="N", parser=whole_number(1, 1 << 53), help="Deals of each pairing. \\[default: 1000]")
    ] = None,
    seed: SeedOption = None,
    against: Annotated[
        str, typer.Option("--against", metavar="all|last|BOT", help="Whom each bot is measured by: all and itself, or one of them.")
    ] = "all",
    threads: Annotated[int, typer.Option("--threads", metavar="N", parser=whole_number(1, MAX_THREADS), help="Threads that play.")] = 1,
    results: Annotated[
        Path | None, typer.Option("--results", metavar="FILE", help="Keep each deal in a file, and go on from what it holds.")
    ] = None,
    deals_file: Annotated[
        Path | None, typer.Option("--deals-file", metavar="FILE", help="Play the frozen deals of a file; made if there is none.")
    ] = None,
    sprt: Annotated[bool, typer.Option("--sprt", help="End a pairing when a sequential test decides.")] = False,
    h0: Annotated[
        float | None, typer.Option("--h0", metavar="POINTS", parser=_parse_number, help="The lead if there is none. \\[default: 0]")
    ] = None,
    h1: Annotated[
        float | None, typer.Option("--h1", metavar="POINTS", parser=_parse_number, help="The lead that it looks for. \\[default: 0.1]")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", metavar="P", parser=_parse_number, help="How often h1 may win wrongly. \\[default: 0.05]")
    ] = None,
    beta: Annotated[
        float | None, typer.Option("--beta", metavar="P", parser=_parse_number, help="How often h0 may win wrongly. \\[default: 0.05]")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the points each pairing is apart.")] = None,
    json_: JsonOption = False,
) -> None:
    """Let bots play the same deals in every seating and find who wins how much."""
    try:
        # Late, because numpy and scipy take long to load.
        from ..sim.standings import Standings, load_libraries

        load_libraries()
    except ImportError as error:
        raise Failure(error) from None
    figure = new_figure(plot) if plot else None
    settings = {name: value for name, value in (("low", h0), ("high", h1), ("alpha", alpha), ("beta", beta)) if value is not None}
    if settings and not sprt:
        raise Failure("--h0, --h1, --alpha and --beta are for --sprt")
    try:
        test = SequentialTest(**settings) if sprt else None
        entrants = tuple(Entrant.from_text(text) for text in split_bots(bots))
    except ScopaError as error:
        raise Failure(error) from None
    chosen = parse_rules_options(rules or "scopa", set_) if rules is not None or set_ else None
    if seed is None and results is not None and (deals_file is None or not deals_file.exists()):
        # The same command goes on with the same cards.
        try:
            seed = read_seed(results)
        except OSError as error:
            raise Failure(f"cannot use --results {str(results)!r}: {error.strerror}") from None
    frozen = _freeze(deals_file, chosen, deals, seed) if deals_file is not None else None
    try:
        plan = Tournament(
            chosen or (frozen.rules if frozen else parse_rules_options("scopa", None)), entrants,
            deals or (len(frozen) if frozen else DEALS),
            # 32 bits: short enough to type again.
            seed if seed is not None else frozen.seed if frozen else secrets.randbits(32),
            against=_find_opponent(against, entrants), test=test, frozen=frozen, threads=threads,
        )
    except ScopaError as error:
        raise Failure(error) from None
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(_open(results, plan)) if results is not None else None
        found = file.results if file else Results(plan)
        _run(plan, found, file, results)
    if not any(map(found.deals, range(len(plan.pairings)))):
        raise Failure("interrupted before the end of the first deal", INTERRUPTED)
    standings = Standings(found)
    if json_:
        emit_json(standings.as_dict())
    else:
        emit_tables(*_tables(standings, deals_file))
    if figure and plot:
        _draw(figure, standings, plot)
    if not standings.is_complete:
        raise typer.Exit(INTERRUPTED)


def _freeze(path: Path, rules: Rules | None, deals: int | None, seed: int | None) -> FrozenDeals:
    """Return the frozen deals of a file; if there is none it is made."""
    try:
        return FrozenDeals.read(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise Failure(f"cannot read --deals-file {str(path)!r}: {error.strerror}") from None
    made = FrozenDeals.make(rules or "scopa", deals or DEALS, secrets.randbits(32) if seed is None else seed)
    try:
        made.write(path)
    except OSError as error:
        raise Failure(f"cannot write --deals-file {str(path)!r}: {error.strerror}") from None
    return made


def _find_opponent(against: str, entrants: tuple[Entrant, ...]) -> int | None:
    labels = [entrant.label for entrant in entrants]
    if against in ("all", "last"):
        return None if against == "all" else len(labels) - 1
    if against.strip() not in labels:
        raise Failure(f"--against {quoted(against)} is neither 'all' nor 'last' nor one of the bots: {', '.join(labels)}")
    return labels.index(against.strip())


def _open(path: Path, plan: Tournament) -> ResultFile:
    try:
        return ResultFile(path, plan)
    except OSError as error:
        raise Failure(f"cannot use --results {str(path)!r}: {error.strerror}") from None


def _run(plan: Tournament, found: Results, file: ResultFile | None, path: Path | None) -> None:
    """Play to the end or to a Ctrl-C, after which what is finished is there."""
    total = plan.deals * len(plan.pairings)

    def leave() -> NoReturn:
        # No thread can be made to end a move; each result is in the file by now, and half a line is dropped when it is read.
        bar.stop()
        os._exit(INTERRUPTED)

    bar = progress_bar(TextColumn("deals"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with bar, Interrupt(leave) as interrupt:
        task = bar.add_task("deals", total=total, completed=found.slot or 0)
        try:
            plan.run(
                found, write=file.write if file else None, stop=lambda: interrupt.requested,
                progress=lambda now: bar.update(task, completed=total if now.slot is None else now.slot),
            )
        except OSError as error:
            raise Failure(f"cannot write --results {str(path)!r}: {error.strerror}") from None
        except ScopaError as error:
            raise Failure(error, BAD_DATA) from None


# The tables.


def _tables(standings: Standings, deals_file: Path | None) -> list[Table | Text]:
    plan = standings.tournament
    sides = len(plan.rules.sides)
    cards = f"seed {plan.seed}"
    if plan.frozen is not None:
        cards += f", frozen in {deals_file} (SHA-256 {plan.frozen.checksum[:12]})"
    parts: list[Table | Text] = [
        Text(f"{plan.rules.text}: up to {plan.deals:,} deals of each pairing, each deal in {sides} seatings; {cards}", style="bold")
    ]
    if not standings.is_complete:
        parts.append(Text(f"INTERRUPTED before {standings.results.expected()}", style="bold red"))
    parts += [_outcomes_table(standings), _leads_table(standings)]
    if len(plan.entrants) > 2 and plan.against is None:
        parts.append(_cross_table(standings))
    parts.append(_pool_table(standings))
    seconds, moves = sum(standings.results.seconds), sum(standings.results.moves)
    parts += [
        Text("In brackets: 95 % intervals. Points are per deal, those of the others taken off. Repeat with --seed " + str(plan.seed)
             + ("" if plan.is_repeatable else ", but bots that think for a time play otherwise every time")),
        Text(f"{moves:,} moves in {seconds:.2f} s of playing"),
    ]
    return parts


def _outcomes_table(standings: Standings) -> Table:
    table = Table()
    for title in ("pairing", "of the first", "games", "wins %", "losses %", "ties %"):
        table.add_column(title, justify="left" if title in ("pairing", "of the first") else "right")
    for pairing in standings.pairings:
        for side, outcomes in enumerate(pairing.sides):
            # A name is a Text, lest its brackets be read as markup.
            table.add_row(Text("" if side else pairing.name), f"on side {side}", *_outcome_cells(outcomes))
        table.add_row("", "on all sides", *_outcome_cells(pairing.all_sides), style="bold", end_section=True)
    return table


def _outcome_cells(outcomes: Outcomes) -> list[str]:
    return [f"{outcomes.games:,}", *[_share(count, outcomes.games) for count in (outcomes.wins, outcomes.losses, outcomes.ties)]]


def _share(count: int, games: int) -> str:
    low, high = share_interval(count, games)
    return f"{100 * count / games:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _leads_table(standings: Standings) -> Table:
    test = standings.tournament.test
    gain = 0.1 if test is None else test.high - test.low
    table = Table()
    for title in ("pairing", "deals", "points", "95 % interval", "sd", f"deals to see {gain:g}"):
        table.add_column(title, justify="left" if title == "pairing" else "right")
    if test is not None:
        table.add_column("test")
    for pairing in standings.pairings:
        low, high = pairing.interval or (math.nan, math.nan)
        row: list[str | Text] = [
            Text(pairing.name), f"{pairing.deals:,}", f"{pairing.lead:+.3f}",
            *(["", "", ""] if pairing.sd is None else [f"{low:+.3f} .. {high:+.3f}", f"{pairing.sd:.2f}", f"{pairing.needed:,}"]),
        ]
        if test is not None:
            row.append(_verdict(test, pairing.decision, pairing.evidence))
        table.add_row(*row)
    return table


def _verdict(test: SequentialTest, decision: str | None, evidence: float | None) -> str:
    if evidence is None:
        return "not tested"
    if decision is None:
        low, high = test.bounds
        return f"open: {evidence:+.2f} in {low:+.2f} .. {high:+.2f}"
    kept, dropped = (test.high, test.low) if decision == "high" else (test.low, test.high)
    return f"a lead of {kept:+g} accepted, {dropped:+g} rejected"


def _cross_table(standings: Standings) -> Table:
    table = Table()
    labels = [entrant.label for entrant in standings.tournament.entrants]
    table.add_column("points, win % of")
    for label in labels:
        table.add_column(Text(f"v {label}"), justify="right")
    for label, leads, shares in zip(labels, standings.leads, standings.shares, strict=True):
        cells = ["" if math.isnan(lead) else f"{lead:+.3f}  {100 * share:5.1f}" for lead, share in zip(leads, shares, strict=True)]
        table.add_row(Text(label), *cells)
    return table


def _pool_table(standings: Standings) -> Table:
    table = Table()
    for title in ("bot, averaged over its pairings", "rating", "wins %", "losses %", "ties %", "own points", "points"):
        table.add_column(title, justify="left" if title.startswith("bot") else "right")
    for standing in sorted(standings.pool, key=lambda standing: -standing.rating):
        table.add_row(
            Text(standing.label), f"{standing.rating:+.0f}", f"{100 * standing.wins:.1f}", f"{100 * standing.losses:.1f}",
            f"{100 * standing.ties:.1f}", f"{standing.points:.3f}", f"{standing.lead:+.3f}",
        )
    return table


def _draw(figure: Any, standings: Standings, path: Path) -> None:
    """Draw by how many points the first of each pairing is ahead, with the 95 % interval."""
    shown = [pairing for pairing in standings.pairings if not pairing.is_self] or standings.pairings
    figure.set_size_inches(10, 1.5 + 0.5 * len(shown))
    axes = figure.subplots()
    for place, pairing in enumerate(shown):
        low, high = pairing.interval or (pairing.lead, pairing.lead)
        reach = [[max(0.0, pairing.lead - low)], [max(0.0, high - pairing.lead)]]
        axes.errorbar([pairing.lead], [place], xerr=reach, fmt="o", capsize=4, color="C0")
    axes.axvline(0, color="0.6")
    axes.set_yticks(range(len(shown)), [f"{pairing.name} ({pairing.deals:,} deals)" for pairing in shown])
    axes.invert_yaxis()
    axes.margins(y=0.2)
    plan = standings.tournament
    axes.set(title=f"{plan.rules.text}, seed {plan.seed}", xlabel="points a deal that the first is ahead, with the 95 % interval")
    axes.grid(alpha=0.3, axis="x")
    save_figure(figure, path)
