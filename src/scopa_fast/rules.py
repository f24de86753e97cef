"""Rulesets as data: one field of :class:`Rules` for each option, the 27 presets, and their texts.

Engines branch on an option, never on a preset's name. The options, their rule ids and the sources
behind every choice are in ``docs/rules.md``.
"""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .cards import pack_size
from .errors import InvalidRulesError, InvalidSeatError, UnknownRulesError

__all__ = ["OPTIONS", "PRESETS", "TITLES", "Option", "Rules", "find_rules", "format_option", "parse_option", "parse_rules"]


@dataclass(frozen=True)
class Option:
    """What one option may be: its default, its values (a tuple, or a range of ints), and its rule ids."""

    name: str
    default: Any
    values: tuple[Any, ...] | range
    ids: str
    meaning: str

    def allows(self, value: Any) -> bool:
        """Whether a value of the right type is in the option's list (OPT-1)."""
        return value in self.values

    def describe(self) -> str:
        """Return the allowed values as a person would write them."""
        if self.name == "teams":
            return "null, or equal groups of seats such as 02/13"
        if self.name == "primiera_scale":
            return "null, or eight integers 0..255 such as 21/18/16/15/14/13/12/10"
        if isinstance(self.values, range):
            last = "" if self.values.stop > 10**6 else self.values.stop - 1
            return f"{self.values.start}..{last}"
        return ", ".join(format_option(value) for value in self.values)


_BOOL = (False, True)
_ANY_POSITIVE = range(1, 2**31)

OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option("deck", "it40", ("it40", "fr52"), "DECK-2 DECK-6", "the pack"),
        Option("seats", 2, (2, 3, 4, 6, 8), "SEAT-2", "number of players"),
        Option("teams", None, (), "SEAT-2", "seats of each side, null for the usual ones"),
        Option("hand", 3, (3, 9, 10), "DEAL-1 DEAL-3 DEAL-4", "cards dealt to a seat in a round"),
        Option("table", 4, (0, 4), "DEAL-1 DEAL-3 DEAL-4", "cards dealt to the table"),
        Option("deal_style", "packet", ("packet", "single"), "DEAL-9", "packets of three or one card at a time"),
        Option("void_kings", 3, range(5), "DEAL-6", "kings on the table that void the deal, 0 for never"),
        Option("void_aces", 0, range(3), "DEAL-7", "aces on the table that void the deal, 0 for never"),
        Option("void_dealer", "same", ("same", "next"), "DEAL-8", "who deals after a void deal"),
        Option("capture", "match_or_sum", ("match_or_sum", "fifteen", "cirulla"), "CAP-2 CAP-6 CAP-7", "capture family"),
        Option("precedence", "single", ("single", "fewest", "free"), "CAP-3", "which sets an equal card or a small set bars"),
        Option("forced", True, _BOOL, "CAP-8", "a card that can capture must"),
        Option("ace_sweep", False, _BOOL, "ACE-1", "an ace takes the whole table"),
        Option("ace_on_table", "ace_only", ("ace_only", "all"), "ACE-2", "what an ace takes when an ace lies there"),
        Option("ace_sweep_scopa", False, _BOOL, "ACE-3", "an ace's sweep is a scopa"),
        Option("ace_to_pile", "no", ("no", "empty", "any"), "ACE-4", "when an ace may go straight to the pile"),
        Option("first_ace_ban", False, _BOOL, "ACE-7", "the first card of a deal may not be an ace"),
        Option("last_play_scopa", "never", ("never", "dealer"), "SCO-2 SCO-3", "whether the last card can be a scopa"),
        Option("scopa_value", "one", ("one", "rank", "count"), "SCO-4", "points of a scopa"),
        Option("primiera", "standard", ("standard", "southern", "zero_faces", "rank_count", "none"), "PRI-2 PRI-5", "scale of the prime"),
        Option("primiera_incomplete", "compare", ("compare", "none", "sum"), "PRI-7 PRI-8", "primes that lack a suit"),
        Option("primiera_scale", None, (), "PRI-9", "worth of 7 6 A 5 4 3 2 and a face"),
        Option("re_bello", False, _BOOL, "PT-6", "a point for the king of coins"),
        Option("sette_coppe", False, _BOOL, "PT-7", "a point for the seven of cups"),
        Option("palle_del_cane", False, _BOOL, "PT-8", "a point for the prime with all four sevens"),
        Option("napola", "none", ("none", "run", "all_coins"), "PT-9 PT-10", "points for ace, two, three of coins and on"),
        Option("napola_max", 10, range(3, 14), "PT-9 CIR-8", "most points of the napola"),
        Option("grande", False, _BOOL, "PT-11", "five points for the three faces of coins"),
        Option("coins_cappotto", False, _BOOL, "PT-13", "all the coins win the match"),
        Option("coins_wipe", 0, (0, 8, 10), "PT-14", "coins that wipe out the other sides' scores"),
        Option("tie_points", "none", ("none", "all"), "PT-4", "who gets a point that is tied"),
        Option("majority", "most", ("most", "half"), "PT-5", "more than the others, or more than half"),
        Option("hand_bonus", False, _BOOL, "CIR-1 CIR-2", "hands of three may be declared"),
        Option("hand_bonus_both", "ten", ("ten", "sum"), "CIR-3", "a hand that meets both bonuses"),
        Option("table_bonus", "none", ("none", "cirulla", "escoba"), "CIR-7 ESC-1", "fifteen or thirty on the first table"),
        Option("matta", False, _BOOL, "CIR-5", "the seven of cups is wild in bonuses"),
        Option("target", 11, _ANY_POSITIVE, "MAT-1", "points that win a match"),
        Option("match_deals", 0, range(2**31), "MAT-7", "deals in a match, 0 to play to the target"),
        Option("shutout7", False, _BOOL, "MAT-5", "seven to nothing wins the match"),
    )
}
"""Every option by name, in the order of rules.md section 11."""

_TEN: dict[str, Any] = {"seats": 4, "hand": 10, "table": 0, "void_kings": 0}
_CIRULLA: dict[str, Any] = {
    "capture": "cirulla", "precedence": "free", "void_kings": 0, "void_aces": 2, "void_dealer": "next",
    "ace_sweep": True, "ace_sweep_scopa": True, "napola": "run", "napola_max": 6, "grande": True,
    "coins_cappotto": True, "hand_bonus": True, "table_bonus": "cirulla", "matta": True, "target": 51,
}
_ESCOBA: dict[str, Any] = {"capture": "fifteen", "forced": False, "void_kings": 0, "table_bonus": "escoba", "target": 15}
_TAKE_ALL: dict[str, Any] = {"ace_sweep": True, "ace_on_table": "all", "ace_to_pile": "empty"}

PRESETS: dict[str, dict[str, Any]] = {
    "scopa": {},
    "scopa_3": {"seats": 3},
    "scopa_4": {"seats": 4},
    "scopa_6": {"seats": 6},
    "scopa_8": {"seats": 8, "deck": "fr52", "match_deals": 8, "tie_points": "all"},
    "scopa_americana": {"primiera": "rank_count"},
    "scopa_calabrese": {"sette_coppe": True},
    "scopa_napoletana": {"palle_del_cane": True},
    "scopa_libica_rank": {"coins_wipe": 10, "scopa_value": "rank"},
    "scopa_libica_count": {"coins_wipe": 8, "scopa_value": "count"},
    "scopa_assi": {"ace_sweep": True},
    "scopa_assi_10": {"ace_sweep": True, **_TEN},
    "scopa_quindici": {"capture": "fifteen"},
    "scopone": {"seats": 4, "hand": 9},
    "scopone_scientifico": {"last_play_scopa": "dealer", **_TEN},
    "scopone_trentino": {"napola": "run", "coins_cappotto": True, "target": 21, **_TEN},
    "scopone_re_bello": {"seats": 4, "hand": 9, "re_bello": True},
    "scopone_meridionale": {"seats": 4, "hand": 9, "primiera": "southern"},
    "milanese": {"last_play_scopa": "dealer", "ace_sweep": True, "napola": "run", "target": 21, **_TEN},
    "cirulla_2": _CIRULLA,
    "cirulla_3": {**_CIRULLA, "seats": 3},
    "cirulla_4": {**_CIRULLA, "seats": 4},
    "escoba_2": _ESCOBA,
    "escoba_3": {**_ESCOBA, "seats": 3},
    "escoba_4": {**_ESCOBA, "seats": 4},
    "asso_piglia_tutto_2": _TAKE_ALL,
    "asso_piglia_tutto_4": {**_TAKE_ALL, "napola": "run", "coins_cappotto": True, "target": 31, **_TEN},
}
"""The options of each preset that differ from the default (rules.md section 11)."""

TITLES: dict[str, str] = {
    "scopa": "Scopa, 2 players",
    "scopa_3": "Scopa, 3 players",
    "scopa_4": "Scopa, 4 in pairs",
    "scopa_6": "Scopa, 6 players",
    "scopa_8": "Scopa for 8, 52 cards",
    "scopa_americana": "Scopa with the sevens-count prime",
    "scopa_calabrese": "Calabrian scopa (Cosenza)",
    "scopa_napoletana": "Neapolitan scopa (palle del cane)",
    "scopa_libica_rank": "Libyan scopa, sweep worth the card's rank",
    "scopa_libica_count": "Libyan scopa, sweep worth its cards",
    "scopa_assi": "Scopa d'assi, 2 players",
    "scopa_assi_10": "Scopa d'assi, 4 players, ten cards",
    "scopa_quindici": "Scopa di quindici",
    "scopone": "Scopone, nine cards",
    "scopone_scientifico": "Scopone scientifico, ten cards",
    "scopone_trentino": "Scopone trentino (Tamanini), napola",
    "scopone_re_bello": "Scopone with re bello",
    "scopone_meridionale": "Scopone, southern primiera",
    "milanese": "Milanese: scientifico + d'assi + napola",
    "cirulla_2": "Cirulla, 2",
    "cirulla_3": "Cirulla, 3",
    "cirulla_4": "Cirulla, 4 in pairs",
    "escoba_2": "Escoba, 2",
    "escoba_3": "Escoba, 3",
    "escoba_4": "Escoba, 4 in pairs",
    "asso_piglia_tutto_2": "Asso piglia tutto, 2",
    "asso_piglia_tutto_4": "Asso piglia tutto, 4, ten cards",
}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """A complete ruleset: one field for each option of rules.md section 11, checked on creation.

    Two rulesets are equal when every option is; ``name`` (the preset it began from) does not count. A ruleset of your own
    is a preset with options:

    >>> mine = find_rules("scopone", napola="run", target=21)
    >>> mine.text, mine.sides
    ('scopone[napola=run,target=21]', ((0, 2), (1, 3)))

    :raises InvalidRulesError: on a value that is not in the option's list (OPT-1) or a barred combination (OPT-2).
    :raises TypeError: on a value of the wrong type.
    """

    name: str = field(default="scopa", compare=False)
    deck: str = "it40"
    seats: int = 2
    teams: tuple[tuple[int, ...], ...] | None = None
    hand: int = 3
    table: int = 4
    deal_style: str = "packet"
    void_kings: int = 3
    void_aces: int = 0
    void_dealer: str = "same"
    capture: str = "match_or_sum"
    precedence: str = "single"
    forced: bool = True
    ace_sweep: bool = False
    ace_on_table: str = "ace_only"
    ace_sweep_scopa: bool = False
    ace_to_pile: str = "no"
    first_ace_ban: bool = False
    last_play_scopa: str = "never"
    scopa_value: str = "one"
    primiera: str = "standard"
    primiera_incomplete: str = "compare"
    primiera_scale: tuple[int, ...] | None = None
    re_bello: bool = False
    sette_coppe: bool = False
    palle_del_cane: bool = False
    napola: str = "none"
    napola_max: int = 10
    grande: bool = False
    coins_cappotto: bool = False
    coins_wipe: int = 0
    tie_points: str = "none"
    majority: str = "most"
    hand_bonus: bool = False
    hand_bonus_both: str = "ten"
    table_bonus: str = "none"
    matta: bool = False
    target: int = 11
    match_deals: int = 0
    shutout7: bool = False

    def __post_init__(self) -> None:
        if self.name not in PRESETS:
            hint = _suggest(str(self.name), PRESETS)
            raise UnknownRulesError(f"no ruleset {self.name!r}: name says which preset the rules began from{hint}")
        for option in OPTIONS.values():
            object.__setattr__(self, option.name, _check_value(option, getattr(self, option.name)))
        _check_combination(self)

    # What follows from the options.

    @cached_property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each side, in side order (SEAT-2)."""
        if self.teams is not None:
            return self.teams
        if self.seats in (4, 6):
            return (tuple(range(0, self.seats, 2)), tuple(range(1, self.seats, 2)))
        return tuple((seat,) for seat in range(self.seats))

    @cached_property
    def side_of(self) -> tuple[int, ...]:
        """The side of each seat."""
        sides = [0] * self.seats
        for side, seats in enumerate(self.sides):
            for seat in seats:
                sides[seat] = side
        return tuple(sides)

    @cached_property
    def cards(self) -> int:
        """Cards in the pack: 40 or 52."""
        return pack_size(self.deck)

    @cached_property
    def rounds(self) -> int:
        """Rounds in a deal (DEAL-5)."""
        return (self.cards - self.table) // (self.seats * self.hand)

    @cached_property
    def plays(self) -> int:
        """Cards played in a whole deal."""
        return self.rounds * self.seats * self.hand

    @cached_property
    def key(self) -> int:
        """A 64-bit hash of every option, equal on every platform and run; the name does not count."""
        return int.from_bytes(hashlib.sha256(_canonical_json(self.options()).encode()).digest()[:8], "little")

    def check_seat(self, seat: int, what: str = "seat") -> int:
        """Return a seat number unchanged.

        :raises InvalidSeatError: if the game has no such seat.
        """
        if isinstance(seat, bool) or not isinstance(seat, int):
            raise TypeError(f"{what} must be an int, not {type(seat).__name__}: {seat!r}")
        if not 0 <= seat < self.seats:
            raise InvalidSeatError(f"no {what} {seat} in {self.text} (SEAT-1): 0..{self.seats - 1}")
        return seat

    def check_side(self, side: int) -> int:
        """Return a side number unchanged.

        :raises InvalidSeatError: if the game has no such side.
        """
        if isinstance(side, bool) or not isinstance(side, int):
            raise TypeError(f"side must be an int, not {type(side).__name__}: {side!r}")
        if not 0 <= side < len(self.sides):
            raise InvalidSeatError(f"no side {side} in {self.text} (SEAT-2): 0..{len(self.sides) - 1}")
        return side

    # Other rulesets, texts and JSON.

    def replace(self, **options: Any) -> Rules:
        """Return these rules with some options changed.

        :raises InvalidRulesError: on an unknown option, a bad value or a barred combination.
        """
        _check_names(options)
        return dataclasses.replace(self, **options)

    def options(self) -> dict[str, Any]:
        """Return every option and its value, in the order of rules.md."""
        return {name: getattr(self, name) for name in OPTIONS}

    def overrides(self) -> dict[str, Any]:
        """Return the options that differ from the preset ``name``."""
        preset = PRESETS[self.name]
        return {name: value for name, value in self.options().items() if value != preset.get(name, OPTIONS[name].default)}

    @cached_property
    def text(self) -> str:
        """One word: the preset and what differs from it, such as ``scopone[re_bello=true,target=21]``."""
        changes = ",".join(f"{name}={format_option(value)}" for name, value in self.overrides().items())
        return f"{self.name}[{changes}]" if changes else self.name

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what the engines cache on the object, which cannot be pickled.
        return (Rules.from_json, (self.to_json(),))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        changes = "".join(f", {name}={value!r}" for name, value in self.overrides().items())
        return f"find_rules({self.name!r}{changes})"

    def to_json(self) -> str:
        """Return a JSON object of the preset's name and every option."""
        return json.dumps({"name": self.name, **self.options()})

    @classmethod
    def from_json(cls, text: str) -> Rules:
        """Return the rules of a JSON object of options, whole or partial, with or without ``name``.

        :raises InvalidRulesError: if it is not an object of options.
        """
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise InvalidRulesError(f"rules are not JSON: {error}: {text!r}") from None
        if not isinstance(data, dict):
            raise InvalidRulesError(f"rules must be a JSON object of options, not {text!r}")
        return find_rules(data.pop("name", "scopa"), **data)


def find_rules(name: str = "scopa", **options: Any) -> Rules:
    """Return a preset by name (in any case), with some options changed.

    >>> find_rules("Scopa", target=21).text
    'scopa[target=21]'

    :raises UnknownRulesError: if there is no such preset.
    :raises InvalidRulesError: on an unknown option, a bad value (OPT-1) or a barred combination (OPT-2).
    """
    if not isinstance(name, str):
        raise TypeError(f"a ruleset's name must be a str, not {type(name).__name__}: {name!r}")
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    if key not in PRESETS:
        raise UnknownRulesError(f"no ruleset {name!r}{_suggest(key, PRESETS)}")
    _check_names(options)
    return Rules(name=key, **{**PRESETS[key], **options})


def parse_rules(text: str) -> Rules:
    """Return the rules of a text such as ``scopone[target=21]``: a preset, then options in brackets.

    :raises UnknownRulesError: if there is no such preset.
    :raises InvalidRulesError: if the brackets are broken or an option is.
    """
    if not isinstance(text, str):
        raise TypeError(f"rules must be a str, not {type(text).__name__}: {text!r}")
    name, bracket, rest = text.strip().partition("[")
    if not bracket:
        return find_rules(name)
    if not rest.endswith("]"):
        raise InvalidRulesError(f"no closing bracket in the rules {text!r}")
    options: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in rest[:-1].split(","))):
        option, equals, value = part.partition("=")
        option = option.strip()
        if not equals:
            raise InvalidRulesError(f"no value for {part!r} in the rules {text!r}: write option=value")
        if option in options:
            raise InvalidRulesError(f"option {option!r} comes twice in the rules {text!r}")
        options[option] = parse_option(option, value.strip())
    return find_rules(name, **options)


def format_option(value: Any) -> str:
    """Return an option's value as a word: ``true``, ``21``, ``null``, ``02/13``, ``21/18/16/15/14/13/12/10``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return "/".join("".join(map(str, part)) if isinstance(part, (tuple, list)) else str(part) for part in value)
    return str(value)


def parse_option(name: str, text: str) -> Any:
    """Return the value of an option written as a word; the inverse of :func:`format_option`.

    :raises InvalidRulesError: on an unknown option or a word that is no value of it (OPT-1).
    """
    _check_names([name])
    option, word = OPTIONS[name], text.strip().lower()
    try:
        if word == "null" and option.default is None:
            return None
        if name == "teams":
            return tuple(tuple(_small_int(seat) for seat in group) for group in word.split("/"))
        if name == "primiera_scale":
            return tuple(_small_int(value) for value in word.split("/"))
        if isinstance(option.default, bool):
            return {"true": True, "false": False}[word]
        if isinstance(option.default, int):
            return _small_int(word)
    except (KeyError, ValueError):
        raise InvalidRulesError(f"{name}={text!r} is no value of {name} (OPT-1, {option.ids}): {option.describe()}") from None
    return word


def _small_int(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 10):
        raise ValueError(word)
    return int(word)


def _suggest(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=3)
    return f"; did you mean {' or '.join(close)}?" if close else f": one of {', '.join(known)}"


def _check_names(options: Iterable[str]) -> None:
    for name in options:
        if name not in OPTIONS:
            raise InvalidRulesError(f"no option {name!r} (OPT-1){_suggest(name, OPTIONS)}")


def _check_value(option: Option, value: Any) -> Any:
    """Return the value in its stored form, or refuse it (OPT-1)."""
    refusal = f"{option.name}={value!r} is no value of {option.name} (OPT-1, {option.ids}): {option.describe()}"
    if option.name in ("teams", "primiera_scale"):
        if value is None:
            return None
        if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
            raise TypeError(f"{option.name} must be a list or None, not {type(value).__name__}: {value!r}")
        if option.name == "primiera_scale":
            scale = tuple(_int(part, refusal) for part in value)
            if len(scale) != 8 or not all(0 <= part <= 255 for part in scale):
                raise InvalidRulesError(refusal)
            return scale
        groups = []
        for group in value:
            if isinstance(group, (str, bytes)) or not isinstance(group, Iterable):
                raise TypeError(refusal)
            groups.append(tuple(sorted(_int(seat, refusal) for seat in group)))
        return tuple(groups)
    if type(value) is not type(option.default):
        raise TypeError(f"{option.name} must be {type(option.default).__name__}, not {type(value).__name__}: {value!r}")
    if not option.allows(value):
        raise InvalidRulesError(refusal)
    return value


def _int(value: Any, refusal: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(refusal)
    return value


def _check_combination(rules: Rules) -> None:
    """Refuse what OPT-2 bars."""

    def bar(reason: str) -> None:
        raise InvalidRulesError(f"{reason} (OPT-2) in {rules.text}")

    if rules.hand == 3 and rules.table != 4:
        bar(f"hand=3 goes with table=4, not {rules.table} (DEAL-1)")
    if rules.hand == 9 and (rules.seats != 4 or rules.deck != "it40" or rules.table != 4):
        bar("hand=9 needs four seats, it40 and table=4 (DEAL-3)")
    if rules.hand == 10 and (rules.seats != 4 or rules.deck != "it40" or rules.table != 0):
        bar("hand=10 needs four seats, it40 and table=0 (DEAL-4)")
    if rules.teams is not None:
        if len(rules.teams) < 2 or len({len(team) for team in rules.teams}) != 1:
            bar(f"teams={format_option(rules.teams)} must be at least two groups of equal size (SEAT-2)")
        if sorted(seat for team in rules.teams for seat in team) != list(range(rules.seats)):
            bar(f"teams={format_option(rules.teams)} must name each of the seats 0..{rules.seats - 1} once (SEAT-2)")
    if (rules.cards - rules.table) % (rules.seats * rules.hand):
        bar(f"{rules.cards - rules.table} cards do not deal out evenly to {rules.seats} hands of {rules.hand} (DEAL-5)")
    if rules.deck == "fr52":
        if rules.primiera == "southern":
            bar("fr52 has no southern primiera (PRI-6)")
        if rules.capture != "match_or_sum":
            bar(f"fr52 does not go with capture={rules.capture} (CAP-6, CAP-7)")
        if rules.hand_bonus or rules.table_bonus != "none" or rules.matta:
            bar("fr52 does not go with hand_bonus, table_bonus or matta (CIR-1, CIR-5, CIR-7)")
    if rules.ace_sweep and rules.capture == "fifteen":
        bar("ace_sweep does not go with capture=fifteen (ACE-1)")
    if not rules.ace_sweep:
        for name in ("ace_on_table", "ace_sweep_scopa", "ace_to_pile", "first_ace_ban"):
            if getattr(rules, name) != OPTIONS[name].default:
                bar(f"{name}={format_option(getattr(rules, name))} needs ace_sweep=true ({OPTIONS[name].ids})")
    if rules.primiera_scale is not None and rules.primiera != "standard":
        bar(f"primiera_scale goes with primiera=standard, not {rules.primiera} (PRI-9)")


def _canonical_json(options: Mapping[str, Any]) -> str:
    return json.dumps(options, sort_keys=True, separators=(",", ":"))
