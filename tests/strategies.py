"""Hypothesis strategies: legal rulesets over the whole option space, card sets, and positions built by hand."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import strategies as st

from scopa_fast import OPTIONS, PRESETS, InvalidRulesError, Position, Rng, Rules, State, find_rules, full_mask, mask_of, pack_size
from scopa_fast.cards import MATTA

__all__ = [
    "TWO_SIDES", "card_masks", "option_values", "positions", "presets", "random_ending", "random_position", "random_states",
    "random_two_side_rules", "rulesets",
]  # fmt: skip

TWO_SIDES = [name for name in PRESETS if len(find_rules(name).sides) == 2]
"""The presets that two sides play."""

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
def _teams(draw: st.DrawFn, seats: int, sides: int | None) -> tuple[tuple[int, ...], ...] | None:
    """Return no teams, or any partition of the seats into equal groups, at least two (SEAT-2), or into so many sides."""
    usual = 2 if seats in (4, 6) else seats
    sizes = [0, *[size for size in range(1, seats) if seats % size == 0]]
    size = draw(st.sampled_from([size for size in sizes if sides in (None, seats // size if size else usual)]))
    if size == 0:
        return None
    order = draw(st.permutations(range(seats)))
    return tuple(tuple(sorted(order[i : i + size])) for i in range(0, seats, size))


@st.composite
def rulesets(draw: st.DrawFn, *, sides: int | None = None, **fixed: Any) -> Rules:
    """Return any legal combination of options: only what OPT-2 bars is left out. ``fixed`` options stay as they are.

    :param sides: the number of sides, by default any.
    """
    shapes = [s for s in SHAPES if all(fixed.get(n, v) == v for n, v in zip(("deck", "seats", "hand"), s, strict=True))]
    shapes = [s for s in shapes if sides is None or s[1] % sides == 0]
    deck, seats, hand = draw(st.sampled_from(shapes))
    options: dict[str, Any] = {"deck": deck, "seats": seats, "hand": hand, "table": 0 if hand == 10 else 4}
    options["teams"] = draw(_teams(seats, sides))
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


def random_two_side_rules(rng: Random) -> Rules:
    """Return rules for two sides that differ from a preset in a few options, any that OPT-2 allows."""
    while True:
        name = rng.choice([*TWO_SIDES, "scopa_8"])
        options = {option: _random_value(option, rng) for option in rng.sample(list(OPTIONS), rng.randint(0, 8)) if option != "teams"}
        if rng.random() < 0.2:
            options |= zip(("deck", "seats", "hand"), rng.choice(SHAPES), strict=True)
        seats = options.get("seats", find_rules(name).seats)
        if (rng.random() < 0.3 or seats == 8) and seats % 2 == 0:
            order = rng.sample(range(seats), seats)
            options["teams"] = (tuple(sorted(order[::2])), tuple(sorted(order[1::2])))
        try:
            rules = find_rules(name, **options)
        except InvalidRulesError:
            continue
        if len(rules.sides) == 2:
            return rules


def _random_value(name: str, rng: Random) -> Any:
    """Return any value of an option's list (OPT-1)."""
    if name == "primiera_scale":
        return rng.choice([None, tuple(rng.randrange(256) for _ in range(8))])
    values = OPTIONS[name].values
    return rng.choice(values[:30])


def random_position(rules: Rules, rng: Random, *, plays: range | None = None) -> Position:
    """Return any position a deal can go on from, reachable or not: tables of any size, declared 7Cs, exposed hands.

    :param plays: how many cards may be left to play, by default any number.
    """
    seats, sides = rules.seats, len(rules.sides)
    order = rng.sample(range(rules.cards), rules.cards)
    dealer, turn = rng.randrange(seats), rng.randrange(seats)
    size, rounds_left = rng.randint(1, rules.hand), rng.randrange(rules.rounds)
    if plays is not None:
        places = itertools.product(range(seats), range(1, rules.hand + 1), range(rules.rounds))
        turn, size, rounds_left = rng.choice([p for p in places if seats * (p[1] + p[2] * rules.hand) - p[0] in plays])
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


def random_states(rules: Rules | str, deals: int, seed: int) -> Iterator[State]:
    """Yield a state at each turn of some deals played at random, declarations included; it is played on when the next is asked for."""
    rng = Random(seed)
    for index in range(deals):
        state = State(rules, Rng(seed).spawn(index))
        while not state.is_terminal():
            yield state
            state.play(rng.choice(state.legal_move_ints()))


def random_ending(rules: Rules, rng: Random, plays: range, *, lines: int, ahead: int | None = None) -> Position:
    """Return a position with so many cards left to play, played to from a deal or any at all, whose lines of play can be walked.

    :param lines: the most lines of play to the end of the deal, or as far ahead as ``ahead`` says.
    """
    while True:
        if rng.random() < 0.5:
            position = random_position(rules, rng, plays=plays)
        else:
            state = State(rules, rng.getrandbits(63), dealer=rng.randrange(rules.seats))
            left = rng.choice(plays)
            while state.plays_left > left:
                moves = state.legal_moves()
                state.play(rng.choice(moves))
            position = state.position()
        state = State.from_position(position)
        depth = 2 * state.plays_left if ahead is None else ahead
        if all(state.perft(plies, declarations=True) <= lines for plies in range(1, depth + 1)):
            return position


def positions(rules: Rules) -> st.SearchStrategy[Position]:
    """Return any :func:`random_position` of some rules."""
    return st.integers(0, 2**32 - 1).map(lambda seed: random_position(rules, Random(seed)))
