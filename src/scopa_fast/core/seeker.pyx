"""Tree search compiled for one level of machine. CMake makes a module of it for each level; levels.pyx picks one."""

from libc.math cimport sqrtf
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from scopa_fast.core.batch cimport ALWAYS, declare
from scopa_fast.core.cards cimport CARD_SHIFT, KIND_DECLARE, KIND_SHIFT, MAX_CARDS, MAX_SEATS, bit, lowest, popcount
from scopa_fast.core.generate cimport (
    MAX_DECLARATIONS, Turn, count_of_card, moves_of_card, playable_cards, read_turn, state_declarations,
)
from scopa_fast.core.greedy cimport best_declaration, greedy_card
from scopa_fast.core.kernel cimport Run
from scopa_fast.core.lookup cimport Lookup
from scopa_fast.core.playout cimport random_card_move
from scopa_fast.core.position cimport GameState, copy_state, deal_over, make_move, plays_left
from scopa_fast.core.rng cimport below, next64
from scopa_fast.core.rules cimport RuleSet
from scopa_fast.core.scoring cimport ScoreSheet, score_sides
from scopa_fast.core.seek cimport (
    CARD_RANDOM, DECLARED_CARD, DIFFERENCE, EPS_GREEDY, KIN, Kids, LINE, Leaf, MATCH, NO_CARD, OWN_POINTS, RANDOM, Seek, WIN_SHARE,
    NO_RANK, entry_of, first_line, log_of, prefetch_kids, rank_bound, scan,
)
from scopa_fast.core.worlds cimport deal_unseen


cdef enum:
    NO_MOVE = -1            # no packed move: laying the ace of coins is 0


cdef inline bint make_room(Seek* s, uint64_t n) noexcept nogil:
    """Room for n moves; without memory the search ends."""
    cdef void* larger
    if n <= s.moves_room:
        return True
    larger = realloc(s.moves, 2 * n * sizeof(uint64_t))
    if larger == NULL:
        s.failed = True
        return False
    s.moves = <uint64_t*>larger
    s.moves_room = 2 * n
    return True


cdef uint32_t new_kids(Seek* s) noexcept nogil:
    """The number of new, empty ones; 0 without memory."""
    cdef void* larger
    cdef Kids* kids
    if s.memory == NULL or s.n_kids >= s.room:
        larger = malloc(2 * <size_t>s.room * sizeof(Kids) + LINE)
        if larger == NULL:
            s.failed = True
            return 0
        kids = first_line(larger)
        if s.memory != NULL:
            memcpy(kids, s.kids, s.n_kids * sizeof(Kids))
            free(s.memory)
        s.kids, s.memory = kids, larger
        s.room *= 2
    kids = &s.kids[s.n_kids]
    memset(kids, 0, sizeof(Kids))
    memset(kids.card, NO_CARD, KIN)
    s.n_kids += 1
    return s.n_kids - 1


cdef inline int moves_tried(const Seek* s, uint32_t first, int card) noexcept nogil:
    """How many moves of a card the tree has after a position."""
    cdef int n = 0, i
    while first:
        for i in range(KIN):
            n += s.kids[first].card[i] == card
        first = s.kids[first].next
    return n


cdef inline bint is_tried(const Seek* s, uint32_t first, uint64_t move) noexcept nogil:
    cdef int i
    while first:
        for i in range(<int>s.kids[first].n):
            if s.kids[first].move[i] == move:
                return True
        first = s.kids[first].next
    return False


cdef uint64_t pick_untried(
    Seek* s, const GameState* state, uint32_t first, uint64_t open_cards, const uint64_t* declared, int n_declared, uint64_t* completes
) noexcept nogil:
    """A random legal move that the tree does not have after a position, or NO_MOVE if it has them all; `completes` is its card if it is
    the last of its moves."""
    cdef const RuleSet* rules = s.job.rules
    cdef const Lookup* look = s.job.look
    cdef Turn turn
    cdef uint64_t rest, total = 0, count, index, i
    cdef uint64_t counts[MAX_CARDS]
    cdef int card, n_open = 0, n_new = 0
    cdef uint64_t fresh[MAX_DECLARATIONS]
    for card in range(n_declared):
        if not is_tried(s, first, declared[card]):
            fresh[n_new] = declared[card]
            n_new += 1
    read_turn(rules, state, &turn)
    rest = open_cards
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        count = count_of_card(rules, look, state, &turn, card)
        if count > 1 and first:
            count -= <uint64_t>moves_tried(s, first, card)
        counts[n_open] = count
        n_open += 1
        total += count
    total += <uint64_t>n_new
    completes[0] = 0
    if total == 0:
        return <uint64_t>NO_MOVE
    index = below(&s.stream, total) if total > 1 else 0
    if index < <uint64_t>n_new:
        return fresh[index]
    index -= <uint64_t>n_new
    n_open = 0
    while True:
        card = lowest(open_cards)
        open_cards &= open_cards - 1
        if index < counts[n_open]:
            break
        index -= counts[n_open]
        n_open += 1
    if counts[n_open] == 1:
        completes[0] = bit(card)
    count = count_of_card(rules, look, state, &turn, card)
    if not make_room(s, count):
        return <uint64_t>NO_MOVE
    moves_of_card(rules, look, state, &turn, card, 0, count, s.moves)
    for i in range(count):
        if first == 0 or count == 1 or not is_tried(s, first, s.moves[i]):
            if index == 0:
                return s.moves[i]
            index -= 1
    return <uint64_t>NO_MOVE


cdef inline uint64_t nth_bit(uint64_t cards, int index) noexcept nogil:
    while index:
        cards &= cards - 1
        index -= 1
    return cards & (0 - cards)


cdef inline void play_greedily(Seek* s, GameState* state) noexcept nogil:
    """Play a state to its end by the playout policy."""
    cdef const RuleSet* rules = s.job.rules
    cdef uint64_t move, others, hand
    cdef int left = plays_left(rules, state), seat
    while left:
        if rules.hand_bonus:
            move = best_declaration(rules, state, &s.stream)
            if move:
                make_move(rules, state, move)
        hand = playable_cards(rules, state)
        if s.playout == EPS_GREEDY and s.greed != <uint64_t>-1 and next64(&s.stream) >= s.greed:
            move = random_card_move(rules, s.job.look, state, &s.stream)
        else:
            if s.playout == CARD_RANDOM:
                hand = nth_bit(hand, <int>below(&s.stream, popcount(hand)))
            others = 0
            for seat in range(rules.seats):
                if seat != state.seat:
                    others |= state.cards[seat]
            move = greedy_card(rules, s.job.look, s.values, state, hand, others, left, &s.stream)
        make_move(rules, state, move)
        left -= 1


cdef inline void play_randomly(Seek* s, GameState* state) noexcept nogil:
    """Play a state to its end with uniform moves, move by move."""
    cdef const RuleSet* rules = s.job.rules
    while not deal_over(state):
        if rules.hand_bonus:
            declare(rules, s.job.look, state, ALWAYS, False, &s.stream)
        make_move(rules, state, random_card_move(rules, s.job.look, state, &s.stream))


cdef inline float match_odds(const Seek* s, int own, int other) noexcept nogil:
    """How likely a side is to win the match before another one; totals off the table are moved onto it, as far apart as before."""
    cdef int low = (own if own < other else other) - s.odds_from, high
    own -= s.odds_from + (low if low < 0 else 0)
    other -= s.odds_from + (low if low < 0 else 0)
    high = (own if own > other else other) - (s.n_odds - 1)
    if high > 0:
        own, other = own - high, other - high
    return s.odds[(own if own > 0 else 0) * s.n_odds + (other if other > 0 else 0)]


cdef inline void reward_sides(const Seek* s, const ScoreSheet* sheet, float* rewards) noexcept nogil:
    """What the points are worth to each side."""
    cdef int side, other, own, sides = s.job.rules.sides, most = sheet.total[0], holders = 0, total = 0
    cdef float loser = 0 if s.reward == WIN_SHARE else -1, chances = 0, odds
    if s.reward == OWN_POINTS:
        for side in range(sides):
            rewards[side] = <float>sheet.total[side]
        return
    if s.reward == DIFFERENCE:
        if sides == 2:
            rewards[0] = <float>(sheet.total[0] - sheet.total[1])
            rewards[1] = -rewards[0]
            return
        for side in range(sides):
            total += sheet.total[side]
        for side in range(sides):
            rewards[side] = <float>sheet.total[side] - <float>(total - sheet.total[side]) / <float>(sides - 1)
        return
    if s.reward == MATCH and sides == 2:
        own, most = sheet.total[0] + s.scores[0], sheet.total[1] + s.scores[1]
        rewards[0], rewards[1] = match_odds(s, own, most), match_odds(s, most, own)
        return
    if s.reward == MATCH:
        for side in range(sides):
            # Of the chances of each pair (Price, Knerr, Personnaz and Dreyfus 1995); two sides have theirs.
            odds = <float>(2 - sides)
            for other in range(sides):
                if other != side:
                    odds += 1 / (match_odds(s, sheet.total[side] + s.scores[side], sheet.total[other] + s.scores[other]) + 1e-9)
            rewards[side] = 1 / odds
            chances += rewards[side]
        for side in range(sides):
            rewards[side] /= chances
        return
    for side in range(1, sides):
        most = sheet.total[side] if sheet.total[side] > most else most
    for side in range(sides):
        holders += sheet.total[side] == most
    for side in range(sides):
        rewards[side] = loser
        if sheet.total[side] == most:
            # Of a tie each has its share; with two sides it is worth nothing, or half.
            rewards[side] = loser + (1 - loser) / <float>holders


cdef inline void finish(Seek* s, Leaf* leaf, float* rewards) noexcept nogil:
    """Play a leaf to its end, and write the reward of each side."""
    cdef const RuleSet* rules = s.job.rules
    cdef GameState* state = &leaf.state
    cdef Run run
    cdef ScoreSheet sheet
    cdef uint64_t piles[MAX_SEATS]
    cdef int scope[MAX_SEATS]
    cdef int bonus[MAX_SEATS]
    cdef int side, sides = rules.sides, most, holders, sum_ = 0
    if not deal_over(state):
        if s.playout != RANDOM:
            play_greedily(s, state)
        elif rules.hand_bonus or rules.first_ace_ban or state.matta:
            play_randomly(s, state)
        else:
            run.stream = s.stream
            s.play_state(&s.job, state, &leaf.orders if leaf.ordered and state.stock_left == s.root.stock_left else NULL, &run, s.distinct)
            s.stream = run.stream
            for side in range(sides):
                piles[side], scope[side], bonus[side] = run.sides[side].pile, <int>run.sides[side].scope, state.bonus[side]
            score_sides(rules, piles, scope, bonus, &sheet)
            reward_sides(s, &sheet, rewards)
            return
    for side in range(sides):
        piles[side], scope[side], bonus[side] = state.cards[rules.seats + side], state.scope[side], state.bonus[side]
    score_sides(rules, piles, scope, bonus, &sheet)
    reward_sides(s, &sheet, rewards)


cdef bint descend(Seek* s, Leaf* leaf, double loss) noexcept nogil:
    """Walk down the tree and add a move to it. Each move on the way counts as visited. With a `loss` its reward is worse by that
    than any before, until it is settled, so that walks of the same time part; else it has none yet."""
    cdef const RuleSet* rules = s.job.rules
    cdef GameState* state = &leaf.state
    cdef uint32_t first = s.first, at, best_kids, parent = 0, visits = s.visits
    cdef int entry = 0, n_declared, parent_entry = 0
    cdef int32_t best, rank
    cdef uint64_t playable, shut, move, completes, declared[MAX_DECLARATIONS]
    cdef float log_n = -1
    cdef double pending, expected = 0      # the mean so far, of the first side if there are two
    cdef bint fair = s.viewer >= 0, grown = False
    cdef Kids* kids
    copy_state(rules, &s.root, state)
    leaf.ordered = False
    if s.deal != NULL:
        s.deal(s.worlds, state, &s.stream)
    elif fair:
        memset(leaf.orders.n, 0, MAX_SEATS)
        deal_unseen(s.unseen, state, &s.stream, &leaf.orders)
        leaf.ordered = True
    leaf.depth = 0
    s.visits += 1
    while not grown and not deal_over(state):
        playable = playable_cards(rules, state)
        n_declared = state_declarations(rules, state, declared) if rules.hand_bonus else 0
        shut = s.kids[first].complete if first else 0
        best = NO_RANK
        best_kids = 0
        if not fair:
            log_n = log_of(visits)
        at = first
        while at:
            prefetch_kids(&s.kids[s.kids[at].next])
            rank = scan(&s.kids[at], playable, s.explore, log_n)
            if n_declared:
                rank = note_declarations(s, &s.kids[at], declared, n_declared, log_n, rank)
            if rank > best:
                best, best_kids = rank, at
            at = s.kids[at].next
        entry = entry_of(best)
        if (playable & ~shut or n_declared) and s.nodes < s.most_nodes:
            move = pick_untried(s, state, first, playable & ~shut, declared, n_declared, &completes)
            if s.failed:
                return False
            if move != <uint64_t>NO_MOVE:
                best_kids = add_move(s, first, move, completes, &entry)
                if best_kids == 0:
                    return False
                if first == 0:
                    if parent:
                        s.kids[parent].kids[parent_entry] = best_kids
                    else:
                        s.first = best_kids
                grown = True
        if best_kids == 0:
            # Nothing of this was tried yet, and there is no room for more: play on from here.
            break
        kids = &s.kids[best_kids]
        visits = kids.visits[entry]
        pending = 0
        if loss > 0:
            # Of a new move nothing is known but how the position was before.
            pending = kids.mean[entry] if visits else -expected if rules.side_of[state.seat] else expected
            expected = 0 if rules.sides > 2 else -pending if rules.side_of[state.seat] else pending
            pending -= loss
        kids.visits[entry] += 1
        kids.total[entry] += pending
        kids.inverse[entry] = 1 / <float>kids.visits[entry]
        kids.mean[entry] = <float>kids.total[entry] * kids.inverse[entry]
        leaf.path[leaf.depth].kids, leaf.path[leaf.depth].entry = best_kids, <uint8_t>entry
        leaf.path[leaf.depth].side = rules.side_of[state.seat]
        leaf.path[leaf.depth].pending = pending
        leaf.depth += 1
        make_move(rules, state, kids.move[entry])
        first = kids.kids[entry]
        parent, parent_entry = best_kids, entry
    leaf.over = deal_over(state)
    return True


cdef inline int32_t note_declarations(
    Seek* s, Kids* kids, const uint64_t* declared, int n, float log_n, int32_t best
) noexcept nogil:
    """As scan, for declarations, which are legal for some hands only: the largest rank of theirs and `best`."""
    cdef int i, j
    cdef int32_t rank
    cdef float log
    for i in range(<int>kids.n):
        if kids.card[i] == DECLARED_CARD:
            for j in range(n):
                if kids.move[i] == declared[j]:
                    kids.available[i] += 1
                    log = log_of(kids.available[i]) if log_n < 0 else log_n
                    rank = rank_bound(kids.mean[i] + s.explore * sqrtf(log * kids.inverse[i]), i)
                    best = rank if rank > best else best
    return best


cdef inline uint32_t add_move(Seek* s, uint32_t first, uint64_t move, uint64_t completes, int* entry) noexcept nogil:
    """Add a move after a position; return where it is, 0 without memory."""
    cdef uint32_t at = first, new
    cdef Kids* kids
    while at and s.kids[at].n == KIN and s.kids[at].next:
        at = s.kids[at].next
    if at == 0 or s.kids[at].n == KIN:
        new = new_kids(s)
        if new == 0:
            return 0
        if at:
            s.kids[at].next = new
        at = new
    kids = &s.kids[at]
    entry[0] = <int>kids.n
    kids.card[kids.n] = DECLARED_CARD if (move >> KIND_SHIFT) & 3 == KIND_DECLARE else <uint8_t>((move >> CARD_SHIFT) & 63)
    kids.move[kids.n] = move
    kids.available[kids.n] = 1
    kids.n += 1
    s.kids[first if first else at].complete |= completes
    s.nodes += 1
    return at


cdef void settle(Seek* s, const Leaf* leaf, const float* rewards) noexcept nogil:
    """Give the moves on the way to a leaf their rewards, by side."""
    cdef int i, entry
    cdef Kids* kids
    for i in range(leaf.depth):
        kids = &s.kids[leaf.path[i].kids]
        entry = leaf.path[i].entry
        kids.total[entry] += rewards[leaf.path[i].side] - leaf.path[i].pending
        kids.mean[entry] = <float>kids.total[entry] * kids.inverse[entry]


cdef void score(Seek* s, Leaf* leaf, float* rewards) noexcept nogil:
    """Play a leaf to its end and reward the sides."""
    finish(s, leaf, rewards)


cdef uint64_t grow(Seek* s, uint64_t iterations) noexcept nogil:
    """Iterate so many times, or until told to stop; how often it was."""
    cdef uint64_t done = 0
    cdef Leaf leaf
    cdef float rewards[MAX_SEATS]
    while done < iterations and s.halt[0] == 0:
        if not descend(s, &leaf, 0):
            break
        finish(s, &leaf, rewards)
        settle(s, &leaf, rewards)
        done += 1
    return done


def addresses():
    """Return the addresses of this level's `grow`, `descend`, `settle` and `score`."""
    return <size_t>&grow, <size_t>&descend, <size_t>&settle, <size_t>&score
