"""The command ``play``: whole matches through a pipe, what it shows and hides, what it refuses, and how it ends."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from test_cli import PROGRAM
from typer.testing import CliRunner, Result

import scopa_fast as sf
from scopa_fast.bots import explain
from scopa_fast.cli import app
from scopa_fast.results import NewDeal

ALWAYS_THE_FIRST = "1\n" * 700
UNTIL_IT_WAITS = 0.3
"""Seconds from a prompt until a program surely waits for what comes: a Ctrl-C just before that is noticed with the next line only."""
BOTS = """
import signal

class Broken:
    name = "broken"

    def choose(self, view, rng):
        raise RuntimeError("no idea")

class Cheat:
    name = "cheat"

    def choose(self, view, rng):
        return -5

class Interrupter:
    name = "interrupter"

    def choose(self, view, rng):
        if view.plays_left < 20:
            signal.raise_signal(signal.SIGINT)
        return view.legal_moves()[0]
"""


@pytest.fixture
def my_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of bots that go wrong; the name of it."""
    (tmp_path / "odd_bots.py").write_text(BOTS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "odd_bots", raising=False)
    return "odd_bots"


def run_play(arguments: str, lines: str, record: Path | None = None) -> Result:
    more = [] if record is None else ["--record", str(record)]
    return CliRunner().invoke(app, ["play", *arguments.split(), *more], input=lines)


def transcript(arguments: str, lines: str, record: Path | None = None) -> str:
    result = run_play(arguments, lines, record)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def records(path: Path) -> list[sf.Record]:
    """The records of a file, each checked move by move as it is read."""
    return list(sf.Record.from_file(path))


def own_moves(record: sf.Record, seat: int = 0) -> Iterator[tuple[sf.SeatView, sf.Move]]:
    for state, move in zip(record.states(), record.moves, strict=False):
        if state.seat == seat:
            yield state.view(seat), move


def row(text: str, title: str) -> list[list[str]]:
    """The cells of each table row with a title."""
    found = re.findall(rf"^│ {title} +│(.*)│$", text, flags=re.MULTILINE)
    return [[cell.strip() for cell in cells.split("│")] for cells in found]


# Whole deals and matches.


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("scopa", "--bots ismcts[iterations=50]"),
        ("scopa_3", "--bots greedy,cs --seat 1"),
        ("scopa_6", "--bots greedy --seat 5 --dealer 2"),
        ("scopa_8", "--bots random --seat 3 --dealer random"),
        ("scopa_quindici", "--bots mcts[iterations=20]"),
        ("scopone", "--bots greedy,random,cg --seat 2"),
        ("milanese", "--bots greedy"),
        ("cirulla_2", "--bots random[declarations=always]"),
        ("cirulla_3", "--bots greedy --dealer 0"),
        ("escoba_4", "--bots greedy --set teams=01/23"),
        ("asso_piglia_tutto_2", "--bots greedy"),
    ],
)
def test_whole_deals_are_recorded_and_scored_as_they_were_played(rules: str, options: str, tmp_path: Path) -> None:
    text = transcript(f"--rules {rules} {options} --seed 11 --deals 2", ALWAYS_THE_FIRST, tmp_path / "r")
    found = records(tmp_path / "r")
    match = sf.Match.from_records(found)
    seat = int(options.partition("--seat ")[2][:1] or 0)
    assert len(found) == 2
    for index, record in enumerate(found):
        new = sf.shuffled_deck(record.rules, 11, index, record.dealer)
        assert (record.seed, record.index) == (11, index)
        assert record.players is not None and record.players[seat] == "you" and record.players.count("you") == 1
        if not new.voids:
            assert record.deck == new.deck
        own = list(own_moves(record, seat))
        assert own and all(move == view.legal_moves()[0] for view, move in own)
        score, sheet = record.final_state().score(), text.split("\nDeal ")[index + 1]
        assert row(sheet, "total") == [[str(points) for points in score.total]]
        for item, points in score.points.items():
            cells = row(sheet, item)
            assert len(cells) == (1 if any(points) or item in ("carte", "denari", "settebello", "primiera") else 0)
            for cell, number in zip(cells[0] if cells else (), points, strict=bool(cells)):
                assert (cell.split() or [""])[-1].startswith("+") == (number > 0)
                assert not number or cell.split()[-1] == f"+{number}"
        assert [cell.split()[0] for cell in row(sheet, "carte")[0]] == [str(count) for count in score.cards]
        assert [cell.split()[0] for cell in row(sheet, "denari")[0]] == [str(count) for count in score.coins]
    assert row(text, "match")[-1] == [str(points) for points in match.scores]
    assert text.count("Your move (") == sum(1 for record in found for _ in own_moves(record, seat))
    if "--dealer 2" in options:
        assert [record.dealer for record in found] == [2, 3]


@pytest.mark.parametrize(
    ("options", "deals"),
    [("--target 6 --bots random", None), ("--rules scopone --target 4 --bots greedy", None), ("--rules scopa_8 --bots greedy", 8)],
)
def test_a_match_ends_when_somebody_has_won_it(options: str, deals: int | None, tmp_path: Path) -> None:
    text = transcript(f"{options} --seed 4", ALWAYS_THE_FIRST, tmp_path / "r")
    found = records(tmp_path / "r")
    match = sf.Match.from_records(found)
    assert match.over and (deals is None or len(found) == deals)
    scores = [record.scores_before for record in found]
    assert scores[0] is not None and not any(scores[0])
    last = text.splitlines()[-1]
    assert last.startswith("The match is over: ") and ("you" in last) == any(0 in match.rules.sides[side] for side in match.winners)
    assert text.count("\nDeal ") == len(found)


def test_the_same_seed_plays_the_same_match_and_hints_change_nothing() -> None:
    arguments = "--rules scopone --bots ismcts[iterations=60] --seed 8 --deals 1"
    text = transcript(arguments, ALWAYS_THE_FIRST)
    assert transcript(arguments, ALWAYS_THE_FIRST) == text
    asked = transcript(f"{arguments} --hint-bot ismcts[iterations=30]", "?\ncards\n1\n" * 10)
    told = [line for line in text.splitlines() if " play" in line]
    assert [line for line in asked.splitlines() if re.search(r" plays? \S+: ", line)] == [
        line for line in told if re.search(r" plays? \S+: ", line)
    ]
    assert len(told) > 40


def test_a_fresh_seed_is_told_and_repeats_the_match() -> None:
    text = transcript("--bots random --deals 1", ALWAYS_THE_FIRST)
    found = re.search(r"seed (\d+)\.", text)
    assert found
    assert transcript(f"--bots random --deals 1 --seed {found[1]}", ALWAYS_THE_FIRST) == text


# Hidden cards.

CARD = "[A2-7FCR][DCSB]"
TOLD = re.compile(r" (?:plays?|declares?) (\S+?)(?::| and) ")


def named_cards(line: str) -> list[int]:
    """The cards that a line names, alone or in moves."""
    cards = []
    for word in re.split(r"[\s.,:()│]+", line):
        if re.fullmatch(rf"(?:{CARD})+(?:x(?:{CARD})+)?\^?", word):
            cards += [sf.parse_card(name) for name in re.findall(CARD, word)]
    return cards


@pytest.mark.parametrize(
    ("rules", "seat"), [("scopa", 0), ("scopone", 1), ("scopa_6", 4), ("cirulla_2", 0), ("cirulla_4", 3), ("milanese", 2)]
)
def test_no_card_is_named_before_the_seat_has_seen_it(rules: str, seat: int, tmp_path: Path) -> None:
    bots = "random[declarations=always]" if "cirulla" in rules else "greedy"
    arguments = f"--rules {rules} --bots {bots} --seat {seat} --seed 21 --deals 2 --hints --hint-bot ismcts[iterations=20]"
    text = transcript(arguments, "?1\n1\n" * 60, tmp_path / "r")
    found, named = iter(records(tmp_path / "r")), 0
    moves: Iterator[sf.Move] = iter(())
    unseen = sf.CardSet((1 << 40) - 1)
    for line in text.splitlines():
        if line.startswith("Deal "):
            assert next(moves, None) is None
            record = next(found)
            states, moves = record.states(), iter(record.moves)
            unseen = next(states).view(seat).unseen
        if told := TOLD.search(line):
            assert str(next(moves)) == told[1]
            unseen = next(states).view(seat).unseen
        cards = named_cards(line)
        assert not [sf.format_card(card) for card in cards if card in unseen], line
        named += len(cards)
    assert next(found, None) is None and named > 300


@pytest.mark.parametrize("rules", ["scopa", "scopone", "cirulla_3"])
def test_dealing_the_hidden_cards_again_changes_nothing_that_is_shown(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = sf.shuffled_deck(rules, 6)
    first = sf.State.from_deck(rules, real.deck, real.dealer)
    view = first.view(first.seat)
    hidden = list(view.unseen)
    shown = set()
    for turn in range(4):
        moved = dict(zip(hidden, hidden[turn * 3 :] + hidden[: turn * 3], strict=True))
        deck = tuple(moved.get(card, card) for card in real.deck)
        monkeypatch.setattr(sys.modules["scopa_fast.cli.session"], "shuffled_deck", lambda *_, deck=deck: NewDeal(deck, real.dealer, 0))
        shown.add(transcript(f"--rules {rules} --seed 6 --hints --hint-bot ismcts[iterations=40]", "cards\n?\ntable\nquit\n"))
    assert len(shown) == 1
    assert "not seen, " in shown.pop()


# Input.


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("", "no move: write a number from 1 to 3, a move, or help"),
        ("0", "no move '0': write a number from 1 to 3"),
        ("4", "no move '4'"),
        ("-1", "cannot read the move '-1'"),
        ("9" * 5000, "no move '9999"),
        ("x" * 5000, "cannot read the move 'xxxx"),
        ("²", "cannot read the move '²'"),
        ("7Q", "no card '7Q'"),
        ("\x00\x1b[2J", "cannot read the move"),
        ("RS", "RS is not in your hand"),
        ("CDxFD", "illegal move CDxFD: write a number from 1 to 3"),
        ("+3", "illegal move +3"),
        ("+4", "cannot read the move '+4'"),
        ("4S^", "illegal move 4S^"),
        ("undo", "you have no turn in this deal to take back"),
        ("undo 3", "'3' is too much: write undo alone"),
        ("quit now", "'now' is too much"),
        ("? 9", "no move '9'"),
        ("?RS", "RS is not in your hand"),
        ("hint seven", "cannot read the move 'seven'"),
    ],
)
def test_bad_input_is_answered_in_one_line_and_changes_nothing(line: str, answer: str) -> None:
    # Seat 0 holds 4S 5C CD, on the table lie AC AB FD CB.
    arguments = "--bots random --seed 3 --deals 1"
    usual = transcript(arguments, "1\nquit\n").splitlines()
    asked = transcript(arguments, f"{line}\n1\nquit\n").splitlines()
    place = usual.index("Your move (1-3, ? or help):") + 1
    assert asked[:place] == usual[:place]
    assert answer in asked[place] and len(asked[place]) < 300 and asked[place].isprintable()
    assert asked[place + 1 :] == usual[place - 1 :]


def test_bytes_that_are_no_text_are_bad_input() -> None:
    command = [*PROGRAM, "play", "--bots", "random", "--seed", "3"]
    done = subprocess.run(command, input=b"\xff\xfe\n1\nquit\n", capture_output=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"cannot read the move" in done.stdout and b"you play 4S" in done.stdout


def test_a_card_alone_will_do_if_it_has_one_move(tmp_path: Path) -> None:
    text = transcript("--bots random --seed 3 --deals 1", "cd\nquit\n", tmp_path / "r")
    assert "you play CDxCB: it takes CB." in text
    assert records(tmp_path / "r")[0].moves[0] == sf.parse_move("CDxCB")


def test_a_card_with_several_moves_is_asked_about() -> None:
    for seed in range(200):
        view = sf.State("scopone", seed).view(0)
        moves = view.legal_moves()
        several = [move for move in moves if sum(other.card == move.card for other in moves) > 1]
        if several and all(move.captured for move in several):
            break
    numbers = [moves.index(move) + 1 for move in several if move.card == several[0].card]
    name = sf.format_card(several[0].card)
    text = transcript(f"--rules scopone --bots random --seed {seed}", f"{name}\n{several[1]}\nquit\n")
    assert f"{name} has {len(numbers)} moves: write {numbers[0]} for {several[0]}, " in text
    assert f"you play {several[1]}: " in text


def test_a_card_may_be_laid_by_its_name_where_it_need_not_capture(tmp_path: Path) -> None:
    for seed in range(200):
        moves = sf.State("escoba_2", seed).legal_moves()
        if moves[0].captured and moves[1] == sf.Move.lay(moves[0].card):
            break
    transcript(f"--rules escoba_2 --bots random --seed {seed}", f"{moves[1]}\nquit\n", tmp_path / "r")
    assert records(tmp_path / "r")[0].moves[0] == moves[1]


@pytest.mark.parametrize("symbols", [False, True])
@pytest.mark.parametrize("rules", ["scopa", "scopa_8", "cirulla_2", "asso_piglia_tutto_2"])
def test_french_names_are_read_and_written(rules: str, symbols: bool, tmp_path: Path) -> None:
    arguments = f"--rules {rules} --bots random --seed 9 --deals {1 if rules == 'scopa' else 2}"
    transcript(arguments, ALWAYS_THE_FIRST, tmp_path / "numbers")
    found, lines = records(tmp_path / "numbers"), []
    deck = found[0].rules.deck

    def french(cards: Sequence[int]) -> str:
        return " ".join(sf.format_french_card(card, deck, symbols=symbols) for card in cards).lower()

    for record in found:
        for _, move in own_moves(record):
            if move.is_declaration:
                rank = "" if move.matta is None else "=" + sf.format_french_card(sf.make_card(move.matta, 0))[:-1]
                lines.append(f"+{move.points}{rank}")
            else:
                # In another order than they are listed, which is no other move.
                taken = " x " + french(list(move.captured)[::-1]) if move.captured else "^" * (move.kind == "to_pile")
                lines.append(french([move.card]) + taken)
    text = transcript(f"{arguments} --french", "\n".join([*lines, ""]), tmp_path / "names")
    assert (tmp_path / "names").read_text() == (tmp_path / "numbers").read_text()
    words = set(re.findall(r"\w+", text))
    names = {sf.format_french_card(card, deck) for card in range(sf.pack_size(deck))}
    italian = {sf.format_card(card, deck) for card in range(sf.pack_size(deck))} - names
    assert words & names and not words & italian


@pytest.mark.parametrize("line", ["RD", "7B", "FHxJH", "7DxJ", "+3=X", "+5", "10D", "7D^x", "♦7"])
def test_french_names_refuse_the_others(line: str) -> None:
    text = transcript("--bots random --seed 3 --french", f"{line}\nquit\n")
    assert f"cannot read the move '{line}'" in text.splitlines()[-3]


# Hints, cards, undo, declarations.


def test_a_hint_gives_advice_and_the_search_for_each_move() -> None:
    text = transcript("--bots random --seed 3", "?\n? 2\n?cd\nquit\n")
    every, second, third = [part.splitlines() for part in text.split("Your move (1-3, ? or help):\n")[1:4]]
    view = sf.State("scopa", 3).view(0)
    sentences = [[tag.text for tag in explain(view, move)] for move in view.legal_moves()]
    assert [line.strip() for line in every if line.startswith("       ")] == [text for texts in sentences for text in texts]
    assert [line.strip() for line in second if line.startswith("       ")] == sentences[1] != []
    assert third[0].startswith("  3  CDxCB  visits ")
    assert sum(int(count) for count in re.findall(r"visits (\d+),", "\n".join(every))) == 4000
    assert re.fullmatch(r"ismcts would play \S+, after 4000 iterations in 4000 worlds\.", every[-1])
    assert every[-1] == second[-1] == third[-1]


def test_hints_come_unasked_if_wanted() -> None:
    arguments = "--bots random --seed 3 --hint-bot greedy"
    asked, told = transcript(arguments, "?\nquit\n"), transcript(f"{arguments} --hints", "quit\n")
    hint = asked.split("help):\n")[1]
    assert "greedy would play " in hint and "Leaves 23" in hint
    assert hint in told and hint.splitlines()[0] == "  1  4S"


def test_a_hint_that_fails_is_told_in_a_line(my_bots: str) -> None:
    text = transcript(f"--bots random --seed 3 --hint-bot {my_bots}:Broken", "?\n1\nquit\n")
    assert f"{my_bots}:Broken gives no hint: RuntimeError: no idea" in text and "you play 4S" in text


def test_the_names_of_a_hint_are_french_too() -> None:
    arguments = "--rules scopone --bots random --seed 5 --deals 1 --hints --hint-bot greedy"
    text, french = transcript(arguments, ALWAYS_THE_FIRST), transcript(f"{arguments} --french", ALWAYS_THE_FIRST)
    assert "knight" in text and "queen" in french and "knight" not in french


def test_cards_lists_what_was_won_and_what_was_not_seen(tmp_path: Path) -> None:
    text = transcript("--rules scopone --bots greedy --seed 5", "1\n1\n1\ncards\nquit\n", tmp_path / "r")
    record = records(tmp_path / "r")[0]
    view = record.final_state().view(0)
    lines = text.splitlines()
    place = lines.index(f"not seen, {len(view.unseen)} cards:")
    assert sorted(named_cards(" ".join(lines[place + 1 : place + 5]))) == list(view.unseen)
    assert f"won by you and seat 2: {view.pile(0)}" in lines and f"won by seats 1 and 3: {view.pile(1)}" in lines
    assert f"table: {view.table}" in lines


@pytest.mark.parametrize("bot", ["random", "ismcts[iterations=40]"])
def test_a_turn_that_was_taken_back_leaves_no_trace(bot: str, tmp_path: Path) -> None:
    arguments = f"--rules cirulla_2 --bots {bot} --seed 12 --deals 1"
    transcript(arguments, ALWAYS_THE_FIRST, tmp_path / "plain")
    own = len(list(own_moves(records(tmp_path / "plain")[0])))
    text = transcript(arguments, "1\n" + "2\nundo\n1\n" * 3 + "1\n1\nundo\nundo\n1\n" + "1\n" * own, tmp_path / "undone")
    assert text.count("Taken back.") == 4
    assert text.count("you have no turn in this deal to take back") == 1
    assert (tmp_path / "undone").read_text() == (tmp_path / "plain").read_text()


def test_nothing_is_taken_back_when_it_is_strict() -> None:
    text = transcript("--bots random --seed 3 --strict", "1\nundo\nquit\n")
    assert "nothing is taken back with --strict" in text and "Taken back." not in text


def test_a_hand_is_declared_as_a_move_and_a_declaration_can_be_taken_back(tmp_path: Path) -> None:
    for seed in range(300):
        state = sf.State("cirulla_2", seed)
        moves = state.legal_moves()
        if moves[0].is_declaration and moves[0].matta and moves[0].points == 3:
            break
    declare, hand = moves[0], state.hand(0)
    arguments = f"--rules cirulla_2 --bots greedy --seed {seed} --deals 1"
    text = transcript(arguments, f"{declare}\nundo\n{declare}\n1\nundo\n{declare}\nquit\n", tmp_path / "r")
    told = f"you declare {declare} and show {hand}, 7C as {sf.rank_letter(declare.matta or 0)}."
    assert text.count(told) == 3 and text.count("Taken back.") == 2
    assert f"  1  {declare}  declares for 3 points" in text
    assert f"(7C counts as {sf.rank_letter(declare.matta or 0)})" in text
    assert records(tmp_path / "r")[0].moves == (declare,)


def test_a_hand_that_another_seat_shows_is_shown_until_it_is_played() -> None:
    told = None
    for seed in range(300):
        text = transcript(f"--rules cirulla_2 --bots random[declarations=always] --seed {seed} --dealer 0", "quit\n")
        told = re.search(r"seat 1 \(random\[declarations=always\]\) declares \+(\d+) and shows (\S\S \S\S \S\S)\.", text)
        if told:
            break
    assert told
    left = re.search(r"│ seat 1 \(random\[declarations=always\]\) +│ 2: (\S\S \S\S) +│ +\d │ +\d │ +(\d+) │ +0 │", text)
    assert left and set(left[1].split()) < set(told[2].split()) and left[2] == told[1]
    assert re.search(r"│ you, dealer +│ 3 +│ +\d │ +\d │ +0 │ +0 │", text)


def test_the_table_has_a_row_for_each_seat_and_the_points_of_its_side(tmp_path: Path) -> None:
    text = transcript("--rules cirulla_4 --bots greedy,random,cg --seed 4 --dealer 1 --deals 2", ALWAYS_THE_FIRST, tmp_path / "r")
    second = records(tmp_path / "r")[1]
    assert second.scores_before is not None
    states = [state for state in second.states() if state.seat == 0 and not state.is_terminal()]
    names = ["you", "seat 2 (random, partner), dealer", "seat 1 (greedy)", "seat 3 (cg)"]
    pattern = r"^│ +(\d?) │ ((?:you|seat).*?) +│ (.*?) +" + r"│ +(\d*) " * 4 + "│$"
    rows = re.findall(pattern, text.split("\nDeal 2")[1], flags=re.MULTILINE)
    assert len(rows) == 4 * len(states)
    for number, state in enumerate(states):
        shown = rows[4 * number : 4 * number + 4]
        assert [row[1] for row in shown] == names
        sizes = [str(len(state.hand(seat))) for seat in (0, 2, 1, 3)]
        hands = ["" if seat == 0 or seat not in state.exposed else f": {state.hand(seat)}" for seat in (0, 2, 1, 3)]
        assert [row[2] for row in shown] == [size + hand for size, hand in zip(sizes, hands, strict=True)]
        for side in (0, 1):
            points = (side, len(state.pile(side)), state.scope[side], state.bonus[side], second.scores_before[side])
            assert [shown[2 * side][place] for place in (0, 3, 4, 5, 6)] == [str(value) for value in points]
            assert [shown[2 * side + 1][place] for place in (0, 3, 4, 5, 6)] == [""] * 5


@pytest.mark.parametrize(("rules", "words"), [("cirulla_2", "you take"), ("escoba_2", "you take")])
def test_a_table_bonus_is_told(rules: str, words: str) -> None:
    for seed in range(300):
        new = sf.shuffled_deck(rules, seed, 0, 0)
        dealt = sf.deal(rules, new.deck, new.dealer)
        if dealt.table_bonus == 1 and new.dealer == 0:
            break
    text = transcript(f"--rules {rules} --bots random --seed {seed} --dealer 0", "quit\n")
    assert f"{dealt.table} are turned up: {words} them for 1 point." in text


def test_a_scopa_and_the_leftovers_are_told() -> None:
    text = transcript("--rules scopa_libica_rank --bots greedy --seed 2 --deals 2", ALWAYS_THE_FIRST)
    swept = re.findall(r"plays? (\S)\Sx\S+: it takes [^.]*\. SCOPA, (\d+) points?!", text)
    assert swept and all(sf.rank_value(rank) == int(points) for rank, points in swept)
    assert re.search(r"^.+, left on the table, go to the last capturer: (you|seat 1 \(greedy\))\.$", text, flags=re.MULTILINE)


# The end.


def test_the_end_of_the_input_keeps_what_was_played(tmp_path: Path) -> None:
    text = transcript("--bots random --seed 3", "1\n" * 20, tmp_path / "r")
    assert text.splitlines()[-1].startswith("The input has ended. Match after 1 deal: ")
    first, second = records(tmp_path / "r")
    assert first.final_state().is_terminal() and not second.final_state().is_terminal()
    assert len(list(own_moves(second))) == 2
    nothing = transcript("--bots random --seed 3", "").splitlines()
    assert nothing[-1] == "The input has ended. Match after 0 deals: 0 for you, 0 for seat 1 (random)."


@pytest.mark.parametrize(
    ("rules", "line", "words"),
    [
        ("scopa", "quit", "You quit. Match after "), ("scopa", "EXIT", "You quit. Match after "),
        ("scopone", "resign", "You resign: seats 1 and 3 won. Match after "), ("scopa_3", "resign", "You resign. Match after "),
    ],
)
def test_the_match_can_be_given_up(rules: str, line: str, words: str, tmp_path: Path) -> None:
    text = transcript(f"--rules {rules} --bots random --seed 3", f"1\n{line}\n1\n", tmp_path / "r")
    assert text.splitlines()[-1].startswith(words)
    assert len(records(tmp_path / "r")[0].moves) == len(sf.find_rules(rules).side_of)
    # Nothing was played, and nothing is written.
    transcript(f"--rules {rules} --bots random --seed 3", f"{line}\n", tmp_path / "r")
    assert (tmp_path / "r").read_text() == ""


def test_ctrl_c_at_the_prompt_ends_with_130_and_keeps_what_was_played(tmp_path: Path) -> None:
    command = [*PROGRAM, "play", "--bots", "random", "--seed", "3", "--record", str(tmp_path / "r")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("1\n1\n")
        process.stdin.flush()
        prompts = 0
        while prompts < 3:
            prompts += process.stdout.readline().startswith("Your move")
        time.sleep(UNTIL_IT_WAITS)
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, "")
    assert text == "\nInterrupted. Match after 0 deals: 0 for you, 0 for seat 1 (random).\n"
    assert len(records(tmp_path / "r")[0].moves) == 4


def test_ctrl_c_while_a_bot_thinks_ends_likewise(my_bots: str, tmp_path: Path) -> None:
    result = run_play(f"--bots {my_bots}:Interrupter --seed 3", ALWAYS_THE_FIRST, tmp_path / "r")
    assert (result.exit_code, result.stderr) == (130, "")
    assert result.stdout.splitlines()[-1].startswith("Interrupted. Match after ")
    state = records(tmp_path / "r")[0].final_state()
    assert (state.plays_left, state.seat) == (19, 1)


def test_a_long_search_is_interrupted_at_once() -> None:
    command = [*PROGRAM, "play", "--bots", "ismcts[seconds=60]", "--seed", "3"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("1\n")
        process.stdin.flush()
        while not process.stdout.readline().startswith("you play"):
            pass
        time.sleep(UNTIL_IT_WAITS)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, "")
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(("bot", "reason"), [("Broken", "RuntimeError: no idea"), ("Cheat", "InvalidMoveError: ")])
def test_a_bot_that_fails_ends_the_match_in_one_line(bot: str, reason: str, my_bots: str, tmp_path: Path) -> None:
    result = run_play(f"--bots {my_bots}:{bot} --seed 3", "1\n", tmp_path / "r")
    assert result.exit_code == 1 and result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"scopa-fast: the bot '{my_bots}:{bot}' in seat 1 of deal 1: {reason}")
    assert len(records(tmp_path / "r")[0].moves) == 1


def test_a_terminal_gets_colours_and_a_prompt_that_waits() -> None:
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [*PROGRAM, "play", "--bots", "random", "--seed", "3"])

    def read_until(wanted: bytes) -> bytes:
        shown = b""
        while wanted not in shown:
            assert select.select([terminal], [], [], 20)[0], shown
            shown += os.read(terminal, 65536)
        return shown

    shown = read_until(b"? or help): ")
    assert b"\x1b[33mCD\x1b[0m" in shown  # coins are yellow
    os.write(terminal, b"3\r")
    assert b"CDxCB: it takes CB" in read_until(b"? or help): ")
    time.sleep(UNTIL_IT_WAITS)
    os.write(terminal, b"\x03")
    assert b"Interrupted. Match after " in read_until(b"(random).")
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 130
    os.close(terminal)


def test_a_closed_pipe_ends_quietly_and_keeps_what_was_played(tmp_path: Path) -> None:
    command = [*PROGRAM, "play", "--bots", "random", "--seed", "3", "--record", str(tmp_path / "r")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        while not process.stdout.readline().startswith("Your move"):
            pass
        process.stdout.close()
        process.stdin.write("1\n")
        process.stdin.flush()
        assert process.stderr.read() == ""
        assert process.wait(20) == 141
    assert len(records(tmp_path / "r")[0].moves) == 1


# The command line.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--rules scopetta", "no ruleset 'scopetta'"),
        ("--seat 2", "no seat 2 in scopa (SEAT-1): 0..1"),
        ("--seat left", "'left' is not a whole number of 0 or more"),
        ("--dealer 2", "no dealer 2 in scopa (SEAT-1): 0..1"),
        ("--dealer left", "--dealer 'left' is neither a seat number nor 'random'"),
        ("--dealer ²", "--dealer '²' is neither"),
        ("--bots clever", "no bot 'clever': one of random, greedy"),
        ("--bots random,greedy", "2 bots (random, greedy) for 1 other seats in scopa: give 1"),
        ("--rules scopone --bots random,greedy", "2 bots (random, greedy) for 3 other seats in scopone: give 1 or 3"),
        ("--bots ismcts[iterations=0]", "iterations"),
        ("--hint-bot clever", "no bot 'clever'"),
        ("--hint-bot mcts", "--hint-bot 'mcts' sees all cards, and a hint may not"),
        ("--target 0", "'0' is not a whole number of 1 or more"),
        ("--target 21 --set target=31", "target is set twice"),
        ("--rules scopa_8 --target 21", "--target 21 is not for scopa_8[target=21], a match of 8 deals (MAT-7)"),
        ("--deals 0", "'0' is not a whole number of 1 or more"),
        ("--seed -1", "'-1' is not a whole number from 0"),
        ("--record /nowhere/at/all", "cannot write --record '/nowhere/at/all': No such file"),
    ],
)
def test_bad_usage_is_refused_in_one_line_that_quotes_it(arguments: str, message: str) -> None:
    result = run_play(arguments, "quit\n")
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.startswith("scopa-fast: ") and result.stderr.count("\n") == 1
    assert message in result.stderr


def test_a_full_disk_is_told() -> None:
    result = run_play("--bots random --seed 3 --record /dev/full", "1\nquit\n")
    assert result.exit_code == 2
    assert result.stderr == "scopa-fast: cannot write --record '/dev/full': No space left on device\n"


def test_who_sees_all_cards_is_told() -> None:
    assert "seat 1 (mcts) sees all cards" in transcript("--bots mcts --seed 3", "quit\n").splitlines()
