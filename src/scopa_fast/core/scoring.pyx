"""The door to scoring: a Score from the sides' piles."""

from libc.stdint cimport uint64_t

from scopa_fast.core.cards cimport MAX_SEATS
from scopa_fast.core.rules cimport NativeRules, PRIME_SHIFT, PRIME_SUM, RANK_COUNT, RuleSet, native_rules
from scopa_fast.core.scoring cimport N_ITEMS, ScoreSheet, make_score, prime, rank_counts, score_sides

from scopa_fast.arguments import check_sides
from scopa_fast import results as _results
from scopa_fast.results import Score


def score_piles(rules, piles, scope=None, bonus=None, unclaimed=0):
    """Return the score of the sides' piles (rules.md section 8).

    :param piles: a mask for each side; they need not cover the pack.
    :param scope: scopa points of each side, by default none.
    :param bonus: declared points of each side, by default none.
    :param unclaimed: mask of the cards nobody captured (END-3).
    :raises InvalidCardError: if a card is outside the pack or in two places.
    :raises InvalidSeatError: if there is not one entry for each side.
    """
    cdef NativeRules native = native_rules(rules)
    cdef uint64_t masks[MAX_SEATS]
    cdef int points[2][MAX_SEATS]
    rules = native.rules
    unclaimed_set = check_sides(rules, piles, scope, bonus, unclaimed)
    for i in range(native.c.sides):
        masks[i] = piles[i]
        points[0][i] = 0 if scope is None else scope[i]
        points[1][i] = 0 if bonus is None else bonus[i]
    return make_score(rules, &native.c, masks, points[0], points[1], unclaimed_set)


cdef object make_score(object rules, const RuleSet* c, const uint64_t* piles, const int* scope, const int* bonus, object unclaimed):
    """Score the piles and return the result as a Score."""
    cdef ScoreSheet sheet
    cdef int side, i, item
    cdef uint64_t number
    score_sides(c, piles, scope, bonus, &sheet)
    primes = []
    for side in range(c.sides):
        if c.primiera == RANK_COUNT:
            number = rank_counts(c, piles[side])
            primes.append(tuple([<int>(number >> (56 - 8 * i)) & 255 for i in range(8)]))
        else:
            number = prime(c, piles[side])
            primes.append((<int>(number >> PRIME_SHIFT), <int>(number & PRIME_SUM)))
    points = {}
    for item in range(N_ITEMS):
        points[_results.ITEMS[item]] = tuple([sheet.points[side][item] for side in range(c.sides)])
    return Score(
        rules=rules,
        points=points,
        total=tuple([sheet.total[side] for side in range(c.sides)]),
        cards=tuple([sheet.cards[side] for side in range(c.sides)]),
        coins=tuple([sheet.coins[side] for side in range(c.sides)]),
        prime=tuple(primes),
        cappotto=None if sheet.cappotto < 0 else sheet.cappotto,
        wiped=tuple([side for side in range(c.sides) if sheet.wiped >> side & 1]),
        unclaimed=unclaimed,
    )
