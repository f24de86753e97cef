# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# A batch of deals: what each thread does between two looks at the clock. Compiled once for each kernel level.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from scopa_fast.core.cards cimport MAX_SEATS, bit, lowest, popcount
from scopa_fast.core.dealing cimport is_void, start_deal, table_bonus_points
from scopa_fast.core.generate cimport MAX_DECLARATIONS, Turn, count_card_moves, playable_cards, read_turn, state_declarations
from scopa_fast.core.kernel cimport Run, RunSeat, Variants, play_out_t, take_packet
from scopa_fast.core.lookup cimport Lookup
from scopa_fast.core.playout cimport random_card_first, random_card_move
from scopa_fast.core.position cimport GameState, NOBODY, copy_state, deal_over, make_move, next_seat, packet_mask, plays_left
from scopa_fast.core.rng cimport DECK_ROOM, below, permute, shuffle, spawn
from scopa_fast.core.rules cimport MATCH_OR_SUM, ONE, RuleSet, SINGLE
from scopa_fast.core.scoring cimport BONUS, N_ITEMS, NAPOLA, SCOPA, SHEET_ROW, ScoreSheet, score_sides
from scopa_fast.core.worlds cimport Orders, Unseen, deal_unseen

cdef enum:
    NEVER = 0               # Job.declarations
    ALWAYS = 1
    UNIFORM = 2
    DEALS_PER_BATCH = 4096

ctypedef struct Sums:
    int64_t deals, plays, voids, ties, margin, margin_squared
    int64_t wins[MAX_SEATS]
    int64_t points[MAX_SEATS]
    int64_t points_squared[MAX_SEATS]
    int64_t items[MAX_SEATS][SHEET_ROW]
    int64_t won[MAX_SEATS][SHEET_ROW]

ctypedef struct Job:
    const RuleSet* rules
    const Lookup* look
    const GameState* start      # NULL: deal afresh
    const Unseen* unseen        # NULL: all cards of the start are known, else those that are dealt anew for each playout
    uint64_t seed, first        # `first`: the deal whose points go to the first row of `out`
    int dealer, rotate, card_first, declarations
    int32_t* out                # points of each deal by side, or NULL


cdef inline void declare(
    const RuleSet* rules, const Lookup* look, GameState* state, int how, bint card_first, uint64_t* stream
) noexcept nogil:
    """Declare for the most points, by a random rank, or (UNIFORM) as often as any other move, or card, would come up."""
    cdef uint64_t moves[MAX_DECLARATIONS]
    cdef uint64_t points_mask = 255, index
    cdef int n = state_declarations(rules, state, moves), first = 0
    cdef Turn turn
    if n == 0:
        return
    if how == ALWAYS:
        while moves[first] & points_mask != moves[n - 1] & points_mask:
            first += 1
        index = first + below(stream, n - first)
    else:
        if card_first:
            index = popcount(playable_cards(rules, state))
        else:
            read_turn(rules, state, &turn)
            index = count_card_moves(rules, look, state, &turn)
        index = below(stream, n + index)
        if index >= <uint64_t>n:
            return
    make_move(rules, state, moves[index])


cdef inline void play_step_by_step(const Job* job, GameState* state, Run* run) noexcept nogil:
    """Play a deal move by move: with declarations, a declared 7C or ACE-7, which the kernel does not know."""
    cdef const RuleSet* rules = job.rules
    cdef uint64_t move
    cdef int side
    while not deal_over(state):
        if job.declarations and rules.hand_bonus:
            declare(rules, job.look, state, job.declarations, job.card_first, &run.stream)
        if job.card_first:
            move = random_card_first(rules, job.look, state, &run.stream)
        else:
            move = random_card_move(rules, job.look, state, &run.stream)
        make_move(rules, state, move)
    for side in range(rules.sides):
        run.sides[side].pile = state.cards[rules.seats + side]
        run.sides[side].scope = state.scope[side]


cdef inline void begin_from_deck(const RuleSet* rules, const uint8_t* deck, int dealer, Run* run, uint8_t* stock) noexcept nogil:
    """Set up the first position of a deal that is not void."""
    cdef int i, j, seat = dealer, bonus
    cdef RunSeat* to
    for i in range(rules.seats):
        seat = next_seat(rules, seat)
        to = &run.seats[i]
        to.side = &run.sides[rules.side_of[seat]]
        if rules.packet == 5:
            to.hand = take_packet(deck + rules.hand_from[i][0], to.order, 5) | take_packet(deck + rules.hand_from[i][5], to.order + 5, 5)
        elif rules.packet == 3:
            to.hand = take_packet(deck + rules.hand_from[i][0], to.order, 3)
            if rules.hand == 9:
                to.hand |= take_packet(deck + rules.hand_from[i][3], to.order + 3, 3)
                to.hand |= take_packet(deck + rules.hand_from[i][6], to.order + 6, 3)
        else:
            to.hand = 0
            for j in range(rules.hand):
                to.order[j] = deck[rules.hand_from[i][j]]
                to.hand |= bit(to.order[j])
    for i in range(rules.sides):
        run.sides[i].pile = 0
        run.sides[i].scope = 0
    run.last = NULL
    run.place = 0
    run.left = rules.hand
    run.rounds = rules.rounds - 1
    if rules.stock_at:
        run.stock = deck + rules.stock_at
    else:
        for i in range(rules.plays - rules.seats * rules.hand):
            stock[i] = deck[rules.stock_from[i]]
        run.stock = stock
    if rules.table_bonus:
        bonus = table_bonus_points(rules, run.table)
        if bonus:
            run.last = &run.sides[rules.side_of[dealer]]
            run.last.pile = run.table
            run.last.scope = bonus
            run.table = 0


cdef inline void begin_from_state(
    const RuleSet* rules, const GameState* state, const Orders* orders, Run* run, uint8_t* stock
) noexcept nogil:
    """Set up a given position, its hands and packets in random order; hands in that of `orders`, which is random, if it has any."""
    cdef int i, j, n, seat = state.dealer
    cdef uint64_t rest
    cdef RunSeat* to
    for i in range(rules.seats):
        seat = next_seat(rules, seat)
        to = &run.seats[i]
        rest = to.hand = state.cards[seat]
        to.side = &run.sides[rules.side_of[seat]]
        n = 0
        if orders != NULL and orders.n[seat]:
            # What was played meanwhile is left out.
            for j in range(orders.n[seat]):
                to.order[n] = orders.cards[seat][j]
                n += <int>(rest >> to.order[n]) & 1
            continue
        while rest:
            to.order[n] = <uint8_t>lowest(rest)
            rest &= rest - 1
            n += 1
        permute(&run.stream, to.order, n)
    for i in range(rules.sides):
        run.sides[i].pile = state.cards[rules.seats + i]
        run.sides[i].scope = state.scope[i]
    run.table = state.table
    run.last = NULL if state.last == NOBODY else &run.sides[state.last]
    run.place = (state.seat - state.dealer - 1 + 2 * rules.seats) % rules.seats
    run.left = popcount(state.cards[state.seat])
    run.rounds = state.stock_left // (3 * rules.seats)
    for i in range(state.stock_left // 3):
        # From the packet's mask: equal states, whatever the order in which they store a packet, play out alike.
        rest = packet_mask(state, state.stock_left // 3 - 1 - i)
        for n in range(3):
            stock[3 * i + n] = <uint8_t>lowest(rest)
            rest &= rest - 1
        permute(&run.stream, stock + 3 * i, 3)
    run.stock = stock


cdef inline play_out_t choose_variant(const Job* job, const Variants* variants) noexcept nogil:
    """The fastest way to play the job's rules."""
    cdef const RuleSet* rules = job.rules
    if job.card_first:
        return variants.card_first
    if rules.scopa_value != ONE or rules.ace_sweep:
        return variants.general
    if rules.capture != MATCH_OR_SUM or rules.precedence != SINGLE or not rules.forced:
        return variants.plain
    # With forced captures an equal card is taken, never laid beside: only the cards dealt, or a given table, repeat a rank.
    return variants.usual if rules.table or job.start != NULL else variants.usual_distinct


cdef inline void play_batch_inline(
    const Job* job, uint64_t first, uint64_t count, Sums* sums, const Variants* variants
) noexcept nogil:
    """Play the deals first .. first + count - 1 (at most DEALS_PER_BATCH); the points of deal i go to row
    i - job.first of `out`."""
    cdef const RuleSet* rules = job.rules
    cdef const Lookup* look = job.look
    cdef GameState state
    cdef const GameState* start = job.start
    cdef Orders orders
    cdef Run run
    cdef ScoreSheet sheet
    cdef uint8_t deck[DECK_ROOM]
    cdef uint64_t piles[MAX_SEATS]
    cdef int scope[MAX_SEATS]
    cdef uint8_t stock[DECK_ROOM]
    cdef int bonus[MAX_SEATS]
    cdef int items[MAX_SEATS][SHEET_ROW]
    cdef int won[MAX_SEATS][3]
    cdef uint64_t deal
    cdef int side, item, i, dealer, best, holders, winner, total, margin, sides = rules.sides
    cdef bint stepwise = (job.declarations and rules.hand_bonus) or rules.first_ace_ban
    cdef play_out_t play = choose_variant(job, variants)
    memset(items, 0, sizeof(items))
    memset(won, 0, sizeof(won))
    memset(bonus, 0, sizeof(bonus))
    if job.start != NULL:
        stepwise = stepwise or job.start.matta != 0
        for side in range(sides):
            bonus[side] = job.start.bonus[side]
        sums.plays += <int64_t>count * plays_left(rules, job.start)
    else:
        sums.plays += <int64_t>count * rules.plays
    for deal in range(first, first + count):
        run.stream = spawn(job.seed, deal)
        if job.start == NULL:
            dealer = <int>(deal % <uint64_t>rules.seats) if job.rotate else job.dealer
            while True:
                shuffle(&run.stream, deck, rules.cards)
                run.table = 0
                for i in range(rules.table):
                    run.table |= bit(deck[rules.table_from[i]])
                if not is_void(rules, run.table):
                    break
                sums.voids += 1
                if rules.void_next:
                    dealer = (dealer + 1) % rules.seats
        elif job.unseen != NULL:
            copy_state(rules, job.start, &state)
            deal_unseen(job.unseen, &state, &run.stream, &orders)
            start = &state
        if stepwise:
            if job.start == NULL:
                start_deal(rules, deck, dealer, &state)
            elif job.unseen == NULL:
                copy_state(rules, job.start, &state)
            play_step_by_step(job, &state, &run)
            for side in range(sides):
                bonus[side] = state.bonus[side]
        else:
            if job.start == NULL:
                begin_from_deck(rules, deck, dealer, &run, stock)
            else:
                begin_from_state(rules, start, NULL, &run, stock)
            if run.left:
                play(rules, look, &run)
        for side in range(sides):
            piles[side] = run.sides[side].pile
            scope[side] = <int>run.sides[side].scope
        score_sides(rules, piles, scope, bonus, &sheet)
        best = -1
        holders = 0
        winner = 0
        for side in range(sides):
            total = sheet.total[side]
            holders = 1 if total > best else holders + (total == best)
            winner = side if total > best else winner
            best = total if total > best else best
            sums.points[side] += total
            sums.points_squared[side] += total * total
            for item in range(SHEET_ROW):
                items[side][item] += sheet.points[side][item]
            won[side][0] += sheet.points[side][NAPOLA] != 0
            won[side][1] += sheet.points[side][SCOPA] != 0
            won[side][2] += sheet.points[side][BONUS] != 0
            if job.out != NULL:
                job.out[(deal - job.first) * sides + side] = total
        sums.wins[winner] += holders == 1
        sums.ties += holders != 1
        margin = sheet.total[0] - sheet.total[1]
        sums.margin += margin
        sums.margin_squared += margin * margin
    sums.deals += <int64_t>count
    for side in range(sides):
        for item in range(N_ITEMS):
            sums.items[side][item] += items[side][item]
        sums.won[side][NAPOLA] += won[side][0]
        sums.won[side][SCOPA] += won[side][1]
        sums.won[side][BONUS] += won[side][2]
