"""Where the tests' data and the documents lie."""

from __future__ import annotations

from pathlib import Path

__all__ = ["BENCH", "DATA", "DOCS", "ROOT"]

ROOT = Path(__file__).parent.parent
DATA = ROOT / "tests" / "data"
DOCS = ROOT / "docs"
BENCH = ROOT / "bench"
