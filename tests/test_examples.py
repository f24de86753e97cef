"""The examples and the README run."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import scopa_fast
from scopa_fast import PRESETS, TITLES, find_rules

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "examples").glob("*.py")))
def test_an_example_runs(name: str) -> None:
    done = subprocess.run([sys.executable, ROOT / "examples" / name], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize(("name", "least"), [("README.md", 9), ("docs/api.md", 6), ("docs/solver.md", 25), ("docs/bots.md", 22)])
def test_the_sessions_in_the_documents(name: str, least: int) -> None:
    failed, tried = doctest.testfile(str(ROOT / name), module_relative=False)
    assert failed == 0
    assert tried >= least


@pytest.mark.parametrize("module", ["cards", "moves", "rules", "position", "view", "decisions"])
def test_the_docstrings_examples(module: str) -> None:
    loaded = __import__(f"scopa_fast.{module}", fromlist=["*"])
    failed, _ = doctest.testmod(loaded, extraglobs=vars(scopa_fast))
    assert failed == 0


def test_the_readme_lists_every_preset() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for preset in PRESETS:
        rules = find_rules(preset)
        assert f"| `{preset}` | {TITLES[preset]} | {rules.seats} | {rules.hand} | {rules.target} |" in text
