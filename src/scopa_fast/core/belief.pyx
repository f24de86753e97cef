# cython: embedsignature=True, embedsignature.format=clinic
"""Belief: worlds weighed by how well they explain the moves that were made."""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport exp
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from scopa_fast.core.belief cimport Belief, Past, Weighed, explain_moves
from scopa_fast.core.cards cimport CARD_SHIFT, KIND_DECLARE, KIND_SHIFT, KIND_TO_PILE, MATTA_BIT, bit, popcount
from scopa_fast.core.lookup cimport Lookup, lookup_table
from scopa_fast.core.position cimport GameState
from scopa_fast.core.rng cimport Rng, next64, seed_stream
from scopa_fast.core.rules cimport MAX_STOCK, RuleSet
from scopa_fast.core.state cimport State
from scopa_fast.core.strategy cimport Player
from scopa_fast.core.values cimport ValueTable, value_table
from scopa_fast.core.view cimport SeatView
from scopa_fast.core.worlds cimport Worlds

from scopa_fast.arguments import check_int, check_number, check_range, check_temperature
from scopa_fast.core.worlds import MOST_WORLDS

RELUCTANCE = 3.0
"""How much less likely, as a logarithm, a player is not to declare a hand that it could."""


cdef class Belief(Worlds):
    """Worlds of a view as likely as they make the moves of the round: what others hold, told from what they played.

    Each player is taken to choose by chance, the better its score by the player ``cs`` (:func:`cs_scores`) the likelier: a move with
    ``temperature`` more points e times as likely; now and then, with a chance of ``slip``, it takes any move. The worlds are all of
    them if there are at most ``count``, else a random sample of as many. A ``Belief`` stands wherever ``Worlds`` do; without known
    moves (``view.moves``) all worlds are equally likely.

    :param count: how many worlds to weigh at most.
    :param temperature: in points of the scores, above 0.
    :param slip: so that no move proves that a world is impossible.
    :param seed: an int, an :class:`Rng` (which advances by one draw) or None for fresh randomness.
    :param exclude: as for :class:`Worlds`, like ``weights``.
    :raises ValueError: on a bad count or temperature.

    Other parameters and errors as those of :class:`Worlds`.
    """

    def __init__(self, view, *, count=1000, temperature=150.0, slip=0.05, seed=None, exclude=None, weights=None):
        cdef Past past
        cdef GameState world
        cdef Player player
        cdef ValueTable values
        cdef const RuleSet* rules
        cdef const Lookup* look
        cdef double heat, chance
        cdef uint64_t stream
        cdef Py_ssize_t i
        cdef State state
        check_range(count, "count", 1, MOST_WORLDS)
        heat = check_temperature(temperature)
        chance = check_number(slip, "slip", 1)
        Worlds.__init__(self, view, exclude=exclude, weights=weights)
        stream = next64(&(<Rng>seed).stream) if isinstance(seed, Rng) else seed_stream(seed)
        values = value_table(self.view.native)
        rules, look = &self.view.native.c, &lookup_table(self.view.native).c
        player.values, player.conventions, player.sevens = &values.c, 0, False
        begin_round(self.view, &past)
        number = self.count
        total = number if number <= count else count
        self.weighed = <Weighed*>calloc(total, sizeof(Weighed))
        if self.weighed == NULL:
            raise MemoryError()
        world = self.view.c
        i = 0
        if number <= count:
            for state in Worlds.__iter__(self):
                self.put(i, &state.c, explain_moves(rules, look, &player, &past, &state.c, heat, chance, RELUCTANCE), Worlds.weight(self, state))
                i += 1
        else:
            for i in range(total):
                Worlds.deal(self, &world, &stream)
                self.put(i, &world, explain_moves(rules, look, &player, &past, &world, heat, chance, RELUCTANCE), 1)
                if i & 4095 == 4095:
                    PyErr_CheckSignals()
        # Only now, so that no method meets worlds without a weight.
        self.complete = number <= count
        self.n_weighed = total
        self.settle()
        self.alike = False

    def __dealloc__(self):
        free(self.weighed)

    cdef int put(self, Py_ssize_t i, const GameState* world, double logarithm, double weight) except -1:
        """Keep a world."""
        cdef int place
        cdef Weighed* kept = &self.weighed[i]
        for place in range(self.unseen.places):
            kept.hands[place] = world.cards[self.unseen.seats[place]]
        memcpy(kept.stock, world.stock, MAX_STOCK)
        kept.weight, kept.upto = logarithm, weight
        return 0

    cdef int settle(self) except -1:
        """Make weights of logarithms, which may be too small for numbers."""
        cdef Py_ssize_t i
        cdef double most = -1e308, total = 0, squares = 0
        for i in range(self.n_weighed):
            most = max(most, self.weighed[i].weight)
        for i in range(self.n_weighed):
            self.weighed[i].weight = exp(self.weighed[i].weight - most) * self.weighed[i].upto
            total += self.weighed[i].weight
            squares += self.weighed[i].weight * self.weighed[i].weight
            self.weighed[i].upto = total
        for i in range(self.n_weighed):
            self.weighed[i].weight /= total
            self.weighed[i].upto /= total
        self.effective = total * total / squares
        return 0

    cdef int deal(self, GameState* state, uint64_t* stream) noexcept nogil:
        """Deal one of the worlds by its weight."""
        cdef double pick = <double>(next64(stream) >> 11) * (1.0 / 9007199254740992.0)
        cdef Py_ssize_t low = 0, high = self.n_weighed - 1, middle
        cdef const Weighed* kept
        cdef int place
        if self.n_weighed == 0:
            return Worlds.deal(self, state, stream)
        while low < high:
            middle = (low + high) // 2
            if pick < self.weighed[middle].upto:
                high = middle
            else:
                low = middle + 1
        kept = &self.weighed[low]
        for place in range(self.unseen.places):
            state.cards[self.unseen.seats[place]] = kept.hands[place]
        if self.unseen.stock:
            memcpy(state.stock, kept.stock, MAX_STOCK)
        return 0

    def __len__(self):
        return self.n_weighed

    def __iter__(self):
        """Yield each world that was weighed as a state of its own; all of them come in the order of :class:`Worlds`."""
        return (self.world(i) for i in range(self.n_weighed))

    def world(self, number):
        """Return the world of a number, below ``len()``.

        :raises IndexError: if there is none.
        """
        cdef State state
        cdef const Weighed* kept
        cdef int place
        if not 0 <= check_int(number, "number") < self.n_weighed:
            raise IndexError(f"no world {number} of {self.n_weighed}")
        kept = &self.weighed[<Py_ssize_t>number]
        state = self.view.any_world()
        for place in range(self.unseen.places):
            state.c.cards[self.unseen.seats[place]] = kept.hands[place]
        if self.unseen.stock:
            memcpy(state.c.stock, kept.stock, MAX_STOCK)
        return state

    @property
    def likelihoods(self):
        """How likely each world is, in their order: numbers that add up to 1."""
        cdef Py_ssize_t i
        return [self.weighed[i].weight for i in range(self.n_weighed)]

    def __repr__(self):
        return f"Belief({self.view!r})"


cdef int begin_round(SeatView view, Past* past) noexcept:
    """Go back to the beginning of the round, or as far as the moves are known; the first player may have declared before it began."""
    cdef const RuleSet* rules = &view.native.c
    cdef GameState* state = &past.start
    cdef int played = 0, i, kind, side
    cdef uint64_t card, captured
    state[0] = view.c
    past.hidden = 0
    for i in range(rules.seats):
        played += rules.hand - popcount(state.cards[i])
        if view.is_hidden(i):
            past.hidden |= bit(i)
            state.cards[i] = 0
    past.n = 0
    i = view.n_moves
    # The leftovers of a finished deal are not told apart from captures; then nothing is hidden either.
    while i and past.hidden and (played or (view.moves_made[i - 1] >> KIND_SHIFT) & 3 == KIND_DECLARE):
        i -= 1
        past.n += 1
        kind = <int>(view.moves_made[i] >> KIND_SHIFT) & 3
        if kind == KIND_DECLARE:
            side = rules.side_of[state.seat]
            state.bonus[side] -= <uint8_t>(view.moves_made[i] & 255)
            state.exposed &= <uint8_t>~(1 << state.seat)
            continue
        played -= 1
        state.seat = state.seat - 1 if state.seat else <uint8_t>(rules.seats - 1)
        side = rules.side_of[state.seat]
        card = bit(<int>(view.moves_made[i] >> CARD_SHIFT) & 63)
        captured = view.moves_made[i] & (bit(CARD_SHIFT) - 1)
        if captured or kind == KIND_TO_PILE:
            state.cards[rules.seats + side] &= ~(captured | card)
            state.table |= captured
        else:
            state.table &= ~card
        state.cards[state.seat] |= card
    past.moves = &view.moves_made[i]
    state.matta = matta_before(view, i)
    return 0


cdef uint8_t matta_before(SeatView view, int n) noexcept:
    """The rank that the 7C had by a declaration before the move of a number (CIR-5, CIR-6), as far as the moves tell; 0 if none."""
    cdef int i
    cdef uint64_t move, captured
    cdef uint8_t rank, matta = 0
    cdef bint declares = False
    for i in range(view.n_moves):
        move = view.moves_made[i]
        if (move >> KIND_SHIFT) & 3 == KIND_DECLARE:
            rank = <uint8_t>((move >> CARD_SHIFT) & 63)
            declares = declares or rank
            if i < n and rank:
                matta = rank
        elif i < n:
            captured = move & (bit(CARD_SHIFT) - 1)
            if captured and (captured | bit(<int>(move >> CARD_SHIFT) & 63)) & MATTA_BIT:
                matta = 0
    # What is declared now, but by none of the moves, was so before all of them.
    return matta if declares else view.c.matta
