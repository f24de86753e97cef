# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# Every move of every card on every table without two cards of a rank.
#
# Such a table is a rank set: ten bits (thirteen for fr52), the ace lowest. Arrays have a row of 16 entries for each rank set;
# in a Lookup the entry is the rank of the card played, counted from 0, in a SumTable it is a sum. Captured rank sets become
# cards by one AND with `spread`.
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from scopa_fast.core.captures cimport Options, Table, count_sets, find_targets, list_sets, read_options, read_table
from scopa_fast.core.cards cimport MATTA_BIT, has_repeats, lowest, popcount, rank_set, repeated_cards, unlikely
from scopa_fast.core.rules cimport FEWEST, MATCH_OR_SUM, NativeRules, RuleSet, SINGLE

cdef enum:
    ROW = 16
    TO_PILE = 0x4000        # in `moves` and `first`: the card goes to its owner's pile (ACE-4)
    REPEATS = 0x8000        # in `first`: the card is laid beside one of its rank
    NEXT_ROW = 0x3FFF       # in `first`: the rank set after the move

# The sets of ranks by their sum, whatever the rules: one for each pack.
ctypedef struct SumTable:
    uint8_t* ways           # [rank set][sum 0..15]: sets of that sum, the empty one included
    uint32_t* start         # [rank set][sum 0..15]: place of the first of them in `sets`
    uint16_t* sets          # rank sets in canonical order
    uint64_t* spread        # [rank set]: all cards of those ranks

# The moves of one family of capture options.
ctypedef struct Lookup:
    const SumTable* sums
    const uint64_t* spread
    uint16_t* count         # [rank set][rank]: moves of a card
    uint16_t* captures      # [rank set][rank]: those of them that capture; they come first
    uint32_t* start         # [rank set][rank]: place of the first of them in `moves`
    uint16_t* moves         # captured rank set, 0 to lay, TO_PILE; in canonical order
    uint16_t* first         # [rank set][rank]: rank set after the first move, with REPEATS or TO_PILE
    uint64_t* many          # [rank set]: all cards that have more than one move


cdef class PackTable:
    cdef SumTable c


cdef class LookupTable:
    # Weakly held by lookup.pyx, strongly by each NativeRules that uses it.
    cdef object __weakref__
    cdef Lookup c
    cdef PackTable pack


cdef LookupTable lookup_table(NativeRules native)


cdef inline bint is_looked_up(uint64_t table, int matta) noexcept nogil:
    """Whether a Lookup holds the moves of a table: no two cards of a rank, no declared 7C."""
    return repeated_cards(table) == 0 and (matta == 0 or table & MATTA_BIT == 0)


cdef inline bint comes_first(uint64_t a, uint64_t b) noexcept nogil:
    """Whether one set of cards sorts before another, different one: by the lists of their indices (DECK-8)."""
    cdef uint64_t low = (a ^ b) & (0 - (a ^ b))
    # The one with the lowest card that they do not share, unless the other has nothing after what they share.
    if a & low:
        return b >= low
    return a < low


cdef inline uint64_t add_sets(
    const SumTable* sums, uint64_t first, int row, const uint64_t* repeats, const int* totals, int n_repeats, int total,
    uint64_t n, uint64_t room, uint64_t* out
) noexcept nogil:
    """Write the sets of a sum after the n sets that are there: each of the `n_repeats` subsets of the repeated cards, with
    what it lacks from the first cards of each rank. Return the number of sets, also of those that had no room."""
    cdef int i, missing
    cdef uint32_t place, end
    for i in range(n_repeats):
        missing = total - totals[i]
        if missing < 0:
            continue
        place = sums.start[row * ROW + missing]
        end = place + sums.ways[row * ROW + missing]
        while place < end:
            if n < room:
                out[n] = repeats[i] | (first & sums.spread[sums.sets[place]])
            n += 1
            place += 1
    return n


cdef inline uint64_t list_singles(uint64_t cards, uint64_t room, uint64_t* out) noexcept nogil:
    """Write each card as a set of its own; return how many there are."""
    cdef uint64_t n = 0
    while cards:
        if n < room:
            out[n] = cards & (0 - cards)
        n += 1
        cards &= cards - 1
    return n


cdef inline uint64_t split_captures(
    const Lookup* look, uint64_t table, const Options* options, uint64_t rest, uint64_t room, uint64_t* out
) noexcept nogil:
    """The captures of a table with at most three repeated cards, `rest`, none a declared 7C; as find_captures."""
    cdef uint64_t repeats[8]
    cdef int totals[8]
    cdef uint64_t first = table ^ rest, n = 0, i, j, moved
    cdef int row = rank_set(table), n_repeats = 1, k, value
    if options.size_a == 1:
        n = list_singles(table & <uint64_t>15 << (4 * (options.sum_a - 1)), room, out)
        if options.sum_b == 0:
            return n
    repeats[0] = 0
    totals[0] = 0
    while rest:
        value = (lowest(rest) >> 2) + 1
        for k in range(n_repeats):
            repeats[n_repeats + k] = repeats[k] | (rest & (0 - rest))
            totals[n_repeats + k] = totals[k] + value
        n_repeats *= 2
        rest &= rest - 1
    if options.sum_a and options.size_a == 0:
        n = add_sets(look.sums, first, row, repeats, totals, n_repeats, options.sum_a, n, room, out)
    if options.sum_b:
        n = add_sets(look.sums, first, row, repeats, totals, n_repeats, options.sum_b, n, room, out)
    if options.sweep:
        if n < room:
            out[n] = table
        n += 1
    if n <= room:
        for i in range(1, n):
            moved = out[i]
            j = i
            while j > 0 and comes_first(moved, out[j - 1]):
                out[j] = out[j - 1]
                j -= 1
            out[j] = moved
    return n


cdef inline uint64_t find_crowded_captures(
    const RuleSet* rules, const Lookup* look, uint64_t table, int value, int matta, uint64_t room, uint64_t* out
) noexcept nogil:
    """As find_captures, for any table."""
    cdef Table cards
    cdef Options options
    cdef uint64_t n, rest
    cdef uint64_t repeats[2]
    cdef int totals[2]
    rest = repeated_cards(table)
    if (rules.capture == MATCH_OR_SUM and rules.precedence == SINGLE and not (rules.ace_sweep and value == 1)
            and (matta == 0 or table & MATTA_BIT == 0)):
        # The usual rules: the equal cards, or else every set of the sum. One repeated card is the usual case of those.
        n = table & <uint64_t>15 << (4 * (value - 1))
        if n:
            return list_singles(n, room, out)
        if rest & (rest - 1) == 0:
            repeats[0], repeats[1] = 0, rest
            totals[0], totals[1] = 0, (lowest(rest) >> 2) + 1
            n = add_sets(look.sums, table ^ rest, rank_set(table), repeats, totals, 2, value, 0, room, out)
            if n == 2 and room >= 2 and comes_first(out[1], out[0]):
                out[0], out[1] = out[1], out[0]
            if n <= 2 and n <= room:
                return n
    read_table(table, matta, &cards)
    if rules.precedence == FEWEST:
        count_sets(rules, &cards)
    find_targets(rules, &cards, value, &options)
    if popcount(rest) <= 3 and rules.precedence != FEWEST and (matta == 0 or table & MATTA_BIT == 0):
        n = split_captures(look, table, &options, rest, room, out)
    else:
        n = list_sets(&cards, &options, 0, room, out)
    if n < room:
        return n
    # No room, or just enough: begin again in canonical order, and count.
    list_sets(&cards, &options, 0, room, out)
    count_sets(rules, &cards)
    read_options(rules, &cards, value, &options)
    return options.captures


cdef inline uint64_t find_captures(
    const RuleSet* rules, const Lookup* look, uint64_t table, int value, int matta, uint64_t room, uint64_t* out
) noexcept nogil:
    """Write the sets that a card of this value may take (ACE-7 apart), at most `room` of them, in canonical order; return
    how many there are."""
    cdef size_t row = rank_set(table), entry
    cdef const uint16_t* move
    cdef uint64_t n = 0, count
    if unlikely(has_repeats(table, <int>row) or (matta != 0 and table & MATTA_BIT)):
        return find_crowded_captures(rules, look, table, value, matta, room, out)
    entry = row * ROW + <size_t>value - 1
    count = look.captures[entry]
    move = &look.moves[look.start[entry]]
    while n < count:
        if n < room:
            out[n] = table & look.spread[move[n]]
        n += 1
    return n
