"""Bad input: both engines refuse it with the same error in the same words, and nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import scopa_fast as native
from scopa_fast import errors, reference

ENGINES = (native, reference)

TEXT = "scopa hands=4DCSRS/2S5SRC table=3D3B6SFB piles=-/- stock=" + (
    "ASAB5DAD5CRD2D7BCD4B7CFC2C2B6B5B6D6C4C7D7SAC3CFS3SCCCB4SFDRB seat=0 dealer=1"
)
SORTED_40 = list(range(40))
EVEN = [card for card in range(40) if card % 2 == 0]

Call = Callable[[ModuleType], Any]


def state(engine: ModuleType) -> Any:
    return engine.State.from_text(TEXT)


def ended(engine: ModuleType) -> Any:
    """A finished deal."""
    done = engine.State("scopa", 1)
    while not done.is_terminal():
        done.play_index(0)
    return done


def text_with(old: str, new: str) -> str:
    assert old in TEXT
    return TEXT.replace(old, new)


BAD_CALLS: dict[str, tuple[type[Exception], Call]] = {
    # rules
    "no such ruleset": (errors.UnknownRulesError, lambda e: e.State("scoppa")),
    "no such option": (errors.InvalidRulesError, lambda e: e.State("scopa[targett=1]")),
    "a bad value": (errors.InvalidRulesError, lambda e: e.State("scopa[seats=5]")),
    "a barred combination": (errors.InvalidRulesError, lambda e: e.State("scopa[hand=10]")),
    "broken brackets": (errors.InvalidRulesError, lambda e: e.State("scopa[target=1")),
    "rules of None": (TypeError, lambda e: e.State(None)),
    "rules of bytes": (TypeError, lambda e: e.State(b"scopa")),
    "rules as a dict": (TypeError, lambda e: e.captures({}, 1, [])),
    "an unknown option": (errors.InvalidRulesError, lambda e: e.find_rules("scopa", colour="red")),
    # seeds, seats, streams
    "a negative seed": (errors.InvalidSeedError, lambda e: e.State("scopa", -1)),
    "a seed of 2**64": (errors.InvalidSeedError, lambda e: e.State("scopa", 2**64)),
    "a seed of text": (TypeError, lambda e: e.State("scopa", "1")),
    "a seed of True": (TypeError, lambda e: e.State("scopa", True)),
    "a seed of 1.0": (TypeError, lambda e: e.State("scopa", 1.0)),
    "no such dealer": (errors.InvalidSeatError, lambda e: e.State("scopa", 1, dealer=2)),
    "dealer -1": (errors.InvalidSeatError, lambda e: e.State("scopa", 1, dealer=-1)),
    "a dealer of text": (TypeError, lambda e: e.State("scopa", 1, dealer="0")),
    "a negative index": (errors.InvalidSeedError, lambda e: e.shuffled_deck("scopa", 1, -1)),
    "an index beyond 2**63": (errors.InvalidSeedError, lambda e: e.shuffled_deck("scopa", 1, 2**63 + 1)),
    "an index of text": (TypeError, lambda e: e.shuffled_deck("scopa", 1, "0")),
    "an index with a stream": (errors.InvalidSeedError, lambda e: e.shuffled_deck("scopa", e.Rng(1), 1)),
    "an index with None": (errors.InvalidSeedError, lambda e: e.shuffled_deck("scopa", None, -1)),
    "a dealer of a shuffle": (errors.InvalidSeatError, lambda e: e.shuffled_deck("scopa", 1, 0, 7)),
    "Rng(-1)": (errors.InvalidSeedError, lambda e: e.Rng(-1)),
    "Rng of text": (TypeError, lambda e: e.Rng("1")),
    "Rng of True": (TypeError, lambda e: e.Rng(True)),
    "below 0": (ValueError, lambda e: e.Rng(1).below(0)),
    "below 2**32 + 1": (ValueError, lambda e: e.Rng(1).below(2**32 + 1)),
    "below a float": (TypeError, lambda e: e.Rng(1).below(2.0)),
    "spawn -1": (errors.InvalidSeedError, lambda e: e.Rng(1).spawn(-1)),
    "spawn 2**63 + 1": (errors.InvalidSeedError, lambda e: e.Rng(1).spawn(2**63 + 1)),
    "spawn of text": (TypeError, lambda e: e.Rng(1).spawn("a")),
    "shuffle 257": (ValueError, lambda e: e.Rng(1).shuffled(257)),
    "shuffle -1": (ValueError, lambda e: e.Rng(1).shuffled(-1)),
    "shuffle None": (TypeError, lambda e: e.Rng(1).shuffled(None)),
    # decks
    "a deck of 39": (errors.InvalidDeckError, lambda e: e.State.from_deck("scopa", SORTED_40[:39])),
    "a deck of 41": (errors.InvalidDeckError, lambda e: e.State.from_deck("scopa", [*SORTED_40, 40])),
    "a deck of 80": (errors.InvalidDeckError, lambda e: e.State.from_deck("scopa", SORTED_40 + SORTED_40)),
    "an empty deck": (errors.InvalidDeckError, lambda e: e.deal("scopa", [])),
    "a card twice in the deck": (errors.InvalidDeckError, lambda e: e.State.from_deck("scopa", [0, *SORTED_40[:39]])),
    "a card outside the deck": (errors.InvalidDeckError, lambda e: e.State.from_deck("scopa", [*SORTED_40[:39], 40])),
    "a negative card in the deck": (errors.InvalidDeckError, lambda e: e.deal("scopa", [-1, *SORTED_40[1:]])),
    "a huge card in the deck": (errors.InvalidDeckError, lambda e: e.deal("scopa", [2**70, *SORTED_40[1:]])),
    "a card of text in the deck": (TypeError, lambda e: e.deal("scopa", ["AD", *SORTED_40[1:]])),
    "a deck of text": (TypeError, lambda e: e.deal("scopa", "ADAC")),
    "a deck of None": (TypeError, lambda e: e.deal("scopa", None)),
    "a deck of the other pack": (errors.InvalidDeckError, lambda e: e.deal("scopa", range(52))),
    "a void deck": (errors.VoidDealError, lambda e: e.State.from_deck("scopa", [*SORTED_40[:6], *SORTED_40[36:], *SORTED_40[6:36]])),
    "a dealer of a deck": (errors.InvalidSeatError, lambda e: e.State.from_deck("scopa", SORTED_40, 2)),
    "a dealer of a deck as text": (TypeError, lambda e: e.deal("scopa", SORTED_40, "x")),
    # positions
    "an empty position": (errors.InvalidPositionError, lambda e: e.State.from_text("")),
    "a position of None": (TypeError, lambda e: e.State.from_text(None)),
    "no position": (TypeError, lambda e: e.State.from_position("scopa")),
    "a missing field": (errors.InvalidPositionError, lambda e: e.State.from_text(text_with("seat=0 ", ""))),
    "a field twice": (errors.InvalidPositionError, lambda e: e.State.from_text(TEXT + " seat=0")),
    "an unknown field": (errors.InvalidPositionError, lambda e: e.State.from_text(TEXT + " wind=east")),
    "no such card": (errors.InvalidPositionError, lambda e: e.State.from_text(text_with("4DCSRS", "4DCSXS"))),
    "a card of the position twice": (errors.InvalidPositionError, lambda e: e.State.from_text(text_with("4DCSRS", "4DCSRC"))),
    "a card of a hand twice": (errors.InvalidPositionError, lambda e: e.State.from_text(text_with("4DCSRS", "4D4DRS"))),
    "a card missing": (errors.InvalidPositionError, lambda e: e.State.from_text(text_with("3D3B6SFB", "3D3B6S"))),
    "unknown cards": (errors.InvalidPositionError, lambda e: e.State.from_text(text_with("2S5SRC", "???"))),
    "seat 2 of 2": (errors.InvalidPositionError, lambda e: e.State.from_text(text_with("seat=0", "seat=2"))),
    "the wrong seat": (errors.InvalidPositionError, lambda e: e.State.from_text(text_with("2S5SRC table=3D", "2S5S table=RC3D"))),
    "three hands": (errors.InvalidPositionError, lambda e: e.State.from_text(text_with("/2S5SRC", "/2S/5SRC"))),
    "a matta in scopa": (errors.InvalidPositionError, lambda e: e.State.from_text(TEXT + " matta=4")),
    "an exposed seat in scopa": (errors.InvalidPositionError, lambda e: e.State.from_text(TEXT + " exposed=0")),
    "a bonus in scopa": (errors.InvalidPositionError, lambda e: e.State.from_text(TEXT + " bonus=3/0")),
    "no such side": (errors.InvalidPositionError, lambda e: e.State.from_text(TEXT + " last=2")),
    "scope of three": (errors.InvalidPositionError, lambda e: e.State.from_text(TEXT + " scope=1/0/0")),
    "scope without end": (errors.InvalidPositionError, lambda e: e.State.from_text(TEXT + " scope=9999/0")),
    # seats and cards of a state
    "hand of seat 2": (errors.InvalidSeatError, lambda e: state(e).hand(2)),
    "hand of seat -1": (errors.InvalidSeatError, lambda e: state(e).hand_mask(-1)),
    "hand of True": (TypeError, lambda e: state(e).hand(True)),
    "hand of text": (TypeError, lambda e: state(e).hand_mask("0")),
    "hand of 2**70": (errors.InvalidSeatError, lambda e: state(e).hand(2**70)),
    "pile of side 2": (errors.InvalidSeatError, lambda e: state(e).pile(2)),
    "pile of None": (TypeError, lambda e: state(e).pile_mask(None)),
    "view of seat 5": (errors.InvalidSeatError, lambda e: state(e).view(5)),
    "view of text": (TypeError, lambda e: state(e).view("0")),
    "captures of a card not in hand": (errors.InvalidCardError, lambda e: state(e).captures(0)),
    "captures of card 40": (errors.InvalidCardError, lambda e: state(e).capture_masks(40)),
    "captures of card -1": (errors.InvalidCardError, lambda e: state(e).captures(-1)),
    "captures of text": (TypeError, lambda e: state(e).captures("4D")),
    # moves
    "a card not in hand": (errors.IllegalMoveError, lambda e: state(e).play(e.parse_move("7D"))),
    "a card of the other seat": (errors.IllegalMoveError, lambda e: state(e).play(e.parse_move("2S"))),
    "an illegal capture": (errors.IllegalMoveError, lambda e: state(e).play(e.parse_move("RSx3D"))),
    "laying a card that can capture": (errors.IllegalMoveError, lambda e: State_with_capture(e).play(e.parse_move("4D"))),
    "a capture of a card not on the table": (errors.IllegalMoveError, lambda e: state(e).play(e.parse_move("4Dx4C"))),
    "to the pile in scopa": (errors.IllegalMoveError, lambda e: state(e).play(e.parse_move("4D^"))),
    "a declaration in scopa": (errors.IllegalMoveError, lambda e: state(e).play(e.parse_move("+3"))),
    "a move of the other pack": (errors.IllegalMoveError, lambda e: state(e).play(e.parse_move("4D", "fr52"))),
    "an int that packs no move": (errors.InvalidMoveError, lambda e: state(e).play(3 << 58)),
    "move -1": (errors.InvalidMoveError, lambda e: state(e).play(-1)),
    "move 2**64": (errors.InvalidMoveError, lambda e: state(e).play(2**64)),
    "a move of text": (TypeError, lambda e: state(e).play("4D")),
    "a move of None": (TypeError, lambda e: state(e).play(None)),
    "a move of True": (TypeError, lambda e: state(e).play(True)),
    "is_legal of text": (TypeError, lambda e: state(e).is_legal("4D")),
    "is_legal of a float": (TypeError, lambda e: state(e).is_legal(1.0)),
    "is_scopa of an illegal move": (errors.IllegalMoveError, lambda e: state(e).is_scopa(e.parse_move("7D"))),
    "is_scopa of no move": (errors.InvalidMoveError, lambda e: state(e).is_scopa(-5)),
    "is_scopa of text": (TypeError, lambda e: state(e).is_scopa("7D")),
    "index 99": (errors.MoveIndexError, lambda e: state(e).play_index(99)),
    "index -1": (errors.MoveIndexError, lambda e: state(e).play_index(-1)),
    "index 2**80": (errors.MoveIndexError, lambda e: state(e).play_index(2**80)),
    "an index of True": (TypeError, lambda e: state(e).play_index(True)),
    "an index of 0.0": (TypeError, lambda e: state(e).play_index(0.0)),
    "an index of None": (TypeError, lambda e: state(e).play_index(None)),
    "undo at the start": (errors.NothingToUndoError, lambda e: state(e).undo()),
    "undo on a copy": (errors.NothingToUndoError, lambda e: played(e).clone().undo()),
    "a play after the end": (errors.IllegalMoveError, lambda e: ended(e).play(e.parse_move("4D"))),
    "a scopa after the end": (errors.IllegalMoveError, lambda e: ended(e).is_scopa(e.parse_move("4Dx4C"))),
    "an index after the end": (errors.MoveIndexError, lambda e: ended(e).play_index(0)),
    "a random move after the end": (errors.IllegalMoveError, lambda e: ended(e).random_move(e.Rng(1))),
    "a random move from an int": (TypeError, lambda e: state(e).random_move(1)),
    "a random move from nothing": (TypeError, lambda e: state(e).random_move(None)),
    "a copy into text": (TypeError, lambda e: state(e).copy_into("State")),
    "a copy into None": (TypeError, lambda e: state(e).copy_into(None)),
    # scores and perft
    "a score before the end": (errors.DealNotOverError, lambda e: state(e).score()),
    "perft -1": (ValueError, lambda e: state(e).perft(-1)),
    "perft of text": (TypeError, lambda e: state(e).perft("1")),
    "perft of True": (TypeError, lambda e: state(e).perft(True)),
    "divide 0": (ValueError, lambda e: state(e).perft_divide(0)),
    "divide 1.0": (TypeError, lambda e: state(e).perft_divide(1.0)),
    # the rules one by one
    "card 40": (errors.InvalidCardError, lambda e: e.captures("scopa", 40, [])),
    "card -1": (errors.InvalidCardError, lambda e: e.capture_masks("scopa", -1, 0)),
    "a card of text": (TypeError, lambda e: e.captures("scopa", "7D", [])),
    "a table card twice": (errors.InvalidCardError, lambda e: e.captures("scopa", 1, [2, 2])),
    "the card on the table": (errors.InvalidCardError, lambda e: e.captures("scopa", 1, [2, 1])),
    "the card in the mask": (errors.InvalidCardError, lambda e: e.capture_masks("scopa", 1, 2)),
    "table card 40": (errors.InvalidCardError, lambda e: e.captures("scopa", 1, [40])),
    "a table of text": (TypeError, lambda e: e.captures("scopa", 1, ["3D"])),
    "a table of None": (TypeError, lambda e: e.captures("scopa", 1, None)),
    "a mask of text": (TypeError, lambda e: e.capture_masks("scopa", 1, "3D")),
    "a mask of True": (TypeError, lambda e: e.capture_masks("scopa", 1, True)),
    "a mask of 41 bits": (errors.InvalidCardError, lambda e: e.capture_masks("scopa", 1, 1 << 40)),
    "a negative mask": (errors.InvalidCardError, lambda e: e.capture_masks("scopa", 1, -4)),
    "matta 0": (errors.InvalidCardError, lambda e: e.captures("cirulla_2", 1, [25], matta=0)),
    "matta 11": (errors.InvalidCardError, lambda e: e.capture_masks("cirulla_2", 1, 1 << 25, matta=11)),
    "matta of text": (TypeError, lambda e: e.captures("cirulla_2", 1, [25], matta="4")),
    "matta with 52 cards": (errors.InvalidCardError, lambda e: e.captures("scopa_8", 1, [25], matta=4)),
    "a hand of 41 bits": (errors.InvalidCardError, lambda e: e.declarations("cirulla_2", 1 << 40)),
    "a hand as a list": (TypeError, lambda e: e.declarations("cirulla_2", [1, 2, 3])),
    "a first table of 41 bits": (errors.InvalidCardError, lambda e: e.table_bonus("cirulla_2", 1 << 40)),
    "a first table as a list": (TypeError, lambda e: e.table_bonus("cirulla_2", [1, 2, 3, 4])),
    "three piles": (errors.InvalidSeatError, lambda e: e.score_piles("scopa", [1, 2, 4])),
    "one scopa count": (errors.InvalidSeatError, lambda e: e.score_piles("scopa", [1, 2], [0])),
    "three bonuses": (errors.InvalidSeatError, lambda e: e.score_piles("scopa", [1, 2], [0, 0], [0, 0, 0])),
    "a card in two piles": (errors.InvalidCardError, lambda e: e.score_piles("scopa", [3, 2])),
    "a card in a pile and unclaimed": (errors.InvalidCardError, lambda e: e.score_piles("scopa", [1, 2], unclaimed=2)),
    "a pile of 41 bits": (errors.InvalidCardError, lambda e: e.score_piles("scopa", [1 << 40, 0])),
    "a pile of text": (TypeError, lambda e: e.score_piles("scopa", ["7D", 0])),
    "piles of None": (TypeError, lambda e: e.score_piles("scopa", None)),
    "scope of text": (TypeError, lambda e: e.score_piles("scopa", [1, 2], ["1", 0])),
    "a negative scopa": (ValueError, lambda e: e.score_piles("scopa", [1, 2], [-1, 0])),
    "a negative bonus": (ValueError, lambda e: e.score_piles("scopa", [1, 2], [0, 0], [0, -3])),
    # playouts
    "n of -1": (ValueError, lambda e: e.playouts("scopa", -1, 1)),
    "n of text": (TypeError, lambda e: e.playouts("scopa", "5", 1)),
    "n of True": (TypeError, lambda e: e.playouts("scopa", True, 1)),
    "a negative playout seed": (errors.InvalidSeedError, lambda e: e.playouts("scopa", 1, -1)),
    "a playout seed of text": (TypeError, lambda e: e.playouts("scopa", 1, "x")),
    "no such policy": (ValueError, lambda e: e.playouts("scopa", 1, 1, policy="greedy")),
    "a policy of None": (TypeError, lambda e: e.playouts("scopa", 1, 1, policy=None)),
    "no such way of declaring": (ValueError, lambda e: e.playouts("scopa", 1, 1, declarations="sometimes")),
    "no such playout dealer": (errors.InvalidSeatError, lambda e: e.playouts("scopa", 1, 1, dealer=2)),
    "a playout dealer of text": (TypeError, lambda e: e.playouts("scopa", 1, 1, dealer="left")),
    "a dealer with a state": (ValueError, lambda e: e.playouts(state(e), 1, 1, dealer=0)),
    "first of -1": (errors.InvalidSeedError, lambda e: e.playouts("scopa", 1, 1, first=-1)),
    "first beyond 2**63": (errors.InvalidSeedError, lambda e: e.playouts("scopa", 2, 1, first=2**63 - 1)),
    "first of text": (TypeError, lambda e: e.playouts("scopa", 1, 1, first="0")),
    "no threads": (ValueError, lambda e: e.playouts("scopa", 1, 1, threads=0)),
    "threads of text": (TypeError, lambda e: e.playouts("scopa", 1, 1, threads="2")),
    "out of the wrong shape": (ValueError, lambda e: e.playouts("scopa", 2, 1, out=np.zeros((1, 2), dtype=np.int32))),
    "out of one dimension": (ValueError, lambda e: e.playouts("scopa", 2, 1, out=np.zeros(4, dtype=np.int32))),
    "out of int64": (ValueError, lambda e: e.playouts("scopa", 2, 1, out=np.zeros((2, 2), dtype=np.int64))),
    "a list as out": (TypeError, lambda e: e.playouts("scopa", 1, 1, out=[[0, 0]])),
    "out that cannot be written": (ValueError, lambda e: e.playouts("scopa", 2, 1, out=read_only())),
    "out in Fortran order": (ValueError, lambda e: e.playouts("scopa", 2, 1, out=np.zeros((2, 2), dtype=np.int32, order="F"))),
    "a start of None": (TypeError, lambda e: e.playouts(None, 1, 1)),
}


def State_with_capture(engine: ModuleType) -> Any:  # noqa: N802 - it makes a State
    """A state whose 4D can take the 4S."""
    return engine.State.from_text(text_with("3D3B6SFB", "3D3B4SFB").replace("CCCB4SFDRB", "CCCB6SFDRB"))


def played(engine: ModuleType) -> Any:
    made = state(engine)
    made.play_index(0)
    return made


def read_only() -> Any:
    out = np.zeros((2, 2), dtype=np.int32)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize(("kind", "call"), BAD_CALLS.values(), ids=BAD_CALLS.keys())
def test_bad_input_is_refused_by_both_engines_in_the_same_words(kind: type[Exception], call: Call) -> None:
    raised = []
    for engine in ENGINES:
        with pytest.raises((ValueError, TypeError, IndexError, OverflowError)) as caught:
            call(engine)
        raised.append((type(caught.value), str(caught.value)))
    assert raised[0] == raised[1]
    assert raised[0][0] is kind
    assert len(raised[0][1]) > 10, "an error says what is wrong"


MOVES_AND_MORE: list[tuple[str, Any]] = [
    ("play", 3 << 58), ("play", -1), ("play", "4D"), ("play", None), ("play", 1 << 52), ("play_index", 99), ("play_index", -1),
    ("play_index", "0"), ("is_scopa", 1 << 52), ("captures", 0), ("captures", "x"), ("hand", 9), ("pile", 9), ("view", 9), ("perft", -1),
    ("perft_divide", 0), ("random_move", 1), ("copy_into", 1), ("is_legal", "x"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "argument"), MOVES_AND_MORE)
def test_a_refusal_changes_nothing(engine: ModuleType, method: str, argument: Any) -> None:
    at = played(engine)
    before, key = repr(at), at.key
    with pytest.raises((ValueError, TypeError)):
        getattr(at, method)(argument)
    assert (repr(at), at.key) == (before, key)
    at.undo()
    assert repr(at) == repr(state(engine))


@pytest.mark.parametrize("kind", ["play", "is_scopa"])
def test_an_illegal_move_is_quoted_with_the_position(engine: ModuleType, kind: str) -> None:
    with pytest.raises(engine.IllegalMoveError, match=r"^illegal move 'RSx3D' in 'scopa hands="):
        getattr(state(engine), kind)(engine.parse_move("RSx3D"))


def test_a_play_after_the_end_says_so(engine: ModuleType) -> None:
    with pytest.raises(engine.IllegalMoveError, match=r"^the deal is over: no move '4D' in 'scopa hands=-/- "):
        ended(engine).play(engine.parse_move("4D"))


def test_a_stream_that_is_refused_does_not_advance(engine: ModuleType) -> None:
    rng = engine.Rng(1)
    calls: list[Callable[[], Any]] = [
        lambda: engine.shuffled_deck("scopa", rng, 1),
        lambda: engine.playouts("scopa", -1, rng),
        lambda: engine.playouts("scopa", 1, rng, policy="x"),
        lambda: engine.State("scopa", rng, dealer=7),
        lambda: engine.State("scoppa", rng),
        lambda: ended(engine).random_move(rng),
    ]
    for call in calls:
        with pytest.raises((errors.ScopaError, ValueError)):
            call()
    assert rng.state == 1


def test_an_out_array_that_is_refused_is_left_alone(engine: ModuleType) -> None:
    out = np.full((2, 2), 7, dtype=np.int32)
    with pytest.raises(ValueError, match="policy"):
        engine.playouts("scopa", 2, 1, policy="x", out=out)
    assert (out == 7).all()
