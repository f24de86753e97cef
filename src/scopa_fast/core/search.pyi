from collections.abc import Callable, Sequence
from typing import Any

from typing_extensions import disjoint_base

from scopa_fast.core.rng import Rng
from scopa_fast.core.state import State
from scopa_fast.core.view import SeatView
from scopa_fast.core.worlds import Worlds
from scopa_fast.searches import Leaves, SearchResult

REWARDS: tuple[str, ...]
PLAYOUTS: tuple[str, ...]
CONSTANTS: dict[str, float]
MAX_ITERATIONS: int
TURN: int
LONG_TURN: int
ITERATIONS: dict[str, int]
MOST_REWARD: float
LEAST_NODES: int
SPARE: int
SPARE_ROOM: int

@disjoint_base
class Memory:
    def __new__(cls, *args: Any, **options: Any) -> Memory: ...

@disjoint_base
class Tree:
    done: int
    def __new__(cls, *args: Any, **options: Any) -> Tree: ...
    def grow(self, iterations: int) -> int: ...

@disjoint_base
class Plan:
    def __new__(cls, *args: Any, **options: Any) -> Plan: ...

def ismcts(
    view: SeatView, *, iterations: int | None = None, seconds: float | None = None, explore: float | None = None,
    reward: str = "difference", playout: str = "eps_greedy", epsilon: float = 0.3, trees: int = 1, threads: int = 1,
    seed: int | Rng | None = None, scores: Sequence[int] | None = None, nodes: int = ..., worlds: Worlds | None = None,
    evaluate: Callable[[Leaves], Any] | None = None, batch: int = 32,
) -> SearchResult: ...
def mcts(
    state: State, *, iterations: int | None = None, seconds: float | None = None, explore: float | None = None,
    reward: str = "difference", playout: str = "eps_greedy", epsilon: float = 0.3, trees: int = 1, threads: int = 1,
    seed: int | Rng | None = None, scores: Sequence[int] | None = None, nodes: int = ...,
    evaluate: Callable[[Leaves], Any] | None = None, batch: int = 32,
) -> SearchResult: ...
def describe(answer: Any) -> str: ...
def check_worlds(worlds: Worlds, view: SeatView) -> Worlds: ...
def check_settings(
    iterations: int | None, seconds: float | None, explore: float | None, reward: str, playout: str, epsilon: float, trees: int,
    threads: int, scores: Sequence[int] | None,
) -> None: ...
