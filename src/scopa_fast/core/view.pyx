# cython: embedsignature=True, embedsignature.format=clinic
"""The native SeatView: what one seat of a deal can see."""

cimport cython
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from scopa_fast.core.cards cimport bit, lowest, popcount
from scopa_fast.core.deals cimport as_move
from scopa_fast.core.position cimport GameState, NOBODY, deal_over, plays_left, same_state
from scopa_fast.core.rules cimport MAX_STOCK, NativeRules, native_rules
from scopa_fast.core.state cimport State
from scopa_fast.core.view cimport MAX_MOVES, SeatView

from scopa_fast import view as _view
from scopa_fast.core import state as _state
from scopa_fast.cards import CardSet
from scopa_fast.errors import IllegalMoveError
from scopa_fast.position import Position, format_position, parse_position
from scopa_fast.view import check_moves, check_view, view_key


cdef NativeRules _default = native_rules("scopa")


@cython.no_gc
@cython.freelist(16)
cdef class SeatView:
    __doc__ = _view.SeatView.__doc__

    state_class = State

    def __cinit__(self):
        # Whatever makes the object, it has rules: no method meets an empty one.
        self.native = _default

    def __init__(self, position, seat, moves=()):
        if self.made:
            raise RuntimeError("a SeatView cannot be made anew")
        seen = check_view(position, seat)
        checked = check_moves(seen, moves)
        cdef GameState* c = &self.c
        cdef int i, seats
        self.native = native_rules(seen.rules)
        seats = self.native.c.seats
        memset(c, 0, sizeof(GameState))
        c.table = seen.table
        c.seat, c.dealer = seen.seat, seen.dealer
        c.last = NOBODY if seen.last_capturer is None else seen.last_capturer
        c.matta = seen.matta or 0
        for i in seen.exposed:
            c.exposed |= <uint8_t>(1 << i)
        c.stock_left = seen.stock_size
        for i in range(seats):
            # As many cards as there are, to be replaced by unseen ones.
            c.cards[i] = seen.hands[i] or bit(seen.hidden[i] if seen.hidden else 0) - 1
        for i in range(self.native.c.sides):
            c.cards[seats + i] = seen.piles[i]
            c.scope[i], c.bonus[i] = seen.scope[i], seen.bonus[i]
        self.viewer = seat
        self.place_unseen()
        self.made = True
        self.n_moves = 0
        for move in checked:
            self.moves_made[self.n_moves] = move
            self.n_moves += 1

    @classmethod
    def from_position(cls, position, seat, moves=()):
        """Return what one seat sees of a position, whose other cards may be known or not, and of the moves that led there.

        :raises InvalidPositionError: if no deal can go on from it, cards that the seat must know are missing, or it cannot come of
            the moves.
        :raises InvalidSeatError: if there is no such seat.
        """
        return cls(position, seat, moves)

    @classmethod
    def from_text(cls, text, seat, moves=()):
        """Return what one seat sees of a position text, in which unknown cards are ``?`` (docs/notation.md), and of the moves before.

        :raises InvalidPositionError: if the text is broken, no deal can go on from it, cards that the seat must know are missing, or
            it cannot come of the moves.
        :raises InvalidSeatError: if there is no such seat.
        """
        return cls(parse_position(text), seat, moves)

    def __setattr__(self, name, value):
        raise AttributeError(f"a SeatView is immutable: cannot set {name!r}")

    cdef int look_at(self, State state) except -1:
        """Take over a state, but for what the seat does not see."""
        cdef int i
        self.native = state.native
        self.made = True
        self.c = state.c
        self.n_moves = 0
        if state.history is not None:
            for i in range(min(<int>state.history.played, MAX_MOVES)):
                self.moves_made[i] = state.history.moves[i].move
            self.n_moves = i + 1 if state.history.played else 0
        return self.place_unseen()

    cdef int is_hidden(self, int seat) noexcept:
        """Whether the viewer does not know a hand."""
        return seat != self.viewer and not self.c.exposed >> seat & 1

    cdef int place_unseen(self) except -1:
        """Put the unseen cards into the hidden hands and the stock, the lowest first: the same ones for all deals that look alike."""
        cdef GameState* c = &self.c
        cdef int seat, size, seats = self.native.c.seats, i
        cdef uint64_t left = self.native.c.pack & ~c.table, taken
        for i in range(self.native.c.sides):
            left &= ~c.cards[seats + i]
        for seat in range(seats):
            if not self.is_hidden(seat):
                left &= ~c.cards[seat]
        self.hidden_cards = left
        for seat in range(seats):
            if self.is_hidden(seat):
                taken = left
                for size in range(popcount(c.cards[seat])):
                    taken &= taken - 1
                c.cards[seat] = left & ~taken
                left = taken
        for i in range(MAX_STOCK):
            c.stock[i] = 0
        for i in range(MAX_STOCK - c.stock_left, MAX_STOCK):
            c.stock[i] = <uint8_t>lowest(left)
            left &= left - 1
        return 0

    # Who and where.

    @property
    def position(self):
        """What is known, as plain values."""
        hidden, hands = [], []
        for seat in range(self.native.c.seats):
            hands.append(0 if self.is_hidden(seat) else self.c.cards[<int>seat])
            hidden.append(popcount(self.c.cards[<int>seat]) if self.is_hidden(seat) else 0)
        seats = self.native.c.seats
        return Position(
            rules=self.native.rules,
            hands=tuple(hands),
            table=self.c.table,
            piles=tuple([self.c.cards[<int>(seats + side)] for side in range(self.native.c.sides)]),
            stock=(),
            scope=self.scope,
            bonus=self.bonus,
            last_capturer=self.last_capturer,
            seat=self.c.seat,
            dealer=self.c.dealer,
            matta=self.matta,
            exposed=self.exposed,
            hidden=tuple(hidden),
            hidden_stock=self.c.stock_left,
        )

    @property
    def text(self):
        """The position text, with ``?`` for each unknown card."""
        return format_position(self.position)

    @property
    def rules(self):
        """The rules of the game."""
        return self.native.rules

    @property
    def seat(self):
        """The seat that looks."""
        return self.viewer

    @property
    def side(self):
        """The side of the seat that looks."""
        return self.native.c.side_of[self.viewer]

    @property
    def to_move(self):
        """The seat to move; after the last card, the seat that would be next."""
        return self.c.seat

    @property
    def dealer(self):
        """The seat that deals."""
        return self.c.dealer

    @property
    def moves(self):
        """The moves that led here, declarations included, as far as they are known: everybody saw them (PLAY-6)."""
        cdef int i
        return tuple([as_move(self.moves_made[i]) for i in range(self.n_moves)])

    # Cards.

    @property
    def hand(self):
        """The own hand."""
        return CardSet(self.c.cards[self.viewer], self.native.rules.deck)

    @property
    def hand_mask(self):
        """The own hand as a mask."""
        return self.c.cards[self.viewer]

    def known_hand(self, seat):
        """Return the hand of a seat if it is the own one or exposed (CIR-4), else no cards.

        :raises InvalidSeatError: if there is no such seat.
        """
        return CardSet(self.known_hand_mask(seat), self.native.rules.deck)

    def known_hand_mask(self, seat):
        """Return the hand of a seat as a mask if it is the own one or exposed (CIR-4), else 0.

        :raises InvalidSeatError: if there is no such seat.
        """
        cdef int q = self.native.rules.check_seat(seat)
        return 0 if self.is_hidden(q) else self.c.cards[q]

    def hand_size(self, seat):
        """Return the number of cards a seat holds, known or not.

        :raises InvalidSeatError: if there is no such seat.
        """
        return popcount(self.c.cards[<int>self.native.rules.check_seat(seat)])

    @property
    def table(self):
        """The cards on the table; after the deal, those that nobody captured (END-3)."""
        return CardSet(self.c.table, self.native.rules.deck)

    @property
    def table_mask(self):
        """The cards on the table as a mask."""
        return self.c.table

    def pile(self, side):
        """Return the cards a side has won: every capture was seen by all (PLAY-6).

        :raises InvalidSeatError: if there is no such side.
        """
        return CardSet(self.pile_mask(side), self.native.rules.deck)

    def pile_mask(self, side):
        """Return the cards a side has won as a mask.

        :raises InvalidSeatError: if there is no such side.
        """
        return self.c.cards[self.native.c.seats + <int>self.native.rules.check_side(side)]

    @property
    def unseen(self):
        """The cards in the stock and the hidden hands, which the seat cannot tell apart."""
        return CardSet(self.hidden_cards, self.native.rules.deck)

    @property
    def unseen_mask(self):
        """The cards in the stock and the hidden hands as a mask."""
        return self.hidden_cards

    @property
    def stock_size(self):
        """The number of undealt cards."""
        return self.c.stock_left

    @property
    def plays_left(self):
        """Cards still to be played in this deal."""
        return plays_left(&self.native.c, &self.c)

    # Points and declarations.

    @property
    def scope(self):
        """Scopa points of each side so far (SCO-4, CIR-7, ESC-1)."""
        cdef int i
        return tuple([self.c.scope[i] for i in range(self.native.c.sides)])

    @property
    def bonus(self):
        """Declared points of each side so far (CIR-1 to CIR-3)."""
        cdef int i
        return tuple([self.c.bonus[i] for i in range(self.native.c.sides)])

    @property
    def last_capturer(self):
        """The side that captured last (END-5), or None."""
        return None if self.c.last == NOBODY else self.c.last

    @property
    def matta(self):
        """The rank the 7C was declared as, until it is captured (CIR-6), or None."""
        return self.c.matta if self.c.matta else None

    @property
    def exposed(self):
        """Seats that declared in this round, lowest first (CIR-4)."""
        cdef int i
        return tuple([i for i in range(self.native.c.seats) if self.c.exposed >> i & 1])

    cdef State any_world(self):
        """A state that looks like this from the seat: the unseen cards in their fixed places."""
        cdef State state = State.__new__(State)
        state.obey(self.native)
        state.c = self.c
        return state

    def legal_moves(self):
        """Return the legal moves of the seat in canonical order (DECK-8), none when another seat is to move or the deal is over."""
        # Legal moves depend on the own hand and public cards alone, so any one way of placing the unseen cards will do.
        return self.any_world().legal_moves() if self.c.seat == self.viewer else []

    def legal_move_ints(self):
        """Return the legal moves as packed ints, in the order of :meth:`legal_moves`."""
        return self.any_world().legal_move_ints() if self.c.seat == self.viewer else []

    # Equality and texts.

    @property
    def key(self):
        """A 64-bit hash of what is known, the rules and the seat: equal for equal views, on every platform (docs/notation.md)."""
        return view_key(self.position, self.viewer)

    def __eq__(self, other):
        """Whether the same is seen: the cards, the points and whose turn it is, but not the moves that led there."""
        if not isinstance(other, SeatView):
            return NotImplemented
        cdef SeatView that = other
        if self.viewer != that.viewer or (self.native is not that.native and self.native.rules != that.native.rules):
            return False
        return same_state(&self.native.c, &self.c, &that.c) != 0

    def __hash__(self):
        return hash(self.key)

    def __reduce__(self):
        return (SeatView, (self.position, self.seat, self.moves))

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"SeatView.from_text({self.text!r}, {self.seat})"


cdef SeatView view_of(State state, int seat):
    """What a seat sees of a state."""
    cdef SeatView view = SeatView.__new__(SeatView)
    view.viewer = seat
    view.look_at(state)
    return view


cdef SeatView as_view(object view):
    """The native view of an argument.

    :raises TypeError: if it is none.
    """
    if not isinstance(view, SeatView):
        raise TypeError(f"view must be a SeatView of the native engine, not {type(view).__name__}: {view!r}")
    return view


cdef SeatView to_move(object view):
    """The native view of an argument, whose seat is to move.

    :raises TypeError: if it is none.
    :raises IllegalMoveError: if it is another seat's turn, or the deal is over.
    """
    cdef SeatView seen = as_view(view)
    if seen.c.seat != seen.viewer or deal_over(&seen.c):
        raise IllegalMoveError(f"seat {seen.seat} has no move in '{seen}'")
    return seen


def view_of_state(State state not None, seat):
    """Return what one seat of a state sees."""
    return view_of(state, state.native.rules.check_seat(seat))


_state.view_of_state = view_of_state
