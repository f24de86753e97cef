"""The commands: what they print, what they refuse in one line, and how they behave in a pipe, under Ctrl-C and when nobody reads."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from scopa_fast import __version__
from scopa_fast.cli import app
from scopa_fast.rules import OPTIONS, PRESETS

CONFORMANCE = Path(__file__).parent / "data" / "conformance.json"
PROGRAM = [sys.executable, "-m", "scopa_fast"]
ENDGAME = "scopa hands=7D/2C table=3C4S piles={}/- last=0 seat=0 dealer=1"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def on_a_terminal(*arguments: str, watch: Callable[[bytes], object] = len) -> bytes:
    """Run a command on a terminal of its own and return what it showed; ``watch`` is told all of it after each part."""
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [*PROGRAM, *arguments])
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
        watch(shown)
    assert os.waitpid(process, 0)[1] == 0
    os.close(terminal)
    return shown


def output(*arguments: str | Path) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def read_json(*arguments: str | Path) -> Any:
    return json.loads(output(*arguments, "--json"))


def endgame() -> str:
    from scopa_fast.reference import format_card, parse_cards

    return ENDGAME.format("".join(format_card(card) for card in range(40) if card not in parse_cards("7D2C3C4S")))


# Refusals.


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        ("simulat", 2, ["simulat"]),
        ("simulate --deal 3", 2, ["--deal"]),
        ("simulate --deals 0", 2, ["--deals", "'0' is not a whole number from 1 to 9007199254740992"]),
        ("simulate --deals 1e5", 2, ["'1e5' is not a whole number"]),
        ("simulate --seed -1", 2, ["'-1' is not a whole number from 0 to 18446744073709551615"]),
        ("simulate --seed 18446744073709551616", 2, ["'18446744073709551616'"]),
        ("simulate --threads none", 2, ["'none'"]),
        ("simulate --threads 1025", 2, ["'1025' is not a whole number from 1 to 1024"]),
        ("simulate --rules scopetta", 2, ["no ruleset 'scopetta'"]),
        ("simulate --rules scopa[target=1", 2, ["no closing bracket", "'scopa[target=1'"]),
        ("simulate --set targe=21", 2, ["no option 'targe' (OPT-1); did you mean target"]),
        ("simulate --set target", 2, ["no value in --set 'target'"]),
        ("simulate --set target=21 --set target=31", 2, ["target is set twice"]),
        ("simulate --set target=many", 2, ["target='many'", "MAT-1"]),
        ("simulate --rules scopone --set seats=3", 2, ["OPT-2", "scopone[seats=3]"]),
        ("simulate --bots random,clever", 2, ["no bot 'clever': one of random, greedy"]),
        ("simulate --bots greedy,random,greedy", 2, ["3 bots (greedy, random, greedy) for scopa: give 1 or 2"]),
        ("simulate --dealer 2", 2, ["no dealer 2 in scopa (SEAT-1): 0..1"]),
        ("simulate --dealer left", 2, ["--dealer 'left' is neither a seat number nor 'rotate'"]),
        ("simulate --declarations maybe", 2, ["no declarations 'maybe'"]),
        ("simulate --deals 1 --records /nowhere/at/all.jsonl", 2, ["cannot write --records '/nowhere/at/all.jsonl'"]),
        ("simulate --deals 3 --records /dev/full", 2, ["cannot write --records '/dev/full': No space left"]),
        ("rules scopetta", 2, ["no ruleset 'scopetta'"]),
        ("captures", 2, ["CARD"]),
        ("captures 8D", 2, ["no card '8D' in it40"]),
        ("captures 7D 3C4", 2, ["odd number of letters in the cards '3C4'"]),
        ("captures 7D 7D3C", 2, ["7D"]),
        ("captures 7D 3C --declared 4", 2, ["--declared '4'", "CIR-6"]),
        ("captures 7C 3C --declared X", 2, ["no rank 'X'"]),
        ("captures KD 3D,9H --french", 2, ["'9H'"]),
        ("perft nonsense", 2, ["no ruleset 'nonsense'", "in the position 'nonsense'"]),
        ("perft --depth 0", 2, ["'0' is not a whole number of 1 or more"]),
        ("perft scopa --seed 1", 2, ["are for a new deal, not for 'scopa'"]),
        ("perft --backend fast", 2, ["'fast'"]),
        ("replay /nowhere.jsonl", 2, ["/nowhere.jsonl"]),
        ("verify /nowhere.json", 2, ["/nowhere.json"]),
    ],
)
def test_bad_usage_is_refused_in_one_line_that_quotes_it(arguments: str, code: int, parts: list[str]) -> None:
    result = run(*arguments.split())
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith("scopa-fast: ") and result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr


@pytest.mark.parametrize("command", ["replay", "verify"])
@pytest.mark.parametrize(
    ("text", "part"), [("", ": no "), ("[]", ": no "), ("nonsense", ":1: not JSON"), ('{"id": "X"}\n{"id"\n', ":2: ")]
)
def test_a_bad_file_ends_with_one_line_and_code_1(command: str, text: str, part: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(text)
    if (command, part) == ("replay", ":2: "):
        part = ":1: "  # the first line is no record either
    result = run(command, file)
    assert result.exit_code == 1
    assert result.stderr.startswith("scopa-fast: ") and result.stderr.count("\n") == 1
    assert f"{file}{part}" in result.stderr


def test_version_and_help() -> None:
    assert output("--version") == f"scopa-fast {__version__}\n"
    text = output("--help")
    assert all(name in text for name in ("simulate", "rules", "captures", "perft", "replay", "verify"))
    assert "scopone[target=21]" in output("simulate", "--help")
    nothing = run()
    assert nothing.exit_code == 2 and "simulate" in nothing.output


# simulate


def test_simulate_prints_the_two_tables() -> None:
    text = output("simulate", "--deals", "50", "--seed", "7", "--rules", "Scopone", "--bots", "greedy,random")
    lines = text.splitlines()
    assert lines[0] == "scopone: 50 deals, seed 7, dealer seat 3"
    assert "│ 0         │ 0 2   │ greedy greedy │" in text
    assert all(f"│ {item}" in text for item in ("tie", "carte", "denari", "settebello", "primiera", "scopa", "scopa, points per deal"))
    assert "napola" not in text
    assert " deals/s, " in lines[-2] and " plays/s" in lines[-2]
    assert lines[-1].endswith("Repeat with --seed 7")


def test_simulate_repeats_what_it_printed() -> None:
    first = read_json("simulate", "--deals", "60", "--set", "napola=run")
    again = read_json("simulate", "--deals", "60", "--set", "napola=run", "--seed", str(first["seed"]))
    for data in (first, again):
        for name in ("seconds", "deals_per_second", "plays_per_second"):
            assert data.pop(name) > 0
    assert first == again
    assert first["rules"] == "scopa[napola=run]"
    assert "napola" in first["items"]


def test_simulate_takes_a_fresh_seed_each_time() -> None:
    assert len({read_json("simulate", "--deals", "1")["seed"] for _ in range(3)}) == 3


def test_the_default_is_100000_deals_of_scopa_between_random_players() -> None:
    from scopa_fast.cli.simulate import simulate

    assert simulate.__defaults__ == ("scopa", None, 100_000, None, "random", None, "never", None, 1, False)


@pytest.mark.parametrize(("dealer", "shown"), [("0", "seat 0"), ("rotate", "rotating")])
def test_simulate_says_who_deals(dealer: str, shown: str) -> None:
    assert f"dealer {shown}\n" in output("simulate", "--deals", "5", "--dealer", dealer)


def test_simulate_records_can_be_replayed_and_verified(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    output("simulate", "--deals", "6", "--rules", "cirulla_4", "--bots", "greedy", "--seed", "3", "--records", file)
    assert [json.loads(line)["deal"] for line in file.read_text().splitlines()] == list(range(6))
    assert output("replay", file).endswith("6 records: every move is legal\n")
    data = read_json("verify", file, "--backend", "both")
    assert data["cases"] == 6 and data["failed"] == 0


# rules


def test_rules_lists_every_preset() -> None:
    text = output("rules")
    assert all(f"│ {name} " in text for name in PRESETS)
    assert "sette_coppe=true" in text
    data = read_json("rules")
    assert {entry["name"]: entry["differs"] for entry in data} == PRESETS


def test_rules_of_one_lists_every_option() -> None:
    text = output("rules", "scopone[target=21]")
    assert text.startswith("scopone[target=21]: Scopone, nine cards\n")
    assert all(f"│ {name} " in text for name in OPTIONS)
    assert "│ target " in text and "MAT-1" in text
    data = read_json("rules", "SCOPONE")
    options = {entry["option"]: entry for entry in data["options"]}
    assert list(options) == list(OPTIONS)
    assert options["hand"] == {
        "option": "hand", "value": 9, "default": 3, "allowed": "3, 9, 10", "rules": ["DEAL-1", "DEAL-3", "DEAL-4"],
        "meaning": "cards dealt to a seat in a round",
    }


# captures


def test_captures_lists_what_a_card_takes() -> None:
    assert output("captures", "7D", "3C 4S 7B") == "7D on 3C 4S 7B (scopa)\n  takes 7B\n"
    assert output("captures", "7d", "4s3c") == "7D on 3C 4S (scopa)\n  takes 3C 4S  (scopa: 1 point)\n"
    assert output("captures", "7D", "3C4S", "--last") == "7D on 3C 4S (scopa)\n  takes 3C 4S\n"
    assert output("captures", "7D") == "7D on an empty table (scopa)\n  may stay on the table\n"
    banned = output("captures", "AD", "--rules", "asso_piglia_tutto_2", "--set", "first_ace_ban=true", "--first")
    assert banned.endswith("\n  may not be played\n")
    assert output("captures", "AD", "--rules", "asso_piglia_tutto_2").endswith("\n  may go to the own pile\n")


def test_captures_of_a_declared_seven_of_cups() -> None:
    data = read_json("captures", "7C", "6S 2B", "--rules", "cirulla_2", "--declared", "C")
    assert data["captures"] == [{"take": ["6S"], "scopa": 0}]


def test_captures_reads_and_writes_french_names() -> None:
    # C is clubs here and cups in Italian notation (DECK-4); the king is worth ten.
    assert output("captures", "KC", "3H, 7C", "--french") == "KC on 3H 7C (scopa)\n  takes 3H 7C  (scopa: 1 point)\n"
    data = read_json("captures", "7H", "6S 2C", "--rules", "cirulla_2", "--declared", "Q", "--french")
    assert (data["card"], data["captures"]) == ("7H", [{"take": ["6S"], "scopa": 0}])


# perft


def test_perft_counts_each_length() -> None:
    case = next(case for case in json.loads(CONFORMANCE.read_text()) if case["id"] == "REPLAY-006")
    from scopa_fast.reference import State, parse_card

    replay = case["input"]["replay"]
    state = State.from_deck("scopone", [parse_card(name) for name in replay["deck"]], replay["dealer"])
    data = read_json("perft", str(state), "--depth", "3", "--divide")
    assert [row["count"] for row in data["counts"]] == case["expected"]["perft"]
    assert sum(data["divide"].values()) == case["expected"]["perft"][2]
    assert list(data["divide"]) == [str(move) for move in state.legal_moves()]
    assert data["position"] == str(state)


def test_perft_of_a_new_deal_is_the_same_on_both_backends() -> None:
    found = [
        read_json("perft", "--rules", "cirulla_2", "--seed", "11", "--depth", "3", "--declarations", "--backend", backend)
        for backend in ("native", "reference")
    ]
    counts = [[row["count"] for row in data["counts"]] for data in found]
    assert counts[0] == counts[1]
    assert found[0]["position"] == found[1]["position"]


def test_perft_prints_a_table_and_a_position_that_can_be_pasted() -> None:
    text = output("perft", "--depth", "2", "--divide")
    assert output("perft", text.splitlines()[0], "--depth", "1").splitlines()[0] == text.splitlines()[0]
    assert "│     2 │" in text and "first move" in text
    assert "│     2 │         1 │" in output("perft", endgame(), "--depth", "2")


# replay


def test_replay_prints_the_score_of_each_deal() -> None:
    text = output("replay", CONFORMANCE)
    assert text.startswith("REPLAY-001 (scopa):\n  carte: ")
    assert "  settebello: side 0 +1 (7D)\n" in text
    assert text.endswith("\n20 records: every move is legal\n")


def test_replay_stops_at_the_first_bad_record(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    output("simulate", "--deals", "3", "--seed", "1", "--records", file)
    lines = file.read_text().splitlines()
    bad = json.loads(lines[1])
    bad["input"]["replay"]["moves"][0]["card"] = bad["input"]["replay"]["moves"][1]["card"]
    file.write_text("\n".join([lines[0], json.dumps(bad), lines[2]]) + "\n")
    result = run("replay", file)
    assert result.exit_code == 1
    assert result.stdout.startswith("REPLAY-1-0 (scopa, random random):\n") and "REPLAY-1-1" not in result.stdout
    assert f"{file}:2" in result.stderr and "illegal move" in result.stderr
    as_json = run("replay", file, "--json")
    data = json.loads(as_json.stdout)
    assert as_json.exit_code == 1
    assert not data["valid"] and len(data["records"]) == 1 and "illegal move" in data["error"]


def test_replay_of_a_game_that_was_not_finished(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    output("simulate", "--deals", "1", "--seed", "1", "--records", file)
    record = json.loads(file.read_text())
    del record["input"]["replay"]["moves"][30:], record["expected"]
    file.write_text(json.dumps(record))
    assert output("replay", file).startswith("REPLAY-1-0 (scopa, random random): not finished, 6 cards to play\n")
    assert read_json("replay", file)["records"][0]["finished"] is False


# verify


@pytest.mark.parametrize("backend", ["native", "reference", "both"])
def test_verify_passes_every_case(backend: str) -> None:
    names = ("native", "reference") if backend == "both" else (backend,)
    data = read_json("verify", CONFORMANCE, "--backend", backend)
    assert (data["cases"], data["failed"], tuple(data["backends"])) == (251, 0, names)
    for name in names:
        passed = {kind: counts["passed"] for kind, counts in data["backends"][name]["kinds"].items()}
        assert passed == {"captures": 88, "score": 91, "match": 26, "deal": 18, "bonus": 28}
    text = output("verify", CONFORMANCE, "--backend", backend)
    assert f"│ {names[0]}" in text and "│    251 │      0 │" in text


def test_verify_shows_each_failure_and_ends_with_1(tmp_path: Path) -> None:
    cases = json.loads(CONFORMANCE.read_text())[:3]
    cases[1]["expected"]["lay"] = True
    cases[2]["kind"] = "unkind"
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(cases))
    result = run("verify", file, "--backend", "reference")
    assert result.exit_code == 1
    assert f"reference captures {cases[1]['id']}:\n  lay: expected true, got false\n" in result.stdout
    assert f"reference unkind {cases[2]['id']}: InvalidCaseError: no kind 'unkind'" in result.stdout
    as_json = run("verify", file, "--json")
    data = json.loads(as_json.stdout)
    assert (as_json.exit_code, data["failed"]) == (1, 2)
    assert data["backends"]["native"]["failures"][0] == {
        "id": cases[1]["id"], "kind": "captures", "expected": {"lay": True}, "got": {"lay": False}, "error": None,
    }


# As a process.


def test_a_pipe_gets_no_progress_bar() -> None:
    done = subprocess.run([*PROGRAM, "simulate", "--deals", "300"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "\x1b" not in done.stdout and "scopa: 300 deals" in done.stdout


def test_a_terminal_gets_a_progress_bar() -> None:
    shown = on_a_terminal("simulate", "--deals", "300")
    assert b"300/300" in shown and b"scopa: 300 deals" in shown


INTERRUPTED_AFTER_A_SECOND = """
import os, signal, threading
from scopa_fast.cli import main
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
main()
"""


@pytest.mark.parametrize("bots", ["random", "greedy"])
def test_ctrl_c_keeps_what_is_finished(bots: str, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    arguments = ["simulate", "--deals", "1000000000", "--bots", bots, "--seed", "2", "--json"]
    if bots == "greedy":
        arguments += ["--records", str(file)]
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_AFTER_A_SECOND, *arguments], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (130, "")
    data = json.loads(done.stdout)
    assert 0 < data["deals"] < 1_000_000_000
    assert not data["complete"]
    if bots == "greedy":
        text = file.read_text()
        assert text.endswith("}\n")
        assert [json.loads(line)["deal"] for line in text.splitlines()] == list(range(data["deals"]))


def test_an_interrupted_table_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from scopa_fast.sim import Simulation

    whole = Simulation.run

    def interrupted(self: Simulation, write: Any = None) -> Any:
        for chunk in whole(self, write):
            signal.raise_signal(signal.SIGINT)
            yield chunk

    monkeypatch.setattr(Simulation, "run", interrupted)
    before = signal.getsignal(signal.SIGINT)
    result = run("simulate", "--deals", "1000000")
    assert result.exit_code == 130
    assert "INTERRUPTED: 64 of 1,000,000 deals were finished" in result.stdout
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("command", "patched", "message"),
    [
        (["perft", "--depth", "9"], "scopa_fast.State.perft", "interrupted after 2 of 9 lengths"),
        (["verify", CONFORMANCE], "scopa_fast.cli.check.run_case", "interrupted after 2 of 251 runs of a case"),
        (["replay", CONFORMANCE], "scopa_fast.cli.check._replay_lines", "interrupted after 3 records"),
    ],
)
def test_other_commands_show_what_was_finished(
    command: list[str | Path], patched: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, _, name = patched.rpartition(".")
    calls = []

    def interrupt_the_third(whole: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            calls.append(arguments)
            if len(calls) == 3:
                raise KeyboardInterrupt
            return whole(*arguments, **options)

        return call

    if name == "perft":
        from scopa_fast import reference

        monkeypatch.setattr(reference.State, "perft", interrupt_the_third(reference.State.perft))
        command = [*command, "--backend", "reference"]
    else:
        monkeypatch.setattr(patched, interrupt_the_third(getattr(sys.modules[module], name)))
    result = run(*command)
    assert result.exit_code == 130
    assert result.stderr == f"scopa-fast: {message}\n"
    assert {"perft": "│     2 │", "run_case": "│      2 │      0 │", "_replay_lines": "REPLAY-002"}[name] in result.stdout


def test_a_closed_pipe_ends_quietly() -> None:
    with subprocess.Popen([*PROGRAM, "replay", str(CONFORMANCE)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(20) == 141


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("arguments", ["simulate --deals 200 --seed 1", "perft --depth 2 --seed 1", "rules", "simulate --deals 200 --json"])
def test_an_output_that_lacks_signs_gets_stand_ins(encoding: str, arguments: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run([*PROGRAM, *arguments.split()], capture_output=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert done.stdout.decode(encoding)
