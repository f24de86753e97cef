"""A fast engine for Scopa, Scopone and their relatives.

The rules run in compiled code; :mod:`scopa_fast.reference` has the same names in plain Python.
"""

from . import exports
from .analysis import analyse, analyse_plays
from .core import (
    Belief,
    Match,
    Record,
    Rng,
    SeatView,
    SolverTable,
    State,
    Worlds,
    at_least,
    capture_masks,
    captures,
    count_worlds,
    cpu_info,
    deal,
    declarations,
    evaluate,
    ismcts,
    mcts,
    pimc,
    playouts,
    sample,
    score_piles,
    shuffled_deck,
    solve,
    solve_batch,
    solve_moves,
    table_bonus,
)
from .exports import *  # noqa: F403  # its __all__ says which
from .odds import match_odds
from .searches import Leaves, MoveStatistics, SearchResult
from .solutions import Analysis, MoveValue, MoveValues, PlayAnalysis, Progress, Solution

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "Belief",
    "Leaves",
    "Match",
    "MoveStatistics",
    "MoveValue",
    "MoveValues",
    "PlayAnalysis",
    "Progress",
    "Record",
    "Rng",
    "SearchResult",
    "SeatView",
    "Solution",
    "SolverTable",
    "State",
    "Worlds",
    "analyse",
    "analyse_plays",
    "at_least",
    "capture_masks",
    "captures",
    "count_worlds",
    "cpu_info",
    "deal",
    "declarations",
    "evaluate",
    "ismcts",
    "match_odds",
    "mcts",
    "pimc",
    "playouts",
    "sample",
    "score_piles",
    "shuffled_deck",
    "solve",
    "solve_batch",
    "solve_moves",
    "table_bonus",
]
__all__ += exports.__all__
