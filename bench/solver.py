"""How fast the exact solver is: writes its tables of ``docs/performance.md``.

    pip install ".[bench]" && python bench/solver.py --long --threads --write

A position is a deal from a seed after uniformly random play, a whole deal is the deal itself. Each is solved alone, with a
fresh table, on one thread; its time is the best of a few runs by processor time. DDS, the solver of double-dummy bridge, is
measured in the same run if ``endplay`` is installed, and else reported as missing. ``--cases`` and ``--positions`` make a short
trial run, which is not written.

``--whole`` solves whole deals of scopone, which takes minutes (nine cards) to hours or days (ten). It can be stopped at any time and
goes on when it is started again, from files in ``--folder``; results are appended to ``bench/whole_deals.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress as ProgressBar
from rich.table import Table
from rivals import ROOT, replace_between

import scopa_fast as sf

try:
    from endplay.dds import solve_board
    from endplay.dds.solve import SolveMode
    from endplay.dealer import generate_deal
    from endplay.types import Denom, Player

    ENDPLAY = version("endplay")
except ImportError:
    ENDPLAY = "missing"

RESULTS = Path(__file__).with_name("whole_deals.jsonl")
FOLDER = ROOT / ".benchmarks" / "solver"
BUDGET = 60.0
"""Seconds after which a case without a bar makes do with fewer positions."""
DDS_ROUNDS = 3
PRICE_RUNS = 3
NOTED = 10.0
"""Seconds between two notes of what a whole deal has cost so far."""

console = Console(stderr=True)


@dataclass(frozen=True)
class Case:
    """Positions of one kind, and the medians to reach and to aim at, in seconds."""

    name: str
    preset: str
    plays: int | None = None
    """Cards left to play; None for the whole deal."""
    positions: int = 100
    runs: int = 5
    bar: float | None = None
    aim: float | None = None

    @property
    def title(self) -> str:
        return f"`{self.preset}`, " + ("whole deal" if self.plays is None else f"{self.plays} plays left")

    def states(self, limit: int) -> list[sf.State]:
        return [random_position(self.preset, self.plays, seed) for seed in range(min(self.positions, limit))]


TEN = "scopone_scientifico"
CASES = {
    case.name: case
    for case in (
        Case("12", TEN, 12),
        Case("16", TEN, 16, bar=0.25e-3, aim=0.1e-3),
        Case("20", TEN, 20, bar=3.5e-3, aim=1.2e-3),
        Case("24", TEN, 24, bar=55e-3, aim=18e-3),
        Case("28", TEN, 28, positions=20, runs=2, bar=1.3, aim=0.35),
        Case("32", TEN, 32, positions=6, runs=1, bar=25.0, aim=5.0),
        Case("scopa", "scopa", bar=0.8e-3, aim=0.3e-3),
        Case("scopa_4", "scopa_4", bar=4e-3, aim=1.5e-3),
        *(Case(preset, preset) for preset in ("scopa_assi", "scopa_quindici", "cirulla_2", "cirulla_4", "escoba_2", "scopa_6")),
    )
}
LONG = ("32",)
BATCH_BAR, SINGLE_BAR, DDS_BAR = 1.8, 1.5, 10
"""How many times as fast two threads are to be as one, and 20 plays left as DDS."""
PRICED = {"16": 100, "20": 100, "24": 20, "scopa": 100, "scopa_4": 100}
"""Positions on which the calls are compared with each other."""
WHOLE: dict[str, Iterable[int]] = {"scopone": range(5), TEN: (2,)}
"""Presets and seeds of whole deals that take minutes and more: with nine cards the first five, with ten an easy one. Of 54 deals
after eight plays that :func:`scopa_fast.evaluate` liked best, that of seed 2 took the second fewest nodes, a fiftieth of the most."""


def random_position(preset: str, plays: int | None, seed: int) -> sf.State:
    """Return the deal of a seed after uniformly random play, down to some plays left."""
    state = sf.State(preset, seed)
    rng = sf.Rng(seed).spawn(1)  # the deal drew from child 0
    while plays is not None and state.plays_left > plays:
        state.play_unchecked(state.random_move(rng))
    return state


def watch(things: Iterable[Any], what: str, total: int) -> Iterator[Any]:
    """Show on a terminal how far a loop has come."""
    with ProgressBar(console=console, transient=True, disable=not console.is_terminal) as bar:
        yield from bar.track(things, total, description=what)


def best_run(job: Callable[[], Any], runs: int, clock: Callable[[], float] = time.process_time) -> tuple[float, Any]:
    """Return the least time of some runs, and what the last one returned."""
    times = []
    for _ in range(runs):
        begin = clock()
        result = job()
        times.append(clock() - begin)
    return min(times), result


def spread(times: list[float]) -> dict[str, Any]:
    """Return what a table says of some times."""
    times = sorted(times)
    return {
        "positions": len(times),
        "median": statistics.median(times),
        "ninety": times[math.ceil(0.9 * len(times)) - 1],
        "worst": times[-1],
        "mean": statistics.fmean(times),
    }


# What is measured.


def measure_case(case: Case, limit: int) -> dict[str, Any]:
    """Return times and nodes of the value alone."""
    states = case.states(limit)
    sf.solve(states[0], line=False, nodes=1000)
    times, nodes, begin = [], [], time.perf_counter()
    for state in watch(states, case.title, len(states)):
        seconds, found = best_run(partial(sf.solve, state, line=False), case.runs)
        times.append(seconds)
        nodes.append(found.nodes)
        if case.bar is None and time.perf_counter() - begin > BUDGET:
            break
    return spread(times) | {"runs": case.runs, "mean_nodes": statistics.fmean(nodes)}


def measure_prices(case: Case, limit: int) -> dict[str, Any]:
    """Return what other calls cost beside the value alone, and how good the estimate is."""
    states = case.states(min(limit, PRICED[case.name]))
    times: dict[str, list[float]] = {call: [] for call in ("value", "line", "at_least", "solve_moves", "evaluate")}
    errors = []

    def run(name: str, call: Callable[[], Any]) -> Any:
        seconds, found = best_run(call, PRICE_RUNS)
        times[name].append(seconds)
        return found

    for state in watch(states, f"{case.title}: calls", len(states)):
        value = run("value", partial(sf.solve, state, line=False)).value
        run("line", partial(sf.solve, state))
        run("at_least", partial(sf.at_least, state, value))
        run("solve_moves", partial(sf.solve_moves, state))
        errors.append(abs(run("evaluate", partial(sf.evaluate, state)) - value))
    return {call: spread(found) for call, found in times.items()} | {"mean_error": statistics.fmean(errors)}


def measure_dds(limit: int) -> dict[str, Any] | None:
    """Return times of DDS on whole bridge deals, one strain, one leader, one thread."""
    if ENDPLAY == "missing":
        return None
    deals = []
    for seed in range(min(max(limit, 2), 100)):
        deal = generate_deal(seed=seed)
        deal.trump, deal.first = Denom.nt, Player.north
        deals.append(deal)
    found = {}
    for name, mode in (("value", SolveMode.OptimalOne), ("solve_moves", SolveMode.Default)):
        # Another deal in between, because DDS remembers the last one.
        rounds = [
            [best_run(partial(solve_board, deal, mode), 1)[0] for deal in deals]
            for _ in watch(range(DDS_ROUNDS), f"DDS: {name}", DDS_ROUNDS)
        ]
        found[name] = spread([min(times) for times in zip(*rounds, strict=True)])
    return found


def measure_threads(limit: int) -> dict[str, Any]:
    """Return how much faster two threads are than one, by the clock on the wall."""

    def both(call: Callable[[int], Any], runs: int) -> list[float]:
        return [best_run(partial(call, threads), runs, time.perf_counter)[0] for threads in (1, 2)]

    states, deep = CASES["24"].states(min(limit, 40)), CASES["28"].states(limit)
    one, two = both(lambda threads: sf.solve_batch(states, threads=threads), 3)
    found = {"batch": one / two, "batch_positions": len(states), "single": None, "single_positions": 0}
    slow: list[list[float]] = []
    for state in watch(deep, "one solve on two threads", len(deep)):
        times = both(lambda threads, state=state: sf.solve(state, line=False, threads=threads), 2)
        slow += [times] if times[0] > 1 else []
        if len(slow) == 4:
            break
    if slow:
        one, two = (sum(times) for times in zip(*slow, strict=True))
        found |= {"single": one / two, "single_positions": len(slow)}
    return found


def commit() -> str:
    """Return the commit of this tree, or nothing outside a repository; what benches write into ``docs`` makes it no other tree."""

    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD") + ("-dirty" if git("status", "--porcelain", "-uno", "--", ".", ":!docs") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def measure(names: Iterable[str], limit: int, threads: bool) -> dict[str, Any]:
    """Measure everything, partners next to each other."""
    found: dict[str, Any] = {
        "machine": sf.cpu_info(),
        "versions": {"scopa_fast": sf.__version__, "python": sys.version.split()[0], "endplay": ENDPLAY, "commit": commit()},
        "load": [os.getloadavg()],
        "cases": {},
        "prices": {},
        "dds": None,
        "threads": None,
    }
    for name in names:
        found["cases"][name] = measure_case(CASES[name], limit)
        if name in PRICED:
            found["prices"][name] = measure_prices(CASES[name], limit)
        if name == "20":
            found["dds"] = measure_dds(limit)
    if threads:
        found["threads"] = measure_threads(limit)
    found["load"].append(os.getloadavg())
    return found


# Whole deals that take minutes and more.


class Spent:
    """Nodes and seconds of a solve over all its runs, kept in a file beside the saved one."""

    def __init__(self, path: Path, show: Callable[[str], Any]) -> None:
        self.path, self.show, self.noted = path, show, 0.0
        self.before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"nodes": 0, "seconds": 0.0}
        self.now = self.before

    def __call__(self, found: sf.Progress | sf.Solution) -> None:
        self.now = {"nodes": self.before["nodes"] + found.nodes, "seconds": self.before["seconds"] + found.seconds}
        self.show(f"{found.lower:+d}..{found.upper:+d}, {self.now['nodes']:.3g} nodes, {show_time(self.now['seconds'])}")
        if found.seconds >= self.noted + NOTED:
            self.noted = found.seconds
            self.note()

    def note(self) -> None:
        """Write the file, whole or not at all."""
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.now), encoding="utf-8")
        new.replace(self.path)


def read_whole() -> dict[tuple[str, int], dict[str, Any]]:
    """Return the last result of each whole deal."""
    lines = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
    return {(entry["preset"], entry["seed"]): entry for entry in map(json.loads, lines)}


def append_whole(entry: dict[str, Any]) -> None:
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
        file.flush()
        os.fsync(file.fileno())


def solve_whole(preset: str, seed: int, folder: Path, threads: int, megabytes: int) -> None:
    """Solve a whole deal, or go on with it: the value first, then the line."""
    entry = read_whole().get((preset, seed))
    if entry is not None and entry["line"]:
        return
    state = sf.State(preset, seed)
    save = folder / f"{preset}-{seed}"
    with console.status("") as status:

        def solve(*, line: bool) -> Spent:
            what = "line" if line else "value"
            spent = Spent(folder / f"{preset}-{seed}-{what}.json", lambda text: status.update(f"{preset} {seed}: {text}"))
            try:
                solution = sf.solve(state, line=line, save=save, threads=threads, megabytes=megabytes, progress=spent)
                spent(solution)
            finally:
                spent.note()
            spent.now |= {"value": solution.value, "line": " ".join(map(str, solution.line))}
            return spent

        if entry is None:
            entry = {"commit": commit(), "preset": preset, "seed": seed, **solve(line=False).now}
            entry |= {"threads": threads, "megabytes": megabytes, "level": sf.cpu_info()["level"]}
            append_whole(entry)
        found = solve(line=True).now
    for text in found["line"].split():
        state.play(sf.parse_move(text))
    points = state.score().total
    if not found["value"] == entry["value"] == points[0] - points[1]:
        raise SystemExit(f"{preset} {seed}: the value was {entry['value']}, is {found['value']}, and the line makes {points}")
    append_whole(entry | {"line": found["line"], "line_seconds": found["seconds"]})
    console.print(f"{preset} {seed}: {entry['value']:+d}, {entry['nodes']:.3g} nodes, {show_time(entry['seconds'])}")


# The tables.


def show_time(seconds: float | None) -> str:
    """Return a time to three digits in a unit that suits it."""
    if seconds is None:
        return ""
    units = (("h", 3600.0, 7200.0), ("min", 60.0, 300.0), ("s", 1.0, 1.0), ("ms", 1e-3, 1e-3), ("µs", 1e-6, 0.0))
    unit, size = next((unit, size) for unit, size, least in units if seconds >= least)
    number = seconds / size
    return f"{number:.{0 if number >= 100 else 1 if number >= 10 else 2}f} {unit}"


def case_table(found: dict[str, Any]) -> list[list[str]]:
    rows = [["the value alone", "positions", "median", "90 %", "worst", "mean nodes", "bar (aim)", "best of"]]
    for name, result in found["cases"].items():
        case = CASES[name]
        bar = "" if case.bar is None else f"{show_time(case.bar)} ({show_time(case.aim)})"
        times = [show_time(result[which]) for which in ("median", "ninety", "worst")]
        rows.append([case.title, str(result["positions"]), *times, f"{result['mean_nodes']:,.0f}", bar, str(result["runs"])])
    return rows


def price_table(found: dict[str, Any]) -> list[list[str]]:
    rows = [["beside the value alone", "positions", "`line=True`", "`at_least`", "`solve_moves`", "`evaluate`, median", "its mean error"]]
    for name, result in found["prices"].items():
        ratios = [f"{result[call]['mean'] / result['value']['mean']:.2f} x" for call in ("line", "at_least", "solve_moves")]
        evaluate = [show_time(result["evaluate"]["median"]), f"{result['mean_error']:.2f} points"]
        rows.append([CASES[name].title, str(result["value"]["positions"]), *ratios, *evaluate])
    return rows


def dds_table(found: dict[str, Any]) -> list[list[str]]:
    what = f"beside DDS, {found['cases']['20']['positions']} positions"
    rows = [[what, "20 plays left", "DDS, 52 plays left", f"faster by (bar: {DDS_BAR} x)"]]
    for call, what in (("value", "value"), ("solve_moves", "value of each move")):
        for which in ("median", "mean"):
            ours = found["cases"]["20"][which] if call == "value" else found["prices"]["20"][call][which]
            theirs = found["dds"] and found["dds"][call][which]
            rival = [show_time(theirs), f"{theirs / ours:.1f} x"] if theirs else ["missing"] * 2
            rows.append([f"{what}, {which}", show_time(ours), *rival])
    return rows


def whole_table() -> list[list[str]]:
    rows = [["whole deal", "seed", "value", "nodes", "time on the wall", "threads", "table"]]
    for (preset, seed), entry in sorted(read_whole().items()):
        cost = [f"{entry['nodes']:.3g}", show_time(entry["seconds"]), str(entry["threads"]), f"{entry['megabytes']} MB"]
        rows.append([f"`{preset}`", str(seed), f"{entry['value']:+d}", *cost])
    return rows


def tables(found: dict[str, Any]) -> list[list[list[str]]]:
    """Return each table as rows, the first of which is its head."""
    made = [case_table(found), price_table(found)]
    if "20" in found["cases"]:
        made.append(dds_table(found))
    made.append(whole_table())
    return [table for table in made if len(table) > 1]


def threads_text(found: dict[str, Any]) -> str:
    """Return what two threads gain."""
    ratios = found["threads"]
    batch = f"{ratios['batch']:.2f} times as fast as one at `solve_batch` of {ratios['batch_positions']} positions (bar: {BATCH_BAR})"
    single = f"{ratios['single_positions']} positions that take more than a second (bar: {SINGLE_BAR})"
    text = f"By the clock on the wall, two threads are {batch}"
    return text + (f", and {ratios['single']:.2f} times at `solve` of {single}." if ratios["single"] else ".")


def machine_text(found: dict[str, Any]) -> str:
    """Return where and how it was measured."""
    machine, versions = found["machine"], found["versions"]
    loads = " to ".join(f"{load[0]:.1f}" for load in found["load"])
    return (
        f"One core, processor time, a fresh table for each solve: {machine['processor']}, {machine['compiler']}, "
        f"kernel level {machine['level']}, Python {versions['python']}, "
        f"scopa_fast {versions['scopa_fast']} ({versions['commit'] or 'no commit'}), endplay {versions['endplay']}, load average {loads}."
    )


def markdown(found: dict[str, Any]) -> str:
    """Return everything as Markdown."""
    parts = []
    for head, *rows in tables(found):
        lines = [head, ["---"] * len(head), *rows]
        parts.append("\n".join("| " + " | ".join(line) + " |" for line in lines))
    if found["threads"]:
        parts.append(threads_text(found))
    parts.append(machine_text(found))
    return "\n\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--long", action="store_true", help="also 32 plays left")
    parser.add_argument("--threads", action="store_true", help="also two threads against one, on an idle machine")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/performance.md")
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")
    parser.add_argument("--cases", nargs="*", choices=CASES, metavar="NAME", help=f"only these of {', '.join(CASES)}")
    parser.add_argument("--positions", type=int, metavar="N", help="at most so many positions of each case")
    whole = parser.add_argument_group("whole deals of scopone")
    whole.add_argument("--whole", action="store_true", help="solve them, and measure nothing else")
    whole.add_argument("--presets", nargs="*", choices=WHOLE, help="only these")
    whole.add_argument("--seeds", nargs="*", type=int, metavar="SEED", help="instead of those that are published")
    whole.add_argument("--solve-threads", type=int, default=1, metavar="N", help="threads of a solve (default: 1)")
    whole.add_argument("--megabytes", type=int, default=4096, metavar="N", help="table of a new solve (default: 4096)")
    whole.add_argument("--folder", type=Path, default=FOLDER, help="for the saved work (default: .benchmarks/solver)")
    options = parser.parse_args()
    if options.positions is not None and options.positions < 1:
        parser.error("--positions must be at least 1")
    if options.write and (options.cases is not None or options.positions is not None):
        parser.error("--write needs all cases and positions")
    if options.whole:
        options.folder.mkdir(parents=True, exist_ok=True)
        try:
            for preset in options.presets or WHOLE:
                for seed in WHOLE[preset] if options.seeds is None else options.seeds:
                    solve_whole(preset, seed, options.folder, options.solve_threads, options.megabytes)
        except KeyboardInterrupt:
            console.print(f"stopped; the work is kept in {options.folder}, the same command goes on with it")
            return 130
        return 0
    names = options.cases if options.cases is not None else [name for name in CASES if options.long or name not in LONG]
    found = measure(names, options.positions or sys.maxsize, options.threads)
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        out = Console(width=None if sys.stdout.isatty() else 140)
        for head, *rows in tables(found):
            table = Table(*(text.replace("`", "") for text in head))
            table.columns[0].no_wrap = True
            for row in rows:
                table.add_row(*(text.replace("`", "") for text in row))
            out.print(table)
        if found["threads"]:
            print(threads_text(found))
        print(machine_text(found))
    if options.write:
        replace_between(ROOT / "docs" / "performance.md", "solver", markdown(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
