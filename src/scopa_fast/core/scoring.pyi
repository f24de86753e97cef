from collections.abc import Sequence

from scopa_fast.arguments import RulesLike
from scopa_fast.results import Score

def score_piles(
    rules: RulesLike,
    piles: Sequence[int],
    scope: Sequence[int] | None = None,
    bonus: Sequence[int] | None = None,
    unclaimed: int = 0,
) -> Score: ...
