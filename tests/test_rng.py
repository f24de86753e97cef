"""The generator gives the published numbers (docs/randomness.md) on both engines."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "rng.json").read_text(encoding="utf-8"))


def test_next(engine: ModuleType) -> None:
    for seed, numbers in VECTORS["next"].items():
        rng = engine.Rng(int(seed))
        assert [rng.next() for _ in numbers] == numbers


def test_below(engine: ModuleType) -> None:
    for seed, n, numbers in VECTORS["below"]:
        rng = engine.Rng(seed)
        assert [rng.below(n) for _ in numbers] == numbers


def test_spawn(engine: ModuleType) -> None:
    for seed, index, state in VECTORS["spawn"]:
        rng = engine.Rng(seed)
        assert rng.spawn(index).state == state
        assert rng.state == seed


def test_shuffled(engine: ModuleType) -> None:
    for seed, n, order in VECTORS["shuffled"]:
        assert engine.Rng(seed).shuffled(n) == order


@pytest.mark.parametrize(("size", "rules"), [(40, "scopa[void_kings=0]"), (52, "scopa_8[void_kings=0]")])
def test_decks_of_seeded_deals(engine: ModuleType, size: int, rules: str) -> None:
    for seed, index, n, deck in VECTORS["deck"]:
        if n == size:
            assert list(engine.shuffled_deck(rules, seed, index).deck) == deck


def test_a_stream_is_a_value(engine: ModuleType) -> None:
    rng = engine.Rng(7)
    rng.next()
    for copy in (engine.Rng(rng.state), pickle.loads(pickle.dumps(rng))):
        assert copy == rng
        assert copy.next() == engine.Rng(rng.state).next()
    assert engine.Rng() != engine.Rng()
