"""How cards and moves are read and written at the table: as the engine does, or French-suited."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rich.text import Text

from ..cards import DENARI, MATTA, cards_of, format_card, make_card, mask_of, rank_letter
from ..errors import InvalidMoveError, ScopaError
from ..moves import Move
from ..notation import format_french_card, parse_french_card
from .common import quoted

__all__ = ["CardNames"]

_FRENCH = "(?:10|[2-9ATJQK])[DHSC♦♥♠♣♢♡♤♧]"


@dataclass(frozen=True)
class CardNames:
    """How cards and moves are read and written: as the engine does (DECK-7), or French-suited (DECK-4)."""

    deck: str
    french: bool

    def card(self, card: int) -> str:
        """Return the name of a card."""
        return format_french_card(card, self.deck) if self.french else format_card(card, self.deck)

    def cards(self, mask: int, between: str = " ") -> str:
        """Return the names of a mask of cards."""
        return between.join(map(self.card, cards_of(mask))) or "-"

    def rank(self, value: int) -> str:
        """Return the letter of a rank."""
        return self.card(make_card(value, DENARI))[:-1] if self.french else rank_letter(value, self.deck)

    def move(self, move: Move) -> str:
        """Return a move as it is written."""
        if move.is_declaration:
            return f"+{move.points}" + (f"={self.rank(move.matta)}" if move.matta else "")
        card = self.card(move.card)
        if move.kind == "to_pile":
            return f"{card}^"
        return f"{card}x{self.cards(move.captured_mask, '')}" if move.captured_mask else card

    def parse(self, text: str) -> Move:
        """Return the move of a text.

        :raises InvalidMoveError: if it is none.
        """
        if len(text) > 200:
            raise InvalidMoveError(f"cannot read the move {quoted(text)}")
        if not self.french:
            return Move.from_text(text, self.deck)
        packed = re.sub(r"[\s,\ufe0f]", "", text.upper())
        try:
            if found := re.fullmatch(rf"({_FRENCH})(?:X((?:{_FRENCH})+)|(\^))?", packed):
                card = parse_french_card(found[1], self.deck)
                if found[2]:
                    taken = mask_of(parse_french_card(name, self.deck) for name in re.findall(_FRENCH, found[2]))
                    return Move.capture(card, taken, self.deck)
                return (Move.to_pile if found[3] else Move.lay)(card, self.deck)
            if found := re.fullmatch(r"\+(\d{1,2})(?:=(10|[2-9ATJQK]))?", packed):
                return Move.declare(int(found[1]), parse_french_card(f"{found[2]}D", self.deck) // 4 + 1 if found[2] else None)
        except ScopaError as error:
            raise InvalidMoveError(f"cannot read the move {text!r}: {error}") from None
        raise InvalidMoveError(f"cannot read the move {text!r}: cards are called as in 7Dx3H4S or KC here")

    def sentence(self, text: str) -> str:
        """Return a sentence of advice, which speaks of Latin-suited cards."""
        if not self.french:
            return text
        return text.replace("knight", "queen").replace(format_card(MATTA), self.card(MATTA))

    def paint(self, text: str) -> Text:
        """Return card names in the colours of their suits."""
        painted = Text(text)
        for suit, style in enumerate(("yellow", "red", "blue", "green")):
            painted.highlight_regex(f"(10|[2-9ATFCRJQK]){self.card(suit)[-1]}", style)
        return painted
