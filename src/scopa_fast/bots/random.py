"""The random player: every legal move is equally likely."""

from __future__ import annotations

from dataclasses import dataclass

from ..core import Rng, SeatView
from ..errors import ScopaError
from .base import best_declarations, is_declaration, own_moves, pick

__all__ = ["DECLARATIONS", "RandomBot"]

DECLARATIONS = ("never", "always", "uniform")
"""What random players may do with a hand they could declare (CIR-4)."""


@dataclass(frozen=True)
class RandomBot:
    """Plays uniformly at random over the legal moves, a move being a card and the set it captures.

    ``declarations`` says what becomes of a hand it may declare: ``never`` declared (as random playouts do unless asked),
    ``always`` for the most points, the rank of the 7C at random, or ``uniform``, a move like any other.

    :raises ScopaError: on another word.
    """

    declarations: str = "never"

    def __post_init__(self) -> None:
        if self.declarations not in DECLARATIONS:
            raise ScopaError(f"no declarations {self.declarations!r}: one of {', '.join(DECLARATIONS)}")

    @property
    def name(self) -> str:
        """``random``."""
        return "random"

    def choose(self, view: SeatView, rng: Rng) -> int:
        """Return one of the legal moves, each equally likely."""
        moves = own_moves(view, SeatView)
        if not is_declaration(moves[0]) or self.declarations == "uniform":
            return pick(moves, rng)
        if self.declarations == "always":
            return pick(best_declarations(moves), rng)
        return pick([move for move in moves if not is_declaration(move)], rng)
