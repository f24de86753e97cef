"""Fixtures that every test file shares: the engines, and where the data lies."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from paths import DATA

ENGINES = ("scopa_fast", "scopa_fast.reference")
"""The modules that every test with the fixture ``engine`` runs on."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--long``."""
    parser.addoption("--long", action="store_true", help="also run the tests marked long, which take many minutes")


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave the tests alone when only the benchmarks are wanted."""
    return True if config.getoption("benchmark_only", False) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the long tests unless asked for."""
    if not config.getoption("--long"):
        long = [item for item in items if item.get_closest_marker("long")]
        items[:] = [item for item in items if item not in long]
        config.hook.pytest_deselected(items=long)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> ModuleType:
    """One of the two implementations, which have the same public names."""
    return importlib.import_module(request.param)


@pytest.fixture(scope="session")
def cases() -> list[dict[str, Any]]:
    """The worked cases of docs/rules.md section 15."""
    loaded: list[dict[str, Any]] = json.loads((DATA / "conformance.json").read_text(encoding="utf-8"))
    return loaded


@pytest.fixture
def random_deal() -> Callable[..., Any]:
    """A function that makes a record of a random deal: ``random_deal(engine, rules, seed, plays=None, declare=True)``."""

    def play(engine: ModuleType, rules: str, seed: int, plays: int | None = None, **labels: Any) -> Any:
        new = engine.shuffled_deck(rules, seed)
        record = engine.Record(rules, new.deck, new.dealer, seed=seed, index=0, **labels)
        rng = engine.Rng(seed)
        state = record.final_state()
        while not state.is_terminal() and (plays is None or len(record.moves) < plays):
            moves = state.legal_moves()
            move = moves[rng.below(len(moves))]
            record.append(move)
            state.play(move)
        return record

    return play
