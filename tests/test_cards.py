"""Cards, masks and their two-letter names (rules.md section 1)."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopa_fast.cards import (
    BASTONI,
    COPPE,
    DENARI,
    MATTA,
    RANKS,
    RE_BELLO,
    SETTEBELLO,
    SPADE,
    SUITS,
    CardSet,
    cards_of,
    check_card,
    format_card,
    format_cards,
    full_mask,
    make_card,
    mask_of,
    pack_size,
    parse_card,
    parse_cards,
    rank_letter,
    rank_of,
    rank_value,
    suit_of,
)
from scopa_fast.errors import InvalidCardError

DECKS = ("it40", "fr52")
masks = st.integers(0, full_mask("fr52"))


@pytest.mark.parametrize(("deck", "size", "ranks"), [("it40", 40, "A234567FCR"), ("fr52", 52, "A23456789TFCR")])
def test_packs_are_those_of_deck_2_and_deck_6(deck: str, size: int, ranks: str) -> None:
    assert pack_size(deck) == size == len(ranks) * 4
    assert RANKS[deck] == ranks
    assert full_mask(deck) == 2**size - 1


@pytest.mark.parametrize("deck", DECKS)
def test_index_is_rank_major_with_suits_dcsb(deck: str) -> None:
    """DECK-8: index = (value - 1) * 4 + suit."""
    names = [rank + suit for rank in RANKS[deck] for suit in "DCSB"]
    for index, name in enumerate(names):
        assert parse_card(name, deck) == parse_card(f" {name.lower()} ", deck) == index
        assert format_card(index, deck) == name
        value, suit = rank_of(index), suit_of(index)
        assert index == (value - 1) * 4 + suit == make_card(value, suit)
        assert name == rank_letter(value, deck) + SUITS[suit]
        assert rank_value(name[0], deck) == rank_value(name[0].lower(), deck) == value


def test_capture_values_of_deck_3() -> None:
    assert [rank_of(parse_card(letter + "D")) for letter in "A234567FCR"] == list(range(1, 11))


def test_named_cards() -> None:
    assert (DENARI, COPPE, SPADE, BASTONI) == (0, 1, 2, 3)
    assert format_card(SETTEBELLO) == "7D"
    assert format_card(SETTEBELLO, "fr52") == "7D"
    assert format_card(MATTA) == "7C"
    assert [format_card(RE_BELLO[deck], deck) for deck in DECKS] == ["RD", "RD"]


@pytest.mark.parametrize("text", ["", "7", "7DD", "8D", "TD", "1D", "7H", "D7", "JD", "♦7", "7♦", "-"])
def test_no_such_card_in_it40(text: str) -> None:
    with pytest.raises(InvalidCardError, match="DECK-7") as caught:
        parse_card(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(("card", "deck"), [(-1, "it40"), (40, "it40"), (52, "fr52"), (-1, "fr52")])
def test_index_outside_the_pack(card: int, deck: str) -> None:
    with pytest.raises(InvalidCardError, match=str(card)):
        check_card(card, deck)
    with pytest.raises(InvalidCardError):
        format_card(card, deck)


@pytest.mark.parametrize("value", [True, 7.0, "7D", None])
def test_a_card_is_an_int(value: object) -> None:
    with pytest.raises(TypeError, match="a card must be an int"):
        check_card(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("letter", ["", "8", "J", "AA", "D", "1"])
def test_no_such_rank(letter: str) -> None:
    with pytest.raises(InvalidCardError, match="DECK-2"):
        rank_value(letter)


def test_text_functions_refuse_other_types() -> None:
    for function in (parse_card, parse_cards):
        with pytest.raises(TypeError, match="must be a str, not int: 7"):
            function(7)  # type: ignore[operator]


@given(masks)
def test_mask_and_list_are_two_doors_to_one_set(mask: int) -> None:
    cards = cards_of(mask)
    assert cards == [card for card in range(52) if mask >> card & 1]
    assert mask_of(cards) == mask_of(reversed(cards)) == mask


@given(masks)
def test_parse_cards_reads_what_format_cards_prints(mask: int) -> None:
    text = format_cards(mask, "fr52")
    assert parse_cards(text, "fr52") == cards_of(mask)
    assert parse_cards(text.lower(), "fr52") == cards_of(mask)


def test_card_lists_keep_the_order_written() -> None:
    assert parse_cards("7D 3C, AS") == [24, 9, 2]
    assert parse_cards("") == parse_cards(" - ") == []
    assert format_cards(0) == "-"


def test_a_card_that_comes_twice() -> None:
    with pytest.raises(InvalidCardError, match="7D comes twice in '7D3C7d'"):
        parse_cards("7D3C7d")
    with pytest.raises(InvalidCardError, match="card 5 comes twice"):
        mask_of([5, 6, 5])


def test_half_a_card() -> None:
    with pytest.raises(InvalidCardError, match="odd number"):
        parse_cards("7D3")


class TestCardSet:
    @given(masks, masks)
    def test_is_a_set_of_ints(self, a: int, b: int) -> None:
        left, right = CardSet(a, "fr52"), CardSet(b, "fr52")
        for ours, theirs in (
            (left | right, set(left) | set(right)), (left & right, set(left) & set(right)),
            (left - right, set(left) - set(right)), (left ^ right, set(left) ^ set(right)),
        ):
            assert isinstance(ours, CardSet)
            assert ours == theirs
            assert len(ours) == len(theirs)
            assert list(ours) == sorted(theirs)
        assert (left <= right) == (set(left) <= set(right))
        assert left.isdisjoint(right) == (not a & b)
        assert bool(left) == bool(a)

    @given(masks)
    def test_texts_and_copies_give_it_back(self, mask: int) -> None:
        cards = CardSet(mask, "fr52")
        assert eval(repr(cards)) == cards
        assert CardSet.from_text(str(cards), "fr52") == cards
        for twin in (copy.copy(cards), copy.deepcopy(cards), pickle.loads(pickle.dumps(cards))):
            assert (twin, twin.mask, twin.deck, hash(twin)) == (cards, mask, "fr52", hash(cards))

    def test_reads_well(self) -> None:
        cards = CardSet.from_text("7D 3C")
        assert str(cards) == "3C 7D"
        assert cards.names() == ["3C", "7D"]
        assert repr(cards) == "CardSet.from_text('3C7D')"
        assert repr(CardSet(1 << 40, "fr52")) == "CardSet.from_text('FD', 'fr52')"
        assert str(CardSet()) == "-"
        assert 24 in cards
        assert 25 not in cards
        assert "7D" not in cards
        assert -1 not in cards

    def test_refuses_what_is_outside_the_pack(self) -> None:
        with pytest.raises(InvalidCardError, match="it40"):
            CardSet(1 << 40)
        with pytest.raises(InvalidCardError):
            CardSet(-1)
        with pytest.raises(InvalidCardError):
            CardSet.from_text("7D") | {40}
        with pytest.raises(InvalidCardError, match="no pack 'it36'"):
            CardSet(0, "it36")
        for value in (True, 1.0, "7D"):
            with pytest.raises(TypeError, match="mask must be an int"):
                CardSet(value)  # type: ignore[arg-type]

    def test_is_immutable(self) -> None:
        with pytest.raises(AttributeError, match="immutable"):
            CardSet().mask = 1
