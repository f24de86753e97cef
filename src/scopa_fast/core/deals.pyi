from collections.abc import Iterable

from scopa_fast.arguments import RulesLike
from scopa_fast.core.rng import Rng
from scopa_fast.moves import Move
from scopa_fast.results import Captures, Deal, NewDeal

def shuffled_deck(rules: RulesLike, seed: int | Rng | None = None, index: int = 0, dealer: int | None = None) -> NewDeal: ...
def deal(rules: RulesLike, deck: Iterable[int], dealer: int | None = None) -> Deal: ...
def captures(
    rules: RulesLike,
    card: int,
    table: Iterable[int],
    *,
    matta: int | None = None,
    first_play: bool = False,
    last_play: bool = False,
) -> Captures: ...
def capture_masks(rules: RulesLike, card: int, table_mask: int, *, matta: int | None = None) -> list[int]: ...
def declarations(rules: RulesLike, hand_mask: int) -> list[Move]: ...
def table_bonus(rules: RulesLike, table_mask: int) -> int: ...
