"""The exact solver: equal to plain minimax where that can be walked, true to itself where it cannot, and well behaved at its limits."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from minimax import minimax
from solver_golden import Deal, Ending, read_golden
from strategies import TWO_SIDES, random_ending, random_two_side_rules, rulesets
from test_crowded import CROWDED, crowded

import scopa_fast
from scopa_fast import (
    PRESETS,
    InvalidTableError,
    LimitReachedError,
    Move,
    MoveValues,
    Position,
    Progress,
    Rules,
    Solution,
    SolverTable,
    State,
    UnsolvableRulesError,
    at_least,
    evaluate,
    find_rules,
    mask_of,
    parse_rules,
    reference,
    score_piles,
    solve,
    solve_batch,
    solve_moves,
)
from scopa_fast.cards import MATTA, cards_of
from scopa_fast.core.call import TELL

SMALL = range(1, 9)
"""Cards left to play where plain minimax does not take long."""
LARGER = range(8, 17)
"""Cards left to play where it does."""
LINES = 3000
"""Most lines of play that plain minimax walks."""
SEQUENCES = 6000
"""Most sequences of five moves of a larger position: so crowded tables stay out of those that are solved by hundreds."""

PRESET_POSITIONS, OTHER_POSITIONS, DECLARATIONS = 600, 500, 60
"""Positions that a normal run compares with minimax."""
LONG = 9
"""How many times as many with ``--long``: more than ten thousand in all."""

WHOLE_DEAL = "scopone_scientifico"
"""Nobody waits for the end of a solve of this."""

EXAMPLE = State("scopone_scientifico", 7)
while EXAMPLE.plays_left > 20:
    EXAMPLE.play_index(EXAMPLE.plays_left % EXAMPLE.move_count())
"""Half a deal, which takes some milliseconds."""
FIXED = settings(
    max_examples=200, derandomize=True, database=None, deadline=None, print_blob=True,
    phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck),
)  # fmt: skip


def ending(rules: Rules, rng: Random, plays: range = LARGER) -> Position:
    """Any position of these rules with so many cards left to play."""
    return random_ending(rules, rng, plays, lines=SEQUENCES, ahead=5)


@cache
def endings(count: int = 150, plays: range = LARGER) -> tuple[Position, ...]:
    """Positions of the presets and of other rules in turn, always the same ones."""
    rng = Random(count)
    every = [find_rules(TWO_SIDES[i % len(TWO_SIDES)]) if i % 2 else random_two_side_rules(rng) for i in range(count)]
    return tuple(ending(rules, rng, plays) for rules in every)


def larger_endings() -> st.SearchStrategy[Position]:
    """Any position of any rules for two sides that is too large for minimax."""
    return st.builds(lambda rules, seed: ending(rules, Random(seed)), rulesets(sides=2), st.integers(0, 2**32 - 1))


@cache
def shared_table(megabytes: int) -> SolverTable:
    """A table that all tests fill, with positions of all rules."""
    return SolverTable(megabytes)


def check(state: State, what: str, got: object, expected: object) -> None:
    """Refuse a wrong answer in a line that can be pasted."""
    assert got == expected, f"{state!r}: {what} {got!r}, not {expected!r}"


def score_difference(state: State) -> int:
    ours, theirs = state.score().total
    return ours - theirs


def play_line(state: State, line: tuple[Move, ...]) -> int:
    """Play a line to the end of the deal, every move of it checked, and score the deal."""
    state = state.clone()
    for move in line:
        state.play(move)
    return score_difference(state)


def values_of(found: MoveValues) -> dict[Move, int]:
    return {move_value.move: move_value.value for move_value in found.moves}


# -- equal to plain minimax --------------------------------------------------------------


def relabelled(position: Position, rng: Random) -> Position:
    """The same ranks in the same places with other suits, other piles and other points: what a table must tell apart."""
    if position.rules.matta:  # the 7C is not like the other sevens
        suits = [rng.sample(range(4), 4) if rank != MATTA // 4 else range(4) for rank in range(13)]
    else:
        suits = [rng.sample(range(4), 4) for _ in range(13)]

    def new(mask: int) -> int:
        return mask_of(card // 4 * 4 + suits[card // 4][card % 4] for card in cards_of(mask))

    piles = [0, 0]
    for side in (0, 1):
        for card in cards_of(new(position.piles[side])):
            piles[side if rng.random() < 0.8 else 1 - side] |= 1 << card
    return dataclasses.replace(
        position,
        hands=tuple(map(new, position.hands)),
        table=new(position.table),
        piles=tuple(piles),
        stock=tuple(cards_of(new(1 << card))[0] for card in position.stock),
        scope=tuple(rng.randint(0, 20) for _ in range(2)),
        last_capturer=rng.choice([position.last_capturer, None, 0, 1]),
    )


def compare_with_minimax(position: Position, rng: Random, tally: Counter[str]) -> None:
    """Compare everything the solver says of a position with plain minimax."""
    answer = minimax(reference.State.from_position(position))
    state = State.from_position(position)
    sizes: list[dict[str, Any]] = [{"megabytes": 0}, {"megabytes": 1}, {"table": shared_table(1)}, {"table": shared_table(16)}]
    table = rng.choice(sizes)
    for _ in range(1 + rng.randrange(2)):  # the second time with what the first has left in the table
        moves = solve_moves(state, **table)
        check(state, "value of the moves", moves.value, answer.value)
        check(state, "values", values_of(moves), answer.values)
        check(state, "order of the moves", [value.move for value in moves.moves], list(answer.values))
        check(state, "best moves", moves.best, answer.best)
        solution = solve(state, **table)
        check(state, "bounds", (solution.lower, solution.upper, solution.value), (answer.value,) * 3)
        check(state, "line", solution.line, answer.line)
        for points in range(answer.value - 3, answer.value + 4):
            check(state, f"at least {points}", at_least(state, points, **table), answer.value >= points)
    check(state, "evaluation of the whole rest", evaluate(state, 2 * state.plays_left), answer.value)
    _count(state, answer.line, tally)


def _count(state: State, line: tuple[Move, ...], tally: Counter[str]) -> None:
    """Count the rare things that a test wants to have seen."""
    rules = state.rules
    tally["positions"] += 1
    tally[f"{rules.seats} seats"] += 1
    tally[rules.deck] += 1
    tally[f"hands of {rules.hand}"] += 1
    tally[f"capture={rules.capture}"] += 1
    tally[f"precedence={rules.precedence}"] += 1
    tally[f"primiera={rules.primiera}"] += 1
    tally["other teams (SEAT-2)"] += sorted(rules.sides) != [tuple(range(side, rules.seats, 2)) for side in (0, 1)]
    tally["stock left"] += state.stock_size > 0
    tally["nobody has captured yet (END-3)"] += state.last_capturer is None
    tally["exposed hands (CIR-4)"] += bool(state.exposed)
    tally["a declared 7C (CIR-6)"] += state.matta is not None
    tally["declarations at the root"] += state.move_count() > state.card_move_count()
    tally["unforced"] += not rules.forced
    tally["tables of 16 and more"] += len(state.table) >= 16
    tally["aces that sweep (ACE-1)"] += rules.ace_sweep and rules.ace_on_table == "ace_only"
    tally["aces that always sweep (ACE-2)"] += rules.ace_sweep and rules.ace_on_table == "all"
    for way in ("empty", "any"):
        tally[f"ace_to_pile={way} (ACE-4)"] += rules.ace_to_pile == way
    tally["scopa of the last play (SCO-3)"] += rules.last_play_scopa == "dealer"
    tally["ties that score (PT-4)"] += rules.tie_points == "all"
    tally["majority=half (PT-5)"] += rules.majority == "half"
    tally["a napola (PT-9)"] += rules.napola == "run"
    tally["a napola (PT-10)"] += rules.napola == "all_coins"
    state = state.clone()
    for move in line:
        tally["declarations in the line (CIR-4)"] += move.is_declaration
        tally["declared 7Cs in the line (CIR-5)"] += move.matta is not None
        tally["aces that may go to the pile (ACE-4)"] += any(other.kind == "to_pile" for other in state.legal_moves())
        tally["scope in the line"] += state.is_scopa(move)
        state.play(move)
    tally["unclaimed cards (END-3)"] += bool(state.table)


SEEN = (
    "2 seats", "4 seats", "6 seats", "it40", "hands of 3", "hands of 9", "hands of 10", "capture=match_or_sum", "capture=fifteen",
    "capture=cirulla", "precedence=single", "precedence=free", "primiera=rank_count", "primiera=southern", "stock left",
    "nobody has captured yet (END-3)", "exposed hands (CIR-4)", "a declared 7C (CIR-6)", "unforced", "tables of 16 and more",
    "aces that sweep (ACE-1)", "aces that always sweep (ACE-2)", "ace_to_pile=empty (ACE-4)", "aces that may go to the pile (ACE-4)",
    "scope in the line", "unclaimed cards (END-3)", "scopa of the last play (SCO-3)", "a napola (PT-9)",
)  # fmt: skip
"""What comparing positions of the presets must have come across."""
SEEN_IN_ANY_RULES = (
    *SEEN, "8 seats", "fr52", "precedence=fewest", "primiera=zero_faces", "primiera=none", "other teams (SEAT-2)",
    "ace_to_pile=any (ACE-4)", "ties that score (PT-4)", "majority=half (PT-5)", "a napola (PT-10)",
)  # fmt: skip
SEEN_WITH_DECLARATIONS = (
    "declarations at the root", "declarations in the line (CIR-4)", "declared 7Cs in the line (CIR-5)",
    "capture=match_or_sum", "capture=fifteen", "capture=cirulla",
)  # fmt: skip


def compare_family(rules: Rules, rng: Random, tally: Counter[str]) -> None:
    """Compare a position and one that looks like it."""
    plays = rng.choice([SMALL, range(1, 3), range(5, 7), range(6, 9)])  # few cards beside a full table, whole hands, rounds to come
    position = random_ending(rules, rng, plays, lines=LINES)
    compare_with_minimax(position, rng, tally)
    compare_with_minimax(relabelled(position, rng), rng, tally)


def compare_presets(positions: int, seed: int) -> Counter[str]:
    """Compare positions of every two-side preset in turn."""
    tally: Counter[str] = Counter()
    rng = Random(seed)
    while tally["positions"] < positions:
        for name in TWO_SIDES:
            compare_family(find_rules(name), rng, tally)
    return tally


def compare_any_rules(positions: int, seed: int) -> Counter[str]:
    """Compare positions of random rules for two sides."""
    tally: Counter[str] = Counter()
    rng = Random(seed)
    while tally["positions"] < positions:
        compare_family(random_two_side_rules(rng), rng, tally)
    return tally


def random_declaring_rules(rng: Random) -> Rules:
    """Return rules for two players who may declare (CIR-1)."""
    if rng.random() < 0.5:
        return find_rules("cirulla_2")
    while True:
        rules = random_two_side_rules(rng)
        if (rules.seats, rules.deck) == (2, "it40"):
            return rules.replace(hand_bonus=True, matta=rng.random() < 0.8)


def compare_declarations(positions: int, seed: int) -> Counter[str]:
    """Compare positions whose seat to move may declare its hand (CIR-1 to CIR-6)."""
    tally: Counter[str] = Counter()
    rng = Random(seed)
    while tally["positions"] < positions:
        rules = random_declaring_rules(rng)
        declarations = rng.choice([1, 4])  # four and more need the 7C
        for _ in range(200):
            position = random_ending(rules, rng, range(5, 7), lines=6000)
            state = State.from_position(position)
            if state.move_count() - state.card_move_count() >= declarations:
                compare_with_minimax(position, rng, tally)
                compare_with_minimax(relabelled(position, rng), rng, tally)
                break
    return tally


def check_seen(tally: Counter[str], wanted: tuple[str, ...]) -> None:
    unseen = [what for what in wanted if not tally[what]]
    assert not unseen, f"the positions never came to: {unseen}"


def test_every_preset_is_solved_as_by_minimax() -> None:
    check_seen(compare_presets(PRESET_POSITIONS, seed=1), SEEN)


def test_any_legal_rules_are_solved_as_by_minimax() -> None:
    check_seen(compare_any_rules(OTHER_POSITIONS, seed=2), SEEN_IN_ANY_RULES)


def test_positions_with_declarations_are_solved_as_by_minimax() -> None:
    check_seen(compare_declarations(DECLARATIONS, seed=3), SEEN_WITH_DECLARATIONS)


@pytest.mark.long
def test_every_preset_is_solved_as_by_minimax_for_long() -> None:
    compare_presets(LONG * PRESET_POSITIONS, seed=1_000_000)


@pytest.mark.long
def test_any_legal_rules_are_solved_as_by_minimax_for_long() -> None:
    compare_any_rules(LONG * OTHER_POSITIONS, seed=2_000_000)


@pytest.mark.long
def test_positions_with_declarations_are_solved_as_by_minimax_for_long() -> None:
    compare_declarations(LONG * DECLARATIONS, seed=3_000_000)


CROWDED_TWO_SIDES = {
    **{name: position for name, position in CROWDED.items() if len(position.rules.sides) == 2},
    "fifty-two cards in two teams": crowded("scopa_8[teams=0246/1357,precedence=free,forced=false]", range(44), [48]),
}


@pytest.mark.parametrize("position", CROWDED_TWO_SIDES.values(), ids=CROWDED_TWO_SIDES.keys())
def test_crowded_positions_are_solved_as_by_minimax(position: Position) -> None:
    state = State.from_position(position)
    while state.plays_left > 2 or state.perft(state.plays_left) > 10_000:
        state.play(min(state.legal_moves(), key=lambda move: move.captured_mask.bit_count()))
    compare_with_minimax(state.position(), Random(1), Counter())


# Positions with a known answer.


def test_a_card_that_gives_no_scopa_away_is_best() -> None:
    # Seat 0 captures nothing with either card; the 3 laid on an empty table gives a scopa away.
    state = State.from_text(
        "scopa hands=3C7D/3S2C table=- last=0 seat=0 dealer=1 "
        "piles=ADACASAB2D2S2B3D3B4D4C4S4B5D5C5S5B6D6C6S/6B7C7S7BFDFCFSFBCDCCCSCBRDRCRSRB"
    )
    found = solve_moves(state)
    assert {str(move): value for move, value in values_of(found).items()} == {"3C": -2, "7D": -1}
    assert [str(move) for move in solve(state).line] == ["7D", "2C", "3C", "3Sx3C"]


def test_a_declaration_is_free_points_and_a_bad_rank_of_the_matta_costs() -> None:
    state = State.from_text(
        "cirulla_2 hands=AD2D7C/3D4D5D table=RD piles=AC2C3C4C5C6CFCCCRCAS2S3S4S5S6S7SFSCSRS/AB2B3B4B5B6B7BFBCBRB6D7DFDCD seat=0 dealer=1"
    )
    answer = minimax(reference.State.from_text(str(state)))
    found = solve_moves(state)
    assert values_of(found) == answer.values
    assert found.best == answer.best
    assert all(move.is_declaration for move in found.best)
    assert len(found.best) < sum(value.move.is_declaration for value in found.moves)


def test_ranks_that_a_declared_seven_stands_for_are_not_like_suits() -> None:
    # With two cards of a rank in the hand, of two moves that differ in a suit one may stand for the other; the declarations do not.
    state = State.from_text(
        "scopa[napola=run,hand_bonus=true,matta=true] hands=2D2C7C/5C6D table=3D scope=17/10 bonus=3/0 "
        "piles=ADAB3S3B4D4C5S5B6C6S7S7BFBCBRDRC/ACAS2S2B3C4S4B5D6B7DFDFCFSCDCCCSRSRB last=1 seat=0 dealer=0"
    )
    answer = minimax(reference.State.from_text(str(state)))
    assert {str(move): value for move, value in answer.values.items() if move.is_declaration} == {
        "+3=A": 10, "+3=3": 20, "+3=4": 10, "+3=5": 18, "+10=2": 18,
    }  # fmt: skip
    for megabytes in (0, 1):
        assert values_of(solve_moves(state, megabytes=megabytes)) == answer.values


# -- true to itself ----------------------------------------------------------------------


WHOLE_DEALS = [
    *(name for name in TWO_SIDES if find_rules(name).hand == 3), "scopa[deck=fr52]", "scopa_4[teams=01/23]", "scopa_6[teams=012/345]",
    "scopa_assi[first_ace_ban=true,ace_to_pile=any]", "cirulla_2[hand_bonus_both=sum,ace_on_table=all]",
]  # fmt: skip
"""Rules whose whole deals are solved in a moment."""


@pytest.mark.parametrize("name", WHOLE_DEALS)
def test_the_line_of_a_whole_deal_is_best_at_each_step_and_ends_with_the_value(name: str) -> None:
    check_line(State(name, 3))
    check_line(State(name, 4, dealer=0))


@pytest.mark.parametrize("position", endings(60), ids=lambda position: position.rules.text)
def test_the_line_is_the_first_best_move_at_each_step_and_ends_with_the_value(position: Position) -> None:
    check_line(State.from_position(position))


def check_line(state: State) -> None:
    position = state.position()
    table = shared_table(16)
    solution = solve(state, table=table)
    check(state, "score of the line", play_line(state, solution.line), solution.value)
    for number, move in enumerate(solution.line):
        found = solve_moves(state, table=table)
        check(state, "move of the line", move, found.best[0])
        check(state, "value on the line", found.value, solution.value)
        check(state, "rest of the line", solve(state, table=table).line, solution.line[number:])
        state.play(move)
    assert state.is_terminal()
    assert solve(State.from_position(position), line=False, table=table).line == ()


@FIXED
@given(position=larger_endings(), threads=st.sampled_from([1, 1, 1, 2]))
def test_the_best_move_has_the_value_of_the_position_and_no_move_a_better_one(position: Position, threads: int) -> None:
    state = State.from_position(position)
    table = shared_table(16)
    value = solve(state, table=table, threads=threads).value
    found = solve_moves(state, table=table, threads=threads)
    check(state, "moves", [move_value.move for move_value in found.moves], state.legal_moves())
    best = (max if state.side == 0 else min)(values_of(found).values())
    check(state, "best of the moves", best, value)
    check(state, "value of the moves", (found.lower, found.upper, found.value), (value,) * 3)
    check(state, "best moves", found.best, tuple(move for move, worth in values_of(found).items() if worth == value))
    for move, worth in values_of(found).items():
        state.play(move)
        check(state, "value after the move", solve(state, table=table, line=False).value, worth)
        state.undo()


@FIXED
@given(position=larger_endings(), tables=st.sampled_from(["none", "fresh", "shared"]))
def test_at_least_agrees_with_the_value_at_every_threshold(position: Position, tables: str) -> None:
    state = State.from_position(position)
    options: dict[str, Any] = {"table": shared_table(16)} if tables == "shared" else {"megabytes": 1 if tables == "fresh" else 0}
    asked = {points: at_least(state, points, **options) for points in range(-12, 13)}  # before the table knows the value
    value = solve(state, line=False, **options).value
    for points in range(value - 3, value + 4):
        asked[points] = at_least(state, points, **options)
    for points, answer in asked.items():
        check(state, f"at least {points}", answer, value >= points)


@pytest.mark.parametrize("points", [10**6, 2**31, 2**63, 10**30])
def test_a_threshold_out_of_reach_has_an_answer(points: int) -> None:
    state = State.from_position(endings()[0])
    assert at_least(state, points) is False
    assert at_least(state, -points) is True


def mirrored(position: Position) -> Position:
    """The same position with the sides numbered the other way round."""
    last = position.last_capturer
    return dataclasses.replace(
        position,
        rules=position.rules.replace(teams=tuple(reversed(position.rules.sides))),
        piles=position.piles[::-1],
        scope=position.scope[::-1],
        bonus=position.bonus[::-1],
        last_capturer=None if last is None else 1 - last,
    )


def turned(position: Position) -> Position:
    """The same position with every seat one number higher."""
    rules, seats = position.rules, position.rules.seats
    return dataclasses.replace(
        position,
        rules=rules.replace(teams=tuple(tuple(sorted((seat + 1) % seats for seat in side)) for side in rules.sides)),
        hands=(position.hands[-1], *position.hands[:-1]),
        seat=(position.seat + 1) % seats,
        dealer=(position.dealer + 1) % seats,
        exposed=tuple(sorted((seat + 1) % seats for seat in position.exposed)),
    )


def with_suits_swapped(mask: int) -> int:
    """Swords for clubs and clubs for swords, which no rule tells apart (DECK-1)."""
    return mask_of(card ^ 1 if card & 2 else card for card in cards_of(mask))


def swapped(position: Position) -> Position:
    """The same position with swords for clubs."""
    return dataclasses.replace(
        position,
        hands=tuple(map(with_suits_swapped, position.hands)),
        table=with_suits_swapped(position.table),
        piles=tuple(map(with_suits_swapped, position.piles)),
        stock=tuple(card ^ 1 if card & 2 else card for card in position.stock),
    )


def swapped_move(move: Move) -> Move:
    if move.is_declaration:
        return move
    card = move.card ^ 1 if move.card & 2 else move.card
    if move.kind == "to_pile":
        return Move.to_pile(card, move.deck)
    return Move.capture(card, with_suits_swapped(move.captured_mask), move.deck) if move.captured_mask else Move.lay(card, move.deck)


@FIXED
@given(position=larger_endings(), gift=st.integers(0, 30), options=st.sampled_from([
    {"target": 1}, {"coins_cappotto": True}, {"coins_wipe": 8}, {"shutout7": True}, {"match_deals": 3}, {"void_kings": 1},
    {"deal_style": "single", "void_dealer": "next"},
]))  # fmt: skip
def test_the_same_position_in_another_guise_has_the_same_value(position: Position, gift: int, options: dict[str, Any]) -> None:
    table = shared_table(16)

    def find(position: Position) -> dict[Move, int]:
        return values_of(solve_moves(State.from_position(position), table=table))

    state = State.from_position(position)
    values = find(position)
    check(state, "values with the sides the other way round", {m: -v for m, v in find(mirrored(position)).items()}, values)
    check(state, "values with every seat one higher", find(turned(position)), values)
    check(state, "values with swords for clubs", {swapped_move(m): v for m, v in find(swapped(position)).items()}, values)
    given_scope = dataclasses.replace(position, scope=(position.scope[0], position.scope[1] + gift))
    check(state, f"values with {gift} scopa points more", {m: v + gift for m, v in find(given_scope).items()}, values)
    # What only a match has to do with changes nothing: PT-13, PT-14, MAT-1, MAT-5, MAT-7, and how cards were dealt.
    in_a_match = dataclasses.replace(position, rules=position.rules.replace(**options))
    check(state, f"values with {options}", find(in_a_match), values)


# -- tables ------------------------------------------------------------------------------


def compare_tables(positions: tuple[Position, ...], rng: Random) -> None:
    """Compare answers without a table with those of fresh and well-used ones, for positions and others that look like them."""
    shared, shared_large = SolverTable(megabytes=1), SolverTable(32)
    for position in positions:
        for other in (position, *(relabelled(position, rng) for _ in range(3))):
            state = State.from_position(other)
            expected = solve_moves(state, megabytes=0)
            for name, table in (("a fresh", SolverTable(1)), ("a shared", shared), ("a large", shared_large)):
                found = solve_moves(state, table=table)
                check(state, f"values with {name} table", values_of(found), values_of(expected))
                check(state, f"best moves with {name} table", found.best, expected.best)
                check(state, f"line with {name} table", solve(state, table=table).line, solve(state, megabytes=0).line)
    assert shared.entries > 0


def neighbours(position: Position, rng: Random) -> Iterator[Position]:
    """Positions that differ in one thing: who captured last, a card of a pile, two cards of a rank, a declaration, the stock, the rules."""
    for last in {None, 0, 1} - {position.last_capturer}:
        yield dataclasses.replace(position, last_capturer=last)
    for card in rng.sample(cards_of(position.piles[0] | position.piles[1]), min(6, (position.piles[0] | position.piles[1]).bit_count())):
        yield dataclasses.replace(position, piles=tuple(pile ^ 1 << card for pile in position.piles))
    for _ in range(6):
        first, second = rng.sample(range(4), 2)
        rank = rng.randrange(position.rules.cards // 4)
        cards = {4 * rank + first: 4 * rank + second, 4 * rank + second: 4 * rank + first}
        if MATTA in cards and position.matta:
            continue

        def new(mask: int, cards: dict[int, int] = cards) -> int:
            return mask_of(cards.get(card, card) for card in cards_of(mask))

        yield dataclasses.replace(
            position,
            hands=tuple(map(new, position.hands)),
            table=new(position.table),
            piles=tuple(map(new, position.piles)),
            stock=tuple(cards.get(card, card) for card in position.stock),
        )
    if position.exposed:
        yield dataclasses.replace(position, exposed=(), matta=None)
    if position.matta:
        yield dataclasses.replace(position, matta=position.matta % 10 + 1)
    if position.stock:
        stock = list(position.stock)
        one, other = rng.sample(range(len(stock)), 2)
        stock[one], stock[other] = stock[other], stock[one]
        yield dataclasses.replace(position, stock=tuple(stock))
    for options in (
        {"last_play_scopa": "dealer"}, {"tie_points": "all"}, {"majority": "half"}, {"sette_coppe": True}, {"re_bello": True},
        {"palle_del_cane": True}, {"napola": "run"}, {"napola": "all_coins"}, {"grande": True}, {"primiera": "rank_count"},
        {"primiera_incomplete": "none"}, {"scopa_value": "rank"}, {"scopa_value": "count"}, {"forced": False},
    ):  # fmt: skip
        if rng.random() < 0.3:
            scale = {"primiera_scale": None} if "primiera" in options else {}
            yield dataclasses.replace(position, rules=position.rules.replace(**options, **scale))


def compare_neighbours(positions: Iterable[Position], rng: Random) -> int:
    """Solve positions and their neighbours in one table, which tells apart what matters; return how often something did."""
    table, different = SolverTable(16), 0
    for position in positions:
        values = []
        for other in (position, *neighbours(position, rng)):
            state = State.from_position(other)
            values.append(solve(state, line=False, megabytes=0).value)
            check(state, "value in a table with others like it", solve(state, line=False, table=table).value, values[-1])
        different += len(set(values)) > 1
    return different


def test_a_table_tells_apart_what_matters() -> None:
    assert compare_neighbours(endings(1500, range(5, 11)), Random(7)) > 800


@pytest.mark.parametrize("options", [
    {"palle_del_cane": True, "primiera_scale": (0, 18, 16, 15, 14, 13, 12, 10)}, {"palle_del_cane": True, "tie_points": "all"},
    {"palle_del_cane": True, "primiera_scale": (9, 9, 9, 9, 9, 9, 9, 9), "tie_points": "all"},
    {"primiera_scale": (0, 0, 0, 0, 0, 0, 0, 255)}, {"primiera": "rank_count", "palle_del_cane": True},
    {"primiera": "none", "palle_del_cane": True}, {"primiera_incomplete": "none", "napola": "all_coins"},
    {"primiera_incomplete": "sum", "primiera": "zero_faces"}, {"majority": "half", "tie_points": "all", "grande": True},
    {"napola": "run", "napola_max": 3, "sette_coppe": True, "re_bello": True, "matta": True},
], ids=str)  # fmt: skip
def test_a_table_tells_apart_what_odd_items_rest_on(options: dict[str, Any]) -> None:
    rng = Random(str(options))
    rules = [find_rules(name, **options) for name in ("scopa", "scopa_4", "scopa_quindici", "scopone", "asso_piglia_tutto_2")]
    assert compare_neighbours([ending(rules[i % 5], rng, range(5, 11)) for i in range(200)], rng) > 100


@pytest.mark.long
def test_a_table_tells_apart_what_matters_for_long() -> None:
    compare_neighbours(endings(20_000, range(5, 15)), Random(8))


def test_cards_that_go_to_nobody_are_told_from_those_that_go_to_who_captured_last() -> None:
    # No card from 5 to 10 captures another rank or a sum of others, so all six stay on the table (END-2, END-3).
    rng, table = Random(9), SolverTable(1)
    for _ in range(300):
        rules = find_rules("scopa", tie_points=rng.choice(["none", "all"]), majority=rng.choice(["most", "half"]))
        hands = [4 * rank + rng.randrange(4) for rank in rng.sample(range(4, 10), 6)]
        piles = [0, 0]
        for card in set(range(40)) - set(hands):
            piles[rng.randrange(2)] |= 1 << card
        position = Position(
            rules=rules, hands=(mask_of(hands[:3]), mask_of(hands[3:])), table=0, piles=tuple(piles), stock=(), scope=(0, 0), bonus=(0, 0),
            last_capturer=None, seat=0, dealer=1,
        )  # fmt: skip
        for last in rng.sample([None, 0, 1], 3):
            state = State.from_position(dataclasses.replace(position, last_capturer=last))
            taken = [pile | mask_of(hands) * (side == last) for side, pile in enumerate(piles)]
            ours, theirs = score_piles(rules, taken, unclaimed=0 if last is not None else mask_of(hands)).total
            check(state, "value", solve(state, table=table).value, ours - theirs)


def test_tables_of_any_size_and_what_is_in_them_change_no_answer() -> None:
    compare_tables(endings(), Random(5))


@pytest.mark.long
def test_tables_change_no_answer_for_long() -> None:
    compare_tables(endings(3000), Random(6))


def test_a_table_counts_its_entries_and_can_be_cleared() -> None:
    table = SolverTable(2)
    assert table.megabytes == 2
    assert table.entries == 0
    first = solve(EXAMPLE, table=table)
    filled = table.entries
    assert filled > 0
    again = solve(EXAMPLE, table=table)
    assert (again.value, again.line) == (first.value, first.line)
    assert again.nodes < first.nodes
    table.clear()
    assert table.entries == 0
    assert solve(EXAMPLE, table=table).nodes == first.nodes
    none = SolverTable(0)
    assert solve(EXAMPLE, line=False, table=none).value == first.value
    assert (none.megabytes, none.entries) == (0, 0)


def test_a_saved_table_is_the_same_table(tmp_path: Path) -> None:
    table = SolverTable(1)
    expected = solve(EXAMPLE, table=table)
    table.save(tmp_path / "a table")
    loaded = SolverTable.load(str(tmp_path / "a table"))
    assert (loaded.megabytes, loaded.entries) == (table.megabytes, table.entries)
    again = solve(EXAMPLE, table=loaded)
    assert (again.value, again.line) == (expected.value, expected.line)
    assert again.nodes < expected.nodes
    assert [path.name for path in tmp_path.iterdir()] == ["a table"]


def test_a_table_that_is_in_use_is_refused() -> None:
    table = SolverTable(1)
    busy = State(WHOLE_DEAL, 1)
    other = threading.Thread(target=solve, args=(busy,), kwargs={"table": table, "seconds": 1.0})
    other.start()
    time.sleep(0.3)
    for call in (
        lambda: solve(EXAMPLE, table=table), lambda: solve_moves(EXAMPLE, table=table), lambda: at_least(EXAMPLE, 0, table=table),
        table.clear,
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match="in use"):
            call()
    assert solve(EXAMPLE, line=False).solved
    other.join()
    assert solve(EXAMPLE, line=False, table=table).solved


# -- threads and kernel levels -----------------------------------------------------------


@pytest.mark.parametrize("megabytes", [0, 1, 16])
def test_threads_change_no_answer(megabytes: int) -> None:
    larger = [EXAMPLE, *(State.from_position(position) for position in endings(30))]
    for state in larger:
        expected, line = solve_moves(state, megabytes=megabytes), solve(state, megabytes=megabytes).line
        for threads in (2, 3):
            table = SolverTable(megabytes)
            check(state, f"values of {threads} threads", values_of(solve_moves(state, threads=threads, table=table)), values_of(expected))
            check(state, f"best moves of {threads} threads", solve_moves(state, threads=threads, table=table).best, expected.best)
            table.clear()
            found = solve(state, threads=threads, table=table)
            check(state, f"line of {threads} threads", (found.value, found.line), (expected.value, line))
            check(state, f"answer of {threads} threads", at_least(state, expected.value, threads=threads), True)
            check(state, f"answer of {threads} threads", at_least(state, expected.value + 1, threads=threads), False)


def test_one_thread_counts_the_same_nodes_each_time() -> None:
    counts = {solve(EXAMPLE, megabytes=1).nodes for _ in range(3)}
    assert len(counts) == 1
    assert min(counts) > 0


LEVEL_JOB = """
import sys
import scopa_fast as sf
answers = []
for text in sys.stdin.read().splitlines():
    state = sf.State.from_text(text)
    for megabytes in (0, 1):
        found = sf.solve_moves(state, megabytes=megabytes)
        answers.append([(int(value.move), value.value, value.best) for value in found.moves])
        answers.append([int(move) for move in sf.solve(state, megabytes=megabytes).line])
    answers.append([sf.evaluate(state, depth) for depth in range(6)])
print(sf.cpu_info()["level"], answers)
"""


def test_every_kernel_level_gives_the_same_answers() -> None:
    texts = "\n".join(map(str, [EXAMPLE, *map(State.from_position, endings(50))]))
    answers = {}
    for level in scopa_fast.cpu_info()["levels"]:
        done = subprocess.run(
            [sys.executable, "-c", LEVEL_JOB], input=texts, capture_output=True, text=True, timeout=120,
            env={**os.environ, "SCOPA_FAST_LEVEL": level},
        )  # fmt: skip
        name, _, answers[level] = done.stdout.partition(" ")
        assert name == level, done.stderr
    assert len(set(answers.values())) == 1


# -- batches -----------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("megabytes", [0, 1])
def test_a_batch_is_solved_like_its_positions(threads: int, megabytes: int) -> None:
    states = [State.from_position(position) for position in endings()]
    seen: list[Progress] = []
    found = solve_batch(states, line=True, threads=threads, megabytes=megabytes, progress=seen.append)
    assert len(found) == len(states)
    for state, solution in zip(states, found, strict=True):
        alone = solve(state, table=shared_table(16))
        check(state, "answer in a batch", (solution.value, solution.line), (alone.value, alone.line))
    assert all(0 <= progress.done <= progress.total == len(states) for progress in seen)
    assert [solution.line for solution in solve_batch(states[:3], megabytes=0)] == [()] * 3


def test_a_batch_of_nothing_is_nothing() -> None:
    assert solve_batch([]) == []


def test_a_batch_may_be_any_iterable() -> None:
    assert [solution.value for solution in solve_batch(iter([EXAMPLE, EXAMPLE]))] == [solve(EXAMPLE).value] * 2


# -- limits ------------------------------------------------------------------------------

LIMITS: list[dict[str, Any]] = [{"nodes": 1}, {"nodes": 100}, {"nodes": 10_000}, {"seconds": 0.0}, {"nodes": 1, "seconds": 10}]


def limited() -> Iterator[State]:
    yield EXAMPLE
    yield from map(State.from_position, endings(30))


def check_bounds(state: State, found: Any, value: int) -> None:
    """Refuse bounds that do not hold the value, and anything more than bounds."""
    assert found.lower <= value <= found.upper, f"{state!r}: {value} is not in {found.lower}..{found.upper}"
    every = found.moves if isinstance(found, MoveValues) else ()
    assert found.solved == (found.lower == found.upper and all(move_value.solved for move_value in every))
    if found.lower == found.upper:
        assert found.value == value
    else:
        with pytest.raises(LimitReachedError) as caught:
            _ = found.value
        assert str(found.lower) in str(caught.value)
        assert str(found.upper) in str(caught.value)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("threads", [1, 2])
def test_at_a_limit_the_bounds_hold_the_value(limits: dict[str, Any], threads: int) -> None:
    unsolved = 0
    for state in limited():
        value, values = solve(state, table=shared_table(16)).value, values_of(solve_moves(state, table=shared_table(16)))
        options = {**limits, "threads": threads, "megabytes": 1}
        solution = solve(state, **options)
        check_bounds(state, solution, value)
        assert len(solution.line) == 0 or play_line(state, solution.line) == value
        assert solution.solved or solution.line == ()
        unsolved += not solution.solved
        moves = solve_moves(state, **options)
        check_bounds(state, moves, value)
        assert [move_value.move for move_value in moves.moves] == list(values)
        for move_value in moves.moves:
            check_bounds(state, move_value, values[move_value.move])
            assert not move_value.best or values[move_value.move] == value
        assert set(moves.best) <= {move for move, worth in values.items() if worth == value}
        for points in (value - 1, value, value + 1):
            assert at_least(state, points, **options) in (None, value >= points)
        (batched,) = solve_batch([state], **options)
        check_bounds(state, batched, value)
    assert unsolved or limits == {"nodes": 10_000}


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    free = solve(EXAMPLE, megabytes=1)
    bound = solve(EXAMPLE, megabytes=1, nodes=10**12, seconds=3600.0)
    assert dataclasses.replace(bound, seconds=free.seconds) == free
    assert free.seconds >= 0


def test_a_limit_on_nodes_is_kept() -> None:
    for nodes in (1000, 20_000):
        for call in (solve, solve_moves):
            found = call(State(WHOLE_DEAL, 1), nodes=nodes, megabytes=1)
            assert not found.solved
            assert 0 < found.nodes <= nodes * 1.5


@pytest.mark.parametrize("threads", [1, 2])
def test_a_limit_on_seconds_is_kept(threads: int) -> None:
    state = State(WHOLE_DEAL, 1)
    for call in (solve, solve_moves, lambda state, **options: at_least(state, 0, **options)):
        begin = time.monotonic()
        call(state, seconds=0.2, threads=threads, megabytes=1)
        assert 0.1 < time.monotonic() - begin < 1


def test_a_solve_can_go_on_in_the_same_table() -> None:
    table = SolverTable(16)
    expected = solve(EXAMPLE, megabytes=16)
    limits = [solve(EXAMPLE, table=table, nodes=1 + expected.nodes // 3) for _ in range(12)]
    assert limits[-1].solved
    assert (limits[-1].value, limits[-1].line) == (expected.value, expected.line)


# -- the ends of what can be solved ------------------------------------------------------

FINISHED = State("scopa", 4)
while not FINISHED.is_terminal():
    FINISHED.play_index(0)


def test_a_finished_deal_has_the_value_of_its_score() -> None:
    value = score_difference(FINISHED)
    solution = solve(FINISHED)
    assert (solution.lower, solution.upper, solution.value, solution.line) == (value, value, value, ())
    found = solve_moves(FINISHED)
    assert (found.lower, found.upper, found.moves, found.best) == (value, value, (), ())
    assert [at_least(FINISHED, value + more) for more in (-1, 0, 1)] == [True, True, False]
    assert [solution.value for solution in solve_batch([FINISHED])] == [value]
    assert evaluate(FINISHED) == evaluate(FINISHED, 0) == value


def test_a_last_card_is_solved() -> None:
    state = FINISHED.clone()
    state = State("scopa", 4)
    while state.plays_left > 1:
        state.play_index(0)
    assert solve(state, nodes=10).value == minimax(reference.State.from_text(str(state))).value


CALLS: dict[str, Callable[..., Any]] = {
    "solve": solve,
    "solve_moves": solve_moves,
    "at_least": lambda state, **options: at_least(state, 0, **options),
    "solve_batch": lambda state, **options: solve_batch([state], **options),
    "evaluate": evaluate,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("name", [*sorted(set(PRESETS) - set(TWO_SIDES)), "scopa_4[teams=0/1/2/3]", "scopa_6[teams=03/14/25]"])
def test_rules_of_more_than_two_sides_have_no_value(call: Callable[..., Any], name: str) -> None:
    rules = parse_rules(name)
    with pytest.raises(UnsolvableRulesError, match=rf"{len(rules.sides)} sides.*SEAT-2") as caught:
        call(State(rules, 1))
    assert rules.text in str(caught.value)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_solved_state_is_as_it_was(call: Callable[..., Any]) -> None:
    for state in (State.from_position(endings()[3]), State("cirulla_2", 5), State("escoba_2", 5), EXAMPLE.clone()):
        state.play_index(0)
        before, key, moves = repr(state), state.key, state.legal_moves()
        for limits in [{}] if call is evaluate else [{}, {"nodes": 50}, {"threads": 2}]:
            call(state, **limits)
            assert (repr(state), state.key, state.legal_moves()) == (before, key, moves)
        assert state.undo()


BAD_ARGUMENTS: dict[str, tuple[type[Exception], dict[str, Any]]] = {
    **{f"{name}={value!r}": (TypeError, {name: value}) for name in ("megabytes", "threads", "nodes") for value in (True, 1.0, "1", [1])},
    **{f"seconds={value!r}": (TypeError, {"seconds": value}) for value in (True, "1", [1], 1j)},
    **{f"{name}={value!r}": (ValueError, {name: value}) for name in ("megabytes", "threads", "nodes") for value in (-1, -(10**30), 10**30)},
    **{f"seconds={value!r}": (ValueError, {"seconds": value}) for value in (-1, -0.001, float("nan"), float("-inf"), -(10**400))},
    "threads=0": (ValueError, {"threads": 0}),
    "megabytes=None": (TypeError, {"megabytes": None}),
    "threads=None": (TypeError, {"threads": None}),
    "table=64": (TypeError, {"table": 64}),
    "table='t'": (TypeError, {"table": "t"}),
    "progress=1": (TypeError, {"progress": 1}),
}
NOT_TAKEN = {("solve_batch", "table")}
BAD = [
    (name, what)
    for name in ("solve", "solve_moves", "at_least", "solve_batch")
    for what, (_, options) in BAD_ARGUMENTS.items()
    if not {(name, option) for option in options} & NOT_TAKEN
]


@pytest.mark.parametrize(("name", "what"), BAD, ids=[f"{name}-{what}" for name, what in BAD])
def test_bad_arguments_are_refused_in_words_that_quote_them(name: str, what: str) -> None:
    error, options = BAD_ARGUMENTS[what]
    ((option, value),) = options.items()
    with pytest.raises(error) as caught:
        CALLS[name](EXAMPLE, **options)
    assert not isinstance(caught.value, OverflowError)
    assert option in str(caught.value)
    assert repr(value)[:20] in str(caught.value), str(caught.value)


BAD_CALLS: dict[str, tuple[type[Exception], Callable[[], Any], str]] = {
    "a table of -1": (ValueError, lambda: SolverTable(-1), "megabytes -1 "),
    "a table of True": (TypeError, lambda: SolverTable(True), "megabytes.*True"),
    "a table of 1.5": (TypeError, lambda: SolverTable(1.5), "megabytes.*1.5"),
    "a table of text": (TypeError, lambda: SolverTable("64"), "megabytes.*'64'"),
    "a table of 2**70": (ValueError, lambda: SolverTable(2**70), "megabytes"),
    "a table and its size": (ValueError, lambda: SolverTable(10**15), "megabytes"),
    "points of text": (TypeError, lambda: at_least(EXAMPLE, "1"), "points.*'1'"),
    "points of True": (TypeError, lambda: at_least(EXAMPLE, True), "points.*True"),
    "points of 0.5": (TypeError, lambda: at_least(EXAMPLE, 0.5), "points.*0.5"),
    "points of None": (TypeError, lambda: at_least(EXAMPLE, None), "points.*None"),
    "depth -1": (ValueError, lambda: evaluate(EXAMPLE, -1), "depth -1 "),
    "depth 2**70": (ValueError, lambda: evaluate(EXAMPLE, 2**70), f"depth {2**70} "),
    "depth of text": (TypeError, lambda: evaluate(EXAMPLE, "4"), "depth.*'4'"),
    "depth of True": (TypeError, lambda: evaluate(EXAMPLE, True), "depth.*True"),
    "depth of 4.0": (TypeError, lambda: evaluate(EXAMPLE, 4.0), "depth.*4.0"),
    "a batch of one state": (TypeError, lambda: solve_batch(EXAMPLE), "State"),
    "a batch of texts": (TypeError, lambda: solve_batch([EXAMPLE, str(EXAMPLE)]), "State.*str"),
    "a batch of text": (TypeError, lambda: solve_batch("scopa"), "State"),
    "a batch of None": (TypeError, lambda: solve_batch(None), "None"),
    "a batch with other rules": (UnsolvableRulesError, lambda: solve_batch([EXAMPLE, State("scopa_3", 1)]), "scopa_3.*SEAT-2"),
    "save to a number": (TypeError, lambda: solve(EXAMPLE, save=1), "save.*1"),
    "save to True": (TypeError, lambda: solve(EXAMPLE, save=True), "save.*True"),
    "save to nothing": (ValueError, lambda: solve(EXAMPLE, save=""), "save '' names no file"),
    "save to half a name": (ValueError, lambda: solve(EXAMPLE, save="a\0b"), r"save 'a\\x00b' names no file"),
    "a table in a file of no name": (ValueError, lambda: SolverTable(1).save(""), "path '' names no file"),
    "a table out of a file of no name": (ValueError, lambda: SolverTable.load(""), "path '' names no file"),
    "a state of the reference": (TypeError, lambda: solve(reference.State("scopa", 1)), "not scopa_fast.reference.state.State"),
    "a table to pickle": (TypeError, lambda: pickle.dumps(SolverTable(1)), "cannot be pickled or copied: save"),
    "a table to copy": (TypeError, lambda: copy.copy(SolverTable(1)), "cannot be pickled or copied: save"),
    "line of 1": (TypeError, lambda: solve(EXAMPLE, line=1), "line.*1"),
}


@pytest.mark.parametrize(("error", "call", "words"), BAD_CALLS.values(), ids=BAD_CALLS.keys())
def test_bad_calls_are_refused(error: type[Exception], call: Callable[[], Any], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("state", [None, "scopa", reference.State("scopa", 1), EXAMPLE.position(), State], ids=lambda s: type(s).__name__)
def test_only_a_state_of_the_native_engine_is_solved(call: Callable[..., Any], state: Any) -> None:
    with pytest.raises(TypeError, match="State"):
        call(state)


# -- values ------------------------------------------------------------------------------


def test_answers_are_plain_values() -> None:
    solution, found = solve(EXAMPLE), solve_moves(EXAMPLE)
    for answer in (solution, found):
        assert pickle.loads(pickle.dumps(answer)) == answer
        assert hash(answer) == hash(dataclasses.replace(answer))
        assert dataclasses.replace(answer, nodes=0) != answer
        with pytest.raises(dataclasses.FrozenInstanceError):
            answer.lower = 0  # type: ignore[misc]
    assert isinstance(solution, Solution)
    assert all(isinstance(move, Move) for move in (*solution.line, *found.best))
    assert isinstance(solution.nodes, int)
    assert isinstance(solution.seconds, float)


def test_a_table_says_its_size() -> None:
    assert repr(SolverTable(megabytes=3)) == "SolverTable(megabytes=3)"


# -- progress and interrupts -------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["solve", "solve_moves", "solve_batch"])
def test_progress_is_told_while_a_solve_goes_on(name: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert TELL == 0.5  # twice a second, as long as nobody asks for more
    for module in ("call", "solver"):
        monkeypatch.setattr(f"scopa_fast.core.{module}.TELL", 0.1)
    seen: list[Progress] = []
    callers = set()

    def note(progress: Progress) -> None:
        seen.append(progress)
        callers.add(threading.get_ident())

    CALLS[name](State(WHOLE_DEAL, 1), seconds=0.5, threads=threads, megabytes=4, progress=note)
    assert len(seen) in range(2, 6)
    assert callers == {threading.get_ident()}
    for earlier, later in itertools.pairwise(seen):
        assert earlier.seconds < later.seconds
        assert earlier.nodes <= later.nodes
    for progress in seen:
        assert progress.lower < progress.upper
        assert 0 <= progress.done <= progress.total


@pytest.mark.parametrize("plays", [14, 15])
def test_progress_tells_what_is_known_of_each_move(plays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOOK", "TELL"):
        monkeypatch.setattr(f"scopa_fast.core.call.{name}", 0.0)
    state, random = State(WHOLE_DEAL, 1), Random(2)
    for _ in range(plays):
        state.play(random.choice(state.legal_moves()))
    seen: list[Progress] = []
    found = solve_moves(state, progress=seen.append)
    assert found.solved
    assert any(0 < progress.done < progress.total for progress in seen)
    for progress in seen:
        assert [value.move for value in progress.moves] == state.legal_moves()
        for now, then in zip(progress.moves, found.moves, strict=True):
            assert now.lower <= then.value <= now.upper
            assert not now.best or then.best
    whole = State(WHOLE_DEAL, 1)
    solve_moves(whole, seconds=0.3, megabytes=4, progress=seen.append)
    assert [value.move for value in seen[-1].moves] == whole.legal_moves()
    assert not any(value.best for value in seen[-1].moves)
    solve(whole, seconds=0.3, megabytes=4, progress=seen.append)
    assert seen[-1].moves == ()


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_progress_ends_the_solve(threads: int) -> None:
    def refuse(progress: Progress) -> None:
        raise ZeroDivisionError(progress.nodes)

    table = SolverTable(1)
    for call in (solve, solve_moves):
        begin = time.monotonic()
        with pytest.raises(ZeroDivisionError):
            call(State(WHOLE_DEAL, 1), table=table, threads=threads, progress=refuse)
        assert time.monotonic() - begin < 3
    assert solve(EXAMPLE, line=False, table=table).value == solve(EXAMPLE, line=False).value


def test_progress_may_solve_other_positions_but_not_in_the_same_table() -> None:
    table, answers = SolverTable(1), []

    def nested(progress: Progress) -> None:
        answers.append((solve(EXAMPLE).value, evaluate(EXAMPLE)))
        with pytest.raises(RuntimeError, match="in use"):
            solve(EXAMPLE, table=table)

    solve(State(WHOLE_DEAL, 1), table=table, seconds=0.7, progress=nested)
    assert answers == [(solve(EXAMPLE).value, evaluate(EXAMPLE))]


def test_threads_of_ones_own_may_each_solve() -> None:
    states = [State.from_position(position) for position in endings(60)]
    expected = [solve(state) for state in states]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(solve, states))
    assert [(solution.value, solution.line) for solution in found] == [(solution.value, solution.line) for solution in expected]


INTERRUPTS = """
import os, signal, threading, time
import scopa_fast as sf

whole, table = sf.State("scopone_scientifico", 1), sf.SolverTable(16)
small = sf.State("scopa", 3)
while small.plays_left > 10:
    small.play_index(0)
expected, before = sf.solve(small).value, repr(whole)
calls = [
    lambda threads: sf.solve(whole, table=table, threads=threads),
    lambda threads: sf.solve_moves(whole, table=table, threads=threads),
    lambda threads: sf.at_least(whole, 0, table=table, threads=threads),
    lambda threads: sf.solve_batch([whole, whole, whole], threads=threads),
    lambda threads: sf.evaluate(whole, 30),
]
for call in calls:
    for threads in (1, 2):
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        begin = time.monotonic()
        timer.start()
        try:
            call(threads)
        except KeyboardInterrupt:
            late = time.monotonic() - begin - 0.2
            assert late < 1, late
        else:
            raise SystemExit("not interrupted")
        timer.join()
        assert repr(whole) == before
        assert sf.solve(small, table=table).value == expected
print("alive")
"""


def test_an_interrupt_ends_a_solve_and_leaves_the_table_usable() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTS], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


# -- saved work --------------------------------------------------------------------------

LONG_SOLVE = """
import sys
import scopa_fast as sf
from scopa_fast.core import call, solver
call.SAVE = solver.SAVE = 0.02, 1.0, 0.05  # often enough for a test
sf.solve(sf.State.from_text(sys.argv[1]), save=sys.argv[2], megabytes=4, threads=int(sys.argv[3]))
"""


@cache
def long_solve() -> tuple[State, Solution]:
    """A position that takes a second, and its value."""
    state = State(WHOLE_DEAL, 11)
    while state.plays_left > 28:
        state.play_index(state.plays_left % state.move_count())
    return state, solve(state, megabytes=4)


def end_a_solve(path: Path, how: int, threads: int) -> str:
    """Begin the long solve in another process, and end it when it has saved its work; return what it says."""
    state, _ = long_solve()
    command = [sys.executable, "-c", LONG_SOLVE, str(state), str(path), str(threads)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    begin = time.monotonic()
    while not path.exists():
        assert process.poll() is None, "nothing was saved"
        assert time.monotonic() - begin < 30, "nothing was saved in half a minute"
        time.sleep(0.01)
    process.send_signal(how)
    _, errors = process.communicate(timeout=30)
    assert process.returncode in (-how, 1), "it was solved before it could be ended"
    return errors


def check_resumed(path: Path) -> None:
    """Refuse a file that says anything else than what a fresh solve finds, or saves no work."""
    state, fresh = long_solve()
    resumed = solve(state, save=path)
    assert (resumed.value, resumed.line) == (fresh.value, fresh.line)
    assert resumed.nodes < fresh.nodes


@pytest.mark.parametrize("threads", [1, 2])
def test_a_killed_solve_goes_on_where_it_was_saved(tmp_path: Path, threads: int) -> None:
    end_a_solve(tmp_path / "solve", signal.SIGKILL, threads)
    check_resumed(tmp_path / "solve")


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_solve_keeps_its_work(tmp_path: Path, threads: int) -> None:
    assert "KeyboardInterrupt" in end_a_solve(tmp_path / "solve", signal.SIGINT, threads)
    assert [file.name for file in tmp_path.iterdir()] == ["solve"]
    check_resumed(tmp_path / "solve")


def test_a_finished_solve_is_read_from_its_file(tmp_path: Path) -> None:
    first = solve(EXAMPLE, save=tmp_path / "solve", megabytes=1)
    again = solve(EXAMPLE, save=tmp_path / "solve", megabytes=1)
    assert (again.value, again.line) == (first.value, first.line)
    assert again.nodes < first.nodes / 10
    limited = solve(EXAMPLE, save=tmp_path / "limited", megabytes=1, nodes=first.nodes // 2)
    assert not limited.solved
    rest = solve(EXAMPLE, save=tmp_path / "limited", megabytes=1)
    assert (rest.value, rest.line) == (first.value, first.line)
    assert rest.nodes < first.nodes


def damaged(data: bytes) -> Iterator[bytes]:
    """What a disk may make of a file."""
    rng = Random(1)
    yield b""
    yield b"scopa\n"
    yield data[:-1]
    yield data[: len(data) // 2]
    yield data[:10]
    yield data + b"x"
    yield bytes(len(data))
    for place in [0, 5, *(rng.randrange(len(data)) for _ in range(20)), len(data) - 1]:
        yield data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]


def test_a_table_of_its_own_is_what_save_needs(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="save"):
        solve(EXAMPLE, save=tmp_path / "solve", table=SolverTable(1))
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path, saved = tmp_path / "solve", tmp_path / "table"
    table = SolverTable(1)
    solve(EXAMPLE, table=table)
    table.save(saved)
    solve(EXAMPLE, save=path, megabytes=1)
    for file, read in ((saved, SolverTable.load), (path, lambda path: solve(EXAMPLE, save=path, megabytes=1))):
        for data in damaged(file.read_bytes()):
            file.write_bytes(data)
            with pytest.raises(InvalidTableError, match=file.name):
                read(file)
            assert file.read_bytes() == data  # nothing is written over what may be of worth to somebody


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path, saved = tmp_path / "solve", tmp_path / "table"
    SolverTable(1).save(saved)
    solve(EXAMPLE, save=path, megabytes=1)
    other = State.from_position(endings()[1])
    before = path.read_bytes()
    with pytest.raises(InvalidTableError, match="solve"):
        solve(other, save=path, megabytes=1)
    assert path.read_bytes() == before
    with pytest.raises(InvalidTableError, match="solve"):
        SolverTable.load(path)
    with pytest.raises(InvalidTableError, match="table"):
        solve(EXAMPLE, save=saved, megabytes=1)


def test_a_place_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    for path in (tmp_path / "no such directory" / "solve", tmp_path):
        with pytest.raises(OSError, match=path.name):
            solve(State(WHOLE_DEAL, 1), save=path, megabytes=1)
        with pytest.raises(OSError, match=path.name):
            SolverTable(1).save(path)
        with pytest.raises(OSError, match=path.name):
            SolverTable.load(path)


def test_an_error_of_a_save_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "work"

    def refuse(self: Path, *_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    for name, save in (("touch", partial(solve, EXAMPLE, save=file)), ("replace", partial(SolverTable(0).save, file))):
        with monkeypatch.context() as patch:
            patch.setattr(Path, name, refuse)
            with pytest.raises(PermissionError) as caught:
                save()
        assert caught.value.filename == str(file)
        assert list(tmp_path.iterdir()) == []


def test_a_save_follows_links_and_spares_what_is_no_file(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(target)
    SolverTable(1).save(link)
    assert link.is_symlink()
    assert SolverTable.load(target).megabytes == 1
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="not a regular file"):
        SolverTable(1).save(pipe)
    assert pipe.is_fifo()


def test_saves_at_the_same_time_leave_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "solve"
    threads = [threading.Thread(target=solve, args=(EXAMPLE,), kwargs={"save": path, "megabytes": 1}) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [file.name for file in tmp_path.iterdir()] == ["solve"]
    assert solve(EXAMPLE, save=path, megabytes=1).value == solve(EXAMPLE).value


# -- memory ------------------------------------------------------------------------------


@pytest.mark.parametrize("megabytes", [2048, 4096])
def test_large_tables_are_tables(megabytes: int) -> None:
    nodes = solve(EXAMPLE, line=False).nodes
    assert solve(EXAMPLE, line=False, megabytes=megabytes).nodes == nodes
    table = SolverTable(megabytes)
    assert solve(EXAMPLE, line=False, table=table).nodes == nodes


LITTLE_MEMORY = """
import resource
import scopa_fast as sf

state = sf.State.from_text(STATE)
sf.solve(state, megabytes=1)
table = sf.SolverTable(1)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (20 << 20), resource.RLIM_INFINITY))
for call in (lambda: sf.solve_batch([state], megabytes=64), lambda: sf.SolverTable(64), lambda: table.__init__(64)):
    try:
        call()
    except MemoryError:
        continue
    raise SystemExit("there was memory")
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
table.clear()
print(table.entries, sf.solve(state, megabytes=1).solved, sf.solve(state, table=table).solved)
"""


def test_without_memory_nothing_is_broken() -> None:
    code = LITTLE_MEMORY.replace("STATE", repr(str(EXAMPLE)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "0 True True\n"), done.stderr


STORM = """
import os, signal, threading, time
import scopa_fast as sf

table, whole, small = sf.SolverTable(4), sf.State("scopone_scientifico", 1), sf.State("scopa", 3)


def storm():
    time.sleep(0.05)
    for _ in range(6):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.0005)


for turn in range(20):
    thread = threading.Thread(target=storm)
    try:
        thread.start()
        sf.solve(whole, table=table, threads=4)
    except KeyboardInterrupt:
        pass
    quiet = False
    while not quiet:  # until no interrupt is on its way any more
        try:
            thread.join()
            time.sleep(0.05)
            quiet = True
        except KeyboardInterrupt:
            pass
    assert sf.solve(small, table=table).solved
print("alive")
"""


def test_interrupts_upon_interrupts_leave_the_table_usable() -> None:
    done = subprocess.run([sys.executable, "-c", STORM], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


# -- estimates ---------------------------------------------------------------------------


def most_points(state: State, side: int) -> int:
    """More than a side can still come to (PT-1 to PT-12)."""
    rules = state.rules
    scopa = 1 if rules.scopa_value == "one" else 53
    hands = sum(len(team) for team in rules.sides) * rules.rounds if rules.hand_bonus else 0
    return state.scope[side] + state.bonus[side] + scopa * state.plays_left + 13 * hands + 4 + 3 + rules.napola_max + 5


@FIXED
@given(rules=rulesets(sides=2), seed=st.integers(0, 2**32 - 1), plays=st.integers(0, 70), depth=st.integers(0, 3))
def test_an_estimate_is_always_the_same_and_within_what_can_be_won(rules: Rules, seed: int, plays: int, depth: int) -> None:
    state, rng = State(rules, seed), Random(seed)
    for _ in range(plays):
        if not state.is_terminal() and len(state.table) < 9:
            state.play(rng.choice(state.legal_moves()))
    if rules.forced is False and len(state.table) > 9:
        return
    before = repr(state)
    estimate = evaluate(state, depth)
    check(state, "estimate", evaluate(state.clone(), depth), estimate)
    check(state, "estimate", evaluate(State.from_text(str(state)), depth=depth), estimate)
    assert isinstance(estimate, int)
    assert state.scope[0] + state.bonus[0] - most_points(state, 1) <= estimate, before
    assert estimate <= most_points(state, 0) - state.scope[1] - state.bonus[1], before
    assert repr(state) == before


@pytest.mark.parametrize("position", endings(40), ids=lambda position: position.rules.text)
def test_an_estimate_that_looks_to_the_end_is_exact(position: Position) -> None:
    state = State.from_position(position)
    if state.plays_left <= 10:
        check(state, "estimate", evaluate(state, 2 * state.plays_left), solve(state, table=shared_table(16)).value)


def test_an_estimate_looks_four_plies_ahead_unless_told() -> None:
    states = [State(name, seed) for name in ("scopa", "scopone", "cirulla_2") for seed in range(10)]
    assert [evaluate(state) for state in states] == [evaluate(state, 4) for state in states]
    assert len({evaluate(state) for state in states}) > 3


# -- the golden file ---------------------------------------------------------------------


def check_golden(entry: Ending | Deal) -> None:
    if isinstance(entry, Deal):
        state = State("scopa", entry.seed)
        solution = solve(state, table=shared_table(16))
        check(state, "value", solution.value, entry.value)
        check(state, "score of the line", play_line(state, solution.line), entry.value)
    else:
        state = State.from_text(entry.position)
        found = solve_moves(state, table=shared_table(16))
        check(state, "value", found.value, entry.value)
        check(state, "best moves", tuple(map(str, found.best)), entry.best)


def test_a_sample_of_the_golden_file_is_solved_alike() -> None:
    for entry in read_golden()[::10]:
        check_golden(entry)


@pytest.mark.long
def test_the_golden_file_is_solved_alike() -> None:
    for entry in read_golden():
        check_golden(entry)


def test_the_golden_file_has_endings_of_every_preset_and_whole_deals() -> None:
    golden = read_golden()
    positions = [State.from_text(entry.position) for entry in golden if isinstance(entry, Ending)]
    assert len({str(state) for state in positions}) == 1000
    assert {state.plays_left for state in positions} == set(range(8, 17))
    presets = {state.rules.text for state in positions} & set(PRESETS)
    assert presets == set(TWO_SIDES)
    assert len({state.rules.text for state in positions}) > 300
    assert [entry.seed for entry in golden if isinstance(entry, Deal)] == list(range(1000))


def test_estimates_are_near_the_values_and_nearer_the_deeper_they_look() -> None:
    solved = [(State.from_text(entry.position), entry.value) for entry in read_golden() if isinstance(entry, Ending)]
    errors = [sum(abs(evaluate(state, depth) - value) for state, value in solved) / len(solved) for depth in (0, 2, 4, 6)]
    assert errors == sorted(errors, reverse=True)
    assert errors[2] < 1.2
