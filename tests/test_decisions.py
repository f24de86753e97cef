"""Past decisions, told from a state and the moves that led there, are those that were made."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import pytest

import scopa_fast as sf
from scopa_fast import reference
from scopa_fast.errors import InvalidPositionError
from scopa_fast.rules import PRESETS

ENGINES = [sf, reference]


def played(engine: ModuleType, preset: str, seed: int) -> Any:
    """Yield the states of a deal of random play, declarations as often as any move, with the decisions that led there."""
    state, rng, made = engine.State(preset, seed), random.Random(seed), []
    while state.plays_left:
        yield state, list(made)
        declarations = [move for move in state.legal_moves() if move.is_declaration]
        move = rng.choice(declarations or state.legal_moves())
        made.append(sf.Decision(state.view(state.seat), tuple(state.legal_moves()), move))
        state.play(move)


@pytest.mark.parametrize("engine", ENGINES, ids=["native", "reference"])
@pytest.mark.parametrize("preset", PRESETS)
def test_decisions_are_those_that_were_made(engine: ModuleType, preset: str) -> None:
    for seed in range(3 if engine is sf else 1):
        for number, (state, made) in enumerate(played(engine, preset, seed)):
            if number % 3 and state.plays_left > 3:
                continue
            copy = engine.State.from_position(state.position())
            for found in (list(sf.decisions(state)), list(sf.decisions(copy, [decision.move for decision in made]))):
                assert [(each.moves, each.move) for each in found] == [(each.moves, each.move) for each in made]
                for each, was in zip(found, made, strict=True):
                    # A bonus of the turned-up table was a capture of the dealer's side (END-5), which no move tells of.
                    if was.view.last_capturer is None or any(each.move.captured for each in made[: len(was.view.moves)]):
                        assert each.view == was.view and each.view.moves == was.view.moves


@pytest.mark.parametrize("preset", ["scopone", "scopa", "cirulla_4", "escoba_3"])
def test_of_a_world_they_are_what_each_seat_would_have_seen(preset: str) -> None:
    for seed in range(4):
        for state, made in played(sf, preset, seed):
            if not made or state.plays_left % 5:
                continue
            view = state.view(state.seat)
            world = sf.Worlds(view).sample(sf.Rng(seed))
            found = list(sf.decisions(world, view.moves))
            assert [each.move for each in found] == [each.move for each in made]
            for each, was in zip(found, made, strict=True):
                seen = each.view
                assert (seen.seat, seen.table, seen.scope, seen.bonus) == (was.view.seat, was.view.table, was.view.scope, was.view.bonus)
                assert each.move in each.moves
                if was.view.seat == view.seat:
                    assert seen.hand == was.view.hand and each.moves == was.moves


def test_the_last_moves_will_do() -> None:
    for state, made in played(sf, "scopa", 3):
        if len(made) == 20:
            last = [decision.move for decision in made[13:]]
            found = list(sf.decisions(state, last))
            assert [(each.moves, each.move) for each in found] == [(each.moves, each.move) for each in made[13:]]
            assert [each.view.hand for each in found] == [each.view.hand for each in made[13:]]
            assert list(sf.decisions(state, [])) == []


def test_what_cannot_be_is_refused() -> None:
    state = sf.State("scopone", 1)
    state.play_index(0)
    other = sf.State("scopone", 2)
    with pytest.raises(InvalidPositionError, match="cannot have led to the position"):
        sf.decisions(other, state.view(0).moves)
    # A capture that leaves an equal card on the table was not legal (CAP-3).
    text = (
        "scopone hands=AC2C3C4C5C6C7CFC/AB2B3B4B5B6B7BFBCB/AS2S3S4S5S6S7SFSCS/2D3D4D5D6D7DFDCDRD table=RC piles=CCADRBRS/- "
        "last=0 seat=1 dealer=3"
    )
    position = sf.parse_position(text)
    with pytest.raises(InvalidPositionError, match="is not legal in"):
        sf.decisions(sf.State.from_position(position), [sf.parse_move("CCxADRBRS")])
    done = sf.State("scopa", 1)
    while done.plays_left:
        done.play_index(0)
    with pytest.raises(InvalidPositionError, match="the deal is over"):
        sf.decisions(done)
