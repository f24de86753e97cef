"""The weights of move ordering, and the worth of every move on every table without two cards of a rank."""

from threading import Lock

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free

from scopa_fast.core.cards cimport MAX_RANKS, MAX_SEATS, rank_sum
from scopa_fast.core.key cimport key_term
from scopa_fast.core.lookup cimport ROW, TO_PILE, lookup_table
from scopa_fast.core.ordering cimport KnownMove, MAX_LEFT, OrderTable, order_table, sweeping_cards
from scopa_fast.core.rules cimport NativeRules, RuleSet
from scopa_fast.core.transpositions cimport hash_cards

# By hill climbing on the positions visited for a few thousand proofs under nine rulesets.
WEIGHTS = {
    "scopa": 1000, "capture": 423, "sweep_next": -515,
    "gain": (116, 11, 11, 11, -25, 1, 69, -69, -1, -81),
    "lay": (-39, 4, 31, 12, 100, -88, -62, 53, 137, 139),
    "left": (0, -66, -15, -75, -33, -10, 0, -15, -25, 26, 0, -36, -42, 0, 0, -9, -8, 0, 7, 0, 34),
}
"""``scopa`` points of a sweep, ``capture`` of any capture, ``gain`` of each captured and ``lay`` of a laid card by rank from the ace
on (the last for all higher ranks), ``left`` of a table left by its sum (the last for all higher sums), ``sweep_next`` of a table
that the next seat, of the other side, can sweep."""

_tables = {}
KEPT = 64
"""Tables of as many rulesets are kept."""
_making = Lock()


cdef class OrderTable:
    def __cinit__(self, NativeRules native):
        cdef const RuleSet* rules = &native.c
        cdef int rows = 1 << rules.ranks, row, rank, seat
        cdef uint64_t mask
        self.look = lookup_table(native)
        self.ranks = rules.ranks
        for rank in range(MAX_RANKS):
            self.c.terms.table[rank] = key_term(MAX_SEATS, rank)
            for seat in range(MAX_SEATS):
                self.c.terms.hands[seat][rank] = key_term(seat, rank)
        self.sweeps = <uint64_t*>calloc(rows, sizeof(uint64_t))
        self.change = <uint64_t*>calloc(rows, sizeof(uint64_t))
        if self.sweeps == NULL or self.change == NULL:
            raise MemoryError()
        for row in range(rows):
            mask = self.look.c.spread[row] & <uint64_t>0x1111111111111
            self.sweeps[row] = sweeping_cards(rules, mask, rank_sum(mask))
            self.change[row] = hash_cards(self.c.terms.table, mask)
        moves = max(self.look.c.start[(rows - 1) * ROW + rank] + self.look.c.count[(rows - 1) * ROW + rank] for rank in range(rules.ranks))
        self.moves = <KnownMove*>calloc(moves, sizeof(KnownMove))
        if self.moves == NULL:
            raise MemoryError()
        self.c.moves, self.c.sweeps, self.c.change = self.moves, self.sweeps, self.change
        self.weigh(WEIGHTS)

    def __dealloc__(self):
        free(self.moves)
        free(self.sweeps)
        free(self.change)

    def weigh(self, weights):
        """Take over weights."""
        cdef int rows = 1 << self.ranks, row, rank, entry, i, move
        cdef KnownMove* known
        for i in range(MAX_LEFT + 1):
            self.c.left[i] = weights["left"][i]
        self.c.scopa, self.c.capture, self.c.sweep_next = weights["scopa"], weights["capture"], weights["sweep_next"]
        for rank in range(MAX_RANKS):
            self.c.gain[rank] = weights["gain"][min(rank, 9)]
            self.c.lay[rank] = weights["lay"][min(rank, 9)]
        for row in range(rows):
            for rank in range(MAX_RANKS):
                entry = row * ROW + rank
                for i in range(self.look.c.start[entry], self.look.c.start[entry] + self.look.c.count[entry]):
                    move = self.look.c.moves[i]
                    known = &self.moves[i]
                    known.to_pile = move == TO_PILE
                    known.doubles = move == 0 and row >> rank & 1
                    known.captured = 0 if known.to_pile else move
                    if move == 0:
                        known.after = 0 if known.doubles else row | 1 << rank
                        known.worth = self.c.lay[rank] + self.left(row, rank + 1)
                    elif known.to_pile:
                        known.after = row
                        known.worth = self.c.capture + self.c.gain[rank] + self.left(row, 0)
                    else:
                        known.after = row ^ move
                        known.worth = self.c.capture + self.c.gain[rank] + (self.c.scopa if move == row else self.left(row ^ move, 0))
                        while move:
                            known.worth += self.c.gain[(move & -move).bit_length() - 1]
                            move &= move - 1

    cdef int left(self, int row, int card):
        """The worth of leaving a rank set and perhaps a card more."""
        cdef int total = rank_sum(self.look.c.spread[row] & <uint64_t>0x1111111111111) + card
        return self.c.left[total if total < MAX_LEFT else MAX_LEFT]


cdef OrderTable order_table(NativeRules native):
    """The table of a ruleset, shared by all that capture and sweep alike."""
    rules = native.rules
    key = (rules.deck, rules.capture, rules.precedence, rules.forced, rules.ace_sweep, rules.ace_on_table, rules.ace_to_pile,
           rules.ace_sweep_scopa)
    with _making:
        table = _tables.get(key)
        if table is None:
            if len(_tables) == KEPT:
                _tables.clear()
            table = _tables[key] = OrderTable(native)
    return <OrderTable>table
