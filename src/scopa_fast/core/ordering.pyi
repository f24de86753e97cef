from collections.abc import Mapping
from typing import Any

from typing_extensions import disjoint_base

WEIGHTS: dict[str, int | tuple[int, ...]]

@disjoint_base
class OrderTable:
    def __new__(cls, *args: Any, **options: Any) -> OrderTable: ...
    def weigh(self, weights: Mapping[str, Any]) -> None: ...
KEPT: int
