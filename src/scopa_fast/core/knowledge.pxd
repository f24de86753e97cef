# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# What a seat knows beyond the position: which cards may be where, and what the moves so far tell of the others.
from libc.stdint cimport uint8_t, uint16_t, uint64_t

from scopa_fast.core.cards cimport (
    CARD_SHIFT, KIND_DECLARE, KIND_PLAY, KIND_SHIFT, KIND_TO_PILE, MATTA_BIT, MAX_SEATS, bit, popcount, rank_set,
)
from scopa_fast.core.greedy cimport threats
from scopa_fast.core.position cimport GameState, next_seat, plays_left
from scopa_fast.core.rules cimport RuleSet

ctypedef struct Knowledge:
    const RuleSet* rules
    const GameState* state          # its hidden cards are not looked at, but for their number
    int seat                        # who knows
    int left                        # plays left
    uint64_t hand
    uint64_t unseen                 # cards in the stock and in hands that the seat does not know
    int n_unseen
    uint64_t known[MAX_SEATS]       # hands that it knows, 0 for the others
    uint64_t pool[MAX_SEATS]        # cards that each seat may hold
    int sizes[MAX_SEATS]            # of all hands
    uint16_t absent[MAX_SEATS]      # rank sets: who passed over a sweep with such a card, in this round
    uint64_t laid[MAX_SEATS]        # the last card that each seat laid, if it still lies there
    uint64_t all_laid[MAX_SEATS]    # all such cards
    uint64_t lost[MAX_SEATS]        # the last card that each seat laid, if another side took it
    # Of the moves that are known, by `recall` alone:
    uint64_t left_by[MAX_SEATS]     # the table after the last move of each seat, 0 if there is none
    int declared                    # rank of the 7C when it was laid, 0 if it was not declared


cdef inline void know(const RuleSet* rules, const GameState* state, int seat, Knowledge* k) noexcept nogil:
    """What a seat of a position knows of the cards."""
    cdef int q
    k.rules, k.state, k.seat = rules, state, seat
    k.left = plays_left(rules, state)
    k.hand = state.cards[seat]
    k.unseen = rules.pack & ~(state.table | k.hand)
    for q in range(rules.sides):
        k.unseen &= ~state.cards[rules.seats + q]
    for q in range(rules.seats):
        k.sizes[q] = popcount(state.cards[q])
        if k.sizes[q] == 0 and state.stock_left and q != seat:
            # It will be dealt a new hand (DEAL-2) before it plays.
            k.sizes[q] = rules.hand
        k.known[q] = state.cards[q] if q == seat or (state.exposed >> q) & 1 else 0
        k.unseen &= ~k.known[q]
        k.absent[q] = 0
        k.laid[q] = k.lost[q] = k.all_laid[q] = 0
    for q in range(rules.seats):
        k.pool[q] = k.known[q] if k.known[q] else k.unseen
    k.n_unseen = popcount(k.unseen)


cdef inline void recall(const uint64_t* moves, int n, Knowledge* k) noexcept nogil:
    """What the moves of the round at hand tell; `moves` are the last n of the deal."""
    cdef const RuleSet* rules = k.rules
    cdef GameState then
    cdef uint64_t table = k.state.table, captured, card, sweeping
    cdef int q = k.state.seat, in_round = 0, i, kind, left = k.left
    cdef bint declares = False
    k.declared = k.state.matta
    for i in range(rules.seats):
        in_round += rules.hand - popcount(k.state.cards[i])
        k.left_by[i] = 0
    # Back to the first of the moves, ...
    for i in range(n - 1, -1, -1):
        kind = <int>(moves[i] >> KIND_SHIFT) & 3
        if kind != KIND_DECLARE:
            q = q - 1 if q else rules.seats - 1
            left += 1
            captured = moves[i] & (bit(CARD_SHIFT) - 1)
            if captured or kind == KIND_TO_PILE:
                table |= captured
            else:
                table ^= bit(<int>(moves[i] >> CARD_SHIFT) & 63)
        elif (moves[i] >> CARD_SHIFT) & 63:
            k.declared = <int>(moves[i] >> CARD_SHIFT) & 63
            declares = True
    # ... and on from there. What is declared now but by none of the moves was so before them.
    then.matta = 0 if declares else k.state.matta
    for i in range(n):
        kind = <int>(moves[i] >> KIND_SHIFT) & 3
        captured = moves[i] & (bit(CARD_SHIFT) - 1)
        if kind == KIND_DECLARE:
            if (moves[i] >> CARD_SHIFT) & 63:
                then.matta = <uint8_t>((moves[i] >> CARD_SHIFT) & 63)
            continue
        card = bit(<int>(moves[i] >> CARD_SHIFT) & 63)
        if left <= k.left + in_round:
            sweeping = threats(rules, &then, table, left > 1 or rules.last_play_scopa)
            if captured != table or card & sweeping == 0:
                # A sweep that would have scored was passed over. A declared 7C tells nothing of the other sevens.
                k.absent[q] |= <uint16_t>rank_set(sweeping & ~MATTA_BIT if then.matta else sweeping)
        note_laid(k, q, captured, card if captured == 0 and kind == KIND_PLAY else 0)
        if captured or kind == KIND_TO_PILE:
            table ^= captured
            if (captured | card) & MATTA_BIT:
                then.matta = 0
        else:
            table ^= card
        k.left_by[q] = table
        q = next_seat(rules, q)
        left -= 1


cdef inline void note_laid(Knowledge* k, int q, uint64_t captured, uint64_t laid) noexcept nogil:
    """Keep up the cards that each seat laid."""
    cdef int i
    for i in range(k.rules.seats):
        k.all_laid[i] &= ~captured
        if k.laid[i] & captured:
            k.lost[i] = k.laid[i] if k.rules.side_of[i] != k.rules.side_of[q] else 0
            k.laid[i] = 0
    if laid:
        k.laid[q], k.lost[q] = laid, 0
        k.all_laid[q] |= laid


cdef inline double draw_chance(int copies, int n, int size) noexcept nogil:
    """How likely one of some copies is to be among the `size` cards of a hand dealt from n cards."""
    cdef int i
    cdef double none = 1
    for i in range(copies):
        if n - size - i <= 0:
            return 1
        none *= <double>(n - size - i) / <double>(n - i)
    return 1 - none


cdef inline double chance(const Knowledge* k, int q, uint64_t cards) noexcept nogil:
    """How likely a seat is to hold one of some cards: hypergeometric, as if nothing but the cards were known."""
    cards &= k.pool[q]
    if k.known[q]:
        return 1 if cards else 0
    return draw_chance(popcount(cards), k.n_unseen, k.sizes[q])


cdef inline double chance_without(const Knowledge* k, int q, uint64_t cards, uint64_t gone) noexcept nogil:
    """The same once another card has been seen."""
    cards &= k.pool[q] & ~gone
    if k.known[q]:
        return 1 if cards else 0
    return draw_chance(popcount(cards), k.n_unseen - popcount(k.unseen & gone), k.sizes[q])
