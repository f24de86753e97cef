"""Declared hands and first tables: every hand of three and every table of four, on both engines and by a naive opinion."""

from __future__ import annotations

from itertools import combinations
from types import ModuleType
from typing import Any

import pytest

import scopa_fast as native
from scopa_fast import Rules, find_rules, reference

RULES = [
    find_rules("cirulla_2"),
    find_rules("cirulla_2", matta=False),
    find_rules("cirulla_2", hand_bonus_both="sum"),
    find_rules("cirulla_2", hand_bonus_both="sum", matta=False, table_bonus="escoba"),
    find_rules("escoba_2"),
    find_rules("escoba_2", matta=True),
    find_rules("scopa", hand_bonus=True, matta=True, table_bonus="cirulla"),
    find_rules("scopone", hand_bonus=True, matta=True, table_bonus="cirulla"),
    find_rules("scopone_scientifico", hand_bonus=True, matta=True, table_bonus="escoba"),
    find_rules("scopa_8"),
]
"""With and without each bonus and the wild 7C; hands of nine and ten, which declare nothing (CIR-1); tables that cannot be."""


def naive_declarations(rules: Rules, hand: tuple[int, ...]) -> list[tuple[int, int | None]]:
    """CIR-1 to CIR-5, word by word: (points, rank of the 7C) of each declaration."""
    if not rules.hand_bonus or rules.hand != 3:
        return []
    found: list[tuple[int, int | None]] = []
    wild = rules.matta and 25 in hand
    for rank in range(1, 11) if wild else [None]:
        values = [rank if rank and card == 25 else card // 4 + 1 for card in hand]
        nine, equal = sum(values) <= 9, values[0] == values[1] == values[2]
        if nine and equal:
            found.append((13 if rules.hand_bonus_both == "sum" else 10, rank))
        elif equal:
            found.append((10, rank))
        elif nine:
            found.append((3, rank))
    return sorted(found, key=lambda declaration: (declaration[0], declaration[1] or 0))


def naive_table_bonus(rules: Rules, table: tuple[int, ...]) -> int:
    """CIR-7 and ESC-1, word by word."""
    if rules.table_bonus == "none" or rules.table == 0:
        return 0
    if rules.table_bonus == "escoba":
        values = [card // 4 + 1 for card in table]
        halves = any(sum(part) == 15 for size in (1, 2, 3) for part in combinations(values, size))
        return 1 if sum(values) == 15 else 2 if sum(values) == 30 and halves else 0
    others = sum(card // 4 + 1 for card in table if card != 25)
    sums = {others} if 25 not in table else {others + rank for rank in (range(1, 11) if rules.matta else [7])}
    return 2 if 30 in sums else 1 if 15 in sums else 0


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_declarations_of_every_hand(rules: Rules) -> None:
    for number, hand in enumerate(combinations(range(40), 3)):
        mask = sum(1 << card for card in hand)
        expected = naive_declarations(rules, hand)
        for engine in (native, reference) if number % 3 == 0 or 25 in hand else (native,):
            got = [(move.points, move.matta) for move in engine.declarations(rules, mask)]
            assert got == expected, f"{engine.__name__}.declarations({rules.text!r}, {mask:#x}): {got}, naively {expected}"


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_table_bonus_of_every_first_table(rules: Rules) -> None:
    for number, table in enumerate(combinations(range(40), 4)):
        mask = sum(1 << card for card in table)
        expected = naive_table_bonus(rules, table)
        for engine in (native, reference) if number % 23 == 0 else (native,):
            got = engine.table_bonus(rules, mask)
            assert got == expected, f"{engine.__name__}.table_bonus({rules.text!r}, {mask:#x}): {got}, naively {expected}"


@pytest.mark.parametrize("size", [0, 1, 2, 4, 9])
def test_only_a_whole_hand_is_declared(engine: ModuleType, size: int) -> None:
    assert engine.declarations("cirulla_2", (1 << size) - 1) == []


@pytest.mark.parametrize("size", [0, 1, 3, 5])
def test_only_four_cards_are_a_first_table(engine: ModuleType, size: int) -> None:
    assert engine.table_bonus("cirulla_2", sum(1 << 4 * rank for rank in range(4, 4 + size))) == 0


@pytest.mark.parametrize(
    ("hand", "declared"),
    [
        ("ADACAS", ["+10"]), ("2D3D4D", ["+3"]), ("2D3D5D", []), ("RDRCRS", ["+10"]), ("AD2D7D", []),
        ("AD2C7C", ["+3=A", "+3=2", "+3=3", "+3=4", "+3=5", "+3=6"]),
        ("RDRC7C", ["+10=R"]), ("3D3C7C", ["+3=A", "+3=2", "+10=3"]), ("7D7S7C", ["+10=7"]),
    ],
)  # fmt: skip
def test_hands_that_may_be_declared(engine: ModuleType, hand: str, declared: list[str]) -> None:
    mask = engine.mask_of(engine.parse_cards(hand))
    assert [str(move) for move in engine.declarations("cirulla_2", mask)] == declared


def test_three_small_equal_cards_score_both_where_the_rules_say_so(engine: ModuleType) -> None:
    moves: Any = engine.declarations("cirulla_2[hand_bonus_both=sum]", 0b111)
    assert [str(move) for move in moves] == ["+13"]
