"""A fast engine for Scopa, Scopone and their relatives.

The rules run in compiled code; :mod:`scopa_fast.reference` has the same names in plain Python.
"""

from . import exports
from .core import (
    Match,
    Record,
    Rng,
    SeatView,
    State,
    capture_masks,
    captures,
    cpu_info,
    deal,
    declarations,
    playouts,
    score_piles,
    shuffled_deck,
    table_bonus,
)
from .exports import *  # noqa: F403  # its __all__ says which

__version__ = "0.1.0"

__all__ = [
    "Match",
    "Record",
    "Rng",
    "SeatView",
    "State",
    "capture_masks",
    "captures",
    "cpu_info",
    "deal",
    "declarations",
    "playouts",
    "score_piles",
    "shuffled_deck",
    "table_bonus",
]
__all__ += exports.__all__
