"""The bench signature: the engine does what it did when the file was written."""

from __future__ import annotations

import json
import sys
from pathlib import Path

BENCH = Path(__file__).parent.parent / "bench"
sys.path.insert(0, str(BENCH))

import signature  # noqa: E402


def test_the_engine_is_still_the_same() -> None:
    found = signature.sign()
    assert signature.differences(found, json.loads(signature.FILE.read_text(encoding="utf-8"))) == []


def test_a_changed_signature_is_seen() -> None:
    wanted = json.loads(signature.FILE.read_text(encoding="utf-8"))
    found = json.loads(signature.FILE.read_text(encoding="utf-8"))
    found["rules"]["scopa"] += 1
    assert len(signature.differences(found, wanted)) == 1
