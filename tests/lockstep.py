"""Plays one deal on both engines at once and compares all that can be seen of it after every play.

The reference is the oracle; a difference raises :class:`DifferenceError`, whose one line can be pasted:
``State.from_text('...').play(parse_move('...'))`` and what differed then.
"""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import scopa_fast as native
from scopa_fast import Move, Position, Rules, reference
from scopa_fast.cards import MATTA, cards_of
from scopa_fast.position import check_position

__all__ = ["STYLES", "DifferenceError", "play_deal"]

Chooser = Callable[[Random, list[Move]], Move]


class DifferenceError(AssertionError):
    """Where the engines part ways."""


def _any_move(rng: Random, moves: list[Move]) -> Move:
    return rng.choice(moves)


def _lay(rng: Random, moves: list[Move]) -> Move:
    """Lay whenever possible: tables grow, and some deals end with nothing captured (END-3)."""
    return rng.choice([move for move in moves if move.kind in ("lay", "declare")] or moves)


def _take(rng: Random, moves: list[Move]) -> Move:
    """Take the most cards: tables are swept."""
    return max(moves, key=lambda move: (move.is_declaration, move.captured_mask.bit_count(), rng.random()))


def _declare(rng: Random, moves: list[Move]) -> Move:
    """Declare whenever possible, and like to use the aces' ways of their own."""
    return rng.choice([move for move in moves if move.kind in ("declare", "to_pile")] or moves)


STYLES: tuple[Chooser, ...] = (_any_move, _any_move, _any_move, _take, _declare, _any_move, _any_move, _take, _declare, _lay)
"""Ways of choosing a move, each of which leads where the others seldom go, as often as they are worth the time."""


def play_deal(start: Rules | Position, seed: int, style: Chooser, tally: Counter[str]) -> None:
    """Play one deal to its end on both engines and compare them after every play.

    :param start: rules, for the deal of the seed, or a position to go on from.
    :param tally: counts the plays, and the rare things that happened.
    """
    rng = Random(seed)
    if isinstance(start, Rules):
        dealer = rng.randrange(start.seats)
        state, oracle = native.State(start, seed, dealer=dealer), reference.State(start, seed, dealer=dealer)
        tally["void deals"] += state.voids
        tally["dealers moved by void deals"] += state.dealer != dealer
        tally["table bonuses"] += any(state.scope)
    else:
        state, oracle = native.State.from_position(start), reference.State.from_position(start)
    pair = _Pair(state, oracle, rng, tally)
    while True:
        moves = pair.compare()
        if not moves:
            break
        if oracle.rules.first_ace_ban and oracle.plays_left == oracle.rules.plays:
            playable = {move.card for move in moves if not move.is_declaration}
            tally["ace bans"] += len(playable) < len(oracle.hand(oracle.seat))
        pair.play(style(rng, moves))
    pair.compare_end()


class _Pair:
    """The same position on both engines."""

    def __init__(self, state: native.State, oracle: reference.State, rng: Random, tally: Counter[str]) -> None:
        self.state, self.oracle, self.rng, self.tally = state, oracle, rng, tally
        self.start = oracle.position()
        self.before = self.start
        self.move: Move | None = None
        self.played: list[tuple[Move, Position]] = []
        self.moves: list[Move] = []

    def check(self, what: str, got: object, expected: object, *about: object) -> None:
        """Refuse anything that is not as the reference has it; ``about`` says what ``what`` is about."""
        if got == expected and type(got) is type(expected):
            return
        what = " ".join((what, *map(str, about)))
        at = f"State.from_text({str(self.before)!r})"
        if self.move is not None:
            at += f".play(parse_move({str(self.move)!r}, {self.before.rules.deck!r}))"
        raise DifferenceError(f"{at}: {what}: native {got!r}, reference {expected!r}")

    def compare(self) -> list[Move]:
        """Compare the engines where they stand and return the legal moves."""
        state, oracle, check = self.state, self.oracle, self.check
        position = oracle.position()
        check("position", state.position(), position)
        check("key", state.key, position.key)
        check("voids", state.voids, oracle.voids)
        self.moves = oracle.legal_moves()
        ints = [int(move) for move in self.moves]
        check("legal moves", state.legal_move_ints(), ints)
        check("move count", state.move_count(), len(ints))
        check("terminal", state.is_terminal(), not ints)
        cards = [move for move in self.moves if not move.is_declaration]
        check("card move count", state.card_move_count(), len(cards))
        self._compare_legality(set(ints), position)
        self._compare_captures(cards, position)
        # Whatever is slow on the reference is compared at every few plays.
        turn = self.rng.randrange(24)
        if turn == 0:
            self._compare_values(position)
        elif turn == 1:
            self._compare_text(position)
        elif turn == 2:
            self._compare_copies(position)
        elif turn == 3:
            args = (position.rules, position.piles, position.scope, position.bonus, position.table)
            check("score of the piles", native.score_piles(*args), reference.score_piles(*args))
        elif turn == 4:
            self._compare_doors(ints)
        elif turn == 5:
            check_position(position)
        return self.moves

    def play(self, move: Move) -> None:
        """Play a move on both, by any of the native doors."""
        state, index = self.state, self.moves.index(move)
        before = self.oracle.position()
        self.tally["plays"] += not move.is_declaration
        self._count(move, before)
        self.before, self.move = before, move
        how = self.rng.randrange(4)
        if how == 0:
            state.play_index(index)
        elif how == 1:
            state.play_unchecked(move)
        else:
            state.play(move if how == 2 else int(move))
        self.check("undo", state.undo(), int(move))
        self.check("position after undo", state.position(), before)
        state.play(move)
        self.oracle.play_unchecked(move)
        self.played.append((move, before))

    def compare_end(self) -> None:
        """Compare the scores of the finished deal, then undo it all on both."""
        state, oracle = self.state, self.oracle
        score = oracle.score()
        self.check("score", state.score(), score)
        self.check("explanation", state.score().explain(), score.explain())
        self.tally["deals"] += 1
        self.tally["unclaimed cards (END-3)"] += bool(score.unclaimed)
        self.tally["cappotti (PT-13)"] += score.cappotto is not None
        self.tally["wiped sides (PT-14)"] += bool(score.wiped)
        for move, before in reversed(self.played):
            self.before, self.move = before, move
            self.check("undo at the end", state.undo(), int(move))
            self.check("position after undo at the end", state.position(), before)
        self.check("undo on the reference", [oracle.undo() for _ in self.played], [int(move) for move, _ in reversed(self.played)])
        self.check("the start", oracle.position(), self.start)

    # What is compared.

    def _compare_legality(self, legal: set[int], position: Position) -> None:
        rng, deck_bit = self.rng, (position.rules.deck == "fr52") << 60
        tries = list(legal) if len(legal) < 40 else rng.sample(sorted(legal), 40)
        table = position.table
        others = 0
        for seat, hand in enumerate(position.hands):
            others |= hand if seat != position.seat else 0
        for card in cards_of(others):
            stem = card << 52 | deck_bit
            tries += [stem, stem | table & rng.getrandbits(52)]
        for card in cards_of(position.hands[position.seat]):
            stem = card << 52 | deck_bit
            tries += [stem, stem | 1 << 58, stem | table, stem | table & rng.getrandbits(52), stem | 1 << rng.randrange(52), stem ^ 1 << 60]
        for move in rng.sample(sorted(legal), min(2, len(legal))):
            bit, other = rng.randrange(61), rng.randrange(61)
            tries += [move ^ 1 << bit, move ^ 1 << bit ^ 1 << other, move + (1 << 61), move - (1 << 63)]
        declared = ((3, 0), (10, rng.randrange(11)), (rng.choice([0, 3, 10, 13]), rng.randrange(64)))
        tries += [points | rank << 52 | 2 << 58 for points, rank in declared]
        tries += [rng.getrandbits(61), rng.getrandbits(64), -1, 1 << 100]
        is_legal = self.state.is_legal
        for move in tries:
            if is_legal(move) != (move in legal):
                self.check("is_legal", is_legal(move), move in legal, move)
        if rng.randrange(8) == 0:
            move = rng.choice(tries)
            self.check("is_legal", self.state.is_legal(move), self.oracle.is_legal(move), move)

    def _compare_captures(self, moves: list[Move], position: Position) -> None:
        """Captures and scope are those of the listed moves."""
        taken: dict[int, list[int]] = {card: [] for card in cards_of(position.hands[position.seat])}
        for move in moves:
            if move.captured_mask:
                taken[move.card].append(move.captured_mask)
        for card, masks in taken.items():
            self.check("captures of card", self.state.capture_masks(card), masks, card)
            if self.rng.randrange(16) == 0:
                self.check("reference captures of card", self.oracle.capture_masks(card), masks, card)
                self.check("capture sets of card", self.state.captures(card), self.oracle.captures(card), card)
        for move in self.moves:
            if move.captured_mask == position.table != 0:
                scopa = self.oracle.is_scopa(move)
                self.check("is_scopa of", self.state.is_scopa(move), scopa, move)
                self.tally["legal scope"] += scopa
        if self.moves and self.rng.randrange(8) == 0:
            move = self.rng.choice(self.moves)
            self.check("is_scopa of", self.state.is_scopa(move), self.oracle.is_scopa(move), move)

    def _compare_values(self, position: Position) -> None:
        rules = position.rules
        for name in (
            "rules", "seat", "side", "dealer", "voids", "table", "table_mask", "scope", "bonus", "stock", "stock_size",
            "plays_left", "last_capturer", "matta", "exposed", "key",
        ):  # fmt: skip
            self.check(name, getattr(self.state, name), getattr(self.oracle, name))
        for method in ("hand", "hand_mask", "pile", "pile_mask"):
            for place in range(rules.seats if method.startswith("hand") else len(rules.sides)):
                self.check(method, getattr(self.state, method)(place), getattr(self.oracle, method)(place), place)
        seat = self.rng.randrange(rules.seats)
        self.check("view of seat", str(self.state.view(seat)), str(self.oracle.view(seat)), seat)
        self.check("legal moves", self.state.legal_moves(), self.moves)
        self.check("perft(1)", self.state.perft(1), self.oracle.perft(1))

    def _compare_text(self, position: Position) -> None:
        text = str(position)
        self.check("text", str(self.state), text)
        self.check("repr", repr(self.state), repr(self.oracle))
        again = native.State.from_text(text)
        self.check("text round trip", again.position(), position)
        self.check("equality after the text", again == self.state, True)
        self.check("key after the text", again.key, self.state.key)
        self.check("reference text round trip", reference.State.from_text(text) == self.oracle, True)

    def _compare_copies(self, position: Position) -> None:
        state = self.state
        target = native.State("scopa_8", 1)
        target.play_index(0)
        state.copy_into(target)
        copies: list[Any] = [state.clone(), target, copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
        for made in copies:
            self.check("a copy", made.position(), position)
            self.check("equality of a copy", made == state, True)
            self.check("voids of a copy", made.voids, state.voids)
        made = self.rng.choice(copies)
        if self.moves:
            made.play(self.rng.choice(self.moves))
            self.check("equality after a play on a copy", made == state, False)
            self.check("the position after a play on a copy", state.position(), position)
        self.check("reference pickle", pickle.loads(pickle.dumps(self.oracle)) == self.oracle, True)
        self.check("reference clone", self.oracle.clone() == self.oracle, True)

    def _compare_doors(self, ints: list[int]) -> None:
        """Refusals have the same text on both and change nothing; random moves are legal card moves."""
        rng, state, oracle = self.rng, self.state, self.oracle
        card = rng.randrange(oracle.rules.cards)
        move = card << 52 | (oracle.rules.deck == "fr52") << 60
        refused = [("play", move ^ 1 << rng.randrange(61)), ("play_index", len(ints)), ("is_scopa", move), ("capture_masks", card)]
        for arguments in rng.sample(refused, 2):
            self.check("the outcome of", _outcome(state.clone(), *arguments), _outcome(oracle.clone(), *arguments), *arguments)
        if ints:
            random_move = state.random_move(native.Rng(rng.getrandbits(64)))
            self.check("random move is legal", random_move in ints and not Move(random_move).is_declaration, True, random_move)
            index = rng.randrange(len(ints))
            by_index = state.clone()
            by_index.play_index(index)
            self.check("play_index", by_index.undo(), ints[index], index)

    def _count(self, move: Move, position: Position) -> None:
        """Count the rare things that a test wants to have seen."""
        tally, rules = self.tally, position.rules
        tally["declarations"] += move.is_declaration
        tally["declared 7Cs (CIR-5)"] += move.matta is not None
        tally["aces to the pile (ACE-4)"] += move.kind == "to_pile"
        if position.matta is not None and not move.is_declaration:
            tally["plays beside a declared 7C (CIR-6)"] += 1
            tally["captures of a declared 7C (CIR-6)"] += bool(move.captured_mask >> MATTA & 1)
            tally["captures by a declared 7C (CIR-6)"] += move.card == MATTA and move.captured_mask != 0
        if move.captured_mask and rules.ace_sweep and move.card < 4 and move.captured_mask == position.table:
            tally["ace sweeps (ACE-1)"] += move.captured_mask.bit_count() > 1
        tally["tables of 16 and more"] += position.table.bit_count() >= 16
        tally["turns of more than 128 moves"] += len(self.moves) > 128
        tally["last plays that sweep (SCO-2, SCO-3)"] += move.captured_mask == position.table != 0 and self.state.plays_left == 1


def _outcome(state: Any, method: str, argument: int) -> object:
    """What a call answers or raises, and the state after it."""
    try:
        answer = getattr(state, method)(argument)
    except (ValueError, TypeError, IndexError) as error:
        answer = (type(error).__name__, str(error))
    return answer, repr(state)
