"""What matches, records and views need of an engine's ``State``, as a protocol that both engines meet.

It has no behaviour; docs/api.md lists all that a state can do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from .moves import Move
from .position import Position
from .results import Score
from .rules import Rules

__all__ = ["DealState"]


class DealState(Protocol):
    """A state of one deal, of either engine."""

    def __init__(self, rules: Rules | str = "scopa", seed: Any = None, *, dealer: int | None = None) -> None: ...

    @classmethod
    def from_deck(cls, rules: Rules | str, deck: Iterable[int], dealer: int | None = None) -> DealState:
        """Return the first position of the deal of a given deck, the top card first."""

    @classmethod
    def from_position(cls, position: Position) -> DealState:
        """Return the state of a position with every card known."""

    @property
    def rules(self) -> Rules:
        """The rules of the game."""

    @property
    def seat(self) -> int:
        """The seat to move."""

    @property
    def side(self) -> int:
        """The side to move."""

    @property
    def dealer(self) -> int:
        """The seat that deals."""

    @property
    def table_mask(self) -> int:
        """The cards on the table."""

    @property
    def scope(self) -> tuple[int, ...]:
        """Scopa points of each side so far."""

    @property
    def last_capturer(self) -> int | None:
        """The side that captured last, or None."""

    @property
    def plays_left(self) -> int:
        """Cards still to be played in this deal."""

    def pile_mask(self, side: int) -> int:
        """Return the cards a side has won."""

    def position(self) -> Position:
        """Return the position as plain values."""

    def is_terminal(self) -> bool:
        """Whether the last card has been played."""

    def legal_moves(self) -> list[Move]:
        """Return the legal moves in canonical order."""

    def card_move_count(self) -> int:
        """Return the number of legal moves that play a card."""

    def play(self, move: int) -> None:
        """Play a legal move."""

    def clone(self) -> DealState:
        """Return a copy of the position."""

    def score(self) -> Score:
        """Return the score of the finished deal."""

    def perft(self, depth: int, *, declarations: bool = False) -> int:
        """Return the number of move sequences of a length."""
