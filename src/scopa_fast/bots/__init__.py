"""Players that decide: the :class:`Bot` protocol, and the bots that ship with the package. All of them play on the native engine."""

from __future__ import annotations

from .advice import TAGS, Tag, explain
from .base import Bot, SearchBot, for_match
from .find import BOTS, find_bot, split_bots
from .forgetful import ForgetfulBot, forget
from .greedy import GreedyBot
from .random import RandomBot
from .traditional import CgBot, CsBot
from .trees import IsmctsBot, MctsBot, guess_worlds
from .worlds import ChampionBot, PimcBot

__all__ = [
    "BOTS", "TAGS", "Bot", "CgBot", "ChampionBot", "CsBot", "ForgetfulBot", "GreedyBot", "IsmctsBot", "MctsBot", "PimcBot", "RandomBot",
    "SearchBot", "Tag", "explain", "find_bot", "for_match", "forget", "guess_worlds", "split_bots",
]
