"""How a State behaves, deals, moves, declarations and the end: each test shows one rule or one promise, on both engines."""

from __future__ import annotations

from types import ModuleType

import pytest
from state_texts import CIRULLA, at, moves_of, play, play_out

from scopa_fast import PRESETS, find_rules

# -- deals -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_a_new_deal_has_the_cards_of_section_3(engine: ModuleType, name: str) -> None:
    rules = find_rules(name)
    state = engine.State(name, 1)
    assert [len(state.hand(seat)) for seat in range(rules.seats)] == [rules.hand] * rules.seats
    assert len(state.table) == (0 if any(state.scope) else rules.table)
    assert state.stock_size == len(state.stock) == rules.cards - rules.table - rules.seats * rules.hand
    assert state.plays_left == rules.plays
    assert state.seat == (state.dealer + 1) % rules.seats
    assert state.voids or state.dealer == rules.seats - 1
    assert (state.matta, state.exposed) == (None, ())


def test_the_seat_after_the_dealer_leads(engine: ModuleType) -> None:
    for dealer in range(4):
        assert engine.State("scopone", 1, dealer=dealer).seat == (dealer + 1) % 4


def test_a_deal_after_void_deals_says_how_many_and_who_deals_now(engine: ModuleType) -> None:
    found = [engine.State("cirulla_3[void_aces=1]", seed, dealer=0) for seed in range(20)]
    assert any(state.voids for state in found)
    assert all(state.dealer == state.voids % 3 for state in found)
    assert all(engine.State("scopa_3[void_aces=1]", seed, dealer=0).dealer == 0 for seed in range(20))


def test_the_same_seed_is_the_same_deal(engine: ModuleType) -> None:
    assert engine.State("scopa", 5) == engine.State("scopa", 5)
    assert engine.State("scopa", 5) != engine.State("scopa", 6)
    assert engine.State("scopa") != engine.State("scopa")


def test_a_deck_is_dealt_from_the_top_and_the_table_follows_the_hands(engine: ModuleType) -> None:
    state = engine.State.from_deck("scopa", range(40))
    assert str(state.hand(0)) == "AD AC AS"
    assert str(state.hand(1)) == "AB 2D 2C"
    assert str(state.table) == "2S 2B 3D 3C"
    assert state.stock[:3] == (10, 11, 12)


def test_a_deck_may_be_any_iterable(engine: ModuleType) -> None:
    assert engine.State.from_deck("scopa", iter(range(40))) == engine.State.from_deck("scopa", tuple(range(40)))


def test_an_explicit_void_deck_is_refused_and_shown_by_deal(engine: ModuleType) -> None:
    deck = [*range(6), *range(36, 40), *range(6, 36)]
    with pytest.raises(engine.VoidDealError):
        engine.State.from_deck("scopa", deck)
    dealt = engine.deal("scopa", deck)
    assert dealt.void
    assert dealt.redealer == 1
    assert dealt.table_bonus == 0
    assert engine.State.from_deck("scopa[void_kings=0]", deck).table_mask == 15 << 36


def test_a_first_table_of_fifteen_is_the_dealers(engine: ModuleType) -> None:
    deck = engine.parse_cards("ADACAS2D2C2S 3D4D5D3C")
    deck += [card for card in range(40) if card not in deck]
    state = engine.State.from_deck("escoba_2", deck, dealer=1)
    assert str(state.pile(1)) == "3D 3C 4D 5D"
    assert (state.scope, state.last_capturer, state.table_mask) == ((0, 1), 1, 0)
    assert engine.State.from_deck("scopa", deck, dealer=1).scope == (0, 0)


def test_a_new_round_is_dealt_inside_play(engine: ModuleType) -> None:
    state = engine.State("scopa", 1)
    stock = state.stock
    for _ in range(5):
        state.play_index(0)
    assert state.stock == stock
    state.play_index(0)
    assert state.stock == stock[6:]
    assert tuple(sorted(state.hand(0))) == stock[:3]
    assert tuple(sorted(state.hand(1))) == stock[3:6]


# -- moves -------------------------------------------------------------------------------


def test_a_card_that_can_capture_must(engine: ModuleType) -> None:
    state = at(engine, "scopa hands=6D/RD table=2C4S seat=0 dealer=1")
    assert moves_of(state) == ["6Dx2C4S"]


def test_a_card_that_can_capture_need_not_in_escoba(engine: ModuleType) -> None:
    state = at(engine, "escoba_2 hands=6D/RD table=2C7S seat=0 dealer=1")
    assert moves_of(state) == ["6Dx2C7S", "6D"]


def test_moves_come_in_canonical_order(engine: ModuleType) -> None:
    state = at(engine, "scopa[ace_sweep=true,ace_to_pile=any] hands=AD5DRB/2D3D4C table=2C3C3S5C5S seat=0 dealer=1")
    assert moves_of(state) == ["ADx2C3C3S5C5S", "AD^", "5Dx5C", "5Dx5S", "RBx2C3C5C", "RBx2C3C5S", "RBx2C3S5C", "RBx2C3S5S", "RBx5C5S"]


def test_a_move_index_is_its_place_in_the_list(engine: ModuleType) -> None:
    state = at(engine, "scopa hands=5DRB/2D3D table=2C3C3S5C5S seat=0 dealer=1")
    for index, move in enumerate(state.legal_moves()):
        state.play_index(index)
        assert state.undo() == move


def test_plays_by_move_int_and_index_are_the_same(engine: ModuleType) -> None:
    states = [engine.State("scopone", 3) for _ in range(4)]
    for _ in range(36):
        move = states[0].legal_moves()[-1]
        states[0].play(move)
        states[1].play(int(move))
        states[2].play_index(states[2].move_count() - 1)
        states[3].play_unchecked(move)
        assert states[0] == states[1] == states[2] == states[3]


def test_legal_moves_are_moves_and_ints_are_plain(engine: ModuleType) -> None:
    state = engine.State("scopa", 1)
    assert all(type(move) is engine.Move for move in state.legal_moves())
    assert all(type(move) is int for move in state.legal_move_ints())
    assert type(state.random_move(engine.Rng(1))) is int


def test_no_int_but_the_legal_ones_is_legal(engine: ModuleType) -> None:
    state = at(engine, "scopa hands=6D/RD table=2C4S seat=0 dealer=1")
    move = engine.parse_move("6Dx2C4S")
    assert state.is_legal(move)
    assert state.is_legal(int(move))
    assert not any(state.is_legal(move ^ 1 << bit) for bit in range(64))
    assert not state.is_legal(-move)
    assert not state.is_legal(2**200)


def test_captures_are_those_of_the_moves(engine: ModuleType) -> None:
    state = at(engine, "scopa hands=5DRB/2D3D table=2C3C3S5C5S seat=0 dealer=1")
    card = engine.parse_card("RB")
    assert [str(taken) for taken in state.captures(card)] == ["2C 3C 5C", "2C 3C 5S", "2C 3S 5C", "2C 3S 5S", "5C 5S"]
    assert state.capture_masks(card) == [taken.mask for taken in state.captures(card)]


def test_the_first_card_may_not_be_a_banned_ace(engine: ModuleType) -> None:
    deck = engine.parse_cards("AD2C3S 4D5C6S 7DFDCDRD")
    deck += [card for card in range(40) if card not in deck]
    state = engine.State.from_deck("scopa[ace_sweep=true,first_ace_ban=true,ace_to_pile=any]", deck)
    assert {str(move)[:2] for move in state.legal_moves()} == {"2C", "3S"}
    assert state.captures(0) == []
    assert not state.is_legal(engine.parse_move("AD^"))
    only_aces = engine.parse_cards("ADACAS 4D5C6S 7DFDCDRD")
    only_aces += [card for card in range(40) if card not in only_aces]
    assert engine.State.from_deck("scopa[ace_sweep=true,first_ace_ban=true]", only_aces).move_count() == 3


def test_an_ace_on_an_empty_table_goes_to_the_pile_where_it_must(engine: ModuleType) -> None:
    state = at(engine, "asso_piglia_tutto_2 hands=AD/2D table=- seat=0 dealer=1 last=1")
    assert moves_of(state) == ["AD^"]
    play(state, "AD^")
    assert 0 in state.pile(0)
    assert state.last_capturer == 1


# -- declarations ------------------------------------------------------------------------


def test_declarations_come_first_and_leave_the_same_seat_to_play(engine: ModuleType) -> None:
    state = at(engine, CIRULLA)
    assert moves_of(state)[:4] == ["+3=A", "+3=2", "+3=3", "+3=4"]
    assert state.move_count() == 4 + state.card_move_count()
    play(state, "+3=3")
    assert (state.seat, state.bonus, state.exposed, state.matta) == (0, (3, 0), (0,), 3)
    assert state.plays_left == 6


def test_a_hand_is_declared_once_and_only_whole(engine: ModuleType) -> None:
    state = at(engine, CIRULLA)
    play(state, "+3=2")
    assert not any(move.is_declaration for move in state.legal_moves())
    undeclared = at(engine, CIRULLA)
    play(undeclared, "2Dx3CRD", "4D")
    assert not any(move.is_declaration for move in undeclared.legal_moves())


def test_a_declared_seven_of_cups_keeps_its_rank_until_it_is_captured(engine: ModuleType) -> None:
    state = at(engine, CIRULLA)
    play(state, "+3=4", "7C", "4Dx7C")
    assert state.matta is None
    state.undo()
    assert state.matta == 4
    assert [str(move) for move in state.legal_moves() if move.card == 12] == ["4Dx7C"]
    state.undo()
    state.undo()
    assert (state.matta, state.exposed, state.bonus) == (None, (), (0, 0))


def test_random_moves_never_declare(engine: ModuleType) -> None:
    state = at(engine, CIRULLA)
    rng = engine.Rng(1)
    assert not any(engine.Move(state.random_move(rng)).is_declaration for _ in range(50))


def test_exposed_hands_are_hidden_again_in_the_next_round(engine: ModuleType) -> None:
    state = at(engine, "cirulla_2 hands=AD/4D table=RD stock=ACASAB4BRCRS seat=0 dealer=1 bonus=3/0 exposed=0")
    play(state, "ADxRD", "4D")
    assert state.exposed == ()
    assert moves_of(state)[0] == "+10"


# -- scope and the end -------------------------------------------------------------------


def test_emptying_the_table_is_a_scopa(engine: ModuleType) -> None:
    state = at(engine, "scopa hands=6D2D/RD3D table=2C4S seat=0 dealer=1")
    assert state.is_scopa(engine.parse_move("6Dx2C4S"))
    play(state, "6Dx2C4S")
    assert state.scope == (1, 0)


def test_the_last_card_sweeps_for_nothing_but_captures(engine: ModuleType) -> None:
    state = at(engine, "scopa hands=-/6D table=2C4S seat=1 dealer=1")
    assert not state.is_scopa(engine.parse_move("6Dx2C4S"))
    play(state, "6Dx2C4S")
    assert state.scope == (0, 0)
    assert str(state.pile(1)) == "2C 4S 6D"


def test_the_last_card_is_the_dealers_scopa_where_the_rules_say_so(engine: ModuleType) -> None:
    state = at(engine, "scopa[last_play_scopa=dealer] hands=-/6D table=2C4S seat=1 dealer=1")
    play(state, "6Dx2C4S")
    assert state.scope == (0, 1)


def test_leftovers_go_to_the_side_that_captured_last(engine: ModuleType) -> None:
    state = at(engine, "scopa hands=-/RD table=2C4S last=0 seat=1 dealer=1")
    play(state, "RD")
    assert state.is_terminal()
    assert state.table_mask == 0
    assert all(card in state.pile(0) for card in engine.parse_cards("2C4SRD"))
    assert state.scope == (0, 0)


def test_leftovers_that_nobody_captured_stay_unclaimed(engine: ModuleType) -> None:
    state = at(engine, "scopa hands=-/RD table=2C4S seat=1 dealer=1")
    play(state, "RD")
    assert str(state.table) == "2C 4S RD"
    assert str(state.score().unclaimed) == "2C 4S RD"


def test_no_score_before_the_end(engine: ModuleType) -> None:
    with pytest.raises(engine.DealNotOverError, match="36 cards to play"):
        engine.State("scopa", 1).score()


@pytest.mark.parametrize("name", PRESETS)
def test_every_card_is_somewhere_at_the_end(engine: ModuleType, name: str) -> None:
    state = engine.State(name, 4)
    play_out(state)
    score = state.score()
    assert sum(score.cards) + len(score.unclaimed) == state.rules.cards
    assert state.legal_moves() == []
    assert (state.move_count(), state.plays_left, state.stock) == (0, 0, ())
    assert state.seat == (state.dealer + 1) % state.rules.seats


def test_the_score_is_that_of_the_piles(engine: ModuleType) -> None:
    state = engine.State("cirulla_2", 3)
    play_out(state)
    piles = [state.pile_mask(side) for side in range(2)]
    assert state.score() == engine.score_piles("cirulla_2", piles, state.scope, state.bonus, state.table_mask)
