# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The position of a deal as the kernel holds it: one flat struct, copied with `copy_state`, and what moves do to it.
#
#   bytes   0        8                     14                        56           72         80
#           | table  | seat dealer last    | stock[42], the undealt  | scope[8]   | bonus[8] | cards: the seats' hands,
#           |        | matta exposed left  | cards at its end        |            |          | then the sides' piles
#
# 128 bytes for up to four seats in two sides, hidden cards included; more for six and eight. No history: undo works from
# an Undo record that the caller keeps.
from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.string cimport memcpy

from scopa_fast.core.captures cimport Table, read_table, scopa_points
from scopa_fast.core.cards cimport (
    CARD_SHIFT, KIND_DECLARE, KIND_SHIFT, KIND_TO_PILE, MATTA, MATTA_BIT, MAX_SEATS, bit, popcount, value_of,
)
from scopa_fast.core.rules cimport MAX_STOCK, RuleSet

cdef enum:
    NOBODY = 255         # GameState.last before the first capture

ctypedef struct GameState:
    uint64_t table
    uint8_t seat                    # seat to move
    uint8_t dealer
    uint8_t last                    # side that captured last, or NOBODY
    uint8_t matta                   # rank of a declared 7C until it is captured, 0 for none
    uint8_t exposed                 # bit mask of the seats that declared in this round
    uint8_t stock_left
    uint8_t stock[MAX_STOCK]        # the next card to deal is stock[MAX_STOCK - stock_left]
    int16_t scope[MAX_SEATS]        # by side
    uint8_t bonus[MAX_SEATS]        # by side
    uint64_t cards[2 * MAX_SEATS]   # hands by seat, then piles by side

ctypedef struct Undo:
    uint64_t move
    uint64_t table                  # as it was before the move
    uint64_t leftovers              # what the last capturer got at the end of the deal (END-2)
    int16_t scope
    uint8_t last, matta, exposed, stock_left, seat


cdef inline void copy_state(const RuleSet* rules, const GameState* source, GameState* target) noexcept nogil:
    memcpy(target, source, rules.state_size)


cdef inline bint deal_over(const GameState* state) noexcept nogil:
    """Whether the last card has been played (END-1): a new round is dealt at once, so an empty hand says it."""
    return state.cards[state.seat] == 0


cdef inline bint is_last_play(const GameState* state) noexcept nogil:
    """Whether the card about to be played is the last of the deal (SCO-2)."""
    return state.stock_left == 0 and state.seat == state.dealer and state.cards[state.seat] & (state.cards[state.seat] - 1) == 0


cdef inline uint64_t rank_cards(const GameState* state, int rank) noexcept nogil:
    """All cards that count as a rank: a declared 7C is one of its declared rank (CIR-6)."""
    cdef uint64_t cards = <uint64_t>15 << (4 * rank - 4)
    if state.matta:
        cards &= ~MATTA_BIT
        if rank == state.matta:
            cards |= MATTA_BIT
    return cards


cdef inline int next_seat(const RuleSet* rules, int seat) noexcept nogil:
    return seat + 1 if seat + 1 < rules.seats else 0


cdef inline int plays_left(const RuleSet* rules, const GameState* state) noexcept nogil:
    cdef int seat, left = state.stock_left
    for seat in range(rules.seats):
        left += popcount(state.cards[seat])
    return left


cdef inline uint64_t packet_mask(const GameState* state, int packet) noexcept nogil:
    """The packet number `packet` from the end of the stock, as a mask."""
    cdef const uint8_t* card = &state.stock[MAX_STOCK - 3 * packet - 3]
    return bit(card[0]) | bit(card[1]) | bit(card[2])


cdef inline bint same_state(const RuleSet* rules, const GameState* a, const GameState* b) noexcept nogil:
    """Whether two states of the same rules are the same position."""
    cdef int i
    if (a.table != b.table or a.seat != b.seat or a.dealer != b.dealer or a.last != b.last or a.matta != b.matta
            or a.exposed != b.exposed or a.stock_left != b.stock_left):
        return False
    for i in range(rules.seats + rules.sides):
        if a.cards[i] != b.cards[i]:
            return False
    for i in range(rules.sides):
        if a.scope[i] != b.scope[i] or a.bonus[i] != b.bonus[i]:
            return False
    for i in range(a.stock_left // 3):
        if packet_mask(a, i) != packet_mask(b, i):
            return False
    return True


cdef inline bint is_sound(const RuleSet* rules, const GameState* state) noexcept nogil:
    """Whether every card is in one place and the hands have the sizes of the turn (PLAY-5): all that memory safety needs."""
    cdef uint64_t seen = state.table, packet
    cdef int total = popcount(state.table) + state.stock_left, i, turn, size
    if state.seat >= rules.seats or state.dealer >= rules.seats or state.stock_left % (3 * rules.seats):
        return False
    for i in range(rules.seats + rules.sides):
        seen |= state.cards[i]
        total += popcount(state.cards[i])
    for i in range(state.stock_left // 3):
        seen |= packet_mask(state, i)
    turn = (state.seat - state.dealer - 1 + 2 * rules.seats) % rules.seats
    size = popcount(state.cards[state.seat])
    for i in range(rules.seats):
        if popcount(state.cards[(state.dealer + 1 + i) % rules.seats]) != size - (i < turn):
            return False
    return seen == rules.pack and total == rules.cards and size <= rules.hand


# -- playing ---------------------------------------------------------------------------


cdef inline int move_scopa(const RuleSet* rules, const GameState* state, uint64_t move) noexcept nogil:
    """Scopa points that a legal move scores."""
    cdef uint64_t captured = move & (bit(CARD_SHIFT) - 1)
    cdef int value
    cdef Table table
    if captured == 0 or captured != state.table or (move >> KIND_SHIFT) & 3:
        return 0
    value = value_of(<int>(move >> CARD_SHIFT) & 63, state.matta)
    read_table(state.table, state.matta, &table)
    return scopa_points(rules, &table, value, captured, is_last_play(state))


cdef inline void deal_round(const RuleSet* rules, GameState* state) noexcept nogil:
    """Deal the next packets from the stock (DEAL-2)."""
    cdef int seat = state.dealer, i
    cdef const uint8_t* card = &state.stock[MAX_STOCK - state.stock_left]
    for i in range(rules.seats):
        seat = next_seat(rules, seat)
        state.cards[seat] = bit(card[0]) | bit(card[1]) | bit(card[2])
        card += 3
    state.stock_left -= 3 * rules.seats


cdef inline void make_move(const RuleSet* rules, GameState* state, uint64_t move) noexcept nogil:
    """Play a legal move; deal the next round or end the deal when it is time."""
    cdef int seat = state.seat, side = rules.side_of[state.seat]
    cdef int card = <int>(move >> CARD_SHIFT) & 63, kind = <int>(move >> KIND_SHIFT) & 3
    cdef uint64_t captured = move & (bit(CARD_SHIFT) - 1)
    cdef uint64_t* pile = &state.cards[rules.pile_of[seat]]
    if kind == KIND_DECLARE:
        state.bonus[side] += <uint8_t>captured
        state.exposed |= <uint8_t>(1 << seat)
        if card:
            state.matta = <uint8_t>card
        return
    if captured:
        if captured == state.table:
            state.scope[side] += <int16_t>move_scopa(rules, state, move)
        state.table ^= captured
        pile[0] |= captured | bit(card)
        state.last = <uint8_t>side
        if state.matta != 0 and (captured | bit(card)) & MATTA_BIT:
            state.matta = 0
    elif kind == KIND_TO_PILE:
        pile[0] |= bit(card)
        if card == MATTA:
            state.matta = 0
    else:
        state.table |= bit(card)
    state.cards[seat] ^= bit(card)
    state.seat = <uint8_t>next_seat(rules, seat)
    if seat == state.dealer and state.cards[seat] == 0:
        state.exposed = 0
        if state.stock_left:
            deal_round(rules, state)
        elif state.last != NOBODY:
            # END-2: the leftovers go to the side that captured last.
            state.cards[rules.seats + state.last] |= state.table
            if state.table & MATTA_BIT:
                state.matta = 0
            state.table = 0


cdef inline void make_undoable(const RuleSet* rules, GameState* state, uint64_t move, Undo* undo) noexcept nogil:
    """Play a legal move and fill the record that takes it back."""
    undo.move = move
    undo.table = state.table
    undo.scope = state.scope[rules.side_of[state.seat]]
    undo.last, undo.matta, undo.exposed = state.last, state.matta, state.exposed
    undo.stock_left, undo.seat = state.stock_left, state.seat
    undo.leftovers = 0
    make_move(rules, state, move)
    cdef uint64_t captured = move & (bit(CARD_SHIFT) - 1)
    if state.stock_left == 0 and deal_over(state) and state.last != NOBODY:
        undo.leftovers = undo.table ^ captured if captured or (move >> KIND_SHIFT) & 3 else (
            undo.table | bit(<int>(move >> CARD_SHIFT) & 63))


cdef inline void unmake_move(const RuleSet* rules, GameState* state, const Undo* undo) noexcept nogil:
    """Take back the last move made."""
    cdef int seat = undo.seat, i
    cdef int card = <int>(undo.move >> CARD_SHIFT) & 63
    cdef uint64_t captured = undo.move & (bit(CARD_SHIFT) - 1)
    if (undo.move >> KIND_SHIFT) & 3 == KIND_DECLARE:
        state.bonus[rules.side_of[seat]] -= <uint8_t>captured
        state.exposed = undo.exposed
        state.matta = undo.matta
        return
    if state.stock_left != undo.stock_left:
        for i in range(rules.seats):
            state.cards[i] = 0
        state.stock_left = undo.stock_left
    elif undo.leftovers:
        state.cards[rules.seats + state.last] ^= undo.leftovers
    state.cards[rules.pile_of[seat]] &= ~(captured | bit(card))
    state.cards[seat] |= bit(card)
    state.table = undo.table
    state.scope[rules.side_of[seat]] = undo.scope
    state.last, state.matta, state.exposed = undo.last, undo.matta, undo.exposed
    state.seat = undo.seat
