"""The rule players: that the native scores are those of the slow twin in rule_players.py, and the twin's what a hand reckons."""

from __future__ import annotations

import random
from functools import lru_cache
from math import inf
from typing import Any

import pytest
from rule_players import CONVENTIONS, cs_scores

import scopa_fast as sf
from scopa_fast.bots import GreedyBot
from scopa_fast.core import players
from scopa_fast.rules import PRESETS

NATIVE = tuple(players.CONVENTIONS)
CHOICES = {"none": (), **{name: (name,) for name in NATIVE}, "all": NATIVE}
# 2D 2S and the 7C: 3 points with it as an ace up to a 5, but 10 as a 2.
DECLARABLE = (
    "cirulla_2 hands=2D7C2S/RDRCRS table=6D5C piles=ADACASAB2C2B3D3C3S3B4D4C4S4B5D5S5B6C6S6B7D7S7BFDFCFSFBCDCCCSCBRB/- "
    "last=0 seat=0 dealer=1"
)
UNSEEN_27_OF_3 = 1 - (24 * 23 * 22) / (27 * 26 * 25)
"""The chance that three of 27 unseen cards hold any of three."""


def texts(view: Any) -> list[str]:
    return [str(move) for move in view.legal_moves()]


def view_of(text: str) -> Any:
    """Return what the seat to move sees of a position in which ``?`` stands for unknown cards and ``*`` for a stock of 24."""
    text = text.replace("*", "?" * 24)
    return sf.SeatView.from_text(text, int(text.split(" seat=")[1][0]))


def scores(view: Any, *conventions: str, sevens: bool = False) -> dict[str, float]:
    """Return the twin's score of each move, which is the native one."""
    found = cs_scores(view, sevens=sevens, conventions=conventions)
    assert players.cs_scores(view, sevens=sevens, conventions=conventions) == pytest.approx(found, rel=0, abs=1e-6)
    return dict(zip(texts(view), found, strict=True))


# Advice, reckoned by hand.


def test_of_two_sums_the_dearer_one_is_taken() -> None:
    view = view_of("scopa hands=6SFBRB/??? table=AC2B4S5B piles=-/- stock=??????* seat=0 dealer=1")
    # Either leaves a 6, of which three are unseen, and breaks three ranks.
    swept = 1000 * (1 - (30 * 29 * 28) / (33 * 32 * 31))
    found = scores(view)
    assert found["6SxAC5B"] == pytest.approx(50 + 18 + 16 + 15 + 30 - swept)
    assert found["6Sx2B4S"] == pytest.approx(50 + 18 + 12 + 14 + 30 - swept)
    view = view_of("scopa hands=6SFBRB/??? table=AC2B4D5B piles=-/- stock=??????* seat=0 dealer=1")
    found = scores(view)
    assert found["6Sx2B4D"] == pytest.approx(found["6SxAC5B"] + 5)


def test_a_coin_is_worth_less_once_the_coins_are_won() -> None:
    view = view_of("scopa hands=6SFBRB/??? table=AC2B4D5B piles=-/2D3D5D6DFDCD stock=* last=1 seat=0 dealer=1")
    swept = 1000 * (1 - (24 * 23 * 22) / (27 * 26 * 25)), 1000 * (1 - (25 * 24 * 23) / (27 * 26 * 25))
    assert swept[1] < swept[0]
    # Two sixes are unseen. Six and five, or six and two, are paired and one rank broken.
    found = scores(view, "marginal")
    assert found["6SxAC5B"] == pytest.approx(50 + 18 + 16 + 15 - 10 - swept[1])
    assert found["6Sx2B4D"] == pytest.approx(50 + 18 + 12 + 14 - 10 - swept[1])
    assert scores(view)["6Sx2B4D"] == pytest.approx(found["6Sx2B4D"] + 10)


def test_a_card_is_worth_less_if_the_pile_has_a_better_one_of_its_suit() -> None:
    view = view_of("scopa hands=6SFBRB/??? table=AC2B4S5B piles=7CFCCC/FSCSRS stock=* last=1 seat=0 dealer=1")
    found = scores(view, "marginal")
    assert found["6SxAC5B"] == pytest.approx(50 + 18 + 0 + 15 + 30 - 1000 * UNSEEN_27_OF_3)
    assert found["6Sx2B4S"] == pytest.approx(50 + 18 + 12 + 14 + 30 - 1000 * UNSEEN_27_OF_3)


def test_an_anchor_is_left() -> None:
    view = view_of("scopa hands=???/6C3BFB table=4B2C3S piles=3D3CRCRS/FSFDFC stock=* last=0 seat=1 dealer=0")
    # The own 3B is the last that sweeps 3S; taking 3S leaves a 6.
    plain = {"3Bx3S": 50 + 13 + 13 - 1000 * UNSEEN_27_OF_3, "6Cx2C4B": 50 + 18 + 12 + 14 + 30, "FB": -10 + 8}
    assert scores(view) == pytest.approx(plain)
    assert scores(view, "anchor") == pytest.approx(plain | {"6Cx2C4B": plain["6Cx2C4B"] + 30})


def test_eleven_is_left() -> None:
    view = view_of("scopa hands=4C5CCC/??? table=6SAC piles=2D2C2S2B/3D3C3S3B stock=* last=0 seat=0 dealer=1")
    assert scores(view) == {"4C": -14, "5C": -15, "CC": -10}
    assert scores(view, "eleven") == {"4C": -8, "5C": -15, "CC": -10}


def test_of_two_equal_cards_one_is_laid() -> None:
    view = view_of("scopa hands=4B5C5B/??? table=CBRS piles=2D2C2S2B/3D3C3S3B stock=* last=0 seat=0 dealer=1")
    assert scores(view) == {"4B": -14, "5C": -15 + 8, "5B": -15 + 8}


def test_the_dealer_keeps_a_seven_and_leaves_no_sum_for_one() -> None:
    view = view_of("scopa hands=??/7C2B4B table=5SRB piles=3D3C3S3B/FDFCFSFBCD stock=* last=0 seat=1 dealer=1")
    assert scores(view) == {"2B": -12, "4B": -14, "7C": -29 - 20}
    assert scores(view, sevens=True) == {"2B": -12 - 30 + 20, "4B": -14 + 20, "7C": -29 - 20}


def test_ace_guard_counts_what_a_burnt_ace_gives_away() -> None:
    view = view_of("scopa_assi hands=AD2C4C/??? table=AC7DRB piles=3D3C3S3B/FDFCFS stock=* last=0 seat=0 dealer=1")
    assert scores(view) == {"ADxAC": 50 + 26 + 16, "2C": -12, "4C": -14}
    # Two aces are unseen, and would take 7D and RB once no ace lies there.
    chance = 1 - (24 * 23) / (27 * 26)
    assert scores(view, "ace_guard") == pytest.approx({"ADxAC": 92 - 60 - chance * (139 + 10) / 2, "2C": -12, "4C": -14})


def test_a_scopa_is_worth_its_points() -> None:
    for rules, points in (("scopa", 1), ("scopa_libica_rank", 7), ("scopa_libica_count", 3)):
        view = view_of(f"{rules} hands=7CCCRC/??? table=3C4C piles=FDFCFSFBCD/2D2C2S stock=* last=0 seat=0 dealer=1")
        # Seven, 3 and 4 are broken: +30 for the side that plays first.
        assert scores(view)["7Cx3C4C"] == 4000 * points + 50 + 29 + 13 + 14 + 30


def test_a_declaration_for_the_most_points_comes_first() -> None:
    found = scores(sf.State.from_text(DECLARABLE).view(0))
    assert {move for move, score in found.items() if score == inf} == {"+10=2"}
    assert all(score == -inf for move, score in found.items() if move.startswith("+3"))


# Conventions that look back or ahead, reckoned by hand.


def last_round(hands: str, table: str, *moves: str, hidden: str = "") -> Any:
    """Return what the seat to move sees in the last round of scopa for four, after some moves.

    Seat 0 begins, and cards not named are in the pile of its side. ``hidden`` names those in hands that are written with ``?``.
    """
    named = sf.CardSet.from_text("".join(letter for letter in hands + table + hidden if letter not in "/-?"))
    pile = "".join(sf.CardSet(sf.mask_of(set(range(40)) - set(named))).names())
    text = f"scopa_4 hands={hands} table={table} piles={pile}/- last=0 seat=0 dealer=3"
    if hidden:
        return view_of(text)
    state = sf.State.from_text(text)
    for move in moves:
        state.play(sf.parse_move(move))
    return state.view(state.seat)


def gains(view: Any, convention: str) -> dict[str, float]:
    """Return what a convention adds to the score of each move."""
    plain, other = scores(view), scores(view, convention)
    return {move: other[move] - plain[move] for move in plain}


def test_a_seat_that_did_not_sweep_is_believed_to_lack_the_rank() -> None:
    # Seat 1 has a fante laid on the 5. Of six unseen cards, two of them in its hand, one is a 5.
    view = last_round("5CRDAB/4C6DFD/2SFCCS/5D7DRC", "-", "5C", "FD", "FCxFD", "RC")
    assert gains(view, "absent") == pytest.approx({"AB": 0, "RDxRC": 1000 / 3})


def test_the_double_of_a_partner_is_left_alone_or_answered() -> None:
    view = last_round("5CRDAB/4C6DRB/2S3S5S/4D6B7D", "CS", "5C", "RB")
    assert gains(view, "partner_double") == {"2S": 0, "3S": 0, "5Sx5C": -30}
    view = last_round("5CRDAB/4C5D6D/2S3S5S/4D6B7D", "CS", "5C", "5Dx5C")
    assert gains(view, "partner_double") == {"2S": 0, "3S": 0, "5S": 10}


def test_an_anchor_of_the_partner_is_left_alone() -> None:
    # Seat 0 leaves 5C, and only it holds another; seat 1 lays a king.
    view = last_round("5C5DAB/4C6DRB/2S3SRS/4D6B7D", "-", "5C", "RB")
    assert gains(view, "anchor") == {"2S": 0, "3S": 0, "RSxRB": 25}
    view = last_round("5C5DAB/3C6DRB/2SFSRS/4D6B7D", "-", "5C", "3C")
    assert gains(view, "anchor") == {"2S": 0, "FSx3C5C": 0, "RS": 0}  # a scopa
    view = last_round("5C5DAB/3C4DRB/2SCSRS/6D6B7D", "-", "5C", "4D")
    assert gains(view, "anchor") == {"2S": 0, "CSx4D5C": 0, "RS": 0}  # likewise
    view = last_round("5C5DAB/ACRB4D/2S6SRS/6D6B7D", "CS", "5C", "AC")
    assert gains(view, "anchor")["6SxAC5C"] == 0  # 9 and 5 are no anchor
    view = last_round("2C5DAB/ADRB4D/3S6SRS/6D6B7D", "3C", "2C", "AD")
    assert gains(view, "anchor") == {"3Sx3C": -40, "6SxAD2C3C": 0, "RS": 0}


def test_a_whirlwind_is_worth_the_chance_that_partner_takes_what_is_laid() -> None:
    # Whichever of two kings or two 2s is laid, partner holds the other with a chance of 2 in 5, but it never takes 7D or 4B.
    view = last_round("5CFC/??/??/??", "5S", hidden="RDRC2C2S7D4B")
    assert gains(view, "mulinello") == pytest.approx({"5Cx5S": 20 * (4 * 2 / 5) / 6, "FC": 0})


def test_the_last_two_cards_follow_what_is_broken() -> None:
    # The dealer keeps a king, of which two are left, and not the only fante; the seat before it keeps the only 4.
    view = last_round("ADCD/AC3C/2S4S/FSRD", "RC", "AD", "ACxAD", "2S")
    assert gains(view, "last_even") == {"FS": 15, "RDxRC": 0}
    view = last_round("ADCD/AC3C/2S4S/FSRD", "RC", "AD", "ACxAD")
    assert gains(view, "last_even") == {"2S": 15, "4S": 15}
    view = last_round("AD4D/AC3C/2S4S/FSRD", "RC", "AD", "ACxAD")
    assert gains(view, "last_even") == {"2S": 0, "4S": 15}


def test_low_cards_are_left_by_the_first_side_and_taken_by_the_other() -> None:
    assert gains(last_round("4D5DRD/AC3C6C/2S4S7S/FSCSRS", "2C3D"), "echo_low") == {"4D": 12, "5Dx2C3D": 0, "RD": 8}
    assert gains(last_round("RDAD7D/5C6C2D/2S4S7S/FSCSRS", "2C3D", "RD"), "echo_low") == {"2Dx2C": 4, "5Cx2C3D": 8, "6C": 0}


def test_the_first_play_of_the_deal_unpairs() -> None:
    view = view_of("scopa hands=4D5DFB/??? table=AC2C3CRS piles=-/- stock=??????* seat=0 dealer=1")
    assert gains(view, "opening_spariglio") == {"4DxAC3C": 15, "5Dx2C3C": 15, "FB": 0}
    view = view_of("scopa hands=FDCDRD/??? table=AC2C7CRS piles=-/- stock=??????* seat=0 dealer=1")
    assert gains(view, "opening_spariglio") == {"FDxAC7C": 8, "CDx2C7C": 8, "RDxRS": 0}


def test_a_rank_the_hand_has_twice_is_left() -> None:
    view = view_of("scopa hands=5D5S6D/??? table=5CAC4CRS piles=-/- stock=??????* seat=0 dealer=1")
    assert gains(view, "leave_doubles") == {"5Dx5C": 0, "5Sx5C": 0, "6DxAC5C": 0}
    view = view_of("scopa hands=5D5SRD/??? table=5CAC4CRS piles=-/- stock=??????* seat=0 dealer=1")
    assert gains(view, "leave_doubles") == {"5Dx5C": 0, "5Sx5C": 0, "RDxRS": 16}


@pytest.mark.parametrize("seed", range(20))
def test_the_last_cards_are_played_exactly(seed: int) -> None:
    """With one card each for two players nothing is hidden, and the solver knows what each move is worth."""
    rng = random.Random(seed)
    state = sf.State("scopa", seed)
    while state.plays_left > 2:
        state.play(rng.choice(state.legal_moves()))
    values = {str(value.move): value.value for value in sf.solve_moves(state).moves}
    sign = 1 if state.side == 0 else -1
    assert scores(state.view(state.seat), "forty_eight") == {move: sign * value for move, value in values.items()}


def test_the_last_cards_are_not_tried_where_too_many_are_hidden() -> None:
    state = sf.State("scopa_6", 1)
    while state.plays_left > 6:
        state.play(state.legal_moves()[0])
    view = state.view(state.seat)
    assert len(view.unseen) == 5
    assert scores(view, "forty_eight") == scores(view)
    state.play(state.legal_moves()[0])
    view = state.view(state.seat)
    assert len(view.unseen) == 4
    assert scores(view, "forty_eight") != scores(view)


# The sevens, line by line.


def sevens_gains(view: Any) -> dict[str, float]:
    plain, other = scores(view), scores(view, sevens=True)
    return {move: other[move] - plain[move] for move in plain}


def test_who_is_rich_in_sevens_takes_them() -> None:
    view = last_round("7S7BRD/5S6D4C/2C3SFS/4D7D5D", "7CFBCS")
    assert sevens_gains(view) == {"7Sx7C": 60, "7Bx7C": 60, "RD": 0}


def test_the_settebello_is_taken_in_a_sum_or_with_one_of_two_sevens() -> None:
    view = last_round("ABFDRD/7S6D4C/7C3SFS/7B4D5D", "AC7DCS")
    assert sevens_gains(view) == {"ABxAC": 0, "FDxAC7D": 40, "RDxACCS": 0}
    view = last_round("7B7SFD/2S6D4C/7C3SFS/RD4D5D", "AC7DCS")
    assert sevens_gains(view) == {"7Sx7D": 40, "7Bx7D": 40, "FDxAC7D": 60}


def test_the_dealer_leaves_a_seven_of_the_seat_before_to_the_partner() -> None:
    # Four sevens are out: what keeps 7D for later gains, too.
    view = last_round("7BFCRD/4C6D7S/3S7CFS/4D5D7D", "CS", "FC", "4C", "7C")
    assert sevens_gains(view) == {"4Dx4C": 20, "5D": 20, "7Dx7C": -40}
    # Three are: 7D may take it, as no card can sweep the rest, and breaks nothing more.
    view = last_round("ABFCRD/4C6D7S/3S7CFS/4D5D7D", "CS", "FC", "4C", "7C")
    assert sevens_gains(view) == {"4Dx4C": 0, "5D": 0, "7Dx7C": 15}


def test_a_dealer_without_a_seven_breaks_the_rank() -> None:
    view = last_round("7BFCAD/4C6D2D/5S4S6S/RDAB5D", "3C7CCS", "FC", "6D", "6Sx6D")
    assert sevens_gains(view) == {"AB": 0, "5D": 0, "RDx3C7C": 10}


def test_the_seat_before_the_dealer_leaves_sevens_of_others() -> None:
    view = last_round("7CRDAB/RB6D4C/3S7SFS/4D6B5D", "CS", "7C", "RB")
    assert sevens_gains(view) == {"3S": 0, "7Sx7C": -60, "FS": 0}
    view = last_round("7CRDAB/RB6D4C/3S7DFS/4D6B5D", "CS", "7C", "RB")
    assert sevens_gains(view) == {"3S": 0, "7Dx7C": 60, "FS": 0}
    view = last_round("FCRDAB/7C6D4C/3S7SFS/4D6B5D", "CS", "FC", "7C")
    assert sevens_gains(view) == {"3S": 0, "7Sx7C": -40, "FSxFC": 0}


def test_the_seat_before_the_dealer_keeps_two_sevens_that_the_dealer_lacks() -> None:
    view = last_round("FCRDAB/RB6D4C/3S7S7C/4D6B5D", "CS", "FC", "RB")
    assert sevens_gains(view) == {"3S": 0, "7C": -40, "7S": -40}
    # Of the last two cards one may be played.
    view = last_round("FCAB/RB6D/7S7C/4D6B", "CS", "FC", "RB")
    assert sevens_gains(view) == {"7C": 0, "7S": 0}


def test_a_broken_seven_is_played_near_the_end() -> None:
    assert sevens_gains(last_round("7CRDAB/RB6D4C/3S2SFS/4D6B5D", "CS")) == {"AB": 0, "7C": 15, "RD": 0}
    assert sevens_gains(last_round("7CRDAB/7B6D4C/3S2SFS/4D6B5D", "CS")) == {"AB": 0, "7C": 0, "RD": 0}


def test_the_first_side_takes_a_sum_with_a_seven() -> None:
    assert sevens_gains(last_round("ABFD7C/7B6D4C/3S2SFS/6B5D5C", "CS3C4S")) == {"AB": 0, "7Cx3C4S": 30, "FD": 0}


# The native players.


@lru_cache
def some_views(preset: str, count: int) -> list[Any]:
    """Return what the seat to move sees at some places of a deal played by the greedy player and of one played at random."""
    greedy, views = GreedyBot(), []
    for deal in range(2):
        state, rng, draws = sf.State(preset, deal + 1), random.Random(f"{preset} {deal}"), sf.Rng(deal)
        chosen = rng.sample(range(state.rules.plays), count)
        while not state.is_terminal():
            view = state.view(state.seat)
            if state.rules.plays - state.plays_left in chosen:
                views.append(view)
            state.play(rng.choice(state.legal_moves()) if deal else greedy.choose(view, draws))
    return views


def test_the_native_players_know_the_same_conventions() -> None:
    assert NATIVE == CONVENTIONS


def test_without_moves_the_native_players_know_no_more_than_the_cards() -> None:
    state = sf.State("scopone", 3)
    for _ in range(20):
        state.play(state.legal_moves()[-1])
    seen = sf.SeatView(state.view(state.seat).position, state.seat)
    assert scores(seen, "absent", "partner_double") == scores(seen)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("sevens", [False, True], ids=["cs", "cg"])
@pytest.mark.parametrize("conventions", CHOICES)
def test_native_scores_are_those_of_the_twin(conventions: str, sevens: bool, preset: str) -> None:
    for view in some_views(preset, 4):
        found = players.cs_scores(view, sevens=sevens, conventions=CHOICES[conventions])
        wanted = cs_scores(view, sevens=sevens, conventions=CHOICES[conventions])
        assert found == pytest.approx(wanted, rel=0, abs=1e-6), (str(view), view.seat, texts(view))


@pytest.mark.parametrize("preset", PRESETS)
def test_native_scores_of_the_last_cards_are_those_of_the_twin(preset: str) -> None:
    for seed in range(3):
        rng, state = random.Random(seed), sf.State(preset, seed)
        while not state.is_terminal():
            if state.plays_left <= 2 * state.rules.seats:
                for convention in ("last_even", "forty_eight"):
                    scores(state.view(state.seat), convention)
            state.play(rng.choice(state.legal_moves()))


@pytest.mark.parametrize("rules", [
    "cirulla_2[scopa_value=rank]", "cirulla_4[precedence=fewest]", "asso_piglia_tutto_4[capture=cirulla,precedence=fewest]",
    "scopa_4[teams=01/23,forced=false]", "scopa_6[ace_sweep=true,capture=cirulla]", "scopone[sette_coppe=true,grande=true,coins_wipe=8]",
])  # fmt: skip
@pytest.mark.parametrize("conventions", ["none", "absent", "all"])
def test_native_scores_are_those_of_the_twin_in_mixed_rules(conventions: str, rules: str) -> None:
    for view in some_views(rules, 24):
        for sevens in (False, True):
            scores(view, *CHOICES[conventions], sevens=sevens)
