"""The JSON of game records: checked fields, the entries of a replay's moves, and the lines of a file.

What a record means, and whether it can be played, is in :mod:`scopa_fast.records`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from .cards import format_card, mask_of, parse_card, rank_letter, rank_value
from .errors import InvalidRecordError
from .moves import Move

__all__ = ["RecordReader", "decode_line", "format_plays", "holds_no_deal", "list_items", "load_json", "parse_play"]

_TYPE_NAMES: dict[type, str] = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}


class RecordReader:
    """Takes values out of a JSON object and refuses those of a wrong shape, saying where they stand."""

    def __init__(self, where: str | None) -> None:
        self.where = where

    def refuse(self, reason: str) -> NoReturn:
        """Raise :class:`InvalidRecordError` with the place and the reason."""
        raise InvalidRecordError(f"{self.where}: {reason}" if self.where else reason) from None

    def check_type(self, value: Any, kind: type, what: str) -> Any:
        """Return a value unchanged if it is of one JSON type; a bool is no number."""
        if not isinstance(value, kind) or isinstance(value, bool):
            self.refuse(f"{what} must be {_TYPE_NAMES[kind]}, not {_shorten(value)}")
        return value

    def field(self, data: dict[str, Any], name: str, kind: type, default: Any = None) -> Any:
        """Return a field of one JSON type, or the default (None: there must be one)."""
        if name not in data:
            if default is None:
                self.refuse(f"no field {name!r}")
            return default
        return self.check_type(data[name], kind, name)

    def compare(self, what: str, stated: Any, actual: Any) -> None:
        """Refuse a stated value that is not the actual one; lists of cards are sets (DECK-8)."""
        if _canonical(stated) != _canonical(actual):
            self.refuse(f"expected {what} {json.dumps(stated)}, but the moves give {json.dumps(actual)}")


def _canonical(value: Any) -> str:
    """Return a JSON text that is equal for equal values, with every list of texts in one order."""
    if isinstance(value, list):
        if value and all(isinstance(part, str) for part in value):
            value = sorted(value)
        elif value and all(isinstance(part, list) for part in value):
            return f"[{','.join(map(_canonical, value))}]"
    return json.dumps(value, sort_keys=True)


def _shorten(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "..."


def load_json(text: str, where: str | None) -> Any:
    """Return the value of a JSON text.

    :raises InvalidRecordError: if it is none, or an object has a field twice.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        RecordReader(where).refuse(f"not JSON: {error}: {text.strip()[:80]!r}")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"field {next(name for name in names if names.count(name) > 1)!r} comes twice")
    return data


def decode_line(line: bytes, where: str) -> str:
    """Return the text of a UTF-8 line.

    :raises InvalidRecordError: if it is not UTF-8.
    """
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        RecordReader(where).refuse(f"not UTF-8 text: {error}")


def list_items(text: str, path: str, first_line: int) -> Iterator[tuple[Any, int]]:
    """Yield the values of a JSON list, each with the line it begins on.

    :raises InvalidRecordError: where the list is broken.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_unique)
    place, line = 0, first_line

    def skip(signs: str) -> str:
        """Move over blanks and one of the signs; return the sign, or nothing if there is none."""
        nonlocal place, line
        while place < len(text) and text[place] in " \t\r\n":
            line += text[place] == "\n"
            place += 1
        if place < len(text) and text[place] in signs:
            place += 1
            return text[place - 1]
        return ""

    skip("[")
    if not skip("]"):
        sign = ","
        while sign == ",":
            skip("")
            try:
                value, end = decoder.raw_decode(text, place)
            except (ValueError, RecursionError) as error:
                reason = error.msg if isinstance(error, json.JSONDecodeError) else error
                RecordReader(f"{path}:{line}").refuse(f"not JSON: {reason}: {text[place : place + 80]!r}")
            yield value, line
            line += text.count("\n", place, end)
            place = end
            sign = skip(",]")
        if not sign:
            RecordReader(f"{path}:{line}").refuse(f"the list is broken: {text[place : place + 80]!r}")
    skip("")
    if place < len(text):
        RecordReader(f"{path}:{line}").refuse(f"more after the end of the list: {text[place : place + 80]!r}")


def holds_no_deal(case: Any) -> bool:
    """Whether this is a worked case of another kind, or a score of given piles or of a last round."""
    if not isinstance(case, dict):
        return False
    if case.get("kind") in ("captures", "match", "deal", "bonus"):
        return True
    data = case.get("input")
    return case.get("kind") == "score" and isinstance(data, dict) and "replay" not in data and bool(data.keys() & {"piles", "play"})


def format_plays(moves: Iterable[Move], deck: str) -> list[dict[str, Any]]:
    """Return the moves as a record has them: one entry a card, with the declaration that came before it, if any (CIR-4)."""
    plays: list[dict[str, Any]] = []
    declare: dict[str, Any] = {}
    for move in moves:
        if move.is_declaration:
            declare = {"declare": {"points": move.points, "matta": rank_letter(move.matta, deck) if move.matta else None}}
            continue
        play: dict[str, Any] = {**declare, "card": format_card(move.card, deck)}
        if move.captured_mask:
            play["take"] = move.captured.names()
        elif move.kind == "to_pile":
            play["to_pile"] = True
        plays.append(play)
        declare = {}
    return [*plays, declare] if declare else plays


def parse_play(play: Any, deck: str) -> Iterator[Move]:
    """Yield the declaration, if any, and the card move of one entry.

    :raises InvalidRecordError: if it has not the documented shape.
    :raises ScopaError: if a card or a rank is none.
    """
    reader = RecordReader(None)
    reader.check_type(play, dict, "a move")
    for name in play:
        if name not in ("declare", "card", "take", "to_pile"):
            reader.refuse(f"unknown field {name!r} in {json.dumps(play)}")
    if not play.keys() & {"declare", "card"}:
        reader.refuse(f"neither a card nor a declaration in {json.dumps(play)}")
    if "declare" in play:
        declare = reader.field(play, "declare", dict)
        if declare.keys() - {"points", "matta"}:
            reader.refuse(f"more than points and matta in {json.dumps(play)}")
        rank = declare.get("matta")
        yield Move.declare(reader.field(declare, "points", int), None if rank is None else rank_value(rank, deck))
    if "card" not in play:
        if len(play) > 1:
            reader.refuse(f"no card in {json.dumps(play)}")
        return
    card = parse_card(reader.field(play, "card", str), deck)
    if "take" in play and "to_pile" in play:
        reader.refuse(f"both take and to_pile in {json.dumps(play)}")
    if "take" in play:
        take = mask_of(parse_card(reader.check_type(name, str, "a card"), deck) for name in reader.field(play, "take", list))
        yield Move.capture(card, take, deck)
    elif "to_pile" in play:
        if play["to_pile"] is not True:
            reader.refuse(f"to_pile can only be true in {json.dumps(play)}")
        yield Move.to_pile(card, deck)
    else:
        yield Move.lay(card, deck)
