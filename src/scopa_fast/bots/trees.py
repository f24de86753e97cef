"""The tree search players: ``ismcts`` knows what its seat sees, ``mcts`` cheats and sees all cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..core import Rng, SeatView, State
from ..core.search import check_settings, ismcts, mcts
from ..searches import SearchResult

__all__ = ["IsmctsBot", "MctsBot"]


@dataclass(frozen=True)
class _TreeBot:
    """The settings that the two share, as those of :func:`ismcts`.

    :raises ValueError: on a bad number or word.
    """

    iterations: int = 4000
    seconds: float | None = None
    explore: float | None = None
    reward: str = "difference"
    playout: str = "eps_greedy"
    epsilon: float = 0.3
    trees: int = 1
    threads: int = 1
    scores: tuple[int, ...] | None = None
    """Match points before the deal: what ``reward="match"`` plays by. :func:`for_match` sets them."""

    def __post_init__(self) -> None:
        check_settings(**{name: value for name, value in vars(self).items() if name != "scores"})


@dataclass(frozen=True)
class IsmctsBot(_TreeBot):
    """Plays the move that :func:`ismcts` visits most."""

    @property
    def name(self) -> str:
        """``ismcts``."""
        return "ismcts"

    def search(self, view: SeatView, rng: Rng) -> SearchResult:
        """Return the whole result of the search."""
        return ismcts(view, **vars(self), seed=rng)

    def choose(self, view: SeatView, rng: Rng) -> int:
        """Return the move; an only one is not searched."""
        moves = view.legal_move_ints()
        return moves[0] if len(moves) == 1 else self.search(view, rng).move


@dataclass(frozen=True)
class MctsBot(_TreeBot):
    """Plays the move that :func:`mcts` visits most, all cards open to it."""

    cheats: ClassVar[bool] = True

    iterations: int = 1000

    @property
    def name(self) -> str:
        """``mcts``."""
        return "mcts"

    def search(self, state: State, rng: Rng) -> SearchResult:
        """Return the whole result of the search."""
        return mcts(state, **vars(self), seed=rng)

    def choose(self, state: State, rng: Rng) -> int:
        """Return the move; an only one is not searched."""
        moves = state.legal_move_ints()
        return moves[0] if len(moves) == 1 else self.search(state, rng).move
