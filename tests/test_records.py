"""Game records: JSON lines that rebuild and check a deal (docs/notation.md, rules.md section 15)."""

from __future__ import annotations

import copy
import io
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from paths import DATA, DOCS

from scopa_fast.errors import (
    IllegalMoveError,
    InvalidDeckError,
    InvalidMoveError,
    InvalidRecordError,
    InvalidSeatError,
    InvalidSeedError,
    VoidDealError,
)
from scopa_fast.records import EXPECTED, FIELDS, RECORD_VERSION, Record, write_records
from scopa_fast.results import ITEMS
from scopa_fast.rules import PRESETS

RandomDeal = Callable[..., Any]


@pytest.fixture
def whole_deals(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = [case for case in cases if "replay" in case["input"]]
    assert len(found) == 20
    return found


@pytest.fixture
def case(whole_deals: list[dict[str, Any]]) -> dict[str, Any]:
    """REPLAY-014, a deal of cirulla with a declared hand: a test may change it."""
    return copy.deepcopy(next(case for case in whole_deals if case["id"] == "REPLAY-014"))


def same_play(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Lists of captured cards are sets."""
    return a | {"take": sorted(a.get("take", []))} == b | {"take": sorted(b.get("take", []))}


class TestWorkedCases:
    def test_each_is_read_checked_and_written_again(self, engine: ModuleType, whole_deals: list[dict[str, Any]]) -> None:
        for case in whole_deals:
            record = engine.Record.from_json(json.dumps(case))
            assert record.id == case["id"]
            written = json.loads(record.to_json())
            ours, theirs = written["input"]["replay"], case["input"]["replay"]
            assert (ours["deck"], ours["dealer"]) == (theirs["deck"], theirs["dealer"])
            assert len(ours["moves"]) == len(theirs["moves"])
            assert all(map(same_play, ours["moves"], theirs["moves"]))
            for name in ("table_bonus", "legal_counts", "last_capture", "points", "total", "coins", "cappotto"):
                assert written["expected"][name] == case["expected"][name], (case["id"], name)
            assert list(map(sorted, written["expected"]["piles"])) == list(map(sorted, case["expected"]["piles"]))
            assert engine.Record.from_json(record.to_json()) == record

    def test_a_list_of_cases_is_read_and_cases_of_other_kinds_are_passed_over(
        self, engine: ModuleType, whole_deals: list[dict[str, Any]], tmp_path: Path
    ) -> None:
        names = [case["id"] for case in whole_deals]
        assert [record.id for record in engine.Record.from_file(DATA / "conformance.json")] == names
        path = tmp_path / "cases.json"
        path.write_text(json.dumps(whole_deals[:3], indent=2), encoding="utf-8-sig")
        assert [record.id for record in engine.Record.from_file(str(path))] == names[:3]
        path.write_text(" \n[ ]\n", encoding="utf-8")
        assert list(engine.Record.from_file(path)) == []

    def test_every_stated_value_is_checked(self, engine: ModuleType, whole_deals: list[dict[str, Any]]) -> None:
        for case in whole_deals[::4]:
            for name, value in case["expected"].items():
                changed = copy.deepcopy(case)
                if isinstance(value, list) and value:
                    value = value[:-1]
                elif isinstance(value, dict):
                    value = {"scopa": [points + 1 for points in value["scopa"]]}
                else:
                    value = 1 if value != 1 else 0
                if name == "perft":
                    value = [*value, 0]
                changed["expected"] = {name: value}
                what = {"points": "points of scopa", "perft": r"perft\(\d\)"}.get(name, name)
                with pytest.raises(InvalidRecordError, match=f"here: {case['id']}: expected {what}"):
                    engine.Record.from_json(json.dumps(changed), "here")


class TestRandomDeals:
    @pytest.mark.parametrize("preset", PRESETS)
    def test_a_record_rebuilds_every_state(self, engine: ModuleType, random_deal: RandomDeal, preset: str) -> None:
        for seed in range(3):
            record = random_deal(engine, preset, seed, players=tuple("ABCDEFGH"[: engine.find_rules(preset).seats]))
            states = list(record.states())
            assert len(states) == len(record.moves) + 1
            walked = engine.State.from_deck(record.rules, record.deck, record.dealer)
            for state, move in zip(states, record.moves, strict=False):
                assert type(state) is engine.State
                assert state == walked
                walked.play(move)
            assert states[-1] == record.final_state() == walked
            assert walked.is_terminal()

            expected = record.expected
            assert set(expected) == set(EXPECTED) - {"perft"}
            assert expected["total"] == list(walked.score().total)
            assert expected["scope"] == list(walked.scope)
            assert sum(map(len, expected["piles"])) + len(expected["unclaimed"]) == record.rules.cards
            assert list(expected["points"]) == list(ITEMS)
            cards = [(state, move) for state, move in zip(states, record.moves, strict=False) if not move.is_declaration]
            assert expected["legal_counts"] == [state.card_move_count() for state, _ in cards]

            line = record.to_json()
            assert "\n" not in line
            assert list(json.loads(line)) == [name for name in FIELDS if name != "scores_before"]
            again = engine.Record.from_json(line)
            assert again == record
            assert again.to_json() == line
            assert (again.moves, again.deck, again.seed, again.index, again.players) == (
                record.moves, record.deck, record.seed, record.index, record.players
            )

    @pytest.mark.parametrize("preset", ["scopa", "cirulla_2", "scopone", "scopa_assi[ace_to_pile=any]"])
    def test_unfinished_deals(self, engine: ModuleType, random_deal: RandomDeal, preset: str) -> None:
        for plays in (0, 1, 2, 7, 20):
            record = random_deal(engine, preset, 5, plays)
            assert set(record.expected) == {"table_bonus", "legal_counts"}
            assert engine.Record.from_json(record.to_json()) == record
            data = json.loads(record.to_json())
            del data["expected"]
            assert engine.Record.from_json(json.dumps(data)) == record
            data["expected"] = {"total": [0, 0]}
            with pytest.raises(InvalidRecordError, match=r"expected total of a deal that is not over: \d+ cards to play in 'scop|cirulla"):
                engine.Record.from_json(json.dumps(data))

    def test_a_deal_that_stops_after_a_declaration(self, engine: ModuleType) -> None:
        """CIR-4: a declaration is the ``declare`` of that seat's next play, or stands alone at the end."""
        for seed in range(1000):
            new = engine.shuffled_deck("cirulla_2", seed)
            record = engine.Record("cirulla_2", new.deck, new.dealer)
            move = record.final_state().legal_moves()[0]
            if move.is_declaration and move.matta:
                break
        record.append(move)
        last = json.loads(record.to_json())["input"]["replay"]["moves"]
        assert last == [{"declare": {"points": move.points, "matta": str(move)[-1]}}]
        assert engine.Record.from_json(record.to_json()) == record
        play = record.final_state().legal_moves()[0]
        record.append(play)
        moves = json.loads(record.to_json())["input"]["replay"]["moves"]
        assert moves[0]["declare"] == last[0]["declare"]
        assert "card" in moves[0]
        assert engine.Record.from_json(record.to_json()).moves == (move, play)
        data = json.loads(record.to_json())
        data["input"]["replay"]["moves"] = [*last, moves[0] | {"declare": None}]
        del data["input"]["replay"]["moves"][1]["declare"]
        with pytest.raises(InvalidRecordError, match="move 1: a declaration without a card"):
            engine.Record.from_json(json.dumps(data))

    def test_states_are_independent_copies(self, engine: ModuleType, random_deal: RandomDeal) -> None:
        record = random_deal(engine, "scopa", 2, 4)
        for state in [*record.states(), record.final_state()]:
            before = str(record.final_state())
            state.play(state.legal_moves()[0])
            assert str(record.final_state()) == before

    def test_copies_and_texts(self, engine: ModuleType, random_deal: RandomDeal) -> None:
        record = random_deal(engine, "cirulla_2[target=31]", 4, scores_before=(12, 9), note="due \u2028 righe", id="G-1")
        assert (record.scores_before, record.note, record.id) == ((12, 9), "due \u2028 righe", "G-1")
        assert record.rules.text == "cirulla_2[target=31]"
        for twin in (copy.deepcopy(record), pickle.loads(pickle.dumps(record)), eval(repr(record), {"Record": engine.Record})):
            assert twin == record
            assert twin.final_state() == record.final_state()
        assert len(record.to_json().splitlines()) == 1
        assert record != random_deal(engine, "cirulla_2[target=31]", 4)
        assert record != 1
        with pytest.raises(TypeError):
            hash(record)

    def test_ids_are_made_from_the_seed(self, engine: ModuleType) -> None:
        new = engine.shuffled_deck("scopa", 9, 3)
        for labels, name in (({}, "REPLAY"), ({"seed": 9}, "REPLAY-9-0"), ({"seed": 9, "index": 3}, "REPLAY-9-3"), ({"id": "x"}, "x")):
            assert engine.Record("scopa", new.deck, new.dealer, **labels).id == name


class TestRefusals:
    def test_an_illegal_move_changes_nothing(self, engine: ModuleType, random_deal: RandomDeal) -> None:
        record = random_deal(engine, "scopa", 1, 5)
        before = record.to_json()
        with pytest.raises(IllegalMoveError, match=r"illegal move .* in 'scopa hands="):
            record.append(engine.Move.lay(record.moves[0].card))
        with pytest.raises(InvalidMoveError):
            record.append(3 << 58)
        with pytest.raises(TypeError):
            record.append("7D")
        assert record.to_json() == before
        done = random_deal(engine, "scopa", 1)
        with pytest.raises(IllegalMoveError, match="the deal is over"):
            done.append(done.moves[0])

    def test_bad_arguments(self, engine: ModuleType) -> None:
        deck = engine.shuffled_deck("scopa", 1).deck
        make = engine.Record
        for call, error in (
            (lambda: make("scopa", deck[:-1], 0), InvalidDeckError), (lambda: make("scopa", (*deck[:-1], deck[0]), 0), InvalidDeckError),
            (lambda: make("scopa", deck, 2), InvalidSeatError), (lambda: make("scopa", deck, 0, players=("A",)), InvalidSeatError),
            (lambda: make("scopa", deck, 0, scores_before=(1, 2, 3)), InvalidSeatError),
            (lambda: make("scopa", deck, 0, seed=-1), InvalidSeedError), (lambda: make("scopa", deck, 0, seed=2**64), InvalidSeedError),
            (lambda: make("scopa", deck, 0, index=-1), InvalidSeedError), (lambda: make(7, deck, 0), TypeError),
            (lambda: make("scopa", deck, None), TypeError), (lambda: make("scopa", deck, 0, seed="1"), TypeError),
            (lambda: make("scopa", deck, 0, players="AB"), TypeError), (lambda: make("scopa", deck, 0, players=(1, 2)), TypeError),
            (lambda: make("scopa", deck, 0, id=7), TypeError), (lambda: make("scopa", deck, 0, note=None), TypeError),
            (lambda: make("scopa", deck, 0, scores_before=(1, 2.5)), TypeError),
        ):
            with pytest.raises(error):
                call()
        kings = [*range(36, 40)]
        void = [card for card in range(40) if card not in kings]
        with pytest.raises(VoidDealError, match="DEAL-6"):
            make("scopa", [*void[:6], *kings, *void[6:]], 1)

    @pytest.mark.parametrize(
        ("path", "value", "reason"),
        [
            ("preset", "briscola", "no ruleset 'briscola'"), ("preset", None, "no field 'preset'"), ("preset", 7, "preset must be a text"),
            ("options", {"target": 0}, "OPT-1"), ("options", {"target": "21"}, "target must be int"),
            ("options", [], "options must be an obj"),
            ("options", {"colour": 1}, "no option 'colour'"), ("options", {"ace_sweep": False}, "OPT-2"),
            ("kind", "deal", "kind 'deal'"), ("version", 2, "version 2: this library reads version 1"), ("version", True, "version True"),
            ("colour", "red", "unknown field 'colour'"), ("input", None, "no field 'input'"), ("input", [], "input must be an object"),
            ("input.replay", None, "no field 'replay'"), ("input.replay.deck", None, "no field 'deck'"),
            ("input.replay.deck", "7D", "deck must be a list"), ("input.replay.deck", [7] * 40, "a card must be a text, not 7"),
            ("input.replay.deck", ["7D"] * 40, "7D comes twice|7D"), ("input.replay.deck", ["7D"], "1 cards, not 40"),
            ("input.replay.deck.0", "8D", "no card '8D'"), ("input.replay.dealer", 2, "no dealer 2"),
            ("input.replay.dealer", "0", "dealer must be a whole number"), ("input.replay.dealer", True, "dealer must be a whole number"),
            ("input.replay.moves", {}, "moves must be a list"), ("input.replay.colour", 1, "unknown field 'colour' of the replay"),
            ("input.replay.moves.3", "7D", "move 4: a move must be an object"), ("input.replay.moves.3", {}, "move 4: neither a card nor"),
            ("input.replay.moves.3", {"card": "8D"}, "move 4: no card '8D'"), ("input.replay.moves.3", {"card": 8}, "card must be a text"),
            ("input.replay.moves.3", {"card": "7D", "x": 1}, "unknown field 'x'"),
            ("input.replay.moves.3", {"card": "7D", "take": []}, "move 4: 7D captures nothing"),
            ("input.replay.moves.3", {"card": "7D", "take": ["7D"]}, "captures itself"),
            ("input.replay.moves.3", {"card": "7D", "take": ["3D", "3D"]}, "comes twice"),
            ("input.replay.moves.3", {"card": "7D", "take": "3D"}, "take must be a list"),
            ("input.replay.moves.3", {"card": "7D", "take": ["3D"], "to_pile": True}, "both take and to_pile"),
            ("input.replay.moves.3", {"card": "7D", "to_pile": False}, "to_pile can only be true"),
            ("input.replay.moves.3", {"declare": {"points": 3}, "take": ["3D"]}, "move 4: "),
            ("input.replay.moves.0.declare", 3, "declare must be an object"),
            ("input.replay.moves.0.declare", {}, "no field 'points'"), ("input.replay.moves.0.declare", {"points": 4}, "CIR-1"),
            ("input.replay.moves.0.declare", {"points": 3, "x": 1}, "more than points and matta"),
            ("input.replay.moves.0.declare", {"points": 3, "matta": "T"}, "no rank 'T'"),
            ("input.replay.moves.0.declare", {"points": 3, "matta": 5}, "no rank 5"),
            ("input.replay.moves.0.declare", {"points": 10}, r"illegal move '\+10' in 'cirulla_2 hands="),
            ("input.replay.moves.0", {"card": "RD"}, "move 1: illegal move 'RD' in 'cirulla_2 hands="),
            ("seed", -1, "seed -1 is outside"), ("seed", "1", "seed must be an int"), ("deal", -1, "index -1 is outside"),
            ("players", ["A"], "1 players for the 2 seats"), ("players", [1, 2], "a player's name must be a str"),
            ("scores_before", [1], "1 scores_before"),
            ("scores_before", 1, "scores_before must be a list, not 1"), ("players", 5, "players must be a list"),
            ("note", 5, "note must be a str"),
            ("id", 5, "id must be a str"),
            ("expected", [], "expected must be an object"), ("expected", {"colour": 1}, "unknown entry 'colour' of expected"),
            ("expected", {"points": {"colour": [0, 0]}}, "unknown item 'colour'"), ("expected", {"points": []}, "points must be an object"),
            ("expected", {"perft": 5}, "perft must be a list"), ("expected", {"total": [True, 18]}, r"expected total \[true, 18\]"),
            ("expected", {"total": [1.0, 18]}, "expected total"), ("expected", {"cappotto": False}, "expected cappotto false"),
            ("expected", {"piles": [["7D", 7], []]}, "expected piles"),
        ],
    )  # fmt: skip
    def test_a_bad_record_says_where_and_why(self, engine: ModuleType, case: dict[str, Any], path: str, value: Any, reason: str) -> None:
        engine.Record.from_json(json.dumps(case))
        *parents, name = path.split(".")
        place: Any = case
        for parent in parents:
            place = place[int(parent) if isinstance(place, list) else parent]
        if isinstance(place, list):
            place[int(name)] = value
        elif value is None:
            del place[name]
        else:
            place[name] = value
        with pytest.raises(InvalidRecordError, match=reason) as caught:
            engine.Record.from_json(json.dumps(case), "games.jsonl:7")
        assert str(caught.value).startswith("games.jsonl:7: ")

    @pytest.mark.parametrize(
        ("text", "reason"),
        [("", "not JSON"), ("{", "not JSON"), ("[]", "a record must be an object"), ("7", "a record must be an object, not 7"),
         ('{"preset": "scopa", "preset": "scopone"}', "not JSON: field 'preset' comes twice"), ("[" * 100_000, "not JSON"),
         ("NaN", "a record must be an object")],
    )  # fmt: skip
    def test_broken_json(self, engine: ModuleType, text: str, reason: str) -> None:
        with pytest.raises(InvalidRecordError, match=f"^here: {reason}"):
            engine.Record.from_json(text, "here")
        with pytest.raises(TypeError, match="a record must be a str"):
            engine.Record.from_json(text.encode())


class TestFiles:
    def test_lines_are_written_and_read_back(self, engine: ModuleType, random_deal: RandomDeal, tmp_path: Path) -> None:
        records = [random_deal(engine, preset, seed) for seed, preset in enumerate(("scopa", "scopone", "cirulla_3"))]
        for path in (tmp_path / "a.jsonl", str(tmp_path / "b.jsonl")):
            assert write_records(path, iter(records)) == 3
            assert list(engine.Record.from_file(path)) == records
        buffer = io.StringIO()
        assert write_records(buffer, records) == 3
        assert buffer.getvalue().encode() == (tmp_path / "a.jsonl").read_bytes()
        assert len(buffer.getvalue().splitlines()) == 3

    def test_the_first_bad_line_is_named_and_what_came_before_it_is_given(
        self, engine: ModuleType, random_deal: RandomDeal, tmp_path: Path
    ) -> None:
        path = tmp_path / "games.jsonl"
        good = random_deal(engine, "scopa", 1).to_json()
        bad = good.replace('"card"', '"cart"', 1)
        for broken, reason in ((bad, "REPLAY-1-0: move 1: unknown field 'cart'"), ("{", "not JSON"), ("[]", "a record must be an object")):
            path.write_text(f"{good}\n\n{good}\n{broken}\n{good}\n", encoding="utf-8")
            reader = engine.Record.from_file(path)
            assert next(reader) == next(reader)
            with pytest.raises(InvalidRecordError, match=re.escape(f"{path}:4: {reason}")):
                next(reader)
        path.write_bytes(good.encode() + b"\n\xff\n")
        with pytest.raises(InvalidRecordError, match=re.escape(f"{path}:2: not UTF-8")):
            list(engine.Record.from_file(path))
        with pytest.raises(FileNotFoundError):
            list(engine.Record.from_file(tmp_path / "none"))

    def test_the_line_of_a_bad_case_in_a_list_is_named(self, engine: ModuleType, random_deal: RandomDeal, tmp_path: Path) -> None:
        path = tmp_path / "cases.json"
        good = random_deal(engine, "scopa", 1).to_json()
        for text, line, reason in (
            (f"\n[{good},\n{good},\n\n{good.replace('deck', 'dock')}]", 5, "REPLAY-1-0: unknown field 'dock'"),
            (f"[{good},\n7]", 2, "a record must be an object"),
            (f"[{good},\n]", 2, "not JSON"),
            (f"[{good}\n{good}]", 2, "the list is broken"),
            (f"[{good}\n", 2, "the list is broken"),
            (f"[{good},\n\n", 3, "not JSON"),
            (f"[{good}]\n{good}", 2, "more after the end of the list"),
            ('[{"kind": "score", "input": {}}]', 1, "no field 'preset'"),
        ):
            path.write_text(text, encoding="utf-8")
            with pytest.raises(InvalidRecordError, match=re.escape(f"{path}:{line}: ") + f".*{re.escape(reason)}"):
                list(engine.Record.from_file(path))


class TestDocuments:
    def test_the_example_of_the_document_is_a_record(self, engine: ModuleType) -> None:
        (example,) = re.findall(r"```json\n(.*)\n```", (DOCS / "notation.md").read_text(encoding="utf-8"))
        record = engine.Record.from_json(example)
        assert record.to_json() == example
        new = engine.shuffled_deck(record.rules, record.seed, record.index)
        assert (new.deck, new.dealer) == (record.deck, record.dealer)

    def test_the_schema_has_the_fields_that_are_read_and_written(self) -> None:
        schema = json.loads((DOCS / "record.schema.json").read_text(encoding="utf-8"))
        fields = schema["properties"]
        assert list(fields) == list(FIELDS)
        assert fields["version"]["const"] == RECORD_VERSION
        assert list(fields["expected"]["properties"]) == list(EXPECTED)
        assert list(fields["expected"]["properties"]["points"]["properties"]) == list(ITEMS)
        assert set(fields["input"]["properties"]["replay"]["properties"]) == {"deck", "dealer", "moves"}
        assert set(schema["$defs"]["play"]["properties"]) == {"declare", "card", "take", "to_pile"}
        text = (DOCS / "notation.md").read_text(encoding="utf-8")
        assert [name for name in (*FIELDS, *EXPECTED) if f"`{name}`" not in text and f"`{name}." not in text] == []


def test_the_engines_do_not_mix(engine: ModuleType) -> None:
    assert issubclass(engine.Record, Record)
    assert engine.Record.state_class is engine.State
    new = engine.shuffled_deck("scopa", 1)
    assert type(engine.Record("scopa", new.deck, new.dealer).final_state()) is engine.State
