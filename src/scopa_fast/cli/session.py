"""A match of a person against bots at one terminal: what is asked, and what is shown."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from ..bots import Bot, explain, for_match
from ..bots.base import FAULTS, ask, blame, table_after
from ..bots.probabilities import AfterMove
from ..cards import MATTA, mask_of, suit_of
from ..core import Match, Record, Rng, SeatView, State, deal, shuffled_deck
from ..errors import IllegalMoveError, InvalidMoveError, ScopaError
from ..moves import Move
from ..results import ITEMS, NewDeal, Score
from ..searches import SearchResult
from ..sim.deals import PLAYER_STREAM
from .card_names import CardNames
from .common import BAD_DATA, Failure, emit, emit_tables, is_terminal, quoted

__all__ = ["Player", "Session", "write_record"]

HINT_STREAM = 1 << 34
"""The hint after ``n`` moves has the stream ``HINT_STREAM + n`` below the deal's own, so that asking changes no player's move."""


STANDING_ITEMS = ("carte", "denari", "settebello", "primiera")
"""Items that are always on the score sheet, whether somebody won them or not."""

HELP = (
    "4         the move with that number",
    "{move:9} a move as it is listed; a card alone will do if it has one move",
    "?, hint   what there is to say for and against each move; ? 4 for one of them",
    "cards     what was won, and what was not seen yet",
    "table     the position once more",
    "undo      take back your last turn",
    "resign    give the match up",
    "quit      end the match here",
)


@dataclass(frozen=True)
class Player:
    """A bot and the text that it was asked for by."""

    text: str
    bot: Bot

    @property
    def cheats(self) -> bool:
        """Whether it sees all cards."""
        return bool(getattr(self.bot, "cheats", False))


def write_record(path: Path, text: str, mode: str) -> None:
    """Write to the file of records. It is opened for each deal, so that what was played is there come what may."""
    try:
        with path.open(mode, encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise Failure(f"cannot write --record {quoted(str(path))}: {error.strerror}") from None


class _Ended(Exception):  # noqa: N818  # it is no error
    """The person gives up, or there is no more input."""


@dataclass(frozen=True)
class _Turn:
    """Where an own turn began: what taking it back returns to."""

    moves: int
    """Moves of the deal before it."""
    streams: dict[int, int]
    """The generators of the bots: after the same moves they answer as before."""


class Session:
    """A match at one terminal. What it prints of a deal comes from the view of the person's seat and from moves that all have seen."""

    def __init__(
        self, match: Match, seat: int, players: dict[int, Player], seed: int, deals: int | None, names: CardNames, adviser: Player, *,
        always_hint: bool, strict: bool, record: Path | None,
    ) -> None:
        self.match, self.rules, self.seat, self.players, self.seed, self.deals = match, match.rules, seat, players, seed, deals
        self.names, self.adviser, self.always_hint, self.strict, self.record = names, adviser, always_hint, strict, record
        self.on_terminal = is_terminal(sys.stdin) and is_terminal(sys.stdout)
        if self.on_terminal:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401  # input() then edits lines and remembers them

    # Who is who.

    def who(self, seat: int) -> str:
        """Return who sits at a seat."""
        if seat == self.seat:
            return "you"
        partner = ", partner" if self.rules.side_of[seat] == self.rules.side_of[self.seat] else ""
        return f"seat {seat} ({self.players[seat].text}{partner})"

    def does(self, seat: int, verb: str) -> str:
        """Return that a seat does something."""
        return f"you {verb}" if seat == self.seat else f"{self.who(seat)} {verb}s"

    def side_name(self, side: int) -> str:
        """Return who plays on a side."""
        seats = self.rules.sides[side]
        if self.seat in seats:
            return " and ".join(["you", *[f"seat {seat}" for seat in seats if seat != self.seat]])
        return self.who(seats[0]) if len(seats) == 1 else f"seats {' and '.join(map(str, seats))}"

    def standing(self) -> str:
        """Return how the match stands."""
        scores = ", ".join(f"{score} for {self.side_name(side)}" for side, score in enumerate(self.match.scores))
        return f"Match after {_count(self.match.deals_played, 'deal')}: {scores}."

    # The match.

    def play(self) -> None:
        """Play to the end of the match, to the last deal that is wanted, or until the person gives up."""
        rules = self.rules
        goal = f"a match of {rules.match_deals} deals" if rules.match_deals else f"to {_count(rules.target, 'point')}"
        emit(f"{rules.text}, {goal}, seed {self.seed}. You are seat {self.seat} of {rules.seats}.")
        for seat in sorted(self.players):
            emit(f"{self.who(seat)}" + (" sees all cards" if self.players[seat].cheats else ""))
        try:
            while not self.match.over and (self.deals is None or self.match.deals_played < self.deals):
                self._play_deal()
        except _Ended as end:
            emit(f"{end} {self.standing()}")
            return
        if self.match.over:
            sides = self.match.winners
            verb = "win" if len(sides) > 1 or self.seat in rules.sides[sides[0]] or len(rules.sides[sides[0]]) > 1 else "wins"
            emit(f"The match is over: {' and '.join(map(self.side_name, sides))} {verb}.")

    def _play_deal(self) -> None:
        rules, index = self.rules, self.match.deals_played
        self.new = shuffled_deck(rules, self.seed, index, self.match.dealer)
        self.state = State.from_deck(rules, self.new.deck, self.new.dealer)
        self.root = Rng(self.seed).spawn(index)
        self.streams = {seat: self.root.spawn(PLAYER_STREAM + seat) for seat in self.players}
        self.moves: list[Move] = []
        self.turns: list[_Turn] = []
        self._announce(self.new, index)
        try:
            while not self.state.is_terminal():
                if self.state.seat == self.seat:
                    self._take_turn()
                else:
                    self._make(self._ask_bot(self.state.seat))
        finally:
            self._keep()
        self.match.add(self.state)
        self._show_score(self.state.score())

    def _keep(self) -> None:
        """Write the record of the deal, as far as it has gone."""
        if self.record is None or not self.moves:
            return
        players = ["you" if seat == self.seat else self.players[seat].text for seat in range(self.rules.seats)]
        record = Record(
            self.rules, self.new.deck, self.new.dealer, self.moves, seed=self.seed, index=self.match.deals_played, players=players,
            scores_before=self.match.scores,
        )
        write_record(self.record, record.to_json() + "\n", "a")

    def _announce(self, new: NewDeal, index: int) -> None:
        dealt = deal(self.rules, new.deck, new.dealer)
        voids = f", after {_count(new.voids, 'void deal')}" if new.voids else ""
        emit(f"\nDeal {index + 1}{voids}: {self.does(new.dealer, 'deal')}, {self.does(dealt.first, 'lead')}.")
        if dealt.table_bonus:
            gain = _count(dealt.table_bonus, "point")
            emit(f"{self.names.cards(dealt.table.mask)} are turned up: {self.does(new.dealer, 'take')} them for {gain}.")

    def _ask_bot(self, seat: int) -> Move:
        player = self.players[seat]
        try:
            move = Move(ask(for_match(player.bot, self.match.scores), self.state, self.streams[seat]))
            if move not in self.state.legal_moves():
                raise IllegalMoveError(f"illegal move '{move}'")
        except FAULTS as error:
            who = f"the bot {player.text!r} in seat {seat} of deal {self.match.deals_played + 1}"
            raise Failure(blame(who, error), BAD_DATA) from error
        return move

    def _make(self, move: Move) -> None:
        """Play a legal move and tell all that was to be seen of it."""
        before, seat = self.state.view(self.seat), self.state.seat
        side = self.rules.side_of[seat]
        self.state.play(move)
        self.moves.append(move)
        after = self.state.view(self.seat)
        names = self.names
        if move.is_declaration:
            wild = f", {names.card(MATTA)} as {names.rank(move.matta)}" if move.matta else ""
            hand = names.cards(after.known_hand_mask(seat))
            emit(f"{self.does(seat, 'declare')} {names.move(move)} and {'show' if seat == self.seat else 'shows'} {hand}{wild}.")
            return
        done = f"it takes {names.cards(move.captured_mask)}" if move.captured_mask else "it stays on the table"
        if move.kind == "to_pile":
            done = "it goes to the pile"  # ACE-4
        points = after.scope[side] - before.scope[side]
        scopa = f". SCOPA, {_count(points, 'point')}!" if points else "."
        line = Text(f"{self.does(seat, 'play')} {names.move(move)}: {done}{scopa}")
        line.highlight_words(["SCOPA"], "bold")
        emit_tables(line)
        left = table_after(before.table_mask, move)
        if self.state.is_terminal() and left:
            # END-2, END-3
            owner = after.last_capturer
            where = "stay unclaimed" if owner is None else f"go to the last capturer: {self.side_name(owner)}"
            emit(f"{names.cards(left)}, left on the table, {where}.")
        elif after.stock_size < before.stock_size:
            emit("New hands are dealt.")

    # The person's turn.

    def _take_turn(self) -> None:
        """Ask until the person has played a card; a declaration may come before it."""
        # Only the last turn can be taken back, so that two are enough.
        self.turns = [*self.turns[-1:], _Turn(len(self.moves), {seat: stream.state for seat, stream in self.streams.items()})]
        while not self.state.is_terminal() and self.state.seat == self.seat:
            view = self.state.view(self.seat)
            self._show_position(view)
            move = self._ask(view)
            if move is not None:
                self._make(move)

    def _ask(self, view: SeatView) -> Move | None:
        """Return the move the person wants to make, or None once a turn was taken back."""
        moves = view.legal_moves()
        count = f"1-{len(moves)}" if len(moves) > 1 else "1"
        while True:
            text = self._read_line(f"Your move ({count}, ? or help):").strip()
            command, _, rest = (f"hint {text[1:]}" if text.startswith("?") else text).lower().partition(" ")
            rest = rest.strip()
            try:
                if command == "hint":
                    self._show_hint(view, moves, self._find_move(rest, moves) if rest else None)
                elif rest and command in _COMMANDS:
                    raise InvalidMoveError(f"{quoted(rest)} is too much: write {command} alone")
                elif command in ("help", "h"):
                    emit("\n".join(HELP).format(move=self.names.move(moves[-1])))
                elif command == "cards":
                    self._show_cards(view)
                elif command == "table":
                    self._show_position(view)
                elif command == "undo":
                    self._undo()
                    return None
                elif command in ("quit", "exit"):
                    raise _Ended("You quit.")
                elif command == "resign":
                    rivals = [side for side in range(len(self.rules.sides)) if side != view.side]
                    raise _Ended(f"You resign: {self.side_name(rivals[0])} won." if len(rivals) == 1 else "You resign.")
                else:
                    return self._find_move(text, moves)
            except ScopaError as error:
                emit(f"{error}")

    def _read_line(self, prompt: str) -> str:
        """Return a line of input without its end.

        :raises _Ended: if there is none.
        """
        if self.on_terminal:
            with contextlib.suppress(EOFError):
                return input(f"{prompt} ")
            emit("")
        else:
            emit(prompt)
            line = "" if sys.stdin is None or sys.stdin.closed else sys.stdin.readline()
            if line:
                return line.removesuffix("\n")
        raise _Ended("The input has ended.")

    def _find_move(self, text: str, moves: Sequence[Move]) -> Move:
        """Return the legal move of a number, a move's text, or a card that has one move.

        :raises ScopaError: if it is none of them.
        """
        listed = f"a number from 1 to {len(moves)}" if len(moves) > 1 else "1"
        if not text:
            raise InvalidMoveError(f"no move: write {listed}, a move, or help")
        if text.isascii() and text.isdigit():
            number = int(text) if len(text) < 10 else 0
            if not 1 <= number <= len(moves):
                raise InvalidMoveError(f"no move {quoted(text)}: write {listed}")
            return moves[number - 1]
        wanted = self.names.parse(text)
        if wanted in moves:
            return wanted
        name = self.names.move(wanted)
        if wanted.kind != "lay":
            raise IllegalMoveError(f"illegal move {name}: write {listed}, a move, or help")
        of_card = [move for move in moves if not move.is_declaration and move.card == wanted.card]
        if len(of_card) == 1:
            return of_card[0]
        if of_card:
            choices = ", ".join(f"{moves.index(move) + 1} for {self.names.move(move)}" for move in of_card)
            raise IllegalMoveError(f"{name} has {len(of_card)} moves: write {choices}")
        raise IllegalMoveError(f"{name} is not in your hand, or may not be played now")

    def _undo(self) -> None:
        """Go back to the beginning of the own turn if a hand was declared in it, otherwise to that of the turn before."""
        if self.strict:
            raise IllegalMoveError("nothing is taken back with --strict")
        if len(self.moves) == self.turns[-1].moves:
            if len(self.turns) == 1:
                raise IllegalMoveError("you have no turn in this deal to take back, or took it back already")
            del self.turns[-1]
        turn = self.turns[-1]
        while len(self.moves) > turn.moves:
            self.state.undo()
            del self.moves[-1]
        self.streams = {seat: Rng(state) for seat, state in turn.streams.items()}
        emit("Taken back.")

    # What is shown.

    def _show_position(self, view: SeatView) -> None:
        rules, names = self.rules, self.names
        table = Table()
        for title in ("side", "player", "in hand", "won", "scopa", *(["declared"] if rules.hand_bonus else []), "match"):
            table.add_column(title, justify="left" if title in ("player", "in hand") else "right")
        for side, seats in enumerate(rules.sides):
            numbers = [len(view.pile(side)), view.scope[side], *([view.bonus[side]] if rules.hand_bonus else []), self.match.scores[side]]
            for seat in seats:
                known = view.known_hand_mask(seat) if seat != self.seat else 0  # CIR-4
                shown = f": {names.cards(known)}" if known else ""
                player = Text(self.who(seat) + (", dealer" if seat == view.dealer else ""), style="bold" if seat == self.seat else "")
                first = seat == seats[0]
                table.add_row(
                    str(side) if first else "", player, names.paint(f"{view.hand_size(seat)}{shown}"),
                    *[str(number) if first else "" for number in numbers],
                )  # fmt: skip
        matta = f" ({names.card(MATTA)} counts as {names.rank(view.matta)})" if view.matta else ""
        emit_tables(
            Text(), table, Text(f"{_count(view.plays_left, 'card')} to play, {view.stock_size} of them in the stock"),
            Text.assemble("table  ", names.paint(names.cards(view.table_mask)), matta),
            Text.assemble("hand   ", names.paint(names.cards(view.hand_mask))),
        )  # fmt: skip
        moves = view.legal_moves()
        if self.always_hint:
            self._show_hint(view, moves, None)
        else:
            emit_tables(*[self._move_line(view, number, move) for number, move in enumerate(moves, 1)])

    def _move_line(self, view: SeatView, number: int, move: Move, width: int = 0) -> Text:
        if move.is_declaration:
            note = f"  declares for {_count(move.points, 'point')}"
        else:
            points = AfterMove(view, move).scopa_points()
            note = f"  scopa, {_count(points, 'point')}" if points else ""
        return Text.assemble(f"{number:3}  ", self.names.paint(f"{self.names.move(move):{width}}"), (note, "bold"))

    def _show_hint(self, view: SeatView, moves: Sequence[Move], only: Move | None) -> None:
        """Show the advice for each move, or for one of them, with what the bot that gives hints found out."""
        opinion, found = self._consult(view)
        width = max(len(self.names.move(move)) for move in moves)
        lines = []
        for number, move in enumerate(moves, 1):
            if only not in (None, move):
                continue
            line = self._move_line(view, number, move, width)
            if found is not None:
                entry = next(entry for entry in found.moves if entry.move == move)
                line.append(f"  visits {entry.visits}, mean {entry.mean:+.3f}")
            lines += [line, *[Text(f"       {self.names.sentence(tag.text)}") for tag in explain(view, move)]]
        emit_tables(*lines, Text(opinion))

    def _consult(self, view: SeatView) -> tuple[str, SearchResult | None]:
        """Return what the bot that gives hints would play, as a sentence, and the search behind it if it has one."""
        bot: Any = for_match(self.adviser.bot, self.match.scores)
        rng = self.root.spawn(HINT_STREAM + len(self.moves))
        try:
            found = bot.search(view, rng) if hasattr(bot, "search") else None
            move = Move(bot.choose(view, rng) if found is None else found.move)
        except FAULTS as error:
            return str(blame(f"{self.adviser.text} gives no hint", error)), None
        opinion = f"{self.adviser.text} would play {self.names.move(move)}"
        if found is None:
            return f"{opinion}.", None
        return f"{opinion}, after {found.iterations} iterations in {found.worlds} worlds.", found

    def _show_cards(self, view: SeatView) -> None:
        names = self.names
        piles = [(f"won by {self.side_name(side)}", view.pile_mask(side)) for side in range(len(self.rules.sides))]
        lines = [Text.assemble(f"{title}: ", names.paint(names.cards(mask))) for title, mask in [*piles, ("table", view.table_mask)]]
        lines.append(Text(f"not seen, {len(view.unseen)} cards:"))
        for suit in range(4):
            mask = mask_of(card for card in view.unseen if suit_of(card) == suit)
            lines.append(Text.assemble("  ", names.paint(names.cards(mask))))
        emit_tables(*lines)

    def _show_score(self, score: Score) -> None:
        """Show the score sheet of a finished deal, and how the match stands."""
        sides = range(len(self.rules.sides))
        table = Table()
        table.add_column(f"deal {self.match.deals_played}")
        for side in sides:
            # Eight columns have no room for the names of bots.
            name = self.side_name(side)
            table.add_column(Text(name if len(sides) <= 4 else name.partition(" (")[0]), justify="right")
        for item in ITEMS:
            if any(score.points[item]) or (item in STANDING_ITEMS and not (item == "primiera" and self.rules.primiera == "none")):
                table.add_row(item, *[_points(score, item, side) for side in sides])
        table.add_section()
        table.add_row("total", *map(str, score.total))
        table.add_row("match", *map(str, self.match.scores), style="bold")
        lines = []
        if score.cappotto is not None:
            lines.append(f"All the coins in one deal decide the match: {self.side_name(score.cappotto)} (PT-13).")
        if score.wiped:
            lines.append(f"Match points wiped out: {', '.join(map(self.side_name, score.wiped))} (PT-14).")
        emit_tables(Text(), table, *map(Text, [*lines, self.standing()]))


_COMMANDS = ("help", "h", "cards", "table", "undo", "quit", "exit", "resign")


def _points(score: Score, item: str, side: int) -> str:
    """Return what an item of a side is judged by, if anything, and the points it won by it."""
    judged = ""
    if item in ("carte", "denari"):
        judged = str((score.cards if item == "carte" else score.coins)[side])
    elif item == "primiera" and score.rules.primiera == "rank_count":
        judged = " ".join(map(str, score.prime[side]))
    elif item == "primiera":
        suits, total = score.prime[side]
        judged = str(total) if suits in (0, 4) else f"{total} ({suits})"  # without a suit it is another kind of prime (PRI-3)
    points = score.points[item][side]
    return f"{judged} {f'{points:+}' if points else '':2}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)
