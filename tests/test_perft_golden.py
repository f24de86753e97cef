"""Golden perft counts of every preset: the native engine to full depth, the reference where it does not take long."""

from __future__ import annotations

from types import ModuleType

import pytest
from golden import PERFT, PERFT_SEEDS, expected_perft

import scopa_fast as native
from scopa_fast import PRESETS, State, find_rules, parse_move, reference

REFERENCE_SEQUENCES = 600
"""The reference counts no further than this many sequences."""


@pytest.mark.parametrize("name", PRESETS)
def test_perft_counts_are_the_golden_ones(name: str) -> None:
    counted = 0
    for seed, text, depth, counts in expected_perft(name):
        state = native.State(name, seed)
        assert str(state) == text
        assert state.perft(depth) == counts[0], f"State.from_text({text!r}).perft({depth})"
        if len(counts) > 1:
            assert state.perft(depth, declarations=True) == counts[1], f"State.from_text({text!r}).perft({depth}, declarations=True)"
        if counts[-1] <= REFERENCE_SEQUENCES:
            oracle = reference.State.from_text(text)
            assert oracle.perft(depth) == counts[0], f"reference.State.from_text({text!r}).perft({depth})"
            if len(counts) > 1:
                assert oracle.perft(depth, declarations=True) == counts[1]
        counted += 1
    assert counted >= 3 * len(PERFT_SEEDS)


def test_every_preset_has_a_perft_file() -> None:
    assert sorted(path.stem for path in PERFT.glob("*.txt")) == sorted(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_counts_of_three_seeds_with_their_positions(name: str) -> None:
    lines = expected_perft(name)
    assert sorted({seed for seed, _, _, _ in lines}) == list(PERFT_SEEDS)
    assert all(len(counts) == 1 + find_rules(name).hand_bonus for _, _, _, counts in lines)


@pytest.mark.parametrize("name", PRESETS)
def test_divide_adds_up_to_perft(engine: ModuleType, name: str) -> None:
    state = engine.State(name, 2)
    depth = 3 if engine is native else 2
    for declarations in (False, True):
        divided = state.perft_divide(depth, declarations=declarations)
        moves = [move for move in state.legal_moves() if declarations or not move.is_declaration]
        assert list(divided) == moves
        assert sum(divided.values()) == state.perft(depth, declarations=declarations)


def test_perft_of_nothing_is_one_sequence(engine: ModuleType) -> None:
    assert engine.State("scopa", 1).perft(0) == 1


def test_sequences_end_with_the_deal(engine: ModuleType) -> None:
    state = engine.State("scopa", 1)
    while state.plays_left > 3:
        state.play_index(0)
    assert state.perft(3) > 0
    assert state.perft(4) == 0


def test_perft_leaves_the_state_alone(engine: ModuleType) -> None:
    state = engine.State("cirulla_2", 1)
    before = repr(state)
    state.perft(3)
    state.perft_divide(3)
    assert repr(state) == before


def test_a_declaration_is_a_move_of_a_sequence_only_if_asked(engine: ModuleType) -> None:
    state = engine.State.from_text(
        "cirulla_2 hands=AD2D7C/3D4D5D table=RD piles=AC2C3C4C5C6CFCCCRCAS2S3S4S5S6S7SFSCSRS/AB2B3B4B5B6B7BFBCBRB6D7DFDCD seat=0 dealer=1"
    )
    assert [str(move) for move in state.legal_moves()][:6] == ["+3=A", "+3=2", "+3=3", "+3=4", "+3=5", "+3=6"]
    assert state.perft(1) == 3  # the ace sweeps the king, the others are laid
    assert state.perft(1, declarations=True) == 6 + 3
    assert parse_move("+3=A") in state.perft_divide(1, declarations=True)


def test_the_position_of_a_golden_file_is_that_of_its_seed(engine: ModuleType) -> None:
    for name in PRESETS:
        for seed in PERFT_SEEDS:
            text = next(text for number, text, _, _ in expected_perft(name) if number == seed)
            assert str(engine.State(name, seed)) == text
            assert State.from_text(text).key == engine.State(name, seed).key
