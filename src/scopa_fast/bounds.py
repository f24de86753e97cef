"""How large a table can grow and how many moves there can be, where captures are forced (CAP-8): what buffers may rely on.

All of it holds for deals played from the first card on. With ``forced=false``, and in positions built by hand, only the
pack is a bound: tables pass thirty cards, and one turn has been seen with thousands of legal moves.
"""

from __future__ import annotations

from dataclasses import dataclass

from .rules import Rules

__all__ = [
    "CIRULLA", "CIRULLA_ANY_ACES", "CIRULLA_NINE_CARDS", "CIRULLA_TEN_CARDS", "FIFTEEN", "FIFTEEN_NINE_CARDS", "FIFTEEN_WITH_MATTA",
    "FIFTY_TWO", "FOUR_DEALT", "FREE_FIFTY_TWO", "FREE_FOUR_DEALT", "FREE_NINE_CARDS", "FREE_TEN_CARDS", "MAX_DECLARATIONS",
    "NINE_CARDS", "TEN_CARDS", "Bounds", "find_bounds",
]


@dataclass(frozen=True)
class Bounds:
    """The worst case of a game with forced captures."""

    table: int
    """Most cards on the table."""
    captures: int
    """Most captures of one card."""
    moves: int
    """Most legal moves that play a card in one position; declarations, at most :data:`MAX_DECLARATIONS`, come on top."""


# Match or sum (CAP-2). A card can be laid only if no card and no set on the table equals it (PLAY-2), so the cards that are
# laid all differ in rank, and only the four dealt can be equal to each other. Laid from the king down they never meet a set
# that makes them, for all that lies there is higher.
#
# Ten cards, no table: all ten ranks, one card each. A ten (king) may be made of distinct smaller ranks in nine ways (9+1,
# 8+2, 7+3, 6+4, 7+2+1, 6+3+1, 5+4+1, 5+3+2, 4+3+2+1). Most moves: A to 8 on the table after eight plays, all four kings
# (8 captures each) and all four cavalli (7 each) among the eight cards of the seat to move: 4 * 8 + 4 * 7.
TEN_CARDS = Bounds(table=10, captures=9, moves=60)

# Four dealt: four cavalli, then the nine other ranks, 13. Most captures: four threes dealt, then 8 7 5 4 2 A, and a king
# takes ten by 25 sets; three kings in a hand of three have 75.
FOUR_DEALT = Bounds(table=13, captures=25, moves=75)

# Nine cards: the same tables, but the seat to move after those six plays holds eight cards, the four kings among them.
NINE_CARDS = Bounds(table=13, captures=25, moves=184)

# Fifty-two cards: four of a kind dealt and the twelve other ranks, 16; four threes, then J T 8 7 5 4 2 A, and kings.
FIFTY_TWO = Bounds(table=16, captures=45, moves=135)

# With precedence `fewest` or `free` an equal card bars nothing: one capture more, of the king on the table itself.
FREE_TEN_CARDS = Bounds(table=10, captures=10, moves=66)
FREE_FOUR_DEALT = Bounds(table=13, captures=26, moves=78)
FREE_NINE_CARDS = Bounds(table=13, captures=26, moves=184)
FREE_FIFTY_TWO = Bounds(table=16, captures=46, moves=138)

# Fifteens (CAP-6). A card can be laid only if it makes fifteen with no set, so no set on the table is worth fifteen but
# what the four dealt make among themselves. All twenty even cards never are. An ace then takes fourteen by 324 sets. Of
# nine (or ten) cards six are left after fifteen plays: the four aces and two threes, one ten still out, 4 * 314 + 2 * 182.
FIFTEEN = Bounds(table=20, captures=324, moves=972)
FIFTEEN_NINE_CARDS = Bounds(table=20, captures=324, moves=1620)

# A 7C declared as an even rank is a twenty-first even card (CIR-6).
FIFTEEN_WITH_MATTA = Bounds(table=21, captures=510, moves=1530)

# Cirulla (CAP-7). A card is laid only if it neither is a sum nor makes a fifteen: four twos dealt, then F 3 C R are eight cards.
# The presets' aces take the table (ACE-6), so that they are seldom laid and sets have fewer aces to use.
CIRULLA = Bounds(table=8, captures=15, moves=45)
CIRULLA_ANY_ACES = Bounds(table=8, captures=17, moves=51)
CIRULLA_NINE_CARDS = Bounds(table=8, captures=17, moves=150)
CIRULLA_TEN_CARDS = Bounds(table=5, captures=4, moves=35)

# The 7C with two aces may stand for A (three of a kind) or for 2 to 7 (nine at most): CIR-1, CIR-2, CIR-5.
MAX_DECLARATIONS = 7


def find_bounds(rules: Rules) -> Bounds | None:
    """Return the bounds of the deals of some rules, None without forced captures (CAP-8), when there is no small one.

    They are exact for the presets, and no deal goes beyond them under any other options.
    """
    if not rules.forced:
        return None
    if rules.capture == "fifteen":
        if rules.hand_bonus and rules.matta and rules.hand == 3:
            return FIFTEEN_WITH_MATTA
        return FIFTEEN if rules.hand == 3 else FIFTEEN_NINE_CARDS
    if rules.capture == "cirulla":
        if rules.hand > 3:
            return CIRULLA_NINE_CARDS if rules.hand == 9 else CIRULLA_TEN_CARDS
        return CIRULLA if rules.ace_sweep and rules.ace_to_pile == "no" else CIRULLA_ANY_ACES
    if rules.precedence == "single":
        of_four = FIFTY_TWO if rules.deck == "fr52" else FOUR_DEALT
        return {3: of_four, 9: NINE_CARDS, 10: TEN_CARDS}[rules.hand]
    of_four = FREE_FIFTY_TWO if rules.deck == "fr52" else FREE_FOUR_DEALT
    return {3: of_four, 9: FREE_NINE_CARDS, 10: FREE_TEN_CARDS}[rules.hand]
