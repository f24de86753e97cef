"""The score of a finished deal, primiera included."""

from __future__ import annotations

import pytest

from scopa_fast import Rng, find_rules


@pytest.mark.benchmark(group="scoring")
@pytest.mark.parametrize("preset", ["scopa", "scopa_americana", "milanese", "cirulla_2"])
def test_score_piles(benchmark, engine, preset):
    rules = find_rules(preset)
    rng = Rng(7)
    deals = []
    for _ in range(100):
        pack = rng.shuffled(40)
        half = sum(1 << card for card in pack[:20])
        deals.append((half, (1 << 40) - 1 - half))

    def run():
        return sum(engine.score_piles(rules, piles).points["primiera"][0] for piles in deals)

    won = benchmark(run)
    benchmark.extra_info["deals"] = len(deals)
    assert won == {"scopa": 49, "scopa_americana": 55, "milanese": 49, "cirulla_2": 49}[preset]
