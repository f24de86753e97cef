"""A position as plain values, its one-line text, its key, and the check that play can go on from it.

A :class:`Position` is anything that can be written down; a ``State`` is a position that passed
:func:`check_position`. Cards nobody told us about are counted in ``hidden`` and written ``?``.
The grammar of the text is in ``docs/notation.md``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NoReturn

from .cards import MATTA, cards_of, format_card, format_cards, full_mask, mask_of, parse_cards, rank_letter, rank_value
from .errors import InvalidCardError, InvalidPositionError, InvalidRulesError, UnknownRulesError
from .rules import Rules, parse_rules

__all__ = ["Position", "check_position", "format_position", "in_packet_order", "mix64", "packets_of", "parse_position"]

GOLDEN = 0x9E3779B97F4A7C15
MASK64 = (1 << 64) - 1
MAX_SCOPE = 9999
"""Scopa points a side may end with: far above what a deal can reach."""
MAX_BONUS = 255
"""Declared points a side may end with: far above the 78 of six rounds (CIR-3)."""
MOST_SCOPA = 53
"""The most points of one scopa: all 52 cards with the one played (SCO-4)."""
MOST_DECLARED = 13
"""The most points of one declaration (CIR-3)."""


@dataclass(frozen=True)
class Position:
    """Everything about a position that its future and its score depend on (and the rules it is played by).

    Masks are ints over card indices; ``hands`` is indexed by seat, ``piles``, ``scope`` and ``bonus`` by side.
    """

    rules: Rules
    hands: tuple[int, ...]
    table: int
    piles: tuple[int, ...]
    stock: tuple[int, ...]
    """Undealt cards, packet by packet in the order they will be dealt (dealer+1 first), each packet in index order."""
    scope: tuple[int, ...]
    """Scopa points so far (SCO-4, CIR-7, ESC-1)."""
    bonus: tuple[int, ...]
    """Declared points so far (CIR-1 to CIR-3)."""
    last_capturer: int | None
    """The side that captured last (END-5), or None."""
    seat: int
    """The seat to move; after the last card, the seat that would be next."""
    dealer: int
    matta: int | None = None
    """The rank the 7C was declared as, until it is captured (CIR-6)."""
    exposed: tuple[int, ...] = ()
    """Seats that declared in this round, lowest first; their hands are public (CIR-4)."""
    hidden: tuple[int, ...] = ()
    """Unknown cards of each hand; empty when there are none at all."""
    hidden_stock: int = 0
    """Unknown cards of the stock (then ``stock`` is empty)."""

    @property
    def is_complete(self) -> bool:
        """Whether every card is known."""
        return not any(self.hidden) and not self.hidden_stock

    def hand_size(self, seat: int) -> int:
        """Return the number of cards in a hand, known or not."""
        return self.hands[seat].bit_count() + (self.hidden[seat] if self.hidden else 0)

    @property
    def stock_size(self) -> int:
        """Cards still to be dealt."""
        return len(self.stock) + self.hidden_stock

    @property
    def unseen_mask(self) -> int:
        """The cards of the pack that are nowhere in this position."""
        known = self.table | mask_of(self.stock)
        for mask in (*self.hands, *self.piles):
            known |= mask
        return full_mask(self.rules.deck) & ~known

    def seen_by(self, seat: int) -> Position:
        """Return what one seat knows (PLAY-6, CIR-4): other hands and the stock become counts, exposed hands stay."""
        self.rules.check_seat(seat)
        keep = {seat, *self.exposed}
        return replace(
            self,
            hands=tuple(hand if q in keep else 0 for q, hand in enumerate(self.hands)),
            hidden=tuple(0 if q in keep else self.hand_size(q) for q in range(self.rules.seats)),
            stock=(),
            hidden_stock=self.stock_size,
        )

    @property
    def key(self) -> int:
        """A 64-bit hash of every field and option, equal for equal positions on every platform (docs/notation.md)."""
        key = self.rules.key
        for seat, hand in enumerate(self.hands):
            key ^= _term(1 + seat, hand)
        key ^= _term(9, self.table)
        for side, pile in enumerate(self.piles):
            key ^= _term(10 + side, pile) ^ _term(18 + side, self.scope[side] | self.bonus[side] << 16)
        last = 0 if self.last_capturer is None else self.last_capturer + 1
        key ^= _term(26, self.seat | self.dealer << 8 | last << 16 | (self.matta or 0) << 24 | mask_of(self.exposed) << 32)
        for place, packet in enumerate(reversed(packets_of(self.rules, self.stock))):
            key ^= _term(32 + place, packet)
        for seat, count in enumerate(self.hidden):
            key ^= _term(160 + seat, count) if count else 0
        return key ^ (_term(168, self.hidden_stock) if self.hidden_stock else 0)

    def __str__(self) -> str:
        return format_position(self)


def mix64(value: int) -> int:
    """Return the SplitMix64 finaliser of a 64-bit value (a bijection)."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK64
    return value ^ value >> 31


def _term(slot: int, value: int) -> int:
    return mix64(slot * GOLDEN + value & MASK64)


def packets_of(rules: Rules, stock: tuple[int, ...]) -> list[int]:
    """Return the masks of the packets a stock will be dealt in, the next one first."""
    return [mask_of(stock[i : i + rules.hand]) for i in range(0, len(stock), rules.hand)]


# Text.

_FIELDS = ("hands", "table", "piles", "stock", "scope", "bonus", "last", "seat", "dealer", "matta", "exposed")


def format_position(position: Position) -> str:
    """Return the one-line text of a position (docs/notation.md)."""
    rules, deck = position.rules, position.rules.deck
    hidden = position.hidden or (0,) * rules.seats
    hands = "/".join(_known(hand, deck) + "?" * unknown or "-" for hand, unknown in zip(position.hands, hidden, strict=True))
    words = [
        rules.text,
        f"hands={hands}",
        f"table={format_cards(position.table, deck)}",
        f"piles={'/'.join(format_cards(pile, deck) for pile in position.piles)}",
    ]
    if position.stock_size:
        words.append("stock=" + "".join(format_card(card, deck) for card in position.stock) + "?" * position.hidden_stock)
    if any(position.scope):
        words.append(f"scope={'/'.join(map(str, position.scope))}")
    if any(position.bonus):
        words.append(f"bonus={'/'.join(map(str, position.bonus))}")
    if position.last_capturer is not None:
        words.append(f"last={position.last_capturer}")
    words += [f"seat={position.seat}", f"dealer={position.dealer}"]
    if position.matta is not None:
        words.append(f"matta={rank_letter(position.matta, deck)}")
    if position.exposed:
        words.append(f"exposed={'/'.join(map(str, position.exposed))}")
    return " ".join(words)


def _known(mask: int, deck: str) -> str:
    return format_cards(mask, deck) if mask else ""


def parse_position(text: str) -> Position:
    """Return the position of a text (docs/notation.md), whose fields may come in any order.

    Only the form is checked: :func:`check_position` says whether it can be played.

    :raises InvalidPositionError: if the text does not follow the grammar.
    """
    if not isinstance(text, str):
        raise TypeError(f"a position text must be a str, not {type(text).__name__}: {text!r}")

    def refuse(reason: object) -> NoReturn:
        raise InvalidPositionError(f"{reason} in the position {text!r}") from None

    words = text.split()
    if not words:
        refuse("nothing")
    try:
        rules = parse_rules(words[0])
    except (UnknownRulesError, InvalidRulesError, TypeError) as error:
        refuse(error)
    fields: dict[str, str] = {}
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if not equals or name not in _FIELDS:
            refuse(f"no field {word!r} (one of {', '.join(_FIELDS)})")
        if name in fields:
            refuse(f"field {name!r} twice")
        fields[name] = value
    for name in ("hands", "table", "piles", "seat", "dealer"):
        if name not in fields:
            refuse(f"no {name}=")

    def numbers(name: str, count: int) -> tuple[int, ...]:
        parts = fields[name].split("/") if name in fields else ["0"] * count
        if len(parts) != count or not all(re.fullmatch(r"[0-9]{1,4}", part) for part in parts):
            refuse(f"{name}={fields[name]}: not {count} number(s) joined by '/'")
        return tuple(int(part) for part in parts)

    def cards(value: str) -> list[int]:
        try:
            return parse_cards(value, rules.deck)
        except InvalidCardError as error:
            refuse(error)

    def groups(name: str, count: int, what: str) -> list[str]:
        parts = fields[name].split("/")
        if len(parts) != count:
            refuse(f"{name}={fields[name]}: {len(parts)} groups of cards for {count} {what}")
        return parts

    hands, hidden = [], []
    for part in groups("hands", rules.seats, "seats"):
        known = part.rstrip("?")
        hidden.append(len(part) - len(known))
        hands.append(mask_of(cards(known)))
    piles = tuple(mask_of(cards(part)) for part in groups("piles", len(rules.sides), "sides"))
    stock_text = fields.get("stock", "-")
    stock = cards(stock_text.rstrip("?"))
    hidden_stock = len(stock_text) - len(stock_text.rstrip("?"))
    if stock and hidden_stock:
        refuse(f"stock={stock_text}: known and unknown cards mixed")
    matta = None
    if "matta" in fields:
        try:
            matta = rank_value(fields["matta"], rules.deck)
        except InvalidCardError as error:
            refuse(error)
    last = None if fields.get("last", "-") == "-" else numbers("last", 1)[0]
    exposed = () if fields.get("exposed", "-") == "-" else numbers("exposed", fields["exposed"].count("/") + 1)
    return Position(
        rules=rules,
        hands=tuple(hands),
        table=mask_of(cards(fields["table"])),
        piles=piles,
        stock=in_packet_order(rules, stock),
        scope=numbers("scope", len(rules.sides)),
        bonus=numbers("bonus", len(rules.sides)),
        last_capturer=last,
        seat=numbers("seat", 1)[0],
        dealer=numbers("dealer", 1)[0],
        matta=matta,
        exposed=tuple(sorted(exposed)),
        hidden=tuple(hidden) if any(hidden) or hidden_stock else (),
        hidden_stock=hidden_stock,
    )


def in_packet_order(rules: Rules, stock: list[int]) -> tuple[int, ...]:
    """Return a stock with each of its packets in index order."""
    return tuple(card for i in range(0, len(stock), rules.hand) for card in sorted(stock[i : i + rules.hand]))


# Meaning.


def check_position(position: Position, *, complete: bool = True) -> Position:
    """Return a position unchanged if a deal can go on (or end) from it.

    :param complete: refuse unknown cards.
    :raises InvalidPositionError: quoting what is wrong and the position.
    """
    rules, deck = position.rules, position.rules.deck
    seats, sides = rules.seats, len(rules.sides)
    _check_types(position)

    def refuse(reason: str) -> NoReturn:
        raise InvalidPositionError(f"{reason} in the position '{_try_format(position)}'")

    for name, count, what in (("hands", seats, "seats"), ("piles", sides, "sides"), ("scope", sides, "sides"), ("bonus", sides, "sides")):
        if len(getattr(position, name)) != count:
            refuse(f"{len(getattr(position, name))} {name} for {count} {what}")
    if position.hidden and len(position.hidden) != seats:
        refuse(f"{len(position.hidden)} counts of unknown cards for {seats} seats")
    if not all(0 <= q < seats for q in (position.seat, position.dealer, *position.exposed)):
        refuse(f"a seat outside 0..{seats - 1} (SEAT-1)")
    if position.last_capturer is not None and not 0 <= position.last_capturer < sides:
        refuse(f"last={position.last_capturer} is no side of 0..{sides - 1} (SEAT-2)")
    if complete and not position.is_complete:
        refuse("unknown cards ('?'): only a SeatView has them")

    # Every card of the pack, once.
    seen = 0
    places = [(f"hand {q}", hand) for q, hand in enumerate(position.hands)] + [("the table", position.table)]
    places += [(f"pile {side}", pile) for side, pile in enumerate(position.piles)]
    places += [("the stock", 1 << card) for card in position.stock]
    for place, mask in places:
        if mask & ~full_mask(deck):
            refuse(f"a card outside {deck} in {place}")
        if seen & mask:
            refuse(f"{format_card(cards_of(seen & mask)[0], deck)} comes twice, again in {place}")
        seen |= mask
    unknown = sum(position.hidden) + position.hidden_stock
    missing = cards_of(full_mask(deck) & ~seen)
    if len(missing) != unknown:
        names = " ".join(format_card(card, deck) for card in missing) or "none"
        refuse(f"{len(missing)} cards missing for {unknown} unknown ones (missing: {names})")

    # Whose turn it is follows from the hand sizes: one card a turn, the dealer last (PLAY-5, SEAT-4).
    if position.stock_size % (seats * rules.hand):
        refuse(f"a stock of {position.stock_size} cards does not deal out to {seats} hands of {rules.hand} (DEAL-2)")
    turn = (position.seat - position.dealer - 1) % seats
    size = position.hand_size(position.seat)
    for order in range(seats):
        q = (position.dealer + 1 + order) % seats
        expected = size - (order < turn)
        if position.hand_size(q) != expected:
            refuse(f"seat {q} holds {position.hand_size(q)} cards, not {expected}, when seat {position.seat} is to move (PLAY-5)")
    if size > rules.hand:
        refuse(f"a hand of {size} cards, more than {rules.hand} (DEAL-1)")
    if size == 0:
        if turn or position.stock_size:
            refuse("empty hands before the end of the deal (DEAL-2)")
        if position.table and position.last_capturer is not None:
            refuse("cards left on the table after the deal (END-2)")
    if sum(position.hand_size(q) for q in range(seats)) + position.stock_size > rules.plays:
        refuse(f"more than {rules.plays} cards to play (DEAL-5)")

    # Points so far. A limit holds for all that can still be won, too, so that every later position can be written down.
    plays_left = sum(position.hand_size(q) for q in range(seats)) + position.stock_size
    rounds_left = position.stock_size // (seats * rules.hand)
    for side, team in enumerate(rules.sides):
        if not 0 <= position.scope[side] <= MAX_SCOPE - MOST_SCOPA * plays_left:
            refuse(f"{position.scope[side]} scopa points of side {side} (SCO-4)")
        hands_left = rounds_left * len(team) + sum(q not in position.exposed for q in team)
        most = MAX_BONUS - MOST_DECLARED * hands_left if rules.hand_bonus else 0
        if not 0 <= position.bonus[side] <= most:
            refuse(f"{position.bonus[side]} declared points of side {side} (CIR-1, CIR-2)")

    # Declarations (CIR-4 to CIR-6).
    if position.exposed and not (rules.hand_bonus and rules.hand == 3):
        refuse("an exposed hand in a game without declarations (CIR-4)")
    if len(set(position.exposed)) != len(position.exposed):
        refuse("a seat exposed twice (CIR-4)")
    if size == rules.hand and any((q - position.dealer - 1) % seats > turn for q in position.exposed):
        refuse("a hand exposed before its seat's turn (CIR-4)")
    if position.matta is not None:
        if not (rules.hand_bonus and rules.matta):
            refuse("a declared 7C in a game without it (CIR-5)")
        if not 1 <= position.matta <= 10:
            refuse(f"the 7C declared as rank {position.matta} (CIR-5)")
        holders = [q for q, hand in enumerate(position.hands) if hand >> MATTA & 1]
        if not position.table >> MATTA & 1 and not (holders and holders[0] in position.exposed):
            refuse("a declared 7C that is neither on the table nor in an exposed hand (CIR-6)")
    return position


def _check_types(position: Position) -> None:
    """Refuse anything but ints where ints belong."""
    numbers: list[object] = [position.table, position.seat, position.dealer, position.hidden_stock]
    numbers += [number for number in (position.last_capturer, position.matta) if number is not None]
    for name in ("hands", "piles", "stock", "scope", "bonus", "exposed", "hidden"):
        numbers += getattr(position, name)
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int):
            raise TypeError(f"a position is made of ints, not {type(number).__name__}: {number!r} in {position!r}")


def _try_format(position: Position) -> str:
    try:
        return format_position(position)
    except (ValueError, IndexError):
        return repr(position)
