"""What the solver answers with: values, bounds, lines and what each play of a deal cost, as plain values. No search in here.

A value is the final points of side 0 minus those of side 1 with every card open and the order of the stock known. Points
already made count (PT-12); what a deal does to a match (PT-13, PT-14, MAT-5) does not. Bounds are proven, never estimated.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import LimitReachedError
from .moves import Move
from .rules import Rules

__all__ = ["Analysis", "MoveValue", "MoveValues", "PlayAnalysis", "Progress", "Solution"]


class _Bounded:
    """What has proven bounds, equal when its value is known."""

    lower: int
    upper: int

    @property
    def solved(self) -> bool:
        """Whether the bounds have met."""
        return self.lower == self.upper

    @property
    def value(self) -> int:
        """Points of side 0 minus side 1.

        :raises LimitReachedError: if a limit came before the bounds met.
        """
        if self.lower != self.upper:
            raise LimitReachedError(f"a limit came first: the value is {self.lower}..{self.upper}")
        return self.lower


@dataclass(frozen=True)
class Solution(_Bounded):
    """The value of a position, or how far a limit let it be proven."""

    lower: int
    upper: int
    line: tuple[Move, ...]
    """The moves to the end of the deal, at each step the first optimal one in canonical order (DECK-8), so that the first is a
    best move to play; empty if it was not asked for, or a limit came before it was found."""
    nodes: int
    """Positions searched."""
    seconds: float = field(compare=False)


@dataclass(frozen=True)
class MoveValue(_Bounded):
    """The value of the position after one legal move."""

    move: Move
    lower: int
    upper: int
    best: bool
    """Whether it is proven that no other move is better for the side to move."""


@dataclass(frozen=True)
class MoveValues(_Bounded):
    """The value of each legal move of a position."""

    moves: tuple[MoveValue, ...]
    """In canonical order, declarations first (DECK-8, CIR-4)."""
    lower: int
    """Bounds of the position itself."""
    upper: int
    nodes: int
    seconds: float = field(compare=False)

    @property
    def solved(self) -> bool:
        """Whether the value of the position and of every move is known. At a limit the position's may be known, and
        :attr:`value` return it, before any move is proven to reach it."""
        return self.lower == self.upper and all(move.solved for move in self.moves)

    @property
    def best(self) -> tuple[Move, ...]:
        """The moves that are proven optimal: all of them if solved."""
        return tuple(value.move for value in self.moves if value.best)


@dataclass(frozen=True)
class Progress:
    """How far a call has come, told while it works; what it ends with is in its answer."""

    lower: int
    """Bounds of the position at hand: of a batch on several threads, one of those at hand."""
    upper: int
    nodes: int
    """Positions searched by the whole call."""
    seconds: float
    """Since it began."""
    done: int
    """Finished positions of a batch, moves of ``solve_moves``, or plays of ``analyse``; 0 of 1 for other calls."""
    total: int
    moves: tuple[MoveValue, ...] = ()
    """What ``solve_moves`` knows of each move so far."""


@dataclass(frozen=True)
class PlayAnalysis:
    """One move of a record beside what else could have been played."""

    number: int
    """Moves before it, declarations included: 0 for the first."""
    seat: int
    side: int
    move: Move
    values: MoveValues
    """Every legal move, the one played among them."""

    @property
    def played(self) -> MoveValue:
        """The value of the move that was played."""
        return next(value for value in self.values.moves if value.move == self.move)

    @property
    def solved(self) -> bool:
        """Whether all values are known."""
        return self.values.solved

    @property
    def before(self) -> int:
        """The value of the position before the move.

        :raises LimitReachedError: if it is not known.
        """
        return self.values.value

    @property
    def after(self) -> int:
        """The value of the position after the move.

        :raises LimitReachedError: if it is not known.
        """
        return self.played.value

    @property
    def best(self) -> tuple[Move, ...]:
        """The moves that are proven optimal."""
        return self.values.best

    @property
    def loss_bounds(self) -> tuple[int, int]:
        """At least and at most how many points the move lost; equal when that is known."""
        played, values = self.played, self.values
        if played.best:  # known of an only move, whatever its value
            return 0, 0
        if self.side == 0:
            return max(0, values.lower - played.upper), values.upper - played.lower
        return max(0, played.lower - values.upper), played.upper - values.lower

    @property
    def loss(self) -> int:
        """The points the move lost for its side against the best one: 0 or more.

        :raises LimitReachedError: if that is not known; :attr:`loss_bounds` always is.
        """
        least, most = self.loss_bounds
        if least != most:
            raise LimitReachedError(f"a limit came first: the move {self.move} lost {least}..{most} points")
        return least


@dataclass(frozen=True)
class Analysis:
    """What each move of a record cost, from the last one back as far as the limits let."""

    rules: Rules
    total: int
    """Moves of the record, declarations included, whether analysed or not."""
    plays: tuple[PlayAnalysis, ...]
    """In the order they were played, without a gap up to the last; before the first of them a limit came."""

    @property
    def solved(self) -> bool:
        """Whether every move of the record was analysed and all values are known."""
        return self.solved_plays == self.total

    @property
    def solved_plays(self) -> int:
        """How many moves, from the last one back, have all their values known."""
        return sum(play.solved for play in self.plays)

    @property
    def value(self) -> int:
        """The value of the first position: points of side 0 minus side 1.

        :raises LimitReachedError: if it is not known.
        """
        if len(self.plays) < self.total:
            raise LimitReachedError(f"a limit came first: the last {self.solved_plays} of {self.total} moves are solved")
        return self.plays[0].before

    @property
    def nodes(self) -> int:
        """Positions searched."""
        return sum(play.values.nodes for play in self.plays)

    @property
    def seat_losses(self) -> tuple[int, ...]:
        """Points that the analysed moves of each seat lost: exact if solved, else as many as are proven."""
        return tuple(sum(play.loss_bounds[0] for play in self.plays if play.seat == seat) for seat in range(self.rules.seats))

    @property
    def side_losses(self) -> tuple[int, ...]:
        """Points that the analysed moves of each side lost, likewise."""
        return tuple(sum(self.seat_losses[seat] for seat in seats) for seats in self.rules.sides)
