# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The deals that a view leaves open, and how one of them is dealt at random: the unseen cards go to the hidden hands and the stock.
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from scopa_fast.core.cards cimport MAX_SEATS, bit, take_digit
from scopa_fast.core.position cimport GameState
from scopa_fast.core.rng cimport DECK_ROOM, next64
from scopa_fast.core.rules cimport MAX_STOCK
from scopa_fast.core.view cimport SeatView

ctypedef struct Unseen:
    uint8_t cards[DECK_ROOM]    # in index order
    int n
    int places                  # hidden hands
    int seats[MAX_SEATS]        # whose they are, lowest first
    int sizes[MAX_SEATS]
    int stock                   # cards of it


# The cards of each dealt hand in random order, for playouts that need one; no cards where none is known.
ctypedef struct Orders:
    uint8_t cards[MAX_SEATS][16]
    uint8_t n[MAX_SEATS]


cdef inline uint64_t take_cards(uint64_t* stream, uint8_t* cards, int n, int size, uint8_t* order) noexcept nogil:
    """Take some of n cards at random, as a mask and in the order taken; the others are left in front, in an order that means
    nothing."""
    cdef uint64_t draw = 0, hand = 0
    cdef int i, at
    for i in range(size):
        if i & 3 == 0:
            # Four choices share a draw, as in rng.permute.
            draw = next64(stream)
        at = <int>take_digit(&draw, n)
        hand |= bit(cards[at])
        order[i] = cards[at]
        n -= 1
        cards[at] = cards[n]
    return hand


cdef inline void deal_unseen(const Unseen* unseen, GameState* state, uint64_t* stream, Orders* orders) noexcept nogil:
    """Deal the unseen cards, all ways equally likely. The state is one that looks the same to the viewer. `orders` must be
    without cards, and gets those of the dealt hands, but for the last one if there is no stock."""
    cdef uint8_t cards[DECK_ROOM]
    cdef int seat, n = unseen.n, place, size, last = unseen.places - (unseen.stock == 0), i
    cdef uint64_t rest = 0, draw = 0
    memcpy(cards, unseen.cards, DECK_ROOM)
    for place in range(last):
        size = unseen.sizes[place]
        seat = unseen.seats[place]
        state.cards[seat] = take_cards(stream, cards, n, size, orders.cards[seat])
        orders.n[seat] = <uint8_t>size
        n -= size
    if unseen.stock == 0:
        # The last hand is what is left.
        for i in range(n):
            rest |= bit(cards[i])
        if unseen.places:
            state.cards[unseen.seats[last]] = rest
        return
    for i in range(n - 1, 0, -1):
        if (n - 1 - i) & 3 == 0:
            draw = next64(stream)
        size = <int>take_digit(&draw, i + 1)
        state.stock[MAX_STOCK - n + i] = cards[size]
        cards[size] = cards[i]
    state.stock[MAX_STOCK - n] = cards[0]


cdef void find_unseen(SeatView view, Unseen* unseen) noexcept


cdef class Worlds:
    cdef SeatView view
    cdef Unseen unseen
    cdef double* chances        # by cards dealt and by how many each place has: the weight of all ways to go on; NULL if all are equal
    cdef double* weights        # by card and place
    cdef size_t* strides        # of the places in `chances`, the last place apart
    cdef size_t row             # entries of `chances` for each number of cards dealt
    cdef int n_places           # hidden hands, and the stock
    cdef bint alike             # whether all worlds are equally likely, as deal_unseen deals them

    cdef int deal(self, GameState* state, uint64_t* stream) noexcept nogil
    cdef int weigh(self, object exclude, object weights) except -1
    cdef object allowed(self, int place)
