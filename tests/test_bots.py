"""The players: that each follows its description, and hidden cards change nothing."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from typing import Any

import pytest
from strategies import random_states

import scopa_fast as sf
from scopa_fast.bots import BOTS, GreedyBot, RandomBot, find_bot
from scopa_fast.bots.greedy import card_values, sweep_ranks
from scopa_fast.cards import MATTA, cards_of, mask_of, parse_card, parse_cards, rank_of
from scopa_fast.core.players import CONVENTIONS
from scopa_fast.engines import find_engine
from scopa_fast.errors import IllegalMoveError, ScopaError
from scopa_fast.moves import Move
from scopa_fast.rules import PRESETS, Rules, find_rules

reference = find_engine("reference")
GREEDY = GreedyBot()
FAIR = ["random", "greedy", "cs", f"cg[conventions={'+'.join(CONVENTIONS)}]", "ismcts[iterations=60]",
        "ismcts[iterations=30,guess=true,reward=match]", "pimc[count=2,iterations=20]",
        "champion[iterations=60,worlds=20,exact_worlds=20]", "forgetful"]
# 2D 2S and the 7C: 3 points with it as an ace up to a 5, but 10 as a 2.
DECLARABLE = (
    "cirulla_2 hands=2D7C2S/RDRCRS table=6D5C piles=ADACASAB2C2B3D3C3S3B4D4C4S4B5D5S5B6C6S6B7D7S7BFDFCFSFBCDCCCSCBRB/- "
    "last=0 seat=0 dealer=1"
)


def view_of(text: str) -> sf.SeatView:
    state = sf.State.from_text(text)
    return state.view(state.seat)


def choices(view: sf.SeatView) -> set[str]:
    """Return every move the greedy player makes, given many generators."""
    return {str(Move(GREEDY.choose(view, sf.Rng(seed)))) for seed in range(40)}


def position(hand: str, table: str, *, others: str) -> str:
    """Return a position of the last round of scopa, seat 0 to move; cards not named are in its pile."""
    named = parse_cards(hand + table + others)
    rest = "".join(reference.format_card(card) for card in range(40) if card not in named)
    return f"scopa hands={hand}/{others} table={table} piles={rest}/- last=0 seat=0 dealer=1"


# What a bot is shown.


def test_a_view_of_a_seat_that_is_not_to_move_is_refused() -> None:
    state = sf.State("scopa", 1)
    with pytest.raises(IllegalMoveError, match="seat 1 has no move in 'scopa hands="):
        GREEDY.choose(state.view(1), sf.Rng(1))


@pytest.mark.parametrize("preset", PRESETS)
def test_hidden_cards_change_nothing_a_bot_is_shown(preset: str) -> None:
    rng = random.Random(3)
    shuffles = 0
    for state in random_states(find_rules(preset), 1, seed=6):
        here = state.position()
        seen = {state.seat, *here.exposed}
        hidden = [card for seat, hand in enumerate(here.hands) if seat not in seen for card in cards_of(hand)] + list(here.stock)
        rng.shuffle(hidden)
        hands, rest = [], list(hidden)
        for seat, hand in enumerate(here.hands):
            hands.append(hand if seat in seen else mask_of(rest[: hand.bit_count()]))
            rest = rest if seat in seen else rest[hand.bit_count() :]
        size = here.rules.hand
        stock = tuple(card for i in range(0, len(rest), size) for card in sorted(rest[i : i + size]))
        other = sf.State.from_position(dataclasses.replace(here, hands=tuple(hands), stock=stock))
        shuffles += other != state
        view = state.view(state.seat)
        twin = sf.SeatView(other.position(), state.seat, view.moves)
        for name in FAIR:
            assert find_bot(name).choose(view, sf.Rng(1)) == find_bot(name).choose(twin, sf.Rng(1)), name
    assert shuffles > 10


def test_find_bot_knows_the_bots_and_refuses_others() -> None:
    assert [find_bot(name).name for name in BOTS] == list(BOTS) == [
        "random", "greedy", "cs", "cg", "mcts", "ismcts", "pimc", "champion", "forgetful",
    ]  # fmt: skip
    assert find_bot(" Greedy").name == "greedy"
    with pytest.raises(ScopaError, match="no bot 'gready': one of random, greedy, cs, cg, mcts, ismcts, pimc, champion, forgetful, or"):
        find_bot("gready")
    with pytest.raises(ScopaError, match="no declarations 'sometimes'"):
        find_bot("random", declarations="sometimes")


@pytest.mark.parametrize("name", FAIR)
def test_same_view_and_seed_give_the_same_move(name: str) -> None:
    bot = find_bot(name)
    for state in random_states(find_rules("escoba_2"), 1, seed=7):
        view = state.view(state.seat)
        move = bot.choose(view, sf.Rng(9))
        assert move == bot.choose(view, sf.Rng(9))
        assert state.is_legal(move)


# random


def test_random_plays_each_move_equally_often() -> None:
    view = view_of(position("5D7D", "2C3C5S4D", others="RDRC"))
    rng = sf.Rng(1)
    counts = Counter(str(Move(RandomBot().choose(view, rng))) for _ in range(3000))
    assert counts.keys() == {"5Dx5S", "7Dx3C4D", "7Dx2C5S"}
    assert all(900 < count < 1100 for count in counts.values())


def test_random_declares_as_it_is_told() -> None:
    view = view_of(DECLARABLE)
    kinds = {
        how: {Move(RandomBot(how).choose(view, sf.Rng(seed))) for seed in range(200)} for how in ("never", "always", "uniform")
    }
    assert not any(move.is_declaration for move in kinds["never"])
    assert {str(move) for move in kinds["always"]} == {"+10=2"}
    assert kinds["uniform"] == set(view.legal_moves())


# greedy


def test_card_values_are_those_of_the_study() -> None:
    plain = [16, 12, 13, 14, 15, 18, 29, 10, 10, 10]
    coins = [26, 22, 23, 24, 25, 28, 139, 20, 20, 20]
    values = card_values(find_rules("scopa"))
    assert [values[4 * rank] for rank in range(10)] == coins
    assert all([values[4 * rank + suit] for rank in range(10)] == plain for suit in (1, 2, 3))
    assert card_values(find_rules("scopone_re_bello"))[parse_card("RD")] == 120
    large = card_values(find_rules("scopa_8", re_bello=True))
    assert len(large) == 52
    assert [large[parse_card(name, "fr52")] for name in ("TC", "RD", "9D")] == [10, 120, 20]


@pytest.mark.parametrize("preset", PRESETS)
def test_sweep_ranks_are_those_that_would_score(preset: str) -> None:
    """A third opinion: an engine is asked what each unseen card would score by taking the whole table."""
    rules = find_rules(preset)
    checked = 0
    for state in random_states(rules, 6, seed=8):
        for left in (0, 1, 5):
            ranks = sweep_ranks(rules, state.table_mask, left, state.matta)
            elsewhere = [card for card in range(rules.cards) if not state.table_mask >> card & 1 and card != MATTA]
            scoring = {rank_of(card) for card in elsewhere if left and scores_sweep(rules, card, state, left == 1)}
            # A rank whose four cards all lie on the table has no card to be asked about.
            assert ranks & {rank_of(card) for card in elsewhere} == scoring, (str(state), left)
            checked += bool(scoring)
    assert checked


def scores_sweep(rules: Rules, card: int, state: Any, last: bool) -> bool:
    found = reference.captures(rules, card, state.table, matta=state.matta, last_play=last)
    return any(scopa for take, scopa in zip(found.takes, found.scopa, strict=True) if take == state.table)


def test_a_scopa_comes_before_everything() -> None:
    # The settebello is worth far more, but the 6 sweeps.
    assert choices(view_of(position("6S7D", "2C4C", others="RDRC"))) == {"6Sx2C4C"}


def test_a_table_that_cannot_be_swept_comes_before_a_capture() -> None:
    # Taking the king leaves a 5 that an unseen 5 sweeps; laying the ace leaves 16.
    assert choices(view_of(position("RSAD", "5CRC", others="5BFD"))) == {"AD"}
    # With no 5 unseen the capture is safe.
    assert choices(view_of(position("RSAD", "5CRC", others="FBFD"))) == {"RSxRC"}


def test_the_own_cards_are_not_unseen() -> None:
    # Only the own 5B could sweep the 5 that is left: the king may be taken.
    assert choices(view_of(position("RS5B", "5CRC", others="FBFD"))) <= {"RSxRC", "5Bx5C"}


def test_the_last_play_of_the_deal_cannot_sweep() -> None:
    five = mask_of(parse_cards("5C"))
    assert sweep_ranks(find_rules("scopa"), five, 2) == {5}
    assert sweep_ranks(find_rules("scopa"), five, 1) == frozenset()  # SCO-2
    assert sweep_ranks(find_rules("scopa", last_play_scopa="dealer"), five, 1) == {5}  # SCO-3
    assert sweep_ranks(find_rules("scopa", last_play_scopa="dealer"), five, 0) == frozenset()


def test_a_capture_comes_before_none_and_the_dearest_first() -> None:
    assert choices(view_of(position("4S2D", "RDRC4C", others="FBFD"))) == {"4Sx4C"}
    # 7C and 7S are worth the same, so that chance decides; of two captures the dearer one is taken.
    assert choices(view_of(position("7D2C", "7C7SFDFC", others="CBCD"))) == {"7Dx7C", "7Dx7S"}
    assert choices(view_of(position("7D2C", "6CACFDFCCS", others="CBRD"))) == {"7DxAC6C"}
    assert choices(view_of(position("7C2C", "6CAC5D2SFDFC", others="CBRD"))) == {"7Cx2S5D"}


def test_without_a_capture_the_cheapest_card_is_laid() -> None:
    assert choices(view_of(position("7DFC", "RDRC6D", others="CBCD"))) == {"FC"}


def test_greedy_declares_for_the_most_points() -> None:
    assert choices(view_of(DECLARABLE)) == {"+10=2"}


def exposed_position(rules: str, hands: str, stock: str, dealer: int, exposed: str) -> sf.SeatView:
    """Return what seat 1 sees with king, 4 and fante in hand, king and 5 on the table, and a stock."""
    named = parse_cards(hands.replace("/", "") + "5CRC" + stock)
    rest = "".join(reference.format_card(card) for card in range(40) if card not in named)
    others = "/-" * (find_rules(rules).seats - 1)
    return view_of(f"{rules} hands={hands} table=5CRC piles={rest}{others} stock={stock} last=0 seat=1 dealer={dealer}{exposed}")


def test_the_next_hand_is_known_if_it_was_shown() -> None:
    # Any capture leaves a card that a 5 of the stock sweeps; but seat 0 showed that it holds 2 and 3.
    hands, stock = "2S3S/RS4DFB", "5B5S4CCDCSCB"
    assert choices(exposed_position("cirulla_2", hands, stock, 1, "")) == {"FB"}
    assert choices(exposed_position("cirulla_2", hands, stock, 1, " exposed=0")) == {"RSx5C"}


def test_a_hand_shown_by_another_seat_is_not_the_next_one() -> None:
    # The only 5 left is in the hand that seat 0 showed; seat 2 plays next and cannot hold it.
    hands, stock = "2S5B/RS4DFB/2C3C4C", "3S4S4B6D6C6SCDCSCB"
    assert choices(exposed_position("cirulla_3", hands, stock, 2, "")) == {"FB"}
    assert choices(exposed_position("cirulla_3", hands, stock, 2, " exposed=0")) == {"RSx5C"}


@pytest.mark.parametrize("preset", PRESETS)
def test_greedy_agrees_with_a_slow_greedy(preset: str) -> None:
    """The description of the player, once more, by playing each move on a copy and asking the engine about every unseen card."""
    rules = find_rules(preset)
    for state in random_states(rules, 2, seed=9):
        move = Move(GREEDY.choose(state.view(state.seat), sf.Rng(2)))
        moves = state.legal_moves()
        declarations = [move for move in moves if move.is_declaration]
        if declarations:
            assert move in declarations and move.points == max(move.points for move in declarations)
            continue
        order = {move: slow_order(state, move) for move in moves}
        assert order[move] == max(order.values()), (str(state), str(move))


def slow_order(state: Any, move: Move) -> tuple[bool, bool, bool, int]:
    rules, after = state.rules, state.clone()
    after.play(move)
    seat, threatened = after.seat, False
    if not after.is_terminal():
        known = state.hand(seat) if seat in state.exposed and state.hand_mask(seat) else None
        for card in range(rules.cards):
            piles = [state.pile(side) for side in range(len(rules.sides))]
            seen = any(card in place for place in (state.hand(state.seat), state.table, *piles))
            others = any(card in state.hand(q) for q in state.exposed if q != seat)
            if card in known if known is not None else not seen and not others:
                threatened = threatened or scores_sweep(rules, card, after, after.plays_left == 1)
    values = card_values(rules)
    captured = list(move.captured)
    worth = sum(values[card] for card in [move.card, *captured])
    return state.is_scopa(move), not threatened, bool(captured), worth if captured else -worth
