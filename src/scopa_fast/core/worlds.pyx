# cython: embedsignature=True, embedsignature.format=clinic
"""Worlds: the deals that look alike to a seat, sampled, counted and listed."""

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from numbers import Real

cimport cython
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from scopa_fast.core.cards cimport MAX_SEATS, bit, lowest, popcount
from scopa_fast.core.position cimport GameState, rank_cards
from scopa_fast.core.rng cimport DECK_ROOM, Rng, next64
from scopa_fast.core.rules cimport MAX_STOCK
from scopa_fast.core.state cimport State
from scopa_fast.core.view cimport SeatView, as_view, view_of
from scopa_fast.core.worlds cimport Orders, Unseen, Worlds, deal_unseen

from scopa_fast.arguments import check_range
from scopa_fast.cards import CardSet
from scopa_fast.errors import ImpossibleViewError

MAX_ENTRIES = 1 << 25
"""Entries of the table that weighted sampling needs, 256 MB of them."""
MOST = 1e300
"""The largest weight of a card."""
MOST_WORLDS = 1 << 24
"""How many a call deals or weighs at most."""
LEAST = 1e-7
"""Weights of a seat may be 0, but not smaller than this beside its largest: all together would be too small for a number."""


cdef void find_unseen(SeatView view, Unseen* unseen) noexcept:
    """Write down the unseen cards of a view and where they may be."""
    cdef uint64_t rest = view.hidden_cards
    cdef int seat
    memset(unseen, 0, sizeof(Unseen))
    while rest:
        unseen.cards[unseen.n] = <uint8_t>lowest(rest)
        unseen.n += 1
        rest &= rest - 1
    for seat in range(view.native.c.seats):
        if view.is_hidden(seat) and view.c.cards[seat]:
            unseen.seats[unseen.places] = seat
            unseen.sizes[unseen.places] = popcount(view.c.cards[seat])
            unseen.places += 1
    unseen.stock = view.c.stock_left


cdef class Worlds:
    """The deals that look alike to a seat: every way to put the unseen cards into the hidden hands and the packets of the stock.

    >>> state = State("scopone", seed=1)
    >>> worlds = Worlds(state.view(0))
    >>> worlds.count
    227873431500
    >>> world = worlds.sample(Rng(7))
    >>> world.view(0) == state.view(0), world == state
    (True, False)

    Own and exposed hands (CIR-4), hand sizes, table, piles and points are those of the view in each of them. All worlds are equally
    likely (up to 2**-32), unless cards are excluded or weighed: then a world is as likely as the product, over all cards in hidden
    hands, of the weight of that card in that hand. After a first ace that ACE-7 allowed only to a hand of aces, the leader's other
    cards of the first round are known to be aces.

    :param view: what a seat sees.
    :param exclude: by seat, cards (a mask or :class:`CardSet`) that it does not hold.
    :param weights: by seat, a number of 0 or more for each card of the pack, by index; seats left out have 1 for each.
    :raises InvalidSeatError: if there is no such seat.
    :raises ValueError: if a weight is negative, not finite, or vanishes beside the largest of its seat, or there are not as many as cards.
    :raises ImpossibleViewError: if no world is left.
    :raises MemoryError: if exclusions or weights need a table of more than 256 MB.
    """

    def __cinit__(self):
        # Whatever makes the object, it has a view: no method meets an empty one.
        self.view = _any_view
        find_unseen(self.view, &self.unseen)
        self.n_places = self.unseen.places + 1
        self.alike = True

    def __init__(self, view, *, exclude=None, weights=None):
        if self.view is not _any_view:
            raise RuntimeError("Worlds cannot be made anew")
        cdef SeatView seen = as_view(view)
        cdef int q
        rules = seen.rules
        barred = check_excluded(rules, exclude)
        numbers = check_weights(rules, weights)
        for q in range(rules.seats):
            if not seen.is_hidden(q) and barred.get(q, 0) & seen.c.cards[q]:
                raise ImpossibleViewError(f"seat {q} holds {CardSet(barred[q] & <object>seen.c.cards[q], rules.deck)} in '{seen}'")
        try:
            self.view = seen
            find_unseen(seen, &self.unseen)
            self.n_places = self.unseen.places + (self.unseen.stock > 0)
            leader, aces = self.first_aces()
            if aces:
                barred[leader] = barred.get(leader, 0) | aces
            if barred or numbers:
                self.weigh(barred, numbers)
            self.alike = not (barred or numbers)
        except BaseException:
            # As if it had never been tried.
            self.view = _any_view
            find_unseen(self.view, &self.unseen)
            self.n_places = self.unseen.places + 1
            free(self.chances)
            free(self.weights)
            free(self.strides)
            self.chances, self.weights, self.strides = NULL, NULL, NULL
            raise

    def __dealloc__(self):
        free(self.chances)
        free(self.weights)
        free(self.strides)

    def first_aces(self):
        """Return the leader and the cards that it cannot hold by ACE-7: none, mostly."""
        cdef SeatView view = self.view
        rules = view.rules
        moves = [move for move in view.moves if not move.is_declaration]
        if not rules.first_ace_ban or len(moves) != rules.plays - view.plays_left or not moves or len(moves) >= rules.seats * rules.hand:
            return 0, 0
        aces = <object>rank_cards(&view.c, 1)
        if not aces >> moves[0].card & 1:
            return 0, 0
        return (rules.seats + view.dealer + 1) % rules.seats, <object>view.native.c.pack & ~aces

    cdef object allowed(self, int place):
        """The mask of the unseen cards that may be at a place."""
        cdef int i
        cdef uint64_t mask = 0
        for i in range(self.unseen.n):
            if self.weights == NULL or self.weights[i * self.n_places + place] > 0:
                mask |= bit(self.unseen.cards[i])
        return mask

    cdef int weigh(self, object exclude, object weights) except -1:
        """Sum up the weights of all ways to deal on, from the last card back."""
        cdef Unseen* unseen = &self.unseen
        cdef int places = self.n_places, n = unseen.n, i, place, seat
        cdef int size[MAX_SEATS + 1]
        cdef int have[MAX_SEATS + 1]
        cdef size_t at, total = 1
        cdef double sum_, largest
        cdef const double* weight
        rules = self.view.rules
        self.weights = <double*>calloc(max(n * places, 1), sizeof(double))
        self.strides = <size_t*>calloc(places + 1, sizeof(size_t))
        if self.weights == NULL or self.strides == NULL:
            raise MemoryError()
        for place in range(places):
            size[place] = unseen.sizes[place] if place < unseen.places else unseen.stock
            for i in range(n):
                self.weights[i * places + place] = 1
            if place < unseen.places:
                seat = unseen.seats[place]
                numbers = weights.get(seat)
                barred = exclude.get(seat, 0)
                if numbers is not None:
                    most = max([numbers[unseen.cards[i]] for i in range(n)], default=0)
                    for i in range(n):
                        number = numbers[unseen.cards[i]] / most if most else 0.0
                        if number and number < LEAST:
                            raise ValueError(f"weight {numbers[unseen.cards[i]]} of seat {seat} is too small beside {most}")
                        self.weights[i * places + place] = number
                for i in range(n):
                    if barred >> unseen.cards[i] & 1:
                        self.weights[i * places + place] = 0
        # The last place has what the others lack.
        for place in range(places - 1):
            self.strides[place] = total
            total *= size[place] + 1
        self.row = total
        if total * (n + 1) > MAX_ENTRIES:
            raise MemoryError(f"{total * (n + 1)} entries to weigh the worlds of '{self.view}'")
        self.chances = <double*>calloc(total * (n + 1), sizeof(double))
        if self.chances == NULL:
            raise MemoryError()
        if places == 0:
            self.chances[0] = 1
            return 0
        self.chances[n * total + total - 1] = 1
        for i in range(n - 1, -1, -1):
            weight = self.weights + i * places
            largest = 0
            for at in range(total):
                have[places - 1] = i
                for place in range(places - 1):
                    have[place] = <int>(at // self.strides[place] % <size_t>(size[place] + 1))
                    have[places - 1] -= have[place]
                if have[places - 1] < 0 or have[places - 1] > size[places - 1]:
                    continue
                sum_ = 0
                for place in range(places - 1):
                    if have[place] < size[place]:
                        sum_ += weight[place] * self.chances[(i + 1) * total + at + self.strides[place]]
                if have[places - 1] < size[places - 1]:
                    sum_ += weight[places - 1] * self.chances[(i + 1) * total + at]
                self.chances[i * total + at] = sum_
                largest = max(largest, sum_)
            if largest > 0:
                # Only the ratios matter: none of them may run out of the range of a double.
                for at in range(total):
                    self.chances[i * total + at] /= largest
        if not self.chances[0] > 0:
            raise ImpossibleViewError(f"no world is left of '{self.view}' for seat {self.view.seat} with these exclusions and weights")
        return 0

    cdef int deal(self, GameState* state, uint64_t* stream) noexcept nogil:
        """Deal the unseen cards of a state that looks the same to the viewer."""
        cdef Unseen* unseen = &self.unseen
        cdef int i, place, last = self.n_places - 1, n_stock = 0, j
        cdef size_t at = 0, step
        cdef double pick
        cdef double part[MAX_SEATS + 1]
        cdef uint64_t draw
        cdef uint8_t stock[DECK_ROOM]
        cdef uint8_t card
        cdef Orders orders
        if self.chances == NULL:
            deal_unseen(unseen, state, stream, &orders)
            return 0
        for place in range(unseen.places):
            state.cards[unseen.seats[place]] = 0
        for i in range(unseen.n):
            pick = 0
            for place in range(self.n_places):
                step = self.strides[place] if place < last else 0
                # Beyond the size of a place there is a step into the next one, which has too many then: no way to go on.
                part[place] = 0
                if place == last or at // step % (<size_t>unseen.sizes[place] + 1) < <size_t>unseen.sizes[place]:
                    part[place] = self.weights[i * self.n_places + place] * self.chances[(i + 1) * self.row + at + step]
                pick += part[place]
            pick *= <double>(next64(stream) >> 11) * (1.0 / 9007199254740992.0)
            j = -1
            for place in range(self.n_places):
                if part[place] > 0:
                    j = place
                    if pick < part[place]:
                        break
                    pick -= part[place]
            card = unseen.cards[i]
            if j < unseen.places:
                state.cards[unseen.seats[j]] |= bit(card)
            else:
                stock[n_stock] = card
                n_stock += 1
            if j < last:
                at += self.strides[j]
        # The order of the stock is open.
        for i in range(n_stock - 1, -1, -1):
            draw = next64(stream)
            j = <int>((draw >> 32) * <uint64_t>(i + 1) >> 32)
            state.stock[MAX_STOCK - n_stock + i] = stock[j]
            stock[j] = stock[i]
        return 0

    # Random worlds.

    @cython.binding(False)
    def sample(self, rng, /):
        """Return a random world as a state, without moves to undo.

        :param rng: an :class:`Rng`, which advances.
        """
        if not isinstance(rng, Rng):
            raise TypeError(f"rng must be an Rng of the native engine, not {type(rng).__name__}: {rng!r}")
        cdef State state = self.view.any_world()
        self.deal(&state.c, &(<Rng>rng).stream)
        return state

    def fill(self, states, rng):
        """Make each state of a list a random world, the fastest way to many of them.

        :param states: a list of states, of any rules; their moves to undo are forgotten.
        :param rng: an :class:`Rng`, which advances.
        """
        if not isinstance(rng, Rng):
            raise TypeError(f"rng must be an Rng of the native engine, not {type(rng).__name__}: {rng!r}")
        cdef State state
        cdef State world = self.view.any_world()
        cdef list targets = states if isinstance(states, list) else list(states)
        for target in targets:
            if not isinstance(target, State):
                raise TypeError(f"states must be of the native engine, not {type(target).__name__}: {target!r}")
        for target in targets:
            state = <State>target
            state.native = world.native
            state.look = world.look
            state._voids = 0
            state.history = None
            state.c = world.c
            self.deal(&state.c, &(<Rng>rng).stream)

    # All worlds.

    @property
    def count(self):
        """The number of worlds that are possible, exactly: packets of the stock count as sets, those of weight 0 do not count."""
        cdef int place
        sizes = [self.unseen.sizes[place] for place in range(self.unseen.places)]
        packets = <object>self.unseen.stock // 3
        sizes += [3] * packets
        masks = [self.allowed(place) for place in range(self.unseen.places)] + [self.view.unseen_mask] * packets
        everything = self.view.unseen_mask
        if all(mask == everything for mask in masks):
            total = math.factorial(self.unseen.n)
            for size in sizes:
                total //= math.factorial(size)
            return total
        hands = sizes[: self.unseen.places]
        ways = {tuple([0] * len(hands)): 1}
        for card in CardSet(everything, self.view.rules.deck):
            places = [place for place in range(len(hands)) if masks[place] >> card & 1]
            after = {}
            for have, number in ways.items():
                for place in places:
                    if have[place] < hands[place]:
                        more = have[:place] + (have[place] + 1,) + have[place + 1 :]
                        after[more] = after.get(more, 0) + number
                if self.unseen.stock:
                    after[have] = after.get(have, 0) + number
            ways = after
        return ways.get(tuple(hands), 0) * math.factorial(3 * packets) // 6**packets

    def __iter__(self):
        """Yield each world that is possible as a state of its own, in lexicographic order.

        First by the cards of the hidden hand of the lowest seat, then of the next one and so on, then by the packets of the stock in
        the order they are dealt; each runs through its sets of cards as :func:`itertools.combinations` of their indices does.
        """
        cdef int place
        sizes = [self.unseen.sizes[place] for place in range(self.unseen.places)]
        masks = [self.allowed(place) for place in range(self.unseen.places)]
        sizes += [3] * (self.unseen.stock // 3)
        masks += [self.view.unseen_mask] * (self.unseen.stock // 3)
        return self.list_from(0, [self.unseen.cards[place] for place in range(self.unseen.n)], sizes, masks, [])

    def list_from(self, number, cards, sizes, masks, chosen):
        """Yield the worlds that begin with the chosen sets."""
        cdef State state
        cdef int i, place
        if number == len(sizes):
            state = self.view.any_world()
            for place in range(self.unseen.places):
                state.c.cards[self.unseen.seats[place]] = sum([<object>1 << card for card in chosen[place]])
            for i, card in enumerate([card for packet in chosen[self.unseen.places :] for card in packet]):
                state.c.stock[MAX_STOCK - self.unseen.stock + i] = card
            yield state
            return
        for hand in combinations([card for card in cards if masks[number] >> card & 1], sizes[number]):
            yield from self.list_from(number + 1, [card for card in cards if card not in hand], sizes, masks, [*chosen, hand])

    def weight(self, state):
        """Return the product of the weights of the cards in the hidden hands of a state, 1 without weights.

        Weights of a seat are taken relative to its largest.

        :raises ValueError: if the state is none of these worlds.
        """
        cdef int i, place
        cdef double product = 1
        if not isinstance(state, State) or view_of(state, self.view.viewer) != self.view:
            raise ValueError(f"no world of '{self.view}' for seat {self.view.seat}: {state!r}")
        if self.weights == NULL:
            return 1.0
        for i in range(self.unseen.n):
            for place in range(self.unseen.places):
                if (<State>state).c.cards[self.unseen.seats[place]] & bit(self.unseen.cards[i]):
                    product *= self.weights[i * self.n_places + place]
        return product

    def __repr__(self):
        return f"Worlds({self.view!r})"

    def __reduce__(self):
        raise TypeError("Worlds cannot be pickled or copied: make them of their view")


cdef SeatView _any_view = view_of(State("scopa", 0), 0)


cdef dict check_excluded(object rules, object exclude):
    """The excluded cards of each seat as masks."""
    if exclude is not None and not isinstance(exclude, Mapping):
        raise TypeError(f"exclude must map seats to masks or CardSets, not {type(exclude).__name__}: {exclude!r}")
    return {
        rules.check_seat(seat, "seat to exclude cards for"): CardSet(cards.mask if isinstance(cards, CardSet) else cards, rules.deck).mask
        for seat, cards in (exclude or {}).items()
    }


cdef dict check_weights(object rules, object weights):
    """The weights of each seat as floats."""
    if weights is not None and not isinstance(weights, Mapping):
        raise TypeError(f"weights must map seats to numbers, not {type(weights).__name__}: {weights!r}")
    checked = {}
    for seat, given in (weights or {}).items():
        rules.check_seat(seat, "seat of weights")
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
            raise TypeError(f"weights of seat {seat} must be a number for each card, not {type(given).__name__}: {given!r}")
        numbers = list(given)
        if len(numbers) != rules.cards:
            raise ValueError(f"{len(numbers)} weights of seat {seat} for {rules.cards} cards: {numbers!r}")
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, Real):
                raise TypeError(f"a weight must be a number, not {type(number).__name__}: {number!r}")
            if not 0 <= number <= MOST:
                raise ValueError(f"weight {number} of seat {seat} is not in 0..{MOST:g}")
        checked[seat] = [float(number) for number in numbers]
    return checked


def sample(view, seed=None, count=1, *, exclude=None, weights=None):
    """Return random worlds of a view: ``Worlds(view, ...)`` in one call.

    :param seed: an int, an :class:`Rng` (which advances) or None for fresh randomness.
    :param count: how many states to return, as a list.
    :raises ValueError: if count is negative or above 2**24.

    Other parameters and errors as those of :class:`Worlds`.
    """
    worlds = Worlds(view, exclude=exclude, weights=weights)
    rng = seed if isinstance(seed, Rng) else Rng(seed)
    states = [State.__new__(State) for _ in range(check_range(count, "count", 0, MOST_WORLDS))]
    worlds.fill(states, rng)
    return states


def count_worlds(view, *, exclude=None):
    """Return how many worlds look like this to the seat of a view: ``Worlds(view, exclude=exclude).count``."""
    return Worlds(view, exclude=exclude).count
