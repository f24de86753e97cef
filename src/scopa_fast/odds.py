"""How likely a side is to win a match, by its points and those of another side: what players for a match maximise."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations, product
from typing import Any

from .arguments import RulesLike, check_rules
from .core.playout import playouts
from .rules import Rules

__all__ = ["first_total", "match_odds"]

DEALS = 20_000
"""Random deals that tell how points of a deal are spread."""
FARTHEST = 200
"""The highest target that there is a row for each total of."""
BEYOND = 32
"""Points above the target that totals may reach; higher ones count as that."""


def match_odds(rules: RulesLike) -> Any:
    """Return the chances of a side to win the match before another one: float32, shape (n, n), by its total and that of the other.

    Totals are those after a deal. From totals that decide the match it is 1 or 0 (MAT-1, MAT-2), with a shared lead a half; else
    further deals are played, whose points are spread like those of random play. With ``match_deals`` (MAT-7) the totals decide as
    they are. What ends a match otherwise (PT-13, PT-14, MAT-5) is left out, and a target above 200 is taken for one of 200, as many
    points away.

    Of three and more sides it is the chance of each pair as if there were no others; searches couple them
    (docs/bots.md).

    :param rules: a :class:`Rules` or its text.
    """
    return _odds(check_rules(rules))


def first_total(rules: Rules) -> int:
    """Return the total of the first row and column of :func:`match_odds`: 0 unless the target is very far."""
    return max(0, rules.target - FARTHEST)


@lru_cache(maxsize=64)
def _odds(rules: Rules) -> Any:
    import numpy as np

    target = min(rules.target, FARTHEST)
    size = target + BEYOND + 1
    totals = np.arange(size)
    odds = (np.sign(totals[:, None] - totals[None, :]) + 1) / 2.0
    if not rules.match_deals:
        points = np.empty((DEALS, len(rules.sides)), np.int32)
        playouts(rules, DEALS, 1, declarations="always", out=points)
        pairs = [points[:, pair] for pair in permutations(range(points.shape[1]), 2)]
        gains, counts = np.unique(np.concatenate(pairs), axis=0, return_counts=True)
        scoring = gains.any(axis=1)
        (more, less), shares = gains[scoring].T, counts[scoring] / counts[scoring].sum()
        # Further points lead to larger totals only: from the largest back.
        for own, other in product(reversed(range(target)), repeat=2):
            odds[own, other] = shares @ odds[np.minimum(own + more, size - 1), np.minimum(other + less, size - 1)]
    odds = np.ascontiguousarray(odds, np.float32)
    odds.flags.writeable = False  # it is kept for the next caller
    return odds
