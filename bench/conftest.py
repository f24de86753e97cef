"""The benchmarks run with ``pytest --benchmark-only`` and are left alone by a plain ``pytest``."""

from __future__ import annotations

import pytest

import scopa_fast
from scopa_fast import reference


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    return None if config.getoption("benchmark_only", False) else True


@pytest.fixture(params=["native", "reference"])
def engine(request: pytest.FixtureRequest):
    """Each implementation in turn."""
    return scopa_fast if request.param == "native" else reference
