# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The score of a deal (rules.md section 8).
from libc.stdint cimport uint16_t, uint64_t

from scopa_fast.core.cards cimport (
    COINS_MASK, MATTA_BIT, MAX_SEATS, SETTEBELLO_BIT, every_fourth, popcount,
)
from scopa_fast.core.rules cimport (
    ALL_COINS, INCOMPLETE_LOSES, NO_NAPOLA, NO_PRIME, PRIME_SHIFT, PRIME_SUM, RANK_COUNT, RuleSet, SUMS_ONLY,
)

cdef enum:
    # In the order of results.ITEMS.
    CARTE, DENARI, SETTEBELLO, PRIMIERA, RE_BELLO, SETTE_COPPE, PALLE_DEL_CANE, NAPOLA, GRANDE, SCOPA, BONUS
    N_ITEMS
    SHEET_ROW = 16          # items of a side, padded

ctypedef struct ScoreSheet:
    int points[MAX_SEATS][SHEET_ROW]  # by side and item
    int total[MAX_SEATS]
    int cards[MAX_SEATS]
    int coins[MAX_SEATS]
    int cappotto                     # side that took every coin, -1 for none or if it does not matter (PT-13)
    int wiped                        # bit mask of the sides whose match score falls to nothing (PT-14)


cdef inline uint64_t prime(const RuleSet* rules, uint64_t pile) noexcept nogil:
    """The prime of a pile as a number: suits held << PRIME_SHIFT | sum of the best card of each (PRI-1, PRI-2)."""
    cdef const uint16_t* worth = rules.prime_of_suit
    return <uint64_t>(worth[every_fourth(pile)] + worth[every_fourth(pile >> 1)]
                      + worth[every_fourth(pile >> 2)] + worth[every_fourth(pile >> 3)])


cdef inline uint64_t rank_counts(const RuleSet* rules, uint64_t pile) noexcept nogil:
    """Counts of 7, 6, A, 5, 4, 3, 2 and all faces, one byte each, the first in the highest (PRI-5, PRI-6)."""
    return (<uint64_t>popcount(pile >> 24 & 15) << 56 | <uint64_t>popcount(pile >> 20 & 15) << 48
            | <uint64_t>popcount(pile & 15) << 40 | <uint64_t>popcount(pile >> 16 & 15) << 32
            | <uint64_t>popcount(pile >> 12 & 15) << 24 | <uint64_t>popcount(pile >> 8 & 15) << 16
            | <uint64_t>popcount(pile >> 4 & 15) << 8 | <uint64_t>popcount(pile >> 28))


cdef inline uint64_t prime_rank(const RuleSet* rules, uint64_t pile) noexcept nogil:
    """A number that is larger for the better prime and 0 for one that cannot win (PRI-3 to PRI-8)."""
    cdef uint64_t pair
    if pile == 0 or rules.primiera == NO_PRIME:
        return 0
    if rules.primiera == RANK_COUNT:
        return rank_counts(rules, pile)
    pair = prime(rules, pile)
    if rules.incomplete == INCOMPLETE_LOSES and pair >> PRIME_SHIFT != 4:
        return 0
    if rules.incomplete == SUMS_ONLY:
        return (pair & PRIME_SUM) + 1
    return pair


cdef inline int napola_points(const RuleSet* rules, uint64_t pile) noexcept nogil:
    """Points of the coins from the ace on (PT-9, PT-10)."""
    cdef uint64_t coins = pile & COINS_MASK
    cdef int run = 0
    if rules.napola == NO_NAPOLA or coins & 0x111 != 0x111:
        return 0
    if rules.napola == ALL_COINS:
        run = popcount(coins)
    else:
        while coins >> (4 * run) & 1:
            run += 1
    return run if run < rules.napola_max else rules.napola_max


cdef inline void award_most(
    const RuleSet* rules, const uint64_t* amounts, uint64_t needed, int item, ScoreSheet* sheet
) noexcept nogil:
    """One point for the side with the most, and at least `needed`, of something; ties by PT-4."""
    cdef uint64_t best = 0
    cdef int side, holders = 0
    cdef int pays
    # No branches: which side has more is a coin toss to the processor, too.
    for side in range(rules.sides):
        best = amounts[side] if amounts[side] > best else best
    for side in range(rules.sides):
        holders += amounts[side] == best
    pays = (best >= needed) & (best != 0) & ((holders == 1) | rules.tie_all)
    for side in range(rules.sides):
        sheet.points[side][item] = pays & (amounts[side] == best)


cdef inline void score_more(const RuleSet* rules, uint64_t pile, int* points) noexcept nogil:
    """The items that only some rulesets score (PT-6 to PT-11), after the primiera."""
    points[RE_BELLO] = rules.re_bello and pile & rules.re_bello_bit != 0
    points[SETTE_COPPE] = rules.sette_coppe and pile & MATTA_BIT != 0
    points[PALLE_DEL_CANE] = rules.palle_del_cane and points[PRIMIERA] != 0 and (pile >> 24) & 15 == 15
    points[NAPOLA] = napola_points(rules, pile)
    points[GRANDE] = 5 if rules.grande and pile & rules.faces_of_coins == rules.faces_of_coins else 0


cdef inline void score_sides(
    const RuleSet* rules, const uint64_t* piles, const int* scope, const int* bonus, ScoreSheet* sheet
) noexcept nogil:
    """Fill a whole score sheet."""
    cdef uint64_t amounts[MAX_SEATS]
    cdef int side, other, item, total
    cdef uint64_t pile
    cdef int* points
    cdef int suit = rules.ranks
    for side in range(rules.sides):
        sheet.cards[side] = popcount(piles[side])
        amounts[side] = <uint64_t>sheet.cards[side]
    # PT-5: with majority=half more than half of the pack, or of the suit, is needed.
    award_most(rules, amounts, rules.cards // 2 + 1 if rules.half else 0, CARTE, sheet)
    for side in range(rules.sides):
        sheet.coins[side] = popcount(piles[side] & COINS_MASK)
        amounts[side] = <uint64_t>sheet.coins[side]
    award_most(rules, amounts, suit // 2 + 1 if rules.half else 0, DENARI, sheet)
    for side in range(rules.sides):
        amounts[side] = prime_rank(rules, piles[side])
    award_most(rules, amounts, 0, PRIMIERA, sheet)
    sheet.cappotto = -1
    sheet.wiped = 0
    for side in range(rules.sides):
        pile = piles[side]
        points = sheet.points[side]
        points[SETTEBELLO] = pile & SETTEBELLO_BIT != 0
        for item in range(RE_BELLO, SCOPA):
            points[item] = 0
        if rules.more_items:
            score_more(rules, pile, points)
        points[SCOPA] = scope[side]
        points[BONUS] = bonus[side]
        for item in range(N_ITEMS, SHEET_ROW):
            points[item] = 0
        if rules.cappotto and sheet.coins[side] == suit:
            sheet.cappotto = side
        if rules.wipe and sheet.coins[side] >= rules.wipe:
            for other in range(rules.sides):
                if other != side:
                    sheet.wiped |= 1 << other
        total = 0
        for item in range(SHEET_ROW):
            total += points[item]
        sheet.total[side] = total


cdef object make_score(object rules, const RuleSet* c, const uint64_t* piles, const int* scope, const int* bonus, object unclaimed)
