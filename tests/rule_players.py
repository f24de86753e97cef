"""The rule players once more, slow and obvious: what a score of :func:`scopa_fast.core.players.cs_scores` should be.

Written from the description of the players and docs/rules.md, over what a seat sees and the reference engine. Nothing is updated or
remembered: every quantity is counted again from the cards. Three habits of the words:

- A *rank* is the capture value a card has now: a declared 7C is of its declared rank (CIR-6), for what a hand or the table holds, what
  is broken and which cards are sevens. The *worth* of a card goes by its face.
- *Left* is the number of cards a seat will still play in this deal, those it has not been dealt included.
- A place counts from the first player: ``(seat - dealer - 1) % seats``. The *last hand* is the seat before the dealer, and the *third last*
  the one before that.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from math import inf
from typing import Any

from scopa_fast import reference
from scopa_fast.cards import COPPE, DENARI, MATTA, RE_BELLO, SETTEBELLO, cards_of, make_card, mask_of, rank_of, suit_of
from scopa_fast.moves import Move
from scopa_fast.results import Captures
from scopa_fast.rules import Rules

CONVENTIONS = (
    "partner_double", "echo_low", "opening_spariglio", "last_even", "forty_eight", "marginal", "ace_guard", "anchor", "eleven",
    "leave_doubles", "mulinello", "absent",
)  # fmt: skip
"""The names of the conventions."""

PRIME_PART = {1: 16, 2: 12, 3: 13, 4: 14, 5: 15, 6: 18, 7: 29}
"""What a card is worth for the primiera, by rank; the others 10. A seven is worth more than its 21."""
ITEM_CARD = 100
"""What a card is worth more that scores a point of its own: 7D is 29 + 10 + 100, and RD 10 + 10 + 100 with ``re_bello``."""
MOST_HIDDEN = 4
"""How many last cards may be hidden for `forty_eight` to try all ways they may lie; with more the ordinary score holds."""
OPENINGS = {15: ({3, 2}, {3, 1}, {5, 1}), 8: ({7, 1}, {7, 2}, {7, 3})}


def cs_scores(view: Any, *, sevens: bool = False, conventions: Iterable[str] = ()) -> list[float]:
    """Return the score of every legal move in order, greater is better.

    :param view: a SeatView of either engine, with the moves of the deal.
    :param sevens: whether the sevens module counts, too.
    :param conventions: any of :data:`CONVENTIONS`.
    """
    moves = view.legal_moves()
    # A hand is declared for the most points, whatever the 7C stands for, and before any card is played.
    most = max((move.points for move in moves), default=0)
    player = RulePlayer(view, sevens, set(conventions))
    return [(inf if move.points == most else -inf) if move.is_declaration else player.score(move) for move in moves]


@lru_cache(maxsize=100_000)
def outcomes(rules: Rules, card: int, table: int, matta: int | None, last_play: bool) -> Captures:
    """Return what a card may take on a table, and for how many points. The card and the table have no card in common."""
    return reference.captures(rules, card, cards_of(table), matta=matta, last_play=last_play)


def sweep_points(rules: Rules, card: int, table: int, matta: int | None, last_play: bool) -> int:
    """Return the points a card would score by taking the whole table; 0 if it cannot, or for nothing (SCO-2, ACE-3)."""
    found = outcomes(rules, card, table, matta, last_play)
    return sum(points for taken, points in zip(found.takes, found.scopa, strict=True) if taken.mask == table)


def some_sum(ranks: list[int], total: int) -> bool:
    """Whether two or more of the ranks add up to a total."""
    return any(sum(some) == total for size in range(2, len(ranks) + 1) for some in itertools.combinations(ranks, size))


class RulePlayer:
    """What a seat knows, one move of it at a time, and everything that is asked about that."""

    def __init__(self, view: Any, sevens: bool, switches: set[str]) -> None:
        self.view, self.sevens, self.switches = view, sevens, switches
        rules: Rules = view.rules
        self.rules = rules
        self.seat, self.side = view.seat, view.side
        self.next = (self.seat + 1) % rules.seats
        self.hand, self.table = set(view.hand), set(view.table)
        self.left = len(self.hand) + view.stock_size // rules.seats
        self.plays_after = view.plays_left - 1
        """Cards to be played after the move: the next one is the last if there is one."""
        # Cards that are not captured: hands, table and stock. No leftovers are given away here, not even after the last card (END-2).
        piles = {card for side in range(len(rules.sides)) for card in view.pile(side)}
        self.uncaptured = set(range(rules.cards)) - piles
        self.two_sides = len(rules.sides) == 2
        self.dealers = self.two_sides and rules.side_of[view.dealer] == self.side
        self.hands_side = self.two_sides and not self.dealers
        self.partners = [q for q in rules.sides[self.side] if q != self.seat]
        self.history = self.find_history()
        self.absent = {q: self.find_absent(q) if "absent" in switches else set() for q in range(rules.seats)}
        self.pools = {q: self.find_pool(q) for q in range(rules.seats)}
        self.decided = {item: self.find_decided(item) for item in ("primiera", "denari")}

    def consider(self, move: Move) -> None:
        """Note what a move leaves."""
        view = self.view
        self.move = move
        self.card, self.taken = move.card, set(move.captured)
        self.hand_after = self.hand - {self.card}
        # An ace that goes to the pile takes nothing (ACE-4), but is in play no more.
        won = self.taken | {self.card} if move.kind in ("capture", "to_pile") else set()
        self.table_after = (self.table | {self.card}) - won
        self.uncaptured_after = self.uncaptured - won
        self.points = 0
        if self.taken == self.table:
            self.points = sweep_points(self.rules, self.card, mask_of(self.table), view.matta, view.plays_left == 1)

    # Ranks.

    def rank(self, card: int) -> int:
        return self.view.matta or 7 if card == MATTA else rank_of(card)

    def ranks(self, cards: Iterable[int]) -> list[int]:
        return [self.rank(card) for card in cards]

    def mine(self, rank: int) -> int:
        """Cards of a rank in the own hand before the move."""
        return self.ranks(self.hand).count(rank)

    def kept(self, rank: int) -> int:
        """Cards of a rank in the own hand after it."""
        return self.ranks(self.hand_after).count(rank)

    def copies(self, rank: int) -> int:
        """Cards of a rank that are in no pile, not in the own hand and not on the table. Those of an exposed hand are among them."""
        return self.ranks(self.uncaptured - self.hand - self.table).count(rank)

    def broken(self, uncaptured: set[int]) -> set[int]:
        """Ranks of which an odd number of cards is not captured."""
        ranks = self.ranks(uncaptured)
        return {rank for rank in ranks if ranks.count(rank) % 2}

    # What others hold.

    def size(self, seat: int) -> int:
        """Cards in a hand the next time its seat plays: an empty one is filled from the stock before (DEAL-2)."""
        held: int = self.view.hand_size(seat)
        return held or (self.rules.hand if self.view.stock_size else 0)

    def find_pool(self, seat: int) -> set[int]:
        """Return the cards that another seat may hold: those it has shown (CIR-4), or hidden ones of no rank it is believed to lack."""
        known = set(self.view.known_hand(seat))
        return known or {card for card in self.view.unseen if self.rank(card) not in self.absent[seat]}

    def chance(self, seat: int, cards: set[int], gone: int | None = None) -> float:
        """Return the chance that another seat holds any of some cards, ``gone`` being a card that it surely does not hold."""
        held = self.pools[seat] & cards - {gone}
        if self.view.known_hand(seat):
            return 1.0 if held else 0.0
        hidden = len(set(self.view.unseen) - {gone})
        none = 1.0
        for j in range(len(held)):
            none *= max(0, hidden - self.size(seat) - j) / (hidden - j)
        return 1 - none

    def of_rank(self, rank: int) -> set[int]:
        return {card for card in range(self.rules.cards) if self.rank(card) == rank}

    def find_absent(self, seat: int) -> set[int]:
        """Return ranks a seat is believed not to hold: it could have scored a scopa with them since its cards were dealt, and did not."""
        rules = self.rules
        held = sum(self.view.hand_size(q) for q in range(rules.seats))
        this_round = rules.hand * rules.seats - held
        ranks = set()
        for who, table, matta, move in self.history[max(0, len(self.history) - this_round) :]:
            if who != seat or not table:
                continue
            swept = move.captured_mask == mask_of(table) and sweep_points(rules, move.card, mask_of(table), matta, False)
            if swept:
                continue
            # Any card of a rank will do, but for a declared 7C, which is not of its own. A past play was not the last of the deal.
            for card in set(range(rules.cards)) - table - ({MATTA} if matta else set()):
                if sweep_points(rules, card, mask_of(table), matta, False):
                    ranks.add(rank_of(card))
        return ranks

    def find_history(self) -> list[tuple[int, set[int], int | None, Move]]:
        """Return the cards played, as far as they are known: the seat, the table before it and the rank of the 7C then, and the move."""
        moves = list(self.view.moves)
        declared = [move.matta for move in moves if move.is_declaration and move.matta]
        table, seat = set(self.table), self.seat
        backwards: list[tuple[int, set[int], int | None, Move]] = []
        # A 7C that was declared before the first known move still has its rank.
        matta = self.view.matta
        for move in reversed(moves):
            if move.is_declaration:
                matta = None if move.matta else matta
                continue
            seat = (seat - 1) % self.rules.seats
            if MATTA in move.captured or (move.card == MATTA and move.kind != "lay"):
                matta = declared[0] if declared else None
            table = (table - {move.card}) | set(move.captured)
            backwards.append((seat, set(table), matta, move))
        return backwards[::-1]

    def rank_when_laid(self, card: int) -> int:
        """Return the rank of a card that was laid, even if it has been captured since."""
        declared = [move.matta for move in self.view.moves if move.is_declaration and move.matta]
        return declared[0] if card == MATTA and declared else self.rank(card)

    def laid_by(self, seats: Iterable[int]) -> set[int]:
        """Cards of the table that any of some seats laid."""
        return {move.card for who, _, _, move in self.history if who in set(seats) and move.kind == "lay"} & self.table

    # The worth of cards.

    def worth(self, cards: Iterable[int]) -> float:
        return sum(self.marginal_worth(card) if "marginal" in self.switches else self.plain_worth(card) for card in cards)

    def plain_worth(self, card: int) -> int:
        part = PRIME_PART.get(rank_of(card), 10) + (10 if suit_of(card) == DENARI else 0)
        return part + (ITEM_CARD if self.is_item_card(card) else 0)

    def is_item_card(self, card: int) -> bool:
        return card == SETTEBELLO or bool(self.rules.re_bello and card == RE_BELLO[self.rules.deck])

    def marginal_worth(self, card: int) -> int:
        """What a card adds to the own pile as it is before the move, each card for itself."""
        rules, own = self.rules, set(self.view.pile(self.side))
        others = {card for side in range(len(rules.sides)) if side != self.side for card in self.view.pile(side)}
        rank, suit = rank_of(card), suit_of(card)
        if rules.sette_coppe and card == make_card(7, COPPE):
            return 120  # instead of all else
        total = ITEM_CARD if self.is_item_card(card) else 0
        if not self.decided["primiera"]:
            best = max((self.scale(rank_of(mine)) for mine in own if suit_of(mine) == suit), default=0)
            total += self.scale(rank) if rules.primiera == "rank_count" else max(0, self.scale(rank) - best)
        if suit != DENARI:
            return total
        total += 0 if self.decided["denari"] else 10
        first = {make_card(low, DENARI) for low in (1, 2, 3)}
        if rules.napola != "none":
            if card in first and not first & others:
                total += 60
            run = next(length for length in range(14) if make_card(length + 1, DENARI) not in own)
            if 3 <= run < rules.napola_max and rank == run + 1:
                total += 30
        highest = rules.cards // 4
        faces = {make_card(high, DENARI) for high in (highest - 2, highest - 1, highest)}
        if rules.grande and card in faces and not faces & others:
            total += 50
        if rules.coins_cappotto or rules.coins_wipe:
            won = sorted(sum(suit_of(coin) == DENARI for coin in self.view.pile(side)) for side in range(len(rules.sides)))
            if won[-1] >= 7 and not any(won[:-1]):
                total += 40
        return total

    def scale(self, rank: int) -> int:
        """Return what a rank counts in the primiera (PRI-2, PRI-6, PRI-9)."""
        order = (7, 6, 1, 5, 4, 3, 2)
        values = self.rules.primiera_scale or (21, 18, 16, 15, 14, 13, 12, 10)
        if rank in order:
            return values[order.index(rank)]
        return {"southern": rank, "zero_faces": 0}.get(self.rules.primiera, values[7])

    def find_decided(self, item: str) -> bool:
        """Whether an item of the score is the same whichever side takes all that is not captured."""
        piles = [self.view.pile_mask(side) for side in range(len(self.rules.sides))]
        results = set()
        for side in range(len(piles)):
            final = list(piles)
            final[side] |= mask_of(self.uncaptured)
            results.add(reference.score_piles(self.rules, final).points[item])
        return len(results) == 1

    # The next seat.

    @property
    def rival_next(self) -> bool:
        """Whether another card is played in this deal, by a seat of another side."""
        return bool(self.plays_after > 0 and self.rules.side_of[self.next] != self.side)

    def next_sweepers(self) -> dict[int, int]:
        """Return the cards the next seat may hold that would sweep what the move leaves, and their points; none from an own seat."""
        if not self.rival_next or not self.table_after:
            return {}
        table = mask_of(self.table_after)
        found = {card: sweep_points(self.rules, card, table, self.view.matta, self.plays_after == 1) for card in self.pools[self.next]}
        return {card: points for card, points in found.items() if points}

    # The score.

    def score(self, move: Move) -> float:
        self.consider(move)
        if "forty_eight" in self.switches and self.two_sides and self.left == 1 and len(self.view.unseen) <= MOST_HIDDEN:
            return self.exact()  # in the place of all else
        total = 0.0
        rank = self.rank(self.card)
        sweepers = self.next_sweepers()
        if self.points:
            total += 4000 * self.points
        elif sweepers:
            # If they would score differently (`scopa_value=rank`), the most counts.
            total -= 1000 * self.chance(self.next, set(sweepers)) * max(sweepers.values())
        if self.taken or move.kind == "to_pile":
            # An ace sent to the pile is won like a captured one (ACE-4).
            total += 50 + self.worth({self.card} | self.taken)
        else:
            total += -self.worth({self.card}) + 8 * (self.mine(rank) - 1)
            total += 8 if self.copies(rank) == 0 else 0
            total -= 20 if rank == 7 else 0
        if self.two_sides:
            change = len(self.broken(self.uncaptured_after)) - len(self.broken(self.uncaptured))
            total += -10 * change if self.dealers else 10 * change
        for name, term in self.terms().items():
            if name in self.switches:
                total += term()
        if self.sevens:
            total += self.sevens_module()
        return total

    # Conventions.

    def terms(self) -> dict[str, Callable[[], float]]:
        """Return the conventions that add to the score; `marginal` is in the worth of cards, `absent` in the chances."""
        added = (
            self.partner_double, self.echo_low, self.opening_spariglio, self.last_even, self.ace_guard, self.anchor, self.eleven,
            self.leave_doubles, self.mulinello,
        )  # fmt: skip
        return {term.__name__: term for term in added}

    def partner_double(self) -> float:
        """Each partner's last card that was laid: leave it, or answer if another side took it."""
        total = 0.0
        for partner in self.partners:
            last = None
            for at, (who, _, _, move) in enumerate(self.history):
                if who == partner and move.kind == "lay":
                    last = (at, move.card)
            if last is None:
                continue
            at, card = last
            if card in self.taken and not self.points:
                total -= 30
            takers = [who for who, _, _, move in self.history[at + 1 :] if card in move.captured]
            if takers and self.rules.side_of[takers[0]] != self.side and self.rank(self.card) == self.rank_when_laid(card):
                total += 10
        return total

    def echo_low(self) -> float:
        """For each card of ranks 1 to 4: left on the table by the first player's side, taken from it by the dealer's."""
        low = {1, 2, 3, 4}
        if self.hands_side:
            return 4 * sum(rank in low for rank in self.ranks(self.table_after))
        return 4 * sum(rank in low for rank in self.ranks(self.taken)) if self.dealers else 0

    def opening_spariglio(self) -> float:
        if not self.two_sides or self.view.plays_left != self.rules.plays or len(self.taken) < 2:
            return 0
        taken = set(self.ranks(self.taken))
        return sum(amount for amount, pairs in OPENINGS.items() if any(pair <= taken for pair in pairs))

    def last_even(self) -> float:
        """With two cards left the dealer keeps one of a rank that is not broken after the move, the last hand one that is."""
        if not self.two_sides or self.left != 2:
            return 0
        kept_broken = set(self.ranks(self.hand_after)) <= self.broken(self.uncaptured_after)
        if self.seat == self.view.dealer:
            return 0 if kept_broken else 15
        return 15 if self.is_last_hand and kept_broken else 0

    def exact(self) -> float:
        """Return the points of the own side less the other's at the end, averaged over all ways the last cards may lie, played openly."""
        position, hidden = self.view.position, cards_of(self.view.unseen_mask)
        seats = [q for q in range(self.rules.seats) if self.view.hand_size(q) and not self.view.known_hand_mask(q)]
        margins = []
        for order in itertools.permutations(hidden):
            hands = list(position.hands)
            for q, card in zip(seats, order, strict=True):
                hands[q] = 1 << card
            state = reference.State.from_position(replace(position, hands=tuple(hands), hidden=(), stock=(), hidden_stock=0))
            state.play(self.move)
            margins.append(self.margin(state))
        return sum(margins) / len(margins)

    def margin(self, state: Any) -> int:
        if state.is_terminal():
            total = state.score().total
            return int(total[self.side] - total[1 - self.side])
        own, results = state.side == self.side, []
        for move in state.legal_moves():
            state.play(move)
            results.append(self.margin(state))
            state.undo()
        return max(results) if own else min(results)

    def ace_guard(self) -> float:
        """Do not burn an ace, nor leave much to one of the next seat, whether or not that scores."""
        rules = self.rules
        if not rules.ace_sweep:
            return 0
        total = 0.0
        if self.rank(self.card) == 1 and self.taken and len(self.table) > 1:
            takes = outcomes(rules, self.card, mask_of(self.table), self.view.matta, self.view.plays_left == 1).takes
            if all(self.ranks(take) == [1] for take in takes):
                total -= 60
        if self.rival_next and self.table_after:
            table, last = mask_of(self.table_after), self.plays_after == 1
            aces = {card for card in self.pools[self.next] if self.rank(card) == 1}
            sweeping = {
                ace for ace in aces if any(take.mask == table for take in outcomes(rules, ace, table, self.view.matta, last).takes)
            }
            total -= self.chance(self.next, sweeping) * self.worth(self.table_after) / 2
        return total

    def anchor_rank(self, table: set[int]) -> int:
        """Return the sum of a table that might be an anchor: one card, or at most 10; else 0."""
        total = sum(self.ranks(table))
        return total if len(table) == 1 or total <= 10 else 0

    def anchor(self) -> float:
        total = 0.0
        rank = self.anchor_rank(self.table_after)
        if rank and self.copies(rank) == 0 and self.kept(rank) >= 1:
            total += 30
        for partner in self.partners:
            # The table after the partner's last move, from the history of the move that came next, or as it is.
            places = [at for at, (who, _, _, _) in enumerate(self.history) if who == partner]
            if not places:
                continue
            left = self.history[places[-1] + 1][1] if places[-1] + 1 < len(self.history) else self.table
            rank = self.anchor_rank(left)
            # The partner saw no card of the rank unseen, so that it is not in the own hand, and holds one, so that it is unseen here.
            if not rank or self.mine(rank) or not self.copies(rank) or not left <= self.table or not self.taken:
                continue
            if not left & self.taken:
                total += 25
            elif not self.points and self.left > 1:
                total -= 40
        return total

    def eleven(self) -> float:
        return 6 if self.rival_next and sum(self.ranks(self.table_after)) == 11 else 0

    def leave_doubles(self) -> float:
        if not self.taken:
            return 0
        return 8 * sum(self.kept(rank) for rank in set(self.ranks(self.table_after)) if self.kept(rank) >= 2)

    def mulinello(self) -> float:
        """The next seat has to lay, and the partner after it captures what it lays."""
        partner = (self.seat + 2) % self.rules.seats
        if not self.rival_next or self.plays_after < 2 or partner not in self.partners:
            return 0
        if not self.points and self.chance(self.next, set(self.next_sweepers())) > 0:
            return 0
        rules, table, matta = self.rules, mask_of(self.table_after), self.view.matta
        chances = []
        for laid in self.pools[self.next]:
            if not outcomes(rules, laid, table, matta, False).lay:
                continue
            takers = {
                card
                for card in self.pools[partner] - {laid}
                if any(laid in take for take in outcomes(rules, card, table | 1 << laid, matta, self.plays_after == 2).takes)
            }
            chances.append(self.chance(partner, takers, gone=laid))
        if not chances or (not self.points and min(chances) < 0.5):
            return 0
        return 20 * sum(chances) / len(chances)

    # The sevens.

    @property
    def is_last_hand(self) -> bool:
        return bool(self.hands_side and self.seat == (self.view.dealer - 1) % self.rules.seats)

    def sevens_module(self) -> float:
        """Return what the last line that has something to say about the move says."""
        total = 0.0
        for line in (
            self.sevens_capture, self.sevens_settebello, self.sevens_dealer_with_settebello, self.sevens_dealer_without,
            self.sevens_last_hand, self.sevens_of_partner, self.sevens_near_the_end, self.sevens_dealers, self.sevens_others,
        ):  # fmt: skip
            total = line() or total
        return total

    @property
    def plays_seven(self) -> bool:
        return self.rank(self.card) == 7

    @property
    def taken_sevens(self) -> set[int]:
        return {card for card in self.taken if self.rank(card) == 7}

    def sevens_capture(self) -> float:
        """Line 1."""
        return 60 if (SETTEBELLO in self.hand or self.mine(7) >= 2) and self.taken_sevens else 0

    def sevens_settebello(self) -> float:
        """Line 2."""
        if not self.hands_side or SETTEBELLO not in self.taken:
            return 0
        wanted = len(self.taken) >= 2 if self.mine(7) <= 1 else self.plays_seven
        return 40 if wanted else 0

    def sevens_dealer_with_settebello(self) -> float:
        """Line 3: not one that the last hand laid, unless 7D takes it while the sevens are broken and nothing can be swept."""
        if not self.dealers or self.seat != self.view.dealer or SETTEBELLO not in self.hand or self.mine(7) != 1:
            return 0
        if not self.taken_sevens & self.laid_by([(self.seat - 1) % self.rules.seats]):
            return 0
        if not any(self.chance(partner, self.of_rank(7)) > 0 for partner in self.partners):
            return 0
        excused = self.card == SETTEBELLO and 7 in self.broken(self.uncaptured) and not self.next_sweepers()
        return 0 if excused else -40

    def sevens_dealer_without(self) -> float:
        """Line 4. If two other seats held two each, there would be none to break."""
        if not self.dealers or self.seat != self.view.dealer or self.mine(7):
            return 0
        return 10 if 7 in self.broken(self.uncaptured_after) - self.broken(self.uncaptured) else 0

    def sevens_last_hand(self) -> float:
        """Line 5: two sevens that the dealer lacks are kept, and one does not take the third last seat's."""
        if not self.is_last_hand:
            return 0
        if self.mine(7) == 2 and self.plays_seven and self.left > 2 and self.chance(self.view.dealer, self.of_rank(7)) == 0:
            return -40
        third_last = (self.view.dealer - 2) % self.rules.seats
        if self.mine(7) == 1 and third_last != self.view.dealer and self.taken_sevens & self.laid_by([third_last]):
            return -40
        return 0

    def sevens_of_partner(self) -> float:
        """Line 6."""
        return -60 if self.is_last_hand and self.card != SETTEBELLO and self.taken_sevens & self.laid_by(self.partners) else 0

    def sevens_near_the_end(self) -> float:
        """Line 7."""
        return 15 if self.two_sides and self.left <= 3 and self.plays_seven and 7 in self.broken(self.uncaptured) else 0

    def sevens_dealers(self) -> float:
        """Line 8, for any move."""
        if not self.dealers or 7 in self.broken(self.uncaptured) or not self.copies(7):
            return 0
        total = -30 if some_sum(self.ranks(self.table_after), 7) else 0
        return total + (20 if self.kept(7) and self.left - 1 >= 2 else 0)

    def sevens_others(self) -> float:
        """Line 9."""
        takes_sum = self.plays_seven and len(self.taken) >= 2 and sum(self.ranks(self.taken)) == 7
        return 30 if self.hands_side and self.mine(7) in (1, 2) and takes_sum else 0
