# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The legal moves of a position: counted without being listed, listed in canonical order (DECK-8), found by number.
from libc.stdint cimport uint16_t, uint64_t

from scopa_fast.core.captures cimport Options, Table, count_sets, list_sets, read_options, read_table
from scopa_fast.core.cards cimport (
    CARD_SHIFT, DECK_SHIFT, KIND_DECLARE, KIND_SHIFT, KIND_TO_PILE, MATTA, MATTA_BIT, bit, lowest, popcount, rank_set, rank_sum,
    value_of,
)
from scopa_fast.core.lookup cimport Lookup, ROW, TO_PILE, is_looked_up
from scopa_fast.core.position cimport GameState, plays_left
from scopa_fast.core.rules cimport RuleSet

cdef enum:
    MAX_DECLARATIONS = 16   # ten ranks for the 7C, each good for one bonus, and room to spare

ctypedef struct Turn:
    int row         # rank set of the table if a Lookup holds its moves, else -1
    Table table     # the table counted, if row is -1


# -- declarations (CIR-1 to CIR-6) --------------------------------------------------------


cdef inline int hand_points(const RuleSet* rules, int a, int b, int c) noexcept nogil:
    """Points of three values: CIR-1, CIR-2, CIR-3."""
    if a == b and b == c:
        return 13 if rules.bonus_sum and a + b + c <= 9 else 10
    return 3 if a + b + c <= 9 else 0


cdef inline int list_declarations(const RuleSet* rules, uint64_t hand, uint64_t* out) noexcept nogil:
    """Write the declarations of a whole hand, by points and then rank; at most MAX_DECLARATIONS."""
    cdef int values[3]
    cdef int points[11]
    cdef int i, n = 0, rank, wanted, wild = -1
    cdef uint64_t rest = hand
    if not rules.hand_bonus or popcount(hand) != 3:
        return 0
    for i in range(3):
        if lowest(rest) == MATTA and rules.matta:
            wild = i
        values[i] = (lowest(rest) >> 2) + 1
        rest &= rest - 1
    if wild < 0:
        points[0] = hand_points(rules, values[0], values[1], values[2])
        if points[0]:
            out[0] = <uint64_t>points[0] | <uint64_t>KIND_DECLARE << KIND_SHIFT
            return 1
        return 0
    for rank in range(1, 11):
        values[wild] = rank
        points[rank] = hand_points(rules, values[0], values[1], values[2])
    for wanted in range(3, 14):
        for rank in range(1, 11):
            if points[rank] == wanted:
                out[n] = <uint64_t>wanted | <uint64_t>rank << CARD_SHIFT | <uint64_t>KIND_DECLARE << KIND_SHIFT
                n += 1
    return n


cdef inline int state_declarations(const RuleSet* rules, const GameState* state, uint64_t* out) noexcept nogil:
    """Write the declarations open to the seat to move: a whole hand, not declared yet (CIR-4)."""
    if not rules.hand_bonus or (state.exposed >> state.seat) & 1:
        return 0
    return list_declarations(rules, state.cards[state.seat], out)


# -- cards ------------------------------------------------------------------------------


cdef inline uint64_t playable_cards(const RuleSet* rules, const GameState* state) noexcept nogil:
    """The cards the seat to move may play: its hand, less the aces if this is the first card of the deal and it holds
    other ranks (ACE-7)."""
    cdef uint64_t hand = state.cards[state.seat], others
    if rules.first_ace_ban and plays_left(rules, state) == rules.plays:
        others = hand & ~<uint64_t>15
        if state.matta == 1:
            others &= ~MATTA_BIT
        if others:
            return others
    return hand


cdef inline void read_turn(const RuleSet* rules, const GameState* state, Turn* turn) noexcept nogil:
    """Prepare what the functions below share. A table without two cards of a rank, and without a declared 7C, is looked
    up; any other is counted."""
    turn.row = rank_set(state.table)
    if not is_looked_up(state.table, state.matta):
        turn.row = -1
        read_table(state.table, state.matta, &turn.table)
        count_sets(rules, &turn.table)


cdef inline uint64_t count_of_card(
    const RuleSet* rules, const Lookup* look, const GameState* state, const Turn* turn, int card
) noexcept nogil:
    """Number of moves of one card that ACE-7 allows."""
    cdef Options options
    cdef int value = value_of(card, state.matta)
    if turn.row >= 0:
        return look.count[turn.row * ROW + value - 1]
    read_options(rules, &turn.table, value, &options)
    return options.captures + options.lay + options.to_pile


cdef inline uint64_t count_card_moves(
    const RuleSet* rules, const Lookup* look, const GameState* state, const Turn* turn
) noexcept nogil:
    """Number of legal moves that play a card."""
    cdef uint64_t total = 0, rest = playable_cards(rules, state)
    while rest:
        total += count_of_card(rules, look, state, turn, lowest(rest))
        rest &= rest - 1
    return total


cdef inline uint64_t moves_of_card(
    const RuleSet* rules, const Lookup* look, const GameState* state, const Turn* turn, int card,
    uint64_t skip, uint64_t room, uint64_t* out
) noexcept nogil:
    """Write at most `room` moves of one card, from number `skip` on, in canonical order; return how many."""
    cdef Options options
    cdef uint64_t written = 0, i, number
    cdef uint64_t stem = <uint64_t>card << CARD_SHIFT | rules.deck_bit
    cdef int value = value_of(card, state.matta)
    cdef size_t entry
    cdef uint16_t move
    if turn.row >= 0:
        entry = <size_t>turn.row * ROW + value - 1
        number = look.count[entry]
        entry = look.start[entry]
        for i in range(skip, number if number < skip + room else skip + room):
            move = look.moves[entry + i]
            out[written] = stem | (<uint64_t>KIND_TO_PILE << KIND_SHIFT if move == TO_PILE else state.table & look.spread[move])
            written += 1
        return written
    read_options(rules, &turn.table, value, &options)
    written = list_sets(&turn.table, &options, skip, room, out)
    for i in range(written):
        out[i] |= stem
    number = options.captures
    if options.lay:
        if written < room and number >= skip:
            out[written] = stem
            written += 1
        number += 1
    if options.to_pile and written < room and number >= skip:
        out[written] = stem | <uint64_t>KIND_TO_PILE << KIND_SHIFT
        written += 1
    return written


cdef inline uint64_t list_card_moves(
    const RuleSet* rules, const Lookup* look, const GameState* state, const Turn* turn, uint64_t room, uint64_t* out
) noexcept nogil:
    """Write all legal moves that play a card; `out` must have room for `count_card_moves` of them."""
    cdef uint64_t written = 0, rest = playable_cards(rules, state)
    while rest:
        written += moves_of_card(rules, look, state, turn, lowest(rest), 0, room - written, out + written)
        rest &= rest - 1
    return written


cdef inline uint64_t nth_card_move(
    const RuleSet* rules, const Lookup* look, const GameState* state, const Turn* turn, uint64_t index
) noexcept nogil:
    """The card move number `index`, which must be below `count_card_moves`."""
    cdef uint64_t rest = playable_cards(rules, state), number, move = 0
    while True:
        number = count_of_card(rules, look, state, turn, lowest(rest))
        if index < number:
            moves_of_card(rules, look, state, turn, lowest(rest), index, 1, &move)
            return move
        index -= number
        rest &= rest - 1


cdef inline bint is_legal_move(const RuleSet* rules, const Lookup* look, const GameState* state, uint64_t move) noexcept nogil:
    """Whether a packed move is legal."""
    cdef uint64_t declared[MAX_DECLARATIONS]
    cdef Turn turn
    cdef Options options
    cdef uint64_t captured = move & (bit(CARD_SHIFT) - 1)
    cdef int card = <int>(move >> CARD_SHIFT) & 63
    cdef int kind = <int>(move >> KIND_SHIFT) & 3
    cdef int i, value, total
    cdef size_t entry
    cdef uint16_t wanted
    if kind == KIND_DECLARE:
        for i in range(state_declarations(rules, state, declared)):
            if declared[i] == move:
                return True
        return False
    if move >> DECK_SHIFT << DECK_SHIFT != rules.deck_bit or card >= rules.cards or not (playable_cards(rules, state) >> card) & 1:
        return False
    if captured & ~state.table or kind > KIND_TO_PILE or (kind == KIND_TO_PILE and captured):
        return False
    value = value_of(card, state.matta)
    read_turn(rules, state, &turn)
    if turn.row >= 0:
        wanted = <uint16_t>(TO_PILE if kind == KIND_TO_PILE else rank_set(captured))
        entry = <size_t>turn.row * ROW + value - 1
        for i in range(look.count[entry]):
            if look.moves[look.start[entry] + i] == wanted:
                return True
        return False
    # By the options of the card and the sum of what it takes.
    read_options(rules, &turn.table, value, &options)
    if kind == KIND_TO_PILE:
        return options.to_pile
    if captured == 0:
        return options.lay
    if options.sweep and captured == state.table:
        return True
    total = rank_sum(captured)
    if state.matta != 0 and captured & MATTA_BIT:
        total += state.matta - 7
    if options.sum_a and total == options.sum_a and (options.size_a == 0 or options.size_a == popcount(captured)):
        return True
    return options.sum_b != 0 and total == options.sum_b
