"""The proof search compiled for one level of machine. CMake makes a module of it for each level; levels.pyx picks one.

`prove` answers a yes/no question about a position with all cards open: does the side to move get at least so many points
more than the other from here on? It searches moves until one is good enough, and each answer comes with what it rests on
(proof.pxd), so that it also answers for every position that differs in other things only.
"""

from libc.stdint cimport uint8_t, uint64_t

from scopa_fast.core.captures cimport Table as Cards, read_table, scopa_points
from scopa_fast.core.cards cimport (
    CARD_SHIFT, COINS_MASK, KIND_DECLARE, KIND_SHIFT, KIND_TO_PILE, MAX_SEATS, bit, has_repeats, lowest, popcount, rank_set, unlikely,
)
from scopa_fast.core.choices cimport bring_best, heed_hints, is_refuted, list_choices
from scopa_fast.core.estimate cimport UNKNOWN, look_ahead
from scopa_fast.core.lookup cimport Lookup, NEXT_ROW, ROW
from scopa_fast.core.ordering cimport KnownMove, Ordering
from scopa_fast.core.position cimport GameState, NOBODY, copy_state, deal_round, next_seat
from scopa_fast.core.proof cimport ANY, OWN, Proof, join, judge, rest_on_gain, rest_on_nothing
from scopa_fast.core.prover cimport BUSY, Choice, SHARED_PLIES, Search, look_up
from scopa_fast.core.rules cimport RuleSet
from scopa_fast.core.steps cimport Step, step, step_back
from scopa_fast.core.transpositions cimport find_proof, hash_ranks, keep_proof, load, position_key, store, turn_bits

cdef enum:
    HINTED_PLIES = 4        # how many plays earlier than the table its hints are heeded
    MAX_LATE = 32           # moves of two cards that are searched without the table


cdef inline bint prove_position(Search* s, int need, Proof* proof) noexcept nogil:
    """Whether the side to move gets at least `need` points more than the other from here on; the proof is that of the side
    which is right."""
    cdef const GameState* state = &s.state
    cdef uint64_t hand = state.cards[state.seat]
    cdef Place at
    s.nodes += 1
    if s.plies <= s.late_plies or hand & (hand - 1) == 0:
        at.row = rank_set(state.table)
        if not has_repeats(state.table, <int>at.row) and (state.matta == 0 or s.plies == 0):
            at.table = state.table
            at.piles[0], at.piles[1] = state.cards[s.rules.seats], state.cards[s.rules.seats + 1]
            at.seat, at.last, at.plies = state.seat, state.last, s.plies
            return prove_late(s, &at, need, proof)
    return prove_choices(s, need, proof)


cdef bint prove_choices(Search* s, int need, Proof* proof) noexcept nogil:
    """As prove_position, by the table or by trying the moves one after another."""
    cdef const RuleSet* rules = s.rules
    cdef GameState* state = &s.state
    cdef int side = rules.side_of[state.seat], points, kind, stock_left = state.stock_left
    cdef bint asks = s.plies >= s.probe_from, won = False, pairs
    cdef uint64_t key = 0, gained, hand = state.cards[state.seat], hashed = s.hashed
    cdef uint64_t child_key = 0
    cdef uint64_t* place = NULL
    cdef size_t first = s.used, n, tried, open_end
    cdef bint shares
    cdef Choice* choice
    cdef Choice later
    cdef Step old
    cdef Proof against
    if unlikely(not look_up(s)):
        rest_on_nothing(proof)
        return False
    if asks:
        key = position_key(hashed, turn_bits(state, state.seat), s.salts[state.stock_left])
        if find_proof(&s.table, rules, state, key, s.plies, side, need, &won, proof):
            return won
    n = list_choices(s)
    if unlikely(s.stop):
        rest_on_nothing(proof)
        return False
    if n == 0:
        return prove_end(s, side, need, proof)
    if s.plies > s.probe_from + HINTED_PLIES and asks:
        heed_hints(s, side, need, n)
    # Only moves of cards of one rank can stand for each other.
    pairs = has_repeats(hand, rank_set(hand))
    rest_on_nothing(&against)
    s.used = first + n
    shares = s.busy != NULL and s.plies >= SHARED_PLIES
    open_end = n
    tried = 0
    while tried < n:
        if tried == open_end:
            # What others were searching, and may have finished by now.
            open_end = n
            shares = False
        choice = &s.choices[first + tried]
        bring_best(choice, open_end - tried)
        if pairs and is_refuted(&s.choices[first], tried, choice.move):
            choice.cards = <uint64_t>-1
            tried += 1
            continue
        kind = <int>(choice.move >> KIND_SHIFT) & 3
        gained = choice.move & (bit(CARD_SHIFT) - 1)
        points = step(rules, state, side, choice.move, &old)
        s.hashed = choice.hashed
        if unlikely(state.stock_left != stock_left):
            s.hashed = hash_ranks(rules, state, &s.order.terms)
        if unlikely(shares):
            child_key = position_key(s.hashed, turn_bits(state, state.seat), s.salts[state.stock_left]) + <uint64_t>(need - points)
            place = &s.busy[child_key & (BUSY - 1)]
            if tried and load(place) == child_key:
                step_back(rules, state, side, &old)
                s.hashed = hashed
                open_end -= 1
                later = choice[0]
                choice[0] = s.choices[first + open_end]
                s.choices[first + open_end] = later
                continue
            store(place, child_key)
        s.plies -= kind != KIND_DECLARE
        if rules.side_of[state.seat] == side:
            won = prove_position(s, need - points, proof)
        else:
            won = not prove_position(s, 1 - need + points, proof)
        step_back(rules, state, side, &old)
        s.hashed = hashed
        s.plies += kind != KIND_DECLARE
        if unlikely(shares):
            store(place, 0)
        if unlikely(s.stop):
            s.used = first
            return False
        if won:
            break
        # The choices may have moved.
        s.choices[first + tried].cards = proof.cards
        join(&against, proof)
        tried += 1
    s.used = first
    if not won:
        proof[0] = against
        if asks:
            keep_proof(&s.table, rules, state, key, s.plies, 1 - side, 1 - need, proof)
        return False
    if kind != KIND_DECLARE and (gained or kind == KIND_TO_PILE):
        if gained and proof.last == OWN:
            proof.last = ANY
        gained |= hand & ~old.left
        rest_on_gain(proof, popcount(gained), gained & COINS_MASK)
    if asks:
        keep_proof(&s.table, rules, state, key, s.plies, side, need, proof)
    return True


# -- the last cards of a round ------------------------------------------------------------
#
# Most positions have few cards left. Here they are searched without the table, and what plays change is all that is copied.
# Hands are those of the search, without the cards that were played on the way.

ctypedef struct Place:
    uint64_t table          # no two cards of a rank, no declared 7C
    uint64_t piles[2]
    size_t row              # rank set of the table
    int seat, last, plies


ctypedef struct LateChoice:
    uint64_t taken, card
    size_t after
    int worth


cdef bint prove_late(Search* s, const Place* at, int need, Proof* proof) noexcept nogil:
    """As prove_position, with one or two cards in the hand."""
    cdef const RuleSet* rules = s.rules
    cdef const Lookup* look = s.look
    cdef const Ordering* order = s.order
    cdef int seat = at.seat, side = rules.side_of[seat], n = 0, tried, best, i, points
    cdef uint64_t hand = s.state.cards[seat], rest = hand, card, next_hand
    cdef size_t entry, place, end
    cdef const KnownMove* known
    cdef Place child
    cdef Proof against
    cdef LateChoice choice
    cdef LateChoice choices[MAX_LATE]
    cdef bint won
    if hand & (hand - 1) == 0 and look.many[at.row] & hand == 0:
        if unlikely(hand == 0 and at.plies):
            return visit(s, at, need, proof)
        return prove_forced(s, at, need, proof)
    child.seat = next_seat(rules, seat)
    next_hand = s.state.cards[child.seat] if rules.side_of[child.seat] != side else 0
    while rest:
        card = rest & (0 - rest)
        rest ^= card
        entry = at.row * ROW + <size_t>(lowest(card) >> 2)
        place = look.start[entry]
        end = place + look.count[entry]
        while place < end:
            known = &order.moves[place]
            if unlikely(known.to_pile or known.doubles or n == MAX_LATE):
                return visit(s, at, need, proof)
            choices[n].taken = at.table & look.spread[known.captured]
            choices[n].card = card
            choices[n].after = known.after
            choices[n].worth = known.worth
            if order.sweeps[known.after] & next_hand:
                choices[n].worth += order.sweep_next
            n += 1
            place += 1
    rest_on_nothing(&against)
    child.plies = at.plies - 1
    for tried in range(n):
        best = tried
        for i in range(tried + 1, n):
            if choices[i].worth > choices[best].worth:
                best = i
        choice = choices[best]
        choices[best] = choices[tried]
        choices[tried] = choice
        if tried and against.cards & hand == 0 and choices[0].taken == choice.taken and is_pair(hand):
            # The same with a card of the same rank has failed, and neither card matters.
            continue
        child.row = choice.after
        child.piles[0], child.piles[1] = at.piles[0], at.piles[1]
        points = 0
        if choice.taken:
            child.piles[side] |= choice.taken | choice.card
            child.last = side
            child.table = at.table ^ choice.taken
            if choice.after == 0:
                points = sweep_points(s, at, choice.card, choice.taken)
        else:
            child.last = at.last
            child.table = at.table | choice.card
        s.nodes += 1
        s.state.cards[seat] = hand ^ choice.card
        if rules.side_of[child.seat] == side:
            won = prove_late(s, &child, need - points, proof)
        else:
            won = not prove_late(s, &child, 1 - need + points, proof)
        s.state.cards[seat] = hand
        if won:
            if choice.taken:
                if proof.last == OWN:
                    proof.last = ANY
                rest_on_gain(proof, popcount(choice.taken) + 1, (choice.taken | choice.card) & COINS_MASK)
            return True
        join(&against, proof)
    proof[0] = against
    return False


cdef inline bint is_pair(uint64_t hand) noexcept nogil:
    """Whether two cards are of one rank."""
    return hand & (hand - 1) != 0 and has_repeats(hand, rank_set(hand))


cdef inline int sweep_points(Search* s, const Place* at, uint64_t card, uint64_t taken) noexcept nogil:
    """Points of taking the whole table."""
    cdef Cards cards
    if at.plies == 1 and s.state.stock_left == 0 and not s.rules.last_play_scopa:
        return 0
    if s.plain_sweeps:
        return 1
    read_table(at.table, 0, &cards)
    return scopa_points(s.rules, &cards, (lowest(card) >> 2) + 1, taken, False)


cdef bint prove_forced(Search* s, const Place* start, int need, Proof* proof) noexcept nogil:
    """As prove_late, when the seat to move has no choice: plays on until somebody has."""
    cdef const RuleSet* rules = s.rules
    cdef const Lookup* look = s.look
    cdef Place at = start[0]
    cdef uint64_t card, taken, got, gained
    cdef size_t after
    cdef int side = rules.side_of[at.seat], mover, owner, net = 0, points, i, seat
    cdef uint64_t played[MAX_SEATS]
    cdef bint won, captured = False, round_over = False
    while at.plies:
        card = s.state.cards[at.seat]
        after = look.first[at.row * ROW + <size_t>(lowest(card) >> 2)]
        if look.many[at.row] & card or after > NEXT_ROW:
            break
        mover = rules.side_of[at.seat]
        taken = at.table & look.spread[at.row & ~after]
        got = 0 - <uint64_t>(taken != 0)
        at.piles[mover] |= (taken | card) & got
        if taken:
            at.last = mover
            captured = True
            if after == 0:
                points = sweep_points(s, &at, card, taken)
                net += points if mover == side else -points
        at.table = (at.table ^ taken) | (card & ~got)
        at.row = after
        at.plies -= 1
        if at.seat == s.state.dealer:
            round_over = True
            break
        at.seat = next_seat(rules, at.seat)
    if at.plies == 0:
        return judge_end(rules, start.piles, at.piles, at.table, at.last, captured, side, need - net, proof)
    if at.plies == start.plies:
        return visit(s, start, need, proof)
    # A choice or a new round: go on from there, without the cards that were played.
    if round_over:
        at.seat = next_seat(rules, at.seat)
    seat = start.seat
    for i in range(start.plies - at.plies):
        played[i] = s.state.cards[seat]
        s.state.cards[seat] = 0
        seat = next_seat(rules, seat)
    if rules.side_of[at.seat] == side:
        won = visit(s, &at, need - net, proof)
    else:
        won = not visit(s, &at, 1 - need + net, proof)
    seat = start.seat
    for i in range(start.plies - at.plies):
        s.state.cards[seat] = played[i]
        seat = next_seat(rules, seat)
    owner = side if won else 1 - side
    gained = at.piles[owner] & ~start.piles[owner]
    if gained:
        rest_on_gain(proof, popcount(gained), gained & COINS_MASK)
    if captured and proof.last == OWN:
        proof.last = ANY
    return won


cdef bint visit(Search* s, const Place* at, int need, Proof* proof) noexcept nogil:
    """As prove_position, for a place where prove_late has no answer: a new round, a table that it cannot hold."""
    cdef const RuleSet* rules = s.rules
    cdef GameState* state = &s.state
    cdef GameState start
    cdef int plies = s.plies
    cdef uint64_t hashed = s.hashed
    cdef bint won
    copy_state(rules, state, &start)
    state.table, state.seat, state.last = at.table, <uint8_t>at.seat, <uint8_t>at.last
    state.cards[rules.seats], state.cards[rules.seats + 1] = at.piles[0], at.piles[1]
    s.plies = at.plies
    if state.cards[at.seat] == 0 and at.plies:
        state.exposed = 0
        deal_round(rules, state)
        s.hashed = hash_ranks(rules, state, &s.order.terms)
        won = prove_position(s, need, proof)
    else:
        s.hashed = hash_ranks(rules, state, &s.order.terms)
        won = prove_choices(s, need, proof)
    s.hashed = hashed
    copy_state(rules, &start, state)
    s.plies = plies
    return won


cdef bint prove_end(Search* s, int side, int need, Proof* proof) noexcept nogil:
    """As prove_position, after the last play."""
    cdef const uint64_t* before = &s.state.cards[s.rules.seats]
    cdef uint64_t piles[2]
    piles[0], piles[1] = before[0], before[1]
    return judge_end(s.rules, before, piles, s.state.table, s.state.last, False, side, need, proof)


cdef inline bint judge_end(
    const RuleSet* rules, const uint64_t* before, uint64_t* piles, uint64_t leftovers, int last, bint captured, int side, int need,
    Proof* proof
) noexcept nogil:
    """As judge, when the last capturer has not taken the leftovers yet (END-2); `captured` tells whether it became that after
    the piles were those of `before`."""
    cdef bint won
    if last != NOBODY:
        piles[last] |= leftovers
    won = judge(rules, before, piles, side, need, proof)
    if leftovers and not captured and proof.last == ANY and last == (side if won else 1 - side):
        proof.last = OWN
    return won


cdef bint prove(Search* s, int need) noexcept nogil:
    """Whether the side to move gets at least `need` points more than the other from here on. If `s.stop` is set the answer
    means nothing."""
    cdef Proof proof
    s.used = 0
    s.stop = False
    return prove_position(s, need, &proof)


cdef int estimate(Search* s, int depth) noexcept nogil:
    """About what the side to move gets more than the other from here on. If `s.stop` is set the answer means nothing."""
    s.used = 0
    s.stop = False
    return look_ahead(s, depth, -UNKNOWN, UNKNOWN)


def addresses():
    """Return the addresses of this level's `prove` and `estimate`."""
    return <size_t>&prove, <size_t>&estimate
