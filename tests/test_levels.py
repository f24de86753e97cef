"""The kernel levels: each gives the results of the others, and the environment variable picks one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import scopa_fast

JOB = """
import numpy as np, scopa_fast as sf
parts = []
for preset in sf.PRESETS:
    for start in (preset, sf.State(preset, 3)):
        for policy in ("uniform", "card_first"):
            points = np.empty((200, len(sf.find_rules(preset).sides)), np.int32)
            sf.playouts(start, 200, 5, policy=policy, declarations="uniform", out=points)
            parts.append(points.tolist())
print(sf.cpu_info()["level"], hash(str(parts)))
"""


def run(level: str | None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "SCOPA_FAST_LEVEL"}
    if level is not None:
        environment["SCOPA_FAST_LEVEL"] = level
    return subprocess.run(
        [sys.executable, "-c", JOB], capture_output=True, text=True, env={**environment, "PYTHONHASHSEED": "0"}, timeout=120
    )


def test_every_level_of_this_machine_plays_the_same() -> None:
    results = {level: run(level).stdout.split() for level in scopa_fast.cpu_info()["levels"]}
    assert [result[0] for result in results.values()] == list(results)
    assert len({result[1] for result in results.values()}) == 1


def test_the_best_level_is_taken() -> None:
    assert run(None).stdout.split()[0] == scopa_fast.cpu_info()["levels"][-1]


def test_a_level_that_cannot_run_is_refused() -> None:
    done = run("pentium")
    assert done.returncode != 0
    assert "ImportError: SCOPA_FAST_LEVEL='pentium' is no level" in done.stderr


@pytest.mark.parametrize("key", ["level", "levels", "native", "compiler", "machine", "processor"])
def test_cpu_info_says_what_runs(key: str) -> None:
    assert key in scopa_fast.cpu_info()
