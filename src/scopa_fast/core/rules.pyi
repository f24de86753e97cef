from typing_extensions import disjoint_base

from scopa_fast.rules import Rules

@disjoint_base
class NativeRules:
    @property
    def rules(self) -> Rules: ...
    def __new__(cls, rules: Rules) -> NativeRules: ...
