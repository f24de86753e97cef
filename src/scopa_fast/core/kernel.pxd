# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# Whole deals played at random, as fast as the machine goes.
#
# Moves are not listed. The table is carried as its cards and as its rank set; Lookup.first gives the rank set after the
# only move of a card, and the cards that went are one AND with `spread`. A hand is kept in random order besides its mask:
# the deck was shuffled, so the next card of that order is a uniform choice. A number is drawn, over all moves of the hand,
# only when some card of the hand has more than one move (`many`), or two cards of a rank lie on the table.
#
# Tables with two cards of a rank are split into the lowest card of each rank and the rest (`repeats`). The sets of each sum
# are counted in sixteen bytes, two words: the SumTable's row for the first part, and one shift and add for each card of the
# rest; a set is found by its number by going back through those counts.
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy

from scopa_fast.core.captures cimport Options, Table, count_sets, list_sets, read_options, read_table, scopa_points
from scopa_fast.core.cards cimport (
    CARD_SHIFT, KIND_SHIFT, KIND_TO_PILE, MAX_SEATS, bit, has_repeats, lowest, nibble, popcount, rank_set, rank_sum, repeated_cards,
    suits_in, unlikely,
)
from scopa_fast.core.lookup cimport Lookup, NEXT_ROW, REPEATS, ROW, SumTable, TO_PILE
from scopa_fast.core.rng cimport below
from scopa_fast.core.rules cimport FEWEST, FIFTEEN, MATCH_OR_SUM, PILE_ANY, RuleSet, SINGLE

cdef enum:
    MAX_SPLIT = 10          # cards on a table whose sets of any sum surely number below 256: at most C(10, 5) = 252

# The sets of a table's cards by their sum.
ctypedef struct Sets:
    uint8_t ways[MAX_SPLIT + 1][ROW]    # [i][sum 0..15]: sets of the first part and the first i repeats
    uint8_t repeats[MAX_SPLIT]          # cards
    int n                               # repeats
    int row                             # rank set of the first part
    uint64_t first                      # its cards

# A side of a deal being played.
ctypedef struct RunSide:
    uint64_t pile
    int64_t scope

# A seat of it: 32 bytes.
ctypedef struct RunSeat:
    uint64_t hand
    RunSide* side
    uint8_t order[ROW]      # the cards of the hand in random order, the next one last

# A deal being played. Seats come in the order of play, dealer + 1 first.
ctypedef struct Run:
    RunSeat seats[MAX_SEATS]
    RunSide sides[MAX_SEATS]
    uint64_t table
    RunSide* last           # the side that captured last, or NULL
    int place, left         # whose turn, and cards in that hand
    int rounds              # rounds to deal
    const uint8_t* stock    # their cards, packet by packet
    uint64_t stream


cdef inline void read_sets(const SumTable* sums, uint64_t table, Sets* sets) noexcept nogil:
    """Count the sets of a table of at most MAX_SPLIT cards."""
    cdef uint64_t low, high, rest
    cdef uint64_t* words = <uint64_t*>sets.ways
    cdef int i = 0, shift, card
    rest = repeated_cards(table)
    sets.first = table ^ rest
    sets.row = rank_set(table)
    memcpy(words, &sums.ways[sets.row * ROW], ROW)
    low, high = words[0], words[1]
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        sets.repeats[i] = <uint8_t>card
        i += 1
        shift = 8 * ((card >> 2) + 1)
        if shift < 64:
            high += high << shift | low >> (64 - shift)
            low += low << shift
        else:
            high += low << (shift - 64)
        words[2 * i], words[2 * i + 1] = low, high
    sets.n = i


cdef inline uint64_t nth_set(const SumTable* sums, const Sets* sets, int total, int index) noexcept nogil:
    """The set number `index` of a sum; not in canonical order."""
    cdef uint64_t taken = 0
    cdef int i = sets.n, without
    while i:
        i -= 1
        without = sets.ways[i][total]
        if index >= without:
            index -= without
            taken |= bit(sets.repeats[i])
            total -= (sets.repeats[i] >> 2) + 1
    return taken | (sets.first & sums.spread[sums.sets[sums.start[sets.row * ROW + total] + index]])


cdef inline uint64_t nth_card_bit(uint64_t cards, int index) noexcept nogil:
    while index:
        cards &= cards - 1
        index -= 1
    return cards & (0 - cards)


cdef inline uint64_t random_crowded_move(
    const RuleSet* rules, uint64_t table, uint8_t* order, int n, bint card_first, uint64_t* stream
) noexcept nogil:
    """As `random_split_move`, for any table and option: count and list."""
    cdef Table cards
    cdef Options options
    cdef uint64_t count[ROW]
    cdef uint64_t total = 0, index, taken = 0
    cdef int i, first = n - 1 if card_first else 0, card
    read_table(table, 0, &cards)
    count_sets(rules, &cards)
    for i in range(first, n):
        read_options(rules, &cards, (order[i] >> 2) + 1, &options)
        count[i] = options.captures + options.lay + options.to_pile
        total += count[i]
    index = below(stream, total)
    i = first
    while index >= count[i]:
        index -= count[i]
        i += 1
    card = order[i]
    order[i] = order[n - 1]
    read_options(rules, &cards, (card >> 2) + 1, &options)
    if index < options.captures:
        list_sets(&cards, &options, index, 1, &taken)
    elif index == options.captures + options.lay:
        return <uint64_t>card << CARD_SHIFT | <uint64_t>KIND_TO_PILE << KIND_SHIFT
    return taken | <uint64_t>card << CARD_SHIFT


cdef inline int matches(const RuleSet* rules, const Sets* sets, uint64_t table, int value) noexcept nogil:
    """Number of captures by CAP-2, precedence applied (not FEWEST); the twin of captures.read_options for a split table."""
    cdef int equal
    if rules.capture == FIFTEEN:
        return 0
    equal = nibble(table, value)
    if equal and rules.precedence == SINGLE:
        return suits_in(equal)
    return sets.ways[sets.n][value]


cdef inline uint64_t random_split_move(
    const RuleSet* rules, const Lookup* look, uint64_t table, uint8_t* order, int n, bint card_first, uint64_t* stream
) noexcept nogil:
    """A move of the n cards of `order`, each legal one equally likely (of the last card only if `card_first`), on a table
    with two cards of a rank. The card leaves its place in `order` to the last one."""
    cdef Sets sets
    cdef uint64_t total = 0, index, stem
    cdef int captures[ROW]
    cdef uint64_t count[ROW]
    cdef int i, first = n - 1 if card_first else 0, value, card, m
    cdef bint ace, sweep = False
    if popcount(table) > MAX_SPLIT or rules.precedence == FEWEST:
        return random_crowded_move(rules, table, order, n, card_first, stream)
    read_sets(look.sums, table, &sets)
    if rules.ace_sweep:
        sweep = rules.ace_all or nibble(table, 1) == 0
    for i in range(first, n):
        value = (order[i] >> 2) + 1
        ace = rules.ace_sweep and value == 1
        if ace and sweep and rules.capture == MATCH_OR_SUM:
            captures[i] = 1
        else:
            captures[i] = matches(rules, &sets, table, value)
            if rules.capture != MATCH_OR_SUM:
                captures[i] += sets.ways[sets.n][15 - value]
                captures[i] += ace and sweep and rank_sum(table) != 14
        count[i] = <uint64_t>(captures[i] + (captures[i] == 0 or not rules.forced) + (ace and rules.ace_to_pile == PILE_ANY))
        total += count[i]
    index = below(stream, total)
    i = first
    while index >= count[i]:
        index -= count[i]
        i += 1
    card = order[i]
    order[i] = order[n - 1]
    value = (card >> 2) + 1
    ace = rules.ace_sweep and value == 1
    stem = <uint64_t>card << CARD_SHIFT
    if index >= <uint64_t>captures[i]:
        if index == count[i] - 1 and ace and rules.ace_to_pile == PILE_ANY:
            return stem | <uint64_t>KIND_TO_PILE << KIND_SHIFT
        return stem
    if ace and sweep and index == <uint64_t>captures[i] - 1 and (rules.capture == MATCH_OR_SUM or rank_sum(table) != 14):
        return stem | table
    m = matches(rules, &sets, table, value)
    if index >= <uint64_t>m:
        return stem | nth_set(look.sums, &sets, 15 - value, <int>index - m)
    if rules.precedence == SINGLE and nibble(table, value):
        return stem | nth_card_bit(table & (<uint64_t>15 << (4 * (value - 1))), <int>index)
    return stem | nth_set(look.sums, &sets, value, <int>index)


cdef inline uint64_t random_usual_move(
    const Lookup* look, uint64_t table, uint8_t* order, int n, uint64_t* stream
) noexcept nogil:
    """As `random_split_move`, for the usual rules: match or sum, the equal card first, captures forced, no ace rules."""
    cdef Sets sets
    cdef uint64_t total = 0, index, stem, equal
    cdef uint64_t count[ROW]
    cdef int i, value, card
    read_sets(look.sums, table, &sets)
    for i in range(n):
        value = (order[i] >> 2) + 1
        equal = <uint64_t>nibble(table, value)
        count[i] = <uint64_t>suits_in(<int>equal) if equal else sets.ways[sets.n][value]
        count[i] += count[i] == 0
        total += count[i]
    index = below(stream, total)
    i = 0
    while index >= count[i]:
        index -= count[i]
        i += 1
    card = order[i]
    order[i] = order[n - 1]
    value = (card >> 2) + 1
    stem = <uint64_t>card << CARD_SHIFT
    equal = table & (<uint64_t>15 << (4 * (value - 1)))
    if equal:
        return stem | nth_card_bit(equal, <int>index)
    return stem | nth_set(look.sums, &sets, value, <int>index) if sets.ways[sets.n][value] else stem


cdef inline int random_extra(
    const Lookup* look, size_t row, uint64_t many, uint8_t* order, int n, bint card_first, uint64_t* stream
) noexcept nogil:
    """Choose among all moves of the n cards of `order` when the cards of `many` have more than one.

    Each card has a first move; the next card's stands for all of those, since the order is random. Return -1 for it, or
    the entry of Lookup.moves of another move, its card moved to the end of `order`.
    """
    cdef const uint16_t* counts = &look.count[row * ROW]
    cdef uint64_t total = 1 if card_first else <uint64_t>n, index, rest = many
    cdef int card, i
    while rest:
        total += counts[lowest(rest) >> 2] - 1
        rest &= rest - 1
    index = below(stream, total)
    if card_first:
        n = 1
    if index < <uint64_t>n:
        return -1
    index -= <uint64_t>n
    while True:
        card = lowest(many)
        if index < <uint64_t>(counts[card >> 2] - 1):
            break
        index -= counts[card >> 2] - 1
        many &= many - 1
    if not card_first:
        i = n - 1
        while order[i] != card:
            i -= 1
        order[i] = order[n - 1]
        order[n - 1] = <uint8_t>card
    return look.moves[look.start[row * ROW + (card >> 2)] + 1 + index]


cdef inline int sweep_points(const RuleSet* rules, uint64_t table, int card) noexcept nogil:
    """Points of a sweep of the whole table, were it not the last play."""
    cdef Table cards
    read_table(table, 0, &cards)
    return scopa_points(rules, &cards, (card >> 2) + 1, table, False)


cdef inline uint64_t take_packet(const uint8_t* cards, uint8_t* order, int n) noexcept nogil:
    """Copy n cards (a constant) into the order of a hand; return their mask. Byte by byte: the deck was just written so,
    and a wider read would wait for it."""
    cdef uint64_t mask = 0
    cdef int i
    for i in range(n):
        order[i] = cards[i]
        mask |= bit(cards[i])
    return mask


# `play_out` with constants put in, as a function of its own.
ctypedef void (*play_out_t)(const RuleSet*, const Lookup*, Run*) noexcept nogil

ctypedef struct Variants:
    play_out_t usual            # the usual rules
    play_out_t usual_distinct   # the same, and never two cards of a rank on the table
    play_out_t plain            # other captures
    play_out_t general          # whatever there is
    play_out_t card_first       # the same, a uniform card first


cdef inline void play_out(
    const RuleSet* rules, const Lookup* look, Run* run, bint plain, bint usual, bint repeating, bint card_first
) noexcept nogil:
    """Play a deal to its end, leftovers included.

    `plain`: every sweep is worth one point, and no ace rules. `usual`: besides, the captures of `random_usual_move`.
    `repeating`: two cards of a rank may lie on the table. All are constants where this is inlined, so that rules cost
    nothing when unused.
    """
    cdef RunSeat* seat = &run.seats[run.place]
    cdef RunSeat* end = &run.seats[rules.seats]
    cdef RunSide* last = run.last
    cdef const uint16_t* first = look.first
    cdef const uint64_t* many = look.many
    cdef const uint64_t* spread = look.spread
    cdef const uint8_t* stock = run.stock
    cdef size_t row, after, card, left = run.left
    cdef uint64_t table = run.table, captured, won, laid, one, extra, move
    cdef int entry, rounds = run.rounds, points = 0
    cdef bint repeats, to_pile = False
    row = rank_set(table)
    repeats = has_repeats(table, <int>row)
    while True:
        while seat != end:
            if not plain:
                to_pile = False
            if repeating and unlikely(repeats):
                if usual and not card_first and popcount(table) <= MAX_SPLIT:
                    move = random_usual_move(look, table, seat.order, <int>left, &run.stream)
                else:
                    move = random_split_move(rules, look, table, seat.order, <int>left, card_first, &run.stream)
                card = (move >> CARD_SHIFT) & 63
                captured = move & (bit(CARD_SHIFT) - 1)
                if not plain:
                    to_pile = move >> KIND_SHIFT != 0
                one = (table ^ captured) | (0 if captured or to_pile else bit(<int>card))
                after = rank_set(one)
                repeats = has_repeats(one, <int>after)
            else:
                entry = -1
                extra = seat.hand & many[row]
                if card_first:
                    extra &= bit(seat.order[left - 1])
                if unlikely(extra):
                    entry = random_extra(look, row, extra, seat.order, <int>left, card_first, &run.stream)
                card = seat.order[left - 1]
                if unlikely(entry >= 0):
                    captured = 0
                    if not plain and entry == TO_PILE:
                        to_pile = True
                        after = row
                    elif entry == 0:
                        after = row | <size_t>1 << (card >> 2)
                        if repeating:
                            repeats = after == row
                    else:
                        captured = table & spread[entry]
                        after = row ^ <size_t>entry
                else:
                    after = first[row * ROW + (card >> 2)]
                    if not usual:
                        if unlikely(after > NEXT_ROW):
                            if not plain:
                                to_pile = after & TO_PILE != 0
                            if repeating:
                                repeats = after & REPEATS != 0
                            after &= NEXT_ROW
                    captured = table & spread[row & ~after]
            one = bit(<int>card)
            laid = 0 if captured else one
            won = (captured | one) ^ laid
            if not plain and to_pile:
                laid = 0
                won = one
            if not plain and unlikely(captured == table) and captured:
                points = sweep_points(rules, table, <int>card)
                seat.side.scope += points
            seat.hand ^= one
            table = (table ^ captured) | laid
            row = after
            seat.side.pile |= won
            last = seat.side if captured else last
            if plain:
                # A card was laid or the table swept: it is empty only after a sweep.
                seat.side.scope += table == 0
            seat += 1
        seat = run.seats
        left -= 1
        if left == 0:
            if rounds == 0:
                break
            rounds -= 1
            left = 3
            while seat != end:
                seat.hand = take_packet(stock, seat.order, 3)
                stock += 3
                seat += 1
            seat = run.seats
    if table == 0 and not rules.last_play_scopa and (plain or captured):
        # SCO-2: the last card makes no scopa.
        (end - 1).side.scope -= 1 if plain else points
    if last != NULL:
        last.pile |= table
        table = 0
    run.last = last
    run.table = table
