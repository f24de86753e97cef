"""What the players of a deal saw and chose, move by move: what inference learns from, and reads worlds by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from .cards import MATTA, cards_of
from .errors import InvalidPositionError
from .moves import Move
from .position import Position

__all__ = ["Decision", "decisions"]


@dataclass(frozen=True)
class Decision:
    """One move of a deal, as the seat that made it saw it."""

    view: Any
    """What it saw: a :class:`SeatView`, with the moves before it."""
    moves: tuple[Move, ...]
    """Its legal moves, in canonical order (DECK-8)."""
    move: Move
    """The one it made."""


def decisions(state: Any, moves: Iterable[int] | None = None) -> Iterator[Decision]:
    """Yield the decisions that led to a state, the first one first.

    For a world, a deal as it may have been, they are what each seat would have seen and chosen there:

    >>> from scopa_fast import Rng, State, Worlds
    >>> state = State("scopone", seed=1)
    >>> for _ in range(3):
    ...     state.play_index(0)
    >>> view = state.view(3)
    >>> [(decision.view.seat, str(decision.move)) for decision in decisions(Worlds(view).sample(Rng(1)), view.moves)]
    [(0, 'ADxAB'), (1, 'AC'), (2, '3D')]

    :param state: a state of either engine with cards left to play.
    :param moves: those that led to it, or the last of them; by default those played on the object. Who captured last before them is
        not known.
    :raises InvalidPositionError: if the state cannot come of the moves, or its deal is over.
    """
    position = state.position()
    # A view checks that each played card, and what it took, lie where the moves put them.
    view = state.view(position.seat)
    known = view.moves if moves is None else type(view).from_position(position, position.seat, moves).moves
    if not state.plays_left:
        raise InvalidPositionError(f"the deal is over, and its leftovers are not told apart from captures (END-2): '{position}'")
    first = _rewind(position, known)
    here = _play(state, first, known)
    won = [now - then for now, then in zip((*position.scope, *position.bonus), (*here.scope, *here.bonus), strict=True)]
    sides = len(position.rules.sides)
    first = replace(first, scope=tuple(won[:sides]), bonus=tuple(won[sides:]))
    if min(won, default=0) < 0 or _play(state, first, known) != replace(position, last_capturer=here.last_capturer):
        raise InvalidPositionError(f"the moves {' '.join(map(str, known))} cannot have led to the position '{position}'")
    return _decide(type(state).from_position(first), known)


def _decide(state: Any, moves: tuple[Move, ...]) -> Iterator[Decision]:
    for move in moves:
        yield Decision(state.view(state.seat), tuple(state.legal_moves()), move)
        state.play(move)


def _play(state: Any, first: Position, moves: tuple[Move, ...]) -> Position:
    """Return where moves lead.

    :raises InvalidPositionError: if one of them is not legal.
    """
    there = type(state).from_position(first)
    for move in moves:
        if not there.is_legal(move):
            raise InvalidPositionError(f"the move {move} is not legal in '{there}', and was to lead to '{state}'")
        there.play(move)
    found: Position = there.position()
    return found


def _rewind(position: Position, moves: tuple[Move, ...]) -> Position:
    """Return where moves began, without points."""
    rules, seat, table = position.rules, position.seat, position.table
    seats, hands, piles, stock = rules.seats, list(position.hands), list(position.piles), list(position.stock)
    exposed, matta = set(position.exposed), position.matta
    for move in reversed(moves):
        if move.is_declaration:
            exposed.discard(seat)
            matta = None if move.matta else matta
            continue
        if all(hand.bit_count() == rules.hand for hand in hands) and seat == (position.dealer + 1) % seats:
            # Before the hands were dealt they were in the stock (DEAL-5).
            order = [(seat + place) % seats for place in range(seats)]
            stock[:0] = [card for q in order for card in cards_of(hands[q])]
            hands, exposed = [0] * seats, set()
        seat = (seat - 1) % seats
        card, side = 1 << move.card, rules.side_of[seat]
        if move.captured_mask or move.kind == "to_pile":
            piles[side] &= ~(move.captured_mask | card)
            table |= move.captured_mask
            if (move.captured_mask | card) >> MATTA & 1:
                matta = _declared(moves)
        else:
            table &= ~card
        hands[seat] |= card
    return replace(
        position, hands=tuple(hands), table=table, piles=tuple(piles), stock=tuple(stock), seat=seat, exposed=tuple(sorted(exposed)),
        matta=matta, scope=(0,) * len(rules.sides), bonus=(0,) * len(rules.sides), last_capturer=None,
    )  # fmt: skip


def _declared(moves: tuple[Move, ...]) -> int | None:
    """Return the rank that the 7C was declared as, once in a deal (CIR-5), if it was."""
    return next((move.matta for move in moves if move.is_declaration and move.matta), None)
