"""Runs the parts of an experiment and returns what came out, by row and figure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from minimax import minimax
from numpy.typing import NDArray
from solver import random_position

import scopa_fast as sf
from scopa_fast import reference
from scopa_fast.sim import Entrant, FrozenDeals, ResultFile, Results, Tournament, mean_interval, share_interval
from scopa_fast.sim.standings import Outcomes, Standings, bootstrap_interval

from .definitions import CHECKSUM, FROZEN, NINE, SEED, Measured, Part

__all__ = ["Run", "check_deals", "run_part"]

CHUNK = 100_000
"""Playouts between two looks at whether to stop."""
MOST_LEFT = 8
"""Cards left in the positions that are solved."""


@dataclass
class Run:
    """How everything is run: where results are kept, and who watches."""

    folder: Path
    threads: int = 1
    about: dict[str, Any] = field(default_factory=dict)
    """What the log of a file of results says of each run: version, commit, machine."""
    stop: Callable[[], bool] = lambda: False
    progress: Callable[[str, int, int], object] = lambda _what, _done, _total: None


@dataclass
class Found:
    """What became of a part."""

    part: Part
    asked: int
    """Deals of each pairing, or positions, that were asked for."""
    done: int = 0
    rows: dict[str, dict[str, Measured]] = field(default_factory=dict)
    seconds: float = 0.0
    runs: list[dict[str, Any]] = field(default_factory=list)
    """Each run that played some of it."""

    @property
    def is_complete(self) -> bool:
        """Whether all that was asked for is there."""
        return self.done == self.asked


def check_deals() -> None:
    """Refuse to run if the seed deals other cards than it did.

    :raises SystemExit: if so.
    """
    found = FrozenDeals.make(NINE, FROZEN, SEED).checksum
    if found != CHECKSUM:
        raise SystemExit(f"the first {FROZEN} deals of seed {SEED} have the checksum {found}, not {CHECKSUM}: other cards than ever before")


def run_part(name: str, part: Part, deals: int, run: Run) -> Found:
    """Run a part, or go on with it.

    :param name: of the file of results, if it needs one: what was played under that name before is not played again.
    :param deals: deals of each pairing, or positions.
    """
    if part.kind == "playouts":
        return _run_playouts(part, deals, run)
    if part.kind == "solver":
        return _run_solver(part, deals, run)
    return _run_bots(name, part, deals, run)


# Shares are in per cent from here on.


def _share(count: float, n: int, observations: int | None = None) -> Measured:
    """Return a share of n with its Wilson interval, which rests on fewer observations if some are of the same cards."""
    observations = n if observations is None else observations
    low, high = share_interval(count * observations / n, observations)  # type: ignore[arg-type]
    return Measured(100 * count / n, 100 * low, 100 * high, observations)


def _mean(values: NDArray[np.float64]) -> Measured:
    low, high = bootstrap_interval(values) or (-math.inf, math.inf)
    return Measured(float(values.mean()), low, high, len(values))


def _run_playouts(part: Part, deals: int, run: Run) -> Found:
    found, totals = Found(part, deals, runs=[run.about]), None
    while found.done < deals and not run.stop():
        more = sf.playouts(part.rules, min(CHUNK, deals - found.done), SEED, first=found.done, threads=run.threads)
        totals = more if totals is None else totals + more
        found.done = totals.deals
        run.progress(part.name, found.done, deals)
    if totals is None:
        return found
    n, mean = totals.deals, totals.margin / totals.deals
    low, high = mean_interval(totals.margin, totals.margin_squared, n) or (-math.inf, math.inf)
    sd = math.sqrt(totals.margin_squared / n - mean * mean)
    # As if margins were normal, which they nearly are.
    half = 1.96 * sd / math.sqrt(2 * n)
    figures = {name: _share(count, n) for name, count in (("H", totals.wins[0]), ("D", totals.wins[1]), ("tie", totals.ties))}
    figures |= {"margin": Measured(mean, low, high, n), "sd": Measured(sd, sd - half, sd + half, n)}
    found.rows[part.bots[0]] = figures
    return found


def _run_solver(part: Part, positions: int, run: Run) -> Found:
    found, same = Found(part, positions, runs=[run.about]), 0
    for seed in range(positions):
        if run.stop():
            break
        state = random_position(part.rules, 1 + seed % MOST_LEFT, seed)
        same += _is_solved_alike(state)
        found.done += 1
        run.progress(part.name, found.done, positions)
    if found.done:
        found.rows[part.bots[0]] = {"same": _share(same, found.done)}
    return found


def _is_solved_alike(state: sf.State) -> bool:
    """Whether the solver finds the value, the line, the value of each move and the best moves that minimax finds."""
    wanted = minimax(reference.State.from_text(str(state)))
    solution, moves = sf.solve(state), sf.solve_moves(state)
    values = {move.move: move.value for move in moves.moves}
    return (solution.value, solution.line, values, moves.best) == (wanted.value, wanted.line, wanted.values, wanted.best)


def _run_bots(name: str, part: Part, deals: int, run: Run) -> Found:
    entrants = tuple(map(Entrant.from_text, part.bots))
    rules = sf.parse_rules(part.rules)
    found = Found(part, deals)
    if part.kind == "self":
        # One tournament for each, so that nobody plays another.
        plans = [Tournament(rules, (entrant,), deals, SEED, threads=run.threads) for entrant in entrants]
    else:
        plans = [Tournament(rules, entrants, deals, SEED, against=0 if part.kind == "against" else None, threads=run.threads)]
    done = []
    for number, plan in enumerate(plans):
        results, runs = _play(f"{name}-{deals}" + (f"-{number}" if len(plans) > 1 else ""), part.name, plan, run)
        found.seconds += sum(results.seconds)
        found.runs += runs
        done.append(min(map(results.deals, range(len(plan.pairings)))))
        if done[-1]:
            found.rows |= _rows(results, done[-1], part.kind)
    found.done = min(done)
    return found


def _play(name: str, what: str, plan: Tournament, run: Run) -> tuple[Results, list[dict[str, Any]]]:
    """Play what is missing in a file of results; return them, and who played them when."""
    total = plan.deals * len(plan.pairings)
    log = run.folder / f"{name}.runs.jsonl"
    with ResultFile(run.folder / f"{name}.jsonl", plan) as file:
        before = file.results.slot
        if before is not None:
            plan.run(
                file.results, write=file.write, stop=run.stop,
                progress=lambda now: run.progress(what, total if now.slot is None else now.slot, total),
            )  # fmt: skip
        after = file.results.slot
        if before != after:
            with log.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(run.about | {"from": before, "to": total if after is None else after}) + "\n")
        runs = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
        return file.results, runs


def _rows(results: Results, deals: int, kind: str) -> dict[str, dict[str, Measured]]:
    """Return the rows of a tournament whose pairings have all played so many deals or one more."""
    standings, rows = Standings(results), {}
    leads: dict[str, list[NDArray[np.float64]]] = {standing.label: [] for standing in standings.pool}
    for number, pairing in enumerate(standings.pairings):
        points = np.array(results.points[number], dtype=np.float64).reshape(-1, 2, 2)[:deals]
        first, second = pairing.labels
        if pairing.is_self:
            # Place 0 is side 0 in the first seating, and place 1 in the second.
            margins = (points[:, 0, 0] - points[:, 0, 1] + points[:, 1, 1] - points[:, 1, 0]) / 2
            hand = pairing.sides[0]
            figures = {name: _share(count, hand.games, pairing.deals) for name, count in (("H", hand.wins), ("D", hand.losses))}
            figures |= {"tie": _share(hand.ties, hand.games, pairing.deals), "margin": _mean(margins)}
            leads[first].append(np.zeros(deals))
        else:
            ahead = (points[:, :, 0] - points[:, :, 1]).mean(axis=1)
            figures = {name: _share(side.wins, side.games) for name, side in zip("HD", pairing.sides, strict=True)}
            figures |= _outcomes(pairing.all_sides, pairing.deals) | {"points": _mean(ahead)}
            leads[first].append(ahead)
            leads[second].append(-ahead)
        rows[first if kind != "pool" else pairing.name] = figures
    if kind != "pool":
        return rows
    pool = {}
    for standing in standings.pool:
        shares = {"win": standing.wins, "loss": standing.losses, "tie": standing.ties}
        figures = {name: _share(share * deals, deals) for name, share in shares.items()}
        pool[standing.label] = figures | {"points": _mean(np.mean(leads[standing.label], axis=0))}
    return pool | rows


def _outcomes(outcomes: Outcomes, deals: int) -> dict[str, Measured]:
    counts = {"win": outcomes.wins, "loss": outcomes.losses, "tie": outcomes.ties}
    return {name: _share(count, outcomes.games, deals) for name, count in counts.items()}
