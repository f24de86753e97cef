"""The traditional players ``cs`` and ``cg``: the published advice for scopone as a score for each move (docs/bots.md)."""

from __future__ import annotations

from dataclasses import dataclass

from ..arguments import check_word
from ..core import Rng, SeatView
from ..core.players import CONVENTIONS, cs_move

__all__ = ["CgBot", "CsBot"]


@dataclass(frozen=True)
class CsBot:
    """Plays the move of the largest score by the advice of Chitarrella and Saracino.

    ``conventions`` are the names of optional ones to follow (:data:`scopa_fast.core.players.CONVENTIONS`).

    :raises ValueError: if there is no such convention, or one is named twice.
    """

    conventions: tuple[str, ...] | str = ()

    def __post_init__(self) -> None:
        names = (self.conventions,) if isinstance(self.conventions, str) else tuple(self.conventions)
        for name in names:
            check_word(name, "a convention", tuple(CONVENTIONS))
            if names.count(name) > 1:
                raise ValueError(f"the convention {name!r} is named twice")
        object.__setattr__(self, "conventions", names)

    @property
    def name(self) -> str:
        """``cs``."""
        return "cs"

    def choose(self, view: SeatView, rng: Rng) -> int:
        """Return the best of the legal moves."""
        return cs_move(view, rng, conventions=self.conventions)


@dataclass(frozen=True)
class CgBot(CsBot):
    """As :class:`CsBot`, with the rules of Cicuti and Guardamagna for the sevens."""

    @property
    def name(self) -> str:
        """``cg``."""
        return "cg"

    def choose(self, view: SeatView, rng: Rng) -> int:
        """Return the best of the legal moves."""
        return cs_move(view, rng, sevens=True, conventions=self.conventions)
