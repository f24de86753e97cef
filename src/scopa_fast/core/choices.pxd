# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The moves of a position in a search, with what they are worth at first sight.
from libc.stdint cimport uint64_t
from libc.stdlib cimport realloc

from scopa_fast.core.cards cimport (
    CARD_SHIFT, KIND_DECLARE, KIND_SHIFT, MATTA_BIT, bit, has_repeats, lowest, popcount, rank_set, rank_sum, unlikely,
)
from scopa_fast.core.generate cimport (
    MAX_DECLARATIONS, Turn, count_card_moves, list_card_moves, playable_cards, read_turn, state_declarations,
)
from scopa_fast.core.lookup cimport Lookup, ROW
from scopa_fast.core.ordering cimport DECLARED, KnownMove, MAX_LEFT, Ordering, sweeping_cards
from scopa_fast.core.position cimport GameState, next_seat
from scopa_fast.core.prover cimport Choice, ROOM_AHEAD, Search
from scopa_fast.core.rules cimport RuleSet
from scopa_fast.core.transpositions cimport bucket_of, hash_cards, hint, position_key, prefetch, turn_bits

cdef enum:
    HINT = 300              # worth of a move that was good in a position with the same ranks


cdef inline void bring_best(Choice* choices, size_t n) noexcept nogil:
    """Bring the first of the moves of most worth to the front."""
    cdef size_t i, best = 0
    cdef Choice first
    for i in range(1, n):
        if choices[i].worth > choices[best].worth:
            best = i
    if best:
        first = choices[0]
        choices[0] = choices[best]
        choices[best] = first


cdef inline bint is_refuted(const Choice* failed, size_t n, uint64_t move) noexcept nogil:
    """Whether a move fails because an equal one did: it differs in the suit of the card only, and the proof against that
    one rests on neither card."""
    cdef size_t i
    cdef uint64_t both
    if (move >> KIND_SHIFT) & 3 == KIND_DECLARE:
        return False
    for i in range(n):
        if (failed[i].move ^ move) >> 2 + CARD_SHIFT == 0 and (failed[i].move ^ move) & (bit(CARD_SHIFT) - 1) == 0:
            both = bit(<int>(move >> CARD_SHIFT) & 63) | bit(<int>(failed[i].move >> CARD_SHIFT) & 63)
            if failed[i].cards & both == 0:
                return True
    return False


cdef inline bint claim(Search* s, size_t more) noexcept nogil:
    """Make room for more choices, and for those that looked-up tables add further on; without memory the search stops."""
    cdef size_t room = s.room
    cdef void* larger
    if s.used + more + ROOM_AHEAD <= room:
        return True
    while room < s.used + more + ROOM_AHEAD:
        room *= 2
    larger = realloc(s.choices, room * sizeof(Choice))
    if larger == NULL:
        s.stop = True
        return False
    s.choices = <Choice*>larger
    s.room = room
    return True


cdef inline bint may_declare(const GameState* state) noexcept nogil:
    """Whether the seat to move holds a whole hand that it has not declared (CIR-4)."""
    return popcount(state.cards[state.seat]) == 3 and not state.exposed >> state.seat & 1


cdef inline uint64_t threatening_cards(const RuleSet* rules, const GameState* state) noexcept nogil:
    """The next hand if it is the other side's, else nothing."""
    cdef int seat = next_seat(rules, state.seat)
    return state.cards[seat] if rules.side_of[seat] != rules.side_of[state.seat] else 0


cdef inline size_t list_choices(Search* s) noexcept nogil:
    """Write the legal moves with their worth after the choices in use; return how many."""
    cdef const RuleSet* rules = s.rules
    cdef const Lookup* look = s.look
    cdef const Ordering* order = s.order
    cdef const GameState* state = &s.state
    cdef uint64_t table = state.table, rest, next_hand, stem, hashed, turn, salt = s.salts[state.stock_left]
    cdef const uint64_t* hands = order.terms.hands[state.seat]
    cdef bint asks = s.plies > s.probe_from
    cdef size_t row = rank_set(table), entry, place, end
    cdef int card
    cdef const KnownMove* known
    cdef Choice* first
    cdef Choice* out
    if unlikely(has_repeats(table, <int>row) or state.matta or (rules.hand_bonus and may_declare(state))):
        return list_any_choices(s)
    next_hand = threatening_cards(rules, state)
    turn = turn_bits(state, next_seat(rules, state.seat))
    rest = playable_cards(rules, state)
    first = out = s.choices + s.used
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        stem = <uint64_t>card << CARD_SHIFT
        hashed = s.hashed - hands[card >> 2]
        entry = row * ROW + <size_t>(card >> 2)
        place = look.start[entry]
        end = place + look.count[entry]
        while place < end:
            known = &order.moves[place]
            out.move = stem | (table & look.spread[known.captured]) | <uint64_t>known.to_pile << KIND_SHIFT
            out.worth = known.worth
            if order.sweeps[known.after] & next_hand:
                out.worth += order.sweep_next
            out.hashed = hashed - order.change[known.captured]
            if known.captured == 0 and not known.to_pile:
                out.hashed += order.terms.table[card >> 2]
            if asks:
                # On its way before the search comes there.
                prefetch(bucket_of(&s.table, position_key(out.hashed, turn, salt), s.plies - 1))
            place += 1
            out += 1
    return out - first


cdef inline size_t list_any_choices(Search* s) noexcept nogil:
    """As list_choices, for any table and with declarations."""
    cdef const RuleSet* rules = s.rules
    cdef const GameState* state = &s.state
    cdef uint64_t declared[MAX_DECLARATIONS]
    cdef uint64_t* moves
    cdef uint64_t captured, left, rest, next_hand = threatening_cards(rules, state)
    cdef size_t n, i, n_declared
    cdef int card, total
    cdef Choice* out
    cdef Turn turn
    read_turn(rules, state, &turn)
    n = count_card_moves(rules, s.look, state, &turn)
    if not claim(s, n + MAX_DECLARATIONS):
        return 0
    out = s.choices + s.used
    # The moves go to the end of their own room, from where they are spread out.
    moves = <uint64_t*>out + n * (sizeof(Choice) // sizeof(uint64_t) - 1)
    list_card_moves(rules, s.look, state, &turn, n, moves)
    for i in range(n):
        out.move = moves[i]
        card = <int>(out.move >> CARD_SHIFT) & 63
        captured = out.move & (bit(CARD_SHIFT) - 1)
        left = state.table ^ captured
        out.hashed = s.hashed - s.order.terms.hands[state.seat][card >> 2] - hash_cards(s.order.terms.table, captured)
        if captured or (out.move >> KIND_SHIFT) & 3:
            out.worth = s.order.capture + s.order.gain[card >> 2] + (s.order.scopa if captured and left == 0 else 0)
            rest = captured
            while rest:
                out.worth += s.order.gain[lowest(rest) >> 2]
                rest &= rest - 1
        else:
            left |= bit(card)
            out.hashed += s.order.terms.table[card >> 2]
            out.worth = s.order.lay[card >> 2]
        total = rank_sum(left)
        if state.matta and left & MATTA_BIT:
            total += state.matta - 7
        if left:
            out.worth += s.order.left[total if total < MAX_LEFT else MAX_LEFT]
        if sweeping_cards(rules, left, total) & next_hand:
            out.worth += s.order.sweep_next
        out += 1
    n_declared = state_declarations(rules, state, declared)
    for i in range(n_declared):
        out.move = declared[i]
        out.worth = DECLARED + <int>(declared[i] & 15)
        out.hashed = s.hashed
        out += 1
    return n + n_declared


cdef inline void heed_hints(Search* s, int side, int need, size_t n) noexcept nogil:
    """Weigh the listed moves by what the table knows of the positions they lead to."""
    cdef const GameState* state = &s.state
    cdef uint64_t turn = turn_bits(state, next_seat(s.rules, state.seat))
    cdef uint64_t salt = s.salts[state.stock_left]
    cdef Choice* choice = s.choices + s.used
    cdef Choice* end = choice + n
    cdef bint sweeps
    while choice < end:
        sweeps = state.table != 0 and choice.move & (bit(CARD_SHIFT) - 1) == state.table
        choice.worth += HINT * hint(&s.table, position_key(choice.hashed, turn, salt), s.plies - 1, side, need - sweeps)
        choice += 1
