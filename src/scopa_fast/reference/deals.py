"""Dealing: section 3 of the rules, and the shuffled pack of a seed (docs/randomness.md)."""

from __future__ import annotations

from collections.abc import Iterable

from ..arguments import RulesLike, check_dealer, check_deck, check_range, check_rules
from ..cards import CardSet, mask_of, rank_of
from ..errors import InvalidSeedError
from ..results import Deal, NewDeal
from ..rules import Rules
from .declarations import first_table_bonus
from .rng import Rng, SeedLike, stream_under

__all__ = ["deal", "shuffled_deck"]


def packets(rules: Rules) -> list[tuple[str, int]]:
    """Return what a round deals, step by step: so many cards to each hand, or so many to the table."""
    if rules.hand == 10:  # DEAL-4
        return [("hands", 5), ("hands", 5)]
    if rules.hand == 9:  # DEAL-3
        return [("hands", 3), ("table", 2), ("hands", 3), ("table", 2), ("hands", 3)]
    if rules.deal_style == "single":  # DEAL-9
        return [("hands", 1), ("hands", 1), ("hands", 1), ("table", 4)]
    return [("hands", 3), ("table", 4)]  # DEAL-1


def deal(rules: RulesLike, deck: Iterable[int], dealer: int | None = None) -> Deal:
    """Return the cards of a deck as they are dealt, also when the deal is void (rules.md section 3).

    :param deck: every card of the pack once, the top one first.
    :raises InvalidDeckError: if it is not.
    :raises InvalidSeatError: if there is no such dealer.
    """
    rules = check_rules(rules)
    stock = check_deck(rules, deck)
    dealer = check_dealer(rules, dealer)
    turn_order = [(dealer + 1 + place) % rules.seats for place in range(rules.seats)]  # SEAT-4
    table: list[int] = []
    rounds: list[tuple[CardSet, ...]] = []
    while stock:
        hands: list[list[int]] = [[] for _ in range(rules.seats)]
        for where, count in packets(rules):
            if where == "hands":
                for seat in turn_order:
                    hands[seat] += stock[:count]
                    stock = stock[count:]
            elif not rounds:  # DEAL-2: nothing is added to the table after the first round
                table += stock[:count]
                stock = stock[count:]
        rounds.append(tuple(CardSet(mask_of(hand), rules.deck) for hand in hands))
    void = is_void(rules, table)
    redealer = dealer if rules.void_dealer == "same" else (dealer + 1) % rules.seats  # DEAL-8
    return Deal(
        void=void,
        redealer=redealer if void else None,
        first=turn_order[0],
        rounds=len(rounds),
        hands=rounds[0],
        table=CardSet(mask_of(table), rules.deck),
        later=tuple(rounds[1:]),
        table_bonus=0 if void else first_table_bonus(rules, frozenset(table)),
    )


def is_void(rules: Rules, table: list[int]) -> bool:
    """Whether the cards first turned up void the deal (DEAL-6, DEAL-7)."""
    ranks = [rank_of(card) for card in table]
    kings, aces = ranks.count(rules.cards // 4), ranks.count(1)
    return bool(0 < rules.void_kings <= kings or 0 < rules.void_aces <= aces)


def shuffled_deck(rules: RulesLike, seed: SeedLike = None, index: int = 0, dealer: int | None = None) -> NewDeal:
    """Return the shuffled pack of deal number ``index`` under a seed, the first one that is not void (DEAL-8).

    :param seed: an int, an :class:`Rng` (which advances; then index must be 0), or None for fresh randomness.
    :param dealer: who deals first, by default the last seat; ``void_dealer=next`` may move it.
    :raises InvalidSeedError: if the seed or index is out of range.
    :raises InvalidSeatError: if there is no such dealer.
    """
    rules = check_rules(rules)
    dealer = check_dealer(rules, dealer)
    stream = stream_of(seed, index)
    voids = 0
    while True:
        deck = stream.shuffled(rules.cards)
        dealt = deal(rules, deck, dealer)
        if dealt.redealer is None:
            return NewDeal(tuple(deck), dealer, voids)
        dealer = dealt.redealer
        voids += 1


def stream_of(seed: SeedLike, index: int) -> Rng:
    """Return the stream that deal number ``index`` under a seed draws from."""
    check_range(index, "index", 0, 2**63, InvalidSeedError)
    if isinstance(seed, Rng):
        if index != 0:
            raise InvalidSeedError(f"index must be 0 when the seed is an Rng, not {index}")
        return seed
    return stream_under(seed).spawn(index)
