"""The Cython example builds against the installed package and finds what Python finds."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import scopa_fast

EXAMPLE = Path(__file__).parent.parent / "examples" / "cython" / "captures.pyx"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    folder = tmp_path_factory.mktemp("extending")
    shutil.copy(EXAMPLE, folder)
    command = [sys.executable, "-m", "Cython.Build.Cythonize", "-i", "captures.pyx"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    built = next(folder.glob("captures*.so"))
    spec = importlib.util.spec_from_file_location("captures", built)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("preset", ["scopa", "cirulla_2", "escoba_2", "scopa_8"])
def test_the_example_counts_the_captures_that_python_lists(example: ModuleType, preset: str) -> None:
    pairs = example.collect(preset, 5, 1)
    assert len(pairs) > 200
    listed = 0
    for table, value in zip(pairs[::2], pairs[1::2], strict=True):
        # Any card of the value that does not lie there will do; four of them never lie on a table and in a hand at once.
        card = next(4 * (value - 1) + suit for suit in range(4) if not table >> 4 * (value - 1) + suit & 1)
        listed += len(scopa_fast.capture_masks(preset, card, table))
    assert example.count(preset, pairs) == listed
