from typing import Any

from typing_extensions import disjoint_base

PLAIN: tuple[int, ...]
COIN: int
SETTEBELLO: int
RE_BELLO: int
KEPT: int

@disjoint_base
class ValueTable:
    def __new__(cls, *args: Any, **options: Any) -> ValueTable: ...
