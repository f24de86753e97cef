"""Positions with thousands of legal moves, which no small bound holds for, are played like any other."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType

import pytest

import scopa_fast as native
from scopa_fast import Position, full_mask, parse_rules, reference


def crowded(name: str, table: Iterable[int], hand: list[int]) -> Position:
    """A position with this table and this hand for the seat to move; the other hands and a pile hold the rest."""
    rules = parse_rules(name)
    on_table = native.mask_of(table)
    rest = native.cards_of(full_mask(rules.deck) & ~on_table & ~native.mask_of(hand))
    hands = [native.mask_of(hand)]
    for _ in range(rules.seats - 1):
        hands.append(native.mask_of(rest[: len(hand)]))
        del rest[: len(hand)]
    piles = [native.mask_of(rest), *[0] * (len(rules.sides) - 1)]
    return Position(
        rules=rules, hands=tuple(hands), table=on_table, piles=tuple(piles), stock=(), scope=(0,) * len(piles),
        bonus=(0,) * len(piles), last_capturer=None, seat=0, dealer=rules.seats - 1,
    )  # fmt: skip


CROWDED = {
    "escoba": crowded("escoba_2", range(1, 28), [0, 36, 37]),
    "escoba, one card each": crowded("escoba_2", range(1, 39), [0]),
    "any sum": crowded("scopa[precedence=free]", range(28), [36, 37, 38]),
    "the fewest cards": crowded("scopa[precedence=fewest]", range(2, 36), [36, 37]),
    "cirulla by hand": crowded("cirulla_2", range(2, 28), [0, 1, 36]),
    "five cards each": crowded("scopone[capture=cirulla,precedence=free,forced=false]", range(3, 23), [0, 1, 2, 36, 37]),
    "fifty-two cards": crowded("scopa_8[precedence=free,forced=false]", range(44), [48]),
}
"""Positions that no small bound holds for."""


@pytest.mark.parametrize("position", CROWDED.values(), ids=CROWDED.keys())
def test_a_crowded_position_is_played_like_any_other(engine: ModuleType, position: Position) -> None:
    state = engine.State.from_position(position)
    moves = state.legal_moves()
    count = state.move_count()
    assert len(moves) == len(set(moves)) == count == state.card_move_count() == state.perft(1)
    assert moves == sorted(moves, key=lambda move: (move.card, move.kind == "lay", move.kind == "to_pile", sorted(move.captured)))
    assert state.legal_move_ints() == [int(move) for move in moves]
    assert engine.State.from_text(str(state)) == state
    assert eval(repr(state), {"State": engine.State}) == state
    for index in (0, count // 2, count - 1):
        before, key = repr(state), state.key
        state.play_index(index)
        assert state.undo() == moves[index]
        state.play(moves[index])
        assert state.undo() == moves[index]
        assert (repr(state), state.key) == (before, key)
    for index in (-1, count, 1 << 70):
        with pytest.raises(engine.MoveIndexError, match=f"no legal move {index} in"):
            state.play_index(index)
    rng = engine.Rng(1)
    assert all(state.is_legal(state.random_move(rng)) for _ in range(5))
    assert sum(len(state.captures(card)) for card in state.hand(state.seat)) == sum(move.kind == "capture" for move in moves)


def test_crowded_positions_have_thousands_of_moves() -> None:
    counts = {name: native.State.from_position(position).move_count() for name, position in CROWDED.items()}
    assert max(counts.values()) > 6_726, counts
    assert sum(count > 1_000 for count in counts.values()) >= 5, counts


@pytest.mark.parametrize("position", CROWDED.values(), ids=CROWDED.keys())
def test_crowded_positions_are_equal_on_both_engines(position: Position) -> None:
    state, oracle = native.State.from_position(position), reference.State.from_position(position)
    assert state.legal_move_ints() == oracle.legal_move_ints()
    assert all(state.is_legal(move) for move in oracle.legal_move_ints())
    assert state.perft(1) == oracle.perft(1)


def test_crowded_positions_can_be_searched() -> None:
    for position in CROWDED.values():
        state = native.State.from_position(position)
        divided = state.perft_divide(2)
        assert sum(divided.values()) == state.perft(2)
        assert native.playouts(state, 100, 1).deals == 100


def test_unforced_deals_of_laid_cards_have_tables_of_the_whole_pack(engine: ModuleType) -> None:
    state = engine.State("escoba_2", 2)
    largest = 0
    while not state.is_terminal():
        state.play(next(move for move in reversed(state.legal_moves()) if move.kind == "lay"))
        largest = max(largest, len(state.table))
    assert largest == 40 - 4 * any(state.scope)
