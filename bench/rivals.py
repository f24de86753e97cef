"""How fast beside its rivals, in one run: writes the tables of ``docs/performance.md`` and the README.

    pip install ".[bench]" && python bench/rivals.py --write

Every figure is the best of five by processor time, on one core. The rivals are OpenSpiel's C++ core playing random moves of
bridge and spades inside one simulation of its own MCTS bot, OpenSpiel's spades driven from Python, and this package's own
reference. A rival that is not installed is reported as missing.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import scopa_fast as sf
from scopa_fast import reference

try:
    import pyspiel
except ImportError:
    pyspiel = None

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 5
DEALS = 40_000
ROLLOUTS = 2_000
GAMES = 300


def best_seconds(job: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Return the least processor time of some runs."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        job()
        times.append(time.process_time() - begin)
    return min(times)


# Whole random games inside compiled code.


def playout_ns(preset: str) -> float:
    """Return nanoseconds a play of native playouts, deal and score included."""
    rules = sf.find_rules(preset)
    sf.playouts(rules, 10, 1)
    return best_seconds(lambda: sf.playouts(rules, DEALS, 1)) / (DEALS * rules.plays) * 1e9


def reference_ns(preset: str) -> float:
    """Return nanoseconds a play of the reference's playouts."""
    return best_seconds(lambda: reference.playouts(preset, 20, 1), 3) / (20 * sf.find_rules(preset).plays) * 1e9


def openspiel_start(name: str) -> tuple[Any, Any]:
    """Return a game and a state with all cards dealt and the bidding over."""
    game = pyspiel.load_game(name, {"use_double_dummy_result": False} if name == "bridge" else {})
    state = game.new_initial_state()
    rng = random.Random(1)
    while state.is_chance_node():
        state.apply_action(rng.choice(state.chance_outcomes())[0])
    if name == "bridge":
        calls = {state.action_to_string(action): action for action in state.legal_actions()}
        bid = next(action for text, action in calls.items() if "1N" in text)
        passes = next(action for text, action in calls.items() if "Pass" in text)
        for action in (bid, passes, passes, passes):
            state.apply_action(action)
    else:
        for _ in range(4):
            state.apply_action(state.legal_actions()[3])
    return game, state


def openspiel_ns(name: str) -> float | None:
    """Return nanoseconds a move of OpenSpiel's C++ rollouts."""
    if pyspiel is None:
        return None
    game, state = openspiel_start(name)
    walk, moves = state.clone(), 0
    while not walk.is_terminal():
        walk.apply_action(walk.legal_actions()[0])
        moves += 1

    def job() -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, 7)
        pyspiel.MCTSBot(game, evaluator, 1.0, 1, 100, False, 1, False).mcts_search(state)

    return best_seconds(job) / (ROLLOUTS * moves) * 1e9


# Games driven from Python, one call at a time.


def drive_list(start: sf.State) -> int:
    played, state, choose = 0, start.clone(), random.random
    while not state.is_terminal():
        moves = state.legal_move_ints()
        state.play_unchecked(moves[int(choose() * len(moves))])  # as apply_action, which does not check either
        played += 1
    return played


def drive_index(start: sf.State) -> int:
    played, state, choose = 0, start.clone(), random.random
    while not state.is_terminal():
        state.play_index(int(choose() * state.move_count()))
        played += 1
    return played


def drive_native(start: sf.State) -> int:
    played, state, rng = 0, start.clone(), sf.Rng(1)
    while not state.is_terminal():
        state.play_unchecked(state.random_move(rng))
        played += 1
    return played


def drive_openspiel(start: Any) -> int:
    played, state, choose = 0, start.clone(), random.random
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(actions[int(choose() * len(actions))])
        played += 1
    return played


def driven_ns(drive: Callable[[Any], int], start: Any) -> float:
    """Return nanoseconds a play of a game driven from Python."""
    plays = drive(start)
    return best_seconds(lambda: [drive(start) for _ in range(GAMES)]) / (GAMES * plays) * 1e9


def clone_ns(state: Any) -> float:
    """Return nanoseconds of a copy."""

    def job() -> None:
        clone = state.clone
        for _ in range(100_000):
            clone()

    return best_seconds(job) / 100_000 * 1e9


def threads_ratio() -> float:
    """Return how much faster two threads are than one, by the clock on the wall."""
    times = {}
    for threads in (1, 2):
        times[threads] = min(_wall(lambda threads=threads: sf.playouts("scopa", 1_000_000, 1, threads=threads)) for _ in range(REPEATS))
    return times[1] / times[2]


def _wall(job: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    job()
    return time.perf_counter() - begin


# The tables.


def measure() -> dict[str, Any]:
    """Measure everything, partners next to each other."""
    presets = {preset: playout_ns(preset) for preset in sf.PRESETS}
    bridge, spades = openspiel_ns("bridge"), openspiel_ns("spades")
    scopa, scopone = playout_ns("scopa"), playout_ns("scopone_scientifico")
    start = sf.State("scopa", seed=5)
    spades_start = openspiel_start("spades")[1] if pyspiel else None
    return {
        "machine": sf.cpu_info(),
        "versions": {
            "scopa_fast": sf.__version__,
            "python": sys.version.split()[0],
            "numpy": np.__version__,
            "open_spiel": _version("open_spiel"),
        },
        "playouts_ns": presets,
        "scopa_ns": scopa,
        "scopone_ns": scopone,
        "openspiel_bridge_ns": bridge,
        "openspiel_spades_ns": spades,
        "reference_scopa_ns": reference_ns("scopa"),
        "python_list_ns": driven_ns(drive_list, start),
        "python_index_ns": driven_ns(drive_index, start),
        "python_native_ns": driven_ns(drive_native, start),
        "python_openspiel_ns": driven_ns(drive_openspiel, spades_start) if pyspiel else None,
        "clone_ns": clone_ns(start),
        "openspiel_clone_ns": clone_ns(spades_start) if pyspiel else None,
        "two_threads": threads_ratio(),
    }


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def rows(found: dict[str, Any]) -> list[tuple[str, str, str, str, str]]:
    """Return what, our time, the rival, its time, the ratio."""

    def row(what: str, ours: float, rival: str, theirs: float | None) -> tuple[str, str, str, str, str]:
        if theirs is None:
            return (what, f"{ours:.1f} ns", rival, "missing", "missing")
        return (what, f"{ours:.1f} ns", rival, f"{theirs:,.0f} ns", f"{theirs / ours:,.1f} x")

    driven = found["python_openspiel_ns"]
    return [
        row("random play, ten-card scopone", found["scopone_ns"], "OpenSpiel C++, bridge", found["openspiel_bridge_ns"]),
        row("random play, two-player scopa", found["scopa_ns"], "OpenSpiel C++, spades", found["openspiel_spades_ns"]),
        row("random play, two-player scopa", found["scopa_ns"], "the reference", found["reference_scopa_ns"]),
        row("from Python: list, pick, play", found["python_list_ns"], "OpenSpiel from Python, spades", driven),
        row("from Python: count, play by index", found["python_index_ns"], "OpenSpiel from Python, spades", driven),
        row("from Python: native pick, play", found["python_native_ns"], "OpenSpiel from Python, spades", driven),
        row("clone", found["clone_ns"], "OpenSpiel, spades", found["openspiel_clone_ns"]),
    ]


def markdown(found: dict[str, Any]) -> str:
    """Return the ratio table as Markdown."""
    lines = ["| what | scopa_fast | rival | rival's time | faster by |", "|---|---|---|---|---|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows(found)]
    machine, versions = found["machine"], found["versions"]
    lines += [
        "",
        f"Per play or call, best of {REPEATS} by processor time, one core, all in one run: {machine['processor']}, {machine['compiler']}, "
        f"kernel level {machine['level']}, Python {versions['python']}, OpenSpiel {versions['open_spiel']}. "
        f"Two threads play {found['two_threads']:.2f} times as fast as one.",
    ]
    return "\n".join(lines)


def preset_table(found: dict[str, Any]) -> str:
    """Return random play of every preset as Markdown."""
    base = found["playouts_ns"]["scopa"]
    lines = ["| preset | ns a play | million deals a second | beside `scopa`, per play |", "|---|---|---|---|"]
    for preset, ns in found["playouts_ns"].items():
        lines.append(f"| `{preset}` | {ns:.1f} | {1e3 / (ns * sf.find_rules(preset).plays):.2f} | {ns / base:.2f} |")
    return "\n".join(lines)


def replace_between(path: Path, name: str, text: str) -> None:
    """Put a table between its two markers in a file."""
    whole = path.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    head, _, rest = whole.partition(begin)
    _, _, tail = rest.partition(end)
    if not rest or not tail:
        raise SystemExit(f"{path} has no place for the table {name!r}")
    path.write_text(f"{head}{begin}\n{text}\n{end}{tail}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the tables into README.md and docs/performance.md")
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")
    options = parser.parse_args()
    found = measure()
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        table = Table("what", "scopa_fast", "rival", "rival's time", "faster by")
        for row in rows(found):
            table.add_row(*row)
        Console().print(table)
        print(f"two threads: {found['two_threads']:.2f} times one")
    if options.write:
        replace_between(ROOT / "README.md", "rivals", markdown(found))
        replace_between(ROOT / "docs" / "performance.md", "rivals", markdown(found))
        replace_between(ROOT / "docs" / "performance.md", "presets", preset_table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
