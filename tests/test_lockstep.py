"""Native against reference, move by move: every preset, any legal combination of options, deals and positions built by hand."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from lockstep import STYLES, play_deal
from strategies import random_position, rulesets

from scopa_fast import OPTIONS, PRESETS, Rules, find_rules

PRESET_PLAYS, OTHER_PLAYS = 120_000, 80_000
"""At least as many plays of the presets and of other rules in a normal run."""
LONG = 50
"""How many times as many with ``--long``: ten million in all."""

SEEN_IN_PRESETS = (
    "void deals", "dealers moved by void deals", "table bonuses", "legal scope", "declarations", "declared 7Cs (CIR-5)",
    "plays beside a declared 7C (CIR-6)", "captures of a declared 7C (CIR-6)", "captures by a declared 7C (CIR-6)",
    "ace sweeps (ACE-1)", "aces to the pile (ACE-4)", "tables of 16 and more", "turns of more than 128 moves",
    "last plays that sweep (SCO-2, SCO-3)",
)  # fmt: skip
"""Rare things that comparing the engines on the presets must have come across."""
SEEN_IN_ANY_RULES = (*SEEN_IN_PRESETS, "ace bans", "unclaimed cards (END-3)", "wiped sides (PT-14)")


def compare_presets(plays: int, seed: int) -> Counter[str]:
    """Play deals of every preset in turn, in every style, until there were so many plays."""
    tally: Counter[str] = Counter()
    while tally["plays"] < plays:
        for name in PRESETS:
            rng = Random(seed)
            for start in (find_rules(name), find_rules(name), random_position(find_rules(name), rng)):
                play_deal(start, seed, rng.choice(STYLES), tally)
                seed += 1
    return tally


def compare_any_rules(plays: int, rulesets_drawn: int, *, derandomize: bool = True) -> Counter[str]:
    """Let hypothesis draw rulesets, and play deals and positions of each."""
    tally: Counter[str] = Counter()
    values: Counter[tuple[str, object]] = Counter()

    @settings(
        max_examples=rulesets_drawn, derandomize=derandomize, database=None, deadline=None, print_blob=True,
        phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(rules=rulesets() | rulesets() | rulesets(deck="it40", hand=3, hand_bonus=True, matta=True), seed=st.integers(0, 2**64 - 2000))
    def compare(rules: Rules, seed: int) -> None:
        values.update((name, value) for name, value in rules.options().items() if name != "target")
        rng = Random(seed)
        goal = min(plays, tally["plays"] + plays // rulesets_drawn + 1)
        while tally["plays"] < goal:
            play_deal(rules, rng.getrandbits(63), rng.choice(STYLES), tally)
            play_deal(random_position(rules, rng), rng.getrandbits(63), rng.choice(STYLES), tally)

    compare()
    missing = [
        (name, value)
        for name, option in OPTIONS.items()
        if name not in ("teams", "primiera_scale", "target", "match_deals")
        for value in option.values
        if not values[name, value]
    ]
    assert not missing, f"option values never drawn: {missing}"
    return tally


def check_seen(tally: Counter[str], wanted: tuple[str, ...]) -> None:
    unseen = [what for what in wanted if not tally[what]]
    assert not unseen, f"the deals never came to: {unseen}"


def test_every_preset_plays_alike_on_both_engines() -> None:
    tally = compare_presets(PRESET_PLAYS, seed=1)
    check_seen(tally, SEEN_IN_PRESETS)


def test_any_legal_rules_play_alike_on_both_engines() -> None:
    tally = compare_any_rules(OTHER_PLAYS, 800)
    assert tally["plays"] >= OTHER_PLAYS
    check_seen(tally, SEEN_IN_ANY_RULES)


@pytest.mark.long
def test_every_preset_plays_alike_on_both_engines_for_long() -> None:
    compare_presets(LONG * PRESET_PLAYS, seed=1_000_000)


@pytest.mark.long
def test_any_legal_rules_play_alike_on_both_engines_for_long() -> None:
    plays = LONG * OTHER_PLAYS
    assert compare_any_rules(plays, 40_000, derandomize=False)["plays"] >= plays
