# cython: embedsignature=True, embedsignature.format=clinic
"""The door to the native position: State."""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from scopa_fast.core.cards cimport MAX_SEATS, bit, lowest, value_of
from scopa_fast.core.dealing cimport start_deal
from scopa_fast.core.deals cimport as_move, deck_stream, fill_deck, set_masks, shuffled
from scopa_fast.core.generate cimport (
    MAX_DECLARATIONS, Turn, count_card_moves, is_legal_move, list_card_moves, nth_card_move, playable_cards, read_turn, state_declarations,
)
from scopa_fast.core.key cimport state_key
from scopa_fast.core.lookup cimport Lookup, lookup_table
from scopa_fast.core.playout cimport random_card_move
from scopa_fast.core.position cimport (
    GameState, NOBODY, Undo, deal_over, make_move, make_undoable, move_scopa, packet_mask, plays_left, same_state,
    unmake_move,
)
from scopa_fast.core.rng cimport DECK_ROOM, Rng
from scopa_fast.core.rules cimport MAX_STOCK, NativeRules, RuleSet, native_rules
from scopa_fast.core.scoring cimport make_score
from scopa_fast.core.state cimport History, State

from scopa_fast.arguments import check_dealer, check_int, check_range
from scopa_fast.cards import CardSet, check_card, format_card
from scopa_fast.errors import (
    DealNotOverError,
    IllegalMoveError,
    InvalidCardError,
    InvalidMoveError,
    MoveIndexError,
    NothingToUndoError,
    VoidDealError,
)
from scopa_fast.moves import Move
from scopa_fast.position import Position, check_position, format_position, parse_position

assert sizeof(GameState) == 80 + 16 * sizeof(uint64_t)

_new_move = int.__new__
view_of_state = None
"""What makes the view of a seat; view.pyx, which needs State, puts it here."""


cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int*) except? -1
    object PyLong_FromUnsignedLongLong(unsigned long long)

cdef enum:
    NO_MOVE = -1            # as 64 bits: no packed move, and never legal
    MAX_LOOKED_UP = 512     # more than the moves of ten cards on any table without two cards of a rank


cdef uint64_t move_bits(object move) except? 0:
    """The bits of a packed move, NO_MOVE of an int that is none."""
    cdef int overflow = 0
    cdef long long bits
    if not isinstance(move, int) or isinstance(move, bool):
        check_int(move, "a move")
    bits = PyLong_AsLongLongAndOverflow(move, &overflow)
    return <uint64_t>NO_MOVE if overflow or bits < 0 else <uint64_t>bits


cdef NativeRules _default = native_rules("scopa")
cdef const Lookup* _default_look = &lookup_table(_default).c


cdef list listed(const uint64_t* moves, Py_ssize_t n):
    """Packed moves as a list of ints."""
    cdef list out = PyList_New(n)
    cdef Py_ssize_t i
    cdef object move
    for i in range(n):
        move = PyLong_FromUnsignedLongLong(moves[i])
        Py_INCREF(move)
        PyList_SET_ITEM(out, i, move)
    return out


cdef class History:
    """The moves to undo, apart from the State: a copy that never plays is made and thrown away without them."""

    def __dealloc__(self):
        free(self.moves)


# A State refers to its rules and its history only, which know no State: no cycle for the collector to find.
@cython.no_gc
@cython.freelist(64)
cdef class State:
    """One position of a deal: hands, table, piles, stock and whose turn it is, with the moves that lead on from it.

    ``State(rules="scopa", seed=None, *, dealer=None)`` deals afresh. A state belongs to one thread at a time.

    >>> state = State("scopone", seed=1)
    >>> state.play_index(0)
    >>> state.undo() == state.legal_moves()[0]
    True

    :param rules: a :class:`Rules` or its text.
    :param seed: an int, an :class:`Rng` (which advances) or None for fresh randomness; a void deal is dealt again (DEAL-8).
    :param dealer: who deals, by default the last seat, so that seat 0 leads.
    :raises InvalidSeedError: if the seed is out of range.
    :raises InvalidSeatError: if there is no such dealer.
    """

    __hash__ = None

    def __cinit__(self):
        # Whatever makes the object, it has rules: no method meets an empty one.
        self.native = _default
        self.look = _default_look

    def __init__(self, rules="scopa", seed=None, *, dealer=None):
        cdef uint64_t own
        cdef uint8_t deck[DECK_ROOM]
        cdef int first_dealer
        cdef NativeRules native = native_rules(rules)
        first_dealer = check_dealer(native.rules, dealer)
        own = deck_stream(seed, 0)
        self._voids = shuffled(&native.c, &(<Rng>seed).stream if isinstance(seed, Rng) else &own, &first_dealer, deck)
        start_deal(&native.c, deck, first_dealer, &self.c)
        self.obey(native)
        self.history = None

    @classmethod
    def from_deck(cls, rules, deck, dealer=None):
        """Return the first position of the deal of a given deck, the top card first.

        :raises InvalidDeckError: if the deck is not every card of the pack once.
        :raises VoidDealError: if the deal is void (DEAL-6, DEAL-7); :func:`deal` shows it.
        :raises InvalidSeatError: if there is no such dealer.
        """
        cdef uint8_t cards[DECK_ROOM]
        cdef NativeRules native = native_rules(rules)
        fill_deck(native, deck, cards)
        cdef State state = State.__new__(State)
        state.obey(native)
        seat = check_dealer(native.rules, dealer)
        if not start_deal(&native.c, cards, seat, &state.c):
            names = "".join([format_card(cards[i], native.rules.deck) for i in range(native.c.cards)])
            raise VoidDealError(f"the deal of the deck {names} by seat {seat} of {native.rules.text} is void (DEAL-6, DEAL-7)")
        return state

    @classmethod
    def from_position(cls, position):
        """Return the state of a :class:`Position` with every card known.

        :raises InvalidPositionError: if no deal can go on from it.
        """
        if not isinstance(position, Position):
            raise TypeError(f"a position must be a Position, not {type(position).__name__}: {position!r}")
        check_position(position)
        cdef State state = State.__new__(State)
        cdef NativeRules native = native_rules(position.rules)
        cdef GameState* c = &state.c
        cdef int i
        memset(c, 0, sizeof(GameState))
        state.obey(native)
        c.table = position.table
        c.seat, c.dealer = position.seat, position.dealer
        c.last = NOBODY if position.last_capturer is None else position.last_capturer
        c.matta = position.matta or 0
        for seat in position.exposed:
            c.exposed |= <uint8_t>(1 << <int>seat)
        c.stock_left = len(position.stock)
        for i in range(c.stock_left):
            c.stock[MAX_STOCK - c.stock_left + i] = position.stock[i]
        for i in range(native.c.seats):
            c.cards[i] = position.hands[i]
        for i in range(native.c.sides):
            c.cards[native.c.seats + i] = position.piles[i]
            c.scope[i], c.bonus[i] = position.scope[i], position.bonus[i]
        return state

    @classmethod
    def from_text(cls, text):
        """Return the state of a position text (docs/notation.md).

        :raises InvalidPositionError: if the text is broken or no deal can go on from it.
        """
        return cls.from_position(parse_position(text))

    # What is on the table.

    @property
    def rules(self):
        """The rules of the game."""
        return self.native.rules

    @property
    def seat(self):
        """The seat to move; after the last card, the seat that would be next."""
        return self.c.seat

    @property
    def side(self):
        """The side of the seat to move."""
        return self.native.c.side_of[self.c.seat]

    @property
    def dealer(self):
        """The seat that deals."""
        return self.c.dealer

    @property
    def voids(self):
        """Void deals that came before this one (DEAL-8)."""
        return self._voids

    @property
    def table(self):
        """The cards on the table; after the deal, those that nobody captured (END-3)."""
        return CardSet(self.c.table, self.native.rules.deck)

    @property
    def table_mask(self):
        """The cards on the table as a mask."""
        return self.c.table

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
    def stock(self):
        """The undealt cards, packet by packet in the order they will be dealt, each packet in index order."""
        cdef list cards = []
        cdef int i
        cdef uint64_t packet
        for i in range(self.c.stock_left // 3 - 1, -1, -1):
            packet = packet_mask(&self.c, i)
            while packet:
                cards.append(lowest(packet))
                packet &= packet - 1
        return tuple(cards)

    @property
    def stock_size(self):
        """The number of undealt cards."""
        return self.c.stock_left

    @property
    def plays_left(self):
        """Cards still to be played in this deal."""
        return plays_left(&self.native.c, &self.c)

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

    @property
    def key(self):
        """A 64-bit hash of the position and its rules: equal for equal states, on every platform."""
        return state_key(&self.native.c, &self.c)

    def hand(self, seat):
        """Return the hand of a seat.

        :raises InvalidSeatError: if there is no such seat.
        """
        return CardSet(self.c.cards[<int>self.native.rules.check_seat(seat)], self.native.rules.deck)

    def hand_mask(self, seat):
        """Return the hand of a seat as a mask.

        :raises InvalidSeatError: if there is no such seat.
        """
        return self.c.cards[<int>self.native.rules.check_seat(seat)]

    def pile(self, side):
        """Return the cards a side has won.

        :raises InvalidSeatError: if there is no such side.
        """
        return CardSet(self.pile_mask(side), self.native.rules.deck)

    def pile_mask(self, side):
        """Return the cards a side has won as a mask.

        :raises InvalidSeatError: if there is no such side.
        """
        return self.c.cards[self.native.c.seats + <int>self.native.rules.check_side(side)]

    def position(self):
        """Return the position as plain values."""
        cdef int i, seats = self.native.c.seats
        return Position(
            rules=self.native.rules,
            hands=tuple([self.c.cards[i] for i in range(seats)]),
            table=self.c.table,
            piles=tuple([self.c.cards[seats + i] for i in range(self.native.c.sides)]),
            stock=self.stock,
            scope=self.scope,
            bonus=self.bonus,
            last_capturer=self.last_capturer,
            seat=self.c.seat,
            dealer=self.c.dealer,
            matta=self.matta,
            exposed=self.exposed,
        )

    def view(self, seat):
        """Return what one seat can see (PLAY-6), the moves that were played on this object among it.

        :raises InvalidSeatError: if there is no such seat.
        """
        return view_of_state(self, seat)

    # Moves.

    # The calls of hot loops are plain C methods (`binding(False)`), which Python calls faster; the signature is kept in their text.
    @cython.binding(False)
    def is_terminal(self):
        """Whether the last card has been played (END-1)."""
        return deal_over(&self.c) != 0

    def legal_moves(self):
        """Return the legal moves in canonical order, declarations first (DECK-8, CIR-4); none after the last card."""
        return [_new_move(Move, move) for move in self.legal_move_ints()]

    @cython.binding(False)
    def legal_move_ints(self):
        """Return the legal moves as packed ints, in the order of :meth:`legal_moves`."""
        cdef uint64_t few[MAX_DECLARATIONS + MAX_LOOKED_UP]
        cdef uint64_t* many
        cdef Turn turn
        cdef uint64_t room
        cdef int declared
        read_turn(&self.native.c, &self.c, &turn)
        if turn.row >= 0:
            declared = state_declarations(&self.native.c, &self.c, few)
            return listed(few, declared + list_card_moves(
                &self.native.c, self.look, &self.c, &turn, MAX_LOOKED_UP, few + declared))
        room = count_card_moves(&self.native.c, self.look, &self.c, &turn)
        many = <uint64_t*>malloc((MAX_DECLARATIONS + room) * sizeof(uint64_t))
        if not many:
            raise MemoryError()
        try:
            declared = state_declarations(&self.native.c, &self.c, many)
            return listed(many, declared + list_card_moves(
                &self.native.c, self.look, &self.c, &turn, room, many + declared))
        finally:
            free(many)

    @cython.binding(False)
    def move_count(self):
        """Return the number of legal moves, declarations included, without listing them."""
        cdef uint64_t declared[MAX_DECLARATIONS]
        cdef Turn turn
        read_turn(&self.native.c, &self.c, &turn)
        return count_card_moves(&self.native.c, self.look, &self.c, &turn) + <uint64_t>state_declarations(&self.native.c, &self.c, declared)

    def card_move_count(self):
        """Return the number of legal moves that play a card, without listing them."""
        cdef Turn turn
        read_turn(&self.native.c, &self.c, &turn)
        return count_card_moves(&self.native.c, self.look, &self.c, &turn)

    def is_legal(self, move):
        """Whether a move or packed int is legal here."""
        cdef uint64_t packed = move_bits(move)
        return is_legal_move(&self.native.c, self.look, &self.c, packed) != 0

    def captures(self, card):
        """Return the sets a card of the seat to move may take, in canonical order.

        :raises InvalidCardError: if the seat to move does not hold it.
        """
        return [CardSet(mask, self.native.rules.deck) for mask in self.capture_masks(card)]

    def capture_masks(self, card):
        """Return the sets a card of the seat to move may take as masks, in canonical order.

        :raises InvalidCardError: if the seat to move does not hold it.
        """
        cdef int index = check_card(card, self.native.rules.deck)
        if not self.c.cards[self.c.seat] & bit(index):
            raise InvalidCardError(
                f"seat {self.c.seat} does not hold {format_card(index, self.native.rules.deck)} in '{self}'")
        if not playable_cards(&self.native.c, &self.c) & bit(index):
            return []
        return set_masks(self.native, self.look, self.c.table, value_of(index, self.c.matta), self.c.matta)

    def is_scopa(self, move):
        """Whether a legal move would score a scopa (SCO-1 to SCO-5).

        :raises IllegalMoveError: if the move is not legal here.
        """
        if not self.is_legal(move):
            self.refuse(int(Move(move)))
        return move_scopa(&self.native.c, &self.c, move) > 0

    @cython.binding(False)
    def play(self, move, /):
        """Play a legal move or packed int; new rounds are dealt and the deal ended as needed.

        :raises IllegalMoveError: if it is not legal here; the state stays as it was.
        :raises InvalidMoveError: if the int packs no move.
        """
        cdef uint64_t packed = move_bits(move)
        if not is_legal_move(&self.native.c, self.look, &self.c, packed):
            self.refuse(int(Move(move)))
        self.remember(packed)

    @cython.binding(False)
    def play_unchecked(self, move, /):
        """Play a move that is known to be legal. Any other move leaves a state that means nothing, and may crash."""
        self.remember(move_bits(move))

    @cython.binding(False)
    def play_index(self, index, /):
        """Play the legal move number ``index``, as listed by :meth:`legal_moves`.

        :raises MoveIndexError: if there is no such move; the state stays as it was.
        """
        cdef uint64_t declared[MAX_DECLARATIONS]
        cdef Turn turn
        cdef uint64_t n, number = 0
        cdef int declarations, overflow = 0
        cdef long long wanted
        if type(index) is not int:
            check_int(index, "index")
        declarations = state_declarations(&self.native.c, &self.c, declared)
        read_turn(&self.native.c, &self.c, &turn)
        n = count_card_moves(&self.native.c, self.look, &self.c, &turn) + <uint64_t>declarations
        wanted = PyLong_AsLongLongAndOverflow(index, &overflow)
        if overflow or wanted < 0 or <uint64_t>wanted >= n:
            if n == 0:
                raise MoveIndexError(f"the deal is over: no move {index} in '{self}'")
            raise MoveIndexError(f"no legal move {index} in '{self}': 0..{<object>n - 1}")
        number = <uint64_t>wanted
        if number < <uint64_t>declarations:
            self.remember(declared[number])
        else:
            self.remember(nth_card_move(&self.native.c, self.look, &self.c, &turn, number - <uint64_t>declarations))

    @cython.binding(False)
    def random_move(self, rng, /):
        """Return a random legal move that plays a card, as a packed int, each equally likely (bias below 2**-32).

        :raises IllegalMoveError: after the last card.
        """
        if not isinstance(rng, Rng):
            raise TypeError(f"rng must be an Rng of the same engine, not {type(rng).__name__}: {rng!r}")
        if deal_over(&self.c):
            raise IllegalMoveError(f"the deal is over: no move in '{self}'")
        return random_card_move(&self.native.c, self.look, &self.c, &(<Rng>rng).stream)

    @cython.binding(False)
    def undo(self):
        """Take back the last move and return it as a packed int.

        :raises NothingToUndoError: if no move was played on this object.
        """
        cdef History history = self.history
        if history is None or history.played == 0:
            raise NothingToUndoError(f"nothing to undo in '{self}'")
        history.played -= 1
        unmake_move(&self.native.c, &self.c, &history.moves[history.played])
        return history.moves[history.played].move

    cdef int obey(self, NativeRules native) except -1:
        """Take the rules that the position is played by."""
        self.native = native
        self.look = &lookup_table(native).c
        return 0

    cdef int remember(self, uint64_t move) except -1:
        """Play a move on top of the moves to undo."""
        cdef History history = self.history
        cdef Undo* grown
        if history is None:
            history = self.history = History.__new__(History)
        if history.played == history.room:
            grown = <Undo*>realloc(history.moves, (history.room * 2 + 8) * sizeof(Undo))
            if not grown:
                raise MemoryError()
            history.moves = grown
            history.room = history.room * 2 + 8
        make_undoable(&self.native.c, &self.c, move, &history.moves[history.played])
        history.played += 1
        return 0

    cdef int refuse(self, uint64_t move) except -1:
        """Raise the error of an illegal move."""
        text = str(as_move(move))
        if deal_over(&self.c):
            raise IllegalMoveError(f"the deal is over: no move '{text}' in '{self}'")
        raise IllegalMoveError(f"illegal move '{text}' in '{self}'")

    # Copies.

    @cython.binding(False)
    def clone(self):
        """Return a copy of the position, without the moves to undo."""
        cdef State other = State.__new__(State)
        other.native = self.native
        other.look = self.look
        other._voids = self._voids
        other.c = self.c
        return other

    def copy_into(self, other):
        """Make another state of any rules a copy of this one, without the moves to undo."""
        if not isinstance(other, State):
            raise TypeError(f"other must be a State of the same engine, not {type(other).__name__}: {other!r}")
        cdef State target = other
        target.native = self.native
        target.look = self.look
        target._voids = self._voids
        target.history = None
        target.c = self.c

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        return (_restore, (self.position(), self._voids))

    def __eq__(self, other):
        if not isinstance(other, State):
            return NotImplemented
        cdef State that = other
        if self.native is not that.native and self.native.rules != that.native.rules:
            return False
        return same_state(&self.native.c, &self.c, &that.c) != 0

    def __str__(self):
        return format_position(self.position())

    def __repr__(self):
        return f"State.from_text({str(self)!r})"

    # The end.

    def score(self):
        """Return the score of the finished deal (rules.md section 8).

        :raises DealNotOverError: before the last card (MAT-4).
        """
        cdef int scope[MAX_SEATS]
        cdef int bonus[MAX_SEATS]
        cdef int i
        if not deal_over(&self.c):
            raise DealNotOverError(f"the deal is not over (MAT-4): {self.plays_left} cards to play in '{self}'")
        for i in range(self.native.c.sides):
            scope[i], bonus[i] = self.c.scope[i], self.c.bonus[i]
        return make_score(
            self.native.rules, &self.native.c, &self.c.cards[self.native.c.seats], scope, bonus, self.table)

    def perft(self, depth, *, declarations=False):
        """Return the number of move sequences of a length; declarations are no moves unless asked for.

        :raises ValueError: if depth is negative.
        """
        # References and copies of its own: a signal handler may change the state meanwhile.
        cdef NativeRules native = self.native
        cdef GameState position = self.c
        return count_sequences(&native.c, &lookup_table(native).c, &position, min(check_range(depth, "depth", 0, 1 << 31), 1000), declarations)

    def perft_divide(self, depth, *, declarations=False):
        """Return :meth:`perft` of each legal move, for a depth of at least 1.

        :raises ValueError: if depth is not positive.
        """
        cdef int plies = min(check_range(depth, "depth", 1, 1 << 31), 1000)
        cdef NativeRules native = self.native
        cdef GameState start = self.c, position
        cdef dict counts = {}
        for move in self.legal_moves():
            if declarations or not move.is_declaration:
                position = start
                make_move(&native.c, &position, move)
                counts[move] = count_sequences(&native.c, &lookup_table(native).c, &position, plies - 1, declarations)
        return counts


def _restore(position, voids):
    cdef State state = State.from_position(position)
    state._voids = voids
    return state


cdef uint64_t count_sequences(const RuleSet* rules, const Lookup* look, GameState* state, int depth, bint declarations) except? 0:
    """Number of move sequences of a length; the state comes back as it was."""
    cdef uint64_t declared[MAX_DECLARATIONS]
    cdef Turn turn
    cdef Undo undo
    cdef uint64_t total = 0, n, i
    cdef uint64_t* moves
    cdef int n_declared = 0
    if depth == 0:
        return 1
    if deal_over(state):
        return 0
    if depth >= 5:
        PyErr_CheckSignals()
    read_turn(rules, state, &turn)
    n = count_card_moves(rules, look, state, &turn)
    if declarations:
        n_declared = state_declarations(rules, state, declared)
    if depth == 1:
        return n + <uint64_t>n_declared
    moves = <uint64_t*>malloc((n + MAX_DECLARATIONS) * sizeof(uint64_t))
    if not moves:
        raise MemoryError()
    try:
        for i in range(<uint64_t>n_declared):
            moves[i] = declared[i]
        list_card_moves(rules, look, state, &turn, n, moves + n_declared)
        for i in range(n + <uint64_t>n_declared):
            make_undoable(rules, state, moves[i], &undo)
            total += count_sequences(rules, look, state, depth - 1, declarations)
            unmake_move(rules, state, &undo)
    finally:
        free(moves)
    return total
