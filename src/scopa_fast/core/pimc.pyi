from typing import Any

from typing_extensions import disjoint_base

from scopa_fast.core.rng import Rng
from scopa_fast.core.view import SeatView
from scopa_fast.core.worlds import Worlds
from scopa_fast.searches import SearchResult

LOOK: float
MEGABYTES: int
COUNT: int
LISTED: int
MOST_WORLDS: int

def pimc(
    view: SeatView, *, count: int | None = None, seconds: float | None = None, exact_plays: int = 16, depth: int = 1, threads: int = 1,
    seed: int | Rng | None = None, worlds: Worlds | None = None,
) -> SearchResult: ...
@disjoint_base
class Averager:
    def __new__(cls, *args: Any, **options: Any) -> Averager: ...
    def work(self) -> None: ...
    def share(self, threads: int) -> None: ...
