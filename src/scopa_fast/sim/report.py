"""What a simulation found: shares, means and their 95 % intervals, as plain values that print as JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..bots.base import name_of
from ..results import ITEMS, PlayoutTotals
from .deals import Simulation

__all__ = ["Report", "mean_interval", "share_interval"]

Z95 = 1.959964
"""Standard errors on either side of an estimate that make a 95 % interval."""


def share_interval(count: int, n: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share of ``count`` in ``n``, which is sound for small counts as well."""
    share, z2 = count / n, Z95 * Z95
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return (max(0.0, middle - half), min(1.0, middle + half))


def mean_interval(total: int, squares: int, n: int) -> tuple[float, float] | None:
    """Return the 95 % interval of a mean from a sum and a sum of squares; None for fewer than two values."""
    if n < 2:
        return None
    mean = total / n
    half = Z95 * math.sqrt(max(0.0, (squares - total * mean) / (n - 1)) / n)
    return (mean - half, mean + half)


@dataclass(frozen=True)
class Report:
    """The totals of a simulation, whole or interrupted, and how long they took."""

    simulation: Simulation
    totals: PlayoutTotals
    seconds: float

    @property
    def is_complete(self) -> bool:
        """Whether every deal asked for was played."""
        return self.totals.deals == self.simulation.deals

    def items(self) -> list[str]:
        """Return the items these rules can score (PT-1 to PT-12), in the order of :data:`~scopa_fast.results.ITEMS`."""
        rules = self.totals.rules
        off = {
            "primiera": rules.primiera == "none",
            "palle_del_cane": not rules.palle_del_cane or rules.primiera == "none",
            "re_bello": not rules.re_bello,
            "sette_coppe": not rules.sette_coppe,
            "napola": rules.napola == "none",
            "grande": not rules.grande,
            "bonus": not (rules.hand_bonus and rules.hand == 3),
        }
        return [item for item in ITEMS if not off.get(item, False)]

    def is_shared(self, item: str) -> bool:
        """Whether several sides can score an item in one deal, so that "nobody" is not what is left over."""
        return item in ("scopa", "bonus") or (item in ("carte", "denari", "primiera") and self.totals.rules.tie_points == "all")

    def nobody(self, item: str) -> int | None:
        """Return the deals in which no side scored an item, None if the totals do not tell."""
        return None if self.is_shared(item) else self.totals.deals - sum(self.totals.won[item])

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON. Shares are 0..1, intervals are 95 %."""
        plan, totals, n = self.simulation, self.totals, self.totals.deals
        rules = totals.rules
        sides = [self._side(side) for side in range(len(rules.sides))]
        data: dict[str, Any] = {
            "rules": rules.text,
            "seed": plan.seed,
            "dealer": plan.dealer if plan.dealer == "rotate" else plan.dealer_of(0),
            "bots": [name_of(bot) for bot in plan.bots],
            "deals_asked": plan.deals,
            "deals": n,
            "complete": self.is_complete,
            "plays": totals.plays,
            "voids": totals.voids,
            "seconds": self.seconds,
            "deals_per_second": n / self.seconds,
            "plays_per_second": totals.plays / self.seconds,
            "ties": totals.ties,
            "tie_share": totals.ties / n,
            "tie_interval": share_interval(totals.ties, n),
            "sides": sides,
            "seats": [
                {"seat": seat, "side": side, "bot": name_of(plan.bots[seat])}
                | {name: sides[side][name] for name in ("wins", "win_share", "points_per_deal")}
                for seat, side in enumerate(rules.side_of)
            ],
            "items": {item: self._item(item) for item in self.items()},
        }
        if len(rules.sides) == 2:
            data["margin_per_deal"] = totals.margin / n
            data["margin_interval"] = mean_interval(totals.margin, totals.margin_squared, n)
        return data

    def _side(self, side: int) -> dict[str, Any]:
        totals, n = self.totals, self.totals.deals
        seats = totals.rules.sides[side]
        return {
            "side": side,
            "seats": list(seats),
            "bots": [name_of(self.simulation.bots[seat]) for seat in seats],
            "wins": totals.wins[side],
            "win_share": totals.wins[side] / n,
            "win_interval": share_interval(totals.wins[side], n),
            "points": totals.points[side],
            "points_per_deal": totals.points[side] / n,
            "points_interval": mean_interval(totals.points[side], totals.points_squared[side], n),
            "scopa_points_per_deal": totals.items["scopa"][side] / n,
        }

    def _item(self, item: str) -> dict[str, Any]:
        totals, n = self.totals, self.totals.deals
        return {
            "won": list(totals.won[item]),
            "won_share": [deals / n for deals in totals.won[item]],
            "nobody": self.nobody(item),
            "points": list(totals.items[item]),
            "points_per_deal": [points / n for points in totals.items[item]],
        }
