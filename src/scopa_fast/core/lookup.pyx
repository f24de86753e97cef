"""Builds the tables that play reads instead of listing moves."""

from threading import Lock
from weakref import WeakValueDictionary

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc

from scopa_fast.core.captures cimport MAX_SUM, Options, Table, count_sets, list_sets, read_options, read_table
from scopa_fast.core.cards cimport bit, rank_set
from scopa_fast.core.lookup cimport LookupTable, PackTable, REPEATS, ROW, TO_PILE, lookup_table
from scopa_fast.core.rules cimport NativeRules, RuleSet

_CAPTURE_OPTIONS = ("deck", "capture", "precedence", "forced", "ace_sweep", "ace_on_table", "ace_to_pile")
_tables = WeakValueDictionary()
_packs = {}
_making = Lock()

cdef enum:
    MAX_LISTED = 1 << 10    # more than the sets of any sum in thirteen different ranks


cdef class PackTable:
    def __cinit__(self, int ranks):
        cdef int rows = 1 << ranks, row, rank, total
        cdef size_t size = 0, room = 1 << 12
        cdef uint64_t sets[MAX_LISTED]
        cdef uint64_t mask, listed, i
        cdef Table table
        cdef Options options
        cdef RuleSet plain
        self.c.ways = <uint8_t*>claim(rows * ROW)
        self.c.start = <uint32_t*>claim(rows * ROW * sizeof(uint32_t))
        self.c.spread = <uint64_t*>claim(rows * sizeof(uint64_t))
        self.c.sets = <uint16_t*>claim(room * sizeof(uint16_t))
        plain.precedence = 0
        options.sum_b = options.size_a = 0
        options.sweep = False
        for row in range(rows):
            mask = 0
            for rank in range(ranks):
                if row >> rank & 1:
                    mask |= bit(rank * 4)
            self.c.spread[row] = mask * 15
            read_table(mask, 0, &table)
            count_sets(&plain, &table)
            for total in range(MAX_SUM + 1):
                options.sum_a = total
                options.captures = table.ways[total]
                listed = list_sets(&table, &options, 0, MAX_LISTED, sets) if total else 1
                self.c.sets = <uint16_t*>grow(self.c.sets, size + listed, &room, sizeof(uint16_t))
                self.c.ways[row * ROW + total] = <uint8_t>table.ways[total]
                self.c.start[row * ROW + total] = <uint32_t>size
                for i in range(listed):
                    self.c.sets[size + i] = <uint16_t>rank_set(sets[i]) if total else 0
                size += listed

    def __dealloc__(self):
        free(self.c.ways)
        free(self.c.start)
        free(self.c.sets)
        free(self.c.spread)


cdef class LookupTable:
    def __cinit__(self, NativeRules native):
        cdef const RuleSet* rules = &native.c
        cdef int rows = 1 << rules.ranks, row, rank, entry
        cdef size_t size = 0, room = 1 << 14, first
        cdef uint64_t sets[MAX_LISTED]
        cdef uint64_t mask, listed, i
        cdef uint16_t move
        cdef Table table
        cdef Options options
        pack = _packs.get(rules.ranks)
        if pack is None:
            pack = _packs[rules.ranks] = PackTable(rules.ranks)
        self.pack = <PackTable>pack
        self.c.sums = &self.pack.c
        self.c.spread = self.pack.c.spread
        self.c.count = <uint16_t*>claim(rows * ROW * sizeof(uint16_t))
        self.c.captures = <uint16_t*>claim(rows * ROW * sizeof(uint16_t))
        self.c.start = <uint32_t*>claim(rows * ROW * sizeof(uint32_t))
        self.c.first = <uint16_t*>claim(rows * ROW * sizeof(uint16_t))
        self.c.many = <uint64_t*>claim(rows * sizeof(uint64_t))
        self.c.moves = <uint16_t*>claim(room * sizeof(uint16_t))
        for row in range(rows):
            mask = self.c.spread[row] & 0x1111111111111
            read_table(mask, 0, &table)
            count_sets(rules, &table)
            for rank in range(rules.ranks):
                entry = row * ROW + rank
                read_options(rules, &table, rank + 1, &options)
                listed = list_sets(&table, &options, 0, MAX_LISTED, sets)
                self.c.moves = <uint16_t*>grow(self.c.moves, size + listed + 2, &room, sizeof(uint16_t))
                first = size
                for i in range(listed):
                    self.c.moves[size] = <uint16_t>rank_set(sets[i])
                    size += 1
                self.c.captures[entry] = <uint16_t>listed
                if options.lay:
                    self.c.moves[size] = 0
                    size += 1
                if options.to_pile:
                    self.c.moves[size] = TO_PILE
                    size += 1
                self.c.start[entry] = <uint32_t>first
                self.c.count[entry] = <uint16_t>(size - first)
                if size - first > 1:
                    self.c.many[row] |= <uint64_t>15 << (4 * rank)
                move = self.c.moves[first]
                if move == TO_PILE:
                    self.c.first[entry] = <uint16_t>(row | TO_PILE)
                elif move == 0:
                    self.c.first[entry] = <uint16_t>(row | 1 << rank | (REPEATS if row >> rank & 1 else 0))
                else:
                    self.c.first[entry] = <uint16_t>(row ^ move)

    def __dealloc__(self):
        free(self.c.count)
        free(self.c.captures)
        free(self.c.start)
        free(self.c.moves)
        free(self.c.first)
        free(self.c.many)


cdef void* claim(size_t size) except NULL:
    """Return zeroed memory."""
    cdef void* memory = calloc(size, 1)
    if memory == NULL:
        raise MemoryError()
    return memory


cdef void* grow(void* memory, size_t needed, size_t* room, size_t item) except NULL:
    """Return the memory, or a larger copy of it if it has no room for `needed` items."""
    if needed <= room[0]:
        return memory
    while room[0] < needed:
        room[0] *= 2
    cdef void* larger = realloc(memory, room[0] * item)
    if larger == NULL:
        raise MemoryError()
    return larger


cdef LookupTable lookup_table(NativeRules native):
    """The table of a ruleset, shared by all that capture alike. Made once: states keep pointers into it, and the rules
    keep it alive."""
    if native._table is None:
        key = tuple([getattr(native.rules, option) for option in _CAPTURE_OPTIONS])
        with _making:
            if native._table is None:
                table = _tables.get(key)
                if table is None:
                    table = LookupTable(native)
                    _tables[key] = table
                native._table = table
    return <LookupTable>native._table
