"""Rulesets: every preset, OPT-1, OPT-2 clause by clause, OPT-3, texts, JSON and the stable key (rules.md section 11)."""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import pickle
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paths import DOCS

from scopa_fast.errors import InvalidRulesError, InvalidSeatError, UnknownRulesError
from scopa_fast.rules import OPTIONS, PRESETS, TITLES, Rules, find_rules, format_option, parse_option, parse_rules

KEYS = {
    "scopa": 0xF853CB037AE8A04A, "scopa_3": 0x26C6541FEF9B881A, "scopa_4": 0x6B3EDDBA02223706, "scopa_6": 0x9C6A67E9DCAFBDA8,
    "scopa_8": 0x5548E63778E0AE1E, "scopa_americana": 0xB52A1FAC5395D778, "scopa_calabrese": 0x86E39B532C8F1523,
    "scopa_napoletana": 0xC8C6353706E8A6A2, "scopa_libica_rank": 0x7BA22E86AF5E3BB9, "scopa_libica_count": 0xDFFEA6E8C2D4897E,
    "scopa_assi": 0xD17259C4C18A876D, "scopa_assi_10": 0x362167DD06DDDEAF, "scopa_quindici": 0xB24E5C91BE6C0AFC,
    "scopone": 0x6118079485B1A148, "scopone_scientifico": 0x8D643F7915097247, "scopone_trentino": 0x2DC956DAA631F300,
    "scopone_re_bello": 0xC3FCD3FF3DCF10F2, "scopone_meridionale": 0x25B74DCA31FD9B0A, "milanese": 0xF1FF53720D599085,
    "cirulla_2": 0x6E0CA3C68BD420A1, "cirulla_3": 0xD67E19DD8697D639, "cirulla_4": 0xF5049BD1A285929F,
    "escoba_2": 0xA5F6EB7DE616B0AF, "escoba_3": 0xA4561FBE36F9F432, "escoba_4": 0x9F6C725455727887,
    "asso_piglia_tutto_2": 0x56906992AE6D59D7, "asso_piglia_tutto_4": 0xE5D4A448F68D85AD,
}
"""Golden: a change of any of them breaks every stored key of a state."""

WORDS = {name: option.values for name, option in OPTIONS.items() if name not in ("teams", "primiera_scale", "target", "match_deals")}
SCALE = (21, 18, 16, 15, 14, 13, 12, 10)


@st.composite
def option_sets(draw: st.DrawFn) -> dict[str, Any]:
    """Some options with values of their lists (OPT-1), whatever the combination."""
    names = draw(st.lists(st.sampled_from(sorted(OPTIONS)), unique=True, max_size=8))
    options: dict[str, Any] = {}
    for name in names:
        if name in WORDS:
            options[name] = draw(st.sampled_from(list(WORDS[name])))
        elif name == "primiera_scale":
            options[name] = draw(st.none() | st.tuples(*[st.integers(0, 255)] * 8))
        elif name == "teams":
            options[name] = draw(st.sampled_from([None, ((0, 1), (2, 3)), ((0, 3), (1, 2)), ((1,), (0,)), ((0, 3), (1, 4), (2, 5))]))
        else:
            options[name] = draw(st.integers(1, 2**31 - 1))
    return options


@st.composite
def rulesets(draw: st.DrawFn) -> Rules:
    """A preset with as many random options as it allows."""
    rules = find_rules(draw(st.sampled_from(sorted(PRESETS))))
    for name, value in draw(option_sets()).items():
        with contextlib.suppress(InvalidRulesError):
            rules = rules.replace(**{name: value})
    return rules


class TestPresets:
    def test_there_are_27_and_each_has_a_title_and_a_key(self) -> None:
        assert len(PRESETS) == 27
        assert set(PRESETS) == set(TITLES) == set(KEYS)

    def test_presets_and_defaults_are_those_of_the_document(self) -> None:
        blocks = re.findall(r"```json\n(.*?)```", (DOCS / "rules.md").read_text(encoding="utf-8"), re.DOTALL)
        presets, defaults = map(json.loads, blocks)
        assert presets == PRESETS
        assert defaults == {name: option.default for name, option in OPTIONS.items()}

    @pytest.mark.parametrize("name", PRESETS)
    def test_a_preset_is_its_options_over_the_defaults(self, name: str) -> None:
        rules = find_rules(name)
        assert rules.options() == {option.name: PRESETS[name].get(option.name, option.default) for option in OPTIONS.values()}
        assert (rules.name, rules.text, str(rules), rules.overrides()) == (name, name, name, {})
        assert rules.rounds * rules.seats * rules.hand + rules.table == rules.cards
        assert rules.plays == rules.cards - rules.table

    @pytest.mark.parametrize("name", PRESETS)
    def test_names_in_any_case(self, name: str) -> None:
        for text in (name.upper(), name.title(), f" {name} ", name.replace("_", "-"), name.replace("_", " ")):
            assert find_rules(text).name == parse_rules(text).name == name

    @pytest.mark.parametrize("name", PRESETS)
    def test_golden_keys(self, name: str) -> None:
        assert find_rules(name).key == KEYS[name]

    def test_rounds_of_deal_5(self) -> None:
        rounds = {2: 6, 3: 4, 4: 3, 6: 2}
        assert {seats: find_rules(seats=seats).rounds for seats in rounds} == rounds
        assert find_rules("scopa_8").rounds == 2

    @pytest.mark.parametrize("name", ["scope", "", "scopone_x", "tressette"])
    def test_unknown_names(self, name: str) -> None:
        for call in (find_rules, parse_rules):
            with pytest.raises(UnknownRulesError, match=f"no ruleset '{name}'"):
                call(name)

    def test_a_slip_of_the_pen_gets_a_hint(self) -> None:
        with pytest.raises(UnknownRulesError, match="did you mean scopone"):
            find_rules("scopon")
        with pytest.raises(InvalidRulesError, match="did you mean target"):
            find_rules("scopa", tarqet=21)


class TestSides:
    """SEAT-2."""

    @pytest.mark.parametrize(
        ("options", "sides"),
        [
            ({}, ((0,), (1,))),
            ({"seats": 3}, ((0,), (1,), (2,))),
            ({"seats": 4}, ((0, 2), (1, 3))),
            ({"seats": 6}, ((0, 2, 4), (1, 3, 5))),
            ({"seats": 8, "deck": "fr52"}, tuple((seat,) for seat in range(8))),
            ({"seats": 6, "teams": [[0, 3], [1, 4], [2, 5]]}, ((0, 3), (1, 4), (2, 5))),
            ({"seats": 4, "teams": [[0], [1], [2], [3]]}, ((0,), (1,), (2,), (3,))),
            ({"seats": 4, "teams": [[3, 1], [0, 2]]}, ((1, 3), (0, 2))),
        ],
    )
    def test_who_plays_with_whom(self, options: dict[str, Any], sides: tuple[tuple[int, ...], ...]) -> None:
        rules = find_rules(**options)
        assert rules.sides == sides
        assert [seat in sides[rules.side_of[seat]] for seat in range(rules.seats)] == [True] * rules.seats

    def test_seats_and_sides_outside_the_game(self) -> None:
        rules = find_rules("scopone")
        assert [rules.check_seat(seat) for seat in range(4)] == [0, 1, 2, 3]
        assert [rules.check_side(side) for side in range(2)] == [0, 1]
        for seat in (-1, 4):
            with pytest.raises(InvalidSeatError, match=rf"no dealer {seat} in scopone \(SEAT-1\)"):
                rules.check_seat(seat, "dealer")
        for side in (-1, 2):
            with pytest.raises(InvalidSeatError, match=rf"no side {side} in scopone \(SEAT-2\)"):
                rules.check_side(side)
        for value in (True, 0.0, "0", None):
            for check in (rules.check_seat, rules.check_side):
                with pytest.raises(TypeError, match="must be an int"):
                    check(value)  # type: ignore[operator]


class TestOpt1:
    """OPT-1: unknown options and values are rejected, with the ids of the option."""

    @pytest.mark.parametrize("name", WORDS)
    def test_every_value_of_the_list_and_none_beside_it(self, name: str) -> None:
        option = OPTIONS[name]
        for value in option.values:
            try:
                assert getattr(find_rules(**{name: value}), name) == value
            except InvalidRulesError as error:
                assert "OPT-2" in str(error)  # a value of the list, barred by what else the preset says
        beside = [-1, option.values[-1] + 1] if isinstance(option.default, int) and not isinstance(option.default, bool) else ["x", ""]
        for value in beside if not isinstance(option.default, bool) else []:
            with pytest.raises(InvalidRulesError, match=rf"{name}={value!r} .*OPT-1, {option.ids}"):
                find_rules(**{name: value})

    @pytest.mark.parametrize(("name", "least"), [("target", 1), ("match_deals", 0)])
    def test_open_ended_numbers(self, name: str, least: int) -> None:
        for value in (least, 31, 2**31 - 1):
            assert getattr(find_rules(**{name: value}), name) == value
        for value in (least - 1, -5, 2**31):
            with pytest.raises(InvalidRulesError, match="OPT-1"):
                find_rules(**{name: value})

    @pytest.mark.parametrize("scale", [[], [1] * 7, [1] * 9, [256, *[1] * 7], [-1, *[1] * 7]])
    def test_scales_of_pri_9(self, scale: list[int]) -> None:
        assert find_rules(primiera_scale=[0, 255, *[1] * 6]).primiera_scale == (0, 255, 1, 1, 1, 1, 1, 1)
        with pytest.raises(InvalidRulesError, match="OPT-1, PRI-9"):
            find_rules(primiera_scale=scale)

    @pytest.mark.parametrize("name", OPTIONS)
    def test_wrong_types_are_type_errors(self, name: str) -> None:
        wrong = [1.5, b"x", {}, object()]
        wrong += [1] if isinstance(OPTIONS[name].default, bool) or OPTIONS[name].default is None else [True]
        wrong += ["21"] if isinstance(OPTIONS[name].default, int) else [[1.5]]
        for value in wrong:
            with pytest.raises(TypeError, match=name):
                find_rules(**{name: value})

    def test_unknown_options(self) -> None:
        for call in (
            lambda: find_rules("scopa", colour="red"), lambda: find_rules().replace(colour="red"),
            lambda: parse_rules("scopa[colour=red]"), lambda: Rules.from_json('{"colour": "red"}'), lambda: find_rules().replace(name="x"),
        ):
            with pytest.raises(InvalidRulesError, match=r"no option '(colour|name)' .OPT-1"):
                call()
        with pytest.raises(UnknownRulesError):
            Rules(name="briscola")


BARRED = [
    # hand 9 or 10 without four seats, it40 and the table size shown
    ({"hand": 9, "seats": 2}, "DEAL-3"), ({"hand": 9, "seats": 3}, "DEAL-3"), ({"hand": 9, "seats": 4, "table": 0}, "DEAL-3"),
    ({"hand": 9, "seats": 4, "deck": "fr52"}, "DEAL-3"), ({"hand": 10, "seats": 2, "table": 0}, "DEAL-4"),
    ({"hand": 10, "seats": 4}, "DEAL-4"), ({"hand": 10, "seats": 4, "table": 0, "deck": "fr52"}, "DEAL-4"), ({"table": 0}, "DEAL-1"),
    # a non-whole number of rounds
    ({"seats": 8}, "DEAL-5"),
    # fr52 with southern, fifteen, cirulla, hand_bonus, table_bonus or matta
    ({"deck": "fr52", "primiera": "southern"}, "PRI-6"), ({"deck": "fr52", "capture": "fifteen"}, "CAP-6"),
    ({"deck": "fr52", "capture": "cirulla"}, "CAP-7"), ({"deck": "fr52", "hand_bonus": True}, "CIR-1"),
    ({"deck": "fr52", "table_bonus": "cirulla"}, "CIR-7"), ({"deck": "fr52", "table_bonus": "escoba"}, "CIR-7"),
    ({"deck": "fr52", "matta": True}, "CIR-5"),
    # ace_sweep with fifteen
    ({"ace_sweep": True, "capture": "fifteen"}, "ACE-1"),
    # a non-default ace option without ace_sweep
    ({"ace_on_table": "all"}, "ACE-2"), ({"ace_sweep_scopa": True}, "ACE-3"), ({"ace_to_pile": "any"}, "ACE-4"),
    ({"ace_to_pile": "empty"}, "ACE-4"), ({"first_ace_ban": True}, "ACE-7"),
    # a scale with another primiera than standard
    *(({"primiera": primiera, "primiera_scale": SCALE}, "PRI-9") for primiera in ("southern", "zero_faces", "rank_count", "none")),
    # teams of unequal size, fewer than two, or not covering the seats
    ({"seats": 4, "teams": [[0], [1, 2, 3]]}, "SEAT-2"), ({"seats": 4, "teams": [[0, 1, 2, 3]]}, "SEAT-2"), ({"teams": []}, "SEAT-2"),
    ({"seats": 4, "teams": [[0, 1], [2]]}, "SEAT-2"), ({"seats": 4, "teams": [[0], [1]]}, "SEAT-2"),
    ({"seats": 4, "teams": [[0, 1], [2, 2]]}, "SEAT-2"), ({"seats": 4, "teams": [[0, 1], [2, 4]]}, "SEAT-2"),
    ({"teams": [[], []]}, "SEAT-2"), ({"teams": [[-1], [0]]}, "SEAT-2"),
]


class TestOpt2:
    @pytest.mark.parametrize(("options", "rule"), BARRED)
    def test_barred_combinations_name_their_rule(self, options: dict[str, Any], rule: str) -> None:
        with pytest.raises(InvalidRulesError, match=r"\(OPT-2\) in scopa\[") as caught:
            find_rules(**options)
        assert rule in str(caught.value)

    @given(option_sets())
    def test_nothing_else_is_barred(self, options: dict[str, Any]) -> None:
        """The clauses of OPT-2 once more, as one condition."""
        full = {name: option.default for name, option in OPTIONS.items()} | options
        seats, hand, table, deck, teams = (full[name] for name in ("seats", "hand", "table", "deck", "teams"))
        fr52, cards = deck == "fr52", 52 if deck == "fr52" else 40
        aces = ("ace_on_table", "ace_sweep_scopa", "ace_to_pile", "first_ace_ban")
        barred = (
            table != {3: 4, 9: 4, 10: 0}[hand]
            or (hand != 3 and (seats != 4 or fr52))
            or (cards - table) % (seats * hand) != 0
            or (fr52 and (full["primiera"] == "southern" or full["capture"] != "match_or_sum" or full["table_bonus"] != "none"))
            or (fr52 and (full["hand_bonus"] or full["matta"]))
            or (full["ace_sweep"] and full["capture"] == "fifteen")
            or (not full["ace_sweep"] and any(full[name] != OPTIONS[name].default for name in aces))
            or (full["primiera_scale"] is not None and full["primiera"] != "standard")
            or (teams is not None and sorted(seat for team in teams for seat in team) != list(range(seats)))
        )
        try:
            rules = find_rules(**options)
        except InvalidRulesError as error:
            assert "OPT-2" in str(error)
            assert barred
        else:
            assert not barred
            assert rules.options() == full


OPT_3 = {
    "target": [16, 21, 31, 51], "shutout7": [False, True], "re_bello": [False, True], "sette_coppe": [False, True],
    "palle_del_cane": [False, True], "napola": ["none", "run", "all_coins"], "coins_cappotto": [False, True], "coins_wipe": [0, 8, 10],
    "scopa_value": ["one", "rank", "count"], "primiera": ["standard", "southern", "zero_faces", "rank_count", "none"],
    "primiera_incomplete": ["compare", "none", "sum"], "primiera_scale": [None, SCALE], "last_play_scopa": ["never", "dealer"],
    "deal_style": ["packet", "single"], "tie_points": ["none", "all"], "majority": ["most", "half"],
}


@pytest.mark.parametrize(("preset", "name"), list(itertools.product(PRESETS, OPT_3)))
def test_opt_3_any_preset_may_take_these(preset: str, name: str) -> None:
    """OPT-3; two values are barred by OPT-2: southern with fr52, a scale with another primiera."""
    for value in OPT_3[name]:
        try:
            assert getattr(find_rules(preset, **{name: value}), name) == value
        except InvalidRulesError as error:
            if name == "primiera":
                assert (preset, value) == ("scopa_8", "southern"), error
            else:
                assert (name, PRESETS[preset].get("primiera", "standard") == "standard") == ("primiera_scale", False), error


class TestTextsAndEquality:
    @given(rulesets())
    def test_every_text_gives_the_rules_back(self, rules: Rules) -> None:
        data = json.loads(rules.to_json())
        partial = json.dumps({"name": rules.name, **rules.overrides()})
        for twin in (
            parse_rules(rules.text), parse_rules(rules.text.replace(",", " , ").replace("[", " [ ")), eval(repr(rules)),
            Rules.from_json(rules.to_json()), Rules.from_json(partial), pickle.loads(pickle.dumps(rules)), copy.deepcopy(rules),
            find_rules(rules.name, **rules.overrides()), rules.replace(),
        ):
            assert (twin, twin.name, twin.text, twin.key, hash(twin)) == (rules, rules.name, rules.text, rules.key, hash(rules))
        assert set(data) == {"name", *OPTIONS}
        assert " " not in rules.text
        del data["name"]
        assert Rules.from_json(json.dumps(data)) == rules

    @given(rulesets())
    def test_option_words(self, rules: Rules) -> None:
        for name, value in rules.options().items():
            assert parse_option(name, format_option(value)) == value
            assert parse_option(name, f" {format_option(value).upper()} ") == value

    @given(rulesets(), rulesets())
    def test_equal_rules_have_equal_keys_and_others_do_not(self, a: Rules, b: Rules) -> None:
        assert (a == b) == (a.options() == b.options()) == (a.key == b.key)
        assert 0 <= a.key < 2**64

    def test_the_name_does_not_count(self) -> None:
        twin = find_rules("scopa", seats=4, hand=9)
        assert twin == find_rules("scopone")
        assert (twin.key, hash(twin)) == (find_rules("scopone").key, hash(find_rules("scopone")))
        assert twin.text == "scopa[seats=4,hand=9]"

    def test_texts(self) -> None:
        assert parse_rules("Scopone[ target = 21, re_bello=TRUE ]").text == "scopone[re_bello=true,target=21]"
        assert parse_rules("scopa[]").text == "scopa"
        assert find_rules("scopa", seats=6, teams=[[0, 3], [4, 1], [2, 5]]).text == "scopa[seats=6,teams=03/14/25]"
        assert find_rules(primiera_scale=SCALE).text == "scopa[primiera_scale=21/18/16/15/14/13/12/10]"
        assert repr(find_rules("scopone", target=21)) == "find_rules('scopone', target=21)"

    @pytest.mark.parametrize(
        "text", ["scopa[", "scopa[target=21", "scopa[target]", "scopa[target=]", "scopa[target=21,target=31]", "scopa[target=-1]",
                 "scopa[target=٢١]", "scopa[forced=1]", "scopa[forced=null]", "scopa[teams=0a/1]", "scopa[primiera_scale=1/2]",
                 "scopa[target=99999999999]", "scopa[deck=null]"],
    )
    def test_broken_texts(self, text: str) -> None:
        with pytest.raises(InvalidRulesError):
            parse_rules(text)

    @pytest.mark.parametrize("text", ["", "[]", "21", "{", '{"target": 0}', "null"])
    def test_broken_json(self, text: str) -> None:
        with pytest.raises(InvalidRulesError):
            Rules.from_json(text)

    def test_wrong_types(self) -> None:
        for call in (find_rules, parse_rules):
            with pytest.raises(TypeError, match="must be a str, not int: 7"):
                call(7)  # type: ignore[operator]
        with pytest.raises(AttributeError):
            find_rules().target = 21  # type: ignore[misc]

    def test_descriptions_name_every_value(self) -> None:
        for name, values in WORDS.items():
            described = OPTIONS[name].describe()
            assert described.startswith(format_option(values[0]))
            assert described.endswith(format_option(values[-1]))
        assert OPTIONS["target"].describe() == "1.."
        assert "02/13" in OPTIONS["teams"].describe()
        assert "21/18" in OPTIONS["primiera_scale"].describe()
