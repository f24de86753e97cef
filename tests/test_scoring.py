"""Scoring: primiera and napola over all holdings, every other item against a naive opinion, on both engines."""

from __future__ import annotations

from itertools import product
from random import Random
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import rulesets

import scopa_fast as native
from scopa_fast import ITEMS, PRESETS, Rules, find_rules, format_cards, parse_cards, reference

ENGINES = (native, reference)
WORTH = {7: 21, 6: 18, 1: 16, 5: 15, 4: 14, 3: 13, 2: 12}
"""PRI-2."""


def naive_worth(rules: Rules, rank: int) -> int:
    """What a rank is worth in the primiera (PRI-2, PRI-6, PRI-9)."""
    if rules.primiera_scale is not None:
        return dict(zip((7, 6, 1, 5, 4, 3, 2), rules.primiera_scale, strict=False)).get(rank, rules.primiera_scale[7])
    if rank <= 7:
        return WORTH[rank]
    return {"southern": rank, "zero_faces": 0}.get(rules.primiera, 10)


def naive_score(rules: Rules, piles: list[set[int]], scope: list[int], bonus: list[int]) -> dict[str, Any]:
    """The score of section 8, item by item."""
    sides = range(len(piles))
    ranks_per_suit = rules.cards // 4

    def most(amounts: list[Any], least: Any, *, contenders: set[int]) -> tuple[int, ...]:
        """PT-4: strictly the most, or shared with tie_points=all, among the sides that may have the point."""
        best = max((amounts[side] for side in contenders), default=None)
        top = {side for side in contenders if amounts[side] == best and amounts[side] > least}
        return tuple(int(side in top and (len(top) == 1 or rules.tie_points == "all")) for side in sides)

    coins = [sum(card % 4 == 0 for card in pile) for pile in piles]
    sizes = [len(pile) for pile in piles]
    half = rules.majority == "half"
    points: dict[str, tuple[int, ...]] = {
        "carte": most(sizes, rules.cards / 2 if half else 0, contenders=set(sides)),
        "denari": most(coins, ranks_per_suit / 2 if half else 0, contenders=set(sides)),
        "settebello": tuple(int(24 in pile) for pile in piles),
        "re_bello": tuple(int(rules.re_bello and rules.cards - 4 in pile) for pile in piles),
        "sette_coppe": tuple(int(rules.sette_coppe and 25 in pile) for pile in piles),
        "grande": tuple(
            5 if rules.grande and {4 * (ranks_per_suit - back) for back in (1, 2, 3)} <= pile else 0 for pile in piles
        ),
        "scopa": tuple(scope),
        "bonus": tuple(bonus),
    }

    # PRI-1 to PRI-9.
    pairs, counts = [], []
    for pile in piles:
        best = {suit: max(naive_worth(rules, card // 4 + 1) for card in pile if card % 4 == suit) for suit in {c % 4 for c in pile}}
        pairs.append((len(best), sum(best.values())))
        held = [sum(card // 4 + 1 == rank for card in pile) for rank in (7, 6, 1, 5, 4, 3, 2)]
        counts.append((*held, len(pile) - sum(held)))
    with_cards = {side for side in sides if piles[side]}
    if rules.primiera == "none":
        prime = (0,) * len(piles)
    elif rules.primiera == "rank_count":
        prime = most(counts, (0,) * 8, contenders=with_cards)
    elif rules.primiera_incomplete == "sum":
        prime = most([total for _, total in pairs], -1, contenders=with_cards)
    elif rules.primiera_incomplete == "none":
        prime = most(pairs, (0, 0), contenders={side for side in with_cards if pairs[side][0] == 4})
    else:
        prime = most(pairs, (0, 0), contenders=with_cards)
    points["primiera"] = prime
    points["palle_del_cane"] = tuple(
        int(rules.palle_del_cane and prime[side] == 1 and {24, 25, 26, 27} <= piles[side]) for side in sides
    )
    points["napola"] = tuple(naive_napola(rules, {card // 4 + 1 for card in pile if card % 4 == 0}) for pile in piles)
    return {
        "points": points,
        "total": tuple(sum(points[item][side] for item in ITEMS) for side in sides),
        "cards": tuple(sizes),
        "coins": tuple(coins),
        "prime": tuple(counts if rules.primiera == "rank_count" else pairs),
        "cappotto": next((side for side in sides if rules.coins_cappotto and coins[side] == ranks_per_suit), None),
        # PT-14: eight coins are more than half of either pack's, so one side at most can do it.
        "wiped": tuple(
            side for side in sides
            if rules.coins_wipe and any(coins[other] >= rules.coins_wipe for other in sides if other != side)
        ),
    }  # fmt: skip


def naive_napola(rules: Rules, ranks: set[int]) -> int:
    """PT-9, PT-10."""
    if rules.napola == "none" or not {1, 2, 3} <= ranks:
        return 0
    run = max(top for top in range(3, 14) if set(range(1, top + 1)) <= ranks)
    return min(run if rules.napola == "run" else len(ranks), rules.napola_max)


def compare(rules: Rules, piles: list[int], scope: list[int], bonus: list[int], unclaimed: int = 0) -> None:
    """Refuse any disagreement of the three opinions."""
    expected = naive_score(rules, [{card for card in range(52) if pile >> card & 1} for pile in piles], scope, bonus)
    for engine in ENGINES:
        score = engine.score_piles(rules, piles, scope, bonus, unclaimed)
        for name, value in expected.items():
            assert getattr(score, name) == value, (
                f"{engine.__name__}.score_piles({rules.text!r}, {piles}, {scope}, {bonus}, {unclaimed}).{name}: "
                f"{getattr(score, name)}, naively {value} (piles {[format_cards(pile, rules.deck) for pile in piles]})"
            )
        assert score.unclaimed.mask == unclaimed
        assert list(score.points) == list(ITEMS)


# -- primiera ----------------------------------------------------------------------------

SCALES: list[dict[str, Any]] = [
    {"primiera": "standard"}, {"primiera": "southern"}, {"primiera": "zero_faces"}, {"primiera": "rank_count"}, {"primiera": "none"},
    {"primiera_scale": (21, 18, 16, 15, 14, 13, 12, 0)}, {"primiera_scale": (1, 2, 3, 4, 5, 6, 7, 255)},
    {"primiera_scale": (0, 0, 0, 0, 0, 0, 0, 0)}, {"primiera_scale": (255,) * 8},
]  # fmt: skip


@pytest.mark.parametrize("options", SCALES, ids=str)
def test_prime_of_every_holding_of_a_suit(engine: ModuleType, options: dict[str, Any]) -> None:
    """All 1,024 holdings of a suit, each suit in turn, beside the best card of the others."""
    rules = find_rules("scopa", **options)
    for holding in range(1 << 10):
        suit = holding % 4
        pile = sum(1 << 4 * rank + suit for rank in range(10) if holding >> rank & 1)
        pile |= sum(1 << other for other in range(24, 28) if other % 4 != suit)
        score = engine.score_piles(rules, [pile, 0])
        ranks = [rank + 1 for rank in range(10) if holding >> rank & 1]
        if rules.primiera == "rank_count":
            counts = [ranks.count(7) + 3, *(ranks.count(rank) for rank in (6, 1, 5, 4, 3, 2)), sum(rank > 7 for rank in ranks)]
            assert score.prime[0] == tuple(counts), (options, ranks)
        else:
            best = max((naive_worth(rules, rank) for rank in ranks), default=0)
            assert score.prime[0] == (3 + bool(ranks), 3 * naive_worth(rules, 7) + best), (options, ranks)
        assert score.points["primiera"] == ((0, 0) if rules.primiera == "none" else (1, 0))


@pytest.mark.parametrize("options", [o for o in SCALES if o.get("primiera") != "southern"], ids=str)
def test_prime_of_every_holding_of_a_suit_of_52_cards(engine: ModuleType, options: dict[str, Any]) -> None:
    rules = find_rules("scopa_8", **options)
    for holding in range(1, 1 << 13, 1 if engine is native else 5):
        pile = sum(1 << 4 * rank + 2 for rank in range(13) if holding >> rank & 1)
        ranks = [rank + 1 for rank in range(13) if holding >> rank & 1]
        prime = engine.score_piles(rules, [pile, *[0] * 7]).prime[0]
        if rules.primiera == "rank_count":
            assert prime == (*(ranks.count(rank) for rank in (7, 6, 1, 5, 4, 3, 2)), sum(rank > 7 for rank in ranks)), ranks
        else:
            assert prime == (1, max(naive_worth(rules, rank) for rank in ranks)), ranks


@pytest.mark.parametrize("incomplete", ["compare", "none", "sum"])
@pytest.mark.parametrize("ties", ["none", "all"])
def test_every_pair_of_primes_of_two_suits_each(incomplete: str, ties: str) -> None:
    """Every two sides with at most one coin and one cup, and at most one sword and one club, of few enough ranks."""
    rules = find_rules("scopa", primiera_incomplete=incomplete, tie_points=ties)
    first = [0, *(1 << 4 * rank for rank in range(10))]
    second = [0, *(2 << 4 * rank for rank in (0, 1, 5, 6, 9))]
    sides = [a | b for a, b in product(first, second)]
    for ours, theirs in product(sides, sides):
        compare(rules, [ours, theirs << 2], [0, 0], [0, 0])


def test_four_sevens_are_84_and_four_faces_40(engine: ModuleType) -> None:
    score = engine.score_piles("scopa", [15 << 24, 15 << 36])
    assert score.prime == ((4, 84), (4, 40))


def test_three_sevens_beat_a_seven_and_three_faces_by_sum_only(engine: ModuleType) -> None:
    sevens, four_suits = mask("7D7C7S"), mask("7BRDRCRS")
    assert engine.score_piles("scopa", [sevens, four_suits]).points["primiera"] == (0, 1)  # PRI-3
    assert engine.score_piles("scopa[primiera_incomplete=sum]", [sevens, four_suits]).points["primiera"] == (1, 0)  # PRI-8
    assert engine.score_piles("scopa[primiera_incomplete=none]", [sevens, mask("RDRCRS")]).points["primiera"] == (0, 0)  # PRI-7


# -- napola ------------------------------------------------------------------------------


@pytest.mark.parametrize("napola", ["none", "run", "all_coins"])
@pytest.mark.parametrize("most", [3, 6, 7, 10, 13])
def test_napola_of_every_coin_set(engine: ModuleType, napola: str, most: int) -> None:
    rules = find_rules("scopone_trentino", napola=napola, napola_max=most)
    for coins in range(1 << 10):
        ranks = {rank + 1 for rank in range(10) if coins >> rank & 1}
        pile = sum(1 << 4 * (rank - 1) for rank in ranks)
        score = engine.score_piles(rules, [0, pile | 0b1110 << 20])
        assert score.points["napola"] == (0, naive_napola(rules, ranks)), f"{napola} {most} {ranks}"
        assert score.cappotto == (1 if len(ranks) == 10 else None)


@pytest.mark.parametrize("napola", ["run", "all_coins"])
def test_napola_of_every_coin_set_of_52_cards(engine: ModuleType, napola: str) -> None:
    rules = find_rules("scopa_8", napola=napola, napola_max=13, teams=((0, 2, 4, 6), (1, 3, 5, 7)), coins_cappotto=True)
    for coins in range(0, 1 << 13, 1 if engine is native else 3):
        ranks = {rank + 1 for rank in range(13) if coins >> rank & 1}
        pile = sum(1 << 4 * (rank - 1) for rank in ranks)
        score = engine.score_piles(rules, [pile, 0])
        assert score.points["napola"] == (naive_napola(rules, ranks), 0), f"{napola} {ranks}"
        assert score.cappotto == (0 if len(ranks) == 13 else None)


# -- everything --------------------------------------------------------------------------


def mask(text: str) -> int:
    return sum(1 << card for card in parse_cards(text))


@settings(max_examples=600, derandomize=True, database=None, deadline=None, print_blob=True)
@given(data=st.data())
def test_every_item_of_any_piles(data: st.DataObject) -> None:
    rules = data.draw(rulesets())
    sides = len(rules.sides)
    # Where each card is: mostly with a side, seldom with nobody or nowhere; lopsided as often as not.
    favourite = data.draw(st.integers(0, sides - 1))
    rng = Random(data.draw(st.integers(0, 2**32 - 1)))
    lean = data.draw(st.sampled_from([0, 0, 0.3, 0.6, 0.9]))
    piles, unclaimed = [0] * sides, 0
    for card in range(rules.cards):
        place = favourite if rng.random() < lean else rng.randrange(sides + (rng.random() < 0.3))
        if place < sides:
            piles[place] |= 1 << card
        else:
            unclaimed |= 1 << card
    points = [[rng.choice([0, 0, 1, 2, 10]) for _ in range(sides)] for _ in range(2)]
    compare(rules, piles, points[0], points[1], unclaimed)


@settings(max_examples=400, derandomize=True, database=None, deadline=None, print_blob=True)
@given(data=st.data())
def test_every_item_of_small_piles_where_ties_are_common(data: st.DataObject) -> None:
    rules = data.draw(rulesets())
    sides = len(rules.sides)
    cards = data.draw(st.lists(st.integers(0, rules.cards - 1), max_size=3 * sides, unique=True))
    piles = [sum(1 << card for card in cards[side::sides]) for side in range(sides)]
    compare(rules, piles, [0] * sides, [0] * sides)


@settings(max_examples=200, derandomize=True, database=None, deadline=None, print_blob=True)
@given(data=st.data())
def test_every_item_of_equal_ranks_in_two_piles(data: st.DataObject) -> None:
    """Two sides with the same ranks: every comparison is a tie but for coins, single cards and suits."""
    rules = data.draw(rulesets(seats=4, hand=9, deck="it40"))
    ranks = data.draw(st.integers(0, 1023))
    suits = data.draw(st.permutations(range(4)))
    piles = [0] * len(rules.sides)
    for rank in range(10):
        if ranks >> rank & 1:
            for number, suit in enumerate(suits):
                piles[number % 2] |= 1 << 4 * rank + suit
    compare(rules, piles, [0] * len(piles), [0] * len(piles))


@pytest.mark.parametrize("name", PRESETS)
def test_nothing_scores_nothing(engine: ModuleType, name: str) -> None:
    rules = find_rules(name)
    score = engine.score_piles(rules, [0] * len(rules.sides))
    assert score.total == (0,) * len(rules.sides)
    assert score.winner is None


def test_a_tie_for_most_cards_is_nobodys_point(engine: ModuleType) -> None:
    halves = [(1 << 20) - 1, ((1 << 20) - 1) << 20]
    assert engine.score_piles("scopa", halves).points["carte"] == (0, 0)
    assert engine.score_piles("scopa[tie_points=all]", halves).points["carte"] == (1, 1)
    assert engine.score_piles("scopa[tie_points=all,majority=half]", halves).points["carte"] == (0, 0)  # PT-5


def test_eight_of_thirteen_coins_wipe_out_every_other_side(engine: ModuleType) -> None:
    coins = [1 << 4 * rank for rank in range(13)]
    score = engine.score_piles("scopa_8[coins_wipe=8]", [sum(coins[:8]), sum(coins[8:]), *[0] * 6])
    assert score.wiped == (1, 2, 3, 4, 5, 6, 7)
