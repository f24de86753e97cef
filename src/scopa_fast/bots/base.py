"""What a player is: the :class:`Bot` protocol, and what bots share."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from copy import copy
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any, Protocol, cast

from ..core import Rng, SeatView, State
from ..errors import IllegalMoveError, ScopaError
from ..moves import CAPTURED_MASK, CARD_SHIFT, KIND_DECLARE, KIND_SHIFT, KIND_TO_PILE
from ..searches import SearchResult

__all__ = [
    "FAULTS", "Bot", "SearchBot", "ask", "best_declarations", "blame", "check_bot", "for_match", "is_declaration", "name_of", "own_moves",
    "pick", "table_after",
]


class Bot(Protocol):
    """A player: it is shown what its seat sees, and answers with a legal move.

    A bot keeps nothing from one move to the next, and draws only from the generator it is handed, so that the same view and the
    same generator give the same move. What it may know of the past is ``view.moves``.

    One that cheats has an attribute ``cheats`` that is true, and is shown a copy of the :class:`State` itself.
    """

    @property
    def name(self) -> str:
        """The name it goes by in tables and records."""

    def choose(self, view: SeatView, rng: Rng) -> int:
        """Return one of ``view.legal_moves()``, or a packed int of ``view.legal_move_ints()``."""


FAULTS = (Exception, SystemExit, GeneratorExit)
"""What a bot may raise that ends its game, and not the program."""
PACKAGE = str(Path(__file__).resolve().parents[1])


def ask(bot: Bot, state: State, rng: Rng) -> int:
    """Return the move that a bot wants to make; one that cheats is shown a copy of the state."""
    return bot.choose(cast(SeatView, state.clone()) if getattr(bot, "cheats", False) else state.view(state.seat), rng)


def name_of(bot: Bot) -> str:
    """Return the name of a bot, that of its class if it has none."""
    try:
        name = getattr(bot, "name", None)
    except FAULTS:
        name = None
    return name if isinstance(name, str) and name else type(bot).__name__


def blame(who: str, error: BaseException) -> ScopaError:
    """Return the error to raise when a bot failed: who it was, what it raised, and where, unless that was in this package."""
    try:
        text = str(error)
    except FAULTS:
        text = "an error without a text"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(PACKAGE)]
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    told = f"{who}: {type(error).__name__}: {text}{where}"
    return ScopaError("".join(letter if letter.isprintable() else " " for letter in told))


class SearchBot:
    """A bot that searches: its ``search`` returns a :class:`SearchResult`, whose move it plays."""

    def search(self, view: Any, rng: Rng) -> SearchResult:
        """Return the whole result of the search."""
        raise NotImplementedError

    def choose(self, view: Any, rng: Rng) -> int:
        """Return the move; an only one is not searched.

        :param view: what the seat sees, or the state for a bot that cheats.
        """
        moves = own_moves(view, State if getattr(self, "cheats", False) else SeatView)
        return moves[0] if len(moves) == 1 else self.search(view, rng).move


def own_moves(view: Any, kind: type[Any]) -> list[int]:
    """Return the legal moves of the seat to move, packed.

    :param kind: what the bot must be shown, a :class:`SeatView` or a :class:`State`.
    :raises IllegalMoveError: if there are none.
    """
    if not isinstance(view, kind):
        raise TypeError(f"the bot must be shown a {kind.__name__} of the native engine, not {type(view).__name__}: {view!r}")
    moves: list[int] = view.legal_move_ints()
    if not moves:
        raise IllegalMoveError(f"seat {view.seat} has no move in '{view}'")
    return moves


def check_bot(bot: Any) -> Bot:
    """Return a bot unchanged.

    :raises TypeError: if it has no method ``choose``.
    """
    if not callable(getattr(bot, "choose", None)):
        raise TypeError(f"a bot must have a method 'choose': {bot!r}")
    return cast(Bot, bot)


def for_match(bot: Bot, scores: Sequence[int]) -> Bot:
    """Return a bot that knows the match points of each side before the deal, if it plays by them; else the bot itself.

    Such a bot has an attribute ``scores``, which is set in a copy of it.
    """
    if not hasattr(bot, "scores"):
        return bot
    if is_dataclass(bot):
        return cast(Bot, replace(bot, scores=tuple(scores)))
    told: Any = copy(bot)
    told.scores = tuple(scores)
    return cast(Bot, told)


def pick(choices: Sequence[int], rng: Rng) -> int:
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
