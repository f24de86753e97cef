"""Plays per second beside a benchmark's times."""

from __future__ import annotations

from typing import Any

__all__ = ["record_rate"]


def record_rate(benchmark: Any, plays: int) -> None:
    """Note the plays of one round and how many a second that makes."""
    benchmark.extra_info["plays"] = plays
    if benchmark.stats is not None:
        benchmark.extra_info["plays_per_second"] = round(plays / benchmark.stats.stats.min)
