"""The command ``tournament``: what it prints and refuses, and that no stop, not even kill -9, loses or repeats a deal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from test_cli import PROGRAM, on_a_terminal, output, read_json, run

import scopa_fast as sf
from scopa_fast.sim import FrozenDeals, Tournament

BOTS = """
import os, time

class Thinker:
    name = "thinker"

    def __init__(self, seconds_a_move=0.0):
        self.seconds_a_move = seconds_a_move

    def choose(self, view, rng):
        time.sleep(self.seconds_a_move * float(os.environ.get("SLOWLY", "0")))
        moves = view.legal_moves()
        return max(moves, key=lambda move: len(move.captured))

class Lazy:
    def __init__(self, naps=False):
        self.naps = naps

    def choose(self, view, rng):
        if self.naps and "NAP" in os.environ:
            open(os.path.dirname(__file__) + "/asleep", "w").close()
            time.sleep(float(os.environ["NAP"]))
        return view.legal_moves()[0]

class Broken:
    name = "broken"

    def choose(self, view, rng):
        raise RuntimeError("no idea")
"""


@pytest.fixture
def my_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of bots such as a user writes; the name of it."""
    (tmp_path / "my_bots.py").write_text(BOTS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_bots", raising=False)
    return "my_bots"


def same(data: dict[str, Any]) -> dict[str, Any]:
    """The output without the time it took."""
    for pairing in data["pairings"]:
        pairing.pop("seconds")
    return data


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [{name: value for name, value in json.loads(line).items() if name != "seconds"} for line in path.read_text().splitlines()]


# Refusals.


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("", 2, "--bots"),
        ("--bots greedy,clever", 2, "no bot 'clever': one of random, greedy"),
        ("--bots greedy,random,greedy", 2, "the bot 'greedy' is entered twice"),
        ("--bots greedy, --deals 3", 2, "no bot ''"),
        ("--bots greedy --against last", 2, "too few bots for a tournament: greedy"),
        ("--bots greedy,cs --against random", 2, "--against 'random' is neither 'all' nor 'last' nor one of the bots: greedy, cs"),
        ("--bots greedy,cs --deals 0", 2, "'0' is not a whole number from 1 to 9007199254740992"),
        ("--bots greedy,cs --deals 9007199254740993", 2, "'9007199254740993' is not a whole number from 1 to 9007199254740992"),
        ("--bots greedy,cs --threads 1025", 2, "'1025' is not a whole number from 1 to 1024"),
        ("--bots greedy,cs --rules scopetta", 2, "no ruleset 'scopetta'"),
        ("--bots greedy,cs --h1 0.2", 2, "--h0, --h1, --alpha and --beta are for --sprt"),
        ("--bots greedy,cs --sprt --h0 0.2", 2, "a test of 0.2 against 0.1 points a deal"),
        ("--bots greedy,cs --sprt --h1 much", 2, "'much' is not a number"),
        ("--bots greedy,cs --sprt --alpha nan", 2, "'nan' is not a number"),
        ("--bots greedy,cs --sprt --beta 0.7", 2, "beta 0.7 is not between 0 and 0.5"),
        ("--bots greedy,cs --results /nowhere/at/all", 2, "cannot use --results '/nowhere/at/all': No such file"),
        ("--bots greedy,cs --results /dev/full", 2, "cannot use --results '/dev/full': not a regular file"),
        ("--bots greedy,cs --results DIARY", 1, "DIARY:1: no results of a tournament: b'dear diary"),
        ("--bots greedy,cs --deals-file /nowhere/at/all", 2, "cannot write --deals-file '/nowhere/at/all': No such file"),
        ("--bots greedy,cs --deals-file DIARY", 1, "DIARY:1: not a line of JSON with scopa_fast"),
        ("--bots greedy,cs --deals-file .", 2, "cannot read --deals-file '.': Is a directory"),
        ("--bots greedy,cs --deals-file FROZEN --seed 6", 2, "are of scopone with the seed 5, not of scopone with the seed 6"),
        ("--bots greedy,cs --deals-file FROZEN --rules scopa", 2, "not of scopa with the seed 5"),
        ("--bots greedy,cs --deals-file FROZEN --deals 4", 2, "4 deals asked for, and 3 are frozen"),
        ("--bots greedy,cs --plot cross.doc", 2, "--plot 'cross.doc': a picture's name ends with one of ."),
        ("--bots my_bots:Broken --deals 2", 1, "the bot 'my_bots:Broken' in seat 0 of deal 0, seating 0: RuntimeError: no idea"),
    ],
)
def test_bad_usage_is_refused_in_one_line_that_quotes_it(
    arguments: str, code: int, message: str, my_bots: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("DIARY").write_text("dear diary\n")
    FrozenDeals.make("scopone", 3, 5).write("FROZEN")
    result = run("tournament", *arguments.split())
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert result.stderr.startswith("scopa-fast: ") and result.stderr.count("\n") == 1
    assert message in result.stderr
    assert Path("DIARY").read_text() == "dear diary\n"


def test_without_the_libraries_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "choix", None)
    result = run("tournament", "--bots", "greedy,cs")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "scopa-fast: a tournament needs scipy and choix: install them, or scopa_fast with the extra 'arena'\n"


# What is printed.


def test_the_tables() -> None:
    text = output("tournament", "--rules", "scopone", "--bots", "random,greedy,cs[conventions=absent]", "--deals", "30", "--seed", "4")
    assert text.startswith("scopone: up to 30 deals of each pairing, each deal in 2 seatings; seed 4\n")
    data = read_json("tournament", "--rules", "scopone", "--bots", "random,greedy,cs[conventions=absent]", "--deals", "30", "--seed", "4")
    assert [pairing["entrants"] for pairing in data["pairings"]][2] == ["random", "cs[conventions=absent]"]
    pair = data["pairings"][1]
    wins = pair["all_sides"]["wins"]
    assert (pair["all_sides"]["games"], pair["deals"], pair["moves"]) == (60, 30, 2160)
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in text.splitlines() if line.startswith("│")]
    low, high = pair["all_sides"]["wins_interval"]
    assert ["", "on all sides", "60", f"{100 * wins / 60:.1f} ({100 * low:.1f} to {100 * high:.1f})"] in [row[:4] for row in rows]
    low, high = pair["lead_interval"]
    row = ["random v greedy", "30", f"{pair['lead']:+.3f}", f"{low:+.3f} .. {high:+.3f}"]
    assert [*row, f"{pair['sd']:.2f}", f"{pair['deals_needed']:,}"] in rows
    cells = [f"{data['leads'][0][i]:+.3f}  {100 * data['shares'][0][i]:5.1f}" for i in range(3)]
    assert ["random", *cells] in rows
    # Best first.
    assert [row[0] for row in rows[-3:]][-1] == "random"
    assert rows[-1][1] == f"{data['pool'][0]['rating']:+.0f}"


def test_the_same_command_prints_the_same_for_any_threads() -> None:
    command = ["tournament", "--rules", "scopa", "--bots", "random,greedy,ismcts[iterations=10]", "--deals", "10", "--seed", "4"]
    assert same(read_json(*command)) == same(read_json(*command, "--threads", "2"))


def test_a_bot_that_thinks_for_a_time_is_told_of() -> None:
    command = ["tournament", "--bots", "ismcts[seconds=0.001],random", "--deals", "1", "--against", "last"]
    assert "but bots that think for a time play otherwise every time" in output(*command)
    assert read_json(*command)["repeatable"] is False


def test_a_bot_of_the_user_plays(my_bots: str) -> None:
    data = read_json("tournament", "--bots", "my_bots:Lazy,random,my_bots:Thinker[seconds_a_move=0]", "--deals", "40", "--seed", "1")
    assert [entrant["label"] for entrant in data["entrants"]] == ["my_bots:Lazy", "random", "my_bots:Thinker[seconds_a_move=0]"]
    assert data["entrants"][0]["bot"] == "Lazy" and data["entrants"][2]["settings"] == {"seconds_a_move": 0}
    assert data["leads"][2][0] > 0


def test_against_one(my_bots: str) -> None:
    for against, pairings in (("last", [["random", "cs"], ["greedy", "cs"]]), ("random", [["greedy", "random"], ["cs", "random"]])):
        data = read_json("tournament", "--bots", "random,greedy,cs", "--deals", "2", "--against", against)
        assert [pairing["entrants"] for pairing in data["pairings"]] == pairings


def test_a_test_ends_early_and_says_what_it_found() -> None:
    command = ["tournament", "--bots", "greedy,random", "--against", "last", "--deals", "5000", "--seed", "2", "--sprt"]
    data = read_json(*command)
    assert data["complete"] and data["test"] == {"low": 0.0, "high": 0.1, "alpha": 0.05, "beta": 0.05}
    assert data["pairings"][0]["decision"] == "high" and 30 <= data["pairings"][0]["deals"] < 500
    assert "a lead of +0.1 accepted, +0 rejected" in output(*command)
    few = ["tournament", "--bots", "random,greedy", "--deals", "20", "--seed", "2", "--sprt", "--h0=-1", "--h1", "0.5"]
    text = output(*few, "--alpha", "0.1", "--beta", "0.2")
    assert "open: " in text and "in -1.50 .. +2.08" in text and "not tested" in text and "deals to see 1.5" in text


def test_three_sides_and_eight() -> None:
    assert "each deal in 3 seatings" in output("tournament", "--rules", "scopa_3", "--bots", "random,greedy", "--deals", "3")
    data = read_json("tournament", "--rules", "scopa_8", "--bots", "greedy,random", "--deals", "2", "--against", "last")
    assert data["pairings"][0]["entrants"] == ["greedy"] + ["random"] * 7 and len(data["pairings"][0]["sides"]) == 8


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_a_picture_is_drawn(kind: str, tmp_path: Path) -> None:
    file = tmp_path / f"leads.{kind}"
    output("tournament", "--bots", "random,greedy", "--deals", "5", "--plot", file)
    assert file.read_bytes().startswith({"png": b"\x89PNG", "svg": b"<?xml"}[kind])


# Files.


def test_frozen_deals_are_made_once_and_played_again(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    fresh = read_json("tournament", "--bots", "random,greedy", "--rules", "scopa_4", "--deals", "7", "--seed", "3")
    made = read_json("tournament", "--bots", "random,greedy", "--rules", "scopa_4", "--deals", "7", "--seed", "3", "--deals-file", file)
    before = file.read_bytes()
    again = read_json("tournament", "--bots", "random,greedy", "--deals-file", file)
    assert file.read_bytes() == before
    assert (again["rules"], again["deals"], again["seed"], again["frozen"]) == ("scopa_4", 7, 3, FrozenDeals.read(file).checksum)
    assert same(made) == same(again) == same(fresh) | {"frozen": again["frozen"]}
    assert f"frozen in {file} (SHA-256 {again['frozen'][:12]})" in output("tournament", "--bots", "random", "--deals-file", file)
    assert read_json("tournament", "--bots", "random", "--deals-file", file, "--deals", "2")["pairings"][0]["deals"] == 2


def test_the_same_command_goes_on_with_the_same_seed(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    first = read_json("tournament", "--bots", "random,greedy", "--deals", "3", "--results", file)
    before = file.read_bytes()
    assert read_json("tournament", "--bots", "random,greedy", "--deals", "3", "--results", file) == first
    assert file.read_bytes() == before
    more = read_json("tournament", "--bots", "random,greedy", "--deals", "4", "--results", file)
    assert more["seed"] == first["seed"] and more["pairings"][0]["deals"] == 4
    result = run("tournament", "--bots", "random,greedy", "--deals", "4", "--seed", str(first["seed"] + 1), "--results", file)
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"{file}:1: results of another tournament: seed is {first['seed']} there and {first['seed'] + 1} here\n" in result.stderr


def test_a_full_disk_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def limit() -> None:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    file = tmp_path / "results.jsonl"
    command = [*PROGRAM, "tournament", "--bots", "random,greedy", "--deals", "200", "--seed", "1", "--results", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"scopa-fast: cannot write --results {str(file)!r}: File too large\n"
    # What there is of it is of use.
    data = read_json(*command[len(PROGRAM) :])
    assert data["complete"] and [line["deal"] for line in lines_of(file)[1:]] == [deal for deal in range(200) for _ in range(3)]


# Stops.


def tournament_of_thinkers(file: Path) -> list[str]:
    bots = "my_bots:Thinker,my_bots:Thinker[seconds_a_move=0.001]"
    return ["tournament", "--bots", bots, "--deals", "40", "--seed", "3", "--results", str(file), "--threads", "2"]


def start(file: Path, *, until: int) -> subprocess.Popen[str]:
    """Start a slow tournament and wait for so many lines."""
    command = [*PROGRAM, *tournament_of_thinkers(file), "--json"]
    environment = {**os.environ, "SLOWLY": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    limit = time.monotonic() + 30
    while not file.exists() or file.read_bytes().count(b"\n") < until:
        assert process.poll() is None and time.monotonic() < limit
        time.sleep(0.005)
    return process


def test_after_kill_9_the_same_command_ends_as_if_nothing_had_happened(my_bots: str, tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed.jsonl", tmp_path / "whole.jsonl"
    for until in (2, 20):
        with start(killed, until=until) as process:
            process.kill()
        assert process.returncode == -signal.SIGKILL
        assert until <= killed.read_bytes().count(b"\n") < 121
    # The last line may be half written, which takes more luck than a test has.
    killed.write_bytes(killed.read_bytes() + b'{"pairing": [0, ')
    data, expected = read_json(*tournament_of_thinkers(killed)), read_json(*tournament_of_thinkers(whole))
    assert data["complete"] and same(data) == same(expected)
    assert lines_of(killed) == lines_of(whole)
    assert len(lines_of(whole)) == 121


def test_ctrl_c_prints_what_is_finished(my_bots: str, tmp_path: Path) -> None:
    file, whole = tmp_path / "r.jsonl", tmp_path / "whole.jsonl"
    with start(file, until=11) as process:
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        text, errors = process.communicate(timeout=20)
    assert time.monotonic() - begun < 10
    assert (process.returncode, errors) == (130, "")
    data = json.loads(text)
    assert not data["complete"]
    assert sum(pairing["deals"] for pairing in data["pairings"]) == len(lines_of(file)) - 1 >= 10
    assert same(read_json(*tournament_of_thinkers(file))) == same(read_json(*tournament_of_thinkers(whole)))


def test_a_second_ctrl_c_waits_for_no_move(my_bots: str, tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    bots = "my_bots:Lazy,my_bots:Lazy[naps=true]"
    command = ["tournament", "--bots", bots, "--deals", "10", "--seed", "3", "--results", str(file), "--threads", "2"]
    read_json(*command, "--deals", "2")
    before = file.read_bytes()
    environment = {**os.environ, "NAP": "60"}
    with subprocess.Popen([*PROGRAM, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        while not (tmp_path / "asleep").exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20) == ("", "")
    assert time.monotonic() - begun < 10
    assert process.returncode == 130
    assert file.read_bytes().startswith(before)
    assert read_json(*command)["complete"]


def test_an_interrupted_table_says_where_it_stands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole, pressed = Tournament.run, []

    def interrupted(self: Tournament, results: Any, *, progress: Any, **options: Any) -> Any:
        def press(now: Any) -> None:
            progress(now)
            if not pressed:
                pressed.append(now)
                signal.raise_signal(signal.SIGINT)

        return whole(self, results, progress=press, **options)

    monkeypatch.setattr(Tournament, "run", interrupted)
    before = signal.getsignal(signal.SIGINT)
    result = run("tournament", "--bots", "random,greedy", "--deals", "100000", "--results", tmp_path / "r")
    assert result.exit_code == 130, result.output
    assert "\nINTERRUPTED before deal " in result.stdout
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_before_the_first_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Tournament.run

    def interrupted(*arguments: Any, **options: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return whole(*arguments, **options)

    monkeypatch.setattr(Tournament, "run", interrupted)
    result = run("tournament", "--bots", "random,greedy")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "scopa-fast: interrupted before the end of the first deal\n"


# As a process.


def test_a_pipe_gets_no_progress() -> None:
    command = [*PROGRAM, "tournament", "--bots", "random,greedy", "--deals", "20"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == "" and "\x1b" not in done.stdout and "scopa: up to 20 deals" in done.stdout


def test_a_terminal_gets_a_progress_bar() -> None:
    shown = on_a_terminal("tournament", "--bots", "random,greedy", "--deals", "20")
    assert b"60/60" in shown and b"scopa: up to 20 deals" in shown


def test_the_commands_load_neither_numpy_nor_scipy_for_nothing() -> None:
    program = "import sys, scopa_fast.cli; print([name for name in ('numpy', 'scipy', 'choix', 'matplotlib') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_version_of_a_file_is_that_of_the_package(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    output("tournament", "--bots", "random", "--deals", "1", "--results", file)
    head = json.loads(file.read_text().splitlines()[0])
    assert head["version"] == sf.__version__
    file.write_text(file.read_text().replace(f'"version": "{sf.__version__}"', '"version": "0.0.1"', 1))
    result = run("tournament", "--bots", "random", "--deals", "1", "--results", file)
    assert f'version is "0.0.1" there and "{sf.__version__}" here' in result.stderr
