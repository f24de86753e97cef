"""Adding up finished deals, one score at a time, to the same totals that native playouts return."""

from __future__ import annotations

from ..results import ITEMS, PlayoutTotals, Score
from ..rules import Rules

__all__ = ["Tally"]


class Tally:
    """A running sum over deals of one ruleset."""

    def __init__(self, rules: Rules) -> None:
        sides = len(rules.sides)
        self.rules = rules
        self.deals = self.plays = self.voids = self.ties = self.margin = self.margin_squared = 0
        self.wins = [0] * sides
        self.points = [0] * sides
        self.points_squared = [0] * sides
        self.items = {item: [0] * sides for item in ITEMS}
        self.won = {item: [0] * sides for item in ITEMS}

    def add(self, score: Score, plays: int, voids: int) -> None:
        """Count one finished deal.

        :param plays: cards played in it.
        :param voids: void deals that came before it (DEAL-8).
        """
        self.deals += 1
        self.plays += plays
        self.voids += voids
        winner = score.winner
        if winner is None:
            self.ties += 1
        else:
            self.wins[winner] += 1
        margin = score.total[0] - score.total[1]
        self.margin += margin
        self.margin_squared += margin * margin
        for side, total in enumerate(score.total):
            self.points[side] += total
            self.points_squared[side] += total * total
        for item in ITEMS:
            for side, points in enumerate(score.points[item]):
                if points:
                    self.items[item][side] += points
                    self.won[item][side] += 1

    def totals(self) -> PlayoutTotals:
        """Return the sum so far."""
        return PlayoutTotals(
            rules=self.rules, deals=self.deals, plays=self.plays, voids=self.voids,
            wins=tuple(self.wins), ties=self.ties, points=tuple(self.points), points_squared=tuple(self.points_squared),
            margin=self.margin, margin_squared=self.margin_squared,
            items={item: tuple(points) for item, points in self.items.items()},
            won={item: tuple(deals) for item, deals in self.won.items()},
        )
