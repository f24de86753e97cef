"""The score of a deal: section 8 of the rules, item by item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ..arguments import RulesLike, check_rules, check_sides
from ..cards import DENARI, MATTA, RE_BELLO, SETTEBELLO, make_card, rank_of, suit_of
from ..results import ITEMS, Score
from ..rules import Rules
from .captures import Cards, set_of

__all__ = ["score_piles"]

SCALE_RANKS = (7, 6, 1, 5, 4, 3, 2)
"""The ranks of a primiera scale, best first; all others are faces (PRI-2, PRI-6)."""
SCALE = (21, 18, 16, 15, 14, 13, 12)
SOUTHERN_FACES = {8: 8, 9: 9, 10: 10}

Prime = tuple[int, ...]
Rank = TypeVar("Rank", int, Prime)


def card_prime(rules: Rules, card: int) -> int:
    """Return what a card is worth in the primiera (PRI-2, PRI-6, PRI-9)."""
    rank = rank_of(card)
    scale = rules.primiera_scale or (*SCALE, 10)
    if rank in SCALE_RANKS:
        return scale[SCALE_RANKS.index(rank)]
    if rules.primiera == "southern":
        return SOUTHERN_FACES[rank]
    return 0 if rules.primiera == "zero_faces" else scale[-1]


def prime_of(rules: Rules, pile: Cards) -> Prime:
    """Return the prime of a pile: (suits, sum) (PRI-1, PRI-3), or with ``rank_count`` its eight counts (PRI-5)."""
    if rules.primiera == "rank_count":
        ranks = [rank_of(card) for card in pile]
        counts = [ranks.count(rank) for rank in SCALE_RANKS]
        return (*counts, len(pile) - sum(counts))
    best = [max(card_prime(rules, card) for card in pile if suit_of(card) == suit) for suit in {suit_of(card) for card in pile}]
    return (len(best), sum(best))


def award(rules: Rules, holdings: Sequence[Rank | None]) -> tuple[int, ...]:
    """Return a point for the side with the best holding; None cannot win, and a tie is settled by PT-4."""
    best = max((holding for holding in holdings if holding is not None), default=None)
    winners = [side for side, holding in enumerate(holdings) if holding is not None and holding == best]
    if len(winners) > 1 and rules.tie_points == "none":
        winners = []
    return tuple(int(side in winners) for side in range(len(holdings)))


def majority(rules: Rules, counts: Sequence[int], all_of_them: int) -> tuple[int, ...]:
    """Return the point for most cards or most coins (PT-1, PT-2, PT-4, PT-5)."""
    needed = all_of_them // 2 if rules.majority == "half" else 0
    return award(rules, [count if count > needed else None for count in counts])


def primiera(rules: Rules, piles: Sequence[Cards], primes: Sequence[Prime]) -> tuple[int, ...]:
    """Return the point for the best prime (PRI-1 to PRI-9)."""
    if rules.primiera == "none":
        return (0,) * len(piles)
    contenders: list[Prime | None] = [prime if pile else None for pile, prime in zip(piles, primes, strict=True)]  # PRI-4
    if rules.primiera != "rank_count":
        if rules.primiera_incomplete == "none":  # PRI-7
            contenders = [prime if prime is not None and prime[0] == 4 else None for prime in contenders]
        elif rules.primiera_incomplete == "sum":  # PRI-8
            contenders = [prime and prime[1:] for prime in contenders]
    return award(rules, contenders)


def napola(rules: Rules, pile: Cards) -> int:
    """Return the points for ace, two, three of coins and on (PT-9, PT-10)."""
    coins = {rank_of(card) for card in pile if suit_of(card) == DENARI}
    if rules.napola == "none" or not {1, 2, 3} <= coins:
        return 0
    run = 3
    while run + 1 in coins:
        run += 1
    return min(run if rules.napola == "run" else len(coins), rules.napola_max)


def score_piles(
    rules: RulesLike,
    piles: Sequence[int],
    scope: Sequence[int] | None = None,
    bonus: Sequence[int] | None = None,
    unclaimed: int = 0,
) -> Score:
    """Return the score of the sides' piles (rules.md section 8).

    :param piles: a mask for each side; they need not cover the pack.
    :param scope: scopa points of each side, by default none.
    :param bonus: declared points of each side, by default none.
    :param unclaimed: mask of the cards nobody captured (END-3).
    :raises InvalidCardError: if a card is outside the pack or in two places.
    :raises InvalidSeatError: if there is not one entry for each side.
    """
    rules = check_rules(rules)
    left = check_sides(rules, piles, scope, bonus, unclaimed)
    sides = range(len(rules.sides))
    cards = [set_of(mask, rules) for mask in piles]
    nothing = (0,) * len(sides)
    coins = [sum(suit_of(card) == DENARI for card in pile) for pile in cards]
    primes = [prime_of(rules, pile) for pile in cards]
    best_prime = primiera(rules, cards, primes)
    ranks_of_coins = rules.cards // 4
    sevens = {make_card(7, suit) for suit in range(4)}
    face_coins = {make_card(ranks_of_coins - below, DENARI) for below in range(3)}
    points = {
        "carte": majority(rules, [len(pile) for pile in cards], rules.cards),
        "denari": majority(rules, coins, ranks_of_coins),
        "settebello": tuple(int(SETTEBELLO in pile) for pile in cards),  # PT-3
        "primiera": best_prime,
        "re_bello": tuple(int(rules.re_bello and RE_BELLO[rules.deck] in pile) for pile in cards),  # PT-6
        "sette_coppe": tuple(int(rules.sette_coppe and MATTA in pile) for pile in cards),  # PT-7
        "palle_del_cane": tuple(  # PT-8
            int(rules.palle_del_cane and best_prime[side] > 0 and sevens <= cards[side]) for side in sides
        ),
        "napola": tuple(napola(rules, pile) for pile in cards),
        "grande": tuple(5 * int(rules.grande and face_coins <= pile) for pile in cards),  # PT-11
        "scopa": nothing if scope is None else tuple(scope),  # PT-12
        "bonus": nothing if bonus is None else tuple(bonus),
    }
    cappotto = next((side for side in sides if rules.coins_cappotto and coins[side] == ranks_of_coins), None)  # PT-13
    wipers = [side for side in sides if 0 < rules.coins_wipe <= coins[side]]  # PT-14
    return Score(
        rules=rules,
        points=points,
        total=tuple(sum(points[item][side] for item in ITEMS) for side in sides),
        cards=tuple(len(pile) for pile in cards),
        coins=tuple(coins),
        prime=tuple(primes),
        cappotto=cappotto,
        wiped=tuple(side for side in sides if wipers and side not in wipers),
        unclaimed=left,
    )
