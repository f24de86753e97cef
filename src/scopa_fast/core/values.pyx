"""What each card is worth to the rule players."""

from threading import Lock

from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free

from scopa_fast.core.ordering cimport order_table
from scopa_fast.core.rules cimport NativeRules, RuleSet
from scopa_fast.core.values cimport ValueTable, Values, value_table

PLAIN = (16, 12, 13, 14, 15, 18, 29)
"""The primiera values of A 2 3 4 5 6 7 (PRI-2), with 29 instead of 21 for a seven; every higher rank is worth 10."""
COIN, SETTEBELLO, RE_BELLO = 10, 139, 120
"""More for coins; the settebello; the king of coins with ``re_bello`` (PT-6)."""

_tables = {}
KEPT = 64
_making = Lock()


cdef class ValueTable:
    def __cinit__(self, NativeRules native):
        cdef const RuleSet* rules = &native.c
        cdef int row, rank, card
        cdef Values* c = &self.c
        ranks = [PLAIN[rank] if rank < len(PLAIN) else 10 for rank in range(rules.ranks)]
        self.order = order_table(native)
        self.plain = <int32_t*>calloc(1 << rules.ranks, sizeof(int32_t))
        if self.plain == NULL:
            raise MemoryError()
        for row in range(1 << rules.ranks):
            self.plain[row] = sum([ranks[rank] for rank in range(rules.ranks) if row >> rank & 1])
        c.order, c.plain = &self.order.c, self.plain
        for card in range(rules.cards):
            c.of_card[card] = ranks[card >> 2] + (COIN if card & 3 == 0 else 0)
        c.settebello = SETTEBELLO - c.of_card[24]
        c.of_card[24] = SETTEBELLO
        if rules.re_bello:
            c.re_bello_bit = rules.re_bello_bit
            for card in range(rules.cards):
                if rules.re_bello_bit >> card & 1:
                    c.re_bello = RE_BELLO - c.of_card[card]
                    c.of_card[card] = RE_BELLO

    def __dealloc__(self):
        free(self.plain)


cdef ValueTable value_table(NativeRules native):
    """The table of a ruleset."""
    with _making:
        table = _tables.get(native.rules)
        if table is None:
            if len(_tables) == KEPT:
                _tables.clear()
            table = _tables[native.rules] = ValueTable(native)
    return <ValueTable>table
