"""Traditional advice about a move, as tags with numbers: the same whichever player makes it.

The tags use what the seat sees and nothing else: dealing the hidden cards again never changes one. ``docs/advice.md`` defines
each tag and its numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..cards import DENARI, MATTA, RANKS, SETTEBELLO, cards_of, make_card, rank_of
from ..core import SeatView, captures, score_piles
from ..errors import IllegalMoveError, InvalidMoveError
from ..moves import Move
from .probabilities import AfterMove

__all__ = ["TAGS", "Tag", "explain"]

TAGS = (
    "declares", "scopa", "settebello", "exposes_scopa", "leaves", "anchor", "whirlwind", "double", "echo_partner", "pairs", "unpairs",
    "sevens", "primiera", "coins", "cards", "burns_ace", "last_card",
)
"""The names of all tags, in the order :func:`explain` returns them."""

Number = int | float | tuple[int, ...]

COINS = sum(1 << make_card(rank, DENARI) for rank in range(1, 14))
SEVENS = 0xF << make_card(7, DENARI)
_COUNTED_RANKS = (7, 6, 1, 5, 4, 3, 2)
"""The order in which ``primiera=rank_count`` compares (PRI-5)."""
_FACES = 8
"""What stands for the face cards, which come last."""
_COIN_ITEMS = ("re_bello", "napola", "grande")
_RANK_NAMES = {"A": "ace", "T": "10", "F": "jack", "C": "knight", "R": "king"}


@dataclass(frozen=True)
class Tag:
    """One piece of advice about a move."""

    name: str
    """One of :data:`TAGS`."""
    numbers: Mapping[str, Number] = field(hash=False)
    """What is known, by name (docs/advice.md): yes is 1 and no 0, ranks are capture values, chances from 0 to 1."""
    text: str
    """One sentence for a person."""
    source: str
    """A rule id of docs/rules.md, or where the advice comes from."""


def explain(view: SeatView, move: int) -> tuple[Tag, ...]:
    """Return what traditional advice has to say about a legal move: each tag at most once, in the order of :data:`TAGS`.

    >>> from scopa_fast import SeatView, parse_move
    >>> text = "scopa hands=???/6C3BFB table=4B2C3S piles=3D3CRCRS/FSFDFC stock=" + 24 * "?" + " last=0 seat=1 dealer=0"
    >>> for tag in explain(SeatView.from_text(text, 1), parse_move("6Cx2C4B")):
    ...     print(f"{tag.name}: {tag.text}")
    leaves: Leaves 3: the next player cannot hold a 3 to sweep it.
    anchor: Leaves an anchor: only this hand still has 3s to sweep it with.
    unpairs: Unpairs the 2s, 4s and 6s, which helps the side that does not deal (this one).
    primiera: Adds 22 to this side's primiera, with 1 new suit.
    cards: Wins 3 cards, 6 in all.

    :raises IllegalMoveError: if the move is not legal, or the seat is not to move.
    """
    if not isinstance(view, SeatView):
        raise TypeError(f"view must be a SeatView of the native engine, not {type(view).__name__}: {view!r}")
    legal = view.legal_moves()
    try:
        made = move if isinstance(move, Move) else Move(move)
    except InvalidMoveError as error:
        raise IllegalMoveError(f"illegal move {move!r} in '{view}': {error}") from None
    if not legal:
        raise IllegalMoveError(f"seat {view.seat} has no move '{made}' in '{view}'")
    if made not in legal:
        raise IllegalMoveError(f"illegal move '{made}' in '{view}'")
    if made.is_declaration:
        return (_declares(view, made),)
    after = AfterMove(view, made)
    return tuple([tag for tag in (make(after) for make in _MAKERS) if tag is not None])


# The tags, in order. Each maker returns its tag, or None if there is nothing to say.


def _declares(view: SeatView, move: Move) -> Tag:
    wild = f", the 7C standing for {_any_of(view.rules.deck, [move.matta])}" if move.matta else ""
    source = {3: "CIR-1", 10: "CIR-2", 13: "CIR-3"}[move.points]
    return Tag("declares", {"points": move.points, "rank": move.matta or 0}, f"Shows the hand for {move.points} points{wild}.", source)


def _scopa(after: AfterMove) -> Tag | None:
    points = after.scopa_points()
    return Tag("scopa", {"points": points}, f"Sweeps the table for {_count(points, 'point')}.", "SCO-1") if points else None


def _settebello(after: AfterMove) -> Tag | None:
    """7D goes to the own pile, or lies on the table when the move is made."""
    seven = 1 << SETTEBELLO
    if after.won & seven:
        return Tag("settebello", {"won": 1, "probability": 0.0}, "Wins the settebello.", "PT-3")
    if not after.table & seven:
        return None
    if not after.plays_left:
        lost = after.last_capturer is not None
        text = "The settebello goes to the side that captured last." if lost else "The settebello is left to nobody."
        return Tag("settebello", {"won": 0, "probability": float(lost)}, text, "PT-3")
    chance = 0.0
    if after.next_is_rival:
        chance = after.chance(after.next_seat, after.takers(after.may_hold(after.next_seat), after.table, seven))
    verb = "Puts" if after.played & seven else "Leaves"
    text = f"{verb} the settebello on the table: the chance that the next player takes it is {_percent(chance)}."
    return Tag("settebello", {"won": 0, "probability": chance}, text, "PT-3")


def _exposes_scopa(after: AfterMove) -> Tag | None:
    """The next seat, of another side, may hold a card that sweeps and scores."""
    if not after.next_is_rival or not after.sweep_chance:
        return None
    may_sweep = after.may_hold(after.next_seat) & after.cards_of_ranks(after.sweepers())
    ranks = after.ranks_in(may_sweep)
    points = {"one": 1, "rank": max(ranks), "count": after.table.bit_count() + 1}[after.rules.scopa_value]
    text = f"The next player sweeps with {_any_of(after.rules.deck, ranks)}: the chance of one is {_percent(after.sweep_chance)}."
    numbers: dict[str, Number] = {"probability": after.sweep_chance, "ranks": ranks, "copies": may_sweep.bit_count(), "points": points}
    return Tag("exposes_scopa", numbers, text, "SCO-1")


def _leaves(after: AfterMove) -> Tag | None:
    """What the next seat finds on the table."""
    if not after.plays_left:
        return None
    total, ranks = after.sum_of(after.table), after.sweepers()
    # The least sum that is out of every card's reach; with fifteens it is not.
    eleven = after.rules.capture == "match_or_sum" and total == len(RANKS[after.rules.deck]) + 1 and not ranks
    safe = after.sweep_chance == 0
    if not after.table:
        text = "Leaves an empty table."
    elif not safe:
        text = f"Leaves {total}, which {_any_of(after.rules.deck, sorted(ranks))} would sweep."
    elif not ranks:
        text = f"Leaves {total}, which no card can sweep for a point."
    else:
        text = f"Leaves {total}: the next player cannot hold {_any_of(after.rules.deck, sorted(ranks))} to sweep it."
    numbers = {"sum": total, "cards": after.table.bit_count(), "eleven": int(eleven), "safe": int(safe)}
    return Tag("leaves", numbers, text, "tradition")


def _anchor(after: AfterMove) -> Tag | None:
    """Only the own hand can still sweep what is left, and it plays again before the deal ends."""
    ranks = after.sweepers(after.rules.seats)
    sweeping = after.cards_of_ranks(ranks) & after.uncaptured & ~after.table
    if not sweeping or sweeping & ~after.hand:
        return None
    held = after.ranks_in(sweeping)
    text = f"Leaves an anchor: only this hand still has {_all_of(after.rules.deck, held)} to sweep it with."
    return Tag("anchor", {"ranks": held, "held": sweeping.bit_count()}, text, "tradition")


def _whirlwind(after: AfterMove) -> Tag | None:
    """The next seat, of another side, has to lay a card that the own side can take at once."""
    rules, rival, own = after.rules, after.next_seat, after.seat_after(2)
    if not after.next_is_rival or after.plays_left < 2 or rules.side_of[own] != after.side or after.sweep_chance:
        return None
    cards = after.may_hold(rival)
    weight, least, total = 0, 1.0, 0.0
    for mask in after.rank_masks:
        group = cards & mask
        laid = group & -group
        found = captures(rules, laid.bit_length() - 1, cards_of(after.table), matta=after.matta) if group else None
        if found is None or found.takes or not found.lay:
            continue
        takers = after.takers(after.may_hold(own) & ~laid, after.table | laid, laid)
        chance = after.chance(own, takers, gone=laid)
        weight, least, total = weight + group.bit_count(), min(least, chance), total + chance * group.bit_count()
    if not weight or not total or (after.table and least < 0.5):
        return None
    whose = "this hand" if own == after.view.seat else "partner"
    text = f"A whirlwind: the chance that {whose} can take what the next player has to lay is {_percent(total / weight)}."
    return Tag("whirlwind", {"probability": total / weight, "least": least}, text, "tradition")


def _double(after: AfterMove) -> Tag | None:
    """A rank on the table of which the hand has more: it can answer a capture by the rank once more."""
    if not after.plays_left or after.rules.capture == "fifteen":
        return None
    if after.won:
        ranks = [rank for rank in after.ranks_in(after.table) if (after.rank_masks[rank] & after.hand).bit_count() >= 2]
    else:
        ranks = [rank for rank in after.ranks_in(after.played) if after.rank_masks[rank] & after.hand]
    if not ranks:
        return None
    cards = after.cards_of_ranks(ranks)
    held, unseen = (cards & after.hand).bit_count(), (cards & after.unseen).bit_count()
    verb = "Leaves" if after.won else "Lays"
    text = f"{verb} {_any_of(after.rules.deck, ranks)} with a double behind it: {held} more in hand, {unseen} unseen."
    return Tag("double", {"ranks": tuple(ranks), "held": held, "unseen": unseen}, text, "tradition")


def _echo_partner(after: AfterMove) -> Tag | None:
    """The rank that partner laid last: played once more after a rival took it, or taken from the table."""
    if after.rules.capture == "fifteen":
        return None
    side_of, seat, taken_since = after.rules.side_of, after.view.seat, 0
    for made in reversed(after.view.moves):
        if made.is_declaration:
            continue
        seat = (seat - 1) % after.rules.seats
        if side_of[seat] != after.side:
            taken_since |= made.captured_mask
        elif seat != after.view.seat and made.kind == "lay":
            break
    else:
        return None
    laid = 1 << made.card
    rank = rank_of(made.card)
    if made.card == MATTA:  # of the rank it was declared as, even if it has been taken since (CIR-6)
        rank = next((declared.matta for declared in after.view.moves if declared.matta), after.matta or rank)
    name = _any_of(after.rules.deck, [rank])
    if laid & taken_since and not after.won and after.sum_of(after.played) == rank:
        return Tag("echo_partner", {"rank": rank, "played": 1, "taken": 0}, f"Plays {name} again, which partner had laid.", "tradition")
    if laid & after.move.captured_mask and not after.scopa_points():
        return Tag("echo_partner", {"rank": rank, "played": 0, "taken": 1}, f"Takes {name} that partner laid.", "tradition")
    return None


def _pairs(after: AfterMove) -> Tag | None:
    return _parity(after, "pairs", after.odd_ranks(after.uncaptured_before) - after.odd_ranks(after.uncaptured))


def _unpairs(after: AfterMove) -> Tag | None:
    return _parity(after, "unpairs", after.odd_ranks(after.uncaptured) - after.odd_ranks(after.uncaptured_before))


def _parity(after: AfterMove, name: str, changed: frozenset[int]) -> Tag | None:
    """Ranks of which an even or an odd number of cards is now left to play for: even ones help the side that plays last."""
    if not changed or not after.plays_left or len(after.rules.sides) != 2 or after.rules.capture == "fifteen":
        return None
    ranks, dealers = tuple(sorted(changed)), after.rules.side_of[after.view.dealer] == after.side
    good = dealers == (name == "pairs")
    verb, whom = ("Pairs", "the dealer's side") if name == "pairs" else ("Unpairs", "the side that does not deal")
    text = f"{verb} the {_all_of(after.rules.deck, ranks)}, which helps {whom}{' (this one)' if good else ''}."
    return Tag(name, {"ranks": ranks, "good": int(good)}, text, "tradition (spariglio)")


def _sevens(after: AfterMove) -> Tag | None:
    """Sevens won, kept and left open, while they still count for anything."""
    counts = after.rules.primiera != "none" or after.uncaptured_before & (1 << SETTEBELLO)
    counts = counts or (after.rules.sette_coppe and after.uncaptured_before & (1 << MATTA))
    if not counts:
        return None
    open_chance = 0.0
    if after.next_is_rival:
        cards = after.may_hold(after.next_seat)
        takers = after.takers(cards, after.table, after.table & SEVENS) | after.takers(cards & SEVENS, after.table, after.table)
        open_chance = after.chance(after.next_seat, takers)
    won, kept = (after.won & SEVENS).bit_count(), (after.hand & SEVENS).bit_count()
    if not won and not after.played & SEVENS and not open_chance:
        return None
    broken = int(after.plays_left > 0 and 7 in after.odd_ranks(after.uncaptured))
    points = int(after.rules.sette_coppe and after.won >> MATTA & 1)
    parts = [f"{won} won"] if won else []
    parts += [f"{kept} kept in hand", f"the chance that the next player wins one is {_percent(open_chance)}"]
    text = f"Sevens: {', '.join(parts)}."
    numbers = {"won": won, "kept": kept, "broken": broken, "open": open_chance, "points": points}
    return Tag("sevens", numbers, text, "Chitarrella's rules, 3")


def _primiera(after: AfterMove) -> Tag | None:
    """What the own prime gains."""
    if after.rules.primiera == "none" or not after.won:
        return None
    piles = list(after.piles)
    before = score_piles(after.rules, piles).prime[after.side]
    piles[after.side] |= after.won
    changes = [now - then for now, then in zip(score_piles(after.rules, piles).prime[after.side], before, strict=True)]
    still_open = int(not after.decided("primiera"))
    if after.rules.primiera == "rank_count":
        place = next((place for place, change in enumerate(changes) if change), None)
        if place is None:
            return None
        gain, rank, suits, source = changes[place], [*_COUNTED_RANKS, _FACES][place], 0, "PRI-5"
        which = "face cards" if rank == _FACES else _all_of(after.rules.deck, [rank])
        text = f"Adds {gain} to this side's {which} of the primiera"
    else:
        suits, gain = changes
        rank, source = 0, "PRI-1"
        if not suits and not gain:
            return None
        text = f"Adds {gain} to this side's primiera" + (f", with {_count(suits, 'new suit')}" if suits else "")
    numbers = {"gain": gain, "suits": suits, "rank": rank, "open": still_open}
    return Tag("primiera", numbers, text + _decided_text(still_open), source)


def _coins(after: AfterMove) -> Tag | None:
    """Coins won, and what they score at once beside the denari."""
    won = (after.won & COINS).bit_count()
    if not won:
        return None
    piles = list(after.piles)
    before = score_piles(after.rules, piles).points
    piles[after.side] |= after.won
    now = score_piles(after.rules, piles).points
    points = sum(now[item][after.side] - before[item][after.side] for item in _COIN_ITEMS)
    total, still_open = (piles[after.side] & COINS).bit_count(), int(not after.decided("denari"))
    extra = f" and {_count(points, 'point')} for them" if points else ""
    text = f"Wins {_count(won, 'coin')}{extra}, {total} in all" + _decided_text(still_open)
    return Tag("coins", {"won": won, "total": total, "points": points, "open": still_open}, text, "PT-2")


def _card_count(after: AfterMove) -> Tag | None:
    """Cards won."""
    won = after.won.bit_count()
    if not won:
        return None
    total, still_open = (after.piles[after.side] | after.won).bit_count(), int(not after.decided("carte"))
    text = f"Wins {_count(won, 'card')}, {total} in all" + _decided_text(still_open)
    return Tag("cards", {"won": won, "total": total, "open": still_open}, text, "PT-1")


def _burns_ace(after: AfterMove) -> Tag | None:
    """An ace that could sweep takes just an ace, because one lies there."""
    aces = after.rank_masks[1]
    taken = after.move.captured_mask
    if not after.rules.ace_sweep or after.rules.ace_on_table == "all" or not after.played & aces or not after.table:
        return None
    if taken.bit_count() != 1 or not taken & aces:
        return None
    left = after.table.bit_count()
    return Tag("burns_ace", {"left": left}, f"Burns an ace: it takes only the ace and leaves {_count(left, 'card')}.", "ACE-2")


def _last_card(after: AfterMove) -> Tag | None:
    """The dealer's last card of the deal, once the seat knows its rank."""
    dealer = after.view.dealer
    if after.view.stock_size or not after.plays_left or after.size(dealer) != 1:
        return None
    cards = after.may_hold(dealer)
    ranks = after.ranks_in(cards)
    if len(ranks) != 1:
        return None
    rank, deck = ranks[0], after.rules.deck
    copies = 0 if after.rules.capture == "fifteen" else (after.rank_masks[rank] & after.uncaptured).bit_count() - 1
    takes = int(after.takers(cards, after.table, after.table) != 0) if after.plays_left == 1 else -1
    what = ("what it meets is open yet", "it takes nothing from this table", "it takes from this table")[takes + 1]
    text = f"The dealer's last card is {_any_of(deck, ranks)}, with {copies} more like it in play: {what}."
    return Tag("last_card", {"rank": rank, "copies": copies, "takes": takes}, text, "tradition")


_MAKERS: tuple[Callable[[AfterMove], Tag | None], ...] = (
    _scopa, _settebello, _exposes_scopa, _leaves, _anchor, _whirlwind, _double, _echo_partner, _pairs, _unpairs, _sevens, _primiera, _coins,
    _card_count, _burns_ace, _last_card,
)


# Words.


def _any_of(deck: str, ranks: Sequence[int]) -> str:
    """Return ranks in words: ``an ace, a 3 or a king``."""
    names = [_name(deck, rank) for rank in ranks]
    return _join([f"{'an' if name in ('ace', '8') else 'a'} {name}" for name in names], "or")


def _all_of(deck: str, ranks: Sequence[int]) -> str:
    """Return ranks in the plural: ``aces, 3s and kings``."""
    return _join([f"{_name(deck, rank)}s" for rank in ranks], "and")


def _name(deck: str, rank: int) -> str:
    letter = RANKS[deck][rank - 1]
    return "queen" if (deck, letter) == ("fr52", "C") else _RANK_NAMES.get(letter, letter)


def _join(names: Sequence[str], word: str) -> str:
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else names[0]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)


def _percent(chance: float) -> str:
    return "under 1 %" if 0 < chance < 0.01 else f"{100 * chance:.0f} %"


def _decided_text(still_open: int) -> str:
    return "." if still_open else "; the point is already decided."
