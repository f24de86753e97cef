"""What a seat knows of the play after its own move: the cards left, and the chance that a seat will hold some of them.

Chances are hypergeometric: the cards that the seat cannot see are equally likely to be anywhere. Exposed hands are known (CIR-4),
and nothing is inferred from what the others played.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from math import comb

from ..cards import MATTA, RANKS, cards_of, full_mask, make_card
from ..core import SeatView, capture_masks, captures, score_piles
from ..moves import Move
from .base import table_after
from .greedy import sweep_ranks

__all__ = ["AfterMove", "chance_of_any"]


def chance_of_any(unseen: int, wanted: int, size: int) -> float:
    """Return the chance that a hand of ``size`` cards out of ``unseen`` ones holds at least one of ``wanted`` of them.

    >>> round(chance_of_any(27, 3, 9), 3)  # three cards of a rank in the three other hands of a nine-card game, one of them
    0.721
    """
    return 1.0 - comb(unseen - wanted, size) / comb(unseen, size)


class AfterMove:
    """What a seat knows of the deal once it has played a legal card move. Cards are masks, ranks capture values (CIR-6 for the 7C).

    :param view: what the seat sees before the move.
    """

    def __init__(self, view: SeatView, move: Move) -> None:
        self.view, self.move, self.rules = view, move, view.rules
        self.table_before, self.matta, self.side = view.table_mask, view.matta, view.side
        self.played = 1 << move.card
        self.hand = view.hand_mask & ~self.played
        self.table = table_after(self.table_before, move)
        """The table, before any leftovers are given away."""
        self.plays_left = view.plays_left - 1
        self.piles = tuple([view.pile_mask(side) for side in range(len(self.rules.sides))])
        """The piles before the move."""
        pack = full_mask(self.rules.deck)
        self.unseen = view.unseen_mask
        self.uncaptured_before = pack
        for pile in self.piles:
            self.uncaptured_before &= ~pile
        self.captures = move.captured_mask != 0
        self.won = move.captured_mask | self.played if self.captures or move.kind == "to_pile" else 0
        """What the own side gets by the move, leftovers of the deal included (END-2)."""
        self.last_capturer = self.side if self.captures else view.last_capturer
        if not self.plays_left and self.last_capturer == self.side:
            self.won |= self.table
        self.uncaptured = self.uncaptured_before & ~self.won
        self.next_seat = self.seat_after(1)
        self.next_is_rival = self.plays_left > 0 and self.rules.side_of[self.next_seat] != self.side

    def seat_after(self, plays: int) -> int:
        """Return the seat that makes the next play, or the one after it, and so on."""
        return (self.view.seat + plays) % self.rules.seats

    # Ranks.

    @cached_property
    def rank_masks(self) -> tuple[int, ...]:
        """The cards of each capture value, by value: a declared 7C is of the rank it was declared as (CIR-6)."""
        masks = [0] + [0xF << make_card(rank, 0) for rank in range(1, len(RANKS[self.rules.deck]) + 1)]
        if self.matta is not None:
            masks = [mask & ~(1 << MATTA) for mask in masks]
            masks[self.matta] |= 1 << MATTA
        return tuple(masks)

    def ranks_in(self, cards: int) -> tuple[int, ...]:
        """Return the ranks of some cards, lowest first."""
        return tuple([rank for rank, mask in enumerate(self.rank_masks) if mask & cards])

    def cards_of_ranks(self, ranks: Iterable[int]) -> int:
        """Return every card of some ranks, wherever it is."""
        cards = 0
        for rank in ranks:
            cards |= self.rank_masks[rank]
        return cards

    def sum_of(self, cards: int) -> int:
        """Return the sum of the capture values of some cards."""
        return sum(rank * (mask & cards).bit_count() for rank, mask in enumerate(self.rank_masks))

    def odd_ranks(self, cards: int) -> frozenset[int]:
        """Return the ranks of which there is an odd number among some cards."""
        return frozenset([rank for rank, mask in enumerate(self.rank_masks) if (mask & cards).bit_count() % 2])

    # Who holds what.

    def size(self, seat: int) -> int:
        """Return the number of cards a seat holds when its turn comes: those of the new round if it has none now (DEAL-2)."""
        left = self.hand.bit_count() if seat == self.view.seat else self.view.hand_size(seat)
        return left or (self.rules.hand if self.view.stock_size else 0)

    def known_hand(self, seat: int) -> int:
        """Return the cards a seat will hold when its turn comes if they are known, else 0."""
        return self.hand if seat == self.view.seat else self.view.known_hand_mask(seat)

    def may_hold(self, seat: int) -> int:
        """Return the cards that a seat may hold when its turn comes."""
        return self.known_hand(seat) or (self.unseen if self.size(seat) else 0)

    def chance(self, seat: int, cards: int, gone: int = 0) -> float:
        """Return the chance that a seat holds at least one of some cards when its turn comes.

        :param gone: cards that it is known not to hold, such as one that is played before.
        """
        known, size = self.known_hand(seat), self.size(seat)
        if known or not size:
            return float(known & cards & ~gone != 0)
        unseen = self.unseen & ~gone
        return chance_of_any(unseen.bit_count(), (unseen & cards).bit_count(), size)

    # What could be captured.

    def takers(self, cards: int, table: int, targets: int) -> int:
        """Return those of some cards that may take at least one of the targets from a table."""
        found = 0
        if not targets:
            return 0
        for mask in self.rank_masks:
            group = cards & mask
            # Cards of a rank take the same sets, so any one of them will do.
            if group and any(take & targets for take in capture_masks(
                self.rules, (group & -group).bit_length() - 1, table, matta=self.matta
            )):  # fmt: skip
                found |= group
        return found

    def scopa_points(self) -> int:
        """Return the scopa points of the move (SCO-1 to SCO-5), 0 if it is none."""
        if not self.captures or self.table:
            return 0
        found = captures(
            self.rules, self.move.card, cards_of(self.table_before), matta=self.matta, last_play=not self.plays_left
        )
        return int(found.scopa[found.takes.index(self.move.captured)])

    def sweepers(self, plays: int = 1) -> frozenset[int]:
        """Return the ranks that would sweep the new table, and score, if it still lay there at a later play: 1 is the next one."""
        return sweep_ranks(self.rules, self.table, self.plays_left - plays + 1, self.matta)

    @cached_property
    def sweep_chance(self) -> float:
        """The chance that the next seat can sweep and score."""
        return self.chance(self.next_seat, self.cards_of_ranks(self.sweepers()))

    # Points.

    @cached_property
    def _if_one_won_the_rest(self) -> list[Mapping[str, tuple[int, ...]]]:
        """The points of the deal, item by item, if a side won every card not captured before the move; for each side."""
        rest = self.uncaptured_before
        sides = range(len(self.piles))
        return [score_piles(self.rules, [pile | rest * (q == side) for q, pile in enumerate(self.piles)]).points for side in sides]

    def decided(self, item: str) -> bool:
        """Whether, before the move, a side was already sure to be the only one that scores an item (PT-1, PT-2, PRI-1)."""
        points = [won[item] for won in self._if_one_won_the_rest]
        return any(all(won[side] and won.count(0) == len(won) - 1 for won in points) for side in range(len(points)))
