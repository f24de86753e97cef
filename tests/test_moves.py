"""Moves as packed ints and as texts."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopa_fast.cards import CardSet, full_mask, pack_size, parse_card
from scopa_fast.errors import InvalidMoveError
from scopa_fast.moves import Move, format_move, parse_move


@st.composite
def moves(draw: st.DrawFn) -> Move:
    """Any well-formed move, legal somewhere or not."""
    deck = draw(st.sampled_from(["it40", "fr52"]))
    kind = draw(st.sampled_from(["capture", "lay", "to_pile", "declare"]))
    card = draw(st.integers(0, pack_size(deck) - 1))
    if kind == "declare":
        return Move.declare(draw(st.sampled_from([3, 10, 13])), draw(st.none() | st.integers(1, 10)))
    if kind == "to_pile":
        return Move.to_pile(card, deck)
    captured = draw(st.integers(0, full_mask(deck))) & ~(1 << card)
    return Move.capture(card, captured, deck) if captured and kind == "capture" else Move.lay(card, deck)


@given(moves())
def test_every_text_and_copy_gives_the_move_back(move: Move) -> None:
    deck = move.deck
    assert parse_move(str(move), deck) == Move.from_text(str(move).lower(), deck) == move
    assert eval(repr(move)) == move
    assert Move(int(move)) == move
    assert format_move(int(move)) == f"{move}" == str(move)
    for twin in (copy.copy(move), copy.deepcopy(move), pickle.loads(pickle.dumps(move))):
        assert type(twin) is Move
        assert twin == move


@given(moves())
def test_a_move_fits_in_63_bits_and_unpacks_as_documented(move: Move) -> None:
    packed = int(move)
    assert 0 <= packed < 2**63
    assert packed >> 58 & 3 == {"capture": 0, "lay": 0, "to_pile": 1, "declare": 2}[move.kind]
    assert packed >> 60 == (move.deck == "fr52")
    if move.is_declaration:
        assert (move.points, move.matta or 0) == (packed & 2**52 - 1, packed >> 52 & 63)
        assert move.captured_mask == 0
        with pytest.raises(InvalidMoveError, match="plays no card"):
            _ = move.card
    else:
        assert move.card == packed >> 52 & 63
        assert move.captured_mask == move.captured.mask == packed & 2**52 - 1
        assert (move.kind == "capture") == bool(move.captured)
        assert (move.points, move.matta) == (0, None)


@given(st.integers(-1, 2**63))
def test_an_int_is_a_move_or_refused(value: int) -> None:
    try:
        move = Move(value)
    except InvalidMoveError as error:
        assert hex(value) in str(error)
    else:
        assert Move.from_text(str(move), move.deck) == value


def test_texts_of_each_kind() -> None:
    take = Move.from_text("7Dx3C4S")
    assert (take.kind, take.card, take.captured) == ("capture", parse_card("7D"), CardSet.from_text("3C4S"))
    assert str(Move.from_text(" 7d X 4s 3c ")) == "7Dx3C4S"
    assert Move.from_text("7D").kind == "lay"
    assert Move.from_text("AD^").kind == "to_pile"
    bonus = Move.from_text("+10=7")
    assert (bonus.kind, bonus.points, bonus.matta) == ("declare", 10, 7)
    assert (Move.from_text("+3").points, Move.from_text("+3").matta) == (3, None)
    assert repr(Move.from_text("TDx4C6S", "fr52")) == "Move.from_text('TDx4C6S', 'fr52')"


@pytest.mark.parametrize(
    "text",
    ["", "x", "7Dx", "7Dx-", "x7D", "7Dx7D", "7Dx3C3C", "7D3C", "7Dx3", "8D", "7D^3C", "^", "+", "+4", "+3=", "+3=T", "+3=AA", "-3", "+-3",
     "+٣", "+3.0", "7Dx3C^"],
)
def test_broken_texts_are_refused_and_quoted(text: str) -> None:
    with pytest.raises(InvalidMoveError) as caught:
        parse_move(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (-1, "out of range"),
        (1 << 61, "out of range"),
        (3 << 58, "unknown kind"),
        (1 << 40, "outside it40"),
        (40 << 52, "outside it40"),
        (1 << 60 | 52 << 52, "outside fr52"),
        (1, "captures itself"),
        (1 << 58 | 2, "ACE-4"),
        (2 << 58 | 4, "CIR-1"),
        (2 << 58 | 3 | 11 << 52, "CIR-5"),
        (1 << 60 | 2 << 58 | 3, "CIR-5"),
    ],
)
def test_ints_that_pack_no_move(value: int, reason: str) -> None:
    with pytest.raises(InvalidMoveError, match=reason):
        Move(value)


def test_a_capture_of_nothing_is_no_capture() -> None:
    with pytest.raises(InvalidMoveError, match="7D captures nothing"):
        Move.capture(24, 0)


@pytest.mark.parametrize("value", [True, 1.0, "7D", None])
def test_wrong_types(value: object) -> None:
    with pytest.raises(TypeError, match="a move must be an int"):
        Move(value)  # type: ignore[arg-type]
    if not isinstance(value, str):
        with pytest.raises(TypeError, match="a move text must be a str"):
            Move.from_text(value)  # type: ignore[arg-type]
