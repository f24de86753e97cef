"""What a bot written in Python pays for each call: moves, plays, copies."""

from __future__ import annotations

import random

import pytest
from rates import record_rate

PRESETS = ["scopa", "scopone_scientifico", "cirulla_2"]
pytestmark = [pytest.mark.benchmark(group="scalar"), pytest.mark.parametrize("preset", PRESETS)]


def test_list_and_play(benchmark, engine, preset):
    """List the moves, pick one with Python's random numbers, play it: to the end of a deal."""
    start = engine.State(preset, seed=5)
    plays = start.plays_left

    def run():
        rng = random.Random(1)
        state = start.clone()
        played = 0
        while not state.is_terminal():
            moves = state.legal_move_ints()
            state.play(moves[int(rng.random() * len(moves))])
            played += 1
        return played

    played = benchmark(run)
    record_rate(benchmark, plays)
    assert played >= plays


def test_count_and_play_index(benchmark, engine, preset):
    """Count the moves, play one by its number."""
    start = engine.State(preset, seed=5)
    plays = start.plays_left

    def run():
        rng = random.Random(1)
        state = start.clone()
        played = 0
        while not state.is_terminal():
            state.play_index(int(rng.random() * state.move_count()))
            played += 1
        return played

    played = benchmark(run)
    record_rate(benchmark, plays)
    assert played >= plays


def test_random_move_and_play(benchmark, engine, preset):
    """Let the engine pick, play what it picked."""
    start = engine.State(preset, seed=5)
    plays = start.plays_left

    def run():
        rng = engine.Rng(1)
        state = start.clone()
        played = 0
        while not state.is_terminal():
            state.play_unchecked(state.random_move(rng))
            played += 1
        return played

    played = benchmark(run)
    record_rate(benchmark, plays)
    assert played == plays


def test_play_and_undo(benchmark, engine, preset):
    state = engine.State(preset, seed=5)
    move = state.legal_move_ints()[0]
    key = state.key

    def run():
        for _ in range(100):
            state.play(move)
            state.undo()

    benchmark(run)
    assert state.key == key


def test_clone(benchmark, engine, preset):
    state = engine.State(preset, seed=5)

    def run():
        for _ in range(100):
            copy = state.clone()
        return copy

    assert benchmark(run) == state


def test_key(benchmark, engine, preset):
    state = engine.State(preset, seed=5)

    def run():
        for _ in range(100):
            key = state.key
        return key

    assert benchmark(run) == state.position().key
