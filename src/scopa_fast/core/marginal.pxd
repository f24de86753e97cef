# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The convention `marginal`: what a card adds to the own pile as it is, instead of what it is worth to an empty one.
from libc.stdint cimport uint64_t

from scopa_fast.core.cards cimport COINS_MASK, MATTA, MAX_SEATS, SETTEBELLO_BIT, bit, every_fourth, popcount
from scopa_fast.core.strategy cimport Prospect
from scopa_fast.core.rules cimport NO_NAPOLA, PRIME_SUM, RANK_COUNT, RuleSet
from scopa_fast.core.scoring cimport DENARI, PRIMIERA, ScoreSheet, score_sides

cdef enum:
    ITEM_WORTH = 100            # of a card that scores a point of its own
    SETTE_COPPE_WORTH = 120     # the 7C with `sette_coppe`, instead of all else
    COIN_WORTH = 10             # while the point for the coins is open
    NAPOLA_WORTH = 60           # A 2 3 of coins while no other side holds one of them
    NAPOLA_NEXT_WORTH = 30      # the coin that an own napola goes on with
    GRANDE_WORTH = 50           # a face of coins while no other side holds one
    ALL_COINS_WORTH = 40        # a coin while one side has so many and no other any
    MANY_COINS = 7
    NAPOLA_CARDS = 0x111


cdef inline bint is_decided(const RuleSet* rules, const uint64_t* piles, uint64_t uncaptured, int item) noexcept nogil:
    """Whether an item scores the same whichever side takes all cards that are left."""
    cdef ScoreSheet first, sheet
    cdef uint64_t all_piles[MAX_SEATS]
    cdef int none[MAX_SEATS]
    cdef int side, other
    for side in range(rules.sides):
        none[side] = 0
    for side in range(rules.sides):
        for other in range(rules.sides):
            all_piles[other] = piles[other] | (uncaptured if other == side else 0)
        if side == 0:
            score_sides(rules, all_piles, none, none, &first)
            continue
        score_sides(rules, all_piles, none, none, &sheet)
        for other in range(rules.sides):
            if sheet.points[other][item] != first.points[other][item]:
                return False
    return True


cdef inline int coin_worth(const RuleSet* rules, uint64_t own, uint64_t others, int card) noexcept nogil:
    """What the rules for single coins add, apart from the settebello and the king of coins."""
    cdef uint64_t coins = own & COINS_MASK
    cdef int worth = 0, run = 0
    if rules.napola != NO_NAPOLA:
        if bit(card) & NAPOLA_CARDS and others & NAPOLA_CARDS == 0:
            worth += NAPOLA_WORTH
        while (coins >> (4 * run)) & 1:
            run += 1
        if 3 <= run < rules.napola_max and card == 4 * run:
            worth += NAPOLA_NEXT_WORTH
    if rules.grande and bit(card) & rules.faces_of_coins and others & rules.faces_of_coins == 0:
        worth += GRANDE_WORTH
    return worth


cdef inline bint may_take_all_coins(const RuleSet* rules, const uint64_t* piles) noexcept nogil:
    """Whether all coins count (PT-13, PT-14) and one side has many of them, the others none."""
    cdef int side, coins, most = 0, total = 0
    if not rules.cappotto and not rules.wipe:
        return False
    for side in range(rules.sides):
        coins = popcount(piles[side] & COINS_MASK)
        total += coins
        most = coins if coins > most else most
    return most >= MANY_COINS and most == total


cdef inline void weigh_cards(Prospect* p) noexcept nogil:
    """Find what each card is worth now, each for itself, and go by that."""
    cdef const RuleSet* rules = p.k.rules
    cdef const uint64_t* piles = &p.k.state.cards[rules.seats]
    cdef uint64_t own = piles[p.side], others = 0
    cdef bint prime_open = not is_decided(rules, piles, p.uncaptured, PRIMIERA)
    cdef bint coins_open = not is_decided(rules, piles, p.uncaptured, DENARI), all_coins = may_take_all_coins(rules, piles)
    cdef int side, card, worth, scale
    cdef int best[4]
    for side in range(rules.sides):
        if side != p.side:
            others |= piles[side]
    for side in range(4):
        # By suit. The sevens-count prime goes by ranks.
        best[side] = rules.prime_of_suit[every_fourth(own >> side)] & PRIME_SUM if rules.primiera != RANK_COUNT else 0
    for card in range(rules.cards):
        worth = 0
        if bit(card) & SETTEBELLO_BIT or (rules.re_bello and bit(card) & rules.re_bello_bit):
            worth += ITEM_WORTH
        scale = rules.prime_of_suit[1 << (card >> 2)] & PRIME_SUM
        if prime_open and scale > best[card & 3]:
            worth += scale - best[card & 3]
        if card & 3 == 0:
            worth += COIN_WORTH * coins_open + ALL_COINS_WORTH * all_coins + coin_worth(rules, own, others, card)
        p.marginal[card] = worth
    if rules.sette_coppe:
        p.marginal[MATTA] = SETTE_COPPE_WORTH
    p.of_card = p.marginal
