"""Worked cases (docs/rules.md, section 15): reading a file of them and running each against an engine.

Records of games are such cases too, so a file written by a simulation can be verified as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .cards import MATTA, mask_of, parse_card, rank_letter, rank_value
from .engines import GameState
from .errors import InvalidCaseError
from .match import settle
from .moves import Move
from .position import Position
from .results import ITEMS, Score
from .rules import Rules, find_rules

__all__ = ["KINDS", "CaseResult", "read_cases", "run_case"]


@dataclass(frozen=True)
class CaseResult:
    """What became of one worked case: the parts of ``expected`` that came out otherwise, and what came out instead."""

    id: str
    kind: str
    expected: Mapping[str, Any]
    got: Mapping[str, Any]
    error: str = ""
    """Why the case could not be run at all, if so."""

    @property
    def passed(self) -> bool:
        """Whether everything expected came out."""
        return not self.expected and not self.error


def read_cases(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the cases of a file: one JSON list, one JSON object, or an object a line. One without an id is called by its place.

    :raises InvalidCaseError: on the first object that is none, with file and line.
    :raises OSError: if the file cannot be read.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidCaseError(f"{path}: not UTF-8 text: {error}") from None
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip().startswith("["):
            raise InvalidCaseError(f"{path}:{getattr(error, 'lineno', 1)}: not JSON: {error}") from None
    else:
        for number, case in enumerate(whole if isinstance(whole, list) else [whole], start=1):
            yield {"id": f"case {number}"} | _check_object(case, f"{path}: case {number}")
        return
    for line, part in enumerate(text.splitlines(), start=1):
        if part.strip():
            try:
                case = json.loads(part)
            except (ValueError, RecursionError) as error:
                raise InvalidCaseError(f"{path}:{line}: not JSON: {error}: {part[:80]!r}") from None
            yield {"id": f"line {line}"} | _check_object(case, f"{path}:{line}")


def _check_object(case: object, where: str) -> dict[str, Any]:
    if not isinstance(case, dict):
        raise InvalidCaseError(f"{where}: a case is a JSON object, not {json.dumps(case)[:80]}")
    return case


def run_case(case: Mapping[str, Any], engine: ModuleType) -> CaseResult:
    """Run one case on an engine. A case that cannot be run has failed, and the result says why."""
    name, kind = str(case.get("id", "?")), str(case.get("kind", "?"))
    try:
        expected = _field(case, "expected", dict)
        if not expected:
            raise InvalidCaseError("nothing is expected, so nothing is tested")
        rules = find_rules(_field(case, "preset", str), **_field(case, "options", dict, {}))
        if kind not in KINDS:
            raise InvalidCaseError(f"no kind {kind!r}: one of {', '.join(KINDS)}")
        got = KINDS[kind](engine, rules, _field(case, "input", dict), expected)
        missing = [key for key in expected if key not in got]
        if missing:
            raise InvalidCaseError(f"a {kind} case of this input cannot expect {', '.join(missing)}")
        wrong = [key for key in expected if _comparable(key, expected[key]) != _comparable(key, got[key])]
    except (ValueError, TypeError) as error:
        return CaseResult(name, kind, {}, {}, f"{type(error).__name__}: {error}")
    return CaseResult(name, kind, {key: expected[key] for key in wrong}, {key: got[key] for key in wrong})


def _comparable(key: str, value: Any) -> Any:
    """Return a value with its lists of cards in one order: they are sets in cases (DECK-8).

    :raises InvalidCaseError: if it has not the shape of its key.
    """
    try:
        if key == "captures":
            return sorted((sorted(capture["take"]), capture["scopa"]) for capture in value)
        if key in ("piles", "hands"):
            return [sorted(cards) for cards in value]
        if key == "later":
            return [[sorted(cards) for cards in hands] for hands in value]
        if key in ("table", "unclaimed"):
            return sorted(value)
        if key == "declare":
            return sorted((bonus["points"], bonus["matta"] or "") for bonus in value)
    except (KeyError, TypeError):
        raise InvalidCaseError(f"malformed {key!r}: {json.dumps(value)[:80]}") from None
    return value


# What a case may hold: text to values.


def _field(case: Mapping[str, Any], name: str, kind: type, default: Any = None) -> Any:
    value = case.get(name, default)
    if value is None and default is None:
        raise InvalidCaseError(f"no {name!r}")
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise InvalidCaseError(f"{name!r} must be {kind.__name__}, not {json.dumps(value)[:80]}")
    return value


def _check_input(data: Mapping[str, Any], *known: str) -> None:
    """Refuse an input that this program would silently ignore."""
    for name in data:
        if name not in known:
            raise InvalidCaseError(f"no input {name!r} here: one of {', '.join(known)}")


def _mask(names: Any, rules: Rules) -> int:
    if not isinstance(names, list):
        raise InvalidCaseError(f"cards must be a list, not {json.dumps(names)[:80]}")
    return mask_of(parse_card(name, rules.deck) for name in names)


def _masks(groups: Any, rules: Rules) -> tuple[int, ...]:
    if not isinstance(groups, list):
        raise InvalidCaseError(f"groups of cards must be a list, not {json.dumps(groups)[:80]}")
    return tuple(_mask(names, rules) for names in groups)


def _declared_matta(data: Mapping[str, Any], rules: Rules) -> int | None:
    declared = _field(data, "declared", dict, {})
    if set(declared) - {"7C"}:
        raise InvalidCaseError(f"only the 7C can be declared (CIR-5), not {', '.join(declared)}")
    return rank_value(declared["7C"], rules.deck) if declared else None


def _move(data: Any, rules: Rules) -> Move:
    """Return the move of ``{"card": …}`` with ``take``, ``to_pile`` or neither."""
    if not isinstance(data, dict):
        raise InvalidCaseError(f"a move is a JSON object, not {json.dumps(data)[:80]}")
    _check_input(data, "card", "take", "to_pile", "declare")
    card = parse_card(_field(data, "card", str), rules.deck)
    if "take" in data and data.get("to_pile"):
        raise InvalidCaseError(f"a move that takes does not go to the pile (ACE-4): {json.dumps(data)}")
    if "take" in data:
        return Move.capture(card, _mask(data["take"], rules), rules.deck)
    return Move.to_pile(card, rules.deck) if _field(data, "to_pile", bool, False) else Move.lay(card, rules.deck)


def _declaration(data: Any) -> Move:
    """Return the declaration of ``{"points": …, "matta": rank or null}``."""
    if not isinstance(data, dict):
        raise InvalidCaseError(f"declare is a JSON object, not {json.dumps(data)[:80]}")
    _check_input(data, "points", "matta")
    matta = data.get("matta")
    return Move.declare(_field(data, "points", int), None if matta is None else rank_value(matta))


# The kinds. Each returns all it can say about its input; perft and legal_counts only if they are expected.


def _run_captures(engine: ModuleType, rules: Rules, data: Mapping[str, Any], _expected: Mapping[str, Any]) -> dict[str, Any]:
    _check_input(data, "card", "table", "declared", "first_play", "last_play")
    card = parse_card(_field(data, "card", str), rules.deck)
    table = [parse_card(name, rules.deck) for name in _field(data, "table", list)]
    found = engine.captures(
        rules, card, table, matta=_declared_matta(data, rules),
        first_play=_field(data, "first_play", bool, False), last_play=_field(data, "last_play", bool, False),
    )
    takes = [{"take": take.names(), "scopa": scopa} for take, scopa in zip(found.takes, found.scopa, strict=True)]
    return {"captures": takes, "lay": found.lay, "to_pile": found.to_pile}


def _run_score(engine: ModuleType, rules: Rules, data: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    if "replay" in data:
        _check_input(data, "replay")
        return _run_replay(engine, rules, _field(data, "replay", dict), expected)
    if "play" in data:
        _check_input(data, "play")
        return _run_play(engine, rules, _field(data, "play", dict), expected)
    _check_input(data, "piles", "scope", "bonus", "partial")
    piles = _masks(_field(data, "piles", list), rules)
    nothing = [0] * len(piles)
    score = engine.score_piles(rules, piles, _field(data, "scope", list, nothing), _field(data, "bonus", list, nothing))
    return _score_parts(score, expected)


def _run_play(engine: ModuleType, rules: Rules, data: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    _check_input(data, "hands", "table", "piles", "scope", "last_capture", "to_play", "dealer", "moves", "declared")
    hands, matta = _masks(_field(data, "hands", list), rules), _declared_matta(data, rules)
    position = Position(
        rules=rules, hands=hands, table=_mask(data.get("table"), rules), piles=_masks(data.get("piles"), rules), stock=(),
        scope=tuple(_field(data, "scope", list)), bonus=(0,) * len(rules.sides), last_capturer=data.get("last_capture"),
        seat=_field(data, "to_play", int), dealer=_field(data, "dealer", int), matta=matta,
        # A declared 7C still in a hand was shown when it was declared (CIR-4).
        exposed=tuple(seat for seat, hand in enumerate(hands) if hand >> MATTA & 1) if matta is not None else (),
    )
    state = engine.State.from_position(position)
    for move in _field(data, "moves", list):
        state.play(_move(move, rules))
    return _end_parts(state, expected)


def _run_replay(engine: ModuleType, rules: Rules, data: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    _check_input(data, "deck", "dealer", "moves")
    deck = [parse_card(name, rules.deck) for name in _field(data, "deck", list)]
    state = engine.State.from_deck(rules, deck, _field(data, "dealer", int))
    got: dict[str, Any] = {"table_bonus": sum(state.scope)}
    if "perft" in expected:
        got["perft"] = [state.perft(depth) for depth in range(1, len(_field(expected, "perft", list)) + 1)]
    counts = []
    moves = _field(data, "moves", list)
    for number, move in enumerate(moves, start=1):
        if isinstance(move, dict) and "declare" in move:
            state.play(_declaration(move["declare"]))
            if "card" not in move and number == len(moves):
                break  # the record of a deal that stopped between a declaration and its card
        played = _move(move, rules)
        counts.append(state.card_move_count())
        state.play(played)
    return got | {"legal_counts": counts} | _end_parts(state, expected)


def _end_parts(state: GameState, expected: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a finished deal is asked for; a deal that stopped early has no score to give."""
    parts = {
        "piles": [state.pile(side).names() for side in range(len(state.rules.sides))],
        "scope": list(state.scope),
        "last_capture": state.last_capturer,
    }
    return parts | _score_parts(state.score(), expected) if state.is_terminal() else parts


def _score_parts(score: Score, expected: Mapping[str, Any]) -> dict[str, Any]:
    items = _field(expected, "points", dict, {})
    for item in items:
        if item not in ITEMS:
            raise InvalidCaseError(f"no item {item!r} of a score: one of {', '.join(ITEMS)}")
    return {
        "points": {item: list(score.points[item]) for item in items},
        "total": list(score.total),
        "coins": list(score.coins),
        "prime": [list(prime) for prime in score.prime],
        "cappotto": score.cappotto,
        "unclaimed": score.unclaimed.names(),
    }


def _run_match(_engine: ModuleType, rules: Rules, data: Mapping[str, Any], _expected: Mapping[str, Any]) -> dict[str, Any]:
    _check_input(data, "scores", "deal_points", "coins", "dealer", "deals_played")
    settlement = settle(
        rules, _field(data, "scores", list), _field(data, "deal_points", list), coins=_field(data, "coins", list),
        dealer=_field(data, "dealer", int), deals_played=_field(data, "deals_played", int),
    )
    return {
        "scores": list(settlement.scores), "over": settlement.over,
        "winners": list(settlement.winners), "next_dealer": settlement.next_dealer,
    }


def _run_deal(engine: ModuleType, rules: Rules, data: Mapping[str, Any], _expected: Mapping[str, Any]) -> dict[str, Any]:
    _check_input(data, "deck", "dealer")
    deck = [parse_card(name, rules.deck) for name in _field(data, "deck", list)]
    dealt = engine.deal(rules, deck, _field(data, "dealer", int))
    return {
        "void": dealt.void,
        "redealer": dealt.redealer,
        "hands": [hand.names() for hand in dealt.hands],
        "table": dealt.table.names(),
        "rounds": dealt.rounds,
        "first": dealt.first,
        "later": [[hand.names() for hand in hands] for hands in dealt.later],
        "team_of": list(rules.side_of),
    }


def _run_bonus(engine: ModuleType, rules: Rules, data: Mapping[str, Any], _expected: Mapping[str, Any]) -> dict[str, Any]:
    _check_input(data, "hand", "table")
    got: dict[str, Any] = {}
    if "hand" in data:
        got["declare"] = [
            {"points": move.points, "matta": None if move.matta is None else rank_letter(move.matta)}
            for move in engine.declarations(rules, _mask(data["hand"], rules))
        ]
    if "table" in data:
        got["table_bonus"] = engine.table_bonus(rules, _mask(data["table"], rules))
    return got


KINDS: dict[str, Callable[[ModuleType, Rules, Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]] = {
    "captures": _run_captures,
    "score": _run_score,
    "match": _run_match,
    "deal": _run_deal,
    "bonus": _run_bonus,
}
"""How each kind of case is run."""
