# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The greedy player: the beginner's strategy of Di Palma and Lanzi's Scopone study (arXiv 1807.06813), for every ruleset.
#
# Of two moves the better one scores a scopa; or else leaves no table that the next seat can sweep; or else captures; or else
# takes more value (card played included), or lays less. Moves that are alike in all this are equally good.
from libc.stdint cimport uint64_t

from scopa_fast.core.cards cimport (
    CARD_SHIFT, KIND_DECLARE, KIND_SHIFT, MATTA_BIT, bit, has_repeats, lowest, rank_set, rank_sum, unlikely,
)
from scopa_fast.core.generate cimport (
    MAX_DECLARATIONS, Turn, moves_of_card, playable_cards, read_turn, state_declarations,
)
from scopa_fast.core.lookup cimport Lookup, ROW
from scopa_fast.core.ordering cimport KnownMove, sweeping_cards
from scopa_fast.core.position cimport GameState, move_scopa
from scopa_fast.core.rng cimport below
from scopa_fast.core.rules cimport RuleSet
from scopa_fast.core.values cimport Values, suit_values, sum_values

cdef enum:
    SCOPA_RANK = 1 << 20        # what decides first counts most
    SAFE_RANK = 1 << 19
    CAPTURE_RANK = 1 << 18
    SOME_MOVES = 64

# The best moves so far: one of them, each as likely.
ctypedef struct Best:
    uint64_t move
    int worth
    int ties


cdef inline void offer(Best* best, int worth, uint64_t move, uint64_t* stream) noexcept nogil:
    """Take a move that is better, or one of the n that are as good with a chance of 1 in n."""
    if worth > best.worth:
        best.worth, best.ties, best.move = worth, 1, move
    elif worth == best.worth:
        best.ties += 1
        if below(stream, best.ties) == 0:
            best.move = move


cdef inline uint64_t threats(const RuleSet* rules, const GameState* state, uint64_t left, bint last_may_sweep) noexcept nogil:
    """The cards with which the next seat would sweep a table and score; a declared 7C is there by its declared rank (CIR-6)."""
    cdef int total
    cdef uint64_t cards
    if left == 0 or not last_may_sweep:
        return 0
    total = rank_sum(left)
    if state.matta and left & MATTA_BIT:
        total += state.matta - 7
        # An ace on the table is any card of that rank.
        if state.matta == 1 and rules.ace_sweep and not rules.ace_all:
            left |= 1
    cards = sweeping_cards(rules, left, total)
    if state.matta:
        cards &= ~MATTA_BIT
        if cards & <uint64_t>13 << (4 * state.matta - 4):
            cards |= MATTA_BIT
    return cards


cdef inline uint64_t greedy_any(
    const RuleSet* rules, const Lookup* look, const Values* values, const GameState* state, uint64_t hand, uint64_t others,
    bint last_may_sweep, uint64_t* stream
) noexcept nogil:
    """As greedy_card, for any table."""
    cdef uint64_t moves[SOME_MOVES]
    cdef uint64_t captured, left, skip
    cdef Turn turn
    cdef Best best
    cdef int card, worth
    cdef uint64_t n, i
    best.worth = -1
    best.move = best.ties = 0
    read_turn(rules, state, &turn)
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        skip = 0
        while True:
            n = moves_of_card(rules, look, state, &turn, card, skip, SOME_MOVES, moves)
            for i in range(n):
                captured = moves[i] & (bit(CARD_SHIFT) - 1)
                left = state.table ^ captured
                if captured:
                    worth = CAPTURE_RANK + values.of_card[card] + sum_values(values, captured)
                    if left == 0 and move_scopa(rules, state, moves[i]) > 0:
                        worth += SCOPA_RANK
                else:
                    worth = (SAFE_RANK >> 4) - values.of_card[card]
                    if (moves[i] >> KIND_SHIFT) & 3 == 0:
                        left |= bit(card)
                if threats(rules, state, left, last_may_sweep) & others == 0:
                    worth += SAFE_RANK
                offer(&best, worth, moves[i], stream)
            if n < SOME_MOVES:
                break
            skip += n
    return best.move


cdef inline uint64_t greedy_card(
    const RuleSet* rules, const Lookup* look, const Values* values, const GameState* state, uint64_t cards, uint64_t others, int left,
    uint64_t* stream
) noexcept nogil:
    """The greedy move of one of some cards of the hand.

    `others` are the cards that the next seat may hold, `left` the plays left, this one among them.
    """
    cdef uint64_t table = state.table, hand = cards, taken
    cdef size_t row = rank_set(table), entry, place, end
    cdef const KnownMove* known
    cdef Best best
    cdef int card, worth
    cdef bint last_may_sweep = left > 2 or (left == 2 and rules.last_play_scopa)
    if unlikely(has_repeats(table, <int>row) or state.matta):
        return greedy_any(rules, look, values, state, cards, others, last_may_sweep, stream)
    best.worth = -1
    best.move = best.ties = 0
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        entry = row * ROW + <size_t>(card >> 2)
        place = look.start[entry]
        end = place + look.count[entry]
        while place < end:
            known = &values.order.moves[place]
            if unlikely(known.doubles):
                return greedy_any(rules, look, values, state, cards, others, last_may_sweep, stream)
            taken = table & look.spread[known.captured]
            if taken:
                worth = CAPTURE_RANK + values.plain[known.captured] + suit_values(values, taken) + values.of_card[card]
                if known.after == 0 and move_scopa(rules, state, <uint64_t>card << CARD_SHIFT | taken) > 0:
                    worth += SCOPA_RANK
            else:
                worth = (SAFE_RANK >> 4) - values.of_card[card]
            if not last_may_sweep or values.order.sweeps[known.after] & others == 0:
                worth += SAFE_RANK
            if worth >= best.worth:
                offer(&best, worth, <uint64_t>card << CARD_SHIFT | taken | <uint64_t>known.to_pile << KIND_SHIFT | rules.deck_bit, stream)
            place += 1
    return best.move


cdef inline uint64_t best_declaration(const RuleSet* rules, const GameState* state, uint64_t* stream) noexcept nogil:
    """The declaration for the most points, by a random one of the ranks that the 7C may stand for; 0 if there is none."""
    cdef uint64_t moves[MAX_DECLARATIONS]
    cdef int n = state_declarations(rules, state, moves), first = 0
    if n == 0:
        return 0
    while moves[first] & 255 != moves[n - 1] & 255:
        first += 1
    return moves[first + <int>below(stream, n - first)]
