"""Bots by name: those of the package, with settings, and those of any module."""

from __future__ import annotations

import ast
import dataclasses
import importlib
from typing import Any, cast

from ..errors import ScopaError
from .base import FAULTS, Bot
from .forgetful import ForgetfulBot
from .greedy import GreedyBot
from .random import RandomBot
from .traditional import CgBot, CsBot
from .trees import IsmctsBot, MctsBot
from .worlds import ChampionBot, PimcBot

__all__ = ["BOTS", "find_bot", "split_bots"]

BOTS: dict[str, type[Any]] = {
    "random": RandomBot, "greedy": GreedyBot, "cs": CsBot, "cg": CgBot, "mcts": MctsBot, "ismcts": IsmctsBot, "pimc": PimcBot,
    "champion": ChampionBot, "forgetful": ForgetfulBot,
}
"""The bots that :func:`find_bot` knows by a name."""


def find_bot(text: str, *, declarations: str | None = None) -> Bot:
    """Return the bot of a text: a name of :data:`BOTS` or ``module:Class``, and settings in brackets if any.

    >>> find_bot("ismcts[iterations=1000,reward=win]").iterations
    1000

    A value is a number, ``true``, ``false``, ``none``, a word, or several of these joined by ``+``.

    :param declarations: what random players do with a hand they may declare, unless their settings say.
    :raises ScopaError: if there is no such bot or setting, or a value does not suit it.
    """
    if not isinstance(text, str):
        raise TypeError(f"a bot's text must be a str, not {type(text).__name__}: {text!r}")
    name, bracket, rest = text.strip().partition("[")
    if bracket and not rest.endswith("]"):
        raise ScopaError(f"no closing bracket in the bot {text!r}")
    cls = _find_class(name.strip(), text)
    settings = _parse_settings(rest.removesuffix("]"), text)
    if cls is RandomBot and declarations is not None:
        settings = {"declarations": declarations} | settings
    if dataclasses.is_dataclass(cls):
        known = [field.name for field in dataclasses.fields(cls) if field.init]
        for setting in settings:
            if setting not in known:
                others = f"one of {', '.join(known)}" if known else "it has none"
                raise ScopaError(f"no setting {setting!r} in the bot {text!r}: {others}")
    try:
        bot = cls(**settings)
    except FAULTS as error:
        raise ScopaError(f"{_told(error)} in the bot {text!r}") from error
    if not callable(getattr(bot, "choose", None)):
        raise ScopaError(f"the bot {text!r} has no method 'choose'")
    return cast(Bot, bot)


def split_bots(text: str) -> list[str]:
    """Return the texts of several bots, split at the commas outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _find_class(name: str, text: str) -> Any:
    if name.lower() in BOTS:
        return BOTS[name.lower()]
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ScopaError(f"no bot {name!r}: one of {', '.join(BOTS)}, or module:Class")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except FAULTS as error:
        raise ScopaError(f"{_told(error)}, for the bot {text!r}") from error
    if not callable(found):
        raise ScopaError(f"{name!r} is no class, in the bot {text!r}")
    return found


def _told(error: BaseException) -> str:
    """Return an error in words, with its type unless that goes without saying."""
    plain = isinstance(error, ImportError | AttributeError | TypeError | ValueError) and not isinstance(error, UnicodeError)
    return str(error) if plain else f"{type(error).__name__}: {error}"


def _parse_settings(text: str, bot: str) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for part in split_bots(text) if text.strip() else []:
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not name.isidentifier() or not value:
            raise ScopaError(f"{part.strip()!r} is no setting=value in the bot {bot!r}")
        if name in settings:
            raise ScopaError(f"{name} is set twice in the bot {bot!r}")
        settings[name] = _parse_value(value)
    return settings


def _parse_value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if "[" in text:  # another bot
        return text
    if text.lower() in words:
        return words[text.lower()]
    if "+" in text.lstrip("+"):
        return tuple(_parse_value(word) for word in text.split("+"))
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text
    return value if isinstance(value, int | float) else text
