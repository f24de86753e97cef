from collections.abc import Mapping, Sequence

from typing_extensions import disjoint_base

from scopa_fast.cards import CardSet
from scopa_fast.core.rng import Rng
from scopa_fast.core.state import State
from scopa_fast.core.view import SeatView
from scopa_fast.core.worlds import Worlds

RELUCTANCE: float
MOST_WORLDS: int

@disjoint_base
class Belief(Worlds):
    complete: bool
    effective: float
    def __init__(
        self, view: SeatView, *, count: int = 1000, temperature: float = 150.0, slip: float = 0.05, seed: int | Rng | None = None,
        exclude: Mapping[int, int | CardSet] | None = None, weights: Mapping[int, Sequence[float]] | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def world(self, number: int) -> State: ...
    @property
    def likelihoods(self) -> list[float]: ...
