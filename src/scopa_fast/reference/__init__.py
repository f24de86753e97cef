"""The reference: all the rules in plain Python sets, to be read beside docs/rules.md and checked against it.

It has the names, signatures, errors and results of the native engine and imports nothing compiled, so that
``from scopa_fast import reference as sf`` stands in for ``import scopa_fast as sf``: slow, obvious, and the oracle of the tests.
"""

from __future__ import annotations

from typing import ClassVar

from .. import exports
from .. import match as _match
from .. import records as _records
from .. import view as _view
from ..exports import *  # noqa: F403  # its __all__ says which
from .captures import capture_masks, captures
from .deals import deal, shuffled_deck
from .declarations import declarations, table_bonus
from .playout import playouts
from .rng import Rng
from .scoring import score_piles
from .state import State

__all__ = [
    "Match",
    "Record",
    "Rng",
    "SeatView",
    "State",
    "capture_masks",
    "captures",
    "deal",
    "declarations",
    "playouts",
    "score_piles",
    "shuffled_deck",
    "table_bonus",
]
__all__ += exports.__all__


class SeatView(_view.SeatView):  # noqa: D101  # the docstring is the shared one
    __doc__ = _view.SeatView.__doc__
    __slots__ = ()
    state_class: ClassVar[type[State]] = State


class Match(_match.Match):  # noqa: D101  # the docstring is the shared one
    __doc__ = _match.Match.__doc__
    state_class: ClassVar[type[State]] = State


class Record(_records.Record):  # noqa: D101  # the docstring is the shared one
    __doc__ = _records.Record.__doc__
    state_class: ClassVar[type[State]] = State
