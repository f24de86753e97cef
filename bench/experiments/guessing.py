"""Card guessing: a search that takes a sweep passed over for a card not held."""

from __future__ import annotations

from dataclasses import dataclass

import scopa_fast as sf
from scopa_fast.bots import IsmctsBot
from scopa_fast.bots.base import is_declaration, table_after
from scopa_fast.bots.greedy import sweep_ranks
from scopa_fast.cards import make_card
from scopa_fast.core.search import ismcts
from scopa_fast.core.worlds import Worlds
from scopa_fast.errors import ImpossibleViewError
from scopa_fast.searches import SearchResult

__all__ = ["GuessingBot", "absent_cards", "guess_worlds"]


def absent_cards(view: sf.SeatView) -> dict[int, int]:
    """Return the cards, a mask for each seat, of all ranks with which it could have swept and scored when it played something else.

    For rules with one round, whose hands are all dealt at the beginning, without aces to the pile and declared cards.
    """
    moves = [move for move in view.moves if not is_declaration(move)]
    # Back to the table before the first known move, ...
    table = view.table_mask
    for move in reversed(moves):
        table = table | move.captured_mask if move.captured_mask else table & ~(1 << move.card)
    # ... and on from there.
    seats = view.rules.seats
    seat, left = (view.to_move - len(moves)) % seats, view.plays_left + len(moves)
    absent = dict.fromkeys(range(seats), 0)
    for move in moves:
        if move.captured_mask != table:
            for rank in sweep_ranks(view.rules, table, left):
                absent[seat] |= 0xF << make_card(rank, 0)
        table, seat, left = table_after(table, move), (seat + 1) % seats, left - 1
    return absent


def guess_worlds(view: sf.SeatView) -> Worlds:
    """Return the worlds of a view in which nobody holds a card of :func:`absent_cards`, or all its worlds if there is none."""
    exclude = {seat: cards & view.unseen_mask for seat, cards in absent_cards(view).items() if seat != view.seat}
    if any(exclude.values()):
        try:
            return Worlds(view, exclude=exclude)
        except ImpossibleViewError:
            pass
    return Worlds(view)


@dataclass(frozen=True)
class GuessingBot(IsmctsBot):
    """As ``ismcts``, but deals the hidden cards by :func:`guess_worlds`."""

    @property
    def name(self) -> str:
        """``guessing``."""
        return "guessing"

    def search(self, view: sf.SeatView, rng: sf.Rng) -> SearchResult:
        """Return the whole result of the search."""
        return ismcts(view, **vars(self), seed=rng, worlds=guess_worlds(view))
