"""Tournaments: the same cards in every seating, one outcome for any threads, stops and files, and statistics worked out by hand."""

from __future__ import annotations

import fcntl
import gc
import json
import math
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import scopa_fast as sf
from scopa_fast.bots import GreedyBot, RandomBot
from scopa_fast.errors import InvalidSeedError, ScopaError
from scopa_fast.rules import find_rules
from scopa_fast.sim import (
    DealResult,
    Entrant,
    FrozenDeals,
    InvalidDealsError,
    InvalidResultsError,
    ResultFile,
    Results,
    SequentialTest,
    Simulation,
    Tournament,
    seat_bots,
)
from scopa_fast.sim.standings import Outcomes, Standings, bootstrap_interval, elo_ratings, load_libraries, pairs_needed


class First:
    """Plays the first legal move."""

    name = "first"

    def choose(self, view: sf.SeatView, rng: sf.Rng) -> int:
        return view.legal_moves()[0]


class Last:
    """Plays the last legal move."""

    name = "last"

    def choose(self, view: sf.SeatView, rng: sf.Rng) -> int:
        return view.legal_moves()[-1]


FIRST, LAST = Entrant("first", First()), Entrant("last", Last())


def enter(texts: str) -> tuple[Entrant, ...]:
    return tuple(map(Entrant.from_text, texts.split(",")))


def plan(
    rules: str = "scopone", bots: str | tuple[Entrant, ...] = "random,greedy", deals: int = 5, seed: int = 3, **options: Any
) -> Tournament:
    return Tournament(find_rules(rules), enter(bots) if isinstance(bots, str) else bots, deals, seed, **options)


def points_of(results: Results) -> list[list[int]]:
    return [points.tolist() for points in results.points]


def play_by_hand(rules: str, seed: int, deal: int, indices: Iterable[int]) -> tuple[int, ...]:
    """The points of each side when the seats play the legal move of an index, 0 or -1."""
    state = sf.State.from_deck(rules, sf.shuffled_deck(rules, seed, deal).deck)
    by_seat = list(indices)
    while not state.is_terminal():
        state.play(state.legal_moves()[by_seat[state.seat]])
    return state.score().total


# Who plays whom, and where.


def test_everybody_plays_everybody_and_itself() -> None:
    assert plan(bots="random,greedy,cs").pairings == ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    assert plan("scopa_3").pairings == ((0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1))
    assert len(plan("scopa_8").pairings) == 9
    assert plan(bots="greedy").pairings == ((0, 0),)


def test_everybody_may_play_a_single_one() -> None:
    assert plan(bots="random,greedy,cs", against=1).pairings == ((0, 1), (2, 1))
    assert plan("scopa_3", against=0).pairings == ((1, 0, 0),)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bots": "greedy,random,greedy"}, "the bot 'greedy' is entered twice"),
        ({"bots": ()}, "too few bots for a tournament: none"),
        ({"bots": "greedy", "against": 0}, "too few bots for a tournament: greedy"),
        ({"against": 2}, "no bot number 2: there are 2"),
        ({"rules": "scopa_8", "bots": tuple(Entrant(str(i), First()) for i in range(12))}, "75582 pairings of 12 bots for 8 sides"),
        ({"deals": 0}, "deals 0 is outside 1..2"),
        ({"threads": 0}, "threads 0"),
        ({"seed": -1}, "seed -1 is outside"),
    ],
)
def test_a_tournament_that_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ScopaError, ValueError, InvalidSeedError), match=message):
        plan(**options)


def test_the_seats_are_swapped() -> None:
    tournament = plan(bots=(FIRST, LAST))
    for deal in range(5):
        ahead, behind = play_by_hand("scopone", 3, deal, (0, -1, 0, -1)), play_by_hand("scopone", 3, deal, (-1, 0, -1, 0))
        assert tournament.play(1, deal).points == (ahead, behind[::-1])
        assert ahead != behind[::-1]  # so that it does make a difference who sits where


def test_three_sides_rotate() -> None:
    tournament = plan("scopa_3", (FIRST, LAST))
    result = tournament.play(2, 4)
    seatings = [(0, -1, -1), (-1, 0, -1), (-1, -1, 0)]
    for seating, indices in enumerate(seatings):
        total = play_by_hand("scopa_3", 3, 4, indices)
        assert result.points[seating] == tuple(total[(place + seating) % 3] for place in range(3))
    assert result.moves == 3 * 36


def test_eight_seats_rotate() -> None:
    tournament = plan("scopa_8", (FIRST, LAST), against=1)
    result = tournament.play(0, 2)
    for seating in range(8):
        total = play_by_hand("scopa_8", 3, 2, [0 if seat == seating else -1 for seat in range(8)])
        assert result.points[seating] == tuple(total[(place + seating) % 8] for place in range(8))
    standings = Standings(plan("scopa_8", (FIRST, LAST), deals=3).run())
    assert [pairing.deals for pairing in standings.pairings] == [3] * 9
    assert standings.leads[0, 1] == pytest.approx(-standings.leads[1, 0]) != 0


def test_a_side_of_two_seats_has_one_entrant() -> None:
    record = plan("scopa_4", (FIRST, LAST)).record(1, 0, 1)
    assert record.players == ("last", "first", "last", "first")


# Streams.


def test_the_first_seating_is_what_a_simulation_plays() -> None:
    rules = find_rules("cirulla_4")
    records: list[sf.Record] = []
    for _ in Simulation(rules, 4, 3, seat_bots(rules, ["random", "greedy"])).run(records.append):
        pass
    tournament = plan("cirulla_4")
    for deal, record in enumerate(records):
        assert tournament.record(1, deal, 0).to_json() == record.to_json()


def test_a_deal_played_alone_is_the_deal_of_the_run() -> None:
    tournament = plan()
    results = tournament.run()
    again = tournament.play(1, 4)
    assert points_of(results)[1][-4:] == [points for row in again.points for points in row]
    score = tournament.record(1, 4, 1).final_state().score()
    assert again.points[1] == score.total[::-1]


def test_the_cards_are_those_of_the_deal_in_every_seating_and_pairing() -> None:
    tournament = plan(bots="random,greedy")
    decks = {tournament.record(pairing, 2, seating).deck for pairing in range(3) for seating in range(2)}
    assert decks == {sf.shuffled_deck("scopone", 3, 2).deck}


def test_the_seatings_of_a_pairing_with_itself_are_different_games() -> None:
    tournament = plan(bots="random")
    assert tournament.record(0, 0, 0).moves != tournament.record(0, 0, 1).moves


def test_results_do_not_depend_on_who_else_plays() -> None:
    alone, among = plan(bots="greedy,cs", deals=20).run(), plan(bots="random,greedy,cs", deals=20).run()
    assert points_of(alone)[1] == points_of(among)[4]


@pytest.mark.parametrize("threads", [2, 3])
def test_any_number_of_threads_gives_the_same(threads: int) -> None:
    options: dict[str, Any] = {"bots": "greedy,cs,ismcts[iterations=20]", "deals": 30, "test": SequentialTest(high=1.0), "against": 0}
    one, more = plan(**options).run(), plan(**options, threads=threads).run()
    assert points_of(one) == points_of(more)
    assert (one.decisions, one.moves, one.slot) == (more.decisions, more.moves, None)


def test_the_results_take_little_memory() -> None:
    def held(deals: int) -> int:
        tracemalloc.start()
        results = plan("scopa", "random", deals=deals).run()
        gc.collect()
        found = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert results.deals(0) == deals
        return found

    held(100)
    # Four numbers of two bytes, and a little room to grow; a deal as an object would take hundreds of bytes.
    assert held(3000) - held(1000) < 2000 * 12


# Bots of all kinds.


def test_a_bot_that_cheats_is_shown_the_state() -> None:
    seen = set()

    class Cheat(First):
        cheats = True

        def choose(self, view: Any, rng: sf.Rng) -> int:
            seen.add(type(view))
            return super().choose(view, rng)

    plan(bots=(Entrant("cheat", Cheat()),), deals=1).run()
    assert seen == {sf.State}


def test_a_bot_that_fails_is_named() -> None:
    class Broken(First):
        def choose(self, view: sf.SeatView, rng: sf.Rng) -> int:
            if view.plays_left == 2:
                raise KeyError("no idea")
            return super().choose(view, rng)

    class Cheater(First):
        def choose(self, view: sf.SeatView, rng: sf.Rng) -> int:
            return sf.parse_move("7Dx7C7S7B")

    for bot, words in (
        (Broken(), "in seat 2 of deal 0, seating 0: KeyError: 'no idea'"),
        (Cheater(), "in seat 0 of deal 0, seating 0: IllegalMoveError: "),
    ):
        with pytest.raises(ScopaError, match=f"the bot 'bad' {words}"):
            plan(bots=(FIRST, Entrant("bad", bot)), against=0, threads=2).run()


def test_entrants_tell_their_settings() -> None:
    @dataclass(frozen=True)
    class Tuned(First):
        depth: int = 3
        helper: Any = None
        version = "1.2"

    class Loose(First):
        def __init__(self) -> None:
            self.table = {(1, 2): 3, "seconds": 0.5}
            self.seconds = 2

    tuned = Entrant("x", Tuned(helper=object()))
    assert tuned.about() == {"label": "x", "bot": "first", "settings": {"depth": 3, "helper": "object"}, "version": "1.2"}
    assert Entrant.from_text(" random ").about() == {
        "label": "random", "bot": "random", "settings": {"declarations": "never"}, "version": None,
    }
    assert Entrant("y", Loose()).about()["settings"] == {"table": {"seconds": 0.5}, "seconds": 2}
    assert (Entrant("y", Loose()).is_timed, tuned.is_timed) == (True, False)


# Stops.


def test_a_stop_keeps_whole_deals_and_the_rest_follows() -> None:
    moves = 0

    class Counting(First):
        def choose(self, view: sf.SeatView, rng: sf.Rng) -> int:
            nonlocal moves
            moves += 1
            return super().choose(view, rng)

    tournament = plan(bots=(Entrant("first", Counting()), LAST), deals=40)
    results = tournament.run(stop=lambda: moves >= 1000)
    assert results.slot is not None and 0 < results.slot < 120
    assert sum(map(results.deals, range(3))) == results.slot
    at = results.slot
    tournament.run(results)
    assert at < 120 and results.slot is None
    assert points_of(results) == points_of(plan(bots=(FIRST, LAST), deals=40).run())


def test_results_come_in_one_order_only() -> None:
    tournament = plan()
    results = Results(tournament)
    results.add(tournament.play(0, 0))
    with pytest.raises(ValueError, match="deal 0 of pairing 0 is not the next, which is deal 0 of random v greedy"):
        results.add(tournament.play(0, 0))
    assert results.deals(0) == 1
    tournament.run(results)
    assert results.expected() == "none"
    with pytest.raises(ValueError, match="not the next"):
        results.add(tournament.play(0, 0))


# Statistics.


def standings_of(tournament: Tournament, deals: list[list[tuple[tuple[int, ...], ...]]]) -> Standings:
    """The standings of points that are given for each deal and pairing."""
    results = Results(tournament)
    for deal, row in enumerate(deals):
        for pairing, points in enumerate(row):
            results.add(DealResult(pairing, deal, points, 72, 0.5))
    return Standings(results)


def test_a_pair_by_hand() -> None:
    # Seating 0, seating 1: 3-1 and 2-2, lead (2 + 0) / 2 = 1; 0-4 and 5-2, lead (-4 + 3) / 2 = -0.5; 1-1 and 4-0, lead 2.
    tournament = plan(bots=(FIRST, LAST), deals=3, against=1)
    standings = standings_of(tournament, [[((3, 1), (2, 2))], [((0, 4), (5, 2))], [((1, 1), (4, 0))]])
    (pairing,) = standings.pairings
    assert (pairing.name, pairing.deals, pairing.is_self) == ("first v last", 3, False)
    # On side 0 in seating 0: won, lost, tied; on side 1 in seating 1: tied, won, won.
    assert pairing.sides == (Outcomes(1, 1, 1), Outcomes(2, 0, 1))
    assert pairing.all_sides == Outcomes(3, 1, 2)
    assert pairing.lead == pytest.approx(2.5 / 3)
    sd = math.sqrt(((1 - 2.5 / 3) ** 2 + (-0.5 - 2.5 / 3) ** 2 + (2 - 2.5 / 3) ** 2) / 2)
    assert pairing.sd == pytest.approx(sd)
    assert pairing.needed == math.ceil((1.959964 + 0.841621) ** 2 * sd**2 / 0.01)
    assert (pairing.moves, pairing.seconds) == (216, 1.5)
    assert np.isnan(standings.leads).tolist() == [[True, False], [False, True]]
    assert standings.leads[0, 1] == pytest.approx(2.5 / 3) and standings.leads[1, 0] == pytest.approx(-2.5 / 3)
    assert (standings.shares[0, 1], standings.shares[1, 0]) == pytest.approx((4 / 6, 2 / 6))
    first, last = standings.pool
    assert (first.label, first.wins, first.losses, first.ties, first.points) == ("first", 3 / 6, 1 / 6, pytest.approx(2 / 6), 15 / 6)
    assert (last.wins, last.losses, last.points, last.lead) == (1 / 6, 3 / 6, pytest.approx(10 / 6), pytest.approx(-2.5 / 3))
    # (4 + 1/2) : (2 + 1/2) wins, the tie that is added included.
    assert first.rating - last.rating == pytest.approx(400 * math.log10(4.5 / 2.5), abs=1e-4)
    data = json.loads(json.dumps(standings.as_dict()))
    assert data["pairings"][0]["all_sides"]["wins_interval"] == pytest.approx([0.18761, 0.81239], abs=1e-5)  # Wilson, 3 of 6
    assert data["leads"][0][0] is None and data["complete"] and data["pairings"][0]["decision"] is None


def test_a_pairing_with_itself_is_symmetric() -> None:
    tournament = plan(bots=(FIRST, LAST), deals=2)
    same = ((3, 1), (1, 0))
    level = ((1, 1), (0, 0))
    standings = standings_of(tournament, [[same, ((2, 0), (2, 0)), level], [((2, 2), (0, 6)), ((2, 0), (1, 1)), level]])
    first = standings.pairings[0]
    # Side 0 wins 3-1, loses 0-1, ties 2-2 and wins 6-0; whoever sits there.
    assert first.sides == (Outcomes(2, 1, 1), Outcomes(1, 2, 1))
    assert first.all_sides == Outcomes(3, 3, 2)
    assert first.is_self and first.lead == pytest.approx(((2 + 1) / 2 + (0 - 6) / 2) / 2)
    assert standings.leads.diagonal().tolist() == [0, 0] and standings.shares.diagonal().tolist() == [0.5, 0.5]
    # Against itself 3/8, 3/8, 2/8; against the other 3/4 wins and 1/4 ties; each counts alike.
    pool = standings.pool[0]
    assert (pool.wins, pool.losses, pool.ties) == pytest.approx(((3 / 8 + 3 / 4) / 2, 3 / 16, 1 / 4))
    assert pool.lead == pytest.approx((0 + 1.5) / 2)


def test_a_deterministic_bot_gets_nothing_from_itself() -> None:
    standings = Standings(plan(bots=(FIRST, LAST), deals=50).run())
    first = standings.pairings[0]
    assert (first.lead, first.sd, first.interval) == (0, 0, (0, 0))
    assert standings.pairings[1].lead == standings.leads[0, 1] == -standings.leads[1, 0]
    assert first.all_sides.wins == first.all_sides.losses > 0
    assert first.sides[0].wins == first.sides[1].losses


def test_three_sides_by_hand() -> None:
    tournament = plan("scopa_3", (FIRST, LAST), deals=1)
    level = ((1, 1, 1),) * 3
    # Places: first, first, last. Leads of the first: (3+1)/2-2 = 0, (0+0)/2-4 = -4, (2+2)/2-1 = 1.
    standings = standings_of(tournament, [[level, ((3, 1, 2), (0, 0, 4), (2, 2, 1)), level, level]])
    mixed = standings.pairings[1]
    assert (mixed.lead, mixed.sd, mixed.interval, mixed.needed) == (-1, None, None, None)
    # Place 0 wins on side 0, loses on 1, ties on 2; place 1 loses on side 1, loses on 2, ties on 0.
    assert mixed.sides == (Outcomes(1, 0, 1), Outcomes(0, 2, 0), Outcomes(0, 1, 1))
    # The other pairing of the two is level.
    assert standings.leads[0, 1] == pytest.approx(-0.5)
    # Duels of the first with the last: 3>2, 1<2, 0<4, 0<4, 2>1, 2>1: half, and half in the level pairing.
    assert standings.shares[0, 1] == pytest.approx(0.5)


def test_pairings_that_have_not_played_are_left_out() -> None:
    tournament = plan(bots=(FIRST, LAST), deals=1)
    results = Results(tournament)
    results.add(tournament.play(0, 0))
    standings = Standings(results)
    assert [pairing.name for pairing in standings.pairings] == ["first v first"]
    assert [standing.label for standing in standings.pool] == ["first"]
    assert not standings.is_complete
    assert json.loads(json.dumps(standings.as_dict()))["leads"] == [[0, None], [None, None]]


def test_the_bootstrap_interval() -> None:
    assert bootstrap_interval(np.array([1.0])) is None
    assert bootstrap_interval(np.array([0.0, 1.0])) == (0, 1)
    assert bootstrap_interval(np.full(6000, 2.5)) == (2.5, 2.5)
    values = np.random.default_rng(1).normal(0.3, 2, 5000)
    half = 1.959964 * values.std(ddof=1) / math.sqrt(5000)
    found = bootstrap_interval(values)
    assert found == bootstrap_interval(values)
    assert found == pytest.approx((values.mean() - half, values.mean() + half), abs=0.1 * half)
    many = np.append(values, values)
    half = 1.959964 * many.std(ddof=1) / math.sqrt(10_000)
    assert bootstrap_interval(many) == pytest.approx((many.mean() - half, many.mean() + half), abs=1e-6)


def test_how_many_deals_it_takes() -> None:
    assert [pairs_needed(sd, 0.1) for sd in (0.9, 1.5, 2.7)] == [636, 1766, 5722]
    assert pairs_needed(0, 0.1) == 2


def test_ratings_are_odds() -> None:
    # Odds of 2 to 1, 2 to 1 and 4 to 1: 400 log10(2) = 120.4 points between neighbours, but for the ties that are added.
    found = elo_ratings(np.array([[0, 2e6, 4e6], [1e6, 0, 2e6], [1e6, 1e6, 0]]))
    assert found == pytest.approx([120.412, 0, -120.412], abs=0.01)
    always = elo_ratings(np.array([[0.0, 100.0], [0.0, 0.0]]))
    assert always[0] - always[1] == pytest.approx(400 * math.log10(201), abs=1e-3)
    assert elo_ratings(np.zeros((1, 1))) == [0]


def test_without_the_libraries_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "choix", None)
    with pytest.raises(ImportError, match="a tournament needs scipy and choix: install them, or scopa_fast with the extra 'arena'"):
        load_libraries()


# The sequential test.


def test_the_evidence_by_hand() -> None:
    test = SequentialTest()
    assert test.bounds == pytest.approx((-2.944439, 2.944439))
    assert SequentialTest(alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(90)))
    # -1, 1: squares about 0 are 2, about 0.1 they are 1.21 + 0.81.
    assert test.evidence(2, 0.0, 2.0) == pytest.approx(math.log(2 / 2.02))
    # Thirty of 1 and thirty of 0, about 0.5 and about 1.5: 15 and 15 + 60.
    assert SequentialTest(0.5, 1.5).evidence(60, 30.0, 30.0) == pytest.approx(30 * math.log(15 / 75))
    assert test.evidence(100, 0.0, 0.0) == test.evidence(1, 1.0, 1.0) == 0
    assert test.decide(29, 29.0, 30.0) is None
    assert test.decide(30, 29.0, 30.0) == "high"
    assert test.decide(100, 0.0, 0.0) is None  # nothing differed yet


@pytest.mark.parametrize(
    "options", [{"low": 0.1}, {"high": math.nan}, {"high": math.inf}, {"alpha": 0}, {"beta": 0.5}, {"alpha": math.nan}]
)
def test_a_test_that_cannot_be_is_refused(options: dict[str, float]) -> None:
    with pytest.raises(ScopaError, match=r"the second must be larger|is not between 0 and 0\.5"):
        SequentialTest(**options)


def decide(test: SequentialTest, values: Iterable[float]) -> str | None:
    total = squares = 0.0
    for count, value in enumerate(values, 1):
        total, squares = total + value, squares + value * value
        if decision := test.decide(count, total, squares):
            return decision
    return None


def leads(rng: np.random.Generator, mean: float) -> list[float]:
    """Leads in half points with a standard deviation near 0.9, as those of similar players."""
    values = rng.choice([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0], 6000, p=[0.08, 0.12, 0.12, 0.36, 0.12, 0.12, 0.08])
    return (values + (rng.random(6000) < 2 * mean) * 0.5).tolist()


def test_the_test_errs_about_as_often_as_it_may() -> None:
    rng = np.random.default_rng(5)
    test = SequentialTest()
    found = {mean: [decide(test, leads(rng, mean)) for _ in range(400)] for mean in (0.0, 0.1)}
    # 20 of 400 are expected to be wrong, or a few less; 33 would be three standard deviations more.
    assert 6 <= found[0.0].count("high") <= 33
    assert 6 <= found[0.1].count("low") <= 33
    assert None not in found[0.0] + found[0.1]


@pytest.mark.parametrize(("mean", "decision"), [(-0.4, "low"), (0.5, "high")])
def test_the_test_is_sure_and_quick_where_the_truth_is_far_away(mean: float, decision: str) -> None:
    rng = np.random.default_rng(6)
    assert [decide(SequentialTest(), (rng.normal(mean, 0.9, 1000)).tolist()) for _ in range(50)] == [decision] * 50


def test_a_decision_ends_a_pairing_and_the_last_one_the_run() -> None:
    tournament = plan("scopa", "random,greedy,cs", deals=2000, test=SequentialTest(high=0.5))
    results = tournament.run()
    counts = {" v ".join(tournament.labels(number)): results.deals(number) for number in range(6)}
    assert results.decisions[1] == "low" and results.decisions[2] == "low"
    tested = {name: count for name, count in counts.items() if len(set(name.split(" v "))) == 2}
    assert 30 <= counts["random v greedy"] <= 100 < 2000
    assert max(tested.values()) < 2000 and None not in [results.decisions[number] for number in (1, 2, 4)]
    # With themselves they play as long as there is anything to test, and are not tested.
    longest = max(tested.values())
    assert {counts[f"{name} v {name}"] for name in ("random", "greedy", "cs")} <= {longest - 1, longest}
    assert [results.evidence(number) for number in (0, 3, 5)] == [None] * 3
    evidence = results.evidence(1)
    assert evidence is not None and evidence <= SequentialTest().bounds[0]


# Files of results.


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a file without the time it took."""
    return [{name: value for name, value in json.loads(line).items() if name != "seconds"} for line in path.read_text().splitlines()]


def keep(path: Path, tournament: Tournament, **options: Any) -> Results:
    with ResultFile(path, tournament) as file:
        return tournament.run(file.results, write=file.write, **options)


def test_a_file_says_what_was_played(tmp_path: Path) -> None:
    path, tournament = tmp_path / "r.jsonl", plan(deals=2, bots=(FIRST, LAST))
    results = keep(path, tournament)
    head, *lines = lines_of(path)
    assert head == {
        "scopa_fast": "results", "format": 1, "version": sf.__version__, "rules": "scopone", "seed": 3, "frozen": None,
        "against": "all", "test": None,
        # The version of a bot that has none is a checksum of its file.
        "entrants": [{"label": name, "bot": name, "settings": {}, "version": f"{crc32(Path(__file__).read_bytes()):08x}"}
                     for name in ("first", "last")],
    }
    assert [line["pairing"] for line in lines] == [[0, 0], [0, 1], [1, 1]] * 2
    assert [line["deal"] for line in lines] == [0, 0, 0, 1, 1, 1]
    assert lines[4]["points"] == [list(row) for row in tournament.play(1, 1).points] and lines[4]["moves"] == 72
    assert points_of(results)[1][4:] == [points for row in lines[4]["points"] for points in row]


def test_what_is_written_is_there_at_once(tmp_path: Path) -> None:
    path, tournament = tmp_path / "r.jsonl", plan()
    with ResultFile(path, tournament) as file:
        assert len(lines_of(path)) == 1
        file.write([tournament.play(0, 0), tournament.play(1, 0)])
        assert [line["pairing"] for line in lines_of(path)[1:]] == [[0, 0], [0, 1]]


@pytest.mark.parametrize("test", [None, SequentialTest(high=3.0)])
def test_a_file_cut_anywhere_goes_on_to_the_same_end(test: SequentialTest | None, tmp_path: Path) -> None:
    tournament = plan("scopa", (FIRST, LAST, Entrant("greedy", GreedyBot())), deals=40 if test else 3, test=test)
    whole = tmp_path / "whole.jsonl"
    standings = Standings(keep(whole, tournament)).as_dict()
    data, path = whole.read_bytes(), tmp_path / "cut.jsonl"
    for end in [0, 1, 100, *range(data.index(b"\n"), len(data), len(data) // 17), len(data) - 1, len(data)]:
        path.write_bytes(data[:end])
        results = keep(path, tournament)
        assert lines_of(path) == lines_of(whole), end
        found = Standings(results).as_dict()
        for pairing in found["pairings"] + standings["pairings"]:
            pairing["seconds"] = 0
        assert found == standings, end


@pytest.mark.parametrize("test", [None, SequentialTest(high=3.0)])
def test_a_file_goes_on_to_more_deals_and_keeps_those_that_fewer_do_not_need(test: SequentialTest | None, tmp_path: Path) -> None:
    whole, path = tmp_path / "whole.jsonl", tmp_path / "grown.jsonl"
    bots = (FIRST, LAST, Entrant("greedy", GreedyBot()))
    few, many = (plan("scopa", bots, deals=deals, test=test) for deals in (2, 33))
    keep(whole, many)
    first = points_of(keep(path, few))
    keep(path, many)
    assert lines_of(path) == lines_of(whole)
    data = path.read_bytes()
    assert points_of(keep(path, few)) == first
    assert path.read_bytes() == data


def test_a_file_of_another_tournament_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    keep(path, plan(deals=2))
    data = path.read_bytes()
    for other, message in (
        (plan(deals=2, seed=4), "seed is 3 there and 4 here"),
        (plan("scopa_4", deals=2), 'rules is "scopone" there and "scopa_4" here'),
        (plan(deals=2, against=0), 'against is "all" there and "random" here'),
        (plan(deals=2, test=SequentialTest()), "test is null there and {"),
        (plan(deals=2, bots="greedy,cs"), 'entrants is .*"random".* there and .*"cs".* here'),
        (plan(deals=2, bots=(Entrant("random", RandomBot("always")), *enter("greedy"))), 'entrants is .*"never".* there and .*"always"'),
        (plan(deals=2, frozen=FrozenDeals.make("scopone", 2, 3)), 'frozen is null there and "'),
    ):
        with pytest.raises(InvalidResultsError, match=f"r.jsonl:1: results of another tournament: {message}"):
            ResultFile(path, other)
    assert path.read_bytes() == data


def damage(name: str, lines: list[bytes]) -> None:
    match name:
        case "swapped":
            lines[2], lines[3] = lines[3], lines[2]
        case "repeated":
            lines.insert(3, lines[2])
        case "missing":
            del lines[2]
        case "garbled":
            lines[2] = b"\0" * 20
        case "points":
            lines[2] = lines[2].replace(b'"points": [[', b'"points": [[-')
        case "few points":
            lines[2] = lines[2].replace(b'"points": [[', b'"points": [[1, ')
        case "no deal":
            lines[2] = lines[2].replace(b'"deal"', b'"peal"')
        case "pairing":
            lines[2] = lines[2].replace(b'"pairing": [0, 1]', b'"pairing": [1, 0]')
        case "list":
            lines[2] = b"[1, 2]"
        case "foreign":
            lines[0] = b"{}"
        case "text":
            lines[0] = b"my diary"


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("swapped", 3, "damaged: deal 0 of greedy v greedy is not the next, which is deal 0 of random v greedy"),
        ("repeated", 4, "damaged: deal 0 of random v greedy is not the next, which is deal 0 of greedy v greedy"),
        ("missing", 3, "not the next"), ("garbled", 3, "damaged: b'"),
        ("points", 3, "damaged"), ("few points", 3, "damaged"), ("no deal", 3, "damaged"), ("pairing", 3, "damaged"),
        ("list", 3, "damaged"),
        ("foreign", 1, "no results of a tournament"), ("text", 1, "no results of a tournament: b'my diary"),
    ],
)
def test_a_damaged_file_is_refused_and_left_alone(name: str, line: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    keep(path, plan(deals=2))
    lines = path.read_bytes().splitlines()
    damage(name, lines)
    path.write_bytes(data := b"\n".join(lines) + b"\n")
    with pytest.raises(InvalidResultsError) as error:
        ResultFile(path, plan(deals=2))
    assert f"r.jsonl:{line}: " in str(error.value) and message in str(error.value)
    assert path.read_bytes() == data


def test_what_is_no_file_of_results_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "diary.txt"
    path.write_text("dear diary")  # no end of a line
    with pytest.raises(InvalidResultsError, match=r"diary\.txt:1: no results of a tournament: b'dear diary'"):
        ResultFile(path, plan())
    assert path.read_text() == "dear diary"
    with pytest.raises(FileExistsError, match="not a regular file"):
        ResultFile("/dev/zero", plan())


def test_two_runs_do_not_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with ResultFile(path, plan()), pytest.raises(InvalidResultsError, match=r"r\.jsonl: another run is using it"):
        ResultFile(path, plan())
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # it is free again


# Frozen deals.


def test_frozen_deals_are_those_of_the_seed(tmp_path: Path) -> None:
    made = FrozenDeals.make("cirulla_4", 6, 9)
    path = tmp_path / "deals.jsonl"
    made.write(path)
    read = FrozenDeals.read(path)
    assert (read, read.checksum, len(read)) == (made, made.checksum, 6)
    for deal in range(6):
        new = sf.shuffled_deck("cirulla_4", 9, deal)
        assert (read.deck(deal), read.dealers[deal]) == (new.deck, new.dealer)
    head, line = path.read_text().splitlines()[:2]
    assert json.loads(head) == {
        "scopa_fast": "deals", "format": 1, "rules": "cirulla_4", "seed": 9, "deals": 6, "sha256": made.checksum,
    }
    assert json.loads(line)["deck"].startswith("".join(sf.format_card(card) for card in made.deck(0)[:3]))


def test_frozen_deals_play_as_fresh_ones() -> None:
    frozen = FrozenDeals.make("scopa_8", 4, 3)
    fresh, cold = plan("scopa_8", deals=3).run(), plan("scopa_8", deals=3, frozen=frozen).run()
    assert points_of(fresh) == points_of(cold)


def test_frozen_deals_are_played_whatever_the_seed_would_deal_now() -> None:
    frozen = FrozenDeals.make("scopone", 2, 3)
    turned = FrozenDeals(frozen.rules, 3, frozen.dealers, frozen.decks[40:] + frozen.decks[:40])
    assert turned.checksum != frozen.checksum
    assert plan(bots=(FIRST, LAST), frozen=turned, deals=1).play(1, 0).points == plan(bots=(FIRST, LAST)).play(1, 1).points


def test_frozen_deals_of_something_else_are_refused() -> None:
    frozen = FrozenDeals.make("scopone", 2, 3)
    for options, message in (
        ({"rules": "scopa_4"}, "are of scopone with the seed 3, not of scopa_4 with the seed 3"),
        ({"seed": 4}, "not of scopone with the seed 4"),
        ({"deals": 3}, "3 deals asked for, and 2 are frozen"),
    ):
        with pytest.raises(ScopaError, match=message):
            plan(**{"deals": 2, **options}, frozen=frozen)  # type: ignore[arg-type]


def swap_cards(line: str) -> str:
    data = json.loads(line)
    deck = data["deck"]
    return json.dumps(data | {"deck": deck[2:4] + deck[:2] + deck[4:]})


@pytest.mark.parametrize(
    ("line", "change", "where", "message"),
    [
        (2, swap_cards, 1, "damaged: the deals have the checksum"),
        (0, lambda line: line.replace('"seed": 9', '"seed": 8'), 1, "damaged: the deals have the checksum"),
        (0, lambda line: line.replace('"deals": 4', '"deals": 5'), 5, "the end after 4 of 5 deals"),
        (0, lambda line: line.replace('"deals": 4', '"deals": 3'), 5, "more than the 3 deals that line 1 speaks of"),
        (0, lambda line: line.replace('"rules": "scopone"', '"rules": "scopetta"'), 1, "no ruleset 'scopetta'"),
        (0, lambda line: line.replace('"seed": 9', '"seed": -9'), 1, "seed -9 is outside"),
        (0, lambda line: line.replace('"format": 1', '"format": 2'), 1, "no deals of the format 1"),
        (0, lambda _: "{}", 1, "not a line of JSON with scopa_fast, format"),
        (0, lambda _: "my diary", 1, "not a line of JSON"),
        (2, lambda _: "", 3, "not a line of JSON with deal, dealer, deck: b'"),
        (2, lambda line: line.replace('"deal": 1', '"deal": 2'), 3, "deal 2 in the place of deal 1"),
        (2, lambda line: line.replace('"dealer": 3', '"dealer": 4'), 3, "no dealer 4"),
        (2, lambda line: line.replace('"deck": "', '"deck": "X'), 3, "no card 'X"),
        (2, lambda line: line[: line.index('"deck": "')] + '"deck": "7D7D"}', 3, "7D"),
        (2, lambda line: line[: line.index('"deck": "')] + '"deck": 7}', 3, "the deck 7 is no text"),
    ],
)
def test_damaged_frozen_deals_are_refused(line: int, change: Callable[[str], str], where: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    FrozenDeals.make("scopone", 4, 9).write(path)
    lines = path.read_text().splitlines()
    lines[line] = change(lines[line])
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InvalidDealsError) as error:
        FrozenDeals.read(path)
    assert f"deals.jsonl:{where}: " in str(error.value) and message in str(error.value)


def test_frozen_deals_cut_anywhere_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    FrozenDeals.make("scopone", 3, 9).write(path)
    data = path.read_bytes()
    for end in (0, 10, *range(30, len(data) - 1, 41), len(data) - 1):
        path.write_bytes(data[:end])
        with pytest.raises(InvalidDealsError, match=r"deals.jsonl:\d+: "):
            FrozenDeals.read(path)


def test_deals_that_cannot_be_written_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    with pytest.raises(IsADirectoryError):
        FrozenDeals.make("scopone", 1, 9).write(tmp_path / "full")
    assert [path.name for path in tmp_path.iterdir()] == ["full"]
