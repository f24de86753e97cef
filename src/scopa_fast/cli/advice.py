"""What traditional advice says of the plays of a deal that lost points, and of what would have been best: ``analyse --advice``."""

from __future__ import annotations

from itertools import islice
from typing import Any, cast

from rich.text import Text

from ..bots import Tag, explain
from ..core import State
from ..records import Record
from ..solutions import Analysis, PlayAnalysis

__all__ = ["advice_data", "advice_texts"]


def _advised(record: Record, analysis: Analysis) -> list[tuple[PlayAnalysis, tuple[Tag, ...], tuple[Tag, ...]]]:
    """Return the plays that lost points, with the tags of the move played and of the first best one."""
    states = cast("list[State]", list(islice(record.states(), len(record.moves))))
    found = []
    for play in analysis.plays:
        if play.loss_bounds[0] and play.best:
            view = states[play.number].view(play.seat)
            found.append((play, explain(view, play.move), explain(view, play.best[0])))
    return found


def advice_texts(record: Record, analysis: Analysis) -> list[Text]:
    """Return the sentences of each such play."""
    lines = []
    for play, played, best in _advised(record, analysis):
        lines.append(Text(f"\nply {play.number}, seat {play.seat}", style="bold"))
        for move, tags in ((play.move, played), (play.best[0], best)):
            lines.append(Text(f"  {move}: {' '.join(tag.text for tag in tags)}"))
    return lines or [Text("no play lost points")]


def advice_data(record: Record, analysis: Analysis) -> list[dict[str, Any]]:
    """Return the same as plain data."""

    def tags_of(tags: tuple[Tag, ...]) -> list[dict[str, Any]]:
        return [{"name": tag.name, "numbers": dict(tag.numbers), "text": tag.text, "source": tag.source} for tag in tags]

    return [
        {"ply": play.number, "played": tags_of(played), "best_move": str(play.best[0]), "best": tags_of(best)}
        for play, played, best in _advised(record, analysis)
    ]
