"""What a search answers with, and what it asks an evaluator: plain values, no search in here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .moves import Move
from .rules import Rules

__all__ = ["Leaves", "MoveStatistics", "SearchResult"]


@dataclass(frozen=True)
class MoveStatistics:
    """What a search found out about one move at its root."""

    move: Move
    visits: int
    """How often it was chosen, over all trees."""
    mean: float
    """The mean reward of those times, of the side to move: points, or wins, as the search was asked to count; 0 without visits."""
    available: int
    """How often it could have been chosen since it was first."""


@dataclass(frozen=True)
class SearchResult:
    """The move a search would play, and why."""

    move: Move
    """The most visited move; of several the one of the higher mean, then the first in canonical order (DECK-8)."""
    moves: tuple[MoveStatistics, ...]
    """All legal moves, in canonical order."""
    line: tuple[Move, ...]
    """The principal line: from the move on, the most visited moves of the tree that visited it most."""
    iterations: int
    """How often a tree was walked down, over all trees; with a time limit it differs from run to run."""
    worlds: int
    """How many deals of the hidden cards were sampled: as many as iterations, or 0 if all cards were known."""
    nodes: int
    """Nodes of all trees."""
    timed: bool
    """Whether a time limit, and not the number of iterations, ended the search: then it cannot be repeated exactly."""
    seconds: float = field(compare=False)
    fallbacks: int = 0
    """How many of the iterations dealt from all worlds because what was guessed of the others left none (``IsmctsBot.guess``)."""


@dataclass(frozen=True, eq=False)
class Leaves:
    """Positions that a search asks about, in arrays with a row for each: every card open, hidden ones as they were dealt for it."""

    rules: Rules
    cards: Any
    """uint64, shape (n, seats + 1 + sides): the hands by seat, the table, and the piles by side, as masks."""
    turn: Any
    """int16, shape (n, 6): the seat to move, the dealer, the side that captured last or -1, the plays left, the rank of a declared 7C
    or 0 (CIR-6), the seats that are exposed as a bit mask (CIR-4)."""
    scope: Any
    """int16, shape (n, sides): scopa points so far (SCO-4)."""
    bonus: Any
    """int16, shape (n, sides): declared points so far (CIR-1)."""

    def __len__(self) -> int:
        return len(self.cards)

    @property
    def seat(self) -> Any:
        """int16, shape (n,): the seat to move."""
        return self.turn[:, 0]

    @property
    def dealer(self) -> Any:
        """int16, shape (n,): the seat that deals."""
        return self.turn[:, 1]

    @property
    def last_capturer(self) -> Any:
        """int16, shape (n,): the side that captured last (END-5), or -1."""
        return self.turn[:, 2]

    @property
    def plays_left(self) -> Any:
        """int16, shape (n,): cards still to be played in the deal."""
        return self.turn[:, 3]

    @property
    def matta(self) -> Any:
        """int16, shape (n,): the rank of a declared 7C, or 0 (CIR-6)."""
        return self.turn[:, 4]

    @property
    def exposed(self) -> Any:
        """int16, shape (n,): the seats that declared in this round, as a bit mask (CIR-4)."""
        return self.turn[:, 5]

    def planes(self) -> Any:
        """Return the masks as bits: uint8, shape (n, seats + 1 + sides, cards of the pack), one where a card is."""
        import numpy as np

        bits = np.unpackbits(np.ascontiguousarray(self.cards).view(np.uint8).reshape(*self.cards.shape, 8), axis=-1, bitorder="little")
        return bits[..., : self.rules.cards]
