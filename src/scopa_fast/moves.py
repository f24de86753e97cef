"""Moves: an ``int`` that says which card is played and what becomes of it.

Bits of a packed move (always below ``2**61``)::

    bits  0..51  captured cards, a mask            (declaration: the points, 3, 10 or 13)
    bits 52..57  the played card                   (declaration: the rank the 7C stands for, 0 for none)
    bits 58..59  kind: 0 play, 1 to the own pile (ACE-4), 2 declare (CIR-4)
    bit  60      0 for it40, 1 for fr52, so that a move can print itself

A play that captures nothing lays the card on the table.
"""

from __future__ import annotations

from typing import Literal

from .cards import CardSet, format_card, format_cards, full_mask, mask_of, parse_card, parse_cards, rank_letter, rank_value
from .errors import InvalidCardError, InvalidMoveError

__all__ = ["Move", "MoveKind", "format_move", "parse_move"]

MoveKind = Literal["capture", "lay", "to_pile", "declare"]

CARD_SHIFT = 52
KIND_SHIFT = 58
DECK_SHIFT = 60
CAPTURED_MASK = (1 << CARD_SHIFT) - 1
KIND_PLAY, KIND_TO_PILE, KIND_DECLARE = 0, 1, 2
BONUS_POINTS = (3, 10, 13)
"""What a declared hand can be worth (CIR-1, CIR-2, CIR-3)."""


class Move(int):
    """One legal or illegal move, as an immutable packed int: a ``Move`` can be used wherever its int can.

    >>> move = Move.from_text("7Dx3C4S")
    >>> move.card, move.captured, move.kind
    (24, CardSet.from_text('3C4S'), 'capture')
    >>> Move(int(move)) == move
    True

    :raises InvalidMoveError: if the int does not pack a move.
    """

    __slots__ = ()

    def __new__(cls, value: int) -> Move:  # noqa: D102  # the class says it
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"a move must be an int, not {type(value).__name__}: {value!r}")
        move = super().__new__(cls, value)
        reason = _malformed(move)
        if reason:
            raise InvalidMoveError(f"{int(value):#x} packs no move: {reason}")
        return move

    @classmethod
    def capture(cls, card: int, captured: int, deck: str = "it40") -> Move:
        """Return the play of a card that takes the cards of the mask ``captured``."""
        if not captured:
            raise InvalidMoveError(f"{format_card(card, deck)} captures nothing: that is Move.lay")
        return cls(captured | card << CARD_SHIFT | (deck == "fr52") << DECK_SHIFT)

    @classmethod
    def lay(cls, card: int, deck: str = "it40") -> Move:
        """Return the play of a card that stays on the table (PLAY-4)."""
        return cls(card << CARD_SHIFT | (deck == "fr52") << DECK_SHIFT)

    @classmethod
    def to_pile(cls, card: int, deck: str = "it40") -> Move:
        """Return the play of an ace straight to its owner's pile (ACE-4)."""
        return cls(card << CARD_SHIFT | KIND_TO_PILE << KIND_SHIFT | (deck == "fr52") << DECK_SHIFT)

    @classmethod
    def declare(cls, points: int, matta: int | None = None) -> Move:
        """Return the declaration of a hand for ``points``, the 7C in it standing for the rank ``matta`` (CIR-4, CIR-5)."""
        return cls(points | (matta or 0) << CARD_SHIFT | KIND_DECLARE << KIND_SHIFT)

    @classmethod
    def from_text(cls, text: str, deck: str = "it40") -> Move:
        """Parse a move text: ``7Dx3C4S`` takes, ``7D`` lays, ``AD^`` goes to the pile, ``+3`` and ``+10=4`` declare.

        :raises InvalidMoveError: if the text is no move.
        """
        if not isinstance(text, str):
            raise TypeError(f"a move text must be a str, not {type(text).__name__}: {text!r}")
        packed = "".join(text.split())
        try:
            if packed.startswith("+"):
                points, equals, rank = packed[1:].partition("=")
                if not (points.isascii() and points.isdigit()):
                    raise InvalidMoveError("a declaration is '+points' or '+points=rank'")
                return cls.declare(int(points), rank_value(rank) if equals else None)
            if packed.endswith("^"):
                return cls.to_pile(parse_card(packed[:-1], deck), deck)
            card, times, captured = packed.replace("X", "x").partition("x")
            if times:
                return cls.capture(parse_card(card, deck), mask_of(parse_cards(captured, deck)), deck)
            return cls.lay(parse_card(card, deck), deck)
        except (InvalidCardError, InvalidMoveError) as error:
            raise InvalidMoveError(f"cannot read the move {text!r}: {error}") from None

    @property
    def deck(self) -> str:
        """The pack the cards belong to."""
        return "fr52" if self >> DECK_SHIFT & 1 else "it40"

    @property
    def kind(self) -> MoveKind:
        """``capture``, ``lay``, ``to_pile`` or ``declare``."""
        kind = self >> KIND_SHIFT & 3
        if kind == KIND_DECLARE:
            return "declare"
        if kind == KIND_TO_PILE:
            return "to_pile"
        return "capture" if self & CAPTURED_MASK else "lay"

    @property
    def is_declaration(self) -> bool:
        """Whether this declares a hand instead of playing a card (CIR-4)."""
        return self >> KIND_SHIFT & 3 == KIND_DECLARE

    @property
    def card(self) -> int:
        """The index of the played card.

        :raises InvalidMoveError: on a declaration, which plays none.
        """
        if self.is_declaration:
            raise InvalidMoveError(f"the declaration {self} plays no card")
        return self >> CARD_SHIFT & 63

    @property
    def captured_mask(self) -> int:
        """The captured cards as a mask, 0 if none."""
        return 0 if self.is_declaration else self & CAPTURED_MASK

    @property
    def captured(self) -> CardSet:
        """The captured cards as a set."""
        return CardSet(self.captured_mask, self.deck)

    @property
    def points(self) -> int:
        """The points of a declaration, 0 for any other move."""
        return self & CAPTURED_MASK if self.is_declaration else 0

    @property
    def matta(self) -> int | None:
        """The rank (capture value) that a declaration gives the 7C, or None."""
        return (self >> CARD_SHIFT & 63) or None if self.is_declaration else None

    def __str__(self) -> str:
        if self.is_declaration:
            return f"+{self.points}" + (f"={rank_letter(self.matta)}" if self.matta else "")
        card = format_card(self.card, self.deck)
        if self.kind == "to_pile":
            return f"{card}^"
        return f"{card}x{format_cards(self.captured_mask, self.deck)}" if self.captured_mask else card

    def __repr__(self) -> str:
        deck = "" if self.deck == "it40" else f", {self.deck!r}"
        return f"Move.from_text({str(self)!r}{deck})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __reduce__(self) -> tuple[type[Move], tuple[int]]:
        return (Move, (int(self),))


def _malformed(move: int) -> str:
    """Say what is wrong with a packed move, or return an empty text."""
    if not 0 <= move < 1 << (DECK_SHIFT + 1):
        return "out of range"
    deck = "fr52" if move >> DECK_SHIFT & 1 else "it40"
    kind, card, captured = move >> KIND_SHIFT & 3, move >> CARD_SHIFT & 63, move & CAPTURED_MASK
    if kind == KIND_DECLARE:
        if captured not in BONUS_POINTS:
            return f"a declaration for {captured} points (CIR-1, CIR-2, CIR-3)"
        if card > 10 or deck != "it40":
            return "a declaration of a rank outside it40 (CIR-5)"
        return ""
    if kind == 3:
        return "unknown kind"
    if captured & ~full_mask(deck) or not full_mask(deck) >> card & 1:
        return f"a card outside {deck}"
    if captured >> card & 1:
        return "the card captures itself"
    if kind == KIND_TO_PILE and captured:
        return "a card that goes to the pile captures nothing (ACE-4)"
    return ""


def parse_move(text: str, deck: str = "it40") -> Move:
    """Parse a move text, as :meth:`Move.from_text`.

    :raises InvalidMoveError: if the text is no move.
    """
    return Move.from_text(text, deck)


def format_move(move: int) -> str:
    """Return the text of a move or packed int.

    :raises InvalidMoveError: if the int packs no move.
    """
    return str(Move(move))
