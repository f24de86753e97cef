# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# Moves on a position that a search plays and takes back.
from libc.stdint cimport uint8_t, uint64_t

from scopa_fast.core.cards cimport CARD_SHIFT, KIND_DECLARE, KIND_SHIFT, KIND_TO_PILE, MATTA_BIT, bit, unlikely
from scopa_fast.core.position cimport GameState, deal_round, move_scopa, next_seat
from scopa_fast.core.rules cimport RuleSet

# What a move changes, as it was before.
ctypedef struct Step:
    uint64_t table, pile, hand
    uint64_t turn           # seat, dealer, last, matta, exposed, stock_left and what follows them, as they lie in a GameState
    uint64_t left           # the hand after the move
    int seat


cdef inline int step(const RuleSet* rules, GameState* state, int side, uint64_t move, Step* old) noexcept nogil:
    """Play a legal move; return the points it makes at once. The leftovers of the deal stay on the table."""
    cdef int seat = state.seat, card = <int>(move >> CARD_SHIFT) & 63, kind = <int>(move >> KIND_SHIFT) & 3, points = 0
    cdef uint64_t captured = move & (bit(CARD_SHIFT) - 1)
    cdef uint64_t* pile = &state.cards[rules.seats + side]
    old.table, old.pile, old.hand = state.table, pile[0], state.cards[seat]
    old.turn = (<const uint64_t*>&state.seat)[0]
    old.seat, old.left = seat, old.hand
    if unlikely(kind == KIND_DECLARE):
        state.exposed |= <uint8_t>(1 << seat)
        if card:
            state.matta = <uint8_t>card
        return <int>captured
    if captured:
        if captured == state.table:
            points = move_scopa(rules, state, move)
        state.table ^= captured
        pile[0] |= captured | bit(card)
        state.last = <uint8_t>side
        if state.matta != 0 and (captured | bit(card)) & MATTA_BIT:
            state.matta = 0
    elif unlikely(kind == KIND_TO_PILE):
        pile[0] |= bit(card)
        if state.matta != 0 and bit(card) & MATTA_BIT:
            state.matta = 0
    else:
        state.table |= bit(card)
    old.left ^= bit(card)
    state.cards[seat] = old.left
    state.seat = <uint8_t>next_seat(rules, seat)
    if seat == state.dealer and old.left == 0:
        state.exposed = 0
        if state.stock_left:
            deal_round(rules, state)
    return points


cdef inline void step_back(const RuleSet* rules, GameState* state, int side, const Step* old) noexcept nogil:
    """Take back the last step."""
    cdef int seat, stock_left = state.stock_left
    (<uint64_t*>&state.seat)[0] = old.turn
    if unlikely(state.stock_left != stock_left):
        for seat in range(rules.seats):
            state.cards[seat] = 0
    state.table = old.table
    state.cards[old.seat] = old.hand
    state.cards[rules.seats + side] = old.pile
