"""What a tournament found: who wins how often and by how many points, with 95 % intervals, as plain values that print as JSON.

The statistics are scipy's and choix's, which the extra ``arena`` installs.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arena import Results
from .report import share_interval
from .sequential import Decision

__all__ = [
    "Outcomes", "PairingStanding", "PoolStanding", "Standings", "bootstrap_interval", "elo_ratings", "load_libraries", "pairs_needed",
]

RESAMPLES = 2000
MOST_RESAMPLED = 5000
"""Deals up to which the bootstrap is worth its time; of more, the mean is normal enough for the simple interval to be the same."""
GAIN = 0.1
"""Points a deal that the number of deals needed is told for, unless a test says otherwise."""

Floats = NDArray[np.float64]


def load_libraries() -> tuple[Any, Any]:
    """Return ``scipy.stats`` and ``choix``.

    :raises ImportError: if one is missing, and how to install it.
    """
    try:
        # choix and not openskill (both well kept): players that never learn have one strength, which a fit of all deals at once finds
        # whatever the order of the deals.
        return importlib.import_module("scipy.stats"), importlib.import_module("choix")
    except ImportError:
        raise ImportError("a tournament needs scipy and choix: install them, or scopa_fast with the extra 'arena'") from None


def bootstrap_interval(values: Floats) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean of independent values, None for fewer than two.

    It is the percentile bootstrap, the same in every run, or for many values the normal interval.
    """
    if len(values) < 2:
        return None
    stats, _ = load_libraries()
    if len(values) > MOST_RESAMPLED:
        if not values.std():
            return float(values[0]), float(values[0])
        low, high = stats.norm.interval(0.95, loc=values.mean(), scale=stats.sem(values))
    else:
        low, high = stats.bootstrap(
            (values,), np.mean, n_resamples=RESAMPLES, batch=100, vectorized=True, method="percentile", rng=np.random.default_rng(0)
        ).confidence_interval
    return float(low), float(high)


def pairs_needed(sd: float, gain: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return how many deals, each in all seatings, it takes to see a gain.

    :param sd: the standard deviation of the paired difference, points a deal.
    :param gain: how many points a deal are to be seen.
    :param power: how often they are to be seen.
    :param alpha: how often something may be seen that is not there, either way.
    """
    stats, _ = load_libraries()
    errors = float(stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power))
    return max(2, math.ceil((errors * sd / gain) ** 2))


def elo_ratings(wins: Floats) -> list[float]:
    """Return ratings with a mean of 0 in which 400 points are odds of ten to one (Bradley and Terry, by maximum likelihood).

    :param wins: how often each entrant, by row, was ahead of each, by column; a tie is half a win for both. One more tie of
        everybody with everybody is added, so that who won always is not infinitely strong.
    """
    if len(wins) < 2:
        return [0.0] * len(wins)
    _, choix = load_libraries()
    strengths = choix.ilsr_pairwise_dense((wins + 0.5) * (1 - np.eye(len(wins))))
    return [float(rating) for rating in (strengths - strengths.mean()) * 400 / math.log(10)]


@dataclass(frozen=True)
class Outcomes:
    """Deals won, lost and tied: an entrant wins alone with the most points, and ties if it shares them."""

    wins: int = 0
    losses: int = 0
    ties: int = 0

    @property
    def games(self) -> int:
        """All of them."""
        return self.wins + self.losses + self.ties

    def __add__(self, other: Outcomes) -> Outcomes:
        return Outcomes(self.wins + other.wins, self.losses + other.losses, self.ties + other.ties)

    def as_dict(self) -> dict[str, Any]:
        """Return counts, shares 0..1 and their Wilson intervals, ready for JSON."""
        data: dict[str, Any] = {"games": self.games}
        for name in ("wins", "losses", "ties"):
            count = getattr(self, name)
            data |= {name: count, f"{name}_share": count / self.games, f"{name}_interval": share_interval(count, self.games)}
        return data


@dataclass(frozen=True)
class PairingStanding:
    """What is known of a pairing that has played."""

    labels: tuple[str, ...]
    """Its entrants by place; all statistics are those of the first."""
    is_self: bool
    deals: int
    """Deals, each played in all seatings."""
    sides: tuple[Outcomes, ...]
    """How the first entrant did on each side; of a pairing with itself, how everybody did."""
    lead: float
    """Points a deal by which the first entrant is ahead of the mean of the others."""
    interval: tuple[float, float] | None
    """The 95 % interval of the lead, None for a single deal."""
    sd: float | None
    """The standard deviation of the lead of one deal in all its seatings, None for a single deal."""
    needed: int | None
    """Deals it takes to see a lead of the size that is looked for, 19 times out of 20 no false one, with a power of 80 %."""
    decision: Decision | None
    """What the test accepted."""
    evidence: float | None
    """What the test knows, None without one."""
    moves: int
    seconds: float

    @property
    def name(self) -> str:
        """Its entrants with a v between them."""
        return " v ".join(self.labels)

    @property
    def all_sides(self) -> Outcomes:
        """How the first entrant did on all sides together."""
        return sum(self.sides, Outcomes())

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return {
            "entrants": list(self.labels), "deals": self.deals, "lead": self.lead, "lead_interval": self.interval, "sd": self.sd,
            "deals_needed": self.needed, "decision": self.decision, "evidence": self.evidence,
            "sides": [outcomes.as_dict() for outcomes in self.sides], "all_sides": self.all_sides.as_dict(),
            "moves": self.moves, "seconds": self.seconds,
        }


@dataclass(frozen=True)
class PoolStanding:
    """How an entrant did on average over the pairings it has played in, itself included, and all sides; each pairing counts alike."""

    label: str
    wins: float
    losses: float
    ties: float
    """Shares 0..1."""
    points: float
    """Own points a deal."""
    lead: float
    """Points a deal ahead of the mean of the other sides."""
    rating: float
    """See :func:`elo_ratings`."""


class Standings:
    """The statistics of all results so far.

    :raises ImportError: if scipy or choix is missing.
    """

    def __init__(self, results: Results) -> None:
        load_libraries()
        self.tournament = plan = results.tournament
        self.results = results
        entrants = len(plan.entrants)
        self.pairings: list[PairingStanding] = []
        """Those that have played, in the order of the tournament."""
        self.leads: Floats = np.full((entrants, entrants), np.nan)
        """By how many points a deal each entrant, by row, is ahead of each, by column; not a number if they have not met."""
        self.shares: Floats = np.full((entrants, entrants), np.nan)
        """How often it is ahead, level counting half."""
        self._gather()

    @property
    def is_complete(self) -> bool:
        """Whether all is played."""
        return self.results.slot is None

    def _gather(self) -> None:
        plan, results = self.tournament, self.results
        entrants, sides = len(plan.entrants), len(plan.rules.sides)
        met: Floats = np.zeros((entrants, entrants))
        leads, shares, wins = met.copy(), met.copy(), met.copy()
        pool: list[list[Floats]] = [[] for _ in range(entrants)]
        for number, pairing in enumerate(plan.pairings):
            if not results.deals(number):
                continue
            points = np.array(results.points[number], dtype=np.int16).reshape(-1, sides, sides)
            counts = _outcomes(points)
            self.pairings.append(self._pairing(number, points, counts))
            ahead, share = _compare(points)
            for one in set(pairing):
                own = [place for place in range(sides) if pairing[place] == one]
                won, lost, tied = (counts[own].sum(axis=(0, 1)) / counts[own].sum()).tolist()
                mean = points[:, :, own].mean()
                pool[one].append(np.array([won, lost, tied, mean, (mean - points.mean()) * sides / (sides - 1)]))
                for other in set(pairing):
                    duels = [(i, j) for i in own for j in range(sides) if pairing[j] == other and i != j]
                    if duels:
                        rows, columns = map(list, zip(*duels, strict=True))
                        met[one, other] += 1
                        leads[one, other] += ahead[rows, columns].mean()
                        shares[one, other] += share[rows, columns].mean()
                        wins[one, other] += share[rows, columns].sum() * points.shape[0] * sides
        np.divide(leads, met, out=self.leads, where=met > 0)
        np.divide(shares, met, out=self.shares, where=met > 0)
        ratings = elo_ratings(wins)
        self.pool: list[PoolStanding] = []
        """One for each entrant that has played."""
        for entrant, found in enumerate(pool):
            if found:
                won, lost, tied, mean, lead = np.mean(found, axis=0).tolist()
                self.pool.append(PoolStanding(plan.entrants[entrant].label, won, lost, tied, mean, lead, ratings[entrant]))

    def _pairing(self, number: int, points: NDArray[np.int16], counts: NDArray[np.int64]) -> PairingStanding:
        plan, results = self.tournament, self.results
        own, others = plan.places(number)
        is_self = len(set(plan.pairings[number])) == 1
        # Of a pairing with itself any place is the first.
        shown = list(range(len(own) + len(others))) if is_self else own
        leads = (points[:, :, own].mean(axis=2) - points[:, :, others].mean(axis=2)).mean(axis=1)
        # From the sum and not the mean of the deals, so that it is the number of the table of all pairs to the last digit.
        totals = points.sum(axis=(0, 1), dtype=np.int64)
        lead = float(totals[own].sum() / len(own) - totals[others].sum() / len(others)) / (len(points) * points.shape[1])
        sd = float(leads.std(ddof=1)) if len(leads) > 1 else None
        gain = GAIN if plan.test is None else plan.test.high - plan.test.low
        return PairingStanding(
            plan.labels(number), is_self, len(points), tuple(Outcomes(*map(int, row)) for row in counts[shown].sum(axis=0)),
            lead, bootstrap_interval(leads), sd, None if sd is None else pairs_needed(sd, gain),
            results.decisions[number], results.evidence(number), results.moves[number], results.seconds[number],
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON. Shares are 0..1, intervals are 95 %; null stands where there is nothing to tell."""
        return self.tournament.about() | {
            "deals": self.tournament.deals,
            "complete": self.is_complete,
            "repeatable": self.tournament.is_repeatable,
            "pairings": [pairing.as_dict() for pairing in self.pairings],
            "leads": _with_none(self.leads),
            "shares": _with_none(self.shares),
            "pool": [vars(standing) for standing in self.pool],
        }


def _outcomes(points: NDArray[np.int16]) -> NDArray[np.int64]:
    """Return deals won, lost and tied by place and side."""
    sides = points.shape[2]
    counts: NDArray[np.int64] = np.zeros((sides, sides, 3), dtype=np.int64)
    for seating in range(sides):
        row = points[:, seating]
        on_top = row == row.max(axis=1, keepdims=True)
        alone = on_top.sum(axis=1) == 1
        for place in range(sides):
            won, tied = int((on_top[:, place] & alone).sum()), int((on_top[:, place] & ~alone).sum())
            counts[place, (place + seating) % sides] += (won, len(row) - won - tied, tied)
    return counts


def _compare(points: NDArray[np.int16]) -> tuple[Floats, Floats]:
    """Return by how many points each place, by row, is ahead of each, by column, and how often, level counting half."""
    sides = points.shape[2]
    totals, games = points.sum(axis=(0, 1), dtype=np.int64), points.shape[0] * sides
    share: Floats = np.empty((sides, sides))
    for place in range(sides):
        own = points[:, :, place : place + 1]
        share[place] = ((own > points) + 0.5 * (own == points)).mean(axis=(0, 1))
    return (totals[:, None] - totals[None, :]) / games, share


def _with_none(table: Floats) -> list[list[float | None]]:
    return [[None if math.isnan(value) else float(value) for value in row] for row in table]
