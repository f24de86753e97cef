import os
from collections.abc import Callable, Iterable

from typing_extensions import disjoint_base

from scopa_fast.core.call import LOOK as LOOK
from scopa_fast.core.call import SAVE as SAVE
from scopa_fast.core.call import TELL as TELL
from scopa_fast.core.call import Call
from scopa_fast.core.state import State
from scopa_fast.core.transpositions import SolverTable
from scopa_fast.solutions import MoveValues, Progress, Solution

def solve(
    state: State, *, line: bool = True, table: SolverTable | None = None, megabytes: int = 64, threads: int = 1, nodes: int | None = None,
    seconds: float | None = None, save: str | os.PathLike[str] | None = None, progress: Callable[[Progress], object] | None = None,
) -> Solution: ...
def solve_moves(
    state: State, *, table: SolverTable | None = None, megabytes: int = 64, threads: int = 1, nodes: int | None = None,
    seconds: float | None = None, progress: Callable[[Progress], object] | None = None,
) -> MoveValues: ...
def at_least(
    state: State, points: int, *, table: SolverTable | None = None, megabytes: int = 64, threads: int = 1, nodes: int | None = None,
    seconds: float | None = None, progress: Callable[[Progress], object] | None = None,
) -> bool | None: ...
def solve_batch(
    states: Iterable[State], *, line: bool = False, threads: int = 1, megabytes: int = 16, nodes: int | None = None,
    seconds: float | None = None, progress: Callable[[Progress], object] | None = None,
) -> list[Solution]: ...
def evaluate(state: State, depth: int = 4) -> int: ...
def check_state(state: object) -> None: ...
@disjoint_base
class Batch:
    def work(self, call: Call) -> None: ...
    def wait(self, progress: Callable[[Progress], object] | None) -> None: ...
def reach(state: State) -> tuple[int, int]: ...
