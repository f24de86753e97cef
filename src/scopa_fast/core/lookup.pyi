from typing_extensions import disjoint_base

from scopa_fast.core.rules import NativeRules

@disjoint_base
class PackTable:
    def __new__(cls, ranks: int) -> PackTable: ...

@disjoint_base
class LookupTable:
    def __new__(cls, native: NativeRules) -> LookupTable: ...
