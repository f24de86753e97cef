"""Declared hands and the bonus of the first table: section 9 of the rules."""

from __future__ import annotations

from itertools import combinations

from ..arguments import RulesLike, check_rules
from ..cards import MATTA, rank_of
from ..moves import Move
from ..rules import Rules
from .captures import Cards, card_value, set_of

__all__ = ["declarations", "find_declarations", "first_table_bonus", "table_bonus"]


def hand_points(rules: Rules, values: list[int]) -> int:
    """Return what three cards of these values may be declared for, 0 for nothing (CIR-1 to CIR-3)."""
    small = sum(values) <= 9
    equal = len(set(values)) == 1
    if small and equal:
        return 13 if rules.hand_bonus_both == "sum" else 10
    return 10 if equal else 3 if small else 0


def find_declarations(rules: Rules, hand: Cards) -> list[Move]:
    """Return the declarations of a whole hand, by points and then rank (DECK-8)."""
    if not rules.hand_bonus or rules.hand != 3 or len(hand) != 3:
        return []
    # CIR-5: a 7C may stand for any rank, its own included; without it, or without the option, there is nothing to choose.
    ranks: list[int | None] = [*range(1, 11)] if rules.matta and MATTA in hand else [None]
    found = []
    for rank in ranks:
        points = hand_points(rules, [card_value(card, rank) for card in hand])
        if points:
            found.append(Move.declare(points, rank))
    return sorted(found, key=lambda move: (move.points, move.matta or 0))


def first_table_bonus(rules: Rules, table: Cards) -> int:
    """Return the scopa points of the dealer's side for the first table, which it then takes (CIR-7, ESC-1)."""
    if rules.table == 0 or len(table) != 4:  # OPT-1: with hand=10 there is no table to have a bonus
        return 0
    values = [rank_of(card) for card in table]
    if rules.table_bonus == "escoba":
        if sum(values) == 30:  # two groups of 15: two pairs, for no single card is worth 15
            return 2 if any(sum(pair) == 15 for pair in combinations(values, 2)) else 0
        return 1 if sum(values) == 15 else 0
    if rules.table_bonus == "cirulla":
        ranks: list[int | None] = [*range(1, 11)] if rules.matta and MATTA in table else [None]
        sums = {sum(card_value(card, rank) for card in table) for rank in ranks}
        return 2 if 30 in sums else 1 if 15 in sums else 0
    return 0


def declarations(rules: RulesLike, hand_mask: int) -> list[Move]:
    """Return the declarations a whole hand allows at the start of a round, by points and then rank (CIR-1 to CIR-5).

    :raises InvalidCardError: if a card is outside the pack.
    """
    rules = check_rules(rules)
    return find_declarations(rules, set_of(hand_mask, rules))


def table_bonus(rules: RulesLike, table_mask: int) -> int:
    """Return the scopa points the dealer's side scores on the four cards first turned up (CIR-7, ESC-1), 0 for none.

    :raises InvalidCardError: if a card is outside the pack.
    """
    rules = check_rules(rules)
    return first_table_bonus(rules, set_of(table_mask, rules))
