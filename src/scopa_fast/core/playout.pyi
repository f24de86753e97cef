from typing import Any

import numpy as np
from typing_extensions import disjoint_base

from scopa_fast.arguments import DeclarationPolicy, Policy, RulesLike
from scopa_fast.core.rng import Rng
from scopa_fast.core.state import State
from scopa_fast.core.view import SeatView
from scopa_fast.results import PlayoutTotals

def playouts(
    start: RulesLike | State | SeatView,
    n: int,
    seed: int | Rng | None = None,
    *,
    policy: Policy = "uniform",
    declarations: DeclarationPolicy = "never",
    dealer: int | str | None = None,
    first: int = 0,
    threads: int = 1,
    out: np.ndarray[Any, np.dtype[np.int32]] | None = None,
) -> PlayoutTotals: ...

@disjoint_base
class Work:
    def play(self, first: int, count: int) -> bytes: ...
