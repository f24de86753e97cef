"""``scopa-fast solve`` and ``analyse``: what a position is worth with every card open, and what each play of a deal cost."""

from __future__ import annotations

import math
import time
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ..arguments import MAX_MEGABYTES, MAX_NODES, MAX_THREADS
from ..engines import find_engine
from ..errors import ScopaError
from ..protocol import DealState
from ..records import Record
from ..solutions import Analysis, MoveValues, PlayAnalysis, Progress, Solution
from .advice import advice_data, advice_texts
from .common import (
    BAD_DATA,
    INTERRUPTED,
    Failure,
    JsonOption,
    NewRulesOption,
    SeedOption,
    SetOption,
    emit_json,
    emit_tables,
    new_deal,
    progress_bar,
    quoted,
    whole_number,
)
from .picture import new_figure, save_figure

__all__ = ["analyse", "solve"]

ALTERNATIVES = 3
"""Best moves that the table of plays names; the others are counted."""


def _parse_seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise typer.BadParameter(f"{quoted(word)} is not a number of seconds")
    return seconds


RecordOption = Annotated[int | None, typer.Option("--record", metavar="N", parser=whole_number(1), help="Which record. \\[default: 1]")]
NodesOption = Annotated[
    int | None, typer.Option("--nodes", metavar="N", parser=whole_number(1, MAX_NODES), help="Stop after so many positions.")
]
SecondsOption = Annotated[float | None, typer.Option("--seconds", metavar="S", parser=_parse_seconds, help="Stop after so long.")]
MegabytesOption = Annotated[
    int, typer.Option("--megabytes", metavar="N", parser=whole_number(0, MAX_MEGABYTES), help="Memory for positions that were searched.")
]
ThreadsOption = Annotated[int, typer.Option("--threads", metavar="N", parser=whole_number(1, MAX_THREADS), help="Threads that search.")]


def _stop(interrupted: bool) -> str:
    return "INTERRUPTED" if interrupted else "LIMIT REACHED"


def _no_memory(megabytes: int) -> str:
    return f"--megabytes {megabytes}: there is not so much memory"


# solve


def solve(
    position: Annotated[
        str | None, typer.Argument(metavar="POSITION|RECORD", help="A position text, or a file of records; none for a new deal.")
    ] = None,
    rules: NewRulesOption = None,
    set_: SetOption = None,
    seed: SeedOption = None,
    record: RecordOption = None,
    ply: Annotated[
        int | None, typer.Option("--ply", metavar="N", parser=whole_number(0), help="Moves of the record to play first. \\[default: 0]")
    ] = None,
    moves: Annotated[bool, typer.Option("--moves", help="Find the value of each legal move instead of a best line.")] = False,
    nodes: NodesOption = None,
    seconds: SecondsOption = None,
    megabytes: MegabytesOption = 64,
    threads: ThreadsOption = 1,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Keep the work in a file, and go on from what it holds.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Find the points of side 0 minus side 1 that best play leads to with every card open, and a line of such play."""
    if moves and save:
        raise Failure(f"--save {str(save)!r} does not go with --moves")
    if position is None and (record or ply is not None):
        raise Failure("--record and --ply are for a file of records, and there is none")
    state: DealState = new_deal(position, rules, set_, seed, find_engine()) or _find_state(position or "", record, ply)
    options: dict[str, Any] = {"nodes": nodes, "seconds": seconds, "megabytes": megabytes, "threads": threads}
    found: Solution | MoveValues | None
    interrupted = False
    with _Watch("moves") as watch:
        try:
            if moves:
                found = find_engine().solve_moves(state, **options, progress=watch)
            else:
                found = find_engine().solve(state, **options, save=save, progress=watch)
        except KeyboardInterrupt:  # the bounds that are proven are shown
            interrupted, last = True, watch.last
            if last and last.moves:
                found = MoveValues(last.moves, last.lower, last.upper, last.nodes, last.seconds)
            else:
                found = Solution(last.lower, last.upper, (), last.nodes, last.seconds) if last else None
        except OSError as error:
            raise Failure(f"cannot use --save {str(save)!r}: {error.strerror}") from None
        except MemoryError:
            raise Failure(_no_memory(megabytes)) from None
    if json_:
        turn = {} if state.is_terminal() else {"seat": state.seat, "side": state.side}
        emit_json({"position": str(state), **turn, "complete": not interrupted} | (_solved(found) if found else {}))
    else:
        turn_text = "the deal is over" if state.is_terminal() else f"seat {state.seat} of side {state.side} is to move"
        emit_tables(Text(str(state)), Text(turn_text), *(_solve_parts(found, interrupted) if found else ()))
    if interrupted:
        raise Failure("interrupted" + (f" after {found.seconds:.1f} s" if found else ""), INTERRUPTED)


def _find_state(text: str, number: int | None, ply: int | None) -> DealState:
    """Return the state of a position text, or one of a record in a file."""
    if " " in text and "=" in text:  # as in every position, and hardly in a file's name
        if number is not None or ply is not None:
            raise Failure(f"--record and --ply are for a file of records, not for the position {quoted(text)}")
        try:
            state: DealState = find_engine().State.from_text(text)
        except ScopaError as error:
            raise Failure(error) from None
        return state
    file = Path(text)
    try:
        found = file.is_file()
    except OSError:  # too long for a name
        found = False
    if not found:
        raise Failure(f"{quoted(text)} is neither a position nor a file")
    record = _read_record(file, number)
    ply = ply or 0
    if ply > len(record.moves):
        raise Failure(f"--ply {ply}: there are {len(record.moves)} moves in the record {record.id} of {text}")
    return next(islice(record.states(), ply, None))


def _read_record(file: Path, number: int | None) -> Record:
    number = number or 1
    try:
        record: Record | None = next(islice(find_engine().Record.from_file(file), number - 1, None), None)
    except (ScopaError, OSError) as error:
        raise Failure(error, BAD_DATA) from None
    if record is None:
        raise Failure(f"{file}: no record {number}", BAD_DATA)
    return record


def _solved(found: Solution | MoveValues) -> dict[str, Any]:
    value = found.lower if found.lower == found.upper else None
    data = {
        "solved": found.solved, "value": value, "lower": found.lower, "upper": found.upper,
        "nodes": found.nodes, "seconds": found.seconds,
    }
    if isinstance(found, MoveValues):
        return data | {"moves": _move_values(found)}
    return data | {"line": [str(move) for move in found.line]}


def _move_values(values: MoveValues) -> list[dict[str, Any]]:
    return [{"move": str(value.move), "lower": value.lower, "upper": value.upper, "best": value.best} for value in values.moves]


def _solve_parts(found: Solution | MoveValues, interrupted: bool) -> list[Table | Text]:
    parts: list[Table | Text] = [
        Text(f"value {_points(found.lower, found.upper)}: points of side 0 minus side 1", style="bold"),
        Text(f"{found.nodes:,} positions in {found.seconds:.3f} s"),
    ]
    if not found.solved:
        parts.insert(1, Text(f"{_stop(interrupted)}: a value lies within its proven bounds", style="bold red"))
    if isinstance(found, MoveValues) and found.moves:
        parts.append(_moves_table(found))
    elif isinstance(found, Solution) and found.line:
        parts.append(Text(f"best line: {' '.join(map(str, found.line))}"))
    return parts


def _moves_table(values: MoveValues) -> Table:
    table = Table()
    table.add_column("move")
    table.add_column("value", justify="right")
    table.add_column("")
    for value in values.moves:
        table.add_row(str(value.move), _points(value.lower, value.upper), "best" if value.best else "", style="bold" if value.best else "")
    return table


def _points(lower: int, upper: int) -> str:
    return f"{lower:+d}" if lower == upper else f"{lower:+d}..{upper:+d}"


# analyse


def analyse(
    file: Annotated[Path, typer.Argument(metavar="RECORD", exists=True, dir_okay=False, help="A file of records.")],
    record: RecordOption = None,
    nodes: NodesOption = None,
    seconds: SecondsOption = None,
    megabytes: MegabytesOption = 64,
    threads: ThreadsOption = 1,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the value over the plays.")] = None,
    advice: Annotated[bool, typer.Option("--advice", help="Say what traditional advice sees in the plays that lost points.")] = False,
    json_: JsonOption = False,
) -> None:
    """Find what each play of a recorded deal lost against the best one, with every card open."""
    figure = new_figure(plot) if plot else None
    deal = _read_record(file, record)
    plays: list[PlayAnalysis] = []
    interrupted = False
    begun = time.perf_counter()
    with _Watch("plays") as watch:
        options: dict[str, Any] = {"nodes": nodes, "seconds": seconds, "megabytes": megabytes, "threads": threads}
        try:
            for play in find_engine().analyse_plays(deal, **options, progress=watch):
                plays.insert(0, play)
        except KeyboardInterrupt:  # the plays that are finished are shown
            interrupted = True
        except MemoryError:
            raise Failure(_no_memory(megabytes)) from None
    analysis = Analysis(deal.rules, len(deal.moves), tuple(plays))
    elapsed = time.perf_counter() - begun
    if json_:
        emit_json(_analysed(deal, analysis, elapsed, interrupted) | ({"advice": advice_data(deal, analysis)} if advice else {}))
    else:
        emit_tables(
            *_analysis_parts(record or 1, deal, analysis, elapsed, interrupted), *(advice_texts(deal, analysis) if advice else ())
        )
    if figure and plot:
        _draw(figure, deal, analysis, plot)
    if interrupted:
        raise Failure(f"interrupted after {analysis.solved_plays} of {analysis.total} plays", INTERRUPTED)


def _analysed(record: Record, analysis: Analysis, seconds: float, interrupted: bool) -> dict[str, Any]:
    return {
        "id": record.id, "rules": record.rules.text, "players": record.players, "moves": analysis.total, "complete": not interrupted,
        "solved": analysis.solved, "nodes": analysis.nodes, "seconds": seconds,
        "seat_losses": analysis.seat_losses, "side_losses": analysis.side_losses, "plays": [_play(play) for play in analysis.plays],
    }


def _play(play: PlayAnalysis) -> dict[str, Any]:
    least, most = play.loss_bounds
    return {
        "ply": play.number, "seat": play.seat, "side": play.side, "move": str(play.move),
        "lower": play.values.lower, "upper": play.values.upper, "loss_lower": least, "loss_upper": most,
        "best": [str(move) for move in play.best], "moves": _move_values(play.values),
    }


def _analysis_parts(number: int, record: Record, analysis: Analysis, seconds: float, interrupted: bool) -> list[Table | Text]:
    players = f", {' '.join(record.players)}" if record.players else ""
    parts: list[Table | Text] = [Text(f"record {number}: {record.id} ({record.rules.text}{players})", style="bold")]
    if not analysis.solved:
        left = f"only the last {analysis.solved_plays} of {analysis.total} plays are solved"
        parts.append(Text(f"{_stop(interrupted)}: {left}", style="bold red"))
    return [
        *parts, _plays_table(analysis), _losses_table(record, analysis),
        Text("value: points of side 0 minus side 1 before the play, if both go on best, with every card open"),
        Text(f"{analysis.nodes:,} positions in {seconds:.3f} s"),
    ]


def _plays_table(analysis: Analysis) -> Table:
    table = Table()
    for title in ("ply", "seat", "play", "value", "best alternatives", "points lost"):
        table.add_column(title, justify="left" if title in ("play", "best alternatives") else "right")
    for play in analysis.plays:
        value, lost = _points(play.values.lower, play.values.upper), _losses([play])
        table.add_row(
            str(play.number), str(play.seat), str(play.move), value, _alternatives(play) if play.solved else "not solved",
            "" if lost == "0" else lost, style="dim" if not play.solved else "red" if play.loss_bounds[0] else "",
        )
    return table


def _alternatives(play: PlayAnalysis) -> str:
    others = [str(move) for move in play.best if move != play.move]
    more = len(others) - ALTERNATIVES
    return " ".join(others[:ALTERNATIVES]) + (f" ({more} more)" if more > 0 else "")


def _losses_table(record: Record, analysis: Analysis) -> Table:
    table = Table()
    for title in ("side", "seat", "player", "plays", "points lost"):
        table.add_column(title, justify="left" if title == "player" else "right")
    for side, seats in enumerate(record.rules.sides):
        for seat in seats:
            plays = [play for play in analysis.plays if play.seat == seat]
            # A name is a Text, lest its brackets be read as markup.
            player = Text(record.players[seat] if record.players else "")
            table.add_row(str(side), str(seat), player, str(len(plays)), _losses(plays))
        if len(seats) > 1:
            plays = [play for play in analysis.plays if play.side == side]
            table.add_row(str(side), "all", "", str(len(plays)), _losses(plays), style="bold", end_section=True)
    return table


def _losses(plays: list[PlayAnalysis]) -> str:
    least, most = (sum(play.loss_bounds[end] for play in plays) for end in (0, 1))
    return str(least) if least == most else f"{least}..{most}"


# The picture.


def _draw(figure: Any, record: Record, analysis: Analysis, path: Path) -> None:
    """Draw the value over the plays, each play a step, and write at the steps what they lost."""
    plays = [play for play in analysis.plays if play.solved]
    axes = figure.subplots()
    if plays:
        plies = [play.number for play in plays]
        axes.step([plies[0] - 1, *plies], [plays[0].before, *(play.after for play in plays)], where="post", color="0.4")
    for seat in range(record.rules.seats):
        name = f"seat {seat}" + (f", {record.players[seat]}" if record.players else "")
        lost = [play for play in plays if play.seat == seat and play.loss]
        label = f"{name}: {sum(play.loss for play in lost)} lost"
        axes.scatter([play.number for play in lost], [play.after for play in lost], color=f"C{seat}", zorder=3, label=label)
        for play in lost:
            place = {"xytext": (0, -8 if play.side == 0 else 8), "va": "top" if play.side == 0 else "bottom"}
            axes.annotate(f"{play.move}\n-{play.loss}", (play.number, play.after), textcoords="offset points", ha="center", size=7, **place)
    title = f"{record.id} ({record.rules.text})"
    if not analysis.solved:
        title += f": the last {analysis.solved_plays} of {analysis.total} plays"
    axes.set(title=title, xlabel="ply", ylabel="value: points of side 0 minus side 1")
    axes.margins(y=0.2)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.grid(alpha=0.3)
    axes.legend()
    save_figure(figure, path)


# Progress.


class _Watch:
    """Remembers how far the work has come, and shows it on a terminal when it takes more than a second; nothing in a pipe."""

    def __init__(self, unit: str) -> None:
        self.last: Progress | None = None
        self._unit = unit
        self._bar = progress_bar(TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        self._task = self._bar.add_task("", total=None)

    def __enter__(self) -> _Watch:
        return self

    def __exit__(self, *_error: object) -> None:
        self._bar.stop()

    def __call__(self, now: Progress) -> None:
        self.last = now
        text = f"value {_points(now.lower, now.upper)}, {now.nodes:,} positions"
        if now.total > 1:
            text += f", {now.done} of {now.total} {self._unit}"
        self._bar.update(self._task, description=text, completed=now.done, total=now.total if now.total > 1 else None)
        if now.seconds >= 1:
            self._bar.start()
