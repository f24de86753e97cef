"""Cards as other people write them: French-suited packs, stripped packs, and names in words.

Two-letter names, moves, positions and rules have their ``parse_``/``format_`` functions in the modules of
those things; they are re-exported here, so that one import has the whole family. French letters need functions
of their own because ``C`` means clubs there and coppe here (DECK-4). The grammar is in ``docs/notation.md``.
"""

from __future__ import annotations

import re
from typing import Literal

from .cards import RANKS, check_card, format_card, format_cards, parse_card, parse_cards
from .errors import InvalidCardError
from .moves import format_move, parse_move
from .position import format_position, parse_position
from .rules import format_option, parse_option, parse_rules

__all__ = [
    "PACKS", "Language",
    "format_card", "format_card_name", "format_cards", "format_french_card", "format_move", "format_option", "format_position",
    "format_stripped_card", "parse_card", "parse_card_name", "parse_cards", "parse_french_card", "parse_move", "parse_option",
    "parse_position", "parse_rules", "parse_stripped_card",
]

Language = Literal["italian", "english"]

PACKS: dict[str, str] = {
    "napoletane": "latin", "piacentine": "latin", "triestine": "latin", "siciliane": "latin",
    "piemontesi": "french", "milanesi": "french", "toscane": "french",
    "stripped": "stripped",
}
"""The packs whose names are known, and how their cards are called (DECK-9); ``stripped`` has 8, 9, 10 for the courts (DECK-5)."""
_PACK_SINGULARS = {
    "napoletana": "napoletane", "piacentina": "piacentine", "triestina": "triestine", "siciliana": "siciliane",
    "piemontese": "piemontesi", "milanese": "milanesi", "toscana": "toscane",
}

FRENCH_LETTERS = "DHSC"
"""Diamonds, hearts, spades, clubs, for D C S B (DECK-4)."""
FRENCH_SYMBOLS = "♦♥♠♣"
_WHITE_SYMBOLS = "♢♡♤♧"
_FRENCH_COURTS = {"J": "F", "Q": "C", "K": "R"}
_STRIPPED_COURTS = {"8": "F", "9": "C", "10": "R"}

# Names in words. Each list is in suit order D C S B or in the order of the rank letters; the first name is the one printed.
_LATIN_SUITS: dict[str, tuple[str, ...]] = {
    "italian": ("denari", "coppe", "spade", "bastoni"), "english": ("coins", "cups", "swords", "clubs"),
}
_FRENCH_SUITS: dict[str, tuple[str, ...]] = {
    "italian": ("quadri", "cuori", "picche", "fiori"), "english": ("diamonds", "hearts", "spades", "clubs"),
}
_SUIT_WORDS: dict[str, int] = {
    word: suit
    for names in (*_LATIN_SUITS.values(), *_FRENCH_SUITS.values(), tuple(FRENCH_SYMBOLS), tuple(_WHITE_SYMBOLS))
    for suit, word in enumerate(names)
} | {"ori": 0, "mazzi": 3, "bello": 0}
_FRENCH_WORDS = {*_FRENCH_SUITS["italian"], *_FRENCH_SUITS["english"], *FRENCH_SYMBOLS, *_WHITE_SYMBOLS}
"""The suits that only a French-suited pack has. *Clubs* is listed with them in DECK-9."""
_PIPS: dict[str, tuple[str, ...]] = {
    "italian": ("asso", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci"),
    "english": ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
}
_PIP_VALUES = {word: value for names in _PIPS.values() for value, word in enumerate(names, 1)}
_PIP_VALUES |= {str(value): value for value in range(2, 11)}
_COURTS: dict[str, dict[str, str]] = {
    "italian": {"F": "fante", "C": "cavallo", "R": "re"}, "english": {"F": "jack", "C": "knight", "R": "king"},
}
_COURT_WORDS = {word: letter for names in _COURTS.values() for letter, word in names.items()} | {"knave": "F"}
_LADIES = {"italian": "donna", "english": "queen"}
_LADY_WORDS = {*_LADIES.values(), "dama", "regina", "lady"}
_OF = {"italian": "di", "english": "of"}


def parse_french_card(text: str, deck: str = "it40") -> int:
    """Return the card of a French-suited name such as ``7D``, ``KH``, ``q♣`` or (``fr52``) ``10S`` (DECK-4, DECK-6).

    Suits are D H S C or ♦ ♥ ♠ ♣ for denari, coppe, spade, bastoni; courts are J Q K for F C R.

    :raises InvalidCardError: if the pack has no such card.
    """
    rank, suit = _split_french(text, deck)
    letter = _FRENCH_COURTS.get(rank, "T" if rank == "10" else rank)
    # F, C and R are the letters of the Italian courts, and no ranks of a French pack.
    if suit is None or rank in _FRENCH_COURTS.values() or len(letter) != 1 or letter not in RANKS[deck]:
        ranks = " ".join(_french_rank(letter) for letter in RANKS[deck])
        raise InvalidCardError(f"no French card {text!r} in {deck} (DECK-4, DECK-6): a rank of {ranks} and a suit of D H S C or ♦ ♥ ♠ ♣")
    return RANKS[deck].index(letter) * 4 + suit


def format_french_card(card: int, deck: str = "it40", *, symbols: bool = False) -> str:
    """Return the French-suited name of a card: ``format_french_card(37) == 'KH'``, or ``'K♥'`` with symbols (DECK-4).

    :raises InvalidCardError: if the index is outside the pack.
    """
    _check_deck(deck)
    check_card(card, deck)
    return _french_rank(RANKS[deck][card // 4]) + (FRENCH_SYMBOLS if symbols else FRENCH_LETTERS)[card % 4]


def parse_stripped_card(text: str) -> int:
    """Return the ``it40`` card of a pack without J Q K: A, 2..10 with 8, 9, 10 for F, C, R (DECK-5).

    :raises InvalidCardError: if the pack has no such card.
    """
    rank, suit = _split_french(text, "it40")
    letter = _STRIPPED_COURTS.get("10" if rank == "T" else rank, rank)
    if suit is None or rank in _STRIPPED_COURTS.values() or len(letter) != 1 or letter not in RANKS["it40"]:
        raise InvalidCardError(f"no card {text!r} in a stripped pack (DECK-5): a rank of A 2 .. 10 and a suit of D H S C or ♦ ♥ ♠ ♣")
    return RANKS["it40"].index(letter) * 4 + suit


def format_stripped_card(card: int, *, symbols: bool = False) -> str:
    """Return the name of an ``it40`` card in a pack without J Q K: ``format_stripped_card(37) == '10H'`` (DECK-5).

    :raises InvalidCardError: if the index is outside the pack.
    """
    check_card(card, "it40")
    rank = "A" if card < 4 else str(card // 4 + 1)
    return rank + (FRENCH_SYMBOLS if symbols else FRENCH_LETTERS)[card % 4]


def parse_card_name(words: str, deck: str = "it40", pack: str | None = None) -> int:
    """Return the card of a name in Italian or English words, in any case (DECK-9).

    >>> [format_card(parse_card_name(name)) for name in ("sette di denari", "settebello", "King of Cups", "donna di cuori")]
    ['7D', '7D', 'RC', 'CC']

    *Donna* (or queen) is the 9 with a French suit or a stated Milanese-type pack, and refused otherwise, because some
    Neapolitan packs call their 8 so (DECK-10). The words and figures 8, 9, 10 are courts of a stripped pack only (DECK-5).

    :param pack: one of :data:`PACKS`, such as ``milanesi``, or None if it is not known.
    :raises InvalidCardError: if the words name no card of the pack, or not certainly one.
    """
    if not isinstance(words, str):
        raise TypeError(f"a card name must be a str, not {type(words).__name__}: {words!r}")
    _check_deck(deck)
    kind = _pack_kind(pack, deck)
    text = re.sub(r"\bd['’]\s*", "di ", words.lower().replace("\ufe0f", ""))
    text = re.sub(rf"(bello\b|[{FRENCH_SYMBOLS}{_WHITE_SYMBOLS}])", r" \1", text)
    parts = text.split()
    if len(parts) == 3 and parts[1] in _OF.values():
        del parts[1]
    if len(parts) != 2 or parts[1] not in _SUIT_WORDS:
        raise InvalidCardError(f"no card {words!r} (DECK-9): write a rank and a suit, such as 'sette di denari' or 'king of cups'")
    rank, suit = parts
    letter = _word_letter(rank, suit, deck, kind)
    if letter is None:
        if rank in _LADY_WORDS:
            raise InvalidCardError(
                f"{words!r} could be the 8 or the 9 (DECK-10): name a French suit or a French-suited pack, or say fante or cavallo"
            )
        raise InvalidCardError(f"no rank {rank!r} in {deck} (DECK-2, DECK-6, DECK-9), in the card {words!r}")
    return RANKS[deck].index(letter) * 4 + _SUIT_WORDS[suit]


def format_card_name(card: int, deck: str = "it40", *, language: Language = "italian", pack: str | None = None) -> str:
    """Return the name of a card in words, which :func:`parse_card_name` reads back given the same pack.

    >>> format_card_name(33), format_card_name(33, language="english", pack="milanesi")
    ('cavallo di coppe', 'queen of hearts')

    :param pack: one of :data:`PACKS`; by default Latin suits for ``it40`` and French ones for ``fr52`` (DECK-9).
    :raises InvalidCardError: if the index is outside the pack, or there is no such pack or language.
    """
    _check_deck(deck)
    check_card(card, deck)
    kind = _pack_kind(pack, deck) or ("latin" if deck == "it40" else "french")
    if language not in _OF:
        raise InvalidCardError(f"no card names in {language!r}: one of {', '.join(_OF)}")
    letter, suit = RANKS[deck][card // 4], card % 4
    if letter in "FCR" and kind != "stripped":
        rank = _LADIES[language] if letter == "C" and kind != "latin" else _COURTS[language][letter]
    else:
        rank = _PIPS[language][card // 4]
    suits = (_LATIN_SUITS if kind == "latin" else _FRENCH_SUITS)[language]
    return f"{rank} {_OF[language]} {suits[suit]}"


def _split_french(text: str, deck: str) -> tuple[str, int | None]:
    """Return the rank text and the suit number (None if there is no such suit) of a French-suited name."""
    if not isinstance(text, str):
        raise TypeError(f"a card name must be a str, not {type(text).__name__}: {text!r}")
    _check_deck(deck)
    name = text.strip().upper().replace("\ufe0f", "")
    for suits in (FRENCH_LETTERS, FRENCH_SYMBOLS, _WHITE_SYMBOLS):
        if name and name[-1] in suits:
            return name[:-1].strip(), suits.index(name[-1])
    return name, None


def _french_rank(letter: str) -> str:
    return {"T": "10", "F": "J", "C": "Q", "R": "K"}.get(letter, letter)


def _word_letter(rank: str, suit: str, deck: str, kind: str | None) -> str | None:
    """Return the rank letter that a word or figure means, or None if it means none or is not certain."""
    if rank in _LADY_WORDS:
        return "C" if kind == "french" or (kind is None and suit in _FRENCH_WORDS) else None
    if rank in _COURT_WORDS:
        return _COURT_WORDS[rank]
    value = _PIP_VALUES.get(rank)
    if value is None or (deck == "it40" and value > 7 and kind != "stripped"):
        return None
    return RANKS[deck][value - 1]


def _pack_kind(pack: str | None, deck: str) -> str | None:
    if pack is None:
        return None
    if not isinstance(pack, str):
        raise TypeError(f"pack must be a str, not {type(pack).__name__}: {pack!r}")
    name = pack.strip().lower()
    name = _PACK_SINGULARS.get(name, name)
    if name not in PACKS:
        raise InvalidCardError(f"no pack {pack!r} (DECK-9): one of {', '.join(PACKS)}")
    if PACKS[name] == "stripped" and deck != "it40":
        raise InvalidCardError(f"{deck} is not a stripped pack (DECK-5)")
    return PACKS[name]


def _check_deck(deck: str) -> None:
    if deck not in RANKS:
        raise InvalidCardError(f"no pack {deck!r}: one of {', '.join(RANKS)}")
