"""The commands ``solve`` and ``analyse``: what they print, refuse and draw, at a limit and under Ctrl-C too."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from minimax import minimax
from test_cli import PROGRAM, on_a_terminal, output, read_json, run

import scopa_fast as sf
from scopa_fast import reference

LATE = 24
"""A ply of the game from which all is solved at once."""


@pytest.fixture
def games(random_deal: Callable[..., Any], tmp_path: Path) -> Path:
    """Two whole deals of scopa, the second between named players."""
    file = tmp_path / "games.jsonl"
    sf.write_records(file, [random_deal(sf, "scopa", 1), random_deal(sf, "scopa", 2, players=("Ada", "[b]Ugo"))])
    return file


@pytest.fixture
def unfinished(random_deal: Callable[..., Any], tmp_path: Path) -> Path:
    """A deal of scopone of which three rounds were played: too much for any solver that answers in a second."""
    file = tmp_path / "unfinished.jsonl"
    sf.write_records(file, [random_deal(sf, "scopone_scientifico", 1, plays=3)])
    return file


def position(file: Path, ply: int, record: int = 0) -> str:
    return str(list(list(sf.Record.from_file(file))[record].states())[ply])


# Refusals.


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        ("solve --ply 3", 2, ["--record and --ply are for a file of records, and there is none"]),
        ("solve POSITION --seed 3", 2, ["--rules, --set and --seed are for a new deal, not for 'scopa hands="]),
        ("solve GAMES --rules scopa", 2, ["--rules, --set and --seed are for a new deal"]),
        ("solve --rules scopa_3", 1, ["scopa_3 has 3 sides: only two have a value (SEAT-2)"]),
        ("solve LONG", 2, [f"'{'long' * 20}...' is neither a position nor a file"]),
        ("solve GAMES --record LONG", 2, [f"'{'long' * 20}...' is not a whole number"]),
        ("solve nowhere.jsonl", 2, ["'nowhere.jsonl' is neither a position nor a file"]),
        ("solve BROKEN", 2, ["no table= in the position 'scopa hands=-/-'"]),
        ("solve POSITION --ply 3", 2, ["--record and --ply are for a file of records"]),
        ("solve POSITION --record 1", 2, ["--record and --ply are for a file of records"]),
        ("solve GAMES --record 3", 1, ["games.jsonl: no record 3"]),
        ("solve GAMES --record 0", 2, ["'0' is not a whole number of 1 or more"]),
        ("solve GAMES --ply 37", 2, ["--ply 37: there are 36 moves in the record REPLAY-1-0 of "]),
        ("solve GAMES --ply -1", 2, ["'-1' is not a whole number of 0 or more"]),
        ("solve GAMES --seconds soon", 2, ["'soon' is not a number of seconds"]),
        ("solve GAMES --seconds -1", 2, ["'-1' is not a number"]),
        ("solve GAMES --seconds inf", 2, ["'inf' is not a number"]),
        ("solve GAMES --seconds nan", 2, ["'nan' is not a number"]),
        ("solve GAMES --nodes 0", 2, ["'0' is not a whole number from 1 to"]),
        ("solve GAMES --megabytes much", 2, ["'much' is not a whole number"]),
        ("solve GAMES --threads 0", 2, ["'0' is not a whole number from 1 to 1024"]),
        ("solve GAMES --moves --save work", 2, ["--save 'work' does not go with --moves"]),
        ("solve GAMES --ply 30 --save /nowhere/at/all", 2, ["cannot use --save '/nowhere/at/all': No such file"]),
        ("solve THREE", 1, ["scopa_3"]),
        ("solve BAD", 1, [":1: not JSON"]),
        ("analyse nowhere.jsonl", 2, ["nowhere.jsonl"]),
        ("analyse GAMES --record 3", 1, ["games.jsonl: no record 3"]),
        ("analyse THREE", 1, ["scopa_3"]),
        ("analyse BAD", 1, [":1: not JSON"]),
        ("analyse EMPTY", 1, ["no moves to analyse in the record 'REPLAY-1-0'"]),
    ],
)
def test_bad_usage_is_refused_in_one_line_that_quotes_it(
    arguments: str, code: int, parts: list[str], games: Path, random_deal: Callable[..., Any], tmp_path: Path
) -> None:
    words: dict[str, Any] = {"GAMES": games, "POSITION": position(games, 30), "BROKEN": "scopa hands=-/-", "LONG": "long" * 2000}
    for word, rules, plays in (("THREE", "scopa_3", None), ("EMPTY", "scopa", 0)):
        words[word] = tmp_path / word
        sf.write_records(words[word], [random_deal(sf, rules, 1, plays=plays)])
    words["BAD"] = tmp_path / "bad"
    words["BAD"].write_text("nonsense")
    result = run(*(words.get(word, word) for word in arguments.split()))
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("scopa-fast: ") and result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr


# solve


def test_solve_prints_the_value_and_the_line_of_minimax(games: Path) -> None:
    text = position(games, 31)
    answer = minimax(reference.State.from_text(text))
    lines = output("solve", text).splitlines()
    assert lines[:3] == [text, "seat 1 of side 1 is to move", f"value {answer.value:+d}: points of side 0 minus side 1"]
    assert " positions in " in lines[3]
    assert lines[4:] == [f"best line: {' '.join(map(str, answer.line))}"]
    data = read_json("solve", text)
    assert data.pop("nodes") >= 0 and data.pop("seconds") >= 0
    assert data == {
        "position": text, "seat": 1, "side": 1, "complete": True, "solved": True, "value": answer.value,
        "lower": answer.value, "upper": answer.value, "line": [*map(str, answer.line)],
    }


def test_solve_moves_shows_what_each_is_worth(games: Path) -> None:
    text = position(games, 30)
    answer = minimax(reference.State.from_text(text))
    data = read_json("solve", text, "--moves")
    assert data["moves"] == [
        {"move": str(move), "lower": value, "upper": value, "best": move in answer.best} for move, value in answer.values.items()
    ]
    assert data["solved"] and "line" not in data
    table = output("solve", text, "--moves")
    for move, value in answer.values.items():
        row = next(line for line in table.splitlines() if line.startswith(f"│ {move} "))
        assert f" {value:+d} │" in row and ("best" in row) == (move in answer.best)


def test_solve_takes_a_position_out_of_a_record(games: Path) -> None:
    assert read_json("solve", games, "--ply", LATE)["position"] == position(games, LATE)
    assert read_json("solve", games, "--ply", LATE, "--record", "2")["position"] == position(games, LATE, record=1)
    over = read_json("solve", games, "--ply", "36")
    ours, theirs = next(sf.Record.from_file(games)).final_state().score().total
    assert (over["position"], over["value"], over["line"], "seat" in over) == (position(games, 36), ours - theirs, [], False)
    assert "\nthe deal is over\n" in output("solve", games, "--ply", "36")


def test_solve_deals_anew_like_perft() -> None:
    for words, state in (((), sf.State("scopa", 0)), (("--rules", "cirulla_2", "--set", "napola=none", "--seed", "5"), None)):
        state = state or sf.State("cirulla_2[napola=none]", 5)
        data = read_json("solve", *words)
        assert (data["position"], data["value"]) == (str(state), sf.solve(state).value)


def test_solve_starts_from_the_deal_unless_told_otherwise(unfinished: Path) -> None:
    assert read_json("solve", unfinished, "--nodes", "10")["position"] == position(unfinished, 0)


@pytest.mark.parametrize("limit", [("--nodes", "20000"), ("--seconds", "0.3")])
def test_at_a_limit_bounds_are_shown_and_said_to_be_bounds(limit: tuple[str, str], unfinished: Path) -> None:
    data = read_json("solve", unfinished, *limit)
    assert data["complete"] and not data["solved"] and data["lower"] < data["upper"] and data["line"] == [] and data["value"] is None
    text = output("solve", unfinished, *limit)
    assert "\nvalue -" in text and "..+" in text and "best line" not in text
    assert "\nLIMIT REACHED: a value lies within its proven bounds\n" in text
    assert not read_json("solve", unfinished, *limit, "--moves")["solved"]


def test_solve_hands_its_options_on(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []

    def solve(state: sf.State, **options: Any) -> sf.Solution:
        seen.append(options)
        return sf.Solution(0, 0, (), 1, 0.0)

    monkeypatch.setattr(sf, "solve", solve)
    output("solve", games, "--seconds", "2.5", "--nodes", "7", "--megabytes", "3", "--threads", "2", "--save", "work")
    seen[0].pop("progress")
    assert seen == [{"seconds": 2.5, "nodes": 7, "megabytes": 3, "threads": 2, "save": Path("work")}]


def test_a_table_beyond_memory_is_refused(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise MemoryError

    for name, command in (("solve", "solve"), ("analyse_plays", "analyse")):
        monkeypatch.setattr(sf, name, refuse)
        result = run(command, games, "--megabytes", "1000000")
        assert (result.exit_code, result.stderr) == (2, "scopa-fast: --megabytes 1000000: there is not so much memory\n")


@pytest.mark.parametrize("told", [True, False])
def test_ctrl_c_shows_the_bounds_so_far(told: bool, games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def solve(state: sf.State, **options: Any) -> None:
        if told:
            options["progress"](sf.Progress(-3, 5, 1234, 0.7, 0, 1))
        raise KeyboardInterrupt

    monkeypatch.setattr(sf, "solve", solve)
    result = run("solve", games, "--json")
    assert result.exit_code == 130
    assert result.stderr == f"scopa-fast: interrupted{' after 0.7 s' if told else ''}\n"
    data = json.loads(result.stdout)
    assert (data["complete"], data.get("lower"), data.get("upper")) == ((False, -3, 5) if told else (False, None, None))
    text = run("solve", games).stdout
    assert ("\nvalue -3..+5: points" in text) == told


def test_ctrl_c_shows_what_each_move_is_worth_so_far(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def solve_moves(state: sf.State, **options: Any) -> None:
        first, second, *_ = state.legal_moves()
        known = (sf.MoveValue(first, -1, -1, True), sf.MoveValue(second, -9, 4, False))
        options["progress"](sf.Progress(-1, -1, 1234, 0.7, 1, 2, known))
        raise KeyboardInterrupt

    monkeypatch.setattr(sf, "solve_moves", solve_moves)
    data = json.loads(run("solve", games, "--moves", "--json").stdout)
    assert (data["complete"], data["solved"], data["value"]) == (False, False, -1) and "line" not in data
    assert [(entry["lower"], entry["upper"], entry["best"]) for entry in data["moves"]] == [(-1, -1, True), (-9, 4, False)]
    text = run("solve", games, "--moves")
    assert (text.exit_code, text.stderr) == (130, "scopa-fast: interrupted after 0.7 s\n")
    assert [row[1:] for row in rows(text.stdout)] == [["-1", "best"], ["-9..+4", ""]]
    assert not rows(run("solve", games, "--ply", "36", "--moves").stdout)


# analyse


def rows(text: str) -> list[list[str]]:
    """The cells of the rows of all tables."""
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in text.splitlines() if line.startswith("│")]


def test_analyse_shows_each_play_and_what_was_lost(games: Path) -> None:
    data = read_json("analyse", games, "--record", "2")
    assert data["complete"] and data["solved"] and data["moves"] == len(data["plays"]) == 36
    assert (data["id"], data["rules"], data["players"]) == ("REPLAY-2-0", "scopa", ["Ada", "[b]Ugo"])
    found = sf.analyse(list(sf.Record.from_file(games))[1])
    assert (data["seat_losses"], data["side_losses"]) == ([*found.seat_losses], [*found.side_losses])
    text = output("analyse", games, "--record", "2")
    assert text.startswith("record 2: REPLAY-2-0 (scopa, Ada [b]Ugo)\n")
    shown = rows(text)
    for row, play, entry in zip(shown, found.plays, data["plays"], strict=False):
        others = [str(move) for move in play.best if move != play.move]
        few = " ".join(others[:3]) + (f" ({len(others) - 3} more)" if len(others) > 3 else "")
        assert row == [str(play.number), str(play.seat), str(play.move), f"{play.before:+d}", few, str(play.loss or "")]
        assert entry == {
            "ply": play.number, "seat": play.seat, "side": play.side, "move": str(play.move), "lower": play.before, "upper": play.before,
            "loss_lower": play.loss, "loss_upper": play.loss, "best": [str(move) for move in play.best],
            "moves": [{"move": str(v.move), "lower": v.value, "upper": v.value, "best": v.best} for v in play.values.moves],
        }
    assert shown[36:] == [
        ["0", "0", "Ada", "18", str(found.seat_losses[0])],
        ["1", "1", "[b]Ugo", "18", str(found.seat_losses[1])],
    ]


def test_analyse_sums_a_team_up(random_deal: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "teams.jsonl"
    sf.write_records(file, [random_deal(sf, "scopa_4", 1)])
    data = read_json("analyse", file)
    totals = [[row[0], row[1], row[4]] for row in rows(output("analyse", file))[36:]]
    seats, sides = [*map(str, data["seat_losses"])], [*map(str, data["side_losses"])]
    assert totals == [
        ["0", "0", seats[0]], ["0", "2", seats[2]], ["0", "all", sides[0]],
        ["1", "1", seats[1]], ["1", "3", seats[3]], ["1", "all", sides[1]],
    ]  # fmt: skip


def test_analyse_at_a_limit_shows_the_plays_from_the_end(random_deal: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "scopone.jsonl"
    sf.write_records(file, [random_deal(sf, "scopone", 1)])
    data = read_json("analyse", file, "--nodes", "20000")
    assert data["complete"] and not data["solved"] and data["moves"] == 36
    assert [play["ply"] for play in data["plays"]] == list(range(36 - len(data["plays"]), 36))
    text = output("analyse", file, "--nodes", "20000")
    solved = sum(play["lower"] == play["upper"] and all(m["lower"] == m["upper"] for m in play["moves"]) for play in data["plays"])
    assert 0 < solved == len(data["plays"]) - 1
    assert text.splitlines()[:2] == ["record 1: REPLAY-1-0 (scopone)", f"LIMIT REACHED: only the last {solved} of 36 plays are solved"]
    shown = rows(text)
    assert shown[0][0] == str(35 - solved) and [row[4] == "not solved" for row in shown[:36]].count(True) == 1
    assert shown[0][4] == "not solved"


def test_ctrl_c_shows_the_plays_that_are_finished(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sf.analyse_plays

    def interrupted(record: sf.Record, **options: Any) -> Any:
        for count, play in enumerate(whole(record, **options)):
            if count == 5:
                raise KeyboardInterrupt
            yield play

    monkeypatch.setattr(sf, "analyse_plays", interrupted)
    result = run("analyse", games)
    assert (result.exit_code, result.stderr) == (130, "scopa-fast: interrupted after 5 of 36 plays\n")
    assert result.stdout.splitlines()[1] == "INTERRUPTED: only the last 5 of 36 plays are solved"
    assert [row[0] for row in rows(result.stdout)][:5] == ["31", "32", "33", "34", "35"]
    data = json.loads(run("analyse", games, "--json").stdout)
    assert (data["complete"], data["solved"], len(data["plays"])) == (False, False, 5)


def test_analyse_explains_what_lost_points(games: Path) -> None:
    data = read_json("analyse", games, "--advice")
    lost = [play for play in data["plays"] if play["loss_lower"]]
    assert lost and [entry["ply"] for entry in data["advice"]] == [play["ply"] for play in lost]
    text = output("analyse", games, "--advice")
    for play, entry in zip(lost, data["advice"], strict=True):
        assert entry["best_move"] == play["best"][0]
        assert f"\nply {play['ply']}, seat {play['seat']}\n" in text
        for move, tags in ((play["move"], entry["played"]), (entry["best_move"], entry["best"])):
            assert f"  {move}: {' '.join(tag['text'] for tag in tags)}".rstrip() in text


# The picture.


def test_without_matplotlib_the_extra_is_named(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("analyse", games, "--plot", "deal.png")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "scopa-fast: --plot 'deal.png' needs matplotlib: install it, or scopa_fast with the extra 'plot'\n"


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_a_picture_is_drawn(kind: str, games: Path, random_deal: Callable[..., Any], tmp_path: Path) -> None:
    sf.write_records(games, [random_deal(sf, "scopa", 2, players=("A$da$", "_Ugo"))])
    file = tmp_path / f"deal.{kind}"
    output("analyse", games, "--plot", file)
    begun = {"png": b"\x89PNG", "svg": b"<?xml"}[kind]
    assert file.read_bytes().startswith(begun)


def test_a_picture_that_cannot_be_drawn_is_refused(games: Path, tmp_path: Path) -> None:
    for name in ("deal.doc", "deal"):
        result = run("analyse", games, "--plot", name)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"--plot '{name}': a picture's name ends with one of ." in result.stderr and ".png" in result.stderr
    result = run("analyse", games, "--plot", tmp_path / "none" / "deal.png")
    assert (result.exit_code, result.stdout) == (2, "")  # before the work
    assert "cannot write --plot" in result.stderr and "No such file" in result.stderr


# As a process.


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize("command", ["solve --seed 3", "analyse {games}", "rules", "simulate --deals 9", "solve nowhere", "perft --json"])
def test_a_stream_that_was_closed_from_the_start_does_no_harm(closed: str, command: str, games: Path) -> None:
    line = f"{' '.join(PROGRAM)} {command.format(games=games)}"
    done = subprocess.run(f"{line} {closed}", shell=True, capture_output=True, text=True, check=False)
    code = 2 if "nowhere" in command else 141 if ">&-" in closed.replace("2>&-", "") else 0
    assert (done.returncode, done.stdout == "") == (code, code != 0)
    assert done.stderr == ("scopa-fast: 'nowhere' is neither a position nor a file\n" if code == 2 and "2>&-" not in closed else "")


def test_a_pipe_gets_no_progress(unfinished: Path) -> None:
    done = subprocess.run([*PROGRAM, "solve", str(unfinished), "--seconds", "1.8"], capture_output=True, text=True, check=True)
    assert done.stderr == "" and "\x1b" not in done.stdout


def test_a_terminal_gets_progress_after_a_second(unfinished: Path) -> None:
    seen: list[float] = []
    begun = time.monotonic()
    shown = on_a_terminal(
        "solve", str(unfinished), "--seconds", "2.5",
        watch=lambda shown: seen.append(time.monotonic() - begun) if b" positions" in shown else None,
    )  # fmt: skip
    assert seen and 1 <= seen[0] < 2.5
    assert b"LIMIT REACHED" in shown
