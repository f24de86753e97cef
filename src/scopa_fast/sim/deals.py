"""Playing many deals between bots, in chunks that can be shown, added up and stopped between."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from ..arguments import DeclarationPolicy, check_range, check_rules, check_threads
from ..bots import Bot, RandomBot, find_bot
from ..bots.base import FAULTS, ask, blame, check_bot, name_of
from ..core import Record, Rng, State, playouts, shuffled_deck
from ..errors import InvalidSeedError, ScopaError
from ..position import MASK64
from ..results import PlayoutTotals
from ..rules import Rules
from .tally import Tally

__all__ = ["Simulation", "play_deal", "seat_bots"]

CHUNK_SECONDS = 0.1
"""How long a chunk should take: short enough for a smooth progress bar and a quick Ctrl-C."""
FIRST_CHUNK = 64
PLAYER_STREAM = 1 << 32
"""The stream of seat ``q`` is number ``PLAYER_STREAM + q`` below the deal's own: no deal draws so many numbers,
so players never share one with the cards and the cards do not depend on who plays."""


@dataclass(frozen=True)
class Simulation:
    """Deals to be played between bots; the same fields give the same cards, plays and totals.

    :raises ScopaError: if there is not one bot for each seat.
    :raises InvalidSeatError: if there is no such dealer.
    :raises ValueError: on a bad number of deals or threads, or a seed out of range.
    """

    rules: Rules
    """Or their text."""
    deals: int
    seed: int
    bots: tuple[Bot, ...]
    """Who plays each seat."""
    dealer: int | Literal["rotate"] | None = None
    """Who deals: a seat, by default the last one, or ``rotate``: seat ``i % seats`` deals number ``i``."""
    threads: int = 1
    """Worker threads of native random playouts; other deals are played by one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", check_rules(self.rules))
        check_range(self.deals, "deals", 1, 1 << 53)
        check_range(self.seed, "seed", 0, MASK64, InvalidSeedError)
        check_threads(self.threads)
        for bot in self.bots:
            check_bot(bot)
        if len(self.bots) != self.rules.seats:
            raise ScopaError(f"{len(self.bots)} bots for the {self.rules.seats} seats of {self.rules.text}")
        if self.dealer is not None and self.dealer != "rotate":
            self.rules.check_seat(self.dealer, "dealer")

    def dealer_of(self, index: int) -> int:
        """Return who deals number ``index``, before any void deal moves it on (DEAL-8)."""
        if self.dealer == "rotate":
            return index % self.rules.seats
        return self.rules.seats - 1 if self.dealer is None else self.dealer

    def run(self, write: Callable[[Record], object] | None = None) -> Iterator[PlayoutTotals]:
        """Play the deals and yield the totals of each chunk; add them up for the whole.

        :param write: called with the record of each deal.
        :raises ScopaError: if a bot fails or makes no legal move.
        """
        # Random players need nothing but the engine's playouts, unless every move is to be kept.
        chunk = self._playouts if write is None and self._declarations() else self._loop
        first, count = 0, FIRST_CHUNK
        while first < self.deals:
            begun = time.perf_counter()
            totals = chunk(first, min(count, self.deals - first), write)
            seconds = max(time.perf_counter() - begun, 1e-6)
            yield totals
            first += totals.deals
            # At most eightfold: one slow or fast chunk says little about the next.
            count = max(1, min(8 * totals.deals, round(totals.deals * CHUNK_SECONDS / seconds)))

    def _declarations(self) -> str | None:
        """Return how everybody declares if all are random players alike, else None."""
        ways = {bot.declarations if isinstance(bot, RandomBot) else None for bot in self.bots}
        return ways.pop() if len(ways) == 1 else None

    def _playouts(self, first: int, count: int, _write: object) -> PlayoutTotals:
        declarations = cast(DeclarationPolicy, self._declarations())
        return playouts(self.rules, count, self.seed, declarations=declarations, dealer=self.dealer, first=first, threads=self.threads)

    def _loop(self, first: int, count: int, write: Callable[[Record], object] | None) -> PlayoutTotals:
        tally = Tally(self.rules)
        root = Rng(self.seed)
        until = time.perf_counter() + 2 * CHUNK_SECONDS
        for index in range(first, first + count):
            new = shuffled_deck(self.rules, self.seed, index, self.dealer_of(index))
            state = State.from_deck(self.rules, new.deck, new.dealer)
            stream = root.spawn(index)
            try:
                moves = play_deal(state, self.bots, [stream.spawn(PLAYER_STREAM + seat) for seat in range(self.rules.seats)])
            except FAULTS as error:
                raise blame(f"the bot {name_of(self.bots[state.seat])!r} in seat {state.seat} of deal {index}", error) from error
            tally.add(state.score(), self.rules.plays, new.voids)
            if write is not None:
                players = [name_of(bot) for bot in self.bots]
                write(Record(self.rules, new.deck, new.dealer, moves, seed=self.seed, index=index, players=players))
            if time.perf_counter() > until:
                break
        return tally.totals()


def play_deal(state: State, bots: Sequence[Bot], streams: Sequence[Rng]) -> list[int]:
    """Play a state to the end of its deal and return the moves.

    :param bots: who plays each seat. What one of them raises is raised as it is, and the state is the one it failed at.
    :param streams: the generator of each seat.
    :raises IllegalMoveError: if a bot makes no legal move.
    :raises ScopaError: if there is not one bot and one generator for each seat.
    """
    if not len(bots) == len(streams) == state.rules.seats:
        raise ScopaError(f"{len(bots)} bots and {len(streams)} generators for the {state.rules.seats} seats of {state.rules.text}")
    for bot in bots:
        check_bot(bot)
    moves = []
    while not state.is_terminal():
        move = ask(bots[state.seat], state, streams[state.seat])
        state.play(move)
        moves.append(move)
    return moves


def seat_bots(rules: Rules, names: Sequence[str], *, declarations: str = "never") -> tuple[Bot, ...]:
    """Return the bot of each seat from one name for all, one for each side or one for each seat.

    :param declarations: what random players do with a hand they may declare.
    :raises ScopaError: on an unknown name or another number of names.
    """
    bots = [find_bot(name, declarations=declarations) for name in names]
    if len(bots) == 1:
        return tuple(bots * rules.seats)
    if len(bots) == rules.seats:
        return tuple(bots)
    if len(bots) == len(rules.sides):
        return tuple(bots[side] for side in rules.side_of)
    counts = f"1, {len(rules.sides)} or {rules.seats}" if len(rules.sides) != rules.seats else f"1 or {rules.seats}"
    raise ScopaError(f"{len(bots)} bots ({', '.join(names)}) for {rules.text}: give {counts}")
