"""What the exact solver's calls cost, with a fresh table each time, on positions from random play that cost about the median."""

from __future__ import annotations

import pytest
from solver import random_position

import scopa_fast as sf

pytestmark = pytest.mark.benchmark(group="solver")
TEN = "scopone_scientifico"


@pytest.fixture
def state() -> sf.State:
    return random_position(TEN, 16, 7)


@pytest.mark.parametrize(("plays", "seed"), [(12, 11), (16, 7), (20, 6)])
def test_solve_ending(benchmark, plays, seed):
    """Ten-card scopone, the value alone."""
    state = random_position(TEN, plays, seed)
    found = benchmark(sf.solve, state, line=False)
    benchmark.extra_info["nodes"] = found.nodes
    assert found.value == line_value(state)


@pytest.mark.parametrize(("preset", "seed"), [("scopa", 4), ("cirulla_2", 2), ("scopa_quindici", 7)])
def test_solve_deal(benchmark, preset, seed):
    """A whole deal, the value alone."""
    state = sf.State(preset, seed)
    found = benchmark(sf.solve, state, line=False)
    benchmark.extra_info["nodes"] = found.nodes
    assert found.value == line_value(state)


def test_solve_line(benchmark, state):
    assert benchmark(sf.solve, state).value == line_value(state)


def test_at_least(benchmark, state):
    """The question whose answer is only just yes."""
    assert benchmark(sf.at_least, state, line_value(state)) is True


def test_solve_moves(benchmark, state):
    found = benchmark(sf.solve_moves, state)
    assert found.value == line_value(state)
    assert found.best


def test_evaluate(benchmark):
    state = random_position(TEN, 20, 6)
    assert abs(benchmark(sf.evaluate, state) - line_value(state)) <= 3


def test_solve_kept_table(benchmark, state):
    """A position that the table knows already."""
    table = sf.SolverTable(16)
    first = sf.solve(state, line=False, table=table)
    assert benchmark(sf.solve, state, line=False, table=table).value == first.value


def test_solve_batch(benchmark):
    states = [random_position(TEN, 12, seed) for seed in range(32)]
    found = benchmark(sf.solve_batch, states)
    assert [one.value for one in found] == [line_value(state) for state in states]


def line_value(state):
    """Return the points of side 0 less those of side 1 when the best line is played."""
    state = state.clone()
    for move in sf.solve(state).line:
        state.play(move)
    score = state.score().total
    return score[0] - score[1]
