"""What one seat of a deal can see: the public cards and its own hand (PLAY-6, CIR-4), nothing that depends on the rest.

The native engine has a class of its own with the same names (core/view.pyx), which bots decide by.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from .cards import CardSet, cards_of, mask_of
from .errors import InvalidPositionError
from .moves import Move
from .position import GOLDEN, MASK64, Position, check_position, mix64, parse_position
from .protocol import DealState
from .rules import Rules

__all__ = ["SeatView"]

VIEWER_SLOT = 169
"""The slot of the viewing seat in :attr:`SeatView.key`, after those of a position's key (docs/notation.md)."""


class SeatView:
    """A deal as one seat knows it: immutable, hashable, equal for all deals that look the same from there.

    A state makes it (``state.view(seat)``), and so can a person at a real table, who writes ``?`` for each unknown card:

    >>> text = "scopa hands=7D4CRS/??? table=3S4S5B6D piles=-/- stock=" + 30 * "?" + " seat=0 dealer=1"
    >>> view = SeatView.from_text(text, 0)
    >>> str(view.hand), len(view.unseen)
    ('4C 7D RS', 33)

    :param position: what is known; anything that the seat cannot see is forgotten.
    :param seat: the seat that looks.
    :param moves: the moves of the deal that led there, or the last of them, as far as they are known.
    :raises InvalidPositionError: if no deal can go on from it, cards that the seat must know are missing, or it cannot come of the moves.
    :raises InvalidSeatError: if there is no such seat.
    """

    state_class: ClassVar[type[DealState]]

    __slots__ = ("_moves", "_position", "_seat")

    _position: Position
    _seat: int
    _moves: tuple[Move, ...]

    def __init__(self, position: Position, seat: int, moves: Iterable[int] = ()) -> None:
        seen = check_view(position, seat)
        object.__setattr__(self, "_position", seen)
        object.__setattr__(self, "_seat", seat)
        object.__setattr__(self, "_moves", check_moves(seen, moves))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a SeatView is immutable: cannot set {name!r}")

    @classmethod
    def from_position(cls, position: Position, seat: int, moves: Iterable[int] = ()) -> SeatView:
        """Return what one seat sees of a position, whose other cards may be known or not, and of the moves that led there.

        :raises InvalidPositionError: if no deal can go on from it, cards that the seat must know are missing, or it cannot come of
            the moves.
        :raises InvalidSeatError: if there is no such seat.
        """
        return cls(position, seat, moves)

    @classmethod
    def from_text(cls, text: str, seat: int, moves: Iterable[int] = ()) -> SeatView:
        """Return what one seat sees of a position text, in which unknown cards are ``?`` (docs/notation.md), and of the moves before.

        :raises InvalidPositionError: if the text is broken, no deal can go on from it, cards that the seat must know are missing, or
            it cannot come of the moves.
        :raises InvalidSeatError: if there is no such seat.
        """
        return cls(parse_position(text), seat, moves)

    # Who and where.

    @property
    def position(self) -> Position:
        """What is known, as plain values."""
        return self._position

    @property
    def text(self) -> str:
        """The position text, with ``?`` for each unknown card."""
        return str(self._position)

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._position.rules

    @property
    def seat(self) -> int:
        """The seat that looks."""
        return self._seat

    @property
    def side(self) -> int:
        """The side of the seat that looks."""
        return self.rules.side_of[self._seat]

    @property
    def to_move(self) -> int:
        """The seat to move; after the last card, the seat that would be next."""
        return self._position.seat

    @property
    def dealer(self) -> int:
        """The seat that deals."""
        return self._position.dealer

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves that led here, declarations included, as far as they are known: everybody saw them (PLAY-6)."""
        return self._moves

    # Cards.

    @property
    def hand(self) -> CardSet:
        """The own hand."""
        return self._set(self.hand_mask)

    @property
    def hand_mask(self) -> int:
        """The own hand as a mask."""
        return self._position.hands[self._seat]

    def known_hand(self, seat: int) -> CardSet:
        """Return the hand of a seat if it is the own one or exposed (CIR-4), else no cards.

        :raises InvalidSeatError: if there is no such seat.
        """
        return self._set(self.known_hand_mask(seat))

    def known_hand_mask(self, seat: int) -> int:
        """Return the hand of a seat as a mask if it is the own one or exposed (CIR-4), else 0.

        :raises InvalidSeatError: if there is no such seat.
        """
        return self._position.hands[self.rules.check_seat(seat)]

    def hand_size(self, seat: int) -> int:
        """Return the number of cards a seat holds, known or not.

        :raises InvalidSeatError: if there is no such seat.
        """
        return self._position.hand_size(self.rules.check_seat(seat))

    @property
    def table(self) -> CardSet:
        """The cards on the table; after the deal, those that nobody captured (END-3)."""
        return self._set(self.table_mask)

    @property
    def table_mask(self) -> int:
        """The cards on the table as a mask."""
        return self._position.table

    def pile(self, side: int) -> CardSet:
        """Return the cards a side has won: every capture was seen by all (PLAY-6).

        :raises InvalidSeatError: if there is no such side.
        """
        return self._set(self.pile_mask(side))

    def pile_mask(self, side: int) -> int:
        """Return the cards a side has won as a mask.

        :raises InvalidSeatError: if there is no such side.
        """
        return self._position.piles[self.rules.check_side(side)]

    @property
    def unseen(self) -> CardSet:
        """The cards in the stock and the hidden hands, which the seat cannot tell apart."""
        return self._set(self.unseen_mask)

    @property
    def unseen_mask(self) -> int:
        """The cards in the stock and the hidden hands as a mask."""
        return self._position.unseen_mask

    @property
    def stock_size(self) -> int:
        """The number of undealt cards."""
        return self._position.stock_size

    @property
    def plays_left(self) -> int:
        """Cards still to be played in this deal."""
        return sum(self._position.hand_size(q) for q in range(self.rules.seats)) + self.stock_size

    # Points and declarations.

    @property
    def scope(self) -> tuple[int, ...]:
        """Scopa points of each side so far (SCO-4, CIR-7, ESC-1)."""
        return self._position.scope

    @property
    def bonus(self) -> tuple[int, ...]:
        """Declared points of each side so far (CIR-1 to CIR-3)."""
        return self._position.bonus

    @property
    def last_capturer(self) -> int | None:
        """The side that captured last (END-5), or None."""
        return self._position.last_capturer

    @property
    def matta(self) -> int | None:
        """The rank the 7C was declared as, until it is captured (CIR-6), or None."""
        return self._position.matta

    @property
    def exposed(self) -> tuple[int, ...]:
        """Seats that declared in this round, lowest first (CIR-4)."""
        return self._position.exposed

    def legal_moves(self) -> list[Move]:
        """Return the legal moves of the seat in canonical order (DECK-8), none when another seat is to move or the deal is over."""
        if self._seat != self.to_move:
            return []
        # Legal moves depend on the own hand and public cards alone, so any one way of placing the unseen cards will do.
        cards = cards_of(self.unseen_mask)
        hands = list(self._position.hands)
        for q, count in enumerate(self._position.hidden):
            hands[q] |= mask_of(cards[:count])
            del cards[:count]
        complete = replace(self._position, hands=tuple(hands), hidden=(), stock=tuple(cards), hidden_stock=0)
        return self.state_class.from_position(complete).legal_moves()

    def legal_move_ints(self) -> list[int]:
        """Return the legal moves as packed ints, in the order of :meth:`legal_moves`."""
        return [int(move) for move in self.legal_moves()]

    # Equality and texts.

    @property
    def key(self) -> int:
        """A 64-bit hash of what is known, the rules and the seat: equal for equal views, on every platform (docs/notation.md)."""
        return view_key(self._position, self._seat)

    def __eq__(self, other: object) -> bool:
        """Whether the same is seen: the cards, the points and whose turn it is, but not the moves that led there."""
        if not isinstance(other, SeatView):
            return NotImplemented
        return self._seat == other._seat and self._position == other._position

    def __hash__(self) -> int:
        return hash((self._seat, self._position))

    def __reduce__(self) -> tuple[type[SeatView], tuple[Position, int, tuple[Move, ...]]]:
        return (type(self), (self._position, self._seat, self._moves))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{type(self).__name__}.from_text({self.text!r}, {self._seat})"

    def _set(self, mask: int) -> CardSet:
        return CardSet(mask, self.rules.deck)


def view_key(position: Position, seat: int) -> int:
    """Return the key of what a seat sees of a position (docs/notation.md)."""
    return position.key ^ mix64(VIEWER_SLOT * GOLDEN + seat & MASK64)


def check_view(position: object, seat: int) -> Position:
    """Return what a seat sees of a position.

    :raises InvalidPositionError: if no deal can go on from it, or cards that the seat must know are missing.
    :raises InvalidSeatError: if there is no such seat.
    """
    if not isinstance(position, Position):
        raise TypeError(f"a position must be a Position, not {type(position).__name__}: {position!r}")
    position.rules.check_seat(seat)
    check_position(position, complete=False)
    for q in (seat, *position.exposed):
        if position.hidden and position.hidden[q]:
            which = "its own hand" if q == seat else f"the exposed hand of seat {q} (CIR-4)"
            raise InvalidPositionError(f"seat {seat} must know {which} in the position '{position}'")
    return position.seen_by(seat)


def check_moves(position: Position, moves: Iterable[int]) -> tuple[Move, ...]:
    """Return moves if a position can have come of them: each played card, and what it took, lie where it put them.

    After the last card it is not told which cards of a pile were leftovers (END-2), and any moves will do.

    :raises InvalidPositionError: if it cannot.
    """
    checked = tuple(move if isinstance(move, Move) else Move(move) for move in moves)
    rules = position.rules
    for move in checked:
        if move.is_declaration and not (rules.hand_bonus and rules.hand == 3):
            raise InvalidPositionError(f"the declaration {move} in a game without any (CIR-4), for the position '{position}'")
        if not move.is_declaration and move.deck != rules.deck:
            raise InvalidPositionError(f"the move {move} of {move.deck} in a game of {rules.deck}, for the position '{position}'")
    if sum(move.is_declaration for move in checked) > rules.rounds * rules.seats:
        raise InvalidPositionError(f"more than {rules.rounds * rules.seats} declarations (CIR-4) for the position '{position}'")
    table, piles, seat = position.table, list(position.piles), position.seat
    played = [move for move in checked if not move.is_declaration]
    left = position.stock_size + sum(position.hand_size(q) for q in range(rules.seats))
    if len(played) > rules.plays - left:
        raise InvalidPositionError(f"{len(played)} moves cannot have led to the position '{position}', {rules.plays - left} can (DEAL-5)")
    for move in reversed(played) if left else ():
        seat = (seat - 1) % rules.seats
        side = rules.side_of[seat]
        card = 1 << move.card
        if move.captured_mask or move.kind == "to_pile":
            found = (move.captured_mask | card) & ~piles[side] == 0
            piles[side] &= ~(move.captured_mask | card)
            table |= move.captured_mask
        else:
            found = table & card != 0
            table &= ~card
        if not found:
            raise InvalidPositionError(f"the move {move} of seat {seat} cannot have led to the position '{position}'")
    return checked
