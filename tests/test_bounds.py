"""The bounds of bounds.py: an exhaustive search for the worst case, and deals that reach it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import scopa_fast as native
from scopa_fast import PRESETS, RANKS, Rules, bounds, find_rules, parse_rules, reference
from scopa_fast.bounds import MAX_DECLARATIONS, Bounds, find_bounds

Ints = NDArray[np.int64]


# -- the search --------------------------------------------------------------------------
#
# A table is a number of cards of each kind: the ranks, and for a declared 7C one kind more, a single card of the rank it
# stands for. The search begins with every table of at most the four cards dealt (what captures left of them) and lays
# cards for as long as that is legal. A capture only takes cards away, and what can be laid beside many cards can be laid
# beside fewer of them, so no table of a real deal is missing.


@dataclass(frozen=True)
class Tables:
    values: tuple[int, ...]
    """Value of each kind."""
    limits: tuple[int, ...]
    """Cards of each kind in the pack."""
    counts: Ints
    """Cards of each kind on each table, a row for a table."""
    laid: Ints
    """Cards laid, at least, to come to each table."""


@cache
def find_tables(capture: str, ranks: int, dealt: int, ace_sweep: bool, matta: int | None) -> Tables:
    """Return every table that forced captures can lead to, and maybe some that they cannot."""
    values = (*range(1, ranks + 1), *([matta] if matta else []))
    limits = tuple((3 if matta and value == 7 else 4) if kind < ranks else 1 for kind, value in enumerate(values))
    places = [5**kind for kind in range(len(values))]
    start = [
        sum(places[kind] for kind in kinds)
        for size in range(dealt + 1)
        for kinds in combinations_with_replacement(range(len(values)), size)
        if all(kinds.count(kind) <= limits[kind] for kind in kinds)
    ]
    found = frontier = np.array(sorted(start), dtype=np.int64)
    levels = [(found, 0)]
    while len(frontier):
        sums = np.ones(len(frontier), dtype=np.int64)  # bit s: some set adds up to s
        for kind, value in enumerate(values):
            for copy in range(limits[kind]):
                sums = np.where(frontier // places[kind] % 5 > copy, (sums | sums << value) & 0xFFFF, sums)
        grown = []
        for kind, value in enumerate(values):
            free = frontier // places[kind] % 5 < limits[kind]
            if capture != "fifteen":
                free &= sums >> value & 1 == 0  # CAP-2
            if capture != "match_or_sum":
                free &= sums >> (15 - value) & 1 == 0  # CAP-6
            if ace_sweep and value == 1:
                free &= frontier == 0  # ACE-1, ACE-2, ACE-8
            grown.append(frontier[free] + places[kind])
        frontier = np.setdiff1d(np.concatenate(grown), found)
        found = np.union1d(found, frontier)
        levels.append((frontier, len(levels)))
    codes = np.concatenate([level for level, _ in levels])
    laid = np.concatenate([np.full(len(level), number) for level, number in levels])
    counts = np.stack([codes // place % 5 for place in places], axis=1)
    return Tables(values, limits, counts, laid)


def count_captures(tables: Tables, capture: str, precedence: str, ace: tuple[bool, str]) -> Ints:
    """Return the captures of a card of each kind on each table; with ``fewest`` at most so many as with ``free``."""
    ways = np.zeros((len(tables.counts), 15), dtype=np.int64)  # sets of each sum
    ways[:, 0] = 1
    value_counts = np.zeros((len(tables.counts), 16), dtype=np.int64)
    for kind, value in enumerate(tables.values):
        held = tables.counts[:, kind]
        value_counts[:, value] += held
        before = ways.copy()
        for copies in range(1, tables.limits[kind] + 1):
            if copies * value < 15:
                chosen = np.array([comb(count, copies) for count in range(5)])[held]
                ways[:, copies * value :] += before[:, : 15 - copies * value] * chosen[:, None]
    total = tables.counts @ np.array(tables.values)
    sweep, on_table = ace
    columns = []
    for value in tables.values:
        column = np.zeros(len(ways), dtype=np.int64)
        if capture != "fifteen":
            equal = value_counts[:, value]
            column += np.where((precedence == "single") & (equal > 0), equal, ways[:, value])
        if capture != "match_or_sum":
            column += ways[:, 15 - value] if value > 1 else ways[:, 14]
        if value == 1 and sweep:
            swept = (total > 0) & ((value_counts[:, 1] == 0) | (on_table == "all"))
            ordinary = (total == 1) | ((total == 14) & (capture == "cirulla"))
            column = np.where(swept, 1 if capture == "match_or_sum" else column + ~ordinary, column)
        columns.append(column)
    return np.stack(columns, axis=1)


def search(rules: Rules, matta: int | None = None) -> Bounds:
    """Return the worst case of forced captures under some rules."""
    ace = (rules.ace_sweep, rules.ace_on_table)
    tables = find_tables(rules.capture, rules.cards // 4, rules.table, rules.ace_sweep, matta)
    captures = count_captures(tables, rules.capture, rules.precedence, ace)
    in_hand = np.array(tables.limits) - tables.counts
    moves = np.maximum(captures, 1)
    if rules.ace_to_pile == "any":
        moves += np.array(tables.values) == 1
    sizes = tables.counts.sum(axis=1)
    # A hand of nine or ten has shrunk by the cards laid so far, and by a play more if dealt cards are gone.
    plays = tables.laid + (sizes - tables.laid < rules.table)
    hand = np.full(len(sizes), 3) if rules.hand == 3 else rules.hand - plays // 4
    # The best hand: the cards with the most moves first.
    order = np.argsort(-moves, axis=1)
    available = np.take_along_axis(in_hand, order, axis=1)
    so_far = np.minimum(np.cumsum(available, axis=1), hand[:, None])
    held = np.diff(so_far, axis=1, prepend=0)
    most_moves = (held * np.take_along_axis(moves, order, axis=1)).sum(axis=1).max()
    return Bounds(int(sizes.max()), int(np.where(in_hand > 0, captures, 0).max()), int(most_moves))


def worst(*found: Bounds) -> Bounds:
    return Bounds(max(b.table for b in found), max(b.captures for b in found), max(b.moves for b in found))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("scopone_scientifico", bounds.TEN_CARDS), ("scopa", bounds.FOUR_DEALT), ("scopone", bounds.NINE_CARDS),
        ("scopa_8", bounds.FIFTY_TWO), ("scopa_quindici", bounds.FIFTEEN),
    ],
)  # fmt: skip
def test_the_search_finds_the_bounds_of_the_presets(name: str, expected: Bounds) -> None:
    assert search(find_rules(name)) == expected
    assert find_bounds(find_rules(name)) == expected


def test_the_search_finds_the_bounds_of_fifteens_with_nine_cards() -> None:
    assert search(find_rules("scopone", capture="fifteen")) == bounds.FIFTEEN_NINE_CARDS


def test_the_search_finds_the_bounds_of_cirulla_with_its_wild_seven() -> None:
    rules = find_rules("cirulla_2")
    assert worst(search(rules), *[search(rules, matta) for matta in range(1, 11)]) == bounds.CIRULLA
    assert find_bounds(rules) == bounds.CIRULLA


WIDE = [
    ("scopa", {}), ("scopone", {}), ("scopone_scientifico", {}), ("scopa_8", {}), ("scopa_quindici", {}),
    ("scopone", {"capture": "fifteen"}), ("scopone_scientifico", {"capture": "fifteen"}),
    ("scopa", {"capture": "cirulla"}), ("scopone", {"capture": "cirulla"}), ("scopone_scientifico", {"capture": "cirulla"}),
]  # fmt: skip
"""Every capture family with every hand and pack."""


@pytest.mark.parametrize(("name", "options"), WIDE, ids=str)
def test_no_other_option_goes_beyond_the_bounds(name: str, options: dict[str, Any]) -> None:
    rules = find_rules(name, **options)
    aces: list[dict[str, Any]] = [{}]
    if rules.capture != "fifteen":
        aces += [{"ace_sweep": True, "ace_on_table": on_table, "ace_to_pile": "any"} for on_table in ("ace_only", "all")]
    for precedence in ("single", "free") if rules.capture != "fifteen" else ("single",):
        for ace in aces:
            with_options = rules.replace(precedence=precedence, **ace)
            limit = find_bounds(with_options)
            assert limit is not None
            assert limit == worst(limit, search(with_options)), with_options.text


@pytest.mark.parametrize(("name", "capture"), [("scopa", "match_or_sum"), ("scopa", "fifteen"), ("scopa", "cirulla")])
def test_a_declared_seven_of_cups_does_not_go_beyond_the_bounds(name: str, capture: str) -> None:
    rules = find_rules(name, capture=capture, precedence="free", hand_bonus=True, matta=True)
    limit = find_bounds(rules)
    assert limit is not None
    found = [search(rules, matta) for matta in range(1, 11)]
    assert limit == worst(limit, *found)
    if capture == "fifteen":
        assert worst(*found) == bounds.FIFTEEN_WITH_MATTA


def test_no_hand_has_more_declarations() -> None:
    most = 0
    for rules in (find_rules("cirulla_2"), find_rules("cirulla_2", matta=False), find_rules("cirulla_2", hand_bonus_both="sum")):
        for hand in combinations(range(40), 3):
            mask = sum(1 << card for card in hand)
            declared = native.declarations(rules, mask)
            most = max(most, len(declared))
            if 25 in hand or hand[0] < 3:
                assert declared == reference.declarations(rules, mask)
    assert most == MAX_DECLARATIONS


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_with_forced_captures_has_bounds_and_no_other(name: str) -> None:
    assert (find_bounds(find_rules(name)) is None) == (not find_rules(name).forced)


@pytest.mark.parametrize("name", PRESETS)
def test_random_deals_stay_within_the_bounds(name: str) -> None:
    limit = find_bounds(find_rules(name))
    for seed in range(20):
        state = native.State(name, seed)
        rng = Random(seed)
        while moves := state.legal_moves():
            if limit is not None:
                assert len(state.table) <= limit.table
                assert state.card_move_count() <= limit.moves
                assert all(len(state.capture_masks(card)) <= limit.captures for card in state.hand(state.seat))
                assert state.move_count() - state.card_move_count() <= MAX_DECLARATIONS
            lays = [move for move in moves if move.kind == "lay"]
            state.play(rng.choice(lays or moves))


# -- deals that reach them ---------------------------------------------------------------


def play_ranks(engine: ModuleType, name: str, dealt: str, plays: list[str], hand: str = "") -> Any:
    """Play a deal with these ranks on the table and these plays, ``8`` or ``5x37``; the next seat holds ``hand``.

    Suits are given out in turn, and every card not mentioned goes where there is room.
    """
    rules = parse_rules(name)
    free = {rank: list(range(4 * value, 4 * value + 4)) for value, rank in enumerate(RANKS[rules.deck])}

    def card_of(rank: str) -> int:
        return int(free[rank].pop(0))

    # Where in the deck each place is: the identity deck says so.
    layout = engine.deal(rules.replace(void_kings=0, void_aces=0), range(rules.cards))
    deck: list[int | None] = [None] * rules.cards
    for place, rank in zip(layout.table, dealt, strict=True):
        deck[place] = card_of(rank)
    rounds = [[list(hands) for hands in dealt_hands] for dealt_hands in (layout.hands, *layout.later)]
    turns = [(number // (rules.seats * rules.hand), number % rules.seats) for number in range(rules.plays)]
    for (round_, seat), play in zip(turns, plays, strict=False):
        deck[rounds[round_][seat].pop()] = card_of(play[0])
    round_, mover = turns[len(plays)]
    for rank in hand:
        deck[rounds[round_][mover].pop()] = card_of(rank)
    rest = iter([card for cards in free.values() for card in cards])
    state = engine.State.from_deck(rules, [next(rest) if card is None else card for card in deck])
    for play in plays:
        for move in state.legal_moves()[state.move_count() - state.card_move_count() :]:
            ranks = "".join(engine.rank_letter(card // 4 + 1, rules.deck) for card in sorted(move.captured))
            if engine.rank_letter(move.card // 4 + 1, rules.deck) + f"x{ranks}" * bool(ranks) == play:
                state.play(move)
                break
        else:
            raise AssertionError(f"{play} cannot be played in {state!r}")
    return state


FIFTY_TWO_PLAYS = [play for rank in "FT87542A" for play in (rank, f"{rank}x{rank}", rank)]
"""Every card is laid, taken by its like and laid again, so that a new round of eight seats begins."""


@pytest.mark.parametrize(
    ("name", "dealt", "plays"),
    [
        ("scopone_scientifico", "", list("RCF765432A")), ("scopa", "CCCC", list("RF765432A")), ("scopone", "CCCC", list("RF765432A")),
        ("scopa_8", "CCCC", list("RFT98765432A")), ("scopa_quindici", "2222", list("RRRRFFFF66664444")),
        ("scopone[capture=fifteen]", "2222", list("RRRRFFFF66664444")), ("cirulla_3", "6666", list("RF42")),
    ],
)  # fmt: skip
def test_the_largest_table_can_come_about(engine: ModuleType, name: str, dealt: str, plays: list[str]) -> None:
    state = play_ranks(engine, name, dealt, plays)
    limit = find_bounds(state.rules)
    assert limit is not None
    assert len(state.table) == limit.table


@pytest.mark.parametrize(
    ("name", "dealt", "plays", "hand"),
    [
        ("scopone_scientifico", "", list("CF765432A"), "R"), ("scopa", "3333", list("F7542A"), "R"),
        ("scopa_8", "3333", list("FT87542A"), "R"), ("scopa_quindici", "2222", list("RRRRFFFF66664444"), "A"),
        ("cirulla_4", "4444", list("R62"), "A"),
    ],
)  # fmt: skip
def test_the_most_captures_of_a_card_can_come_about(engine: ModuleType, name: str, dealt: str, plays: list[str], hand: str) -> None:
    state = play_ranks(engine, name, dealt, plays, hand)
    limit = find_bounds(state.rules)
    assert limit is not None
    assert max(len(state.captures(card)) for card in state.hand(state.seat)) == limit.captures


@pytest.mark.parametrize(
    ("name", "dealt", "plays", "hand"),
    [
        ("scopone_scientifico", "", list("F765432A"), "RRRRCCCC"), ("scopa", "3333", list("F7542A"), "RRR"),
        ("scopone", "3333", list("F7542A"), "RRRRCCCC"), ("scopa_8", "3333", FIFTY_TWO_PLAYS, "RRR"),
        ("scopa_quindici", "2437", ["5x37", *"RRRRFFFF6666444222"], "AAA"),
        ("scopone[capture=fifteen]", "2222", list("RRRFFFF66664444"), "AAAA33"), ("cirulla_4", "4444", list("R62"), "AAA"),
    ],
)  # fmt: skip
def test_the_most_moves_can_come_about(engine: ModuleType, name: str, dealt: str, plays: list[str], hand: str) -> None:
    state = play_ranks(engine, name, dealt, plays, hand)
    limit = find_bounds(state.rules)
    assert limit is not None
    assert state.card_move_count() == limit.moves
    assert len(state.legal_moves()) == state.move_count()
