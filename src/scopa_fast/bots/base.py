"""What a player is and what it may know: the :class:`Bot` protocol and the :class:`Turn` it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..cards import cards_of, full_mask
from ..engines import GameState, RandomStream, find_engine
from ..errors import IllegalMoveError
from ..moves import CAPTURED_MASK, CARD_SHIFT, KIND_DECLARE, KIND_PLAY, KIND_SHIFT, KIND_TO_PILE
from ..rules import Rules
from ..view import SeatView

__all__ = ["Bot", "Turn", "best_declarations", "is_declaration", "pick", "table_after"]


class Turn(NamedTuple):
    """What the seat to move knows: its own hand and what everybody has seen (PLAY-6), as plain masks.

    It holds nothing else: dealing the hidden cards differently gives the same ``Turn``.
    """

    rules: Rules
    seat: int
    hand: int
    """The own cards, a mask."""
    table: int
    piles: tuple[int, ...]
    """The cards won so far by each side: perfect recall of the captures (PLAY-6)."""
    exposed: tuple[int, ...]
    """By seat, the cards of a hand shown by declaring (CIR-4); 0 for the others."""
    scope: tuple[int, ...]
    plays_left: int
    """Cards still to be played in the deal, this one included."""
    last_capturer: int | None
    matta: int | None
    """The rank of the declared 7C until it is captured (CIR-6)."""
    moves: Sequence[int]
    """The legal moves in canonical order (DECK-8), declarations first."""
    scopas: frozenset[int]
    """Those of them that score a scopa."""

    @classmethod
    def from_state(cls, state: GameState) -> Turn:
        """Return what the seat to move of a state knows."""
        rules, seat, table, moves = state.rules, state.seat, state.table_mask, state.legal_move_ints()
        scopas = frozenset(
            move for move in moves
            if table and move & CAPTURED_MASK == table and move >> KIND_SHIFT & 3 == KIND_PLAY and state.is_scopa(move)
        )
        exposed = [0] * rules.seats
        for shown in state.exposed:
            exposed[shown] = state.hand_mask(shown)
        return cls(
            rules=rules, seat=seat, hand=state.hand_mask(seat), table=table,
            piles=tuple([state.pile_mask(side) for side in range(len(rules.sides))]),
            exposed=tuple(exposed), scope=state.scope, plays_left=state.plays_left,
            last_capturer=state.last_capturer, matta=state.matta, moves=moves, scopas=scopas,
        )

    @classmethod
    def from_view(cls, view: SeatView) -> Turn:
        """Return what a seat knows from its view, be it of a state or of a real table.

        :raises IllegalMoveError: if the seat is not to move.
        """
        rules, table, plays_left, matta, moves = view.rules, view.table_mask, view.plays_left, view.matta, view.legal_moves()
        if not moves:
            raise IllegalMoveError(f"seat {view.seat} has no move in '{view}'")
        captures, last = find_engine().captures, plays_left == 1
        scopas = set()
        for move in moves:
            if table and move.kind == "capture" and move.captured_mask == table:
                found = captures(rules, move.card, cards_of(table), matta=matta, last_play=last)
                if found.scopa[found.takes.index(move.captured)]:
                    scopas.add(int(move))
        return cls(
            rules=rules, seat=view.seat, hand=view.hand_mask, table=table,
            piles=tuple([view.pile_mask(side) for side in range(len(rules.sides))]),
            exposed=tuple([view.known_hand_mask(seat) if seat in view.exposed else 0 for seat in range(rules.seats)]),
            scope=view.scope, plays_left=plays_left, last_capturer=view.last_capturer, matta=matta,
            moves=[int(move) for move in moves], scopas=frozenset(scopas),
        )

    @property
    def unseen(self) -> int:
        """The cards neither in the own hand, on the table nor captured, as a mask."""
        seen = self.hand | self.table
        for pile in self.piles:
            seen |= pile
        return full_mask(self.rules.deck) & ~seen


class Bot(Protocol):
    """A player: it is shown a :class:`Turn` and answers with one of ``turn.moves``.

    A bot keeps no state and draws only from the generator it is handed, so that the same turn and the
    same generator give the same move.
    """

    @property
    def name(self) -> str:
        """The name :func:`find_bot` knows it by."""

    def choose(self, turn: Turn, rng: RandomStream) -> int:
        """Return one of the legal moves."""


def pick(choices: Sequence[int], rng: RandomStream) -> int:
    """Return one of the choices, each equally likely; a single one costs no draw."""
    return choices[rng.below(len(choices))] if len(choices) > 1 else choices[0]


def is_declaration(move: int) -> bool:
    """Whether a packed move declares a hand (CIR-4)."""
    return move >> KIND_SHIFT & 3 == KIND_DECLARE


def best_declarations(moves: Sequence[int]) -> list[int]:
    """Return the declarations for the most points among the legal moves (they differ in the rank of the 7C), if any."""
    declarations = [move for move in moves if is_declaration(move)]
    most = max((move & CAPTURED_MASK for move in declarations), default=0)
    return [move for move in declarations if move & CAPTURED_MASK == most]


def table_after(table: int, move: int) -> int:
    """Return the table that a move leaves, as a mask, before any leftovers are given away (END-2)."""
    captured = move & CAPTURED_MASK
    if captured or move >> KIND_SHIFT & 3 == KIND_TO_PILE:
        return table & ~captured
    return table | 1 << (move >> CARD_SHIFT & 63)
