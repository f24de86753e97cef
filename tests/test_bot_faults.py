"""What becomes of bots that fail: one line that says whose fault it was, and games of others unharmed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import scopa_fast as sf
from scopa_fast.bots import find_bot
from scopa_fast.bots.base import ask, name_of
from scopa_fast.errors import IllegalMoveError, ScopaError
from scopa_fast.rules import find_rules
from scopa_fast.sim import Entrant, Simulation, Tournament, play_deal
from scopa_fast.sim.sequential import SequentialTest

BOTS = """
import sys

class Base:
    def choose(self, view, rng):
        return view.legal_moves()[0]

class Nameless(Base):
    pass

class Circular(Base):
    def __init__(self):
        self.own = [self]
    @property
    def name(self):
        raise RuntimeError("no name")

class Divides(Base):
    name = "divides"
    def choose(self, view, rng):
        return 1 // 0  # line 21

class Leaves(Base):
    def choose(self, view, rng):
        sys.exit("bye\x1b[31m")

class Cheats(Base):
    cheats = True
    def choose(self, state, rng):
        state.play(state.legal_moves()[0])
        return state.legal_moves()[0]

class Broken(Base):
    def __init__(self):
        raise RuntimeError("not today")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "faulty.py").write_text(BOTS, encoding="utf-8")
    (tmp_path / "unreadable.py").write_text("def choose(:", encoding="utf-8")
    (tmp_path / "leaving.py").write_text("import sys; sys.exit(3)", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, whose modules are to be found without being told of."""
    script = Path(sys.executable).with_name("scopa-fast")
    start = [str(script)] if script.exists() else [sys.executable, "-m", "scopa_fast"]
    return subprocess.run(
        [*start, *words], cwd=folder, capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": ""}, check=False
    )


@pytest.mark.parametrize("words", [("tournament", "--bots", "faulty:{},random"), ("simulate", "--bots", "faulty:{}"),
                                   ("play", "--bots", "faulty:{}", "--seat", "1")])  # fmt: skip
@pytest.mark.parametrize(("bot", "told"), [("Divides", "ZeroDivisionError: "), ("Leaves", "SystemExit: bye [31m")])
def test_a_bot_that_fails_is_told_of_in_one_line(folder: Path, words: tuple[str, ...], bot: str, told: str) -> None:
    done = command(folder, *(word.format(bot) for word in words), "--deals", "3", "--seed", "1")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("scopa-fast: the bot 'faulty:" if words[0] != "simulate" else "scopa-fast: the bot '"), line
    assert told in line and "faulty.py, line " in line


def test_a_bot_without_a_name_goes_by_its_class(folder: Path) -> None:
    for name in ("Nameless", "Circular"):
        entrant = Entrant.from_text(f"faulty:{name}")
        assert name_of(entrant.bot) == name == entrant.about()["bot"]
        done = command(folder, "simulate", "--bots", f"faulty:{name}", "--deals", "2", "--records", "games.jsonl")
        assert done.returncode == 0 and f'"players": ["{name}", "{name}"]' in (folder / "games.jsonl").read_text(encoding="utf-8")


def test_a_bot_that_cheats_is_shown_a_copy(folder: Path) -> None:
    for rules in ("scopone", "scopa"):
        state = sf.State(rules, 3)
        with pytest.raises(IllegalMoveError):
            play_deal(state, [find_bot("faulty:Cheats")] * state.rules.seats, [sf.Rng(1)] * state.rules.seats)
        assert state == sf.State(rules, 3)
    state = sf.State("scopone", 3)
    first = state.legal_moves()[0]
    assert ask(find_bot("mcts[iterations=5]"), state, sf.Rng(1)) in state.legal_moves()
    assert state.legal_moves()[0] == first and state == sf.State("scopone", 3)


@pytest.mark.parametrize("text", ["unreadable:X", "leaving:X", "faulty:Broken", "faulty:Nobody", ".:x", "..x:y", "nowhere:X", "faulty:BOTS",
                                  f"ismcts[iterations={'-' * 200_000}1]"])  # fmt: skip
def test_a_bot_that_cannot_be_made_is_told_of_in_one_line(folder: Path, text: str) -> None:
    with pytest.raises(ScopaError, match="the bot"):
        find_bot(text)


@pytest.mark.parametrize("name", ["random", "greedy", "cs", "cg", "mcts", "ismcts", "pimc", "champion", "forgetful"])
def test_bots_say_that_they_have_no_move_or_see_nothing(name: str) -> None:
    bot: Any = find_bot(name)
    state = sf.State("scopa", 1)
    shown: list[Any] = [] if name == "mcts" else [state.view(1)]
    while not state.is_terminal():
        state.play_index(0)
    shown.append(state if name == "mcts" else state.view(state.seat))
    for view in shown:
        with pytest.raises(IllegalMoveError, match="no move"):
            bot.choose(view, sf.Rng(1))
    for nothing in (None, 3, sf.State("scopa", 1) if name != "mcts" else sf.State("scopa", 1).view(0)):
        with pytest.raises(TypeError):
            bot.choose(nothing, sf.Rng(1))


def test_players_must_be_as_many_as_seats_and_players() -> None:
    greedy: Any = find_bot("greedy")
    state = sf.State("scopa", 1)
    for bots, streams in (([greedy], [sf.Rng(1)] * 2), ([greedy] * 2, [sf.Rng(1)]), ([greedy] * 3, [sf.Rng(1)] * 3)):
        with pytest.raises(ScopaError, match=f"{len(bots)} bots and {len(streams)} generators for the 2 seats of scopa"):
            play_deal(state, bots, streams)
    anything: Any = "greedy"
    for make in (
        lambda: play_deal(state, [greedy, anything], [sf.Rng(1)] * 2),
        lambda: Simulation(find_rules("scopa"), 1, 1, (greedy, anything)),
        lambda: Entrant("x", anything),
    ):
        with pytest.raises(TypeError, match="a bot must have a method 'choose': 'greedy'"):
            make()
    assert state == sf.State("scopa", 1)
    with pytest.raises(TypeError, match="entrants must be Entrants"):
        Tournament(find_rules("scopa"), (greedy, greedy), 1, 1)
    text: Any = "scopa"
    assert Tournament(text, (Entrant("x", greedy),), 1, 1).rules == Simulation(text, 1, 1, (greedy, greedy)).rules == find_rules("scopa")
    for nothing in (None, 3):
        with pytest.raises(TypeError, match="a bot's text must be a str"):
            find_bot(nothing)  # type: ignore[arg-type]


def test_the_error_of_a_simulation_names_the_bot(folder: Path) -> None:
    bots = (find_bot("random"), find_bot("faulty:Divides"))
    with pytest.raises(ScopaError, match=r"the bot 'divides' in seat 1 of deal 0: ZeroDivisionError: .* \(.*faulty.py, line 21\)"):
        list(Simulation(find_rules("scopa"), 3, 1, bots).run())
    plan = Tournament(find_rules("scopa"), (Entrant("a", bots[0]), Entrant("b", bots[1])), 1, 1)
    with pytest.raises(ScopaError, match="the bot 'b' in seat 1 of deal 0, seating 0: ZeroDivisionError"):
        plan.play(1, 0)


def test_equal_leads_are_decided_too() -> None:
    test: Any = SequentialTest(0, 0.1)
    assert [test.decide(40, 40 * lead, 40 * lead * lead) for lead in (1.0, 0.1, 0.0, -1.0, 0.05)] == ["high", "high", None, "low", None]
