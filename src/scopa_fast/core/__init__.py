"""The native engine: what ``scopa_fast`` exports that runs compiled code."""

from __future__ import annotations

try:
    from .belief import Belief
    from .deals import capture_masks, captures, deal, declarations, shuffled_deck, table_bonus
    from .levels import cpu_info
    from .pimc import pimc
    from .playout import playouts
    from .rng import Rng
    from .scoring import score_piles
    from .search import ismcts, mcts
    from .solver import at_least, evaluate, solve, solve_batch, solve_moves
    from .state import State
    from .transpositions import SolverTable
    from .view import SeatView
    from .worlds import Worlds, count_worlds, sample
except ModuleNotFoundError as error:  # pragma: no cover - only in a tree that was never built
    raise ImportError(
        f"the compiled part of scopa_fast is missing ({error}): install the package with 'pip install .', "
        "which needs a C compiler and the Python headers (Debian: apt install build-essential python3-dev)"
    ) from error
from .. import match, records

__all__ = [
    "Belief", "Match", "Record", "Rng", "SeatView", "SolverTable", "State", "Worlds", "at_least", "capture_masks", "captures",
    "count_worlds", "cpu_info", "deal", "declarations", "evaluate", "ismcts", "mcts", "pimc", "playouts", "sample", "score_piles",
    "shuffled_deck", "solve", "solve_batch", "solve_moves", "table_bonus",
]


class Match(match.Match):  # noqa: D101  # the docstring is the shared one
    __doc__ = match.Match.__doc__
    state_class = State


class Record(records.Record):  # noqa: D101  # the docstring is the shared one
    __doc__ = records.Record.__doc__
    state_class = State
