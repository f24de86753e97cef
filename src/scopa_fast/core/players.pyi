from collections.abc import Iterable

from scopa_fast.core.rng import Rng
from scopa_fast.core.view import SeatView

CONVENTIONS: dict[str, int]

def greedy_move(view: SeatView, rng: Rng) -> int: ...
def cs_scores(view: SeatView, *, sevens: bool = False, conventions: Iterable[str] = ()) -> list[float]: ...
def cs_move(view: SeatView, rng: Rng, *, sevens: bool = False, conventions: Iterable[str] = ()) -> int: ...
