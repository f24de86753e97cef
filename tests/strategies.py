"""Hypothesis strategies: legal rulesets over the whole option space, card sets, and positions built by hand."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from scopa_fast import OPTIONS, PRESETS, Position, Rules, find_rules, full_mask, mask_of, pack_size
from scopa_fast.cards import MATTA

__all__ = ["card_masks", "option_values", "positions", "presets", "random_position", "rulesets"]

SHAPES = [
    ("it40", 2, 3), ("it40", 3, 3), ("it40", 4, 3), ("it40", 6, 3), ("it40", 4, 9), ("it40", 4, 10),
    ("fr52", 2, 3), ("fr52", 4, 3), ("fr52", 8, 3),
]
"""Every pack, number of seats and hand that DEAL-5 and OPT-2 allow."""


def option_values(name: str) -> st.SearchStrategy[Any]:
    """Return any value of an option's list (OPT-1)."""
    if name == "primiera_scale":
        return st.none() | st.tuples(*[st.integers(0, 255)] * 8)
    if name == "forced":
        return st.sampled_from([True, True, True, False])  # without it tables grow, and so does the time
    values = OPTIONS[name].values
    if isinstance(values, range):
        # Wide ranges matter at their ends only, narrow ones everywhere.
        return st.sampled_from(values) if len(values) < 100 else st.sampled_from([*values[:30], values[-1]])
    return st.sampled_from(values)


@st.composite
def _teams(draw: st.DrawFn, seats: int) -> tuple[tuple[int, ...], ...] | None:
    """Return no teams, or any partition of the seats into equal groups, at least two (SEAT-2)."""
    size = draw(st.sampled_from([0, *[size for size in range(1, seats) if seats % size == 0]]))
    if size == 0:
        return None
    order = draw(st.permutations(range(seats)))
    return tuple(tuple(sorted(order[i : i + size])) for i in range(0, seats, size))


@st.composite
def rulesets(draw: st.DrawFn, **fixed: Any) -> Rules:
    """Return any legal combination of options: only what OPT-2 bars is left out. ``fixed`` options stay as they are."""
    shapes = [s for s in SHAPES if all(fixed.get(n, v) == v for n, v in zip(("deck", "seats", "hand"), s, strict=True))]
    deck, seats, hand = draw(st.sampled_from(shapes))
    options: dict[str, Any] = {"deck": deck, "seats": seats, "hand": hand, "table": 0 if hand == 10 else 4}
    options["teams"] = draw(_teams(seats))
    for name in OPTIONS:
        if name in options:
            continue
        value = fixed[name] if name in fixed else draw(option_values(name))
        barred = (
            (deck == "fr52" and name in ("capture", "hand_bonus", "table_bonus", "matta"))
            or (deck == "fr52" and name == "primiera" and value == "southern")
            or (name == "ace_sweep" and options["capture"] == "fifteen")
            or (name in ("ace_on_table", "ace_sweep_scopa", "ace_to_pile", "first_ace_ban") and not options["ace_sweep"])
            or (name == "primiera_scale" and options["primiera"] != "standard")
        )
        options[name] = OPTIONS[name].default if barred else value
    return Rules(**options)


def presets() -> st.SearchStrategy[Rules]:
    """Return any preset as it is."""
    return st.sampled_from([find_rules(name) for name in PRESETS])


def card_masks(deck: str = "it40") -> st.SearchStrategy[int]:
    """Return any set of cards of a pack as a mask, large and small ones."""
    return st.integers(0, full_mask(deck)) | st.lists(st.integers(0, pack_size(deck) - 1), max_size=12, unique=True).map(mask_of)


def random_position(rules: Rules, rng: Random) -> Position:
    """Return any position a deal can go on from, reachable or not: tables of any size, declared 7Cs, exposed hands."""
    seats, sides = rules.seats, len(rules.sides)
    order = rng.sample(range(rules.cards), rules.cards)
    dealer, turn = rng.randrange(seats), rng.randrange(seats)
    size, rounds_left = rng.randint(1, rules.hand), rng.randrange(rules.rounds)
    if rules.hand_bonus and rules.matta and rng.random() < 0.5:  # give the seat to move the 7C
        order[order.index(MATTA)], order[turn * (size - 1)] = order[turn * (size - 1)], MATTA

    def take(count: int) -> int:
        mask = mask_of(order[:count])
        del order[:count]
        return mask

    hands = [0] * seats
    for place in range(seats):
        hands[(dealer + 1 + place) % seats] = take(size - (place < turn))
    stock: list[int] = []
    for _ in range(rounds_left * seats):
        stock += sorted(order[: rules.hand])
        del order[: rules.hand]
    table = take(min(len(order), rng.choice([*range(9), *range(1, 7), 12, rng.randint(0, len(order))])))
    piles = [0] * sides
    for card in order:
        piles[rng.randrange(sides)] |= 1 << card
    exposed: tuple[int, ...] = ()
    matta = None
    if rules.hand_bonus and rules.hand == 3:
        # Before its seat's first card of the round no hand is exposed; the seat to move may have declared.
        may = [(dealer + 1 + place) % seats for place in range(seats) if size < rules.hand or place <= turn]
        exposed = tuple(sorted(q for q in may if rng.random() < 0.4))
        if rules.matta and (table >> MATTA & 1 or any(hands[q] >> MATTA & 1 for q in exposed)):
            matta = rng.choice([None, *range(1, 11)])
    return Position(
        rules=rules,
        hands=tuple(hands),
        table=table,
        piles=tuple(piles),
        stock=tuple(stock),
        scope=tuple(rng.randint(0, 20) for _ in range(sides)),
        bonus=tuple(rng.choice([0, 3, 10]) if rules.hand_bonus else 0 for _ in range(sides)),
        last_capturer=rng.choice([None, *range(sides)]),
        seat=(dealer + 1 + turn) % seats,
        dealer=dealer,
        matta=matta,
        exposed=exposed,
    )


def positions(rules: Rules) -> st.SearchStrategy[Position]:
    """Return any :func:`random_position` of some rules."""
    return st.integers(0, 2**32 - 1).map(lambda seed: random_position(rules, Random(seed)))
