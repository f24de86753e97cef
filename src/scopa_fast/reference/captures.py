"""What one card can do on a table: sections 5 and 6 of the rules, written as sets of cards.

The functions stand in the order of the algorithm of section 5. Cards are ints, sets of cards frozensets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..arguments import RulesLike, check_card_and_table, check_matta, check_rules
from ..cards import MATTA, CardSet, mask_of, rank_of
from ..results import Captures
from ..rules import Rules

__all__ = ["Cards", "Outcomes", "capture_masks", "captures", "card_value", "find_outcomes", "scopa_points", "set_of"]

Cards = frozenset[int]
"""A set of cards. The reference thinks in sets; masks are for its doors only."""

ACE = 1
FIFTEEN = 15


@dataclass(frozen=True)
class Outcomes:
    """All that may become of one card."""

    takes: list[Cards]
    """Every legal captured set, in canonical order (DECK-8)."""
    lay: bool
    to_pile: bool


def set_of(mask: int, rules: Rules) -> Cards:
    """Return the cards of a mask.

    :raises InvalidCardError: if a card is outside the pack.
    """
    return frozenset(CardSet(mask, rules.deck))


def card_value(card: int, matta: int | None) -> int:
    """Return the capture value of a card (DECK-3, DECK-6), for a declared 7C that of its rank (CIR-6)."""
    return matta if card == MATTA and matta is not None else rank_of(card)


def sets_with_sum(table: Cards, total: int, matta: int | None) -> set[Cards]:
    """Return every non-empty set of table cards whose values add up to ``total``."""
    by_value = sorted((card_value(card, matta), card) for card in table)

    def grow(chosen: Cards, start: int, missing: int) -> Iterator[Cards]:
        if missing == 0:
            yield chosen
        for place in range(start, len(by_value)):
            value, card = by_value[place]
            if value > missing:  # and so are all that follow: the sum cannot be reached any more
                break
            yield from grow(chosen | {card}, place + 1, missing - value)

    return set(grow(frozenset(), 0, total)) if total > 0 else set()


def keep_preferred(rules: Rules, sets: set[Cards]) -> set[Cards]:
    """Return the sets that ``precedence`` leaves (CAP-3)."""
    smallest = min(map(len, sets), default=0)
    if rules.precedence == "fewest" or (rules.precedence == "single" and smallest == 1):
        return {taken for taken in sets if len(taken) == smallest}
    return sets


def ordinary_captures(rules: Rules, card: int, table: Cards, matta: int | None) -> set[Cards]:
    """Return the sets a card takes by its capture family alone, without the ace rules (CAP-2 to CAP-7)."""
    value = card_value(card, matta)
    if rules.capture == "match_or_sum":
        return keep_preferred(rules, sets_with_sum(table, value, matta))
    fifteens = sets_with_sum(table, FIFTEEN - value, matta)
    if rules.capture == "fifteen":
        return fifteens
    return keep_preferred(rules, sets_with_sum(table, value, matta)) | fifteens


def legal_captures(rules: Rules, card: int, table: Cards, matta: int | None) -> set[Cards]:
    """Return the sets a card may take, the sweep of an ace included (ACE-1, ACE-2, ACE-6)."""
    ordinary = ordinary_captures(rules, card, table, matta)
    if rules.ace_sweep and card_value(card, matta) == ACE and table:
        ace_on_table = any(card_value(other, matta) == ACE for other in table)
        if not ace_on_table or rules.ace_on_table == "all":
            return {table} if rules.capture == "match_or_sum" else ordinary | {table}
    return ordinary


def find_outcomes(rules: Rules, card: int, table: Cards, matta: int | None = None, *, banned: bool = False) -> Outcomes:
    """Return all that may become of one card; ``banned`` says that ACE-7 forbids it."""
    if banned:
        return Outcomes([], lay=False, to_pile=False)
    takes = legal_captures(rules, card, table, matta)
    lay = not takes or not rules.forced  # CAP-4, CAP-8
    to_pile = False
    if rules.ace_sweep and card_value(card, matta) == ACE:  # ACE-4
        to_pile = rules.ace_to_pile == "any" or (rules.ace_to_pile == "empty" and not table)
        if to_pile and rules.ace_to_pile == "empty":
            lay = False
    return Outcomes(sorted(takes, key=sorted), lay, to_pile)


def scopa_points(rules: Rules, card: int, taken: Cards, table: Cards, matta: int | None, *, last_play: bool) -> int:
    """Return the scopa points of a legal capture (SCO-1 to SCO-5), 0 if it is no scopa."""
    if taken != table:
        return 0
    if last_play and rules.last_play_scopa == "never":  # SCO-2; the last card is always the dealer's, SCO-3
        return 0
    if not rules.ace_sweep_scopa and taken not in ordinary_captures(rules, card, table, matta):  # ACE-3
        return 0
    if rules.scopa_value == "rank":
        return card_value(card, matta)
    return len(taken) + 1 if rules.scopa_value == "count" else 1


def captures(
    rules: RulesLike,
    card: int,
    table: Iterable[int],
    *,
    matta: int | None = None,
    first_play: bool = False,
    last_play: bool = False,
) -> Captures:
    """Return all that may become of one card on a table (rules.md section 5).

    :param card: the card played, an int.
    :param table: the cards on the table, any iterable of ints.
    :param matta: the rank (1..10) the 7C was declared as (CIR-6), if it was.
    :param first_play: whether this is the first card of the deal (ACE-7); the rest of the hand is taken to hold other ranks.
    :param last_play: whether it is the last one (SCO-2).
    :raises InvalidCardError: if a card is outside the pack or comes twice.
    """
    rules = check_rules(rules)
    check_matta(rules, matta)
    on_table = set_of(check_card_and_table(rules, card, table), rules)
    banned = rules.first_ace_ban and first_play and card_value(card, matta) == ACE
    found = find_outcomes(rules, card, on_table, matta, banned=banned)
    return Captures(
        takes=tuple(CardSet(mask_of(taken), rules.deck) for taken in found.takes),
        scopa=tuple(scopa_points(rules, card, taken, on_table, matta, last_play=last_play) for taken in found.takes),
        lay=found.lay,
        to_pile=found.to_pile,
    )


def capture_masks(rules: RulesLike, card: int, table_mask: int, *, matta: int | None = None) -> list[int]:
    """Return the masks of the legal captured sets of one card on a table, in canonical order (DECK-8).

    :raises InvalidCardError: if a card is outside the pack or comes twice.
    """
    rules = check_rules(rules)
    check_matta(rules, matta)
    on_table = set_of(check_card_and_table(rules, card, CardSet(table_mask, rules.deck)), rules)
    return [mask_of(taken) for taken in find_outcomes(rules, card, on_table, matta).takes]
