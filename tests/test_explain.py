"""Advice about a move: each tag on positions worked out by hand, and what must hold in every game."""

from __future__ import annotations

import doctest
import math
import pickle
import random
from collections import Counter
from typing import Any

import pytest
from paths import DOCS
from strategies import random_position, random_states

import scopa_fast as sf
from scopa_fast.bots import advice as module
from scopa_fast.bots import probabilities
from scopa_fast.bots.advice import TAGS, Tag, explain
from scopa_fast.errors import IllegalMoveError

SETTEBELLO = sf.parse_card("7D")
SEVENS = sf.mask_of(sf.parse_cards("7D7C7S7B"))


def look(
    rules: str, hands: str, table: str, *, unseen: str = "", won: str = "", seat: int = 0, dealer: int = -1, more: str = "last=0"
) -> sf.SeatView:  # fmt: skip
    """Return the view of the seat to move. The last seat deals unless told.

    With ``won``, the piles, the cards not named are in the stock; else there is none, and those not named either are in the pile of side 0.
    """
    game = sf.parse_rules(rules)
    named = sf.parse_cards("".join(letter for letter in hands + table + won + unseen if letter not in "?/-"), game.deck)
    rest = [sf.format_card(card, game.deck) for card in range(game.cards) if card not in named]
    stock = "?" * (len(rest) - hands.count("?")) if won else "-"
    piles = won or "".join(rest) + "/-" * (len(game.sides) - 1)
    text = f"{rules} hands={hands} table={table} piles={piles} stock={stock or '-'} {more} seat={seat} dealer={dealer % game.seats}"
    return sf.SeatView.from_text(text, seat)


def tags_of(view: Any, move: str) -> dict[str, Tag]:
    return {tag.name: tag for tag in explain(view, sf.parse_move(move, view.rules.deck))}


def numbers(view: Any, move: str, name: str) -> dict[str, Any] | None:
    """Return the numbers of a tag, None if the move has no such tag."""
    tag = tags_of(view, move).get(name)
    return None if tag is None else dict(tag.numbers)


# The advice of old, position by position.


@pytest.mark.parametrize(
    ("table", "won", "taken", "gain", "suits"),
    [
        ("AC2B4S5B", "-/CBCDCCCSFCFSRBRDRCRS", "AC5B", 18 + 15 + 16, 3),
        ("AC2B4S5B", "-/CBCDCCCSFCFSRBRDRCRS", "2B4S", 18 + 12, 2),  # 4S is behind 6S
        ("AC2B4D5B", "-/CBCDCCCSFCFSRBRDRCRS", "2B4D", 18 + 12 + 14, 3),
        ("AC2B4S5B", "7C/CCCSFCFSRBRDRCRSFB", "AC5B", 18 + 15, 2),  # AC is behind 7C
        ("AC2B4S5B", "7C/CCCSFCFSRBRDRCRSFB", "2B4S", 18 + 12, 2),
    ],
)
def test_a_capture_says_what_the_prime_gains(table: str, won: str, taken: str, gain: int, suits: int) -> None:
    view = look("scopa", "6S/?", table, won=won)
    move = f"6Sx{taken}"
    assert numbers(view, move, "primiera") == {"gain": gain, "suits": suits, "rank": 0, "open": 1}
    # Either way a sum of 6 is left. 25 cards are unseen, 6D 6C 6B among them, and the other hand has one card.
    assert numbers(view, move, "exposes_scopa") == {"probability": pytest.approx(3 / 25), "ranks": (6,), "copies": 3, "points": 1}
    assert numbers(view, move, "leaves") == {"sum": 6, "cards": 2, "eleven": 0, "safe": 0}
    assert numbers(view, move, "cards") == {"won": 3, "total": 3 + won.count("7C"), "open": 1}


def test_coins_count_until_a_side_is_sure_of_them() -> None:
    # Four coins of the other side leave six; six of ten decide the denari.
    four = look("scopa", "6S/?", "AC2B4D5B", won="-/2D3DRDCDFCFSRBRCRSCB")
    assert numbers(four, "6Sx2B4D", "coins") == {"won": 1, "total": 1, "points": 0, "open": 1}
    six = look("scopa", "6S/?", "AC2B4D5B", won="-/2D3DRDCDFD5DRBRCRSCB")
    assert numbers(six, "6Sx2B4D", "coins") == {"won": 1, "total": 1, "points": 0, "open": 0}
    assert tags_of(six, "6Sx2B4D")["coins"].text == "Wins 1 coin, 1 in all; the point is already decided."
    assert "coins" not in tags_of(six, "6SxAC5B")


def test_an_anchor_is_a_table_that_only_the_own_hand_can_sweep() -> None:
    # 3D 3C are won, 3S is left, 3B is in the own hand.
    view = look("scopa", "???/6C3BFB", "4B2C3S", won="3D3CRCRS/FSFDFC", seat=1, dealer=0)
    assert numbers(view, "6Cx2C4B", "anchor") == {"ranks": (3,), "held": 1}
    assert numbers(view, "6Cx2C4B", "leaves") == {"sum": 3, "cards": 1, "eleven": 0, "safe": 1}
    assert "exposes_scopa" not in tags_of(view, "6Cx2C4B")
    # With 3C unseen instead of won another hand may have it.
    other = look("scopa", "???/6C3BFB", "4B2C3S", won="3DRBRCRS/FSFDFC", seat=1, dealer=0)
    assert "anchor" not in tags_of(other, "6Cx2C4B")
    assert numbers(other, "6Cx2C4B", "leaves") == {"sum": 3, "cards": 1, "eleven": 0, "safe": 0}


def test_no_anchor_is_left_to_the_last_play_of_the_deal() -> None:
    # The dealer keeps 3B for its last play, which is no scopa (SCO-2), but is one under SCO-3.
    for rules, anchor in (("scopone", None), ("scopone[last_play_scopa=dealer]", {"ranks": (3,), "held": 1})):
        view = look(rules, "?/?/?/6C3B", "4B2C3S", unseen="FBRBCB", seat=3)
        assert numbers(view, "6Cx2C4B", "anchor") == anchor


def test_eleven_is_the_least_sum_out_of_reach() -> None:
    # Nine unseen cards without a 4, which could sweep 11 only with fifteens.
    unseen = "2D3D5D6D7DFDCDRDRC"
    view = look("scopone", "4C5CCC/???/???/???", "6SAC", unseen=unseen)
    assert numbers(view, "4C", "leaves") == {"sum": 11, "cards": 3, "eleven": 1, "safe": 1}
    assert numbers(view, "5C", "leaves") == {"sum": 12, "cards": 3, "eleven": 0, "safe": 1}
    fifteens = look("scopa_quindici", "4CFC/??", "6SAC", unseen="4D3D")
    assert numbers(fifteens, "4C", "leaves") == {"sum": 11, "cards": 3, "eleven": 0, "safe": 0}
    last = look("scopa_quindici", "4C/?", "6SAC", unseen="4D")  # and no scopa to come
    assert numbers(last, "4C", "leaves") == {"sum": 11, "cards": 3, "eleven": 0, "safe": 1}
    # 52 cards: kings are worth 13, so that 14 it is.
    large = look("scopa_8", "4CCC" + 7 * "/??", "9SAC", unseen="2D3D5D6D7DFDCDRDRC2S3S5S6S7S")
    assert numbers(large, "4C", "leaves") == {"sum": 14, "cards": 3, "eleven": 1, "safe": 1}


def test_a_double_has_another_card_behind_it() -> None:
    # Of the 5s two are in the own hand and 5D is unseen, 5S is won.
    view = look("scopone", "5C5B4B/???/???/???", "RSCB", unseen="2D3D5D6D7DFDCDRDRC")
    assert numbers(view, "5C", "double") == {"ranks": (5,), "held": 1, "unseen": 1}
    assert "double" not in tags_of(view, "4B")
    # A capture that leaves a 5 behind, with two 5s in hand.
    capture = look("scopone", "5C5BRC/???/???/???", "RS5S", unseen="2D3D5D6D7DFDCDRDRB")
    assert numbers(capture, "RCxRS", "double") == {"ranks": (5,), "held": 2, "unseen": 1}
    # With fifteens alone equal cards do not take each other.
    assert "double" not in tags_of(look("scopa_quindici", "5C5B/??", "CSCB", unseen="2D3D"), "5C")


def test_sevens_left_open_are_those_the_next_seat_may_win() -> None:
    # The dealer lays 2B beside 5S: seat 0 takes both with 7D, 7S or 7B if it has one: 1 - C(3,2)/C(6,2) = 0.8. With 4B none can.
    view = look("scopone", "??/??/??/7C2B4B", "5SRB", unseen="7D7S7BFDFCRD", seat=3)
    assert numbers(view, "2B", "sevens") == {"won": 0, "kept": 1, "broken": 0, "open": pytest.approx(0.8), "points": 0}
    assert "sevens" not in tags_of(view, "4B")
    # A laid seven: taken by one of the other three, while the four of them stay in play.
    assert numbers(view, "7C", "sevens") == {"won": 0, "kept": 0, "broken": 0, "open": pytest.approx(0.8), "points": 0}


def test_sevens_won_break_the_rank_or_leave_it_even() -> None:
    view = look("scopone", "??/?/?/7C7B", "3S4S7S", unseen="FDFCRDRC", seat=3, dealer=0)
    # 7Cx7S takes two of three: one is left in play, in the own hand. The next seat has neither a seven nor a card that takes one.
    assert numbers(view, "7Cx7S", "sevens") == {"won": 2, "kept": 1, "broken": 1, "open": 0.0, "points": 0}
    calabrese = look("scopa_calabrese", "7C7B/??", "3S4S7S", unseen="FDFC")
    assert numbers(calabrese, "7Cx7S", "sevens") == {"won": 2, "kept": 1, "broken": 1, "open": 0.0, "points": 1}
    assert numbers(calabrese, "7Bx7S", "sevens") == {"won": 2, "kept": 1, "broken": 1, "open": 0.0, "points": 0}


def test_sevens_stop_counting_with_what_they_score() -> None:
    for options, counts in (("primiera=none", False), ("primiera=none,sette_coppe=true", True), ("re_bello=true", True)):
        view = look(f"scopa[{options}]", "7C7B/??", "3S4S7S", unseen="FDFC")  # 7D is won
        assert ("sevens" in tags_of(view, "7Cx7S")) == counts
    over = look("scopa", "-/7C", "RC2C", seat=1)  # the last card of the deal goes to the other side, and is not in play any more
    assert numbers(over, "7C", "sevens") == {"won": 0, "kept": 0, "broken": 0, "open": 0.0, "points": 0}
    settebello = look("scopa[primiera=none]", "7C7B/??", "3S4S7S", unseen="FD7D")
    assert "sevens" in tags_of(settebello, "7Cx7S")


def test_an_ace_that_takes_just_an_ace_is_burnt() -> None:
    view = look("scopa_assi", "AD2C/??", "ACRB7D", unseen="FDFC")
    assert numbers(view, "ADxAC", "burns_ace") == {"left": 2}
    assert "burns_ace" not in tags_of(view, "2C")
    everything = look("asso_piglia_tutto_2", "AD2C/??", "ACRB7D", unseen="FDFC")
    assert "burns_ace" not in tags_of(everything, "ADxACRB7D")
    choice = look("cirulla_2[ace_on_table=all]", "AD2C/??", "ACRB7D", unseen="FDFC")  # it could have taken all
    assert "burns_ace" not in tags_of(choice, "ADxAC")
    assert "burns_ace" not in tags_of(look("scopa", "AD2C/??", "ACRB7D", unseen="FDFC"), "ADxAC")
    assert "burns_ace" not in tags_of(look("scopa_assi", "AD2C/??", "AC", unseen="FDFC"), "ADxAC")
    # In cirulla the 7C declared as an ace burns it, too.
    declared = look("cirulla_2", "7CADAS/???", "AC4B", unseen="FDFCFS", more="last=0 matta=A exposed=0")
    assert numbers(declared, "7CxAC", "burns_ace") == {"left": 1}


# The other tags.


@pytest.mark.parametrize(
    ("rules", "points"), [("scopa", 1), ("scopa_libica_rank", 6), ("scopa_libica_count", 3), ("cirulla_2", 1)]
)
def test_a_scopa_says_its_points(rules: str, points: int) -> None:
    view = look(rules, "6SRD/??", "2C4C", unseen="FDFC")
    assert numbers(view, "6Sx2C4C", "scopa") == {"points": points}
    assert "scopa" not in tags_of(view, "RD")


def test_the_deals_last_play_is_a_scopa_only_if_the_rules_say_so() -> None:
    for rules, found in (("scopa", None), ("scopa[last_play_scopa=dealer]", {"points": 1})):
        assert numbers(look(rules, "-/4D", "4C", seat=1), "4Dx4C", "scopa") == found


def test_an_aces_sweep_is_a_scopa_only_where_it_scores() -> None:
    for rules, points in (("scopa_assi", None), ("scopa_assi[ace_sweep_scopa=true]", {"points": 1}), ("cirulla_2", {"points": 1})):
        assert numbers(look(rules, "ADRD/??", "2C4C", unseen="FDFC"), "ADx2C4C", "scopa") == points
    # And it threatens one only there: the next seat holds AC.
    for rules, chance in (("scopa_assi", None), ("scopa_assi[ace_sweep_scopa=true]", 1.0)):
        found = numbers(look(rules, "CDRD/??", "2C4C", unseen="ACFD"), "CD", "exposes_scopa")
        assert (found and found["probability"]) == chance


def test_the_points_of_an_exposed_scopa_are_the_most_it_can_score() -> None:
    # After 2D a 3 sweeps 2D AC, the own hand holds RD; n = 4, k = 2, h = 2: 1 - C(2,2)/C(4,2) = 5/6.
    for rules, points in (("scopa_4", 1), ("scopa_4[scopa_value=rank]", 3), ("scopa_4[scopa_value=count]", 3)):
        view = look(rules, "2DRD/??/?/?", "AC", unseen="3D3CFDFC", dealer=1)
        assert numbers(view, "2D", "exposes_scopa") == {"probability": pytest.approx(5 / 6), "ranks": (3,), "copies": 2, "points": points}


def test_a_partner_who_plays_next_may_sweep() -> None:
    # AC 7D 2D make ten, and seat 1 has two of RC RB 7C FC.
    view = look("scopa_4", "2DRD/??/?/?", "AC7D", unseen="RCRB7CFC", dealer=1)
    assert {"exposes_scopa", "settebello", "sevens"} <= set(tags_of(view, "2D"))
    view = look("scopa_4[teams=01/23]", "2DRD/??/?/?", "AC7D", unseen="RCRB7CFC", dealer=1)
    assert {"exposes_scopa", "settebello", "sevens"} & set(tags_of(view, "2D")) == {"settebello"}
    assert numbers(view, "2D", "settebello") == {"won": 0, "probability": 0.0}


def test_a_shown_hand_is_known() -> None:
    # Seat 1 still has AS AB of the hand it showed, and no 4 to sweep with; 4D 4S 4B are in the stock.
    stock = {"won": "2D2C2S3C3D5D5C5S5B6D6C7D7B/CDCCCSCBRDRCRSFDFCFSFB"}
    shown = look("cirulla_2", "4CRB/ASAB", "-", more="last=0 exposed=1", **stock)
    assert numbers(shown, "4C", "leaves") == {"sum": 4, "cards": 1, "eleven": 0, "safe": 0}
    # An ace sweeps what has no ace (ACE-1), and scores in cirulla.
    assert numbers(shown, "4C", "exposes_scopa") == {"probability": 1.0, "ranks": (1,), "copies": 2, "points": 1}
    threes = look("cirulla_2", "4CRB/3S3B", "-", more="last=0 exposed=1", **stock)
    assert numbers(threes, "4C", "leaves") == {"sum": 4, "cards": 1, "eleven": 0, "safe": 1}
    assert "exposes_scopa" not in tags_of(threes, "4C")


def test_the_next_hand_of_a_new_round_is_unseen() -> None:
    # The dealer plays the last card of the round; of the 6 cards of the stock, one a 4, seat 0 gets three.
    view = look("scopa", "-/4C", "-", won="4D4B2D2C2S2B3D3C3S3B5D5C5S5BADACASAB/7D7C7S7BCDCCCSCBRDRCRSFDFCFSFB", seat=1)
    assert numbers(view, "4C", "exposes_scopa") == {"probability": pytest.approx(0.5), "ranks": (4,), "copies": 1, "points": 1}


def test_a_declared_seven_of_cups_counts_as_its_rank() -> None:
    view = look("cirulla_2", "4C4D/??", "7C", unseen="4S6D", more="last=0 matta=4")
    # It is a 4 for captures, so that 4Cx7C sweeps, and a seven for what it scores.
    assert numbers(view, "4Cx7C", "scopa") == {"points": 1}
    assert numbers(view, "4Cx7C", "sevens") == {"won": 1, "kept": 0, "broken": 0, "open": 0.0, "points": 0}
    laid = look("cirulla_2", "RC4D/??", "7C", unseen="4S6D", more="last=0 matta=4")
    assert numbers(laid, "RC", "leaves") == {"sum": 14, "cards": 2, "eleven": 0, "safe": 1}
    # 3C leaves 4 + 3 = 7, which 7D sweeps, and not 10, which RD and 5D would.
    three = look("cirulla_2", "3C4D/??", "7C", unseen="6D7D", more="last=0 matta=4")
    assert numbers(three, "3C", "exposes_scopa") == {"probability": 1.0, "ranks": (7,), "copies": 1, "points": 1}
    # 4S takes the declared card, and with it a seven.
    assert numbers(laid, "RC", "sevens") == {"won": 0, "kept": 0, "broken": 0, "open": 1.0, "points": 0}


def test_the_settebello_is_won_or_left() -> None:
    view = look("scopone", "7C5C/??/??/??", "7D3C", unseen="7S4D4CFDFCRD")
    assert numbers(view, "7Cx7D", "settebello") == {"won": 1, "probability": 0.0}
    # 5C leaves 7D 3C 5C: 7S takes 7D, a king takes 7D and 3C. n = 6, k = 2, h = 2: 1 - C(4,2)/C(6,2) = 0.6.
    assert numbers(view, "5C", "settebello") == {"won": 0, "probability": pytest.approx(0.6)}
    assert tags_of(view, "5C")["settebello"].text.startswith("Leaves the settebello on the table")
    laid = look("scopone", "7D5C/??/??/??", "FS", unseen="7S4D4CFDFCRD")
    assert numbers(laid, "7D", "settebello") == {"won": 0, "probability": pytest.approx(1 - math.comb(5, 2) / math.comb(6, 2))}
    assert tags_of(laid, "7D")["settebello"].text.startswith("Puts the settebello on the table")


def test_the_leftovers_of_the_deal_go_with_the_last_capture() -> None:
    view = look("scopa", "-/4D", "7D4C2C", seat=1)
    assert numbers(view, "4Dx4C", "settebello") == {"won": 1, "probability": 0.0}
    assert numbers(view, "4Dx4C", "cards")["won"] == 4
    for last, found in ((0, {"won": 0, "probability": 1.0}), (1, {"won": 1, "probability": 0.0}), ("-", {"won": 0, "probability": 0.0})):
        laid = look("scopa", "-/4D", "7D2CAC", seat=1, more=f"last={last}")
        assert numbers(laid, "4D", "settebello") == found
        assert ("cards" in tags_of(laid, "4D")) == (last == 1)
        assert "leaves" not in tags_of(laid, "4D")


def test_a_whirlwind_lets_partner_take_what_the_next_seat_has_to_lay() -> None:
    # 5C sweeps. Of 4D 4C 3D 3C FD CD two are with each other seat. Who lays a 4 or a 3 is answered by the other one with chance 2/5,
    # a jack and a knight by nobody: (4 * 2/5 + 2 * 0) / 6.
    view = look("scopone", "5CRD/??/??/??", "5D", unseen="4D4C3D3CFDCD")
    assert numbers(view, "5Cx5D", "whirlwind") == {"probability": pytest.approx(4 / 15), "least": 0.0}
    assert "whirlwind" not in tags_of(view, "RD")  # a jack would have to be laid, and stay
    # In a game of two the own hand answers: 5S takes a 5, RD nothing.
    two = look("scopa", "3C5SRD/???", "3D", unseen="5CFDCD")
    assert numbers(two, "3Cx3D", "whirlwind") == {"probability": pytest.approx(1 / 3), "least": 0.0}
    # An ace need not be laid on an empty table where it goes to the pile (ACE-4), and it takes what lies there. 4D is answered by 4C AD AC,
    # 1 - C(2,2)/C(5,2) = 0.9, and 4C likewise, a jack and a knight by AD AC: 1 - C(3,2)/C(5,2) = 0.7.
    aces = look("asso_piglia_tutto_4", "5CRD/??/??/??", "5D", unseen="4D4CADACFDCD")
    assert numbers(aces, "5Cx5D", "whirlwind") == {"probability": pytest.approx(0.8), "least": pytest.approx(0.7)}
    # Nobody's partner plays third in a game of three sides.
    three = look("scopa_3", "3C5SRD/???/???", "3D", unseen="5CFDCD5DFCCC")
    assert "scopa" in tags_of(three, "3Cx3D")
    assert "whirlwind" not in tags_of(three, "3Cx3D")


def played(text: str, *moves: str) -> Any:
    """Return the view of the seat to move after some moves from a position."""
    state = sf.State.from_text(text)
    for move in moves:
        state.play(sf.parse_move(move))
    return state.view(state.seat)


def test_partners_rank_is_echoed_or_taken() -> None:
    hands, table = "5CCCFC/5D2D3D/5S7S4D/RBRCCB", "6S6B"
    named = sf.parse_cards(hands.replace("/", "") + table)
    rest = "".join(sf.format_card(card) for card in range(40) if card not in named)
    text = f"scopone hands={hands} table={table} piles={rest}/- last=0 seat=0 dealer=3"
    taken = played(text, "5C", "5Dx5C")
    assert numbers(taken, "5S", "echo_partner") == {"rank": 5, "played": 1, "taken": 0}
    assert numbers(taken, "7S", "echo_partner") is None
    left = played(text, "5C", "2D")
    assert numbers(left, "5Sx5C", "echo_partner") == {"rank": 5, "played": 0, "taken": 1}
    assert numbers(left, "4D", "echo_partner") is None
    # A scopa is another matter.
    swept = played(text.replace(table, "-").replace("piles=", f"piles={table}"), "5C", "2D")
    assert "scopa" in tags_of(swept, "7Sx2D5C")
    assert "echo_partner" not in tags_of(swept, "7Sx2D5C")
    # Without the moves nothing is known of who laid what.
    assert "echo_partner" not in tags_of(sf.SeatView.from_text(taken.text, 2), "5S")


def test_a_declared_card_of_partners_is_echoed_by_its_rank() -> None:
    # Seat 0 declares two aces and a 2 with the 7C, lays it, and seat 1 takes it with an ace: seat 2 plays an ace again.
    hands = "7CAD2D/AS6DFD/ABFC7S/FSFBRD"
    named = sf.parse_cards(hands.replace("/", ""))
    rest = "".join(sf.format_card(card) for card in range(40) if card not in named)
    view = played(f"cirulla_4 hands={hands} table=- piles={rest}/- last=0 seat=0 dealer=3", "+3=A", "7C", "ASx7C")
    assert view.matta is None
    assert numbers(view, "AB", "echo_partner") == {"rank": 1, "played": 1, "taken": 0}
    assert numbers(view, "7S", "echo_partner") is None


def test_captures_pair_and_unpair_ranks() -> None:
    # Nobody has won a 2, a 4 or a 6: 6C takes 2C 4B and leaves three of each, which is what seat 0, not the dealer, wants.
    view = look("scopa", "6C3B/??", "4B2C3S", won="3D3CRC/-")
    odd = {"ranks": (2, 4, 6), "good": 1}
    assert (numbers(view, "6Cx2C4B", "pairs"), numbers(view, "6Cx2C4B", "unpairs")) == (None, odd)
    assert {"pairs", "unpairs"}.isdisjoint(tags_of(view, "3Bx3S"))
    # With 4D and 6D won, and 2D in play, 2s become odd, 4s and 6s even. The same move by the dealer's side wants the latter.
    for seat, hands, won in ((0, "6C3B/??", "4D6DRC/-"), (1, "?/6C3B", "4D6DRCRS/-")):
        both = look("scopa", hands, "4B2C3S", won=won, seat=seat)
        assert numbers(both, "6Cx2C4B", "pairs") == {"ranks": (4, 6), "good": seat}
        assert numbers(both, "6Cx2C4B", "unpairs") == {"ranks": (2,), "good": 1 - seat}
    # Not with three sides, nor where equal cards do not take each other.
    for game in (look("scopa_3", "6C3B/??/??", "4B2C3S", unseen="FDFCCDCC"), look("scopa_quindici", "6C3B/??", "4B2C3S", unseen="FDFC")):
        assert all("pairs" not in tag.name for move in game.legal_moves() for tag in explain(game, move))


@pytest.mark.parametrize(
    ("rules", "move", "found"),
    [
        ("scopa_americana", "7CxAC6D", {"gain": 1, "suits": 0, "rank": 7, "open": 1}),
        ("scopa_americana", "3CxAC2C", {"gain": 1, "suits": 0, "rank": 1, "open": 1}),
        ("scopa_americana", "RBxRS", {"gain": 2, "suits": 0, "rank": 8, "open": 1}),  # all faces count together, last
        ("scopa", "RBxRS", {"gain": 20, "suits": 2, "rank": 0, "open": 1}),
        ("scopa[primiera=southern]", "RBxRS", {"gain": 20, "suits": 2, "rank": 0, "open": 1}),
        ("scopa[primiera=zero_faces]", "RBxRS", {"gain": 0, "suits": 2, "rank": 0, "open": 1}),
        ("scopa[primiera_scale=50/18/16/15/14/13/12/1]", "RBxRS", {"gain": 2, "suits": 2, "rank": 0, "open": 1}),
        ("scopa[primiera=none]", "RBxRS", None),
    ],
)
def test_the_primiera_counts_by_its_scale(rules: str, move: str, found: dict[str, int] | None) -> None:
    view = look(rules, "7C3CRB/???", "AC2C6DRS", won="-/FDFCFSFBCBCS")
    assert numbers(view, move, "primiera") == found


def test_coins_tell_what_they_score_at_once() -> None:
    for rules, hands, taken, won, points in (
        ("cirulla_2", "2CRB/??", "2D", "AD3D4DFC/-", 4),  # a run of four
        ("scopa[napola=run]", "2CRB/??", "2D", "AD3D5DFC/-", 3),
        ("scopa[napola=all_coins]", "2CRB/??", "2D", "AD3D5DFC/-", 4),
        ("cirulla_2", "CCRB/??", "CD", "FDRDFCFS/-", 5),  # the three faces
        ("scopa[re_bello=true]", "RCRB/??", "RD", "FDCDFCFS/-", 1),
        ("scopa", "RCRB/??", "RD", "FDCDFCFS/-", 0),
    ):
        view = look(rules, hands, taken + "6S", won=won)
        move = next(move for move in view.legal_moves() if move.captured_mask == 1 << sf.parse_card(taken))
        assert numbers(view, str(move), "coins") == {"won": 1, "total": won.count("D") + 1, "points": points, "open": 1}, rules


def test_the_dealers_last_card_is_known_when_it_is() -> None:
    # The only card unseen is the dealer's. It takes RS, if RS is left, and nothing else.
    view = look("scopa", "RB/?", "RS4D", unseen="RC")
    assert numbers(view, "RBxRS", "last_card") == {"rank": 10, "copies": 0, "takes": 0}
    other = look("scopa", "FB/?", "RS4D", unseen="RC")
    assert numbers(other, "FB", "last_card") == {"rank": 10, "copies": 1, "takes": 1}
    # Seat 1 does not know which of two cards the dealer has, unless both are kings; seat 2 plays before.
    hands = "-/FB/?/?"
    assert numbers(look("scopone", hands, "RS4D", unseen="RCRB", seat=1), "FB", "last_card") == {"rank": 10, "copies": 2, "takes": -1}
    assert numbers(look("scopone", hands, "RS4D", unseen="RCCB", seat=1), "FB", "last_card") is None
    # Two kings are not one card, and the last card of a round is not the last of the deal.
    assert numbers(look("scopa", "FB4B/??", "RS4D", unseen="RCRB"), "FB", "last_card") is None
    assert numbers(look("scopa", "?/FBRC", "4D", won="AC2C3C4C5C6C/-", seat=1), "FB", "last_card") is None
    # The dealer itself knows what it keeps, one of three kings.
    own = look("scopone", "?/?/?/FBRC", "4D", unseen="RBRDCB", seat=3)
    assert numbers(own, "FB", "last_card") == {"rank": 10, "copies": 2, "takes": -1}


def test_a_declaration_says_its_points_and_nothing_else() -> None:
    view = look("cirulla_2", "2D7C2S/???", "6D5C", unseen="RDRCRS")
    assert [str(move) for move in view.legal_moves()[:2]] == ["+3=A", "+3=3"]
    (tag,) = explain(view, sf.parse_move("+10=2"))
    assert tag == Tag("declares", {"points": 10, "rank": 2}, "Shows the hand for 10 points, the 7C standing for a 2.", "CIR-2")
    (small,) = explain(look("cirulla_2", "2D3C2S/???", "6D5C", unseen="RDRCRS"), sf.parse_move("+3"))
    assert (dict(small.numbers), small.source) == ({"points": 3, "rank": 0}, "CIR-1")


def test_tags_can_be_hashed_and_pickled() -> None:
    tags = explain(sf.State("scopa", 1).view(0), sf.State("scopa", 1).legal_moves()[0])
    assert pickle.loads(pickle.dumps(tags)) == tags
    assert len(set(tags)) == len(tags)


def test_what_is_no_legal_move_is_refused() -> None:
    view = look("scopa", "6S3B/??", "2C4C", unseen="FDFC")
    with pytest.raises(IllegalMoveError, match=r"illegal move '6S' in 'scopa hands=3B6S/\?\? table=2C4C"):
        explain(view, sf.parse_move("6S"))
    with pytest.raises(IllegalMoveError, match=r"illegal move '7Dx7C' in"):
        explain(view, int(sf.parse_move("7Dx7C")))
    with pytest.raises(IllegalMoveError, match=r"illegal move -1 in 'scopa .*': .*out of range"):
        explain(view, -1)
    with pytest.raises(TypeError, match="'6S'"):
        explain(view, "6S")  # type: ignore[arg-type]
    state = sf.State("scopa", 1)
    with pytest.raises(TypeError, match="view must be a SeatView of the native engine, not State"):
        explain(state, state.legal_moves()[0])  # type: ignore[arg-type]


def test_a_view_of_another_seats_turn_is_refused() -> None:
    state = sf.State("scopa", 1)
    move = state.legal_moves()[0]
    with pytest.raises(IllegalMoveError, match=rf"seat 1 has no move '{move}' in 'scopa hands="):
        explain(state.view(1), move)


# In every game.


@pytest.mark.parametrize("preset", sf.PRESETS)
def test_tags_agree_with_what_the_move_does(preset: str) -> None:
    for state in random_states(preset, 2, seed=3):
        view, seat, side = state.view(state.seat), state.seat, state.side
        for move in state.legal_moves()[:4]:
            tags = {tag.name: tag for tag in explain(view, move)}
            assert list(tags) == sorted(tags, key=TAGS.index)
            for tag in tags.values():
                check_shape(tag)
            if move.is_declaration:
                assert list(tags) == ["declares"]
                continue
            after = state.clone()
            after.play(move)
            points = after.scope[side] - state.scope[side]
            assert ("scopa" in tags) == state.is_scopa(move) == (points > 0)
            assert not points or tags["scopa"].numbers["points"] == points
            won = after.pile_mask(side) & ~state.pile_mask(side)
            for name, count in (("cards", won.bit_count()), ("coins", len([card for card in sf.cards_of(won) if card % 4 == 0]))):
                assert (tags[name].numbers["won"] if name in tags else 0) == count
            assert ("settebello" in tags and tags["settebello"].numbers["won"] == 1) == bool(won >> SETTEBELLO & 1)
            if "sevens" in tags:
                assert tags["sevens"].numbers["won"] == (won & SEVENS).bit_count()
            if after.is_terminal():
                assert "leaves" not in tags
            else:
                total = sum(view.matta if view.matta and card == 25 else card // 4 + 1 for card in after.table)
                assert tags["leaves"].numbers["sum"] == total
                assert tags["leaves"].numbers["safe"] == ("exposes_scopa" not in tags)
            twin = type(view)(view.position, seat, view.moves)
            assert explain(twin, move) == tuple(tags.values())


def check_shape(tag: Tag) -> None:
    assert tag.source
    assert tag.text[0].isupper()
    assert tag.text.endswith(".")
    assert "  " not in tag.text
    for name, number in tag.numbers.items():
        if isinstance(number, tuple):
            assert number
            assert list(number) == sorted(number)
        else:
            assert math.isfinite(number)
            assert number <= 1 or name not in ("probability", "least", "open")
            assert number >= 0 or (tag.name, name) == ("last_card", "takes")


@pytest.mark.parametrize("preset", sf.PRESETS)
def test_dealing_the_hidden_cards_again_changes_nothing(preset: str) -> None:
    rng, different = sf.Rng(4), 0
    for number, state in enumerate(random_states(preset, 2, seed=4)):
        if number % 2:
            continue
        view = state.view(state.seat)
        other = sf.Worlds(view).sample(rng)
        different += other != state
        again = sf.SeatView.from_position(other.position(), state.seat, view.moves)
        for move in state.legal_moves()[:3]:
            assert explain(again, move) == explain(view, move)
    assert different > 10


def test_nothing_is_refused_in_positions_made_by_hand() -> None:
    """Tables of any size, declared 7Cs, shown hands, any rules."""
    rng, names = random.Random(5), Counter[str]()
    for index in range(300):
        rules = sf.find_rules(list(sf.PRESETS)[index % len(sf.PRESETS)])
        position = random_position(rules, rng)
        if position.table.bit_count() > 16:
            continue
        view = sf.State.from_position(position).view(position.seat)
        for move in rng.sample(view.legal_moves(), min(2, len(view.legal_moves()))):
            tags = explain(view, move)
            names.update(tag.name for tag in tags)
            for tag in tags:
                check_shape(tag)
    assert set(TAGS) - set(names) <= {"declares", "echo_partner"}  # rare, and out of reach without the moves before


@pytest.mark.parametrize("preset", sf.PRESETS)
def test_chances_are_those_of_the_worlds(preset: str) -> None:
    """How often the next seat could really sweep, take 7D, or win a seven, if the cards that the seat cannot see are dealt again."""
    rng, worlds_each = sf.Rng(6), 250
    for number, state in enumerate(random_states(preset, 2, seed=len(preset))):
        if number % 24 != 3 or state.plays_left == 1:
            continue
        view = state.view(state.seat)
        move = next(move for move in state.legal_moves() if not move.is_declaration)
        tags = {tag.name: tag.numbers for tag in explain(view, move)}
        chances = {
            "exposes_scopa": tags.get("exposes_scopa", {}).get("probability", 0.0),
            "settebello": tags.get("settebello", {}).get("probability", 0.0),
            "sevens": tags.get("sevens", {}).get("open", 0.0),
        }
        happened, lays, answered = Counter[str](), 0, 0
        worlds = sf.Worlds(view)
        for _ in range(worlds_each):
            world = worlds.sample(rng)
            world.play(move)
            answers = [answer for answer in world.legal_moves() if not answer.is_declaration]
            happened["exposes_scopa"] += any(map(world.is_scopa, answers))
            happened["settebello"] += any(answer.captured_mask >> SETTEBELLO & 1 for answer in answers)
            happened["sevens"] += any(answer.captured_mask and (answer.captured_mask | 1 << answer.card) & SEVENS for answer in answers)
            # Of the whirlwind: a card of the next hand at random, if it has to be laid, and whether the seat after it can take it.
            cards = sorted({answer.card for answer in answers})
            card = cards[rng.below(len(cards))]
            if "whirlwind" in tags and [answer.kind for answer in answers if answer.card == card] == ["lay"]:
                lays += 1
                world.play(sf.Move.lay(card, view.rules.deck))
                answered += any(not answer.is_declaration and answer.captured_mask >> card & 1 for answer in world.legal_moves())
        for name, chance in chances.items():
            if name == "sevens" and "sevens" not in tags:
                continue  # they do not count any more
            assert_close(happened[name], worlds_each, chance, f"{name} of {move} in {view}")
        if lays:
            assert_close(answered, lays, tags["whirlwind"]["probability"], f"whirlwind of {move} in {view}")


def assert_close(happened: int, times: int, chance: float, what: str) -> None:
    """Within 4.5 standard deviations; a chance of 0 or 1 leaves no doubt."""
    deviation = math.sqrt(times * chance * (1 - chance))
    assert abs(happened - times * chance) <= 4.5 * deviation + 1e-9 * times, (happened, times, chance, what)


@pytest.mark.parametrize("preset", ["scopa", "scopa_3", "scopa_8", "scopa_americana", "scopone", "escoba_4"])
def test_a_point_that_is_decided_stays_so(preset: str) -> None:
    """However the deal goes on, the same side alone scores it."""
    rng, closed = sf.Rng(7), 0
    for state in random_states(preset, 4, seed=7):
        after = probabilities.AfterMove(state.view(state.seat), sf.Move(state.legal_moves()[-1]))
        for item in ("primiera", "denari", "carte"):
            if not after.decided(item):
                continue
            closed += 1
            outcomes = set()
            for _ in range(4):
                other = state.clone()
                while not other.is_terminal():
                    other.play(other.random_move(rng))
                outcomes.add(other.score().points[item])
            assert len(outcomes) == 1
            assert sum(outcomes.pop()) == 1
    assert closed > 10


@pytest.mark.parametrize("loaded", [module, probabilities])
def test_the_docstrings_examples(loaded: Any) -> None:
    failed, tried = doctest.testmod(loaded)
    assert (failed, tried > 0) == (0, True)


def test_the_document_defines_every_tag() -> None:
    text = (DOCS / "advice.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    assert [name.strip(" `") for row in rows for name in row.split(",")] == list(TAGS)
    failed, tried = doctest.testfile(str(DOCS / "advice.md"), module_relative=False)
    assert (failed, tried) == (0, 4)
