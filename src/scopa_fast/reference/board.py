"""What lies where in a deal, and what a turn makes of it: sections 4, 6 and 7 of the rules, and declarations.

A :class:`Board` is an immutable value; a move makes a new one. :class:`~scopa_fast.reference.State` is the door to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ..cards import MATTA, CardSet, mask_of
from ..moves import Move
from ..position import Position, packets_of
from ..results import Deal
from ..rules import Rules
from .captures import ACE, Cards, Outcomes, card_value, find_outcomes, scopa_points
from .declarations import find_declarations

__all__ = ["Board"]

Value = TypeVar("Value")


@dataclass(frozen=True)
class Board:
    """A position of a deal as sets of cards; the fields are those of :class:`Position`."""

    rules: Rules
    hands: tuple[Cards, ...]
    table: Cards
    piles: tuple[Cards, ...]
    stock: tuple[int, ...]
    scope: tuple[int, ...]
    bonus: tuple[int, ...]
    last_capturer: int | None
    seat: int
    dealer: int
    matta: int | None
    exposed: tuple[int, ...]

    @classmethod
    def of_deal(cls, rules: Rules, dealt: Deal, dealer: int) -> Board:
        """Return the first board of a deal that is not void, after any table bonus."""
        sides = range(len(rules.sides))
        turn_order = [(dealer + 1 + place) % rules.seats for place in range(rules.seats)]
        board = cls(
            rules=rules,
            hands=tuple(frozenset(hand) for hand in dealt.hands),
            table=frozenset(dealt.table),
            piles=tuple(frozenset() for _ in sides),
            stock=tuple(card for hands in dealt.later for seat in turn_order for card in hands[seat]),
            scope=tuple(0 for _ in sides),
            bonus=tuple(0 for _ in sides),
            last_capturer=None,
            seat=dealt.first,
            dealer=dealer,
            matta=None,
            exposed=(),
        )
        # CIR-7, ESC-1: the dealer's side takes the table, which counts as a capture (END-5).
        return board.with_capture(rules.side_of[dealer], board.table, dealt.table_bonus) if dealt.table_bonus else board

    @classmethod
    def of_position(cls, position: Position) -> Board:
        """Return the board of a position whose cards are all known."""
        rules = position.rules

        def cards(mask: int) -> Cards:
            return frozenset(CardSet(mask, rules.deck))

        return cls(
            rules=rules,
            hands=tuple(cards(hand) for hand in position.hands),
            table=cards(position.table),
            piles=tuple(cards(pile) for pile in position.piles),
            stock=tuple(card for packet in packets_of(rules, position.stock) for card in CardSet(packet, rules.deck)),
            scope=position.scope,
            bonus=position.bonus,
            last_capturer=position.last_capturer,
            seat=position.seat,
            dealer=position.dealer,
            matta=position.matta,
            exposed=tuple(sorted(position.exposed)),
        )

    def position(self) -> Position:
        """Return the board as a position."""
        return Position(
            rules=self.rules,
            hands=tuple(mask_of(hand) for hand in self.hands),
            table=mask_of(self.table),
            piles=tuple(mask_of(pile) for pile in self.piles),
            stock=self.stock,
            scope=self.scope,
            bonus=self.bonus,
            last_capturer=self.last_capturer,
            seat=self.seat,
            dealer=self.dealer,
            matta=self.matta,
            exposed=self.exposed,
        )

    @property
    def hand(self) -> Cards:
        """The hand of the seat to move."""
        return self.hands[self.seat]

    @property
    def side(self) -> int:
        """The side of the seat to move."""
        return self.rules.side_of[self.seat]

    @property
    def plays_left(self) -> int:
        """Cards still to be played."""
        return sum(len(hand) for hand in self.hands) + len(self.stock)

    # What the seat to move may do.

    def is_banned(self, card: int) -> bool:
        """Whether a card of the hand is an ace that may not open the deal (ACE-7)."""
        if not self.rules.first_ace_ban or self.plays_left < self.rules.plays or card_value(card, self.matta) != ACE:
            return False
        return any(card_value(other, self.matta) != ACE for other in self.hand)

    def outcomes(self, card: int) -> Outcomes:
        """Return all that may become of a card of the hand."""
        return find_outcomes(self.rules, card, self.table, self.matta, banned=self.is_banned(card))

    def moves_of(self, card: int) -> list[Move]:
        """Return the legal moves of a card of the hand in canonical order (DECK-8)."""
        deck, found = self.rules.deck, self.outcomes(card)
        moves = [Move.capture(card, mask_of(taken), deck) for taken in found.takes]
        if found.lay:
            moves.append(Move.lay(card, deck))
        if found.to_pile:
            moves.append(Move.to_pile(card, deck))
        return moves

    def card_moves(self) -> list[Move]:
        """Return the legal moves that play a card, in canonical order (DECK-8)."""
        return [move for card in sorted(self.hand) for move in self.moves_of(card)]

    def declarations(self) -> list[Move]:
        """Return the legal declarations: of a whole hand, once, before its first card (CIR-4)."""
        return [] if self.seat in self.exposed else find_declarations(self.rules, self.hand)

    def moves(self, declarations: bool) -> list[Move]:
        """Return the legal moves in canonical order, the declarations only if asked for."""
        return (self.declarations() if declarations else []) + self.card_moves()

    def scopa_points(self, move: Move) -> int:
        """Return the scopa points of a legal move, 0 if it is no scopa (section 6)."""
        if move.kind != "capture":
            return 0
        last_play = self.plays_left == 1
        return scopa_points(self.rules, move.card, frozenset(move.captured), self.table, self.matta, last_play=last_play)

    # What becomes of the board.

    def after(self, move: Move) -> Board:
        """Return the board after a legal move, with the next round dealt or the deal ended as needed."""
        side = self.side
        if move.is_declaration:  # CIR-4: the hand is exposed, and the same seat plays on
            return replace(
                self,
                bonus=_with(self.bonus, side, self.bonus[side] + move.points),
                exposed=tuple(sorted((*self.exposed, self.seat))),
                matta=self.matta if move.matta is None else move.matta,
            )
        card = frozenset({move.card})
        board = replace(self, hands=_with(self.hands, self.seat, self.hand - card), seat=(self.seat + 1) % self.rules.seats)  # PLAY-5
        if move.kind == "capture":
            board = board.with_capture(side, frozenset(move.captured), self.scopa_points(move)).with_won(side, card)  # PLAY-3
        elif move.kind == "to_pile":
            board = board.with_won(side, card)  # ACE-4: no capture
        else:
            board = replace(board, table=board.table | card)  # PLAY-4
        return board if any(board.hands) else board.with_round_ended()

    def with_won(self, side: int, cards: Cards) -> Board:
        """Return the board with more cards on a side's pile; there the 7C is only a 7 again (CIR-6)."""
        return replace(
            self,
            piles=_with(self.piles, side, self.piles[side] | cards),
            matta=None if MATTA in cards else self.matta,
        )

    def with_capture(self, side: int, taken: Cards, scopa: int) -> Board:
        """Return the board with table cards captured by a side."""
        return replace(
            self.with_won(side, taken),
            table=self.table - taken,
            scope=_with(self.scope, side, self.scope[side] + scopa),
            last_capturer=side,
        )

    def with_round_ended(self) -> Board:
        """Return the board with the next round dealt (DEAL-2), or the table cleared after the last one (END-1 to END-4)."""
        if self.stock:
            size, seats = self.rules.hand, self.rules.seats
            hands = self.hands
            for place in range(seats):
                packet = self.stock[place * size : (place + 1) * size]
                hands = _with(hands, (self.dealer + 1 + place) % seats, frozenset(packet))
            return replace(self, hands=hands, stock=self.stock[seats * size :], exposed=())
        board = replace(self, exposed=())
        if self.last_capturer is None:  # END-3
            return board
        return replace(board.with_won(self.last_capturer, self.table), table=frozenset())

    def perft(self, depth: int, declarations: bool) -> int:
        """Return the number of move sequences of a length."""
        if depth == 0:
            return 1
        moves = self.moves(declarations)
        return len(moves) if depth == 1 else sum(self.after(move).perft(depth - 1, declarations) for move in moves)


def _with(values: Sequence[Value], place: int, value: Value) -> tuple[Value, ...]:
    """Return the values with another one in a place."""
    return (*values[:place], value, *values[place + 1 :])
