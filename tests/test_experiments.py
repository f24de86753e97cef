"""The experiments: what is defined of them, how they run at a tiny size, and how they judge what was published."""

from __future__ import annotations

import dataclasses
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from paths import BENCH, DOCS

import scopa_fast as sf
from scopa_fast.bots import find_bot
from scopa_fast.sim import Entrant, Tournament

sys.path.insert(0, str(BENCH))

from experiments import measure, run
from experiments.definitions import EXPERIMENTS, SEED, Experiment, Measured, Part, Published
from experiments.tables import Outcome, bounds, judge, size_table

DEALS = 2
POOL = Part("pool", "pool", ("greedy", "random", "cs"), 6, 6)


@pytest.fixture
def short_searches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Searches stop after a few iterations, under the names they have."""

    def enter(text: str) -> Entrant:
        bot: Any = find_bot(text)
        if hasattr(bot, "iterations"):
            bot = dataclasses.replace(bot, iterations=min(bot.iterations, 20), seconds=None)
        return Entrant(text, bot)

    monkeypatch.setattr(measure.Entrant, "from_text", enter)
    yield


def named(experiment: Experiment) -> str:
    return experiment.id


# The definitions.


def test_the_experiments_are_numbered() -> None:
    assert [experiment.id for experiment in EXPERIMENTS] == [f"E{number}" for number in range(1, 14)]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=named)
def test_parts_have_names_of_their_own_and_sizes_that_grow(experiment: Experiment) -> None:
    assert len({part.name for part in experiment.parts}) == len(experiment.parts)
    for part in experiment.parts:
        assert 0 < part.deals <= part.full
        assert len(set(part.bots)) == len(part.bots)
        sf.parse_rules(part.rules)
        if part.kind != "solver":
            for bot in part.bots:
                find_bot(bot)


def test_the_frozen_deals_are_still_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    measure.check_deals()
    monkeypatch.setattr(measure, "SEED", SEED + 1)
    with pytest.raises(SystemExit, match="other cards than ever before"):
        measure.check_deals()


def test_the_page_has_a_place_for_each_experiment() -> None:
    page = (DOCS / "experiments.md").read_text(encoding="utf-8")
    for name in ("sizes", *(experiment.id for experiment in EXPERIMENTS)):
        assert page.count(f"<!-- {name} -->\n") == page.count(f"\n<!-- end of {name} -->") == 1
    for experiment in EXPERIMENTS:
        assert f"\n## {experiment.id}: {experiment.title}\n" in page


def test_the_page_states_the_sizes() -> None:
    page = (DOCS / "experiments.md").read_text(encoding="utf-8")
    for row in size_table():
        assert "| " + " | ".join(row) + " |" in page


# Running them.


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=named)
def test_every_experiment_gives_a_table_with_all_that_was_published(
    experiment: Experiment, tmp_path: Path, short_searches: None
) -> None:
    how = measure.Run(tmp_path, about={"version": "1", "commit": "abc", "machine": "this one"})
    outcome = run.run_experiment(experiment, how, DEALS)
    assert outcome.is_complete
    head, *rows = outcome.table()
    assert rows and all(len(row) == len(head) for row in rows)
    assert len(outcome.verdicts()) == sum(len(published.values) for published in experiment.published)
    for published in experiment.published:
        assert set(published.values) <= set(experiment.figures)
    told = sum(cell.endswith(("within", "outside")) for row in rows for cell in row)
    assert told == len(outcome.verdicts())
    assert all(holds is not None for _, _, holds in outcome.claims())
    assert json.loads(json.dumps(outcome.as_dict(), allow_nan=False))["complete"]
    for row in outcome.rows:
        assert f"| `{row}` |" in outcome.markdown()
    assert "seed 2018; scopa_fast 1 (abc); this one" in outcome.markdown()


def test_a_stopped_part_goes_on_to_the_same_figures(tmp_path: Path) -> None:
    whole = measure.run_part("whole", POOL, 6, measure.Run(tmp_path))
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 1000

    stopped = measure.run_part("parts", POOL, 6, measure.Run(tmp_path, about={"commit": "first"}, stop=stop))
    assert 0 < stopped.done < 6 and not stopped.is_complete
    rest = measure.run_part("parts", POOL, 6, measure.Run(tmp_path, about={"commit": "second"}))
    assert rest.is_complete and rest.rows == whole.rows
    assert [entry["commit"] for entry in rest.runs] == ["first", "second"]
    again = measure.run_part("parts", POOL, 6, measure.Run(tmp_path, about={"commit": "third"}))
    assert again.rows == whole.rows and again.runs == rest.runs


def test_shares_add_up_and_a_pool_wins_as_often_as_it_loses(tmp_path: Path) -> None:
    rows = measure.run_part("pool", POOL, 6, measure.Run(tmp_path)).rows
    assert list(rows)[:3] == list(POOL.bots)
    for row, figures in rows.items():
        names = ("H", "D", "tie") if row in [f"{bot} v {bot}" for bot in POOL.bots] else ("win", "loss", "tie")
        assert sum(figures[name].value for name in names) == pytest.approx(100)
        assert all(figure.low - 1e-9 <= figure.value <= figure.high + 1e-9 for figure in figures.values())
    wins, losses, points = (sum(rows[bot][name].value for bot in POOL.bots) for name in ("win", "loss", "points"))
    assert wins == pytest.approx(losses)
    assert points == pytest.approx(0)


@pytest.mark.parametrize("kind", ["self", "against"])
def test_figures_are_those_of_the_deals_one_by_one(kind: Any, tmp_path: Path) -> None:
    part = Part("some", kind, ("greedy",) if kind == "self" else ("cs", "greedy"), 9, 9)
    (figures,) = measure.run_part("some", part, 9, measure.Run(tmp_path)).rows.values()
    plan = Tournament(sf.parse_rules(part.rules), tuple(map(Entrant.from_text, part.bots)), 9, SEED, against=None if kind == "self" else 0)
    margins: list[tuple[int, int]] = []
    """The first's side and the points of side 0 less those of side 1, deal by deal and seating by seating."""
    for deal in range(9):
        for seating in (0, 1):
            ours, theirs = plan.record(0, deal, seating).final_state().score().total
            margins.append((seating, ours - theirs))
    if kind == "self":
        assert figures["margin"].value == pytest.approx(statistics.fmean(margin for _, margin in margins))
        assert figures["H"].value == pytest.approx(100 * sum(margin > 0 for _, margin in margins) / 18)
        assert figures["D"].value == pytest.approx(100 * sum(margin < 0 for _, margin in margins) / 18)
    else:
        assert figures["points"].value == pytest.approx(statistics.fmean(-margin if side else margin for side, margin in margins))
        assert figures["H"].value == pytest.approx(100 * sum(margin > 0 for side, margin in margins if side == 0) / 9)
        assert figures["D"].value == pytest.approx(100 * sum(margin < 0 for side, margin in margins if side == 1) / 9)


def test_a_solver_that_errs_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = measure.minimax
    monkeypatch.setattr(measure, "minimax", lambda state: dataclasses.replace(right(state), value=99))
    experiment = EXPERIMENTS[-1]
    outcome = Outcome(experiment, (measure.run_part("E13", experiment.parts[0], 3, measure.Run(tmp_path)),))
    assert outcome.rows["nine cards"]["same"].value == 0
    assert outcome.verdicts() == ["outside"]


# Judging them.


def test_a_tolerance_decides_where_there_is_one() -> None:
    measured = Measured(50.0, 47.0, 53.0, 1000)
    for value, verdict in ((50.2, "within"), (49.8, "within"), (50.21, "outside"), (49.7, "outside")):
        assert judge(measured, Published("row", "paper", {"win": value}, tolerance={"win": 0.2}), "win") == verdict


def test_the_interval_decides_otherwise_and_is_never_narrower_than_that_of_1000_deals() -> None:
    published = Published("row", "paper", {"win": 53.0})
    assert bounds(Measured(50.0, 40.0, 61.0, 100), published, "win") == (40.0, 61.0)
    assert bounds(Measured(50.0, 47.0, 54.0, 1000), published, "win") == (47.0, 54.0)
    assert bounds(Measured(50.0, 49.0, 51.0, 9000), published, "win") == (47.0, 53.0)


def test_of_figures_with_a_size_it_is_the_interval_of_the_difference() -> None:
    published = Published("row", "check", {"win": 53.0}, 100)
    assert bounds(Measured(50.0, 49.0, 52.0, 300), published, "win") == (48.0, 54.0)


# The command.


def test_the_command_prints_json(tmp_path: Path) -> None:
    words = ("--only", "E2", "E13", "--deals", "3", "--folder", str(tmp_path), "--json")
    done = subprocess.run([sys.executable, run.__file__, *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert [experiment["id"] for experiment in found["experiments"]] == ["E2", "E13"]
    assert {"seed", "deals_sha256", "versions", "commit", "machine"} <= set(found)
    (same, _) = found["experiments"][1]["rows"]
    assert (same["row"], same["value"], same["n"], same["published"][0]["verdict"]) == ("nine cards", 100.0, 3, "within")


@pytest.mark.parametrize("words", [("--only", "E14"), ("--deals", "0"), ("--deals", "3", "--full"), ("--threads", "9999")])
def test_a_wrong_command_line_is_refused(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["run.py", *words])
    with pytest.raises(SystemExit, match="2"):
        run.parse()
    assert words[-1] in capsys.readouterr().err
