from collections.abc import Callable
from typing import Any

from typing_extensions import disjoint_base

from scopa_fast.core.transpositions import SolverTable
from scopa_fast.core.transpositions import check_table as check_table
from scopa_fast.solutions import Progress

LOOK: float
TELL: float
SAVE: tuple[float, float, float]

@disjoint_base
class Searcher:
    def __new__(cls, *args: Any, **options: Any) -> Searcher: ...
    def prove(self, need: int) -> bool | None: ...

@disjoint_base
class Call:
    lower: int
    upper: int
    done: int
    total: int
    def __new__(cls, *args: Any, **options: Any) -> Call: ...
    def __init__(
        self, table: SolverTable | None, megabytes: int, threads: int, nodes: int | None, seconds: float | None,
        progress: Callable[[Progress], object] | None,
    ) -> None: ...
    def close(self) -> None: ...
