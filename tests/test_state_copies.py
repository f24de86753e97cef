"""States that go back, are copied, compared, printed and pickled: each test shows one promise, on both engines."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from random import Random
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from state_texts import CIRULLA, at, play, play_out
from strategies import random_position, rulesets

import scopa_fast as native
from scopa_fast import PRESETS, Rules, find_rules, reference

# -- undo, copies, equality --------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_a_whole_deal_can_be_undone(engine: ModuleType, name: str) -> None:
    state = engine.State(name, 7)
    texts, played, rng = [], [], Random(7)
    while moves := state.legal_moves():
        texts.append(str(state))
        played.append(rng.choice(moves))
        state.play(played[-1])
    while played:
        assert state.undo() == played.pop()
        assert str(state) == texts.pop()
    with pytest.raises(engine.NothingToUndoError):
        state.undo()


def test_a_clone_has_the_position_but_nothing_to_undo(engine: ModuleType) -> None:
    state = engine.State("scopa", 1)
    state.play_index(0)
    clone = state.clone()
    assert clone == state
    with pytest.raises(engine.NothingToUndoError):
        clone.undo()
    clone.play_index(0)
    assert clone != state
    state.undo()


def test_copy_into_replaces_a_state_of_any_rules(engine: ModuleType) -> None:
    source, target = engine.State("scopa_8", 1), engine.State("scopa", 2)
    target.play_index(0)
    source.copy_into(target)
    assert target == source
    assert target.rules == source.rules
    with pytest.raises(engine.NothingToUndoError):
        target.undo()
    target.play_index(0)
    assert target != source


def test_copy_into_itself_forgets_what_was_played(engine: ModuleType) -> None:
    state = engine.State("scopa", 1)
    state.play_index(0)
    text = str(state)
    state.copy_into(state)
    assert str(state) == text
    with pytest.raises(engine.NothingToUndoError):
        state.undo()


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state)), lambda state: state.clone()])
def test_copies_are_equal_and_independent(engine: ModuleType, name: str, copied: Any) -> None:
    state = engine.State(name, 3)
    for _ in range(7):
        state.play_index(state.move_count() - 1)
    made = copied(state)
    assert made == state
    assert made.key == state.key
    assert made.voids == state.voids
    assert type(made) is type(state)
    text = str(state)
    made.play_index(0)
    assert str(state) == text


def test_rules_can_be_pickled_copied_and_compared_after_use(engine: ModuleType) -> None:
    rules = find_rules("cirulla_4", target=31)
    engine.playouts(rules, 2, 1)
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert copy.deepcopy(rules) == rules == copy.copy(rules)
    assert hash(rules) == hash(find_rules("cirulla_4", target=31))
    assert rules.replace(target=51) == find_rules("cirulla_4")


def test_a_text_and_a_repr_can_be_pasted_back(engine: ModuleType) -> None:
    state = at(engine, CIRULLA)
    play(state, "+3=4", "7C")
    assert engine.State.from_text(str(state)) == state
    assert eval(repr(state), {"State": engine.State}) == state


def test_a_state_is_not_hashable(engine: ModuleType) -> None:
    with pytest.raises(TypeError):
        hash(engine.State("scopa", 1))
    with pytest.raises(TypeError):
        hash(engine.Rng(1))


def test_a_state_equals_no_other_thing(engine: ModuleType) -> None:
    state = engine.State("scopa", 1)
    assert state != str(state)
    assert state != None  # noqa: E711
    assert native.State("scopa", 1) != reference.State("scopa", 1)


BASE = "cirulla_2 hands=AD2D/4D5D table=3CRD stock=ACASAB4BRCRS seat=0 dealer=1"


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("AD2D/4D5D", "AD4D/2D5D"), BASE.replace("3CRD", "3C"), BASE.replace("3CRD", "3D"), BASE + " scope=1/0",
        BASE + " scope=0/1",
        BASE + " bonus=3/0", BASE + " last=0", BASE + " last=1", BASE + " exposed=0", BASE + " exposed=1", BASE + " exposed=0/1",
        BASE.replace("ACASAB4BRCRS", "4BRCRSACASAB"), BASE.replace("seat=0 dealer=1", "seat=1 dealer=0"),
        BASE.replace("cirulla_2", "cirulla_2[target=31]"),
    ],
)  # fmt: skip
def test_equality_and_key_cover_everything_that_matters(engine: ModuleType, other: str) -> None:
    one, two = at(engine, BASE), at(engine, other)
    assert one != two
    assert one.key != two.key


def test_equality_and_key_cover_what_the_seven_of_cups_stands_for(engine: ModuleType) -> None:
    states = [at(engine, f"cirulla_2 hands=AD2D/4D5D table=7CRD seat=0 dealer=1{matta}") for matta in ("", " matta=A", " matta=7")]
    assert len({state.key for state in states}) == 3
    assert states[0] != states[1] != states[2] != states[0]


def test_the_order_inside_a_packet_means_nothing(engine: ModuleType) -> None:
    one, two = (at(engine, BASE.replace("ACASAB", packet)) for packet in ("ACASAB", "ABACAS"))
    assert one == two
    assert one.key == two.key


def test_the_name_of_the_preset_means_nothing(engine: ModuleType) -> None:
    one = engine.State("scopone", 1)
    two = engine.State("scopa[seats=4,hand=9]", 1)
    assert one == two
    assert one.key == two.key
    assert str(one) != str(two)


def test_plays_that_lead_to_the_same_position_lead_to_the_same_key(engine: ModuleType) -> None:
    one = at(engine, "scopa hands=2DFD/4DCD table=RS seat=0 dealer=1")
    two = one.clone()
    play(one, "2D", "4D", "FD", "CD")
    play(two, "FD", "CD", "2D", "4D")
    assert one == two
    assert one.key == two.key


@settings(max_examples=120, derandomize=True, database=None, deadline=None)
@given(rules=rulesets(), seed=st.integers(0, 2**32))
def test_any_position_makes_its_way_through_text_and_position(rules: Rules, seed: int) -> None:
    position = random_position(rules, Random(seed))
    for engine in (native, reference):
        state = engine.State.from_position(position)
        assert state.position() == position
        assert engine.State.from_text(str(position)).position() == position
        assert state.key == position.key


# -- what the rest of the world sees -----------------------------------------------------


def test_masks_and_sets_are_two_doors_to_the_same_cards(engine: ModuleType) -> None:
    state = engine.State("cirulla_4", 261)
    play_out(state)
    for seat in range(4):
        assert state.hand(seat).mask == state.hand_mask(seat)
    for side in range(2):
        assert state.pile(side).mask == state.pile_mask(side)
    assert state.table.mask == state.table_mask
    assert state.hand(0).deck == "it40"
    assert engine.State("scopa_8", 1).hand(0).deck == "fr52"


def test_a_state_may_be_subclassed(engine: ModuleType) -> None:
    class Mine(engine.State):  # type: ignore[name-defined, misc]
        pass

    state = Mine("scopa", 1)
    assert state.move_count() == engine.State("scopa", 1).move_count()
    assert isinstance(state.clone(), engine.State)


def test_attributes_cannot_be_set(engine: ModuleType) -> None:
    state = engine.State("scopa", 1)
    for name in ("seat", "table", "scope", "key", "rules", "stock"):
        with pytest.raises(AttributeError):
            setattr(state, name, 0)


UNBORN = """
import scopa_fast as sf
class Late(sf.State):
    def __init__(self):
        pass
state = sf.State("scopa", 1)
for unborn in (sf.State.__new__(sf.State), Late()):
    for call in (
        lambda: unborn.rules, lambda: str(unborn), lambda: unborn.clone(), lambda: unborn.score(), lambda: unborn.position(),
        lambda: unborn.hand(0), lambda: unborn.table, lambda: unborn == state, lambda: state == unborn, lambda: unborn.play(0),
        lambda: unborn.play_index(0), lambda: unborn.random_move(sf.Rng(1)), lambda: unborn.legal_moves(), lambda: unborn.key,
        lambda: sf.playouts(unborn, 1, 1), lambda: unborn.undo(), lambda: unborn.copy_into(state.clone()), lambda: unborn.view(0),
    ):
        try:
            call()
        except Exception:
            pass
    state.copy_into(unborn)
    assert unborn == state
"""


def test_a_state_that_was_never_made_does_not_crash() -> None:
    """``__new__`` alone, or a subclass that forgets ``super().__init__``, makes no position, and must not end the process."""
    assert subprocess.run([sys.executable, "-c", UNBORN], check=False).returncode == 0


def test_points_at_the_limit_can_still_be_written_down_after_more(engine: ModuleType) -> None:
    # The most that a position may say leaves room for all that can still be won.
    text = (
        "scopa_libica_count hands=7D/2C table=3C4S piles=AD2D4DFDRDAC5CFCRC2S5S7SCSAB3B5B7BCB/3D5D6DCD4C6C7CCCAS3S6SFSRS2B4B6BFBRB"
        f" scope={9999 - 2 * 53}/0 last=1 seat=0 dealer=1"
    )
    state = engine.State.from_text(text)
    state.play(engine.parse_move("7Dx3C4S"))
    assert state.scope == (9999 - 2 * 53 + 3, 0)
    assert engine.State.from_text(str(state)) == state
    with pytest.raises(engine.InvalidPositionError, match="SCO-4"):
        engine.State.from_text(text.replace("scope=9893", "scope=9894"))
