"""Which engine runs: the native core or the pure-Python reference, found by name.

Both are modules with the same public names, so whatever takes an engine works with either.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Literal, Protocol, get_args

from .cards import CardSet
from .errors import ScopaError
from .protocol import DealState

__all__ = ["BACKENDS", "Backend", "GameState", "RandomStream", "find_engine"]

Backend = Literal["native", "reference"]

BACKENDS: tuple[Backend, ...] = get_args(Backend)


class RandomStream(Protocol):
    """The generator of either engine, as far as players use it."""

    def below(self, n: int, /) -> int:
        """Return a number in 0..n-1."""

    def spawn(self, index: int, /) -> RandomStream:
        """Return the stream number ``index`` below this one."""


class GameState(DealState, Protocol):
    """The state of either engine, as far as players and simulations use it."""

    @property
    def matta(self) -> int | None:
        """The rank the 7C was declared as, or None."""

    @property
    def exposed(self) -> tuple[int, ...]:
        """Seats that declared in this round."""

    def pile(self, side: int, /) -> CardSet:
        """Return the cards a side has won."""

    def hand_mask(self, seat: int, /) -> int:
        """Return the hand of a seat as a mask."""

    def legal_move_ints(self) -> list[int]:
        """Return the legal moves as packed ints in canonical order."""

    def is_scopa(self, move: int, /) -> bool:
        """Whether a legal move would score a scopa."""


def find_engine(name: str = "native") -> ModuleType:
    """Return the engine of a name: ``native`` is the package itself, ``reference`` is :mod:`scopa_fast.reference`.

    :raises ScopaError: if there is no such engine.
    """
    if name not in BACKENDS:
        raise ScopaError(f"no engine {name!r}: one of {', '.join(BACKENDS)}")
    return importlib.import_module("scopa_fast" if name == "native" else "scopa_fast.reference")
