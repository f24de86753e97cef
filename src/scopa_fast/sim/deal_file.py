"""Frozen deals: decks in a file of JSON lines with a checksum, so that players of any version can be compared on the same cards."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from ..arguments import RulesLike, check_range, check_rules
from ..cards import format_card, parse_card
from ..core import State, shuffled_deck
from ..errors import InvalidDealsError, InvalidSeedError, ScopaError
from ..position import MASK64
from ..rules import Rules

__all__ = ["FrozenDeals", "InvalidDealsError"]

KIND, FORMAT = "deals", 1


@dataclass(frozen=True)
class FrozenDeals:
    """The decks and dealers of the deals 0, 1, 2, … of a seed, none of them void: they stay as they are, whatever becomes of it."""

    rules: Rules
    seed: int
    dealers: bytes
    """Who deals each."""
    decks: bytes
    """The cards of all decks, one deck after the other, top card first."""

    @classmethod
    def make(cls, rules: RulesLike, deals: int, seed: int, dealer: int | None = None) -> FrozenDeals:
        """Shuffle the first deals of a seed.

        :param dealer: who deals, before any void deal moves it on (DEAL-8): by default the last seat.
        :raises InvalidSeatError: if there is no such dealer.
        :raises InvalidSeedError: if the seed is out of range.
        """
        rules = check_rules(rules)
        check_range(deals, "deals", 1, 1 << 62)
        dealers, decks = bytearray(), bytearray()
        for index in range(deals):
            new = shuffled_deck(rules, seed, index, dealer)
            dealers.append(new.dealer)
            decks.extend(new.deck)
        return cls(rules, seed, bytes(dealers), bytes(decks))

    def __len__(self) -> int:
        return len(self.dealers)

    def deck(self, index: int) -> tuple[int, ...]:
        """Return the cards of a deal, top card first."""
        size = self.rules.cards
        return tuple(self.decks[index * size : (index + 1) * size])

    @cached_property
    def checksum(self) -> str:
        """The SHA-256 of all there is to a file of these deals, in hexadecimal digits."""
        return _checksum(self._about(), self._lines())

    def _about(self) -> dict[str, Any]:
        return {"scopa_fast": KIND, "format": FORMAT, "rules": self.rules.text, "seed": self.seed, "deals": len(self)}

    def _lines(self) -> Iterator[bytes]:
        names = [format_card(card, self.rules.deck) for card in range(self.rules.cards)]
        for index, dealer in enumerate(self.dealers):
            deck = "".join([names[card] for card in self.deck(index)])
            yield json.dumps({"deal": index, "dealer": dealer, "deck": deck}).encode() + b"\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all.

        :raises OSError: if it cannot be written.
        """
        path = Path(path)
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with beside.open("wb") as file:
                file.write(json.dumps(self._about() | {"sha256": self.checksum}).encode() + b"\n")
                file.writelines(self._lines())
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> FrozenDeals:
        """Read a file.

        :raises InvalidDealsError: if it holds no frozen deals, or damaged ones: with file, line and reason.
        :raises OSError: if it cannot be read.
        """
        with Path(path).open("rb") as file:
            head = file.readline(1 << 20)
            reader = _Reader(os.fspath(path))
            about = reader.read_object(head, ("scopa_fast", "format", "rules", "seed", "deals", "sha256"))
            stated = about.pop("sha256")
            if about["scopa_fast"] != KIND or about["format"] != FORMAT:
                reader.refuse(f"no deals of the format {FORMAT}: {head[:80]!r}")
            try:
                rules, count = check_rules(about["rules"]), check_range(about["deals"], "deals", 1, 1 << 62)
                check_range(about["seed"], "seed", 0, MASK64, InvalidSeedError)
            except (TypeError, ValueError) as error:
                reader.refuse(str(error))
            dealers, decks = bytearray(), bytearray()
            # One line more than there should be shows that there are too many.
            for line in islice(file, count + 1):
                reader.line += 1
                if len(dealers) == count:
                    reader.refuse(f"more than the {count} deals that line 1 speaks of")
                dealer, deck = reader.read_deal(line, len(dealers), rules)
                dealers.append(dealer)
                decks.extend(deck)
        if len(dealers) < count:
            reader.refuse(f"the end after {len(dealers)} of {count} deals")
        deals = cls(rules, about["seed"], bytes(dealers), bytes(decks))
        if deals.checksum != stated or about != deals._about():
            reader.line = 1
            reader.refuse(f"damaged: the deals have the checksum {deals.checksum}, not {stated!r}")
        return deals


class _Reader:
    """The line that is read, for messages."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.line = 1

    def refuse(self, reason: str) -> NoReturn:
        raise InvalidDealsError(f"{self.path}:{self.line}: {reason}") from None

    def read_object(self, line: bytes, names: tuple[str, ...]) -> dict[str, Any]:
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict) or tuple(data) != names or not line.endswith(b"\n"):
            self.refuse(f"not a line of JSON with {', '.join(names)}: {line[:80]!r}")
        return data

    def read_deal(self, line: bytes, index: int, rules: Rules) -> tuple[int, list[int]]:
        data = self.read_object(line, ("deal", "dealer", "deck"))
        dealer, names = data["dealer"], data["deck"]
        if data["deal"] != index or type(data["deal"]) is not int:
            self.refuse(f"deal {data['deal']!r} in the place of deal {index}")
        if not isinstance(names, str):
            self.refuse(f"the deck {names!r} is no text")
        try:
            deck = [parse_card(names[place : place + 2], rules.deck) for place in range(0, len(names), 2)]
            State.from_deck(rules, deck, rules.check_seat(dealer, "dealer"))
        except (ScopaError, TypeError) as error:
            self.refuse(str(error))
        return dealer, deck


def _checksum(about: dict[str, Any], lines: Iterator[bytes]) -> str:
    total = hashlib.sha256(json.dumps(about).encode() + b"\n")
    for line in lines:
        total.update(line)
    return total.hexdigest()
