"""Captures: every table of up to six cards, larger ones at random, on both engines and by a naive third opinion."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import NaiveTable, naive_captures
from strategies import rulesets

import scopa_fast as native
from scopa_fast import Rules, find_rules, format_cards, make_card, mask_of, reference

LARGEST_TABLE = 6


def tables(largest: int = LARGEST_TABLE) -> Iterator[list[int]]:
    """Every table of it40 up to a size, one of each rank multiset, with suits that go round."""
    for size in range(largest + 1):
        for number, ranks in enumerate(combinations_with_replacement(range(1, 11), size)):
            if all(ranks.count(rank) <= 4 for rank in ranks):
                yield [make_card(rank, (number + ranks[:i].count(rank)) % 4) for i, rank in enumerate(ranks)]


def played_card(rank: int, table: list[int]) -> int | None:
    """A card of a rank that is not on the table, None if all four are."""
    return next((card for card in range(make_card(rank, 0), make_card(rank, 0) + 4) if card not in table), None)


def compare(rules: Rules, card: int, table: NaiveTable, **turn: Any) -> None:
    """Refuse any disagreement of the three opinions."""
    takes, lay, to_pile = naive_captures(rules, card, table, **turn)
    expected = ([(mask_of(taken), scopa) for taken, scopa in takes], lay, to_pile)
    for engine in (native, reference):
        found = engine.captures(rules, card, table.cards, matta=table.matta, **turn)
        got = ([(taken.mask, scopa) for taken, scopa in zip(found.takes, found.scopa, strict=True)], found.lay, found.to_pile)
        assert got == expected, (
            f"{engine.__name__}.captures({rules.text!r}, {card}, parse_cards({format_cards(mask_of(table.cards), rules.deck)!r}, "
            f"{rules.deck!r}), matta={table.matta}, **{turn}): {got}, naively {expected}"
        )


FAMILIES = [
    find_rules("scopa", capture=capture, precedence=precedence)
    for capture, precedence in product(("match_or_sum", "cirulla"), ("single", "fewest", "free"))
] + [find_rules("scopa_quindici")]
"""Every capture family under every precedence, which the fifteens do not know."""


def test_every_card_on_every_table_of_up_to_six_cards() -> None:
    seen = 0
    for cards in tables():
        table = NaiveTable(cards)
        mask = mask_of(cards)
        for rank in range(1, 11):
            card = played_card(rank, cards)
            if card is None:
                continue
            for number, rules in enumerate(FAMILIES):
                expected = [mask_of(taken) for taken, _ in naive_captures(rules, card, table)[0]]
                got = native.capture_masks(rules, card, mask)
                assert got == expected, f"native.capture_masks({rules.text!r}, {card}, {mask:#x}): {got}, naively {expected}"
                if (seen + number) % 5 == 0:  # the reference takes its time: every fifth rank and family, of all tables
                    assert reference.capture_masks(rules, card, mask) == expected
            seen += 1
    assert seen > 70_000


ACE_RULES = [
    find_rules("scopa", capture=capture, precedence=precedence, forced=forced, ace_sweep=True, ace_on_table=on_table,
               ace_to_pile=to_pile, ace_sweep_scopa=scopa, last_play_scopa=last)
    for capture, precedence, forced, on_table, to_pile, (scopa, last) in product(
        ("match_or_sum", "cirulla"), ("single", "fewest", "free"), (True, False), ("ace_only", "all"), ("no", "empty", "any"),
        ((False, "never"), (True, "never"), (True, "dealer")),
    )
]  # fmt: skip
"""Every combination of the options that bear on an ace."""


def test_an_ace_on_every_table_of_up_to_six_cards_under_every_ace_option() -> None:
    number = 0
    for cards in tables():
        card = played_card(1, cards)
        if card is None:
            continue
        table = NaiveTable(cards)
        # Small tables meet every combination, large ones every few, all in turn.
        step = 1 if len(cards) < 3 else 7 if len(cards) < 5 else 37
        for rules in ACE_RULES[number % step :: step]:
            compare(rules, card, table, last_play=number % 3 == 0)
        number += 1
    assert number > 7_000


def test_ace_options_leave_other_cards_alone() -> None:
    for cards in tables(3):
        table = NaiveTable(cards)
        for rank in range(2, 11):
            card = played_card(rank, cards)
            for rules in ACE_RULES[rank + len(cards) :: 17]:
                if card is not None:
                    compare(rules, card, table)


@pytest.mark.parametrize("value", ["one", "rank", "count"])
@pytest.mark.parametrize("last", ["never", "dealer"])
def test_scopa_points_on_every_table_of_up_to_three_cards(value: str, last: str) -> None:
    for capture in ("match_or_sum", "fifteen", "cirulla"):
        rules = find_rules("scopa", capture=capture, scopa_value=value, last_play_scopa=last)
        for cards in tables(3):
            table = NaiveTable(cards)
            for rank in range(1, 11):
                card = played_card(rank, cards)
                if card is not None:
                    compare(rules, card, table, last_play=rank % 2 == 0)


@settings(max_examples=700, derandomize=True, database=None, deadline=None, print_blob=True)
@given(data=st.data())
def test_larger_tables_both_packs_and_declared_sevens_of_cups(data: st.DataObject) -> None:
    rules = data.draw(rulesets())
    cards = data.draw(st.lists(st.integers(0, rules.cards - 1), min_size=1, max_size=10, unique=True))
    # A declared 7C is played or lies on the table, whatever the rules say of declaring.
    matta = data.draw(st.none() | st.integers(1, 10)) if rules.deck == "it40" and 25 in cards else None
    compare(rules, cards[0], NaiveTable(cards[1:], matta), first_play=data.draw(st.booleans()), last_play=data.draw(st.booleans()))


@settings(max_examples=200, derandomize=True, database=None, deadline=None, print_blob=True)
@given(data=st.data())
def test_declared_seven_of_cups_counts_as_its_rank(data: st.DataObject) -> None:
    rules = data.draw(rulesets(deck="it40"))
    others = data.draw(st.lists(st.integers(0, 39).filter(lambda card: card != 25), min_size=1, max_size=8, unique=True))
    cards = [25, *others] if data.draw(st.booleans()) else [others[0], 25, *others[1:]]
    compare(rules, cards[0], NaiveTable(cards[1:], data.draw(st.integers(1, 10))), last_play=data.draw(st.booleans()))


@settings(max_examples=120, derandomize=True, database=None, deadline=None, print_blob=True)
@given(data=st.data())
def test_tables_too_large_to_list_naively_agree_between_the_engines(data: st.DataObject) -> None:
    rules = data.draw(rulesets())
    cards = data.draw(st.lists(st.integers(0, rules.cards - 1), min_size=13, max_size=30, unique=True))
    mask = mask_of(cards[1:])
    assert native.capture_masks(rules, cards[0], mask) == reference.capture_masks(rules, cards[0], mask)


def test_a_single_equal_card_bars_a_sum(engine: ModuleType) -> None:
    table = engine.parse_cards("3D5C5SFD")
    assert [str(taken) for taken in engine.captures("scopa", engine.parse_card("FC"), table).takes] == ["FD"]


def test_fewest_and_free_let_a_sum_pass(engine: ModuleType) -> None:
    table = engine.parse_cards("2D3D5C")
    card = engine.parse_card("5S")
    assert [str(taken) for taken in engine.captures("scopa[precedence=fewest]", card, table).takes] == ["5C"]
    assert [str(taken) for taken in engine.captures("scopa[precedence=free]", card, table).takes] == ["2D 3D", "5C"]


def test_fifteen_knows_no_equal_card(engine: ModuleType) -> None:
    found = engine.captures("scopa_quindici", engine.parse_card("5S"), engine.parse_cards("5C"))
    assert (found.takes, found.lay) == ((), True)


def test_a_declared_seven_of_cups_is_an_equal_card_of_its_rank(engine: ModuleType) -> None:
    card, table = engine.parse_card("4D"), engine.parse_cards("7CAD3S")
    rules = "cirulla_2[precedence=single]"
    assert str(engine.captures(rules, card, table, matta=4).takes[-1]) == "7C"
    assert all("7C" not in str(taken) for taken in engine.captures(rules, card, table).takes if len(taken) == 1)
