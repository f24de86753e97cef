"""The two engines stand in for each other: the same names, signatures and docstrings."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import scopa_fast as native
from scopa_fast import errors, reference

ENGINES = (native, reference)
ONLY_NATIVE = {
    "Analysis", "Belief", "Leaves", "MoveStatistics", "MoveValue", "MoveValues", "PlayAnalysis", "Progress", "SearchResult", "Solution",
    "SolverTable", "Worlds", "analyse", "analyse_plays", "at_least", "count_worlds", "cpu_info", "evaluate", "ismcts", "match_odds", "mcts",
    "pimc", "sample", "solve", "solve_batch", "solve_moves",
}
"""About compiled code, which the reference has none of."""
OWN = sorted(name for name in set(native.__all__) - ONLY_NATIVE if getattr(native, name) is not getattr(reference, name, None))
"""What each engine has an implementation of; all other names are the same objects."""


def members(cls: type) -> dict[str, Any]:
    """The public attributes of a class, inherited ones included."""
    return {name: inspect.getattr_static(cls, name) for name in dir(cls) if not name.startswith("_")}


def parameters(function: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    """Name, kind and default of each parameter, annotations aside; ``self`` is never given by name."""
    return [
        (p.name, p.POSITIONAL_ONLY if p.name == "self" else p.kind, p.default)
        for p in inspect.signature(function).parameters.values()
    ]


def call_target(owner: type, name: str) -> Any:
    """The function behind a method, class method or static method."""
    return getattr(owner, name)


# -- names, signatures, docstrings -------------------------------------------------------


def test_both_engines_export_the_same_names() -> None:
    assert set(native.__all__) - ONLY_NATIVE == set(reference.__all__)
    for engine in ENGINES:
        assert len(set(engine.__all__)) == len(engine.__all__)
        assert all(hasattr(engine, name) for name in engine.__all__)


def test_only_what_runs_once_per_move_has_two_implementations() -> None:
    assert OWN == [
        "Match", "Record", "Rng", "SeatView", "State", "capture_masks", "captures", "deal", "declarations", "playouts", "score_piles",
        "shuffled_deck", "table_bonus",
    ]  # fmt: skip


CLASSES = [name for name in OWN if name[0].isupper()]
FUNCTIONS = [name for name in OWN if not name[0].isupper()]
MEMBERS = [(cls, name) for cls in CLASSES for name in members(getattr(reference, cls)) if name != "state_class"]


@pytest.mark.parametrize("name", CLASSES)
def test_classes_have_the_same_members(name: str) -> None:
    assert sorted(members(getattr(native, name))) == sorted(members(getattr(reference, name)))
    assert getattr(native, name).__name__ == getattr(reference, name).__name__ == name


@pytest.mark.parametrize("name", OWN)
def test_docstrings_of_classes_and_functions_are_the_same(name: str) -> None:
    docs = [inspect.getdoc(getattr(engine, name)) for engine in ENGINES]
    assert docs[0] == docs[1]
    assert docs[0]


@pytest.mark.parametrize(("cls", "name"), MEMBERS)
def test_docstrings_of_members_are_the_same(cls: str, name: str) -> None:
    ours, theirs = (inspect.getdoc(getattr(getattr(engine, cls), name)) for engine in ENGINES)
    assert ours == theirs
    assert ours


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_the_same_signatures(name: str) -> None:
    assert parameters(getattr(native, name)) == parameters(getattr(reference, name))


@pytest.mark.parametrize("name", [name for name in CLASSES if name not in ("Rng", "SeatView", "State")])
def test_constructors_have_the_same_signatures(name: str) -> None:
    assert parameters(getattr(native, name)) == parameters(getattr(reference, name))


def test_constructors_of_the_compiled_classes_take_the_same_arguments(engine: ModuleType) -> None:
    """Python cannot tell the signature of a compiled constructor, so this calls it."""
    expected = str(engine.State("scopa", 1, dealer=0))
    assert str(engine.State(rules="scopa", seed=1, dealer=0)) == str(engine.State("scopa", seed=1, dealer=0)) == expected
    assert engine.State().rules == native.find_rules("scopa")
    assert engine.Rng(seed=7) == engine.Rng(7)
    assert engine.Rng() != engine.Rng()
    for call in (
        lambda: engine.State("scopa", 1, 0), lambda: engine.State("scopa", 1, colour=0), lambda: engine.Rng(1, 2),
        lambda: engine.Rng(sed=1),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize(("cls", "name"), MEMBERS)
def test_members_are_of_the_same_kind_with_the_same_signature(cls: str, name: str) -> None:
    ours, theirs = (inspect.getattr_static(getattr(engine, cls), name) for engine in ENGINES)
    is_value = [not callable(getattr(getattr(engine, cls), name)) for engine in ENGINES]
    assert is_value[0] == is_value[1], (ours, theirs)
    if not is_value[0]:
        assert parameters(call_target(getattr(native, cls), name)) == parameters(call_target(getattr(reference, cls), name))


@pytest.mark.parametrize("method", ["__eq__", "__hash__", "__copy__", "__deepcopy__", "__reduce__", "__str__", "__repr__"])
@pytest.mark.parametrize("cls", ["State", "Rng"])
def test_special_methods_are_there_on_both(cls: str, method: str) -> None:
    has = [getattr(getattr(engine, cls), method, None) is not None for engine in ENGINES]
    assert has[0] == has[1]
    if method == "__hash__":
        assert not has[0]


def test_every_error_is_a_value_error_and_exported() -> None:
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), ValueError)
        assert getattr(native, name) is getattr(reference, name) is getattr(errors, name)


def test_the_reference_imports_nothing_compiled() -> None:
    modules = [module for module in vars(reference).values() if isinstance(module, types.ModuleType)]
    assert not [module for module in modules if ".core" in module.__name__]
