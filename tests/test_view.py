"""What a seat sees: all that is public, its own hand, and nothing that depends on the rest (PLAY-6, CIR-4)."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from scopa_fast.cards import cards_of, full_mask, mask_of
from scopa_fast.errors import InvalidPositionError, InvalidSeatError
from scopa_fast.position import GOLDEN, MASK64, Position, mix64, parse_position
from scopa_fast.rules import PRESETS

RandomDeal = Callable[..., Any]


def shuffle_hidden(position: Position, seat: int, rng: random.Random) -> Position:
    """Deal the cards that a seat cannot see again, at random."""
    keep = {seat, *position.exposed}
    hidden = [q for q in range(position.rules.seats) if q not in keep]
    cards = [*position.stock, *(card for q in hidden for card in cards_of(position.hands[q]))]
    rng.shuffle(cards)
    hands = list(position.hands)
    for q in hidden:
        size = hands[q].bit_count()
        hands[q], cards = mask_of(cards[:size]), cards[size:]
    step = position.rules.hand
    stock = tuple(card for i in range(0, len(cards), step) for card in sorted(cards[i : i + step]))
    return replace(position, hands=tuple(hands), stock=stock)


def states(engine: ModuleType, random_deal: RandomDeal, rules: str, seeds: range, every: int = 1) -> Iterator[Any]:
    for seed in seeds:
        yield from list(random_deal(engine, rules, seed).states())[::every]


@pytest.mark.parametrize("preset", PRESETS)
def test_permuting_what_the_seat_cannot_see_changes_nothing(engine: ModuleType, random_deal: RandomDeal, preset: str) -> None:
    rng = random.Random(preset)
    for state in states(engine, random_deal, preset, range(2), every=5):
        for seat in range(state.rules.seats):
            view = state.view(seat)
            other = engine.State.from_position(shuffle_hidden(state.position(), seat, rng))
            twin = other.view(seat)
            assert twin == view
            assert (hash(twin), twin.key, twin.text, repr(twin)) == (hash(view), view.key, view.text, repr(view))
            assert twin.legal_moves() == view.legal_moves()
            if view.unseen_mask.bit_count() > 12 and other != state:
                assert other.key != state.key


@pytest.mark.parametrize("preset", PRESETS)
def test_a_view_shows_what_the_state_has(engine: ModuleType, random_deal: RandomDeal, preset: str) -> None:
    for state in states(engine, random_deal, preset, range(2), every=3):
        rules = state.rules
        for seat in range(rules.seats):
            view = state.view(seat)
            assert type(view) is engine.SeatView
            assert (view.seat, view.side, view.to_move) == (seat, rules.side_of[seat], state.seat)
            for name in ("rules", "dealer", "table", "table_mask", "scope", "bonus", "stock_size", "plays_left", "last_capturer", "matta",
                         "exposed"):
                assert getattr(view, name) == getattr(state, name), name
            assert (view.hand, view.hand_mask) == (state.hand(seat), state.hand_mask(seat))
            seen = view.table_mask
            for side in range(len(rules.sides)):
                assert (view.pile(side), view.pile_mask(side)) == (state.pile(side), state.pile_mask(side))
                seen |= view.pile_mask(side)
            for q in range(rules.seats):
                shown = state.hand_mask(q) if q == seat or q in state.exposed else 0
                assert view.known_hand_mask(q) == view.known_hand(q).mask == shown
                assert view.hand_size(q) == len(state.hand(q))
                seen |= shown
            assert view.unseen_mask == view.unseen.mask == full_mask(rules.deck) & ~seen
            assert len(view.unseen) == view.stock_size + sum(
                view.hand_size(q) for q in range(rules.seats) if q != seat and q not in view.exposed
            )
            assert view.legal_moves() == (state.legal_moves() if seat == state.seat else [])


def test_exposed_hands_are_seen_by_all(engine: ModuleType, random_deal: RandomDeal) -> None:
    """CIR-4, CIR-6: until the round ends; what the 7C was declared as stays public with it."""
    shown = matte = 0
    for state in states(engine, random_deal, "cirulla_3", range(20)):
        for q in state.exposed:
            for seat in range(3):
                assert state.view(seat).known_hand(q) == state.hand(q)
                shown += bool(state.hand(q))
        if state.matta is not None:
            matte += 1
            assert {state.view(seat).matta for seat in range(3)} == {state.matta}
            assert state.view(state.seat).legal_moves() == state.legal_moves()
    assert shown > 20
    assert matte > 3


@pytest.mark.parametrize("rules", ["scopa", "cirulla_2", "scopone_scientifico", "scopa_8", "scopa_6[teams=03/14/25]"])
def test_every_text_and_copy_gives_the_view_back(engine: ModuleType, random_deal: RandomDeal, rules: str) -> None:
    views = {state.view(seat) for state in states(engine, random_deal, rules, range(2), every=2) for seat in range(state.rules.seats)}
    assert len({view.key for view in views}) == len(views)
    for view in views:
        for twin in (
            eval(repr(view), {"SeatView": engine.SeatView}), engine.SeatView.from_text(view.text, view.seat),
            engine.SeatView.from_position(view.position, view.seat), engine.SeatView(parse_position(str(view)), view.seat),
            pickle.loads(pickle.dumps(view)), copy.copy(view), copy.deepcopy(view),
        ):
            assert twin == view
            assert type(twin) is engine.SeatView
            assert (twin.key, hash(twin), twin.text) == (view.key, hash(view), view.text)


def test_the_seat_that_looks_is_part_of_the_view(engine: ModuleType) -> None:
    """After the last card every seat sees the same, but they are still two views."""
    state = engine.State("scopa", seed=1)
    while not state.is_terminal():
        state.play_index(0)
    left, right = state.view(0), state.view(1)
    assert left.text == right.text
    assert left != right
    assert left.key != right.key
    assert left.key == left.position.key ^ mix64(169 * GOLDEN + 0 & MASK64)
    assert left != left.text


REAL_TABLE = "scopa hands={} table=3S4S5B6D piles=-/- stock=" + "?" * 30 + " seat=0 dealer=1"


def test_a_view_from_what_a_person_knows_at_a_real_table(engine: ModuleType) -> None:
    view = engine.SeatView.from_text(REAL_TABLE.format("7D4CRS/???"), 0)
    assert [str(move) for move in view.legal_moves()] == ["4Cx4S", "7Dx3S4S", "RSx4S6D"]
    assert engine.SeatView.from_text(REAL_TABLE.format("???/7D4CRS"), 1).legal_moves() == []
    known = engine.SeatView.from_text(REAL_TABLE.format("7D4CRS/ADACAS"), 0)
    assert known == view


@pytest.mark.parametrize(
    ("hands", "reason"),
    [
        ("???/7D4CRS", "seat 0 must know its own hand"),
        ("7D4C?/???", "seat 0 must know its own hand"),
        ("7D4CRS/??", "cards missing|PLAY-5"),
        ("7D4C3S/???", "3S comes twice"),
        ("7D4C/??", "missing"),
        ("7D4C8D/???", "no card '8D'"),
    ],
)
def test_what_a_seat_must_know(engine: ModuleType, hands: str, reason: str) -> None:
    with pytest.raises(InvalidPositionError, match=reason):
        engine.SeatView.from_text(REAL_TABLE.format(hands), 0)


def test_an_exposed_hand_must_be_known(engine: ModuleType) -> None:
    """CIR-4."""
    text = REAL_TABLE.replace("scopa", "cirulla_2").replace("seat=0", "bonus=3/0 seat=1") + " exposed=0"
    with pytest.raises(InvalidPositionError, match=r"seat 1 must know the exposed hand of seat 0 \(CIR-4\)"):
        engine.SeatView.from_text(text.format("??/7D4CRS").replace("4S5B", "4S5BAS"), 1)
    assert engine.SeatView.from_text(text.format("2DAC/7D4CRS").replace("4S5B", "4S5BAS"), 1).known_hand(0).names() == ["AC", "2D"]


def test_seats_sides_and_types(engine: ModuleType) -> None:
    state = engine.State("scopa", seed=1)
    view = state.view(0)
    for seat in (-1, 2):
        for call in (state.view, view.known_hand, view.known_hand_mask, view.hand_size, view.pile, view.pile_mask):
            with pytest.raises(InvalidSeatError):
                call(seat)
        with pytest.raises(InvalidSeatError):
            engine.SeatView.from_position(state.position(), seat)
    for value in (True, 0.0, "0", None):
        with pytest.raises(TypeError):
            state.view(value)
    for value in ("scopa", None, state):
        with pytest.raises(TypeError, match="a position must be a Position"):
            engine.SeatView(value, 0)
    with pytest.raises(AttributeError, match="immutable"):
        view.seat = 1
