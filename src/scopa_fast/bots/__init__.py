"""Players that decide: the :class:`Bot` protocol, what a bot is shown, and the bots that ship with the package."""

from __future__ import annotations

from ..errors import ScopaError
from .base import Bot, Turn
from .greedy import GreedyBot
from .random import RandomBot

__all__ = ["BOTS", "Bot", "GreedyBot", "RandomBot", "Turn", "find_bot"]

BOTS = ("random", "greedy")
"""The names :func:`find_bot` knows."""


def find_bot(name: str, *, declarations: str = "never") -> Bot:
    """Return the bot of a name.

    :param declarations: what a random player does with a hand it may declare; the others declare for the most points.
    :raises ScopaError: if there is no such bot, or no such way to declare.
    """
    match name.strip().lower():
        case "random":
            return RandomBot(declarations)
        case "greedy":
            return GreedyBot()
    raise ScopaError(f"no bot {name!r}: one of {', '.join(BOTS)}")
