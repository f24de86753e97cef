"""How fast sampling and search are: writes their table of ``docs/performance.md``.

    pip install ".[bench]" && python bench/search.py --threads --write

Searches begin at the first play of a deal; rates are the best of five by processor time on one core. OpenSpiel's C++ searches of
games of tricks, and its resampling, run beside them, if it is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table
from rivals import ROOT, best_seconds, openspiel_start, pyspiel, replace_between
from solver import commit

import scopa_fast as sf

ITERATIONS = 40_000
RIVAL_ITERATIONS = 4_000
WORLDS = 200
SEARCHES = (
    ("scopone_scientifico", "random", 500_000), ("scopone", "random", 400_000), ("scopone", "eps_greedy", 200_000),
    ("scopa", "random", None), ("scopa", "eps_greedy", None), ("scopa_3", "random", None), ("cirulla_4", "random", None),
    ("escoba_2", "random", None), ("scopa_8", "random", None),
)  # fmt: skip
"""Preset, playouts and the iterations a second to reach."""


def ismcts_rate(preset: str, playout: str) -> float:
    """Return iterations a second."""
    state = sf.State(preset, 1)
    view = state.view(state.seat)
    return ITERATIONS / best_seconds(lambda: sf.ismcts(view, iterations=ITERATIONS, playout=playout, seed=1))


def mcts_rate(preset: str) -> float:
    """Return iterations a second with all cards open."""
    state = sf.State(preset, 1)
    return ITERATIONS / best_seconds(lambda: sf.mcts(state, iterations=ITERATIONS, playout="random", seed=1))


def openspiel_ismcts_rate() -> float | None:
    """Return iterations a second of OpenSpiel's C++ information-set search at the first decision of euchre."""
    if pyspiel is None:
        return None
    state, rng = pyspiel.load_game("euchre").new_initial_state(), random.Random(1)
    while state.is_chance_node():
        state.apply_action(rng.choice(state.chance_outcomes())[0])

    def job() -> None:
        pyspiel.ISMCTSBot(1, pyspiel.RandomRolloutEvaluator(1, 7), 2.0, RIVAL_ITERATIONS).step(state)

    return RIVAL_ITERATIONS / best_seconds(job)


def openspiel_mcts_rate() -> float | None:
    """Return iterations a second of OpenSpiel's C++ MCTS with open cards at the first play of spades."""
    if pyspiel is None:
        return None
    game, state = openspiel_start("spades")

    def job() -> None:
        pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 7), 2.0, RIVAL_ITERATIONS, 1000, False, 1, False).mcts_search(state)

    return RIVAL_ITERATIONS / best_seconds(job)


def sample_ns() -> tuple[float, float]:
    """Return nanoseconds of a world sampled from Python, and in a batch."""
    worlds, rng = sf.Worlds(sf.State("scopone", 1).view(0)), sf.Rng(1)
    states = [sf.State() for _ in range(1000)]

    def one() -> None:
        sample = worlds.sample
        for _ in range(100_000):
            sample(rng)

    def batch() -> None:
        for _ in range(200):
            worlds.fill(states, rng)

    return best_seconds(one) / 100_000 * 1e9, best_seconds(batch) / 200_000 * 1e9


def openspiel_sample_ns() -> float | None:
    """Return nanoseconds of OpenSpiel's resampling of bridge at the first play."""
    if pyspiel is None:
        return None
    state, rng = openspiel_start("bridge")[1], random.Random(1)

    def job() -> None:
        for _ in range(2000):
            state.resample_from_infostate(state.current_player(), rng.random)

    return best_seconds(job) / 2000 * 1e9


def pimc_rate() -> float:
    """Return worlds a second, each solved exactly for every move, at the first play of two-player scopa."""
    views = [sf.State("scopa", seed).view(0) for seed in range(10)]
    seconds = best_seconds(lambda: [sf.pimc(view, count=WORLDS, exact_plays=36, seed=1) for view in views], 2)
    return WORLDS * len(views) / seconds


def wall(job: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    found = job()
    return time.perf_counter() - begin, found


def threads_ratio() -> float:
    """Return how much faster two threads are than one by the clock on the wall, for the same decision."""
    view = sf.State("scopone", 1).view(0)
    best = {}
    results = set()
    for threads in (1, 2):
        times = []
        for _ in range(3):
            seconds, found = wall(lambda threads=threads: sf.ismcts(view, iterations=1_000_000, trees=8, threads=threads, seed=1))
            times.append(seconds)
            results.add(found)
        best[threads] = min(times)
    if len(results) != 1:
        raise SystemExit("two threads do not decide as one does")
    return best[1] / best[2]


def measure(threads: bool) -> dict[str, Any]:
    """Measure everything, partners next to each other."""
    one, batch = sample_ns()
    return {
        "machine": sf.cpu_info(),
        "load": [os.getloadavg()[0]],
        "version": sf.__version__,
        "python": sys.version.split()[0],
        "sample_ns": one,
        "fill_ns": batch,
        "openspiel_sample_ns": openspiel_sample_ns(),
        "openspiel_ismcts": openspiel_ismcts_rate(),
        "ismcts": [(preset, playout, ismcts_rate(preset, playout), bar) for preset, playout, bar in SEARCHES],
        "openspiel_mcts": openspiel_mcts_rate(),
        "mcts": mcts_rate("scopone"),
        "pimc": pimc_rate(),
        "threads": threads_ratio() if threads else None,
    }


def rows(found: dict[str, Any]) -> list[list[str]]:
    """Return the table, its head first."""

    def rate(number: float | None) -> str:
        return "missing" if number is None else f"{number:,.0f}/s"

    def nanoseconds(number: float | None) -> str:
        return "missing" if number is None else f"{number:,.0f} ns"

    def times(ours: float, theirs: float | None, bar: int) -> str:
        return "missing" if theirs is None else f"{ours / theirs:.1f} x (bar: {bar})"

    table = [["what", "scopa_fast", "bar", "rival", "rival's", "faster by"]]
    rival = found["openspiel_ismcts"]
    for preset, playout, number, bar in found["ismcts"]:
        first = preset == "scopone_scientifico"
        beside = ["OpenSpiel C++ IS-MCTS, euchre", rate(rival), times(number, rival, 10)] if first else ["", "", ""]
        table.append([f"`ismcts`, `{preset}`, {playout} playouts", rate(number), rate(bar) if bar else "", *beside])
    table.append(
        ["`mcts`, `scopone`, random playouts", rate(found["mcts"]), "", "OpenSpiel C++ MCTS, spades", rate(found["openspiel_mcts"]),
         times(found["mcts"], found["openspiel_mcts"], 5)],
    )  # fmt: skip
    sample = found["openspiel_sample_ns"]
    for what, name, bar in (("one world, `worlds.sample(rng)`", "sample_ns", 150), ("one of many, `worlds.fill`", "fill_ns", 60)):
        ratio = "missing" if sample is None else f"{sample / found[name]:.0f} x"
        table.append([what, nanoseconds(found[name]), nanoseconds(bar), "OpenSpiel resampling, bridge", nanoseconds(sample), ratio])
    table.append(["`pimc`, `scopa`, whole deals solved exactly", rate(found["pimc"]) + " worlds", "1,000/s", "", "", ""])
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", action="store_true", help="also two threads against one, on an idle machine")
    parser.add_argument("--write", action="store_true", help="write the table into docs/performance.md")
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")
    options = parser.parse_args()
    found = measure(options.threads)
    found["load"].append(os.getloadavg()[0])
    if options.json:
        print(json.dumps(found, indent=2))
        return
    head, *body = rows(found)
    machine = found["machine"]
    text = (
        f"Iterations a second from the first play, and nanoseconds, best of 5 (`pimc`: 2) by processor time, one core: "
        f"{machine['processor']}, {machine['compiler']}, kernel level {machine['level']}, Python {found['python']}, scopa_fast "
        f"{found['version']} ({commit()}), load average {found['load'][0]:.1f} to {found['load'][1]:.1f}."
    )
    if found["threads"]:
        text += f" By the clock on the wall, best of 3, two threads search {found['threads']:.2f} times as fast as one (bar: 1.8)"
        text += ", and decide alike."
    if options.write:
        lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body]]
        replace_between(ROOT / "docs" / "performance.md", "search", "\n".join(lines) + "\n\n" + text)
    table = Table(*head)
    for row in body:
        table.add_row(*row)
    Console().print(table, text, sep="\n")


if __name__ == "__main__":
    main()
