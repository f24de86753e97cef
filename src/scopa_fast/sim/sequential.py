"""A sequential test of how many points a deal one player is ahead: it may be looked at after every deal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ..errors import ScopaError

__all__ = ["Decision", "SequentialTest"]

Decision = Literal["low", "high"]
"""Which of the two means was accepted."""

CERTAIN = 1e6
"""Evidence that leaves no doubt."""
FIRST_LOOK = 30
"""Deals before the first decision: fewer say too little of the standard deviation."""


@dataclass(frozen=True)
class SequentialTest:
    """Whether the mean of a stream of differences is ``low`` or ``high`` points, as a generalised sequential probability ratio test.

    The standard deviation is not known beforehand and is fitted under either mean. Where the truth is one of the means the test
    errs about as often as it may; beyond them it errs less often, and between them it decides late.

    :raises ScopaError: if ``low`` is not below ``high``, or an error is not between 0 and 0.5.
    """

    low: float = 0.0
    """The mean of the null hypothesis, points a deal."""
    high: float = 0.1
    """The mean of the other."""
    alpha: float = 0.05
    """How often ``high`` may be accepted though ``low`` is true."""
    beta: float = 0.05
    """How often ``low`` may be accepted though ``high`` is true."""

    def __post_init__(self) -> None:
        if not -math.inf < self.low < self.high < math.inf:
            raise ScopaError(f"a test of {self.low} against {self.high} points a deal: the second must be larger")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ScopaError(f"{name} {getattr(self, name)} is not between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The evidence at which ``low`` or ``high`` is accepted (Wald's bounds)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def evidence(self, deals: int, total: float, squares: float) -> float:
        """Return the logarithm of the likelihood ratio of ``high`` to ``low``, 0 if nothing differed yet.

        :param total: the sum of the differences.
        :param squares: the sum of their squares.
        """
        if deals < 2 or squares == 0:
            return 0.0
        spread_low, spread_high = (max(0.0, squares - 2 * mean * total + deals * mean * mean) for mean in (self.low, self.high))
        if min(spread_low, spread_high) > 0:
            return deals / 2 * math.log(spread_low / spread_high)
        # Every difference was one of the means.
        return 0.0 if spread_low == spread_high else CERTAIN if spread_low > 0 else -CERTAIN

    def decide(self, deals: int, total: float, squares: float) -> Decision | None:
        """Return which mean is accepted after so many differences, None if the test goes on."""
        if deals < FIRST_LOOK:
            return None
        evidence = self.evidence(deals, total, squares)
        least, most = self.bounds
        return "low" if evidence <= least else "high" if evidence >= most else None
