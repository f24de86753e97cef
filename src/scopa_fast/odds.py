"""How likely a side is to win a match, by its points and those of the best other side: what players for a match maximise."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .arguments import RulesLike, check_rules
from .core.playout import playouts
from .rules import Rules

__all__ = ["match_odds"]

DEALS = 20_000
"""Random deals that tell how points of a deal are spread."""
BEYOND = 32
"""Points above the target that totals may reach; higher ones count as that."""


def match_odds(rules: RulesLike) -> Any:
    """Return the chances of a side to win the match: float32, shape (n, n), by its own total and by the best total of the others.

    Totals are those after a deal, the last row and column for all higher ones. From totals that decide the match it is 1 or 0
    (MAT-1, MAT-2), with a shared lead a half; else further deals are played, whose points are spread like those of random play. With
    ``match_deals`` (MAT-7) the totals decide as they are. What ends a match otherwise (PT-13, PT-14, MAT-5) is left out.

    :param rules: a :class:`Rules` or its text.
    """
    return _odds(check_rules(rules))


@lru_cache(maxsize=64)
def _odds(rules: Rules) -> Any:
    import numpy as np

    size = rules.target + BEYOND + 1
    totals = np.arange(size)
    odds = (np.sign(totals[:, None] - totals[None, :]) + 1) / 2.0
    if not rules.match_deals:
        points = np.empty((DEALS, len(rules.sides)), np.int32)
        playouts(rules, DEALS, 1, declarations="always", out=points)
        spread: dict[tuple[int, int], float] = {}
        for side in range(points.shape[1]):
            best = np.delete(points, side, axis=1).max(axis=1)
            for pair, count in zip(*np.unique(np.stack([points[:, side], best], axis=1), axis=0, return_counts=True), strict=True):
                key = (int(pair[0]), int(pair[1]))
                spread[key] = spread.get(key, 0.0) + float(count) / points.size
        nothing = spread.pop((0, 0), 0.0)
        # Further points lead to larger totals only: from the largest sum back.
        undecided = sorted(((own, other) for own in range(rules.target) for other in range(rules.target)), key=sum, reverse=True)
        for own, other in undecided:
            chance = sum(share * odds[min(own + more, size - 1), min(other + less, size - 1)] for (more, less), share in spread.items())
            odds[own, other] = chance / (1 - nothing)
    odds = np.ascontiguousarray(odds, np.float32)
    odds.flags.writeable = False  # it is kept for the next caller
    return odds
