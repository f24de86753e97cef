"""The golden file of the solver: endings of many rules and whole two-player deals of ``scopa``, with their exact values.

``python tests/solver_golden.py`` draws the positions again from their seeds, solves each without a table (and so without
everything that is kept in one), and writes ``tests/data/solved.jsonl`` anew. It takes half a minute. The difference is then a
change of rules to review: a faster solver changes nothing.

A line is a JSON object: ``{"ending": position text, "value": 3, "best": "7B 4CxAB3D"}`` with all optimal moves, or
``{"deal": 17, "value": -1}`` for ``State("scopa", 17)``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from strategies import TWO_SIDES, random_ending, random_two_side_rules

from scopa_fast import Rules, State, find_rules, solve, solve_moves

__all__ = ["Deal", "Ending", "read_golden"]

SOLVED = Path(__file__).parent / "data" / "solved.jsonl"
ENDINGS, DEALS = 1000, 1000
PLAYS = range(8, 17)
"""Cards left to play of the endings."""


@dataclass(frozen=True)
class Ending:
    """A solved position."""

    position: str
    value: int
    best: tuple[str, ...]
    """The texts of all optimal moves, in canonical order."""


@dataclass(frozen=True)
class Deal:
    """A solved deal of two-player scopa."""

    seed: int
    value: int


def read_golden() -> list[Ending | Deal]:
    """Return what the golden file says."""
    found: list[Ending | Deal] = []
    for line in SOLVED.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if "ending" in entry:
            found.append(Ending(entry["ending"], entry["value"], tuple(entry["best"].split())))
        else:
            found.append(Deal(entry["deal"], entry["value"]))
    return found


def _rules_of(number: int, rng: Random) -> Rules:
    """Return a preset for every other ending, and any rules for two sides for the rest."""
    return find_rules(TWO_SIDES[number // 2 % len(TWO_SIDES)]) if number % 2 else random_two_side_rules(rng)


def _entry(**fields: Any) -> str:
    return json.dumps(fields, separators=(",", ":"))


def golden_lines() -> Iterator[str]:
    """Solve everything anew without a table, line by line."""
    for number in range(ENDINGS):
        rng = Random(number)
        # The plies ahead that are counted keep out crowded tables, which take hours without a table.
        position = random_ending(_rules_of(number, rng), rng, PLAYS, lines=50_000, ahead=6)
        found = solve_moves(State.from_position(position), megabytes=0)
        yield _entry(ending=str(position), value=found.value, best=" ".join(map(str, found.best)))
    for seed in range(DEALS):
        yield _entry(deal=seed, value=solve(State("scopa", seed), line=False, megabytes=0).value)


def main() -> None:
    """Write the golden file anew."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    lines = []
    for line in golden_lines():
        lines.append(line)
        if len(lines) % 100 == 0:
            print(f"{len(lines)} of {ENDINGS + DEALS} solved")
    SOLVED.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{SOLVED}: {len(lines)} lines")


if __name__ == "__main__":
    main()
