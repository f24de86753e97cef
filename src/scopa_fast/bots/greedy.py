"""The greedy player: the beginner's strategy of Di Palma and Lanzi's Scopone study (arXiv 1807.06813), for every ruleset."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ..cards import MATTA, RANKS, RE_BELLO, SETTEBELLO, make_card, pack_size, rank_of, suit_of
from ..core import Rng, SeatView
from ..core.players import greedy_move
from ..rules import Rules

__all__ = ["GreedyBot", "card_values", "sweep_ranks"]

_PLAIN_VALUES = (16, 12, 13, 14, 15, 18, 29)
"""The primiera values of A 2 3 4 5 6 7 (PRI-2), with 29 instead of 21 for a seven; every higher rank is worth 10."""


@dataclass(frozen=True)
class GreedyBot:
    """Chooses, each step among the moves the one before left over, and at random among those the last one leaves:

    1. a move that scores a scopa;
    2. a move after which the next seat cannot sweep: no rank of :func:`sweep_ranks` can be in its hand;
    3. a capture rather than none;
    4. among captures, the largest sum of :func:`card_values` over the played and the captured cards;
       otherwise the smallest value of the played card.

    A hand that may be declared is declared, for the most points (CIR-4). What the next seat can hold are the cards not seen
    yet, without the hands that others showed by declaring; if it showed its own, exactly those.
    """

    @property
    def name(self) -> str:
        """``greedy``."""
        return "greedy"

    def choose(self, view: SeatView, rng: Rng) -> int:
        """Return the best of the legal moves."""
        return greedy_move(view, rng)


def card_values(rules: Rules) -> tuple[int, ...]:
    """Return what each card of the pack is worth to the greedy player.

    Its primiera value, but 29 for sevens; 10 more for coins; 139 for the settebello; 120 for the king of coins with ``re_bello``.
    """
    return _card_values(rules.deck, rules.re_bello)


@lru_cache(maxsize=4)
def _card_values(deck: str, re_bello: bool) -> tuple[int, ...]:
    values = []
    for card in range(pack_size(deck)):
        rank = rank_of(card)
        plain = _PLAIN_VALUES[rank - 1] if rank <= len(_PLAIN_VALUES) else 10
        values.append(plain + 10 * (suit_of(card) == 0))
    values[SETTEBELLO] = 139
    if re_bello:
        values[RE_BELLO[deck]] = 120
    return tuple(values)


def sweep_ranks(rules: Rules, table: int, plays_left: int, matta: int | None = None) -> frozenset[int]:
    """Return the ranks with which the next card would sweep a table and score.

    :param table: the cards on the table, a mask.
    :param plays_left: cards still to be played in the deal; the sweep of the last one scores only with SCO-3.
    :param matta: the rank of a declared 7C (CIR-6).
    """
    if not table or plays_left < 1 or (plays_left == 1 and rules.last_play_scopa == "never"):
        return frozenset()
    total = _sum(table, _card_ranks(matta))
    ranks = set()
    if rules.capture in ("match_or_sum", "cirulla") and total <= len(RANKS[rules.deck]):
        ranks.add(total)
    if rules.capture in ("fifteen", "cirulla") and 1 <= 15 - total <= 10:
        ranks.add(15 - total)
    # An ace's sweep is a threat only where it scores (ACE-3), and with an ace on the table only under ACE-2 "all".
    if rules.ace_sweep and rules.ace_sweep_scopa and (rules.ace_on_table == "all" or 1 not in _ranks_in(table, matta)):
        ranks.add(1)
    return frozenset(ranks)


def _ranks_in(cards: int, matta: int | None) -> set[int]:
    """Return the ranks of a mask's cards, a declared 7C counting as what it was declared (CIR-6)."""
    declared = set()
    if matta is not None and cards >> MATTA & 1:
        cards &= ~(1 << MATTA)
        declared.add(matta)
    return {rank for rank in range(1, 14) if cards >> make_card(rank, 0) & 0xF} | declared


@lru_cache(maxsize=16)
def _card_ranks(matta: int | None) -> tuple[int, ...]:
    ranks = [rank_of(card) for card in range(pack_size("fr52"))]
    if matta is not None:
        ranks[MATTA] = matta
    return tuple(ranks)


def _sum(cards: int, numbers: tuple[int, ...]) -> int:
    """Return the sum of the numbers of a mask's cards."""
    total = 0
    while cards:
        low = cards & -cards
        total += numbers[low.bit_length() - 1]
        cards ^= low
    return total
