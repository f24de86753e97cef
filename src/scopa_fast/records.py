"""Game records: a deal as its deck and its moves, one JSON object a line (docs/notation.md has the schema).

A record is a whole ``replay`` case (docs/rules.md, section 15) that also says who played, under which seed, and the
score of the match before the deal. History lives here and not in a state: a record can rebuild every state of its deal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, TextIO

from .arguments import RulesLike, check_range, check_rules
from .cards import cards_of, format_card, parse_card
from .errors import InvalidSeatError, InvalidSeedError, ScopaError
from .match import per_side
from .moves import Move
from .position import MASK64
from .protocol import DealState
from .record_json import RecordReader, decode_line, format_plays, holds_no_deal, list_items, load_json, parse_play
from .results import ITEMS
from .rules import Rules, find_rules

__all__ = ["RECORD_VERSION", "Record", "write_records"]

RECORD_VERSION = 1

FIELDS = (
    "version", "id", "kind", "preset", "options", "seed", "deal", "players", "scores_before",
    "input", "expected", "rules", "source", "note",
)
"""The fields of a record, in the order they are written."""
EXPECTED = (
    "table_bonus", "legal_counts", "piles", "scope", "unclaimed", "last_capture", "points", "total", "coins", "cappotto", "perft",
)
"""What a record may state about its deal. All but ``perft`` is written, as far as the deal has gone."""


class Record:
    """One deal from the deck on: the rules, who dealt, and every move so far, each checked by playing it.

    Get it from an engine (``scopa_fast.Record``), which sets the class of its states::

        new = shuffled_deck("scopa", seed=1)
        record = Record("scopa", new.deck, new.dealer, seed=1, players=("Ada", "Ugo"))
        record.append(record.final_state().legal_moves()[0])
        line = record.to_json()

    :param rules: a :class:`Rules` or its text.
    :param deck: every card of the pack once, the top one first.
    :param dealer: the seat that really dealt, after any void deals.
    :param moves: the moves so far, declarations included.
    :param seed: the seed the deck came from; like ``index``, a label that is not checked against the deck.
    :param index: the number of the deal under the seed.
    :param players: a name for each seat.
    :param scores_before: match points of each side before the deal.
    :param id: a name for messages, by default made from the seed.
    :raises InvalidDeckError: if the deck is not the whole pack.
    :raises VoidDealError: if the deal is void (DEAL-6, DEAL-7).
    :raises InvalidSeatError: if there is no such dealer, or not one name for each seat or score for each side.
    :raises InvalidSeedError: if the seed or the index is out of range.
    :raises IllegalMoveError: if a move is not legal.
    """

    state_class: ClassVar[type[DealState]]
    __hash__ = None  # type: ignore[assignment]  # a record grows

    def __init__(
        self,
        rules: RulesLike,
        deck: Iterable[int],
        dealer: int,
        moves: Iterable[int] = (),
        *,
        seed: int | None = None,
        index: int | None = None,
        players: Sequence[str] | None = None,
        scores_before: Sequence[int] | None = None,
        id: str | None = None,
        note: str = "",
    ) -> None:
        self._rules = check_rules(rules)
        self._deck = tuple(deck)
        self._dealer = self._rules.check_seat(dealer, "dealer")
        self._seed = None if seed is None else check_range(seed, "seed", 0, MASK64, InvalidSeedError)
        self._index = None if index is None else check_range(index, "index", 0, 1 << 63, InvalidSeedError)
        self._players = None if players is None else _names(self._rules, players)
        self._scores_before = None if scores_before is None else per_side(self._rules, scores_before, "scores_before")
        self._id = ("REPLAY" if seed is None else f"REPLAY-{seed}-{index or 0}") if id is None else _text(id, "id")
        self._note = _text(note, "note")
        self._state = self.state_class.from_deck(self._rules, self._deck, self._dealer)
        self._table_bonus = self._state.scope[self._rules.side_of[self._dealer]]
        self._moves: list[Move] = []
        self._legal_counts: list[int] = []
        for move in moves:
            self.append(move)

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._rules

    @property
    def deck(self) -> tuple[int, ...]:
        """All cards, the top one first."""
        return self._deck

    @property
    def dealer(self) -> int:
        """The seat that dealt."""
        return self._dealer

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves so far, declarations included."""
        return tuple(self._moves)

    @property
    def seed(self) -> int | None:
        """The seed the deck came from, if it is told."""
        return self._seed

    @property
    def index(self) -> int | None:
        """The number of the deal under the seed, if it is told."""
        return self._index

    @property
    def players(self) -> tuple[str, ...] | None:
        """The name of the player in each seat, if they are told."""
        return self._players

    @property
    def scores_before(self) -> tuple[int, ...] | None:
        """Match points of each side before the deal, None outside a match."""
        return self._scores_before

    @property
    def id(self) -> str:
        """A name for messages."""
        return self._id

    @property
    def note(self) -> str:
        """A remark."""
        return self._note

    # Moves and states.

    def append(self, move: int) -> None:
        """Play a move or packed int and keep it.

        :raises IllegalMoveError: if it is not legal; the record stays as it was.
        """
        move = Move(move)
        # Counted after the seat's declaration, before its card (docs/rules.md section 15).
        count = None if move.is_declaration else self._state.card_move_count()
        self._state.play(move)
        self._moves.append(move)
        if count is not None:
            self._legal_counts.append(count)

    def states(self) -> Iterator[DealState]:
        """Yield a state of its own before each move, and after the last."""
        state = self._first_state()
        for move in self._moves:
            yield state.clone()
            state.play(move)
        yield state

    def final_state(self) -> DealState:
        """Return the state after the last move so far."""
        return self._state.clone()

    def _first_state(self) -> DealState:
        return self.state_class.from_deck(self._rules, self._deck, self._dealer)

    @property
    def expected(self) -> dict[str, Any]:
        """What the moves lead to, as the ``expected`` of a case; an unfinished deal has only the first two entries."""
        state, sides = self._state, range(len(self._rules.sides))
        expected: dict[str, Any] = {"table_bonus": self._table_bonus, "legal_counts": list(self._legal_counts)}
        if state.is_terminal():
            score = state.score()
            expected |= {
                "piles": [self._card_names(state.pile_mask(side)) for side in sides],
                "scope": list(state.scope),
                "unclaimed": self._card_names(state.table_mask),
                "last_capture": state.last_capturer,
                "points": {item: list(score.points[item]) for item in ITEMS},
                "total": list(score.total),
                "coins": list(score.coins),
                "cappotto": score.cappotto,
            }
        return expected

    def _card_names(self, mask: int) -> list[str]:
        return [format_card(card, self._rules.deck) for card in cards_of(mask)]

    # Text.

    def to_json(self) -> str:
        """Return the record as one line of JSON, without the line end."""
        replay = {
            "deck": [format_card(card, self._rules.deck) for card in self._deck],
            "dealer": self._dealer,
            "moves": format_plays(self._moves, self._rules.deck),
        }
        values: dict[str, Any] = {
            "version": RECORD_VERSION, "id": self._id, "kind": "score", "preset": self._rules.name, "options": self._rules.overrides(),
            "seed": self._seed, "deal": self._index, "players": self._players, "scores_before": self._scores_before,
            "input": {"replay": replay}, "expected": self.expected, "rules": [], "source": "game", "note": self._note,
        }
        return json.dumps({name: value for name, value in values.items() if value is not None})

    @classmethod
    def from_json(cls, text: str, where: str | None = None) -> Self:
        """Return the record of a JSON object, every move and everything it states checked by playing it.

        :param where: file and line, for the message.
        :raises InvalidRecordError: on broken JSON, a missing or unknown field, a wrong deck, an illegal move, or an ``expected``
            that is not what the moves lead to.
        """
        if not isinstance(text, str):
            raise TypeError(f"a record must be a str, not {type(text).__name__}: {text!r}")
        return cls._from_data(load_json(text, where), where)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Iterator[Self]:
        """Yield the records of a file: an object a line, or one JSON list of worked cases.

        Cases of a list that hold no whole deal are passed over.

        :raises InvalidRecordError: at the first bad record, with file, line and reason.
        :raises OSError: if the file cannot be read.
        """
        with Path(path).open("rb") as file:
            begun = False
            for number, line in enumerate(file, 1):
                where = f"{os.fspath(path)}:{number}"
                text = decode_line(line, where)
                if not text.strip():
                    continue
                if not begun and text.lstrip().startswith("["):
                    rest = decode_line(file.read(), where)
                    for data, line_number in list_items(text + rest, os.fspath(path), number):
                        if not holds_no_deal(data):
                            yield cls._from_data(data, f"{os.fspath(path)}:{line_number}")
                    return
                begun = True
                yield cls.from_json(text, where)

    @classmethod
    def _from_data(cls, data: Any, where: str | None) -> Self:
        reader = RecordReader(where)
        reader.check_type(data, dict, "a record")
        reader.where = f"{where}: {data['id']}" if where and isinstance(data.get("id"), str) else where
        unknown = [name for name in data if name not in FIELDS]
        if unknown:
            reader.refuse(f"unknown field {unknown[0]!r}")
        version = data.get("version", RECORD_VERSION)
        if type(version) is not int or version != RECORD_VERSION:
            reader.refuse(f"version {version!r}: this library reads version {RECORD_VERSION}")
        if data.get("kind", "score") != "score":
            reader.refuse(f"kind {data['kind']!r}: a record is a case of the kind 'score'")
        preset, options = reader.field(data, "preset", str), reader.field(data, "options", dict, {})
        for name in ("players", "scores_before"):
            if data.get(name) is not None:
                reader.check_type(data[name], list, name)
        replay = reader.field(reader.field(data, "input", dict), "replay", dict)
        for name in replay:
            if name not in ("deck", "dealer", "moves"):
                reader.refuse(f"unknown field {name!r} of the replay")
        try:
            rules = find_rules(preset, **options)
            record = cls(
                rules,
                [parse_card(reader.check_type(name, str, "a card"), rules.deck) for name in reader.field(replay, "deck", list)],
                reader.field(replay, "dealer", int),
                **{name: data[field] for name, field in _LABELS.items() if data.get(field) is not None},
            )
        except (ScopaError, TypeError) as error:
            reader.refuse(str(error))
        for number, play in enumerate(reader.field(replay, "moves", list), 1):
            try:
                for move in parse_play(play, rules.deck):
                    record.append(move)
            except (ScopaError, TypeError) as error:
                reader.refuse(f"move {number}: {error}")
            if "card" not in play and number < len(replay["moves"]):
                reader.refuse(f"move {number}: a declaration without a card, which only the last move may be: {json.dumps(play)}")
        record._check_expected(reader.field(data, "expected", dict, {}), reader)
        return record

    def _check_expected(self, stated: dict[str, Any], reader: RecordReader) -> None:
        """Refuse what is stated of the deal and is not so; what is not stated is not tested."""
        actual = self.expected
        for name, value in stated.items():
            if name == "perft":
                first = self._first_state()
                for depth, count in enumerate(reader.field(stated, "perft", list), 1):
                    if (found := first.perft(depth)) != count:
                        reader.refuse(f"expected perft({depth}) of {json.dumps(count)}, but it is {found}")
            elif name not in EXPECTED:
                reader.refuse(f"unknown entry {name!r} of expected: one of {', '.join(EXPECTED)}")
            elif name not in actual:
                reader.refuse(f"expected {name} of a deal that is not over: {self._state.plays_left} cards to play in '{self._state}'")
            elif name == "points":
                for item, points in reader.field(stated, "points", dict).items():
                    if item not in ITEMS:
                        reader.refuse(f"unknown item {item!r} of the points: one of {', '.join(ITEMS)}")
                    reader.compare(f"points of {item}", points, actual["points"][item])
            else:
                reader.compare(name, value, actual[name])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return self.to_json() == other.to_json()

    def __repr__(self) -> str:
        return f"{type(self).__name__}.from_json({self.to_json()!r})"


_LABELS = {"seed": "seed", "index": "deal", "players": "players", "scores_before": "scores_before", "id": "id", "note": "note"}
"""The arguments of :class:`Record` that a JSON field of mostly the same name gives."""


def write_records(path_or_file: str | os.PathLike[str] | TextIO, records: Iterable[Record]) -> int:
    """Write records to a new file or an open text file, one JSON object a line, and return how many.

    :raises OSError: if the file cannot be written.
    """
    if isinstance(path_or_file, (str, os.PathLike)):
        with Path(path_or_file).open("w", encoding="utf-8", newline="\n") as file:
            return write_records(file, records)
    count = 0
    for record in records:
        path_or_file.write(record.to_json() + "\n")
        count += 1
    return count


def _text(value: str, what: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, not {type(value).__name__}: {value!r}")
    return value


def _names(rules: Rules, players: Sequence[str]) -> tuple[str, ...]:
    if isinstance(players, str):
        raise TypeError(f"players must be a name for each seat, not one str: {players!r}")
    names = tuple(_text(name, "a player's name") for name in players)
    if len(names) != rules.seats:
        raise InvalidSeatError(f"{len(names)} players for the {rules.seats} seats of {rules.text} (SEAT-1): {names}")
    return names
