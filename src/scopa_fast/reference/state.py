"""A position of a deal and the moves that lead on from it: the door to :class:`~scopa_fast.reference.board.Board`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..arguments import RulesLike, check_dealer, check_deck, check_int, check_range, check_rules
from ..cards import CardSet, check_card, format_card, mask_of
from ..errors import DealNotOverError, IllegalMoveError, InvalidCardError, MoveIndexError, NothingToUndoError, VoidDealError
from ..moves import Move
from ..position import Position, check_position, format_position, parse_position
from ..results import Score
from ..rules import Rules
from .board import Board
from .deals import deal, shuffled_deck
from .rng import Rng, SeedLike
from .scoring import score_piles

if TYPE_CHECKING:
    from . import SeatView

__all__ = ["State"]


class State:
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

    __slots__ = ("_board", "_moves", "_voids")

    _board: Board
    _voids: int
    _moves: list[tuple[Move, Board]]
    """The moves played on this object, each with the board before it."""

    def __init__(self, rules: RulesLike = "scopa", seed: SeedLike = None, *, dealer: int | None = None) -> None:
        rules = check_rules(rules)
        new = shuffled_deck(rules, seed, dealer=dealer)
        self._become(Board.of_deal(rules, deal(rules, new.deck, new.dealer), new.dealer), new.voids)

    @classmethod
    def from_deck(cls, rules: RulesLike, deck: Iterable[int], dealer: int | None = None) -> State:
        """Return the first position of the deal of a given deck, the top card first.

        :raises InvalidDeckError: if the deck is not every card of the pack once.
        :raises VoidDealError: if the deal is void (DEAL-6, DEAL-7); :func:`deal` shows it.
        :raises InvalidSeatError: if there is no such dealer.
        """
        rules = check_rules(rules)
        cards = check_deck(rules, deck)
        dealer = check_dealer(rules, dealer)
        dealt = deal(rules, cards, dealer)
        if dealt.void:
            names = "".join(format_card(card, rules.deck) for card in cards)
            raise VoidDealError(f"the deal of the deck {names} by seat {dealer} of {rules.text} is void (DEAL-6, DEAL-7)")
        state = cls.__new__(cls)
        state._become(Board.of_deal(rules, dealt, dealer))
        return state

    @classmethod
    def from_position(cls, position: Position) -> State:
        """Return the state of a :class:`Position` with every card known.

        :raises InvalidPositionError: if no deal can go on from it.
        """
        if not isinstance(position, Position):
            raise TypeError(f"a position must be a Position, not {type(position).__name__}: {position!r}")
        check_position(position)
        state = cls.__new__(cls)
        state._become(Board.of_position(position))
        return state

    @classmethod
    def from_text(cls, text: str) -> State:
        """Return the state of a position text (docs/notation.md).

        :raises InvalidPositionError: if the text is broken or no deal can go on from it.
        """
        return cls.from_position(parse_position(text))

    def _become(self, board: Board, voids: int = 0) -> None:
        """Start from a board, with nothing to undo."""
        self._board = board
        self._voids = voids
        self._moves = []

    # What is on the table.

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._board.rules

    @property
    def seat(self) -> int:
        """The seat to move; after the last card, the seat that would be next."""
        return self._board.seat

    @property
    def side(self) -> int:
        """The side of the seat to move."""
        return self._board.side

    @property
    def dealer(self) -> int:
        """The seat that deals."""
        return self._board.dealer

    @property
    def voids(self) -> int:
        """Void deals that came before this one (DEAL-8)."""
        return self._voids

    @property
    def table(self) -> CardSet:
        """The cards on the table; after the deal, those that nobody captured (END-3)."""
        return CardSet(self.table_mask, self._board.rules.deck)

    @property
    def table_mask(self) -> int:
        """The cards on the table as a mask."""
        return mask_of(self._board.table)

    @property
    def scope(self) -> tuple[int, ...]:
        """Scopa points of each side so far (SCO-4, CIR-7, ESC-1)."""
        return self._board.scope

    @property
    def bonus(self) -> tuple[int, ...]:
        """Declared points of each side so far (CIR-1 to CIR-3)."""
        return self._board.bonus

    @property
    def stock(self) -> tuple[int, ...]:
        """The undealt cards, packet by packet in the order they will be dealt, each packet in index order."""
        return self._board.stock

    @property
    def stock_size(self) -> int:
        """The number of undealt cards."""
        return len(self._board.stock)

    @property
    def plays_left(self) -> int:
        """Cards still to be played in this deal."""
        return self._board.plays_left

    @property
    def last_capturer(self) -> int | None:
        """The side that captured last (END-5), or None."""
        return self._board.last_capturer

    @property
    def matta(self) -> int | None:
        """The rank the 7C was declared as, until it is captured (CIR-6), or None."""
        return self._board.matta

    @property
    def exposed(self) -> tuple[int, ...]:
        """Seats that declared in this round, lowest first (CIR-4)."""
        return self._board.exposed

    @property
    def key(self) -> int:
        """A 64-bit hash of the position and its rules: equal for equal states, on every platform."""
        return self.position().key

    def hand(self, seat: int) -> CardSet:
        """Return the hand of a seat.

        :raises InvalidSeatError: if there is no such seat.
        """
        return CardSet(self.hand_mask(seat), self._board.rules.deck)

    def hand_mask(self, seat: int) -> int:
        """Return the hand of a seat as a mask.

        :raises InvalidSeatError: if there is no such seat.
        """
        return mask_of(self._board.hands[self._board.rules.check_seat(seat)])

    def pile(self, side: int) -> CardSet:
        """Return the cards a side has won.

        :raises InvalidSeatError: if there is no such side.
        """
        return CardSet(self.pile_mask(side), self._board.rules.deck)

    def pile_mask(self, side: int) -> int:
        """Return the cards a side has won as a mask.

        :raises InvalidSeatError: if there is no such side.
        """
        return mask_of(self._board.piles[self._board.rules.check_side(side)])

    def position(self) -> Position:
        """Return the position as plain values."""
        return self._board.position()

    def view(self, seat: int) -> SeatView:
        """Return what one seat can see (PLAY-6), the moves that were played on this object among it.

        :raises InvalidSeatError: if there is no such seat.
        """
        from . import SeatView  # it is built on State

        return SeatView(self.position(), seat, [move for move, _ in self._moves])

    # Moves.

    def is_terminal(self) -> bool:
        """Whether the last card has been played (END-1)."""
        return self.plays_left == 0

    def legal_moves(self) -> list[Move]:
        """Return the legal moves in canonical order, declarations first (DECK-8, CIR-4); none after the last card."""
        return self._board.moves(declarations=True)

    def legal_move_ints(self) -> list[int]:
        """Return the legal moves as packed ints, in the order of :meth:`legal_moves`."""
        return [int(move) for move in self.legal_moves()]

    def move_count(self) -> int:
        """Return the number of legal moves, declarations included, without listing them."""
        return len(self.legal_moves())

    def card_move_count(self) -> int:
        """Return the number of legal moves that play a card, without listing them."""
        return len(self._board.card_moves())

    def is_legal(self, move: int) -> bool:
        """Whether a move or packed int is legal here."""
        return check_int(move, "a move") in self.legal_moves()

    def captures(self, card: int) -> list[CardSet]:
        """Return the sets a card of the seat to move may take, in canonical order.

        :raises InvalidCardError: if the seat to move does not hold it.
        """
        return [CardSet(mask, self._board.rules.deck) for mask in self.capture_masks(card)]

    def capture_masks(self, card: int) -> list[int]:
        """Return the sets a card of the seat to move may take as masks, in canonical order.

        :raises InvalidCardError: if the seat to move does not hold it.
        """
        check_card(card, self._board.rules.deck)
        if card not in self._board.hand:
            raise InvalidCardError(f"seat {self._board.seat} does not hold {format_card(card, self._board.rules.deck)} in '{self}'")
        return [mask_of(taken) for taken in self._board.outcomes(card).takes]

    def _check_legal(self, move: int) -> Move:
        """Return a legal move as a :class:`Move`, or refuse it."""
        move = Move(move)
        if self.is_terminal():
            raise IllegalMoveError(f"the deal is over: no move '{move}' in '{self}'")
        if move not in self.legal_moves():
            raise IllegalMoveError(f"illegal move '{move}' in '{self}'")
        return move

    def is_scopa(self, move: int) -> bool:
        """Whether a legal move would score a scopa (SCO-1 to SCO-5).

        :raises IllegalMoveError: if the move is not legal here.
        """
        return self._board.scopa_points(self._check_legal(move)) > 0

    def play(self, move: int, /) -> None:
        """Play a legal move or packed int; new rounds are dealt and the deal ended as needed.

        :raises IllegalMoveError: if it is not legal here; the state stays as it was.
        :raises InvalidMoveError: if the int packs no move.
        """
        self.play_unchecked(self._check_legal(move))

    def play_unchecked(self, move: int, /) -> None:
        """Play a move that is known to be legal. Any other move leaves a state that means nothing, and may crash."""
        move = Move(move)
        self._moves.append((move, self._board))
        self._board = self._board.after(move)

    def play_index(self, index: int, /) -> None:
        """Play the legal move number ``index``, as listed by :meth:`legal_moves`.

        :raises MoveIndexError: if there is no such move; the state stays as it was.
        """
        moves = self.legal_moves()
        if not 0 <= check_int(index, "index") < len(moves):
            if not moves:
                raise MoveIndexError(f"the deal is over: no move {index} in '{self}'")
            raise MoveIndexError(f"no legal move {index} in '{self}': 0..{len(moves) - 1}")
        self.play_unchecked(moves[index])

    def random_move(self, rng: Rng, /) -> int:
        """Return a random legal move that plays a card, as a packed int, each equally likely (bias below 2**-32).

        :raises IllegalMoveError: after the last card.
        """
        if not isinstance(rng, Rng):
            raise TypeError(f"rng must be an Rng of the same engine, not {type(rng).__name__}: {rng!r}")
        moves = self._board.card_moves()
        if not moves:
            raise IllegalMoveError(f"the deal is over: no move in '{self}'")
        return int(moves[rng.below(len(moves))])

    def undo(self) -> int:
        """Take back the last move and return it as a packed int.

        :raises NothingToUndoError: if no move was played on this object.
        """
        if not self._moves:
            raise NothingToUndoError(f"nothing to undo in '{self}'")
        move, self._board = self._moves.pop()
        return int(move)

    # Copies.

    def clone(self) -> State:
        """Return a copy of the position, without the moves to undo."""
        copy = type(self).__new__(type(self))
        self.copy_into(copy)
        return copy

    def copy_into(self, other: State) -> None:
        """Make another state of any rules a copy of this one, without the moves to undo."""
        if not isinstance(other, State):
            raise TypeError(f"other must be a State of the same engine, not {type(other).__name__}: {other!r}")
        other._become(self._board, self._voids)

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unpickle, (type(self), str(self), self._voids))

    def __eq__(self, other: object) -> bool:
        return self._board == other._board if isinstance(other, State) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return format_position(self._board.position())

    def __repr__(self) -> str:
        return f"State.from_text({str(self)!r})"

    # The end.

    def score(self) -> Score:
        """Return the score of the finished deal (rules.md section 8).

        :raises DealNotOverError: before the last card (MAT-4).
        """
        if not self.is_terminal():
            raise DealNotOverError(f"the deal is not over (MAT-4): {self.plays_left} cards to play in '{self}'")
        board = self._board
        return score_piles(board.rules, [mask_of(pile) for pile in board.piles], board.scope, board.bonus, mask_of(board.table))

    def perft(self, depth: int, *, declarations: bool = False) -> int:
        """Return the number of move sequences of a length; declarations are no moves unless asked for.

        :raises ValueError: if depth is negative.
        """
        check_range(depth, "depth", 0, 2**31)
        return self._board.perft(depth, declarations)

    def perft_divide(self, depth: int, *, declarations: bool = False) -> dict[Move, int]:
        """Return :meth:`perft` of each legal move, for a depth of at least 1.

        :raises ValueError: if depth is not positive.
        """
        check_range(depth, "depth", 1, 2**31)
        board = self._board
        return {move: board.after(move).perft(depth - 1, declarations) for move in board.moves(declarations)}


def _unpickle(state_class: type[State], text: str, voids: int) -> State:
    """Return a pickled state."""
    state = state_class.from_text(text)
    state._voids = voids
    return state
