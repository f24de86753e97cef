"""Short ways for tests to write down a state and to play on from it."""

from __future__ import annotations

from random import Random
from types import ModuleType
from typing import Any

import scopa_fast as native

__all__ = ["CIRULLA", "at", "moves_of", "play", "play_out"]

CIRULLA = "cirulla_2 hands=2D3D7C/4D5D6D table=3CRD seat=0 dealer=1"
"""The last round of a deal whose first hand may be declared."""


def at(engine: ModuleType, text: str) -> Any:
    """The state of a text whose missing cards side 0 has won."""
    rules_text, *fields = text.split()
    rules = engine.parse_rules(rules_text)
    values = dict(field.split("=") for field in fields)
    named = "".join(values.get(name, "").replace("/", "").replace("-", "") for name in ("hands", "table", "piles", "stock"))
    mask = native.mask_of(native.parse_cards(named, rules.deck))
    rest = native.format_cards(native.full_mask(rules.deck) & ~mask, rules.deck)
    piles = "/".join([rest, *["-"] * (len(rules.sides) - 1)])
    return engine.State.from_text(f"{text} piles={piles}")


def moves_of(state: Any) -> list[str]:
    return [str(move) for move in state.legal_moves()]


def play(state: Any, *moves: str) -> None:
    for move in moves:
        state.play(native.parse_move(move, state.rules.deck))


def play_out(state: Any, seed: int = 1) -> None:
    rng = Random(seed)
    while moves := state.legal_moves():
        state.play(rng.choice(moves))
