"""French-suited and stripped packs and card names in words: DECK-4, DECK-5, DECK-6, DECK-9, DECK-10, DECK-11."""

from __future__ import annotations

import itertools
import re

import pytest
from paths import DOCS

from scopa_fast import moves, notation, position, rules
from scopa_fast.cards import RANKS, SUITS, pack_size, parse_card, rank_of
from scopa_fast.errors import InvalidCardError
from scopa_fast.notation import (
    PACKS,
    format_card_name,
    format_french_card,
    format_stripped_card,
    parse_card_name,
    parse_french_card,
    parse_stripped_card,
)

FRENCH_RANKS = {"it40": [*"A234567", *"JQK"], "fr52": [*"A23456789", "10", *"JQK"]}
FRENCH_SUITS = {"D": "D♦♢", "C": "H♥♡", "S": "S♠♤", "B": "C♣♧"}


@pytest.mark.parametrize("deck", ["it40", "fr52"])
def test_french_cards_of_deck_4_and_deck_6(deck: str) -> None:
    for (ours, theirs), suit in itertools.product(zip(RANKS[deck], FRENCH_RANKS[deck], strict=True), SUITS):
        card = parse_card(ours + suit, deck)
        for sign in FRENCH_SUITS[suit]:
            for text in (theirs + sign, theirs.lower() + sign.lower(), f" {theirs} {sign}\ufe0f "):
                assert parse_french_card(text, deck) == card, text
        assert format_french_card(card, deck) == theirs + FRENCH_SUITS[suit][0]
        assert format_french_card(card, deck, symbols=True) == theirs + FRENCH_SUITS[suit][1]
    assert parse_french_card("TS", "fr52") == parse_french_card("10S", "fr52") == parse_card("TS", "fr52")


def test_c_means_clubs_in_french_and_coppe_in_italian() -> None:
    """DECK-4: that is why French notation has a parser of its own."""
    assert parse_french_card("7C") == parse_card("7B")
    assert parse_card("7C") == parse_french_card("7H")


@pytest.mark.parametrize(
    ("text", "deck"),
    [("", "it40"), ("K", "it40"), ("D", "it40"), ("8D", "it40"), ("10D", "it40"), ("TD", "it40"), ("FD", "it40"), ("CD", "it40"),
     ("RD", "it40"), ("RD", "fr52"), ("11D", "fr52"), ("1D", "fr52"), ("7B", "it40"), ("77D", "it40"), ("D7", "it40"), ("7DD", "it40"),
     ("234D", "it40"), ("A2D", "fr52")],
)
def test_no_such_french_card(text: str, deck: str) -> None:
    with pytest.raises(InvalidCardError, match="DECK-4") as caught:
        parse_french_card(text, deck)
    assert repr(text) in str(caught.value)


def test_stripped_cards_of_deck_5() -> None:
    """DECK-5: 8, 9, 10 for F, C, R; DECK-11: so the tens are the kings, and 8, 9, 10 the faces."""
    ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10"]
    for (value, theirs), suit in itertools.product(enumerate(ranks, 1), SUITS):
        card = parse_card("A234567FCR"[value - 1] + suit)
        assert rank_of(card) == value
        for sign in FRENCH_SUITS[suit]:
            assert parse_stripped_card(theirs + sign) == parse_stripped_card((theirs + sign).lower()) == card
        assert format_stripped_card(card) == theirs + FRENCH_SUITS[suit][0]
        assert format_stripped_card(card, symbols=True) == theirs + FRENCH_SUITS[suit][1]
    assert parse_stripped_card("TH") == parse_card("RC")


@pytest.mark.parametrize("text", ["", "JD", "QD", "KD", "FD", "CD", "RD", "11D", "1D", "10", "10B"])
def test_no_such_stripped_card(text: str) -> None:
    with pytest.raises(InvalidCardError, match="DECK-5") as caught:
        parse_stripped_card(text)
    assert repr(text) in str(caught.value)


SUIT_NAMES = {
    "D": "denari ori coins quadri diamonds ♦", "C": "coppe cups cuori hearts ♥",
    "S": "spade swords picche spades ♠", "B": "bastoni mazzi fiori clubs ♣",
}
RANK_NAMES = {
    "A": "asso ace", "2": "due two 2", "3": "tre three 3", "4": "quattro four 4", "5": "cinque five 5", "6": "sei six 6",
    "7": "sette seven 7", "F": "fante jack knave", "C": "cavallo knight", "R": "re king",
}
HIGH_PIPS = {"8": "otto eight 8", "9": "nove nine 9", "T": "dieci ten 10"}


@pytest.mark.parametrize("deck", ["it40", "fr52"])
def test_every_rank_word_with_every_suit_word(deck: str) -> None:
    """DECK-9."""
    ranks = RANK_NAMES if deck == "it40" else RANK_NAMES | HIGH_PIPS
    for rank, suit in itertools.product(ranks, SUITS):
        for rank_word, suit_word in itertools.product(ranks[rank].split(), SUIT_NAMES[suit].split()):
            card = parse_card(rank + suit, deck)
            for name in (f"{rank_word} di {suit_word}", f"{rank_word} OF {suit_word.title()}", f" {rank_word.upper()}  {suit_word}"):
                assert parse_card_name(name, deck) == card, name


@pytest.mark.parametrize(
    ("name", "card"),
    [("settebello", "7D"), ("Sette Bello", "7D"), ("re bello", "RD"), ("rebello", "RD"), ("asso bello", "AD"), ("7♦", "7D"), ("re♥", "RC"),
     ("7 ♥️", "7C"), ("asso d'ori", "AD"), ("asso d’ori", "AD")],
)
def test_bello_symbols_and_elision(name: str, card: str) -> None:
    """PT-15 for bello."""
    assert parse_card_name(name) == parse_card(card)


LADIES = ["donna", "queen", "dama", "regina", "lady"]


@pytest.mark.parametrize("lady", LADIES)
def test_donna_is_the_nine_with_a_french_suit_or_pack_and_refused_otherwise(lady: str) -> None:
    """DECK-10."""
    for suit in SUITS:
        for word in SUIT_NAMES[suit].split():
            name = f"{lady} di {word}"
            for pack in ("piemontesi", "milanesi", "toscane", "Milanese"):
                assert parse_card_name(name, pack=pack) == parse_card("C" + suit)
            for pack in ("napoletane", "piacentine", "triestine", "siciliane", "stripped"):
                with pytest.raises(InvalidCardError, match="DECK-10"):
                    parse_card_name(name, pack=pack)
            if word in ["quadri", "diamonds", "♦", "cuori", "hearts", "♥", "picche", "spades", "♠", "fiori", "clubs", "♣"]:
                assert parse_card_name(name) == parse_card("C" + suit)
                assert parse_card_name(name, "fr52") == parse_card("C" + suit, "fr52")
            else:
                with pytest.raises(InvalidCardError, match="DECK-10"):
                    parse_card_name(name)


def test_fante_cavallo_re_are_8_9_10_in_every_pack() -> None:
    """DECK-10."""
    for pack in (None, *PACKS):
        for suit in ("denari", "quadri"):
            assert [rank_of(parse_card_name(f"{court} di {suit}", pack=pack)) for court in ("fante", "cavallo", "re")] == [8, 9, 10]


def test_otto_nove_dieci_are_courts_of_a_stripped_pack_only() -> None:
    """DECK-5, DECK-11."""
    for word, card in (("otto", "FC"), ("nove", "CC"), ("dieci", "RC"), ("eight", "FC"), ("9", "CC"), ("10", "RC")):
        assert parse_card_name(f"{word} di cuori", pack="stripped") == parse_card(card)
        for pack in (None, "napoletane", "milanesi"):
            with pytest.raises(InvalidCardError, match="DECK-9"):
                parse_card_name(f"{word} di cuori", pack=pack)


@pytest.mark.parametrize("name", ["", "sette", "di denari", "sette di", "sette di denari di", "sette e denari", "undici di denari", "bello",
                                  "1 di denari", "sette di cup", "seven of coin", "7D", "sette\x00denari"])
def test_no_such_name(name: str) -> None:
    with pytest.raises(InvalidCardError, match="DECK-9") as caught:
        parse_card_name(name)
    assert repr(name) in str(caught.value)


@pytest.mark.parametrize(
    ("deck", "pack"), [("it40", pack) for pack in (None, *PACKS)] + [("fr52", pack) for pack in (None, *PACKS) if pack != "stripped"]
)
@pytest.mark.parametrize("language", ["italian", "english"])
def test_a_printed_name_is_read_back(deck: str, pack: str | None, language: notation.Language) -> None:
    names = [format_card_name(card, deck, language=language, pack=pack) for card in range(pack_size(deck))]
    assert [parse_card_name(name, deck, pack) for name in names] == list(range(pack_size(deck)))


def test_printed_names() -> None:
    king = parse_card("RC")
    assert format_card_name(king) == "re di coppe"
    assert format_card_name(king, language="english") == "king of cups"
    assert format_card_name(king, pack="milanese") == "re di cuori"
    assert format_card_name(king, pack="stripped") == "dieci di cuori"
    queen = parse_card("CB")
    assert format_card_name(queen, pack="toscane") == "donna di fiori"
    assert format_card_name(queen, pack="siciliane") == "cavallo di bastoni"
    assert format_card_name(queen, language="english", pack="milanesi") == "queen of clubs"
    assert format_card_name(parse_card("TS", "fr52"), "fr52") == "dieci di picche"


def test_unknown_packs_decks_and_languages() -> None:
    for call in (
        lambda: parse_card_name("sette di denari", pack="tarot"), lambda: format_card_name(0, pack="tarot"),
        lambda: parse_card_name("sette di denari", "it36"), lambda: parse_french_card("7D", "it36"),
        lambda: format_french_card(0, "it36"), lambda: format_card_name(0, "it36"),
    ):
        with pytest.raises(InvalidCardError, match=r"no pack '(tarot|it36)'"):
            call()
    with pytest.raises(InvalidCardError, match="no card names in 'latin'"):
        format_card_name(0, language="latin")  # type: ignore[arg-type]
    with pytest.raises(InvalidCardError, match="DECK-5"):
        parse_card_name("sette di denari", "fr52", "stripped")
    for card in (-1, 40):
        for function in (format_french_card, format_stripped_card, format_card_name):
            with pytest.raises(InvalidCardError, match=str(card)):
                function(card)  # type: ignore[operator]


def test_wrong_types() -> None:
    for function in (parse_french_card, parse_stripped_card, parse_card_name):
        with pytest.raises(TypeError, match="must be a str, not int: 7"):
            function(7)  # type: ignore[operator]
    with pytest.raises(TypeError, match="pack must be a str"):
        parse_card_name("sette di denari", pack=1)  # type: ignore[arg-type]


def test_one_import_has_the_whole_family() -> None:
    for module, names in ((moves, ("parse_move", "format_move")), (position, ("parse_position", "format_position")),
                          (rules, ("parse_rules", "parse_option", "format_option"))):
        for name in names:
            assert getattr(notation, name) is getattr(module, name)
            assert name in notation.__all__


def test_the_document_names_every_function() -> None:
    text = (DOCS / "notation.md").read_text(encoding="utf-8")
    for name in ("parse_french_card", "format_french_card", "parse_stripped_card", "parse_card_name", "format_cards"):
        assert re.search(rf"\b{name}\b", text), name
