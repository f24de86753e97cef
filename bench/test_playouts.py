"""Random deals from the shuffle to the score, on one core and on two."""

from __future__ import annotations

import time

import pytest
from rates import record_rate

from scopa_fast import PRESETS, find_rules, playouts, reference

DEALS = 5_000


@pytest.mark.benchmark(group="playouts", timer=time.process_time)
@pytest.mark.parametrize("preset", PRESETS)
def test_native(benchmark, preset):
    rules = find_rules(preset)
    totals = benchmark(playouts, rules, DEALS, 1)
    record_rate(benchmark, totals.plays)
    assert totals.deals == DEALS == sum(totals.wins) + totals.ties
    assert totals.plays == DEALS * rules.plays


@pytest.mark.benchmark(group="playouts", timer=time.process_time)
@pytest.mark.parametrize("preset", ["scopa", "scopone"])
def test_reference(benchmark, preset):
    rules = find_rules(preset)
    totals = benchmark.pedantic(reference.playouts, (rules, 20, 1), rounds=5)
    record_rate(benchmark, totals.plays)
    assert totals.plays == 20 * rules.plays


@pytest.mark.benchmark(group="threads", timer=time.perf_counter)
@pytest.mark.parametrize("threads", [1, 2])
def test_threads(benchmark, threads):
    totals = benchmark(playouts, "scopa", 100_000, 1, threads=threads)
    record_rate(benchmark, totals.plays)
    assert totals == playouts("scopa", 100_000, 1)
