"""Captures of one card: how long it takes to list them, and that every one is there."""

from __future__ import annotations

import pytest

from scopa_fast import Rng, find_rules

RULES = ["scopa", "scopa_quindici", "cirulla_2", "scopa_8"]


def tables(rules, count, size):
    """Return (card, table mask) pairs, `size` random cards on each table."""
    rng = Rng(2024)
    for _ in range(count):
        pack = rng.shuffled(rules.cards)
        yield pack[0], sum(1 << card for card in pack[1 : size + 1])


@pytest.mark.benchmark(group="captures")
@pytest.mark.parametrize("preset", RULES)
def test_capture_masks(benchmark, engine, preset):
    rules = find_rules(preset)
    cases = list(tables(rules, 200, 5))

    def run():
        return sum(len(engine.capture_masks(rules, card, table)) for card, table in cases)

    found = benchmark(run)
    benchmark.extra_info["tables"] = len(cases)
    assert found == {"scopa": 156, "scopa_quindici": 308, "cirulla_2": 496, "scopa_8": 149}[preset]
