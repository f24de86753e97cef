"""Deals played out at random, and what they add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ..arguments import DeclarationPolicy, Policy, RulesLike, check_out, check_playouts, check_rules
from ..cards import cards_of, mask_of
from ..moves import Move
from ..position import Position, in_packet_order
from ..results import ITEMS, PlayoutTotals, Score
from ..rules import Rules
from ..view import SeatView
from .board import Board
from .rng import Rng, SeedLike, stream_under
from .state import State

__all__ = ["playouts"]

Choice = TypeVar("Choice")


def playouts(
    start: RulesLike | State | SeatView,
    n: int,
    seed: SeedLike = None,
    *,
    policy: Policy = "uniform",
    declarations: DeclarationPolicy = "never",
    dealer: int | str | None = None,
    first: int = 0,
    threads: int = 1,
    out: Any = None,
) -> PlayoutTotals:
    """Play out ``n`` deals at random and return their totals.

    :param start: rules (each deal is dealt afresh), a state (each playout begins there, hidden cards as they are), or a
        :class:`SeatView` (each playout deals the cards anew that its seat does not see, all ways equally likely).
    :param n: number of deals.
    :param seed: an int (or an Rng, whose state is used as the seed and then advanced by one draw, or None for fresh randomness);
        deal ``i`` uses the stream ``Rng(seed).spawn(first + i)``, so that totals do not depend on ``threads`` or on how deals are
        split into calls.
    :param policy: ``uniform`` over all legal card moves, or ``card_first``: a uniform card, then a uniform move of that card.
    :param declarations: ``never`` declared, ``always`` (for the most points, the rank at random), or ``uniform``: moves like any other.
    :param dealer: the first dealer of each fresh deal, by default the last seat; ``"rotate"`` makes it seat ``(first + i) % seats``.
    :param threads: worker threads (the reference uses one).
    :param out: an int32 array of shape (n, sides) that receives the points of each deal.
    :raises ValueError: on a bad n, policy, declarations, threads or out.
    :raises InvalidSeedError: if the seed is out of range.
    :raises InvalidSeatError: if there is no such dealer.
    """
    rules = start.rules if isinstance(start, (State, SeatView)) else check_rules(start)
    check_playouts(rules, isinstance(start, (State, SeatView)), n, policy, declarations, dealer, first, threads)
    check_out(out, n, len(rules.sides))
    base = _base_of(seed)

    tally = _Tally(rules)
    for i in range(n):
        rng = base.spawn(first + i)
        if isinstance(start, State):
            state, voids = start.clone(), 0
        elif isinstance(start, SeatView):
            state, voids = _deal_unseen(start.position, rng), 0
        else:
            state = State(rules, rng, dealer=(first + i) % rules.seats if isinstance(dealer, str) else dealer)
            voids = state.voids
        plays = state.plays_left
        while not state.is_terminal():
            state.play_unchecked(choose_move(state._board, policy, declarations, rng))
        score = state.score()
        tally.add(score, plays, voids)
        if out is not None:
            for side, points in enumerate(score.total):
                out[i, side] = points
    return tally.totals()


def _deal_unseen(position: Position, rng: Rng) -> State:
    """Return a state of a position whose unknown cards are dealt at random."""
    unseen = cards_of(position.unseen_mask)
    cards = [unseen[place] for place in rng.shuffled(len(unseen))]
    hands = list(position.hands)
    for seat, count in enumerate(position.hidden):
        hands[seat] |= mask_of(cards[:count])
        del cards[:count]
    stock = in_packet_order(position.rules, cards)
    return State.from_position(replace(position, hands=tuple(hands), stock=stock, hidden=(), hidden_stock=0))


def choose_move(board: Board, policy: Policy, declarations: DeclarationPolicy, rng: Rng) -> Move:
    """Return a random move of a board that has cards to play."""
    declarable = board.declarations() if declarations != "never" else []
    if declarable and declarations == "always":
        most = max(move.points for move in declarable)
        return _pick([move for move in declarable if move.points == most], rng)
    if policy == "uniform":
        return _pick(declarable + board.card_moves(), rng)
    # A declaration is a choice like a card, with one move; a card that may not be played (ACE-7) is none.
    choices = [[move] for move in declarable] + [board.moves_of(card) for card in sorted(board.hand)]
    return _pick(_pick([moves for moves in choices if moves], rng), rng)


def _pick(choices: Sequence[Choice], rng: Rng) -> Choice:
    return choices[rng.below(len(choices))]


class _Tally:
    """Totals that grow deal by deal."""

    def __init__(self, rules: Rules) -> None:
        sides = len(rules.sides)
        self.rules = rules
        self.deals = self.plays = self.voids = self.ties = self.margin = self.margin_squared = 0
        self.wins, self.points, self.points_squared = [0] * sides, [0] * sides, [0] * sides
        self.items = {item: [0] * sides for item in ITEMS}
        self.won = {item: [0] * sides for item in ITEMS}

    def add(self, score: Score, plays: int, voids: int) -> None:
        """Count a finished deal."""
        self.deals += 1
        self.plays += plays
        self.voids += voids
        if score.winner is None:
            self.ties += 1
        else:
            self.wins[score.winner] += 1
        margin = score.total[0] - score.total[1]
        self.margin += margin
        self.margin_squared += margin * margin
        for side, total in enumerate(score.total):
            self.points[side] += total
            self.points_squared[side] += total * total
            for item in ITEMS:
                points = score.points[item][side]
                self.items[item][side] += points
                self.won[item][side] += points > 0

    def totals(self) -> PlayoutTotals:
        """Return what was counted."""
        return PlayoutTotals(
            rules=self.rules,
            deals=self.deals,
            plays=self.plays,
            voids=self.voids,
            wins=tuple(self.wins),
            ties=self.ties,
            points=tuple(self.points),
            points_squared=tuple(self.points_squared),
            margin=self.margin,
            margin_squared=self.margin_squared,
            items={item: tuple(counts) for item, counts in self.items.items()},
            won={item: tuple(counts) for item, counts in self.won.items()},
        )


def _base_of(seed: SeedLike) -> Rng:
    """Return the stream under which the deals have theirs."""
    if isinstance(seed, Rng):
        base = Rng(seed.state)
        seed.next()
        return base
    return stream_under(seed)
