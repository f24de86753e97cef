"""The checks of arguments that both engines make at their doors, with one text for each refusal. No rules in here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

from .cards import CardSet, check_card, format_card
from .errors import InvalidCardError, InvalidDeckError, InvalidSeatError, InvalidSeedError, UnsolvableRulesError
from .rules import Rules, parse_rules

__all__ = [
    "MAX_MEGABYTES",
    "MAX_NODES",
    "MAX_THREADS",
    "DeclarationPolicy",
    "Policy",
    "RulesLike",
    "check_card_and_table",
    "check_dealer",
    "check_deck",
    "check_int",
    "check_matta",
    "check_megabytes",
    "check_nodes",
    "check_number",
    "check_out",
    "check_path",
    "check_playouts",
    "check_progress",
    "check_range",
    "check_rules",
    "check_seconds",
    "check_sides",
    "check_temperature",
    "check_threads",
    "check_two_sides",
    "check_word",
    "fresh_seed",
]

MAX_MEGABYTES = 1 << 24
MAX_NODES = (1 << 62) - 1
MAX_THREADS = 1024

RulesLike = Rules | str
"""What every function takes for rules: the rules, or a text for :func:`parse_rules`."""
Policy = Literal["uniform", "card_first"]
DeclarationPolicy = Literal["never", "always", "uniform"]


def check_int(value: object, name: str) -> int:
    """Return an int unchanged.

    :raises TypeError: on anything else, a bool included.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}: {value!r}")
    return value if type(value) is int else int.__pos__(value)  # a plain one, whatever a subclass makes of comparisons


def check_range(value: object, name: str, low: int, high: int, error: type[ValueError] = ValueError) -> int:
    """Return an int of ``low`` .. ``high`` unchanged.

    :raises ValueError: (or the class given) if it is outside.
    """
    number = check_int(value, name)
    if not low <= number <= high:
        raise error(f"{name} {number} is outside {low}..{_power(high)}")
    return number


def _power(number: int) -> str:
    """Write a large bound as a power of two."""
    if number >= 1 << 31:
        if number & (number - 1) == 0:
            return f"2**{number.bit_length() - 1}"
        if number & (number + 1) == 0:
            return f"2**{number.bit_length()}-1"
    return str(number)


def check_rules(rules: RulesLike) -> Rules:
    """Return the rules that were given, as such or as a text.

    :raises UnknownRulesError: if the text names no preset.
    :raises InvalidRulesError: if the text is broken.
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, str):
        return parse_rules(rules)
    raise TypeError(f"rules must be Rules or str, not {type(rules).__name__}: {rules!r}")


def check_dealer(rules: Rules, dealer: int | None) -> int:
    """Return the dealer, the last seat if none was given.

    :raises InvalidSeatError: if the game has no such seat.
    """
    return rules.seats - 1 if dealer is None else rules.check_seat(dealer, "dealer")


def check_matta(rules: Rules, matta: int | None) -> int | None:
    """Return the rank of a declared 7C unchanged.

    :raises InvalidCardError: if it is outside 1..10, or the pack is fr52, which has no declarations (CIR-6, OPT-2).
    """
    if matta is not None and (not 1 <= check_int(matta, "matta") <= 10 or rules.deck == "fr52"):
        raise InvalidCardError(f"matta must be a rank 1..10 (CIR-6), not {matta}")
    return matta


def check_card_and_table(rules: Rules, card: int, table: Iterable[int]) -> int:
    """Return the mask of a table if it and the played card are different cards of the pack.

    :raises InvalidCardError: if not.
    """
    seen = 1 << check_card(card, rules.deck)
    for other in table:
        bit = 1 << check_card(other, rules.deck)
        if seen & bit:
            raise InvalidCardError(f"card {format_card(other, rules.deck)} comes twice")
        seen |= bit
    return seen ^ 1 << card


def check_deck(rules: Rules, deck: Iterable[int]) -> list[int]:
    """Return a deck as a list if it holds every card of the pack once.

    :raises InvalidDeckError: if it does not.
    """
    if isinstance(deck, (str, bytes)) or not isinstance(deck, Iterable):
        raise TypeError(f"a deck must be a sequence of ints, not {type(deck).__name__}: {deck!r}")
    cards = list(deck)
    seen = set()
    for card in cards:
        try:
            check_card(card, rules.deck)
        except InvalidCardError as error:
            raise InvalidDeckError(f"{error} in the deck {cards}") from None
        if card in seen:
            raise InvalidDeckError(f"{format_card(card, rules.deck)} comes twice in the deck {cards}")
        seen.add(card)
    if len(cards) != rules.cards:
        raise InvalidDeckError(f"{len(cards)} cards, not {rules.cards}, in the deck {cards}")
    return cards


def check_sides(rules: Rules, piles: Sequence[int], scope: Sequence[int] | None, bonus: Sequence[int] | None, unclaimed: int) -> CardSet:
    """Check the arguments of ``score_piles``; return the unclaimed cards as a set.

    :raises InvalidCardError: if a card is outside the pack or in two places.
    :raises InvalidSeatError: if there is not one entry for each side.
    """
    sides = len(rules.sides)
    for name, values in (("piles", piles), ("scope", scope), ("bonus", bonus)):
        if values is not None and len(values) != sides:
            raise InvalidSeatError(f"{len(values)} {name} for {sides} sides in {rules.text} (SEAT-2)")
    for name, values in (("scope", scope), ("bonus", bonus)):
        for points in values or ():
            check_range(points, name, 0, 10**6)
    seen = 0
    for mask in (*piles, unclaimed):
        cards = CardSet(mask, rules.deck)
        if seen & mask:
            twice = CardSet(seen & mask, rules.deck)
            raise InvalidCardError(f"{twice} in two places")
        seen |= mask
    return cards


def fresh_seed() -> int:
    """Return 64 random bits of the operating system."""
    return int.from_bytes(os.urandom(8), "little")


def check_playouts(
    rules: Rules, is_state: bool, n: int, policy: str, declarations: str, dealer: int | str | None, first: int, threads: int
) -> None:
    """Check the arguments of ``playouts``.

    :raises ValueError: on a bad n, policy, declarations or threads, or a dealer besides a state.
    :raises InvalidSeedError: if ``first`` is out of range.
    :raises InvalidSeatError: if there is no such dealer.
    """
    check_range(n, "n", 0, 2**62)
    check_threads(threads)
    check_range(first, "first", 0, 2**63 - n, InvalidSeedError)
    check_word(policy, "policy", get_args(Policy))
    check_word(declarations, "declarations", get_args(DeclarationPolicy))
    if dealer is not None and is_state:
        raise ValueError(f"dealer={dealer!r} goes with rules, not with a state")
    if dealer is not None and dealer != "rotate":
        rules.check_seat(dealer, "dealer")  # type: ignore[arg-type]  # refuses any other word, too


def check_word(word: str, name: str, words: tuple[str, ...]) -> None:
    """Refuse a word that is none of those allowed.

    :raises ValueError: if it is another.
    """
    if not isinstance(word, str):
        raise TypeError(f"{name} must be a str, not {type(word).__name__}: {word!r}")
    if word not in words:
        raise ValueError(f"{name} must be one of {', '.join(words)}, not {word!r}")


def check_out(out: Any, n: int, sides: int) -> None:
    """Check the array of ``playouts``.

    :raises TypeError: if it is no array.
    :raises ValueError: if it is not a writeable, contiguous int32 array of shape (n, sides).
    """
    if out is None:
        return
    if not all(hasattr(out, name) for name in ("shape", "dtype", "flags")):
        raise TypeError(f"out must be an int32 array, not {type(out).__name__}")
    if tuple(out.shape) != (n, sides) or str(out.dtype) != "int32":
        raise ValueError(f"out must be an int32 array of shape ({n}, {sides}), not {out.dtype} of shape {tuple(out.shape)}")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise ValueError("out must be a contiguous array that can be written to")


def check_seconds(seconds: object) -> float:
    """Return a limit in seconds as a float.

    :raises ValueError: if it is negative or not a number.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise TypeError(f"seconds must be a number, not {type(seconds).__name__}: {seconds!r}")
    if not seconds >= 0:
        raise ValueError(f"seconds {seconds} is not 0 or more")
    return float(min(seconds, 10**12))


def check_path(path: object, name: str) -> str | os.PathLike[str]:
    """Return a path unchanged.

    :raises ValueError: if it is empty, which would mean the folder at hand.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{name} must be a path, not {type(path).__name__}: {path!r}")
    if path == "" or "\0" in os.fsdecode(path):
        raise ValueError(f"{name} {path!r} names no file")
    return path


def check_number(number: object, name: str, most: float) -> float:
    """Return a number of 0 to ``most`` as a float.

    :raises ValueError: if it is outside.
    """
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise TypeError(f"{name} must be a number, not {type(number).__name__}: {number!r}")
    if not 0 <= number <= most:
        raise ValueError(f"{name} {number} is outside 0..{most}")
    return float(number)


def check_temperature(temperature: object) -> float:
    """Return the temperature of a belief as a float.

    :raises ValueError: if it is not above 0, or absurd.
    """
    if not check_number(temperature, "temperature", 1e9):
        raise ValueError(f"temperature {temperature} is not above 0")
    return float(temperature)  # type: ignore[arg-type]


def check_threads(threads: object) -> int:
    """Return a number of threads unchanged.

    :raises ValueError: if it is not 1 or more, or absurd.
    """
    return check_range(threads, "threads", 1, MAX_THREADS)


def check_megabytes(megabytes: object) -> int:
    """Return the size of a table unchanged.

    :raises ValueError: if it is negative or absurd.
    """
    return check_range(megabytes, "megabytes", 0, MAX_MEGABYTES)


def check_nodes(nodes: object) -> int:
    """Return a limit of searched positions unchanged.

    :raises ValueError: if it is not 1 or more, or absurd.
    """
    return check_range(nodes, "nodes", 1, MAX_NODES)


def check_progress(progress: object) -> None:
    """Refuse what cannot be called."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be callable, not {type(progress).__name__}: {progress!r}")


def check_two_sides(rules: Rules) -> None:
    """Refuse rules for which the exact solver has no values.

    :raises UnsolvableRulesError: if they have more than two sides (SEAT-2).
    """
    if len(rules.sides) != 2:
        raise UnsolvableRulesError(f"{rules.text} has {len(rules.sides)} sides: only two have a value (SEAT-2)")
