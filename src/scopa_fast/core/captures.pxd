# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# What may become of a card (rules.md section 5), exactly, for every table and every option.
#
# A Table holds what all cards of one turn share: how many sets of table cards add up to each sum. From that the number
# of captures of a card follows without listing them (`read_options`); `list_sets` lists them in canonical order (DECK-8).
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from scopa_fast.core.cards cimport MATTA, MAX_CARDS, bit, lowest, nibble, popcount, rank_sum, suits_in, value_of
from scopa_fast.core.rules cimport (
    FEWEST, FIFTEEN, MATCH_OR_SUM, PILE_ANY, PILE_EMPTY, RuleSet, SINGLE,
)

cdef enum:
    MAX_SUM = 14        # the largest sum a set can be taken for: fifteen less an ace (fr52 takes up to 13)

ctypedef struct Table:
    uint64_t mask
    int matta                       # rank of a declared 7C, wherever it is; 0 for none
    # Filled by count_sets:
    uint32_t ways[MAX_SUM + 2]      # sets of each sum, the empty one included in ways[0]
    uint8_t fewest[MAX_SUM + 2]     # size of the smallest set of each sum, only with precedence=fewest
    uint32_t fewest_ways[MAX_SUM + 2]

# What one card may do on a Table.
ctypedef struct Options:
    int sum_a                       # sum to take by CAP-2, 0 for none
    int size_a                      # size its sets must have (CAP-3), 0 for any
    int sum_b                       # sum to take by CAP-6, 0 for none
    bint sweep                      # the whole table besides, or alone if no sum is set (ACE-1)
    bint lay, to_pile
    uint64_t captures               # number of sets


cdef inline void read_table(uint64_t mask, int matta, Table* table) noexcept nogil:
    """Everything but the counts of sets."""
    table.mask = mask
    table.matta = matta


cdef inline int table_sum(const Table* table) noexcept nogil:
    """Sum of the values of all cards."""
    cdef int total = rank_sum(table.mask)
    if table.matta != 0 and (table.mask >> MATTA) & 1:
        total += table.matta - 7
    return total


cdef inline void count_sets(const RuleSet* rules, Table* table) noexcept nogil:
    """Count the sets of each sum, card by card."""
    cdef int value, total, i
    cdef uint64_t rest = table.mask
    for i in range(MAX_SUM + 2):
        table.ways[i] = i == 0
        if rules.precedence == FEWEST:
            table.fewest[i] = 0 if i == 0 else 200
            table.fewest_ways[i] = i == 0
    while rest:
        value = value_of(lowest(rest), table.matta)
        rest &= rest - 1
        for total in range(MAX_SUM, value - 1, -1):
            table.ways[total] += table.ways[total - value]
        if rules.precedence == FEWEST:
            for total in range(MAX_SUM, value - 1, -1):
                if table.fewest[total - value] + 1 < table.fewest[total]:
                    table.fewest[total] = table.fewest[total - value] + 1
                    table.fewest_ways[total] = table.fewest_ways[total - value]
                elif table.fewest[total - value] + 1 == table.fewest[total]:
                    table.fewest_ways[total] += table.fewest_ways[total - value]


cdef inline int equal_cards(const Table* table, int value) noexcept nogil:
    """Number of cards of a value."""
    cdef int n = suits_in(nibble(table.mask, value))
    if table.matta != 0 and (table.mask >> MATTA) & 1:
        n += (table.matta == value) - (value == 7)
    return n


cdef inline bint is_ordinary_sweep(const RuleSet* rules, const Table* table, int value) noexcept nogil:
    """Whether a card takes the whole table without ACE-1. A whole table that adds up right passes every precedence:
    a smaller set of the same sum would leave cards worth nothing."""
    cdef int total
    if table.mask == 0:
        return False
    total = table_sum(table)
    return (rules.capture != FIFTEEN and total == value) or (rules.capture != MATCH_OR_SUM and total + value == 15)


cdef inline void find_targets(const RuleSet* rules, const Table* table, int value, Options* options) noexcept nogil:
    """What a card of this value may take, as sums (the algorithm of section 5); `captures` is not counted. With
    precedence=fewest the sets must have been."""
    cdef bint sweep = rules.ace_sweep and value == 1 and table.mask != 0 and (rules.ace_all or equal_cards(table, 1) == 0)
    options.sum_a = options.size_a = options.sum_b = 0
    options.sweep = sweep
    options.captures = 1
    if sweep and rules.capture == MATCH_OR_SUM:
        return
    if rules.capture != FIFTEEN:
        options.sum_a = value
        if rules.precedence == SINGLE and equal_cards(table, value):
            options.size_a = 1
        elif rules.precedence == FEWEST and table.ways[value]:
            options.size_a = table.fewest[value]
    if rules.capture != MATCH_OR_SUM and 1 <= 15 - value <= MAX_SUM:
        options.sum_b = 15 - value
    if sweep and is_ordinary_sweep(rules, table, value):
        options.sweep = False


cdef inline void read_options(const RuleSet* rules, const Table* table, int value, Options* options) noexcept nogil:
    """All that a card of this value may do, ACE-7 apart, on a table whose sets are counted."""
    cdef bint ace = rules.ace_sweep and value == 1
    find_targets(rules, table, value, options)
    options.captures = options.sweep
    if options.sum_a:
        if options.size_a == 0:
            options.captures += table.ways[value]
        elif rules.precedence == SINGLE:
            options.captures += equal_cards(table, value)
        else:
            options.captures += table.fewest_ways[value]
    if options.sum_b:
        options.captures += table.ways[options.sum_b]
    options.lay = options.captures == 0 or not rules.forced
    options.to_pile = ace and (rules.ace_to_pile == PILE_ANY or (rules.ace_to_pile == PILE_EMPTY and table.mask == 0))
    if options.to_pile and rules.ace_to_pile == PILE_EMPTY:
        options.lay = False


cdef inline uint64_t list_sets(
    const Table* table, const Options* options, uint64_t skip, uint64_t room, uint64_t* out
) noexcept nogil:
    """Write at most `room` captured sets, from number `skip` on, in canonical order; return how many were written.

    Walks the sets depth first, lowest card first, which is lexicographic order. The whole table, when it comes besides
    the sums, sorts right after those of its own beginnings that are captures.
    """
    cdef uint8_t cards[MAX_CARDS]
    cdef uint8_t values[MAX_CARDS]
    cdef uint8_t chosen[MAX_CARDS]
    cdef uint64_t written = 0, number = 0, taken = 0, rest = table.mask
    cdef int n = 0, i, depth = 0, total = 0, limit
    cdef bint ascending = table.matta == 0 or (table.mask >> MATTA) & 1 == 0
    cdef uint64_t sweep_at = <uint64_t>-1
    if room == 0 or options.captures == 0:
        return 0
    if options.size_a == 1 and options.sum_b == 0 and not options.sweep:
        # Equal cards only.
        while rest:
            i = lowest(rest)
            rest &= rest - 1
            if value_of(i, table.matta) == options.sum_a:
                if number >= skip:
                    out[written] = bit(i)
                    written += 1
                    if written == room:
                        return written
                number += 1
        return written
    while rest:
        cards[n] = <uint8_t>lowest(rest)
        values[n] = <uint8_t>value_of(cards[n], table.matta)
        rest &= rest - 1
        n += 1
    limit = options.sum_a if options.sum_a > options.sum_b else options.sum_b
    if options.sweep:
        sweep_at = 0
        for i in range(n):
            total += values[i]
            if (total == options.sum_a and (options.size_a == 0 or options.size_a == i + 1)) or total == options.sum_b:
                sweep_at += 1
        total = 0
        if sweep_at == 0:
            if skip == 0:
                out[0] = table.mask
                written = 1
                if room == 1:
                    return 1
            number = 1
    i = 0
    while True:
        if i < n and total + values[i] <= limit:
            chosen[depth] = <uint8_t>i
            depth += 1
            total += values[i]
            taken |= bit(cards[i])
            i += 1
            if (total == options.sum_a and (options.size_a == 0 or options.size_a == depth)) or total == options.sum_b:
                if number >= skip:
                    out[written] = taken
                    written += 1
                    if written == room:
                        return written
                number += 1
                if number == sweep_at:
                    if number >= skip:
                        out[written] = table.mask
                        written += 1
                        if written == room:
                            return written
                    number += 1
                    sweep_at = <uint64_t>-1
        elif i < n and not ascending:
            i += 1
        else:
            if depth == 0:
                return written
            depth -= 1
            i = chosen[depth]
            total -= values[i]
            taken ^= bit(cards[i])
            i += 1


cdef inline int scopa_points(
    const RuleSet* rules, const Table* table, int value, uint64_t captured, bint last_play
) noexcept nogil:
    """Points of the scopa that taking `captured` makes, 0 if it is none (SCO-1 to SCO-5, ACE-3)."""
    if captured == 0 or captured != table.mask:
        return 0
    if last_play and not rules.last_play_scopa:
        return 0
    if rules.ace_sweep and value == 1 and not rules.ace_sweep_scopa and not is_ordinary_sweep(rules, table, value):
        return 0
    if rules.scopa_value == 0:
        return 1
    return value if rules.scopa_value == 1 else popcount(captured) + 1
