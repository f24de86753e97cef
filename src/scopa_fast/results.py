"""What the engines answer with: captures, dealt cards, scores and playout totals, as plain values. No rules in here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .cards import CardSet, format_card
from .rules import Rules

__all__ = ["ITEMS", "Captures", "Deal", "NewDeal", "PlayoutTotals", "Score"]

ITEMS = (
    "carte", "denari", "settebello", "primiera", "re_bello", "sette_coppe",
    "palle_del_cane", "napola", "grande", "scopa", "bonus",
)
"""The items of a score in the order they are listed (PT-1 to PT-12)."""


@dataclass(frozen=True)
class Captures:
    """All that may become of one card (rules.md section 5)."""

    takes: tuple[CardSet, ...]
    """Every legal captured set, in canonical order (DECK-8)."""
    scopa: tuple[int, ...]
    """Scopa points of each of them (SCO-1 to SCO-5)."""
    lay: bool
    """Whether the card may stay on the table (CAP-4, CAP-8)."""
    to_pile: bool
    """Whether it may go straight to its owner's pile (ACE-4)."""


@dataclass(frozen=True)
class NewDeal:
    """A shuffled pack and who deals it, after any void deals (DEAL-8)."""

    deck: tuple[int, ...]
    """All cards, the top one first."""
    dealer: int
    voids: int
    """Void deals that came before it."""


@dataclass(frozen=True)
class Deal:
    """The cards of a deck as they are dealt (rules.md section 3), void or not."""

    void: bool
    redealer: int | None
    """Who deals next if this deal is void (DEAL-8), else None."""
    first: int
    """The seat that plays first (SEAT-4)."""
    rounds: int
    hands: tuple[CardSet, ...]
    table: CardSet
    """The cards turned up, before any table bonus."""
    later: tuple[tuple[CardSet, ...], ...]
    """The hands of the rounds 2, 3, …, by seat."""
    table_bonus: int
    """Scopa points the dealer's side takes the table for (CIR-7, ESC-1); 0 in a void deal."""


@dataclass(frozen=True)
class Score:
    """The score of a deal, item by item and side by side (rules.md section 8)."""

    rules: Rules
    points: Mapping[str, tuple[int, ...]]
    """Points per side of each item of :data:`ITEMS`."""
    total: tuple[int, ...]
    cards: tuple[int, ...]
    coins: tuple[int, ...]
    prime: tuple[tuple[int, ...], ...]
    """(suits, sum) of each side, (0, 0) without cards (PRI-3); the eight counts with ``primiera=rank_count`` (PRI-5)."""
    cappotto: int | None
    """The side that took every coin, when that wins the match (PT-13)."""
    wiped: tuple[int, ...]
    """Sides whose match score falls to nothing (PT-14)."""
    unclaimed: CardSet
    """Cards that nobody captured (END-3)."""

    @property
    def winner(self) -> int | None:
        """The side with the most points, None if they are shared."""
        best = max(self.total)
        return self.total.index(best) if self.total.count(best) == 1 else None

    def explain(self) -> list[str]:
        """Return a line for each item that could be scored: who won it and why."""
        lines = []
        for item in ITEMS:
            won = self.points[item]
            reason = self._reason(item)
            if not any(won) and not reason:
                continue
            winners = ", ".join(f"side {side} {points:+d}" for side, points in enumerate(won) if points) or "nobody"
            lines.append(f"{item}: {winners}" + (f" ({reason})" if reason else ""))
        lines.append("total: " + ", ".join(f"side {side} {points}" for side, points in enumerate(self.total)))
        if self.cappotto is not None:
            lines.append(f"cappotto: side {self.cappotto} took every coin and wins the match (PT-13)")
        if self.wiped:
            lines.append(f"wiped out: side {', side '.join(map(str, self.wiped))} (PT-14)")
        if self.unclaimed:
            lines.append(f"unclaimed: {self.unclaimed} (END-3)")
        return lines

    def _reason(self, item: str) -> str:
        if item == "carte":
            return "-".join(map(str, self.cards)) + " cards"
        if item == "denari":
            return "-".join(map(str, self.coins)) + " coins"
        if item == "primiera" and self.rules.primiera != "none":
            if self.rules.primiera == "rank_count":
                return " v ".join(" ".join(map(str, counts)) for counts in self.prime) + " of 7 6 A 5 4 3 2 faces"
            return " v ".join(f"{total} in {suits} suits" for suits, total in self.prime)
        single = {"settebello": 24, "re_bello": 36 if self.rules.deck == "it40" else 48, "sette_coppe": 25}
        if item in single and (item == "settebello" or getattr(self.rules, item)):
            return format_card(single[item], self.rules.deck)
        return ""


@dataclass(frozen=True)
class PlayoutTotals:
    """What many played-out deals add up to. Totals of the same rules can be added with ``+``."""

    rules: Rules
    deals: int
    plays: int
    """Cards played."""
    voids: int
    """Void deals dealt again (DEAL-8)."""
    wins: tuple[int, ...]
    """Deals in which the side alone had the most points."""
    ties: int
    """Deals in which the most points were shared."""
    points: tuple[int, ...]
    """Points of each side."""
    points_squared: tuple[int, ...]
    """Squared points of each side."""
    margin: int
    """Points of side 0 minus side 1."""
    margin_squared: int
    items: Mapping[str, tuple[int, ...]]
    """Points of each side by item of :data:`ITEMS`."""
    won: Mapping[str, tuple[int, ...]]
    """Deals in which each side scored the item at all."""

    def __add__(self, other: PlayoutTotals) -> PlayoutTotals:
        if not isinstance(other, PlayoutTotals):
            return NotImplemented
        if other.rules != self.rules:
            raise ValueError(f"cannot add playouts of {other.rules.text} to those of {self.rules.text}")

        def plus(a: Any, b: Any) -> Any:
            if isinstance(a, Mapping):
                return {item: plus(a[item], b[item]) for item in a}
            return tuple(x + y for x, y in zip(a, b, strict=True)) if isinstance(a, tuple) else a + b

        names = [name for name in self.__dataclass_fields__ if name != "rules"]
        return PlayoutTotals(self.rules, **{name: plus(getattr(self, name), getattr(other, name)) for name in names})


