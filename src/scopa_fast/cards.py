"""Cards as small ints, card sets as int masks, and their two-letter names.

A card's index is rank-major, ``(value - 1) * 4 + suit`` with suits D C S B = 0 1 2 3 (DECK-8), so a
rank is one nibble of a mask and a suit is every fourth bit. ``it40`` uses bits 0..39, ``fr52`` bits 0..51.
French notation and card names in words live in :mod:`scopa_fast.notation`; nothing here knows a rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Literal

from .errors import InvalidCardError

__all__ = [
    "BASTONI", "COPPE", "DECKS", "DENARI", "MATTA", "RANKS", "RE_BELLO", "SETTEBELLO", "SPADE", "SUITS",
    "CardSet", "DeckName", "cards_of", "format_card", "format_cards", "full_mask", "make_card", "mask_of",
    "pack_size", "parse_card", "parse_cards", "rank_letter", "rank_of", "rank_value", "suit_of",
]

DeckName = Literal["it40", "fr52"]

DECKS: tuple[DeckName, ...] = ("it40", "fr52")
SUITS = "DCSB"
"""Suit letters by number: denari (coins), coppe (cups), spade (swords), bastoni (clubs). DECK-1."""
RANKS: dict[str, str] = {"it40": "A234567FCR", "fr52": "A23456789TFCR"}
"""Rank letters of each pack, lowest first; the value is the place in the text plus one. DECK-2, DECK-6."""

DENARI, COPPE, SPADE, BASTONI = range(4)
SETTEBELLO = 24
"""The seven of coins, ``7D``."""
MATTA = 25
"""The seven of cups, ``7C``, wild in Cirulla (CIR-5)."""
RE_BELLO: dict[str, int] = {"it40": 36, "fr52": 48}
"""The king of coins, ``RD``, of each pack."""


def pack_size(deck: str) -> int:
    """Return the number of cards of a pack: 40 or 52."""
    return 4 * len(RANKS[deck])


def full_mask(deck: str) -> int:
    """Return the mask of all cards of a pack."""
    return (1 << pack_size(deck)) - 1


def make_card(value: int, suit: int) -> int:
    """Return the index of the card with this capture value (1..10 or 1..13) and suit (0..3)."""
    return (value - 1) * 4 + suit


def rank_of(card: int) -> int:
    """Return the capture value of a card, 1..10 or 1..13 (DECK-3, DECK-6)."""
    return card // 4 + 1


def suit_of(card: int) -> int:
    """Return the suit number of a card, 0..3 for D C S B."""
    return card % 4


def rank_letter(value: int, deck: str = "it40") -> str:
    """Return the letter of a capture value: ``rank_letter(10) == 'R'``."""
    return RANKS[deck][value - 1]


def rank_value(letter: str, deck: str = "it40") -> int:
    """Return the capture value of a rank letter.

    :raises InvalidCardError: if the pack has no such rank.
    """
    place = RANKS[deck].find(letter.upper()) if isinstance(letter, str) and len(letter) == 1 else -1
    if place < 0:
        raise InvalidCardError(f"no rank {letter!r} in {deck} (DECK-2, DECK-6): one of {' '.join(RANKS[deck])}")
    return place + 1


def format_card(card: int, deck: str = "it40") -> str:
    """Return the two-letter name of a card (DECK-7): ``format_card(24) == '7D'``.

    :raises InvalidCardError: if the index is outside the pack.
    """
    check_card(card, deck)
    return RANKS[deck][card >> 2] + SUITS[card & 3]


def parse_card(text: str, deck: str = "it40") -> int:
    """Return the index of a two-letter card name (DECK-7), in either case.

    :raises InvalidCardError: if the pack has no such card.
    """
    if not isinstance(text, str):
        raise TypeError(f"a card name must be a str, not {type(text).__name__}: {text!r}")
    name = text.strip().upper()
    if len(name) == 2:
        place, suit = RANKS[deck].find(name[0]), SUITS.find(name[1])
        if place >= 0 and suit >= 0:
            return place * 4 + suit
    raise InvalidCardError(f"no card {text!r} in {deck} (DECK-7): a rank of {RANKS[deck]} and a suit of {SUITS}")


def check_card(card: int, deck: str = "it40") -> int:
    """Return a card index unchanged if it belongs to the pack.

    :raises InvalidCardError: if not.
    """
    if isinstance(card, bool) or not isinstance(card, int):
        raise TypeError(f"a card must be an int, not {type(card).__name__}: {card!r}")
    if not 0 <= card < pack_size(deck):
        raise InvalidCardError(f"no card {card} in {deck}: 0..{pack_size(deck) - 1}")
    return card


def cards_of(mask: int) -> list[int]:
    """Return the card indices of a mask, lowest first (DECK-8)."""
    cards = []
    while mask:
        low = mask & -mask
        cards.append(low.bit_length() - 1)
        mask ^= low
    return cards


def mask_of(cards: Iterable[int]) -> int:
    """Return the mask of card indices.

    :raises InvalidCardError: if a card comes twice.
    """
    mask = 0
    for card in cards:
        bit = 1 << card
        if mask & bit:
            raise InvalidCardError(f"card {card} comes twice")
        mask |= bit
    return mask


def format_cards(mask: int, deck: str = "it40") -> str:
    """Return the names of a mask's cards run together in index order, ``-`` if there are none."""
    return "".join(format_card(card, deck) for card in cards_of(mask)) or "-"


def parse_cards(text: str, deck: str = "it40") -> list[int]:
    """Return the cards of a text such as ``7D3C`` or ``7D 3C``, in the order written; ``-`` and blank are none.

    :raises InvalidCardError: on an unknown card or one that comes twice.
    """
    if not isinstance(text, str):
        raise TypeError(f"card names must be a str, not {type(text).__name__}: {text!r}")
    packed = "".join(text.replace(",", " ").split())
    if packed in ("", "-"):
        return []
    if len(packed) % 2:
        raise InvalidCardError(f"odd number of letters in the cards {text!r} (DECK-7)")
    cards = [parse_card(packed[i : i + 2], deck) for i in range(0, len(packed), 2)]
    if len(set(cards)) != len(cards):
        twice = next(card for i, card in enumerate(cards) if card in cards[:i])
        raise InvalidCardError(f"card {format_card(twice, deck)} comes twice in {text!r}")
    return cards


class CardSet(Set[int]):
    """An immutable set of card indices over a mask: the friendly door beside the ``_mask`` one.

    >>> CardSet.from_text("7D 3C") | {0}
    CardSet.from_text('AD3C7D')
    >>> len(CardSet(0b1011)), 3 in CardSet(0b1011)
    (3, True)
    """

    __slots__ = ("deck", "mask")

    mask: int
    deck: str

    def __init__(self, mask: int = 0, deck: str = "it40") -> None:
        if isinstance(mask, bool) or not isinstance(mask, int):
            raise TypeError(f"a card mask must be an int, not {type(mask).__name__}: {mask!r}")
        if deck not in RANKS:
            raise InvalidCardError(f"no pack {deck!r}: one of {', '.join(RANKS)}")
        if mask & ~full_mask(deck):
            raise InvalidCardError(f"mask {mask:#x} has bits outside {deck}")
        object.__setattr__(self, "mask", mask)
        object.__setattr__(self, "deck", deck)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a CardSet is immutable: cannot set {name!r}")

    def __reduce__(self) -> tuple[type[CardSet], tuple[int, str]]:
        return (CardSet, (self.mask, self.deck))

    @classmethod
    def from_text(cls, text: str, deck: str = "it40") -> CardSet:
        """Return the set of the cards named in a text.

        :raises InvalidCardError: on an unknown card or one that comes twice.
        """
        return cls(mask_of(parse_cards(text, deck)), deck)

    def _from_iterable(self, it: Iterable[int]) -> CardSet:  # type: ignore[override]
        mask = 0
        for card in it:
            mask |= 1 << check_card(card, self.deck)
        return CardSet(mask, self.deck)

    def __contains__(self, card: object) -> bool:
        return isinstance(card, int) and card >= 0 and bool(self.mask >> card & 1)

    def __iter__(self) -> Iterator[int]:
        return iter(cards_of(self.mask))

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __bool__(self) -> bool:
        return self.mask != 0

    def __hash__(self) -> int:
        return self._hash()

    def names(self) -> list[str]:
        """Return the two-letter names in index order."""
        return [format_card(card, self.deck) for card in cards_of(self.mask)]

    def __str__(self) -> str:
        return " ".join(self.names()) or "-"

    def __repr__(self) -> str:
        deck = "" if self.deck == "it40" else f", {self.deck!r}"
        return f"CardSet.from_text({format_cards(self.mask, self.deck)!r}{deck})"
