"""A third opinion on captures: every subset of the table, filtered as docs/rules.md section 5 says. It shares no code with the engines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations

from scopa_fast import Rules

__all__ = ["NaiveTable", "naive_captures"]

Opinion = tuple[list[tuple[tuple[int, ...], int]], bool, bool]
"""The captured sets in canonical order, each with its scopa points; lay; to_pile."""


class NaiveTable:
    """The cards on a table and all their subsets, by sum."""

    def __init__(self, cards: Iterable[int], matta: int | None = None) -> None:
        self.cards = tuple(sorted(cards))
        self.matta = matta
        self.subsets: dict[int, list[tuple[int, ...]]] = defaultdict(list)
        for size in range(1, len(self.cards) + 1):
            for subset in combinations(self.cards, size):
                self.subsets[sum(map(self.value, subset))].append(subset)

    def value(self, card: int) -> int:
        """DECK-3, CIR-6."""
        return self.matta if card == 25 and self.matta else card // 4 + 1


def naive_captures(rules: Rules, card: int, table: NaiveTable, *, first_play: bool = False, last_play: bool = False) -> Opinion:
    """Return what may become of a card: the algorithm of section 5 and the scope of section 6, word by word."""
    value = table.value(card)
    ace = value == 1
    if rules.first_ace_ban and first_play and ace:  # ACE-7
        return [], False, False
    m: list[tuple[int, ...]] = [] if rules.capture == "fifteen" else list(table.subsets.get(value, ()))  # CAP-2
    if rules.precedence == "single" and any(len(s) == 1 for s in m):  # CAP-3
        m = [s for s in m if len(s) == 1]
    if rules.precedence == "fewest" and m:
        m = [s for s in m if len(s) == min(map(len, m))]
    f = [] if rules.capture == "match_or_sum" else list(table.subsets.get(15 - value, ()))  # CAP-6
    ordinary = set(m) | set(f)
    moves = set(ordinary)
    ace_on_table = any(table.value(other) == 1 for other in table.cards)
    if rules.ace_sweep and ace and table.cards and (not ace_on_table or rules.ace_on_table == "all"):  # ACE-1, ACE-2, ACE-6
        moves = {table.cards} if rules.capture == "match_or_sum" else moves | {table.cards}
    lay = not moves or not rules.forced  # CAP-4, CAP-8
    to_pile = rules.ace_sweep and ace and (rules.ace_to_pile == "any" or (rules.ace_to_pile == "empty" and not table.cards))  # ACE-4
    if to_pile and rules.ace_to_pile == "empty":
        lay = False

    def scopa(taken: tuple[int, ...]) -> int:
        if len(taken) < len(table.cards):  # SCO-1
            return 0
        if last_play and rules.last_play_scopa == "never":  # SCO-2, SCO-3
            return 0
        if taken not in ordinary and not rules.ace_sweep_scopa:  # ACE-3
            return 0
        return {"one": 1, "rank": value, "count": len(taken) + 1}[rules.scopa_value]  # SCO-4

    return [(taken, scopa(taken)) for taken in sorted(moves)], lay, to_pile
