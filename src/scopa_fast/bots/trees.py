"""The tree search players: ``ismcts`` knows what its seat sees, ``mcts`` cheats and sees all cards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..core import Rng, SeatView, State, Worlds
from ..core.players import absent_cards
from ..core.search import check_settings, ismcts, mcts
from ..errors import ImpossibleViewError
from ..searches import SearchResult
from .base import SearchBot

__all__ = ["IsmctsBot", "MctsBot", "guess_worlds"]


@dataclass(frozen=True)
class _TreeBot(SearchBot):
    """The settings that the two share, as those of :func:`ismcts`.

    :raises ValueError: on a bad number or word.
    """

    iterations: int | None = None
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
        check_settings(**self._settings)

    @property
    def _settings(self) -> dict[str, Any]:
        """Those that the search itself knows."""
        return {name: value for name, value in vars(self).items() if name != "guess"}


@dataclass(frozen=True)
class IsmctsBot(_TreeBot):
    """Plays the move that :func:`ismcts` visits most."""

    guess: bool = False
    """Whether to deal no worlds that :func:`guess_worlds` rules out. If it rules out all, it deals from all, and says so in
    ``fallbacks``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.guess, bool):
            raise TypeError(f"guess must be true or false, not {self.guess!r}")

    @property
    def name(self) -> str:
        """``ismcts``."""
        return "ismcts"

    def search(self, view: SeatView, rng: Rng) -> SearchResult:
        """Return the whole result of the search."""
        guessed = guess_worlds(view) if self.guess else None
        found = ismcts(view, **self._settings, seed=rng, worlds=guessed)
        return replace(found, fallbacks=found.iterations) if self.guess and guessed is None else found


@dataclass(frozen=True)
class MctsBot(_TreeBot):
    """Plays the move that :func:`mcts` visits most, all cards open to it."""

    cheats: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """``mcts``."""
        return "mcts"

    def search(self, state: State, rng: Rng) -> SearchResult:
        """Return the whole result of the search."""
        return mcts(state, **self._settings, seed=rng)


def guess_worlds(view: SeatView) -> Worlds | None:
    """Return the worlds in which nobody passed over a sweep in this round that it could have scored, None if there is none."""
    try:
        return Worlds(view, exclude={seat: cards for seat, cards in enumerate(absent_cards(view)) if cards})
    except ImpossibleViewError:
        return None
