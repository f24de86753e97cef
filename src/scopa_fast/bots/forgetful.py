"""A player with a human memory: another one that has forgotten which cards went long ago."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..arguments import check_range
from ..cards import cards_of, mask_of
from ..core import Rng, SeatView
from ..moves import CAPTURED_MASK
from .base import Bot, for_match, is_declaration, own_moves

__all__ = ["ForgetfulBot", "forget"]


@dataclass(frozen=True)
class ForgetfulBot:
    """Plays as another bot would that remembers the captures of the last plays only (:func:`forget`).

    :param bot: the text of the bot, as :func:`find_bot` reads it; it must not cheat.
    :param plays: how many plays it remembers, those of all seats counted.
    :raises ScopaError: if there is no such bot.
    :raises ValueError: if it cheats, or on a bad number.
    """

    bot: str = "cs"
    plays: int = 8
    scores: tuple[int, ...] | None = None
    """Match points before the deal, passed on to the bot."""
    _inner: Bot = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        from .find import find_bot

        check_range(self.plays, "plays", 0, 1000)
        inner = find_bot(self.bot)
        if getattr(inner, "cheats", False):
            raise ValueError(f"the bot {self.bot!r} sees all cards: it has nothing to forget")
        object.__setattr__(self, "_inner", inner if self.scores is None else for_match(inner, self.scores))

    @property
    def name(self) -> str:
        """``forgetful``."""
        return "forgetful"

    def choose(self, view: SeatView, rng: Rng) -> int:
        """Return the move of the bot on what it remembers."""
        own_moves(view, SeatView)
        return self._inner.choose(forget(view, self.plays, rng), rng)


def forget(view: SeatView, plays: int, rng: Rng) -> SeatView:
    """Return a view with other cards in the place of those that were won before the last plays: random ones of all that may be there.

    So it looks to who remembers how many cards each side has won, but not which: the cards that were forgotten and those that nobody
    has seen are one heap, dealt anew. Own cards, the table, hands that were shown, points and the last plays are as they were.

    :param plays: how many of the last plays are remembered.
    """
    moves = list(view.moves)
    cut, kept = len(moves), 0
    while cut and (kept < plays or is_declaration(moves[cut - 1])):
        cut -= 1
        kept += not is_declaration(moves[cut])
    remembered = 0
    for move in moves[cut:]:
        if not is_declaration(move) and (move & CAPTURED_MASK or move.kind == "to_pile"):
            remembered |= move & CAPTURED_MASK | 1 << move.card
    position = view.position
    forgotten = [pile & ~remembered for pile in position.piles]
    heap = view.unseen_mask
    for mask in forgotten:
        heap |= mask
    known = cards_of(heap)
    cards = [known[i] for i in rng.shuffled(len(known))]
    piles = []
    for pile, mask in zip(position.piles, forgotten, strict=True):
        count = mask.bit_count()
        piles.append(pile & ~mask | mask_of(cards[:count]))
        del cards[:count]
    return SeatView.from_position(replace(position, piles=tuple(piles)), view.seat, moves[cut:])
