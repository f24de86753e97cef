"""Players that reason over worlds: ``pimc`` solves each of them, ``champion`` infers which are likely."""

from __future__ import annotations

from dataclasses import dataclass

from ..arguments import check_range, check_threads
from ..core import Rng, SeatView
from ..core.belief import Belief
from ..core.pimc import pimc
from ..core.search import ismcts, mcts
from ..core.worlds import Worlds
from ..searches import MoveStatistics, SearchResult

__all__ = ["ChampionBot", "PimcBot"]


@dataclass(frozen=True)
class PimcBot:
    """Plays the move of the best average over worlds, as if all cards were open (:func:`pimc`).

    For three and more sides, where no exact value is defined, each world is searched by :func:`mcts` with as many iterations.
    """

    count: int = 20
    exact_plays: int = 16
    depth: int = 1
    seconds: float | None = None
    threads: int = 1
    iterations: int = 200

    def __post_init__(self) -> None:
        check_range(self.count, "count", 1, 1 << 24)
        check_range(self.exact_plays, "exact_plays", 0, 1000)
        check_range(self.depth, "depth", 1, 200)
        check_range(self.iterations, "iterations", 1, 1 << 30)
        check_threads(self.threads)

    @property
    def name(self) -> str:
        """``pimc``."""
        return "pimc"

    def search(self, view: SeatView, rng: Rng) -> SearchResult:
        """Return the whole result."""
        if len(view.rules.sides) > 2:
            return _vote(view, rng, self.count, self.iterations)
        return pimc(
            view, count=self.count, exact_plays=self.exact_plays, depth=self.depth, seconds=self.seconds, threads=self.threads, seed=rng
        )

    def choose(self, view: SeatView, rng: Rng) -> int:
        """Return the move; an only one is not searched."""
        moves = view.legal_move_ints()
        return moves[0] if len(moves) == 1 else self.search(view, rng).move


def _vote(view: SeatView, rng: Rng, count: int, iterations: int) -> SearchResult:
    """Search each world with all cards open, and add up the visits of each move."""
    worlds = Worlds(view)
    results = [mcts(worlds.sample(rng), iterations=iterations, seed=rng) for _ in range(count)]
    moves = []
    for entries in zip(*(result.moves for result in results), strict=True):
        visits = sum(entry.visits for entry in entries)
        total = sum(entry.visits * entry.mean for entry in entries)
        moves.append(MoveStatistics(entries[0].move, visits, total / visits if visits else 0.0, visits))
    best = max(moves, key=lambda entry: (entry.visits, entry.mean))
    return SearchResult(
        best.move, tuple(moves), (best.move,), sum(result.iterations for result in results), count,
        sum(result.nodes for result in results), False, sum(result.seconds for result in results),
    )  # fmt: skip


@dataclass(frozen=True)
class ChampionBot:
    """Plays as well as it can in the time it is given.

    It weighs worlds by how well they explain what the others played (:class:`Belief`). With many cards left it searches by
    :func:`ismcts` over these worlds; with ``exact_cards`` or fewer in its hand and no stock it takes the move of the best exact
    average over all of them.
    """

    iterations: int = 32000
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
    """Match points before the deal: what ``reward="match"`` plays by. :func:`for_match` sets them."""

    @property
    def name(self) -> str:
        """``champion``."""
        return "champion"

    def search(self, view: SeatView, rng: Rng) -> SearchResult:
        """Return the whole result of the search."""
        # Exact values are of points.
        exact = self.reward == "difference" and len(view.rules.sides) == 2 and not view.stock_size and len(view.hand) <= self.exact_cards
        belief = Belief(view, count=self.exact_worlds if exact else self.worlds, temperature=self.temperature, seed=rng)
        if exact:
            return pimc(
                view, count=self.exact_worlds, exact_plays=view.plays_left, seconds=self.seconds, threads=self.threads, seed=rng,
                worlds=belief,
            )  # fmt: skip
        return ismcts(
            view, iterations=self.iterations, seconds=self.seconds, explore=self.explore, reward=self.reward, epsilon=self.epsilon,
            trees=self.trees, threads=self.threads, seed=rng, scores=self.scores, worlds=belief,
        )  # fmt: skip

    def choose(self, view: SeatView, rng: Rng) -> int:
        """Return the move; an only one is not searched."""
        moves = view.legal_move_ints()
        return moves[0] if len(moves) == 1 else self.search(view, rng).move
