"""Matches: MAT-1 to MAT-8, PT-13, PT-14 (rules.md section 10)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopa_fast.errors import DealNotOverError, InvalidRecordError, InvalidRulesError, InvalidSeatError, InvalidSeedError, ScopaError
from scopa_fast.match import Match, Settlement, settle
from scopa_fast.rules import PRESETS, find_rules


def test_the_worked_cases(cases: list[dict[str, Any]]) -> None:
    matches = [case for case in cases if case["kind"] == "match"]
    assert len(matches) == 26
    for case in matches:
        given, expected = case["input"], case["expected"]
        standing = settle(
            find_rules(case["preset"], **case["options"]), given["scores"], given["deal_points"], coins=given["coins"],
            dealer=given["dealer"], deals_played=given["deals_played"],
        )
        assert standing == Settlement(
            tuple(expected["scores"]), expected["over"], tuple(expected["winners"]), expected["next_dealer"]
        ), case["id"]


def after(rules: str, scores: tuple[int, ...], points: tuple[int, ...], coins: tuple[int, ...] | None = None, deals: int = 1) -> Any:
    standing = settle(rules, scores, points, coins=coins or (0,) * len(scores), dealer=0, deals_played=deals)
    return standing.scores, standing.winners


class TestSettle:
    def test_target_reached_alone_wins_and_shared_plays_on(self) -> None:
        """MAT-1, MAT-3."""
        assert after("scopa", (10, 3), (1, 0)) == ((11, 3), (0,))
        assert after("scopa", (10, 3), (0, 2)) == ((10, 5), ())
        assert after("scopa", (10, 10), (2, 2)) == ((12, 12), ())
        assert after("scopa", (12, 12), (0, 1)) == ((12, 13), (1,))
        assert after("scopa_3", (10, 10, 2), (2, 2, 4)) == ((12, 12, 6), ())

    def test_the_highest_of_several_past_the_target_wins(self) -> None:
        """MAT-2."""
        assert after("scopa_3", (10, 9, 10), (3, 5, 2)) == ((13, 14, 12), (1,))

    def test_coins_wipe_comes_before_everything_else(self) -> None:
        """PT-14, MAT-6: the other sides lose the points of this deal, too."""
        assert after("scopa_libica_rank", (0, 10), (5, 9), (10, 0)) == ((5, 0), ())
        assert after("scopa_libica_rank", (0, 10), (5, 9), (9, 1)) == ((5, 19), (1,))
        assert after("scopa_libica_count", (0, 10), (5, 9), (2, 8)) == ((0, 19), (1,))
        assert after("scopa_libica_count[shutout7=true]", (6, 10), (1, 9), (8, 2)) == ((7, 0), (0,))
        assert after("scopa_3[coins_wipe=8]", (9, 9, 9), (1, 1, 1), (0, 8, 2)) == ((0, 10, 0), ())

    def test_cappotto_beats_any_score(self) -> None:
        """PT-13, MAT-6."""
        assert after("scopone_trentino", (0, 20), (1, 9), (10, 0)) == ((1, 29), (0,))
        assert after("scopone_trentino", (0, 20), (1, 9), (9, 1)) == ((1, 29), (1,))
        assert after("scopa", (0, 20), (1, 9), (10, 0)) == ((1, 29), (1,))
        assert after("scopa[coins_cappotto=true,match_deals=5]", (0, 9), (1, 1), (10, 0)) == ((1, 10), (0,))
        assert after("scopa_8[coins_cappotto=true]", (0,) * 8, (1,) * 8, (0,) * 7 + (13,)) == ((1,) * 8, (7,))
        assert after("scopa_8[coins_cappotto=true]", (0,) * 8, (1,) * 8, (0,) * 6 + (1, 12)) == ((1,) * 8, ())

    def test_shutout_needs_a_sole_leader_and_nothing_beside(self) -> None:
        """MAT-5."""
        assert after("scopa[shutout7=true]", (6, 0), (0, 0)) == ((6, 0), ())
        assert after("scopa[shutout7=true]", (6, 0), (1, 0)) == ((7, 0), (0,))
        assert after("scopa[shutout7=true]", (6, 0), (3, 1)) == ((9, 1), ())
        assert after("scopa_3[shutout7=true]", (0, 6, 0), (0, 1, 0)) == ((0, 7, 0), (1,))
        assert after("scopa_3[shutout7=true]", (7, 7, 0), (0, 0, 0)) == ((7, 7, 0), ())
        assert after("scopa[shutout7=true,match_deals=9]", (6, 0), (1, 0)) == ((7, 0), (0,))

    def test_a_fixed_number_of_deals_ignores_the_target(self) -> None:
        """MAT-7."""
        assert after("scopa[match_deals=4]", (20, 1), (1, 1), deals=3) == ((21, 2), ())
        assert after("scopa[match_deals=4]", (2, 1), (1, 1), deals=4) == ((3, 2), (0,))
        assert after("scopa_3[match_deals=4]", (2, 2, 0), (1, 1, 0), deals=4) == ((3, 3, 0), (0, 1))

    @given(st.sampled_from(sorted(PRESETS)), st.data())
    def test_at_most_one_winner_but_for_mat_7_and_the_deal_always_passes_on(self, preset: str, data: st.DataObject) -> None:
        rules = find_rules(preset, shutout7=data.draw(st.booleans()), coins_wipe=data.draw(st.sampled_from([0, 8, 10])))
        sides = len(rules.sides)
        scores, points = (data.draw(st.tuples(*[st.integers(0, 60)] * sides)) for _ in range(2))
        coins = [0] * sides
        for _ in range(rules.cards // 4):
            coins[data.draw(st.integers(0, sides - 1))] += 1
        dealer, deals = data.draw(st.integers(0, rules.seats - 1)), data.draw(st.integers(1, 12))
        standing = settle(rules, scores, points, coins=coins, dealer=dealer, deals_played=deals)
        assert standing.next_dealer == (dealer + 1) % rules.seats  # MAT-8
        assert standing.over == bool(standing.winners)
        if not rules.match_deals:
            assert len(standing.winners) <= 1
        plain = tuple(a + b for a, b in zip(scores, points, strict=True))
        wiper = [side for side, count in enumerate(coins) if 0 < rules.coins_wipe <= count]
        assert standing.scores == (tuple(s if q in wiper else 0 for q, s in enumerate(plain)) if wiper else plain)

    def test_bad_arguments(self) -> None:
        good: dict[str, Any] = {"rules": "scopa", "scores": (0, 0), "points": (1, 2), "coins": (4, 6), "dealer": 0, "deals_played": 1}
        assert settle(**good).scores == (1, 2)
        for change, error, reason in (
            ({"scores": (0,)}, InvalidSeatError, "1 scores for the 2 sides of scopa .SEAT-2"),
            ({"points": (0, 0, 0)}, InvalidSeatError, "3 points"),
            ({"coins": ()}, InvalidSeatError, "0 coins"),
            ({"coins": (6, 5)}, ScopaError, "it40 pack, which has 10"),
            ({"coins": (-1, 5)}, ScopaError, "coins"),
            ({"dealer": 2}, InvalidSeatError, "no dealer 2"),
            ({"deals_played": 0}, ScopaError, "MAT-7"),
            ({"scores": (0, True)}, TypeError, "scores must be an int"),
            ({"points": (0, 1.5)}, TypeError, "points must be an int"),
            ({"deals_played": "1"}, TypeError, "deals_played"),
            ({"rules": 7}, TypeError, "rules must be Rules or str"),
        ):
            with pytest.raises(error, match=reason):
                settle(**good | change)


def play_out(state: Any, rng: Any) -> Any:
    while not state.is_terminal():
        state.play(state.random_move(rng))
    return state


class TestMatch:
    @pytest.mark.parametrize("rules", ["scopa", "scopa_3", "scopone", "cirulla_2", "scopa_8[match_deals=2]", "scopa_libica_count"])
    def test_deals_add_up_to_a_winner(self, engine: ModuleType, rules: str) -> None:
        match, rng = engine.Match(rules), engine.Rng(7)
        assert (match.deals_played, match.over, match.winners) == (0, False, ())
        assert match.scores == (0,) * len(match.rules.sides)
        assert match.dealer == match.rules.seats - 1
        while not match.over:
            state = match.deal(7, index=match.deals_played)
            if match.rules.void_dealer == "same":
                assert state.dealer == match.dealer
            before = match.scores
            play_out(state, rng)
            standing = match.add(state)
            assert standing == settle(
                rules, before, state.score().total, coins=state.score().coins, dealer=state.dealer, deals_played=match.deals_played
            )
            assert (match.scores, match.over, match.winners, match.dealer) == (
                standing.scores, standing.over, standing.winners, (state.dealer + 1) % match.rules.seats
            )
        for call in (lambda: match.deal(7), lambda: match.add(state), lambda: match.add_score(state.score())):
            with pytest.raises(ScopaError, match="the match is over"):
                call()

    def test_deals_are_those_of_the_seed(self, engine: ModuleType) -> None:
        """docs/randomness.md: deal number i under a seed."""
        match = engine.Match("scopone", dealer=1)
        for seed, index in ((0, 0), (1, 0), (1, 5), (2**64 - 1, 3), (0, 2**63)):
            new = engine.shuffled_deck("scopone", seed, index, dealer=1)
            assert match.deal(seed, index) == engine.State.from_deck("scopone", new.deck, new.dealer)
            assert match.deal(engine.Rng(seed).spawn(index)) == match.deal(seed, index)
        assert match.deal() != match.deal()
        assert match.deals_played == 0

    def test_the_deal_passes_on_from_the_seat_that_really_dealt(self, engine: ModuleType) -> None:
        """DEAL-8, MAT-8: with void_dealer=next a void deal moves the dealer."""
        rules = "cirulla_3[void_kings=1,void_aces=1]"
        match = engine.Match(rules, dealer=0)
        moved = next(index for index in range(100) if match.deal(1, index).dealer == 1)
        state = play_out(match.deal(1, moved), engine.Rng(1))
        assert state.voids % 3 == 1
        assert match.add(state).next_dealer == match.dealer == 2

    def test_a_score_alone_passes_on_from_the_expected_dealer(self, engine: ModuleType) -> None:
        score = play_out(engine.State("scopa_3", seed=3), engine.Rng(3)).score()
        match = engine.Match("scopa_3", dealer=1)
        assert match.add_score(score).next_dealer == 2
        assert match.add_score(score, dealer=0).next_dealer == 1
        assert match.scores == tuple(2 * points for points in score.total)

    def test_a_match_can_be_taken_up_in_the_middle(self, engine: ModuleType) -> None:
        match = engine.Match("scopa[match_deals=2]", dealer=0, scores=(3, 4), deals_played=1)
        state = play_out(match.deal(5), engine.Rng(5))
        standing = match.add(state)
        assert standing.scores == (3 + state.score().total[0], 4 + state.score().total[1])
        assert match.deals_played == 2
        assert match.over

    def test_a_match_already_won_is_over(self) -> None:
        assert Match("scopa", scores=(11, 3)).winners == (0,)
        assert not Match("scopa", scores=(11, 11)).over
        assert Match("scopa[match_deals=3]", scores=(2, 2), deals_played=3).winners == (0, 1)

    def test_refusals_change_nothing(self, engine: ModuleType) -> None:
        match = engine.Match("scopa", scores=(2, 3))
        done = play_out(engine.State("scopone", seed=1), engine.Rng(1))
        with pytest.raises(DealNotOverError, match="MAT-4"):
            match.add(match.deal(1))
        with pytest.raises(InvalidRulesError, match="a deal of scopone in a match of scopa"):
            match.add(done)
        with pytest.raises(InvalidSeatError):
            match.add_score(play_out(match.deal(1), engine.Rng(1)).score(), dealer=2)
        for seed, index in ((-1, 0), (2**64, 0), (1, -1), (1, 2**63 + 1), (engine.Rng(1), 1)):
            with pytest.raises(InvalidSeedError):
                match.deal(seed, index)
        for seed, index in ((1.5, 0), (True, 0), ("1", 0), (1, 1.5), (1, True)):
            with pytest.raises(TypeError):
                match.deal(seed, index)
        assert (match.scores, match.deals_played, match.dealer, match.over) == ((2, 3), 0, 1, False)

    def test_bad_arguments(self) -> None:
        for call, error in (
            (lambda: Match("scopa", dealer=2), InvalidSeatError), (lambda: Match("scopa", scores=(1,)), InvalidSeatError),
            (lambda: Match("scopa", deals_played=-1), ScopaError), (lambda: Match("briscola"), ScopaError),
            (lambda: Match(7), TypeError), (lambda: Match("scopa", scores=("1", 2)), TypeError),  # type: ignore[arg-type]
        ):
            with pytest.raises(error):
                call()

    def test_repr_says_how_it_stands(self) -> None:
        assert repr(Match("scopa")) == "<Match scopa: 0-0 after 0 deals, dealer 1>"
        assert repr(Match("scopa", scores=(12, 3), deals_played=4)) == "<Match scopa: 12-3 after 4 deals, dealer 1, won by side 0>"


class TestFromRecords:
    @pytest.fixture
    def played(self, engine: ModuleType) -> tuple[Any, list[Any]]:
        match, records = engine.Match("scopa[target=9]"), []
        while not match.over:
            index = match.deals_played
            new = engine.shuffled_deck(match.rules, 11, index, dealer=match.dealer)
            record = engine.Record(match.rules, new.deck, new.dealer, seed=11, index=index, scores_before=match.scores)
            state, rng = record.final_state(), engine.Rng(index)
            while not state.is_terminal():
                record.append(state.random_move(rng))
                state = record.final_state()
            match.add(state)
            records.append(record)
        assert len(records) > 1
        return match, records

    def test_records_rebuild_the_match(self, engine: ModuleType, played: tuple[Any, list[Any]]) -> None:
        match, records = played
        again = engine.Match.from_records(iter(records))
        assert type(again) is engine.Match
        assert repr(again) == repr(match)
        rest = engine.Match.from_records(records[1:], deals_played=1)
        assert rest.deals_played == match.deals_played
        assert (rest.scores, rest.winners, rest.dealer) == (match.scores, match.winners, match.dealer)

    def test_records_that_make_no_match(self, engine: ModuleType, played: tuple[Any, list[Any]]) -> None:
        _, records = played
        with pytest.raises(InvalidRecordError, match="no records"):
            engine.Match.from_records([])
        with pytest.raises(InvalidRecordError, match=r"'REPLAY-11-0' \(deal 2 of the match\) begins at \(0, 0\)"):
            engine.Match.from_records([records[0], records[0]])
        other = records[1]
        other = engine.Record(other.rules.replace(target=21), other.deck, other.dealer, other.moves)
        with pytest.raises(InvalidRecordError, match=r"is of scopa\[target=21\], not scopa\[target=9\]"):
            engine.Match.from_records([records[0], other])
        first = records[0]
        with pytest.raises(DealNotOverError):
            engine.Match.from_records([engine.Record(first.rules, first.deck, first.dealer, first.moves[:-1])])
        extra = engine.Record(first.rules, first.deck, first.dealer, first.moves)
        with pytest.raises(ScopaError, match="the match is over"):
            engine.Match.from_records([*records, extra])
