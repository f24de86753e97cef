"""Puts what was measured beside what was published."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from .definitions import EXPERIMENTS, FIGURES, NINE, SEED, Experiment, Measured, Part, Published
from .measure import Found

__all__ = ["PUBLISHED_DEALS", "Outcome", "bounds", "size_table"]

PUBLISHED_DEALS = 1000
"""Deals that a published figure is taken to rest on if its source does not say: its interval is no narrower than theirs."""

Verdict = Literal["within", "outside"]


def bounds(measured: Measured, published: Published, figure: str) -> tuple[float, float]:
    """Return between which values a published figure agrees with a measured one.

    It may be as far from it as its tolerance says. Without one it has to be in the 95 % interval, widened to that of the
    difference if it is known on how many deals the figure rests; if it is not, to that of no more than :data:`PUBLISHED_DEALS`.
    """
    if published.tolerance is not None:
        return measured.value - published.tolerance[figure], measured.value + published.tolerance[figure]
    factor = math.sqrt(max(1, measured.n / PUBLISHED_DEALS) if published.deals is None else 1 + measured.n / published.deals)
    return measured.value - factor * (measured.value - measured.low), measured.value + factor * (measured.high - measured.value)


def judge(measured: Measured, published: Published, figure: str) -> Verdict:
    """Return whether a published figure agrees with a measured one."""
    low, high = bounds(measured, published, figure)
    # A hair more, for sums of decimal fractions.
    return "within" if low - 1e-9 <= published.values[figure] <= high + 1e-9 else "outside"


@dataclass(frozen=True)
class Outcome:
    """What an experiment found, whole or stopped."""

    experiment: Experiment
    found: tuple[Found, ...]

    @property
    def rows(self) -> dict[str, dict[str, Measured]]:
        """What was measured, by row and figure."""
        return {row: figures for part in self.found for row, figures in part.rows.items()}

    @property
    def is_complete(self) -> bool:
        """Whether every part played all its deals."""
        return all(part.is_complete for part in self.found)

    def verdicts(self) -> list[Verdict]:
        """Return one for each published figure that was measured."""
        rows = self.rows
        return [
            judge(rows[published.row][figure], published, figure)
            for published in self.experiment.published if published.row in rows
            for figure in published.values
        ]  # fmt: skip

    def claims(self) -> list[tuple[str, str, bool | None]]:
        """Return what is claimed in words, by whom, and whether it holds: None if it cannot be said yet."""
        told: list[tuple[str, str, bool | None]] = []
        for claim in self.experiment.claims:
            try:
                told.append((claim.text, claim.source, claim.holds(self.rows)))
            except KeyError:
                told.append((claim.text, claim.source, None))
        return told

    def table(self) -> list[list[str]]:
        """Return a table as rows, the first of which is its head: below each measured row what was published for it."""
        rows = self.rows
        shown = [name for name in self.experiment.figures if any(name in figures for figures in rows.values())]
        things = "positions" if self.experiment.parts[0].kind == "solver" else "deals"
        table = [["", things, *(FIGURES[name] for name in shown)]]
        for row, figures in rows.items():
            cells = [_cell(name, figures[name]) if name in figures else "" for name in shown]
            table.append([f"`{row}`", f"{next(iter(figures.values())).n:,}", *cells])
            for published in self.experiment.published:
                if published.row == row and any(name in shown for name in published.values):
                    cells = [
                        f"{_number(name, published.values[name])} {judge(figures[name], published, name)}"
                        if name in published.values else "" for name in shown
                    ]  # fmt: skip
                    table.append([f"… {published.source}", "" if published.deals is None else f"{published.deals:,}", *cells])
        return table

    def notes(self) -> list[str]:
        """Return the sentences below the table."""
        verdicts = self.verdicts()
        lines = [
            f"Stopped: {part.done:,} of {part.asked:,} deals of the part {part.part.name}." for part in self.found if not part.is_complete
        ]
        if verdicts:
            lines.append(f"{verdicts.count('within')} of {len(verdicts)} figures lie within their tolerance.")
        words = {True: "holds here", False: "does not hold here", None: "not known yet"}
        lines += [f"“{text}”, says the {source}: {words[holds]}." for text, source, holds in self.claims()]
        lines.append(self.origin())
        return lines

    def origin(self) -> str:
        """Return what was played, by which version, where, and how long it took."""
        units = {"playouts": "deals", "solver": "positions"}
        parts = dict.fromkeys(
            f"`{part.part.rules}`, {part.asked:,} {units.get(part.part.kind, 'deals in both seatings')}" for part in self.found
        )
        runs = [run for part in self.found for run in part.runs]
        versions = dict.fromkeys(f"scopa_fast {run['version']} ({run['commit'] or 'no commit'})" for run in runs)
        machines = dict.fromkeys(run["machine"] for run in runs)
        seconds = sum(part.seconds for part in self.found)
        spent = f"{seconds:,.0f} s of playing" if seconds >= 1 else ""
        return "; ".join(filter(None, (*parts, f"seed {SEED}", ", ".join(versions), ", ".join(machines), spent))) + "."

    def markdown(self) -> str:
        """Return everything as Markdown."""
        head, *rows = self.table()
        lines = ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *rows)]
        return "\n".join(lines) + "\n\n" + "\n".join(f"- {note}" for note in self.notes())

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON; shares are in per cent, intervals of 95 %."""
        rows = self.rows
        return {
            "id": self.experiment.id,
            "title": self.experiment.title,
            "complete": self.is_complete,
            "parts": [_part(part) for part in self.found],
            "rows": [
                {
                    "row": row, "figure": name, **{key: _finite(value) for key, value in asdict(measured).items()},
                    "published": [_published(measured, published, name) for published in self.experiment.published
                                  if published.row == row and name in published.values],
                }
                for row, figures in rows.items() for name, measured in figures.items()
            ],
            "claims": [{"claim": text, "source": source, "holds": holds} for text, source, holds in self.claims()],
        }  # fmt: skip


def _part(found: Found) -> dict[str, Any]:
    part: Part = found.part
    return {
        "name": part.name, "kind": part.kind, "rules": part.rules, "bots": list(part.bots), "asked": found.asked, "done": found.done,
        "seconds": round(found.seconds, 3), "runs": found.runs,
    }  # fmt: skip


def _published(measured: Measured, published: Published, figure: str) -> dict[str, Any]:
    low, high = map(_finite, bounds(measured, published, figure))
    return {
        "source": published.source, "value": published.values[figure], "deals": published.deals, "low": low, "high": high,
        "verdict": judge(measured, published, figure),
    }  # fmt: skip


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _number(figure: str, value: float) -> str:
    digits = 3 if figure in ("margin", "sd") else 2 if figure == "points" else 1
    return f"{value:{'+' if figure in ('points', 'margin') else ''}.{digits}f}"


def _cell(figure: str, measured: Measured) -> str:
    text = _number(figure, measured.value)
    if not math.isfinite(measured.high - measured.low):
        return text
    return f"{text} ({_number(figure, measured.low)} to {_number(figure, measured.high)})"


def size_table() -> list[list[str]]:
    """Return what each experiment plays, at which size, as rows, the first of which is the head."""
    rows = [["", "what", "part", "who", "rules", "deals", "full size"]]
    for experiment in EXPERIMENTS:
        for number, part in enumerate(experiment.parts):
            names = list(dict.fromkeys(bot.partition("[")[0] for bot in part.bots))
            who = {
                "playouts": "random", "self": f"{', '.join(names)}, each against itself", "pool": f"{', '.join(names)}, all against all",
                "against": f"{len(part.bots) - 1} × {', '.join(names[1:] or names)} against {names[0]}", "solver": "solver, minimax",
            }[part.kind]  # fmt: skip
            first = [experiment.id, experiment.title] if number == 0 else ["", ""]
            rows.append([*first, part.name, who, "9 cards" if part.rules == NINE else "10 cards", f"{part.deals:,}", f"{part.full:,}"])
    return rows
