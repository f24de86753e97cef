"""Tournaments: pairings of players that play the same deals in every seating, on any number of threads and with one outcome."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
import time
import zlib
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any, NamedTuple

from ..arguments import check_range, check_rules, check_threads
from ..bots import Bot, find_bot
from ..bots.base import FAULTS, blame, check_bot, name_of
from ..core import Record, Rng, SeatView, State, shuffled_deck
from ..errors import InvalidSeedError, ScopaError
from ..position import MASK64
from ..rules import Rules
from ..workers import Workers
from .deal_file import FrozenDeals
from .deals import PLAYER_STREAM, play_deal
from .sequential import Decision, SequentialTest

__all__ = ["DealResult", "Entrant", "Results", "Tournament"]

MAX_PAIRINGS = 10_000
CHUNK_SECONDS = 0.1
"""How long a piece of work for a thread should take: long against the cost of handing it over, short for a smooth progress bar."""
CHUNKS_AHEAD = 2
"""Pieces of work handed out for each thread, so that none waits for the next."""


@dataclass(frozen=True)
class Entrant:
    """A player of a tournament; it sits at all seats of its side.

    :param label: the name it goes by, no other entrant's.
    """

    label: str
    bot: Bot

    def __post_init__(self) -> None:
        check_bot(self.bot)

    @classmethod
    def from_text(cls, text: str) -> Entrant:
        """Return the entrant of a bot's text, as :func:`~scopa_fast.bots.find_bot` reads it.

        :raises ScopaError: if there is no such bot.
        """
        return cls(text.strip(), find_bot(text))

    def about(self) -> dict[str, Any]:
        """Return what decides how it plays, as far as it tells: its name, settings and version, ready for JSON.

        The version of a bot that is not of the package, and has no attribute ``version``, is a checksum of the file it is in.
        """
        bot: Any = self.bot
        settings = dataclasses.asdict(bot) if dataclasses.is_dataclass(type(bot)) else dict(getattr(bot, "__dict__", {}))
        version = getattr(bot, "version", None) or _source_version(bot)
        about = {"label": self.label, "bot": name_of(bot), "settings": settings, "version": version}
        # What JSON lacks is told by its type: a text of it might be another one in every process.
        try:
            found: dict[str, Any] = json.loads(json.dumps(about, skipkeys=True, default=lambda value: type(value).__qualname__))
        except (ValueError, RecursionError):  # it holds itself
            found = about | {"settings": {str(name): type(value).__qualname__ for name, value in settings.items()}}
        return found

    @property
    def is_timed(self) -> bool:
        """Whether it thinks for a time (a setting ``seconds``), so that what it plays cannot be repeated."""
        return self.about()["settings"].get("seconds") is not None


class DealResult(NamedTuple):
    """What became of one deal of one pairing, in all seatings."""

    pairing: int
    """The number of the pairing."""
    deal: int
    points: tuple[tuple[int, ...], ...]
    """For each seating the points of each place of the pairing, not of each side."""
    moves: int
    """Moves in all seatings together, declarations included."""
    seconds: float


@dataclass(frozen=True)
class Tournament:
    """Deals to be played between entrants; the same fields but ``threads`` give the same cards, plays and points.

    A pairing is an entrant for each side: a pair if there are two. In seating ``s`` the entrant at place ``p`` of the pairing has
    the side ``(p + s) % sides``, so that everybody plays each deal once on each side. The cards of deal ``i`` are those of
    ``shuffled_deck(rules, seed, i)`` or frozen. The player in seat ``q`` draws from ``Rng(seed).spawn(i).spawn(2**32 + s * seats + q)``,
    whoever it is: so the first seating is what a :class:`Simulation` of the same bots plays, and each deal can be played alone.

    :raises ScopaError: if there are no or too many pairings, a label comes twice, or the frozen deals are of other rules, of another
        seed or too few.
    :raises InvalidSeedError: if the seed is out of range.
    """

    rules: Rules
    """Or their text."""
    entrants: tuple[Entrant, ...]
    deals: int
    """Deals of each pairing; fewer if a test decides earlier."""
    seed: int
    against: int | None = None
    """The entrant that each of the others is measured by: it stands last in each pairing. By default all play all and themselves."""
    test: SequentialTest | None = None
    """Ends a pairing when it is decided whether its first entrant is ahead."""
    frozen: FrozenDeals | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", check_rules(self.rules))
        for entrant in self.entrants:
            if not isinstance(entrant, Entrant):
                raise TypeError(f"entrants must be Entrants, not {type(entrant).__name__}: {entrant!r}")
        check_range(self.deals, "deals", 1, 1 << 53)
        check_range(self.seed, "seed", 0, MASK64, InvalidSeedError)
        check_threads(self.threads)
        labels = [entrant.label for entrant in self.entrants]
        for label in labels:
            if labels.count(label) > 1:
                raise ScopaError(f"the bot {label!r} is entered twice")
        if self.against is None:
            # Checked before they are listed: there may be very many.
            sides = len(self.rules.sides)
            count = math.comb(len(labels) + sides - 1, sides) if labels else 0
            if count > MAX_PAIRINGS:
                raise ScopaError(f"{count} pairings of {len(labels)} bots for {sides} sides, {self.rules.text}: at most {MAX_PAIRINGS}")
        elif self.against not in range(len(labels)):
            raise ScopaError(f"no bot number {self.against}: there are {len(labels)}")
        if not self.pairings:
            raise ScopaError(f"too few bots for a tournament: {', '.join(labels) or 'none'}")
        frozen = self.frozen
        if frozen is not None:
            if frozen.rules != self.rules or frozen.seed != self.seed:
                ours = f"{self.rules.text} with the seed {self.seed}"
                raise ScopaError(f"the frozen deals are of {frozen.rules.text} with the seed {frozen.seed}, not of {ours}")
            if len(frozen) < self.deals:
                raise ScopaError(f"{self.deals} deals asked for, and {len(frozen)} are frozen")

    @cached_property
    def pairings(self) -> tuple[tuple[int, ...], ...]:
        """The entrants of each pairing by place, as numbers."""
        sides = len(self.rules.sides)
        if self.against is None:
            return tuple(combinations_with_replacement(range(len(self.entrants)), sides))
        rest = (self.against,) * (sides - 1)
        return tuple((entrant, *rest) for entrant in range(len(self.entrants)) if entrant != self.against)

    @cached_property
    def tested(self) -> tuple[bool, ...]:
        """Whether each pairing has a test: one with itself only goes on as long as any other."""
        return tuple(self.test is not None and len(set(pairing)) > 1 for pairing in self.pairings)

    def labels(self, pairing: int) -> tuple[str, ...]:
        """Return the labels of a pairing's entrants by place."""
        return tuple(self.entrants[entrant].label for entrant in self.pairings[pairing])

    def about(self) -> dict[str, Any]:
        """Return all that decides the results, ready for JSON; how many deals are played does not."""
        return {
            "rules": self.rules.text, "seed": self.seed,
            "frozen": None if self.frozen is None else self.frozen.checksum,
            "against": "all" if self.against is None else self.entrants[self.against].label,
            "test": None if self.test is None else dataclasses.asdict(self.test),
            "entrants": [entrant.about() for entrant in self.entrants],
        }

    def lead(self, pairing: int, points: Sequence[Sequence[int]]) -> float:
        """Return the points by which the first entrant of a pairing is ahead of the mean of the others, averaged over the seatings.

        Of a pairing with itself it is the first place that counts.

        :param points: of each seating and place.
        """
        own, others = self.places(pairing)
        ahead = sum(sum(row[place] for place in own) for row in points) / len(own)
        behind = sum(sum(row[place] for place in others) for row in points) / len(others)
        return (ahead - behind) / len(points)

    def places(self, pairing: int) -> tuple[list[int], list[int]]:
        """Return the places of a pairing's first entrant and those of the others."""
        entrants = self.pairings[pairing]
        own = [place for place, entrant in enumerate(entrants) if entrant == entrants[0]]
        if len(own) == len(entrants):
            own = [0]
        return own, [place for place in range(len(entrants)) if place not in own]

    @property
    def is_repeatable(self) -> bool:
        """Whether it goes the same way every time: no entrant's moves depend on how fast it is."""
        return not any(entrant.is_timed for entrant in self.entrants)

    # Playing.

    def play(self, pairing: int, deal: int) -> DealResult:
        """Play one deal of one pairing in all seatings.

        :raises ScopaError: if a bot fails or makes no legal move.
        """
        return self._play(pairing, deal, None)

    def record(self, pairing: int, deal: int, seating: int) -> Record:
        """Play one deal of one pairing in one seating and return the record of the game.

        :raises ScopaError: if a bot fails or makes no legal move.
        """
        deck, dealer = self._cards(deal)
        moves = self._play_seating(State.from_deck(self.rules, deck, dealer), pairing, deal, seating, None)
        labels = self.labels(pairing)
        players = [labels[(side - seating) % len(labels)] for side in self.rules.side_of]
        return Record(self.rules, deck, dealer, moves, seed=self.seed, index=deal, players=players)

    def _cards(self, deal: int) -> tuple[Sequence[int], int]:
        if self.frozen is not None:
            return self.frozen.deck(deal), self.frozen.dealers[deal]
        new = shuffled_deck(self.rules, self.seed, deal)
        return new.deck, new.dealer

    def _play(self, pairing: int, deal: int, stop: Callable[[], bool] | None) -> DealResult:
        begun = time.perf_counter()
        first = State.from_deck(self.rules, *self._cards(deal))
        sides, points, moves = len(self.rules.sides), [], 0
        for seating in range(sides):
            state = first.clone()
            moves += len(self._play_seating(state, pairing, deal, seating, stop))
            total = state.score().total
            points.append(tuple([total[(place + seating) % sides] for place in range(sides)]))
        return DealResult(pairing, deal, tuple(points), moves, round(time.perf_counter() - begun, 6))

    def _play_seating(self, state: State, pairing: int, deal: int, seating: int, stop: Callable[[], bool] | None) -> list[int]:
        rules, entrants = self.rules, self.pairings[pairing]
        players = [self.entrants[entrants[(side - seating) % len(entrants)]] for side in rules.side_of]
        bots = [player.bot if stop is None else _Stoppable(player.bot, stop) for player in players]
        stream, lowest = Rng(self.seed).spawn(deal), PLAYER_STREAM + seating * rules.seats
        try:
            return play_deal(state, bots, [stream.spawn(lowest + seat) for seat in range(rules.seats)])
        except FAULTS as error:
            raise blame(f"the bot {players[state.seat].label!r} in seat {state.seat} of deal {deal}, seating {seating}", error) from error

    def run(
        self,
        results: Results | None = None,
        *,
        write: Callable[[list[DealResult]], object] | None = None,
        progress: Callable[[Results], object] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Results:
        """Play all that is not played yet, and return the results.

        :param results: of the deals that were played before; they are added to.
        :param write: called with new results, in the order in which they must be added to others.
        :param progress: called with the results so far, several times a second unless a deal takes longer.
        :param stop: asked before every move by all threads whether to stop early. Deals that are not finished are dropped then.
        :raises ScopaError: if a bot fails or makes no legal move.
        """
        results = Results(self) if results is None else results
        ended = False

        def stopping() -> bool:
            return ended or (stop is not None and stop())

        workers, came = Workers(self.threads), None
        waiting: deque[Future[list[DealResult] | None]] = deque()
        ahead, size = results.slot, 1
        try:
            while True:
                while ahead is not None and len(waiting) < CHUNKS_AHEAD * self.threads and not stopping():
                    slots: list[int] = []
                    while ahead is not None and len(slots) < size:
                        slots.append(ahead)
                        ahead = results.next_slot(ahead + 1)
                    waiting.append(workers.submit(self._play_slots, slots, stopping))
                if not waiting:
                    break
                done, new = waiting.popleft().result() or [], []
                for result in done:
                    # What was begun before its pairing was decided does not count: how much it is depends on the threads.
                    if results.slot == results.slot_of(result):
                        results.add(result)
                        new.append(result)
                if write is not None and new:
                    write(new)
                if progress is not None:
                    progress(results)
                if done:
                    seconds = sum(result.seconds for result in done) / len(done)
                    size = max(1, min(8 * size, int(CHUNK_SECONDS / max(seconds, 1e-9))))
                ended = results.slot is None
        finally:
            ended = True
            came = workers.close()
        if came is not None:
            raise came
        return results

    def _play_slots(self, slots: list[int], stop: Callable[[], bool]) -> list[DealResult]:
        done = []
        for slot in slots:
            deal, pairing = divmod(slot, len(self.pairings))
            try:
                done.append(self._play(pairing, deal, stop))
            except _Stopped:
                break
        return done


def _source_version(bot: Any) -> str | None:
    """Return a checksum of the file a bot's class is in, None for those of this package or without a file."""
    module = sys.modules.get(type(bot).__module__)
    path = getattr(module, "__file__", None)
    if module is None or path is None or module.__name__.partition(".")[0] == __name__.partition(".")[0]:
        return None
    try:
        return f"{zlib.crc32(Path(path).read_bytes()):08x}"
    except OSError:
        return None


class _Stopped(BaseException):
    """Ends a deal that nobody waits for any more; not an Exception, which would be the bot's."""


class _Stoppable:
    """A bot that is asked for no more moves once all are to stop."""

    name = "stoppable"

    def __init__(self, bot: Bot, stop: Callable[[], bool]) -> None:
        self.cheats = getattr(bot, "cheats", False)
        self._bot = bot
        self._stop = stop

    def choose(self, view: SeatView, rng: Rng) -> int:
        if self._stop():
            raise _Stopped
        return self._bot.choose(view, rng)


class Results:
    """The points of all deals played so far, two bytes for each number, and what a test has decided.

    Deals are added in one order: all pairings of deal 0, then of deal 1, without those that are decided. The place of one in it, its
    slot, is ``deal * pairings + pairing``.
    """

    def __init__(self, tournament: Tournament) -> None:
        count = len(tournament.pairings)
        self.tournament = tournament
        self.points = [array("h") for _ in range(count)]
        """For each pairing the points of each deal, seating and place, one after the other."""
        self.decisions: list[Decision | None] = [None] * count
        """What the test says of each pairing."""
        self.moves = [0] * count
        self.seconds = [0.0] * count
        self._sums = [(0, 0.0, 0.0)] * count
        self.slot: int | None = 0
        """The next deal to be added, None if all are."""

    def slot_of(self, result: DealResult) -> int:
        """Return the place of a result in the order."""
        return result.deal * len(self.points) + result.pairing

    def next_slot(self, slot: int) -> int | None:
        """Return the first place from one on that is to be played as far as is known, None if there is none."""
        plan, count = self.tournament, len(self.points)
        if plan.test is not None and any(plan.tested) and None not in self._open():
            return None
        while slot < plan.deals * count:
            if self.decisions[slot % count] is None:
                return slot
            slot += 1
        return None

    def _open(self) -> Iterator[Decision | None]:
        return (decision for decision, tested in zip(self.decisions, self.tournament.tested, strict=True) if tested)

    def add(self, result: DealResult) -> None:
        """Add the next deal.

        :raises ValueError: if it is another.
        """
        slot = self.slot_of(result)
        if slot != self.slot:
            raise ValueError(f"deal {result.deal} of pairing {result.pairing} is not the next, which is {self.expected()}")
        plan, pairing = self.tournament, result.pairing
        self.points[pairing].extend([points for row in result.points for points in row])
        self.moves[pairing] += result.moves
        self.seconds[pairing] += result.seconds
        if plan.tested[pairing] and plan.test is not None:
            lead = plan.lead(pairing, result.points)
            deals, total, squares = self._sums[pairing]
            self._sums[pairing] = (deals + 1, total + lead, squares + lead * lead)
            self.decisions[pairing] = plan.test.decide(*self._sums[pairing])
        self.slot = self.next_slot(slot + 1)

    def expected(self) -> str:
        """Say which deal is the next to be added."""
        if self.slot is None:
            return "none"
        deal, pairing = divmod(self.slot, len(self.points))
        return f"deal {deal} of {' v '.join(self.tournament.labels(pairing))}"

    def deals(self, pairing: int) -> int:
        """Return how many deals of a pairing were played."""
        return len(self.points[pairing]) // len(self.tournament.rules.sides) ** 2

    def evidence(self, pairing: int) -> float | None:
        """Return what the test knows of a pairing, None if it has no test."""
        test = self.tournament.test
        return test.evidence(*self._sums[pairing]) if test is not None and self.tournament.tested[pairing] else None
