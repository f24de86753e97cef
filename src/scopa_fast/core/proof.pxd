# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# What a proven result rests on, and the end of a deal, where every proof begins.
#
# A proof says that one side gets at least some number of points more than the other from a position on. It holds in every
# position that looks the same to it: the same ranks in every hand and on the table, and the few things a Proof lists. All
# scoring is monotone, more cards never hurt a side, so a list of what the side must hold is enough.
from libc.stdint cimport uint64_t

from scopa_fast.core.cards cimport COINS_MASK, MATTA_BIT, SETTEBELLO_BIT, popcount, unlikely
from scopa_fast.core.rules cimport ALL_COINS, NO_NAPOLA, NO_PRIME, RANK_COUNT, RuleSet
from scopa_fast.core.scoring cimport ScoreSheet, napola_points, prime_rank, score_sides

cdef enum:
    ANY = 0         # Proof.last: whoever captured last
    OWN = 1         # the side that the proof is for
    NONE = 2        # nobody has captured yet (END-3)

ctypedef struct Proof:
    uint64_t cards      # cards whose place matters: hand, table or the side's pile
    int least_cards     # cards the side's pile must hold, 0 for any number
    int least_coins     # coins among them
    int last


cdef inline void rest_on_nothing(Proof* proof) noexcept nogil:
    proof.cards = proof.least_cards = proof.least_coins = 0
    proof.last = ANY


cdef inline void join(Proof* proof, const Proof* other) noexcept nogil:
    """Make a proof rest on what another rests on, too."""
    proof.cards |= other.cards
    proof.last |= other.last
    if other.least_cards > proof.least_cards:
        proof.least_cards = other.least_cards
    if other.least_coins > proof.least_coins:
        proof.least_coins = other.least_coins


cdef inline void rest_on_gain(Proof* proof, int cards, uint64_t coins) noexcept nogil:
    """Take a proof back over a move that gained its side some cards, and these coins among them."""
    proof.least_cards = proof.least_cards - cards if proof.least_cards > cards else 0
    if proof.least_coins and coins:
        proof.cards |= coins
        cards = popcount(coins)
        proof.least_coins = proof.least_coins - cards if proof.least_coins > cards else 0


cdef inline uint64_t prime_cards(const RuleSet* rules, uint64_t pile, bint tie) noexcept nogil:
    """Cards of a final pile that are enough for its side to win the primiera, or at least to tie it."""
    cdef uint64_t chosen = 0, suits = 0, more
    cdef uint64_t mine, theirs
    cdef int i
    if rules.primiera != RANK_COUNT:
        # The best of each suit, which may be enough.
        for i in range(rules.ranks):
            more = pile >> (4 * rules.prime_order[i]) & 15 & ~suits
            suits |= more
            chosen |= more << (4 * rules.prime_order[i])
            if suits == 15:
                break
    i = 0
    while True:
        mine = prime_rank(rules, chosen)
        theirs = prime_rank(rules, rules.pack & ~chosen)
        if mine > theirs or (tie and mine == theirs) or i == rules.ranks:
            return chosen
        # All others of the next best rank.
        while i < rules.ranks:
            more = pile & ~chosen & <uint64_t>15 << (4 * rules.prime_order[i])
            i += 1
            if more:
                chosen |= more
                break


cdef inline uint64_t more_cards(const RuleSet* rules, uint64_t mine, uint64_t theirs) noexcept nogil:
    """Cards of a final pile that its side's result in the items of `score_more` rests on, the palle del cane apart from
    their primiera."""
    cdef uint64_t cards = 0, low
    cdef int run
    if rules.re_bello:
        cards |= mine & rules.re_bello_bit
    if rules.sette_coppe:
        cards |= mine & MATTA_BIT
    if rules.palle_del_cane:
        cards |= mine & <uint64_t>15 << 24
    if rules.napola == ALL_COINS:
        cards |= mine & COINS_MASK
    elif rules.napola != NO_NAPOLA:
        run = napola_points(rules, mine)
        cards |= mine & COINS_MASK & ((<uint64_t>1 << (4 * run)) - 1)
        run = napola_points(rules, theirs)
        if run < rules.napola_max:
            # The first card that breaks the others' run; without a run, one of the first three is enough.
            low = mine & COINS_MASK & ~((<uint64_t>1 << (4 * run)) - 1)
            cards |= low & (0 - low)
    if rules.grande:
        low = mine & rules.faces_of_coins
        cards |= low if low == rules.faces_of_coins else low & (0 - low)
    return cards


cdef inline int compare(uint64_t a, uint64_t b) noexcept nogil:
    return (a > b) - (a < b)


cdef inline bint judge_unclaimed(
    const RuleSet* rules, const uint64_t* piles, int side, int need, Proof* proof
) noexcept nogil:
    """As judge, when cards stayed with nobody (END-3): rests on everything."""
    cdef ScoreSheet sheet
    cdef int nothing[8]
    cdef int i
    for i in range(8):
        nothing[i] = 0
    score_sides(rules, piles, nothing, nothing, &sheet)
    proof.cards = rules.pack
    proof.least_cards = proof.least_coins = 0
    proof.last = NONE
    return sheet.total[side] - sheet.total[1 - side] >= need


cdef inline bint judge(
    const RuleSet* rules, const uint64_t* before, const uint64_t* piles, int side, int need, Proof* proof
) noexcept nogil:
    """Whether a side gets at least `need` points more than the other out of the final piles, scope apart; the proof, for
    whichever side is right, holds where the piles were those of `before`."""
    cdef uint64_t mine = piles[side], theirs = piles[1 - side], coins
    cdef int carte, denari, seven, prime = 0, net, spare, n, c
    cdef bint won, palle = False
    if unlikely(mine | theirs != rules.pack):
        return judge_unclaimed(rules, piles, side, need, proof)
    n = 2 * popcount(mine) - rules.cards
    c = 2 * popcount(mine & COINS_MASK) - rules.ranks
    carte = (n > 0) - (n < 0)
    denari = (c > 0) - (c < 0)
    seven = 1 if mine & SETTEBELLO_BIT else -1
    net = carte + denari + seven
    if rules.more_items:
        net += judge_more(rules, mine, theirs, &prime, &palle)
        won = net + prime >= need
    elif rules.primiera == NO_PRIME:
        won = net >= need
    elif net - 1 >= need:
        won = True
        prime = -1
    elif net + 1 < need:
        won = False
        prime = 1
    else:
        prime = compare(prime_rank(rules, mine), prime_rank(rules, theirs))
        won = net + prime >= need
    net += prime
    # From here on as the side that is right sees it.
    if not won:
        side = 1 - side
        mine = theirs
        theirs = piles[1 - side]
        carte, denari, seven, prime, net, need = -carte, -denari, -seven, -prime, -net, 1 - need
    spare = net - need
    rest_on_nothing(proof)
    if rules.matta:
        proof.cards = MATTA_BIT
    if rules.more_items:
        proof.cards |= more_cards(rules, mine, theirs)
    # Give away what is not needed, the items that rest on the most first.
    if prime >= 0 and rules.primiera != NO_PRIME:
        if spare > prime and not palle:
            spare -= prime + 1
        else:
            proof.cards |= prime_cards(rules, mine, prime == 0 or (spare > 0 and not palle))
            if spare > 0 and prime == 1 and not palle:
                spare -= 1
    if denari >= 0:
        if spare > denari:
            spare -= denari + 1
        else:
            coins = mine & ~before[side] & COINS_MASK
            n = rules.ranks // 2 + 1
            if denari == 0 or (spare > 0 and not rules.ranks & 1):
                n = (rules.ranks + 1) // 2
                spare -= denari
            n -= popcount(coins)
            proof.cards |= coins
            proof.least_coins = n if n > 0 else 0
    if seven > 0:
        if spare > 1:
            spare -= 2
        else:
            proof.cards |= SETTEBELLO_BIT
    if carte >= 0 and spare <= carte:
        n = rules.cards // 2 + (carte > 0 and spare == 0)
        n -= popcount(mine & ~before[side])
        proof.least_cards = n if n > 0 else 0
    return won


cdef inline int judge_more(const RuleSet* rules, uint64_t mine, uint64_t theirs, int* prime, bint* palle) noexcept nogil:
    """Points of the items of `score_more`, mine less theirs; also who wins the primiera, and whether the palle del cane
    (PT-8) rest on that."""
    cdef int net = 0
    if rules.primiera != NO_PRIME:
        prime[0] = compare(prime_rank(rules, mine), prime_rank(rules, theirs))
    if rules.re_bello:
        net += 1 if mine & rules.re_bello_bit else -1
    if rules.sette_coppe:
        net += 1 if mine & MATTA_BIT else -1
    if rules.palle_del_cane and (mine >> 24 & 15 == 15 or theirs >> 24 & 15 == 15):
        palle[0] = True
        if mine >> 24 & 15 == 15 and (prime[0] > 0 or (prime[0] == 0 and rules.tie_all)):
            net += 1
        if theirs >> 24 & 15 == 15 and (prime[0] < 0 or (prime[0] == 0 and rules.tie_all)):
            net -= 1
    if rules.napola != NO_NAPOLA:
        net += napola_points(rules, mine) - napola_points(rules, theirs)
    if rules.grande:
        if mine & rules.faces_of_coins == rules.faces_of_coins:
            net += 5
        elif theirs & rules.faces_of_coins == rules.faces_of_coins:
            net -= 5
    return net
