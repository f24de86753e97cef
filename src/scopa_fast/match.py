"""A match: deals added up until somebody wins (rules.md section 10). A wrapper over deals, never part of a state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from .arguments import RulesLike, check_dealer, check_int, check_range, check_rules
from .errors import InvalidRecordError, InvalidRulesError, InvalidSeatError, InvalidSeedError, ScopaError
from .position import GOLDEN, MASK64
from .protocol import DealState
from .results import Score
from .rules import Rules

if TYPE_CHECKING:
    from .records import Record

__all__ = ["Match", "Settlement", "settle"]

SHUTOUT = 7
"""Points of a sole leader that end the match against nothing, with ``shutout7`` (MAT-5)."""


@dataclass(frozen=True)
class Settlement:
    """The standing of a match after a deal."""

    scores: tuple[int, ...]
    """Match points of each side."""
    over: bool
    winners: tuple[int, ...]
    """The sides that won, empty until the match is over; more than one only by MAT-7."""
    next_dealer: int
    """Who deals next, also when the match is over (MAT-8)."""


def settle(
    rules: RulesLike, scores: Sequence[int], points: Sequence[int], *, coins: Sequence[int], dealer: int, deals_played: int
) -> Settlement:
    """Return the standing of a match after a deal, in the order of MAT-6.

    >>> settle("scopa", (10, 9), (1, 3), coins=(4, 6), dealer=0, deals_played=5)
    Settlement(scores=(11, 12), over=True, winners=(1,), next_dealer=1)

    :param scores: match points of each side before the deal.
    :param points: points of each side in the deal.
    :param coins: coins each side took in the deal (PT-13, PT-14).
    :param dealer: the seat that really dealt, after any void deals.
    :param deals_played: deals of the match so far, this one included (MAT-7).
    :raises InvalidSeatError: if there is no such dealer, or not one number for each side.
    :raises ScopaError: if the coins are not those of one pack, or deals_played is not positive.
    """
    rules = check_rules(rules)
    before, won, taken = (per_side(rules, values, what) for values, what in ((scores, "scores"), (points, "points"), (coins, "coins")))
    rules.check_seat(dealer, "dealer")
    check_range(deals_played, "deals_played (MAT-7, this deal included)", 1, 2**31, ScopaError)
    pack_coins = rules.cards // 4
    if min(taken) < 0 or sum(taken) > pack_coins:
        raise ScopaError(f"coins {taken} are not those of one {rules.deck} pack, which has {pack_coins}")

    after = tuple(score + point for score, point in zip(before, won, strict=True))
    # At most one side can take eight coins or more, of ten or of thirteen; so there is one order only.
    if rules.coins_wipe:
        for side, count in enumerate(taken):
            if count >= rules.coins_wipe:
                after = tuple(score if other == side else 0 for other, score in enumerate(after))
    if rules.coins_cappotto and pack_coins in taken:
        winners: tuple[int, ...] = (taken.index(pack_coins),)
    else:
        winners = _winners(rules, after, deals_played)
    return Settlement(after, bool(winners), winners, (dealer + 1) % rules.seats)


def _winners(rules: Rules, scores: tuple[int, ...], deals_played: int) -> tuple[int, ...]:
    """Return who has won by points alone (MAT-5, then MAT-7 or MAT-1 to MAT-3), or nobody."""
    best = max(scores)
    leaders = tuple(side for side, score in enumerate(scores) if score == best)
    if rules.shutout7 and len(leaders) == 1 and best >= SHUTOUT and scores.count(0) == len(scores) - 1:
        return leaders
    if rules.match_deals:
        return leaders if deals_played >= rules.match_deals else ()
    return leaders if best >= rules.target and len(leaders) == 1 else ()


class Match:
    """Deals played to a target: the running score, whose deal it is, and who has won.

    Get it from an engine (``scopa_fast.Match``), which sets the class of its states::

        match = Match("scopa")
        while not match.over:
            state = match.deal(seed, index=match.deals_played)
            ...                                   # play it out
            match.add(state)

    :param rules: a :class:`Rules` or its text.
    :param dealer: who deals first, by default the last seat, so that seat 0 leads (SEAT-4).
    :param scores: match points to begin with, by default none.
    :param deals_played: deals that made up those points (MAT-7).
    :raises InvalidSeatError: if there is no such dealer, or not one score for each side.
    """

    state_class: ClassVar[type[DealState]]

    def __init__(
        self, rules: RulesLike = "scopa", *, dealer: int | None = None, scores: Sequence[int] | None = None, deals_played: int = 0
    ) -> None:
        self._rules = check_rules(rules)
        self._dealer = check_dealer(self._rules, dealer)
        self._scores = (0,) * len(self._rules.sides) if scores is None else per_side(self._rules, scores, "scores")
        self._deals_played = check_range(deals_played, "deals_played", 0, 2**31, ScopaError)
        self._winners = _winners(self._rules, self._scores, deals_played)

    @classmethod
    def from_records(cls, records: Iterable[Record], *, deals_played: int = 0) -> Match:
        """Return the match of the records of its deals, in order, the first one's ``scores_before`` included.

        :param deals_played: deals before the first record, which made up those scores (MAT-7).
        :raises InvalidRecordError: if there is none, one is of other rules, or ``scores_before`` disagrees with the deals before it.
        :raises DealNotOverError: if one stops before the last card.
        :raises ScopaError: if there are more after the match was won.
        """
        match: Match | None = None
        for record in records:
            if match is None:
                match = cls(record.rules, dealer=record.dealer, scores=record.scores_before, deals_played=deals_played)
            if record.scores_before not in (None, match.scores):
                raise InvalidRecordError(
                    f"record {record.id!r} (deal {match.deals_played + 1} of the match) begins at {record.scores_before}, "
                    f"but the deals before it add up to {match.scores}"
                )
            if record.rules != match.rules:
                raise InvalidRecordError(f"record {record.id!r} is of {record.rules.text}, not {match.rules.text}")
            match.add(record.final_state())
        if match is None:
            raise InvalidRecordError("no records: a match has at least one deal")
        return match

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._rules

    @property
    def scores(self) -> tuple[int, ...]:
        """Match points of each side."""
        return self._scores

    @property
    def dealer(self) -> int:
        """The seat that deals next; void deals may still move it (DEAL-8)."""
        return self._dealer

    @property
    def deals_played(self) -> int:
        """Deals that were scored."""
        return self._deals_played

    @property
    def over(self) -> bool:
        """Whether somebody has won."""
        return bool(self._winners)

    @property
    def winners(self) -> tuple[int, ...]:
        """The sides that won; empty until the match is over."""
        return self._winners

    def deal(self, seed: Any = None, index: int = 0) -> DealState:
        """Return a fresh state dealt by :attr:`dealer`: deal number ``index`` under a seed. The match does not change.

        :param seed: an int, an ``Rng`` (which advances; then index must be 0), or None for fresh randomness.
        :raises InvalidSeedError: if the seed or index is out of range.
        :raises ScopaError: if the match is over.
        """
        self._check_running("no more deals")
        check_range(index, "index", 0, 1 << 63, InvalidSeedError)
        if isinstance(seed, int):
            # Streams are spaced by GOLDEN, so deal i under s is deal 0 under s + i * GOLDEN (docs/randomness.md).
            seed = check_range(seed, "seed", 0, MASK64, InvalidSeedError) + index * GOLDEN & MASK64
        elif seed is not None and index:
            raise InvalidSeedError(f"index {index} goes with an int seed only: an Rng deals from where it is")
        return self.state_class(self._rules, seed, dealer=self._dealer)

    def add(self, state: DealState) -> Settlement:
        """Score a finished deal, pass the deal on from the seat that really dealt (MAT-8), and return the standing.

        :raises DealNotOverError: before the last card (MAT-4).
        :raises InvalidRulesError: if the deal is of other rules.
        :raises ScopaError: if the match is over.
        """
        return self.add_score(state.score(), dealer=state.dealer)

    def add_score(self, score: Score, *, dealer: int | None = None) -> Settlement:
        """Add the score of a deal whose state is no longer at hand, dealt by :attr:`dealer` unless another seat did.

        :raises InvalidRulesError: if the deal is of other rules.
        :raises InvalidSeatError: if there is no such dealer.
        :raises ScopaError: if the match is over.
        """
        self._check_running("no deal can be added")
        if score.rules != self._rules:
            raise InvalidRulesError(f"a deal of {score.rules.text} in a match of {self._rules.text}")
        settlement = settle(
            self._rules, self._scores, score.total, coins=score.coins,
            dealer=self._dealer if dealer is None else dealer, deals_played=self._deals_played + 1,
        )
        self._scores, self._winners, self._dealer = settlement.scores, settlement.winners, settlement.next_dealer
        self._deals_played += 1
        return settlement

    def _check_running(self, refusal: str) -> None:
        if self._winners:
            raise ScopaError(f"{refusal}: the match is over ({self!r})")

    def __repr__(self) -> str:
        won = f", won by side {' and '.join(map(str, self._winners))}" if self._winners else ""
        scores = "-".join(map(str, self._scores))
        return f"<{type(self).__name__} {self._rules.text}: {scores} after {self._deals_played} deals, dealer {self._dealer}{won}>"


def per_side(rules: Rules, values: Sequence[int], what: str) -> tuple[int, ...]:
    numbers = tuple(check_int(value, what) for value in values)
    if len(numbers) != len(rules.sides):
        raise InvalidSeatError(f"{len(numbers)} {what} for the {len(rules.sides)} sides of {rules.text} (SEAT-2): {values!r}")
    return numbers
