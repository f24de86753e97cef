"""Worked cases: the file that ships with the tests passes on both engines, and no part of a case is silently ignored."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scopa_fast.cases import KINDS, read_cases, run_case
from scopa_fast.engines import BACKENDS, find_engine
from scopa_fast.errors import InvalidCaseError

CONFORMANCE = Path(__file__).parent / "data" / "conformance.json"
CASES = {case["id"]: case for case in read_cases(CONFORMANCE)}


@pytest.fixture(params=BACKENDS)
def engine(request: pytest.FixtureRequest) -> ModuleType:
    return find_engine(request.param)


def test_the_file_holds_every_kind_of_case() -> None:
    assert len(CASES) == 251
    assert {case["kind"] for case in CASES.values()} == set(KINDS)


@pytest.mark.parametrize("name", CASES)
def test_conformance(name: str, engine: ModuleType) -> None:
    result = run_case(CASES[name], engine)
    assert result.passed, result


def spoiled(value: Any) -> Any:
    """Return a value of the same shape that is wrong in one place."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case None:
            return 1
        case str():
            return "AD" if value != "AD" else "2D"
        case [{"take": _}, *_] | [{"points": _}, *_]:
            return value[1:]
        case []:
            return [0]
        case list():
            return [*value[:-1], spoiled(value[-1])]
        case {**items}:
            last = list(items)[-1]
            return {**items, last: spoiled(items[last])}
    raise AssertionError(value)


@pytest.mark.parametrize("kind", KINDS)
def test_every_expected_value_is_compared(kind: str) -> None:
    reference = find_engine("reference")
    keys = set()
    for case in CASES.values():
        if case["kind"] != kind:
            continue
        for key, value in case["expected"].items():
            wrong = copy.deepcopy(case) | {"expected": {key: spoiled(value)}}
            result = run_case(wrong, reference)
            assert not result.passed, (case["id"], key)
            assert result.error or set(result.expected) == {key} == set(result.got)
            keys.add(key)
    assert keys


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"expected": {}}, "nothing is expected"),
        ({"expected": {"lay": False, "laid": True}}, "cannot expect laid"),
        ({"expected": {"captures": [{"scopa": 0}]}}, "malformed 'captures'"),
        ({"kind": "capture"}, "no kind 'capture'"),
        ({"preset": "scopetta"}, "no ruleset 'scopetta'"),
        ({"options": {"colour": 1}}, "no option 'colour'"),
        ({"input": {"card": "5D", "table": ["3D"], "tables": []}}, "no input 'tables'"),
        ({"input": {"card": "5X", "table": []}}, "no card '5X'"),
        ({"input": {"card": "5D"}}, "no 'table'"),
        ({"input": {"card": 5, "table": []}}, "'card' must be str, not 5"),
        ({"input": {"card": "5D", "table": [], "declared": {"7D": "A"}}}, "only the 7C"),
    ],
)
def test_a_case_that_cannot_be_run_fails_and_says_why(change: dict[str, Any], reason: str) -> None:
    result = run_case(CASES["CAP-001"] | change, find_engine("reference"))
    assert not result.passed
    assert reason in result.error


def test_an_illegal_move_in_a_replay_fails_the_case(engine: ModuleType) -> None:
    case = copy.deepcopy(CASES["REPLAY-001"])
    case["input"]["replay"]["moves"][0] = {"card": "7B"}
    result = run_case(case, engine)
    assert not result.passed
    assert "IllegalMoveError: illegal move '7B' in 'scopa hands=" in result.error


def test_a_score_item_that_does_not_exist_is_refused() -> None:
    case = copy.deepcopy(CASES["SCORE-001"])
    case["expected"]["points"]["primera"] = [1, 0]
    assert "no item 'primera'" in run_case(case, find_engine("reference")).error


# Files.


def test_cases_may_be_a_list_one_object_or_lines(tmp_path: Path) -> None:
    case = CASES["CAP-001"]
    file = tmp_path / "cases.json"
    line = json.dumps(case)
    for text, count in ((f"[{line}, {line}]", 2), (json.dumps(case, indent=1), 1), (f"{line}\n\n{line}\n", 2), ("[]", 0), ("", 0)):
        file.write_text(text)
        assert list(read_cases(file)) == [case] * count


def test_a_case_without_an_id_is_called_by_its_place(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"kind": "deal"}\n{"kind": "bonus"}\n')
    assert [case["id"] for case in read_cases(file)] == ["line 1", "line 2"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[\n{]\n", ":2: not JSON"),
        ('{"id": 1}\n{"id": \n', ":2: not JSON"),
        ("[1]", ": case 1: a case is a JSON object, not 1"),
        ("{}\n7\n", ":2: a case is a JSON object, not 7"),
        ("[" * 100_000, ":1: not JSON"),
        ("{}\n" + "9" * 5000, ":2: not JSON"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path: Path, text: str, where: str) -> None:
    file = tmp_path / "cases.json"
    file.write_text(text)
    with pytest.raises(InvalidCaseError) as error:
        list(read_cases(file))
    assert f"{file}{where}" in str(error.value)


def test_a_record_of_an_unfinished_deal_is_a_case(engine: ModuleType) -> None:
    new = engine.shuffled_deck("cirulla_2", 11)
    record = engine.Record("cirulla_2", new.deck, new.dealer)
    while not (moves := record.final_state().legal_moves())[0].is_declaration:
        record.append(moves[0])
    record.append(moves[0])
    case = json.loads(record.to_json())
    assert case["input"]["replay"]["moves"][-1] == {"declare": {"points": moves[0].points, "matta": None}}
    assert run_case(case, engine).passed
    case["expected"]["legal_counts"][-1] += 1
    assert not run_case(case, engine).passed
