"""Random deals and random play: known frequencies, equal chances, and the same distribution on both engines.

Seeds are fixed, so nothing here fails by chance; the limits are many standard errors wide.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb, sqrt
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from state_texts import at

import scopa_fast as native
from scopa_fast import ITEMS, PRESETS, PlayoutTotals, find_rules, reference

FAR = 5.0
"""Standard errors that no honest sample strays."""


# -- what is known -----------------------------------------------------------------------


def test_a_million_random_deals_of_scopone() -> None:
    # Published from samples of up to 500,000 deals. Eighty million deals here gave 41.87 / 45.28 / 12.85 (each +-0.006), so
    # that a million stray past 0.2 for about one seed in twenty-five; the second tolerance is the sharper one.
    totals = native.playouts("scopone", 1_000_000, 1, threads=2)
    assert totals.deals == 1_000_000
    assert totals.plays == 36_000_000
    hand, deck = (100 * wins / totals.deals for wins in totals.wins)
    tie = 100 * totals.ties / totals.deals
    assert hand == pytest.approx(41.8, abs=0.2)
    assert deck == pytest.approx(45.4, abs=0.2)
    assert tie == pytest.approx(12.8, abs=0.2)
    assert (hand, deck, tie) == pytest.approx((41.87, 45.28, 12.85), abs=FAR * 0.05)
    mean = totals.margin / totals.deals
    assert mean == pytest.approx(-0.116, abs=0.012)
    assert sqrt(totals.margin_squared / totals.deals - mean * mean) == pytest.approx(2.93, abs=0.01)


def test_three_kings_among_four_cards_by_counting() -> None:
    kings = Fraction(comb(4, 3) * comb(36, 1) + comb(4, 4), comb(40, 4))
    assert kings == Fraction(29, 18278)


@pytest.mark.parametrize(
    ("rules", "void"),
    [
        ("scopone", Fraction(29, 18278)),
        ("scopa", Fraction(29, 18278)),
        ("scopone[void_kings=0,void_aces=1]", 1 - Fraction(comb(36, 4), comb(40, 4))),
        ("cirulla_2", 1 - Fraction(comb(36, 4) + 4 * comb(36, 3), comb(40, 4))),
        ("scopa_8", Fraction(4 * 48 + 1, comb(52, 4))),
        ("scopa[void_kings=1,void_aces=1]", 1 - Fraction(comb(32, 4), comb(40, 4))),
    ],
    ids=str,
)
def test_deals_are_void_as_often_as_counting_says(rules: str, void: Fraction) -> None:
    deals = 300_000
    totals = native.playouts(rules, deals, 7)
    assert totals.deals == deals
    # Voids before a deal that is not: a geometric number for each.
    p = float(void)
    expected, sd = deals * p / (1 - p), sqrt(deals * p) / (1 - p)
    assert abs(totals.voids - expected) < FAR * sd
    assert totals.plays == deals * find_rules(rules.partition("[")[0]).plays


def test_ten_card_games_are_never_void(engine: ModuleType) -> None:
    assert engine.playouts("scopone_scientifico[void_kings=1,void_aces=1]", 80, 1).voids == 0


# -- seeds -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_the_cards_of_a_deal_are_equal_on_both_engines(name: str) -> None:
    for seed in (0, 1, 2**64 - 1):
        for index in (0, 1, 77, 2**63):
            for dealer in (None, 0):
                new = native.shuffled_deck(name, seed, index, dealer)
                assert new == reference.shuffled_deck(name, seed, index, dealer)
                assert native.deal(name, new.deck, new.dealer) == reference.deal(name, new.deck, new.dealer)


@pytest.mark.parametrize("options", [{"void_aces": 1}, {"void_aces": 1, "void_kings": 1, "void_dealer": "next"}, {"deal_style": "single"}])
def test_deals_after_void_ones_are_equal_on_both_engines(options: dict[str, Any]) -> None:
    rules = find_rules("scopa_3", **options)
    voids = 0
    for index in range(60):
        new = native.shuffled_deck(rules, 5, index)
        assert new == reference.shuffled_deck(rules, 5, index)
        assert native.deal(rules, new.deck, new.dealer) == reference.deal(rules, new.deck, new.dealer)
        if rules.void_dealer == "next":
            assert new.dealer == (2 + new.voids) % 3
        voids += new.voids
    assert (voids > 10) == (rules.void_aces == 1)


def test_a_stream_as_seed_deals_from_where_it_stands_and_advances_alike() -> None:
    ours, theirs = native.Rng(9), reference.Rng(9)
    for _ in range(20):
        assert str(native.State("scopa[void_aces=1]", ours)) == str(reference.State("scopa[void_aces=1]", theirs))
        assert ours.state == theirs.state
    assert native.playouts("scopa", 3, ours).deals == reference.playouts("scopa", 3, theirs).deals
    assert ours.state == theirs.state


def test_every_card_comes_to_every_place_equally_often() -> None:
    deals, counts = 8_000, np.zeros((40, 40), dtype=np.int64)
    for index in range(deals):
        counts[range(40), native.shuffled_deck("scopone_scientifico", 3, index).deck] += 1
    expected = deals / 40
    square = float(((counts - expected) ** 2 / expected).sum())
    freedom = 39 * 39
    assert abs(square - freedom) < FAR * sqrt(2 * freedom)


# -- choices -----------------------------------------------------------------------------


def chi_square(counts: Counter[int], chances: dict[int, float], n: int) -> float:
    """Return by how many standard deviations the counts are off what the chances make of ``n`` draws."""
    assert set(counts) <= set(chances)
    square = sum((counts[key] - n * chance) ** 2 / (n * chance) for key, chance in chances.items())
    return (square - (len(chances) - 1)) / sqrt(2 * max(len(chances) - 1, 1))


POSITIONS = [
    native.State("scopa", 1), native.State("cirulla_2", 261), native.State("escoba_3", 3), native.State("asso_piglia_tutto_2", 4),
    native.State("scopa_8", 5), native.State("scopone", 6), native.State("scopa[ace_sweep=true,first_ace_ban=true,ace_to_pile=any]", 9),
    native.State.from_text(
        "cirulla_2 hands=AD2D7C/3D4D5D table=RD4B6S2S "
        "piles=AC2C3C4C5C6CFCCCRCAS3S4S5S7SFSCSRS/AB2B3B5B6B7BFBCBRB6D7DFDCD seat=0 dealer=1 matta=4 exposed=0"
    ),
]  # fmt: skip


def middle_positions() -> list[native.State]:
    """Positions after some random plays of deals of all presets: duplicates on the table, declared 7Cs, aces."""
    found = []
    for number, name in enumerate(PRESETS):
        state = native.State(name, number)
        rng = native.Rng(number)
        for _ in range(state.plays_left * 2 // 3):
            state.play(state.random_move(rng))
        found.append(state)
    return found


@pytest.mark.parametrize("state", [*POSITIONS, *middle_positions()], ids=str)
def test_a_random_move_is_uniform_over_the_card_moves(state: native.State) -> None:
    n = 20_000
    rng = native.Rng(11)
    counts = Counter(state.random_move(rng) for _ in range(n))
    moves = [int(move) for move in state.legal_moves() if not move.is_declaration]
    assert chi_square(counts, {move: 1 / len(moves) for move in moves}, n) < FAR
    assert set(counts) == set(moves)


def test_random_moves_are_drawn_alike_where_the_streams_are_alike() -> None:
    """Both take the high word of one draw times the number of moves."""
    for state in middle_positions():
        oracle = reference.State.from_text(str(state))
        ours, theirs = native.Rng(5), reference.Rng(5)
        assert [state.random_move(ours) for _ in range(20)] == [oracle.random_move(theirs) for _ in range(20)]


def test_a_random_move_of_thousands_is_uniform() -> None:
    state = native.State.from_text(
        "escoba_2 hands=ADRDRC/CBRSRB table=ACASAB2D2C2S2B3D3C3S3B4D4C4S4B5D5C5S5B6D6C6S6B7D7C7S7B piles=FDFCFSFBCDCCCS/- seat=0 dealer=1"
    )
    n, moves = 15_000, state.legal_move_ints()
    assert len(moves) > 2_000
    rng = native.Rng(1)
    counts = Counter(moves.index(state.random_move(rng)) * 50 // len(moves) for _ in range(n))
    chances = Counter(index * 50 // len(moves) for index in range(len(moves)))
    assert chi_square(counts, {block: size / len(moves) for block, size in chances.items()}, n) < FAR


def chances_of_moves(state: Any, policy: str, declarations: str) -> list[tuple[int, float]]:
    """Return each move a playout may choose with its chance, as the docstring of ``playouts`` has it."""
    declared = [move for move in state.legal_moves() if move.is_declaration and declarations != "never"]
    cards = [move for move in state.legal_moves() if not move.is_declaration]
    if declared and declarations == "always":
        best = [move for move in declared if move.points == max(other.points for other in declared)]
        return [(move, 1 / len(best)) for move in best]
    if policy == "uniform":
        return [(move, 1 / len(declared + cards)) for move in declared + cards]
    # A declaration is a choice like a card, which then has one move.
    choices = [[move] for move in declared] + [[m for m in cards if m.card == card] for card in dict.fromkeys(m.card for m in cards)]
    return [(move, 1 / len(choices) / len(moves)) for moves in choices for move in moves]


def last_plays(name: str, seed: int) -> native.State:
    """The position four plays before the end of a random deal."""
    state = native.State(name, seed)
    rng = native.Rng(seed)
    while state.plays_left > 4:
        state.play(state.random_move(rng))
    return state


ENDS = [
    (last_plays("scopa", 3), ["never"]), (last_plays("scopone_scientifico", 1), ["never"]),
    (last_plays("asso_piglia_tutto_2", 290), ["never"]), (last_plays("escoba_2", 34), ["never"]),
    (at(native, "cirulla_2 hands=2D3DAC/4D5D6D table=3CRD seat=0 dealer=1"), ["never", "always", "uniform"]),
    (at(native, "cirulla_2 hands=ADAC7C/4DRCRS table=2C3C4C5C6D seat=0 dealer=1"), ["never", "always", "uniform"]),
]  # fmt: skip
"""Short ends of deals, and the ways of declaring that can make a difference there."""


@pytest.mark.parametrize("policy", ["uniform", "card_first"])
@pytest.mark.parametrize(("state", "declarations"), [(state, way) for state, ways in ENDS for way in ways], ids=str)
def test_playouts_of_a_short_end_have_the_chances_of_the_whole_tree(state: native.State, declarations: str, policy: str) -> None:
    """The outcomes of the last plays, against the sum over every line of play with its exact chance."""
    chances: Counter[tuple[int, ...]] = Counter()

    def follow(at: native.State, chance: float) -> None:
        if at.is_terminal():
            chances[at.score().total] += chance  # type: ignore[assignment]
            return
        for move, share in chances_of_moves(at, policy, declarations):
            at.play(move)
            follow(at, chance * share)
            at.undo()

    follow(state.clone(), 1.0)
    assert sum(chances.values()) == pytest.approx(1)
    n = 20_000
    out = np.zeros((n, len(state.rules.sides)), dtype=np.int32)
    native.playouts(state, n, 3, policy=policy, declarations=declarations, out=out)
    numbers = {total: number for number, total in enumerate(chances)}
    counts = Counter(numbers[tuple(map(int, row))] for row in out)
    assert chi_square(counts, {numbers[total]: chance for total, chance in chances.items()}, n) < FAR
    few = 300
    out = np.zeros((few, len(state.rules.sides)), dtype=np.int32)
    reference.playouts(reference.State.from_text(str(state)), few, 3, policy=policy, declarations=declarations, out=out)
    counts = Counter(numbers[tuple(map(int, row))] for row in out)
    assert chi_square(counts, {numbers[total]: chance for total, chance in chances.items()}, few) < FAR


# -- both engines ------------------------------------------------------------------------

COMPARED = [
    ("scopa", "uniform", "never"), ("scopone", "card_first", "never"), ("cirulla_2", "uniform", "always"),
    ("cirulla_3", "card_first", "uniform"), ("cirulla_4", "uniform", "uniform"), ("escoba_3", "uniform", "never"),
    ("asso_piglia_tutto_2", "card_first", "never"),
    ("scopa_8", "uniform", "never"), ("scopa_assi[first_ace_ban=true,ace_to_pile=any]", "uniform", "never"),
    ("cirulla_2[first_ace_ban=true,hand_bonus_both=sum,ace_to_pile=any]", "card_first", "always"),
]  # fmt: skip


def far_apart(name: str, a: PlayoutTotals, b: PlayoutTotals) -> list[str]:
    """Return what two samples differ in by more than chance allows."""
    found = []

    def compare(what: str, x: int, y: int, x_squares: float, y_squares: float) -> None:
        mean_x, mean_y = x / a.deals, y / b.deals
        variance = (x_squares / a.deals - mean_x**2) / a.deals + (y_squares / b.deals - mean_y**2) / b.deals
        if abs(mean_x - mean_y) > FAR * sqrt(variance) + 1e-3:
            found.append(f"{name}: {what} {mean_x:.4f} v {mean_y:.4f}")

    for side in range(len(a.points)):
        compare(f"points of side {side}", a.points[side], b.points[side], a.points_squared[side], b.points_squared[side])
        compare(f"wins of side {side}", a.wins[side], b.wins[side], a.wins[side], b.wins[side])
        for item in ITEMS:
            compare(f"{item} won by side {side}", a.won[item][side], b.won[item][side], a.won[item][side], b.won[item][side])
    compare("ties", a.ties, b.ties, a.ties, b.ties)
    compare("margin", a.margin, b.margin, a.margin_squared, b.margin_squared)
    return found


@pytest.mark.parametrize(("rules", "policy", "declarations"), COMPARED, ids=str)
def test_native_and_reference_playouts_agree_in_distribution(rules: str, policy: str, declarations: str) -> None:
    ours = native.playouts(rules, 60_000, 1, policy=policy, declarations=declarations)
    theirs = reference.playouts(rules, 200, 2, policy=policy, declarations=declarations)
    assert far_apart(rules, ours, theirs) == []
    assert ours.plays * theirs.deals == theirs.plays * ours.deals
    if declarations != "never":
        assert sum(ours.won["bonus"]) > 0
        assert sum(theirs.won["bonus"]) > 0


def test_the_comparison_would_notice_another_policy() -> None:
    ours = native.playouts("escoba_2", 60_000, 1)
    assert far_apart("escoba_2", ours, native.playouts("escoba_2", 60_000, 2)) == []
    assert far_apart("escoba_2", ours, native.playouts("escoba_2", 60_000, 2, policy="card_first")) != []


@pytest.mark.parametrize(("rules", "policy", "declarations"), COMPARED, ids=str)
def test_playouts_are_equal_for_any_threads_and_any_split(rules: str, policy: str, declarations: str) -> None:
    sides = len(native.State(rules, 1).scope)

    def run(n: int, first: int = 0, threads: int = 1) -> tuple[PlayoutTotals, Any]:
        out = np.full((n, sides), -1, dtype=np.int32)
        return native.playouts(rules, n, 5, policy=policy, declarations=declarations, first=first, threads=threads, out=out), out

    whole, points = run(9_000)
    for threads in (2, 3, 7):
        again, out = run(9_000, threads=threads)
        assert again == whole
        assert (out == points).all()
    parts = [run(1), run(4_999, first=1), run(0, first=5_000), run(4_000, first=5_000, threads=2)]
    total = parts[0][0] + parts[1][0] + parts[2][0] + parts[3][0]
    assert total == whole
    assert (np.concatenate([out for _, out in parts]) == points).all()
    assert tuple(points.sum(axis=0)) == whole.points


def test_reference_playouts_are_equal_for_any_split() -> None:
    whole = reference.playouts("cirulla_2", 12, 5, declarations="uniform")
    start = reference.playouts("cirulla_2", 5, 5, declarations="uniform")
    assert start + reference.playouts("cirulla_2", 7, 5, declarations="uniform", first=5) == whole


@pytest.mark.parametrize("name", PRESETS)
def test_playouts_are_the_same_deals_on_both_engines(name: str) -> None:
    """The plays may differ, the cards, voids, table bonuses and dealers may not."""
    for dealer in (None, 0, "rotate"):
        ours = native.playouts(name, 12, 3, dealer=dealer)
        theirs = reference.playouts(name, 12, 3, dealer=dealer)
        assert (ours.voids, ours.plays, ours.deals) == (theirs.voids, theirs.plays, theirs.deals)


def test_a_rotating_dealer_deals_as_often_as_any_other() -> None:
    rotating = native.playouts("scopone", 4_000, 1, dealer="rotate")
    parts = [native.playouts("scopone", 1, 1, dealer=i % 4, first=i) for i in range(4_000)]
    total = parts[0]
    for part in parts[1:]:
        total += part
    assert total == rotating


@pytest.mark.parametrize("name", PRESETS)
def test_playouts_of_a_state_begin_there(engine: ModuleType, name: str) -> None:
    state = engine.State(name, 1)
    while state.plays_left > 5:
        state.play_index(0)
    before = repr(state)
    totals = engine.playouts(state, 20, 2)
    assert totals.plays == 100
    assert totals.voids == 0
    assert repr(state) == before
    assert sum(totals.wins) + totals.ties == 20


def test_playouts_of_a_finished_deal_are_its_score(engine: ModuleType) -> None:
    state = engine.State("scopone", 1)
    while not state.is_terminal():
        state.play_index(0)
    totals = engine.playouts(state, 3, 1)
    assert totals.points == tuple(3 * points for points in state.score().total)
