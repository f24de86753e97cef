"""Players that reason over worlds: ``pimc`` solves each of them, ``champion`` infers which are likely."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..arguments import check_range, check_seconds, check_temperature, check_threads
from ..core import Rng, SeatView
from ..core.belief import Belief
from ..core.pimc import COUNT, pimc
from ..core.search import MAX_ITERATIONS, check_settings, ismcts, mcts
from ..core.worlds import MOST_WORLDS, Worlds
from ..searches import MoveStatistics, SearchResult
from .base import SearchBot

__all__ = ["ChampionBot", "PimcBot"]


@dataclass(frozen=True)
class PimcBot(SearchBot):
    """Plays the move of the best average over worlds, as if all cards were open (:func:`pimc`).

    For three and more sides, where no exact value is defined, each world is searched by :func:`mcts` with ``iterations``, by one
    thread, and the visits are added up.

    :raises ValueError: on a bad number.
    """

    count: int | None = None
    exact_plays: int = 16
    depth: int = 1
    seconds: float | None = None
    threads: int = 1
    iterations: int = 200

    def __post_init__(self) -> None:
        if self.count is not None:
            check_range(self.count, "count", 1, MOST_WORLDS)
        check_range(self.exact_plays, "exact_plays", 0, 1000)
        check_range(self.depth, "depth", 1, 200)
        check_range(self.iterations, "iterations", 1, MAX_ITERATIONS)
        if self.seconds is not None:
            check_seconds(self.seconds)
        check_threads(self.threads)

    @property
    def name(self) -> str:
        """``pimc``."""
        return "pimc"

    def search(self, view: SeatView, rng: Rng) -> SearchResult:
        """Return the whole result."""
        if len(view.rules.sides) > 2:
            return self._vote(view, rng)
        return pimc(
            view, count=self.count, exact_plays=self.exact_plays, depth=self.depth, seconds=self.seconds, threads=self.threads, seed=rng
        )

    def _vote(self, view: SeatView, rng: Rng) -> SearchResult:
        """Search each world with all cards open, and add up the visits of each move."""
        begun, worlds = time.perf_counter(), Worlds(view)
        results: list[SearchResult] = []
        count = self.count or (COUNT if self.seconds is None else MOST_WORLDS)
        while len(results) < count:
            results.append(mcts(worlds.sample(rng), iterations=self.iterations, seed=rng))
            if self.seconds is not None and time.perf_counter() - begun >= self.seconds:
                break
        moves = []
        for entries in zip(*(result.moves for result in results), strict=True):
            visits = sum(entry.visits for entry in entries)
            total = sum(entry.visits * entry.mean for entry in entries)
            moves.append(MoveStatistics(entries[0].move, visits, total / visits if visits else 0.0, visits))
        best = max(moves, key=lambda entry: (entry.visits, entry.mean))
        return SearchResult(
            best.move, tuple(moves), (best.move,), sum(result.iterations for result in results), len(results),
            sum(result.nodes for result in results), len(results) < count, time.perf_counter() - begun,
        )  # fmt: skip


@dataclass(frozen=True)
class ChampionBot(SearchBot):
    """Plays as well as it can in the time it is given.

    It weighs worlds by how well they explain what the others played (:class:`Belief`). With many cards left it searches by
    :func:`ismcts` over these worlds. With ``exact_cards`` or fewer in its hand and no stock, two sides and points to play for, it
    takes the move of the best exact average over them: over all of them if they are ``exact_worlds`` or fewer, else over so many.

    :raises ValueError: on a bad number or word.
    """

    iterations: int | None = None
    """Unless told 32,000, or as many as the time allows if one is given."""
    seconds: float | None = None
    worlds: int = 1000
    temperature: float = 150.0
    exact_cards: int = 3
    exact_worlds: int = 2000
    explore: float | None = None
    epsilon: float = 0.3
    trees: int = 1
    threads: int = 1
    reward: str = "difference"
    scores: tuple[int, ...] | None = None
    """Match points before the deal, which :func:`for_match` sets: with them it plays for the match, whatever ``reward`` says."""

    def __post_init__(self) -> None:
        check_settings(
            self.iterations, self.seconds, self.explore, self.reward, "eps_greedy", self.epsilon, self.trees, self.threads, self.scores
        )
        check_range(self.worlds, "worlds", 1, MOST_WORLDS)
        check_range(self.exact_worlds, "exact_worlds", 1, MOST_WORLDS)
        check_range(self.exact_cards, "exact_cards", 0, 1000)
        check_temperature(self.temperature)

    @property
    def name(self) -> str:
        """``champion``."""
        return "champion"

    def search(self, view: SeatView, rng: Rng) -> SearchResult:
        """Return the whole result of the search."""
        reward = self.reward if self.scores is None else "match"
        # Exact values are of points.
        exact = reward == "difference" and len(view.rules.sides) == 2 and not view.stock_size and len(view.hand) <= self.exact_cards
        belief = Belief(view, count=self.exact_worlds if exact else self.worlds, temperature=self.temperature, seed=rng)
        if exact:
            return pimc(
                view, count=self.exact_worlds, exact_plays=view.plays_left, seconds=self.seconds, threads=self.threads, seed=rng,
                worlds=belief,
            )  # fmt: skip
        iterations = 32_000 if self.iterations is None and self.seconds is None else self.iterations
        return ismcts(
            view, iterations=iterations, seconds=self.seconds, explore=self.explore, reward=reward, epsilon=self.epsilon,
            trees=self.trees, threads=self.threads, seed=rng, scores=self.scores, worlds=belief,
        )  # fmt: skip
