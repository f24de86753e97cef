"""Simulations: the same cards whoever plays, totals that do not depend on how they were cut, and their statistics."""

from __future__ import annotations

import json
import math
from functools import reduce
from operator import add
from typing import Any

import pytest

import scopa_fast as sf
from scopa_fast.bots import RandomBot
from scopa_fast.errors import InvalidSeatError, ScopaError
from scopa_fast.results import ITEMS, PlayoutTotals
from scopa_fast.rules import PRESETS, find_rules
from scopa_fast.sim import Report, Simulation, mean_interval, play_deal, seat_bots, share_interval
from scopa_fast.sim import deals as sim_deals


def plan(rules: str = "scopa", deals: int = 40, bots: str = "random", seed: int = 5, **options: Any) -> Simulation:
    chosen = find_rules(rules)
    return Simulation(chosen, deals, seed, seat_bots(chosen, bots.split(",")), **options)


def records_of(simulation: Simulation) -> list[Any]:
    records: list[Any] = []
    for _ in simulation.run(records.append):
        pass
    return records


def total(simulation: Simulation) -> PlayoutTotals:
    return reduce(add, simulation.run())


# Who sits where.


def test_bots_are_given_for_all_for_each_side_or_for_each_seat() -> None:
    names = {bots: [bot.name[0] for bot in seat_bots(find_rules("scopone"), bots.split(","))] for bots in ("greedy", "greedy,random")}
    assert names == {"greedy": ["g"] * 4, "greedy,random": ["g", "r", "g", "r"]}
    four = seat_bots(find_rules("scopone"), ["greedy", "greedy", "random", "random"])
    assert [bot.name for bot in four] == ["greedy", "greedy", "random", "random"]
    with pytest.raises(ScopaError, match=r"3 bots \(random, random, greedy\) for scopone: give 1, 2 or 4"):
        seat_bots(find_rules("scopone"), ["random", "random", "greedy"])
    with pytest.raises(ScopaError, match="give 1 or 3"):
        seat_bots(find_rules("scopa_3"), ["random", "random"])


def test_a_simulation_needs_a_bot_for_each_seat_and_a_dealer_that_exists() -> None:
    with pytest.raises(ScopaError, match="1 bots for the 2 seats of scopa"):
        Simulation(find_rules("scopa"), 1, 1, (RandomBot(),))
    with pytest.raises(InvalidSeatError, match="no dealer 2 in scopa"):
        plan(dealer=2)


# What is dealt.


def test_the_cards_do_not_depend_on_the_players() -> None:
    decks = [[record.deck for record in records_of(plan("cirulla_4", 12, bots))] for bots in ("random", "greedy", "greedy,random")]
    assert decks[0] == decks[1] == decks[2]
    assert len(set(decks[0])) == 12


def test_the_dealer_is_the_last_seat_or_a_seat_or_rotates() -> None:
    dealers = {who: [record.dealer for record in records_of(plan("scopa_3", 6, dealer=who))] for who in (None, 1, "rotate")}
    assert dealers == {None: [2] * 6, 1: [1] * 6, "rotate": [0, 1, 2, 0, 1, 2]}


def test_records_say_where_they_come_from() -> None:
    record = records_of(plan("scopone", 3, "greedy,random", seed=8))[2]
    assert (record.seed, record.index, record.players) == (8, 2, ("greedy", "random", "greedy", "random"))
    assert record.deck == sf.shuffled_deck("scopone", 8, 2).deck
    assert sf.Record.from_json(record.to_json()) == record


# Totals.


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("bots", ["random", "greedy"])
def test_totals_add_up(preset: str, bots: str) -> None:
    rules = find_rules(preset)
    found = total(plan(preset, 4, bots))
    assert found.deals == 4 == sum(found.wins) + found.ties
    assert found.plays == 4 * rules.plays
    assert found.points == tuple(sum(found.items[item][side] for item in ITEMS) for side in range(len(rules.sides)))
    assert found.margin == found.points[0] - found.points[1]
    assert all(won <= points for item in ITEMS for won, points in zip(found.won[item], found.items[item], strict=True))
    assert sum(found.items["settebello"]) == 4


@pytest.mark.parametrize("bots", ["random", "greedy"])
def test_totals_do_not_depend_on_the_chunks(bots: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = total(plan("cirulla_2", 50, bots, dealer="rotate"))
    monkeypatch.setattr(sim_deals, "FIRST_CHUNK", 1)
    monkeypatch.setattr(sim_deals, "CHUNK_SECONDS", 0.002)
    chunks = list(plan("cirulla_2", 50, bots, dealer="rotate").run())
    assert len(chunks) > 2
    assert reduce(add, chunks) == whole


def test_totals_are_those_of_the_records() -> None:
    simulation = plan("scopa_8", 10, "greedy")
    scores = [record.final_state().score() for record in records_of(simulation)]
    found = total(simulation)
    assert found.points == tuple(map(sum, zip(*[score.total for score in scores], strict=True)))
    assert found.points_squared == tuple(sum(score.total[side] ** 2 for score in scores) for side in range(8))
    assert found.ties == sum(score.winner is None for score in scores)
    assert found.won["primiera"] == tuple(sum(score.points["primiera"][side] > 0 for score in scores) for side in range(8))


def test_playouts_and_the_loop_over_bots_agree() -> None:
    """Random players from the engine's playouts and from the loop deal the same cards and score alike."""
    n = 150
    simulation = plan("scopone", n)
    fast = total(simulation)
    slow = reduce(add, simulation.run(lambda record: None))
    assert (fast.deals, fast.plays, fast.voids) == (slow.deals, slow.plays, slow.voids)
    for side in (0, 1):
        spread = math.sqrt(fast.points_squared[side] / n - (fast.points[side] / n) ** 2) * math.sqrt(2 * n)
        assert abs(fast.points[side] - slow.points[side]) < 4 * spread


@pytest.mark.parametrize(("declarations", "declared"), [("never", False), ("always", True), ("uniform", True)])
@pytest.mark.parametrize("written", [False, True])
def test_random_players_declare_only_if_asked(declarations: str, declared: bool, written: bool) -> None:
    rules = find_rules("cirulla_2")
    simulation = Simulation(rules, 30, 3, seat_bots(rules, ["random"], declarations=declarations))
    found = reduce(add, simulation.run((lambda record: None) if written else None))
    assert any(found.items["bonus"]) is declared


def test_threads_change_nothing() -> None:
    assert total(plan("scopa", 300, threads=2)) == total(plan("scopa", 300, threads=1))


def test_greedy_beats_random() -> None:
    found = total(plan("scopone", 60, "greedy,random"))
    assert found.wins[0] > 40
    turned = total(plan("scopone", 60, "random,greedy"))
    assert turned.wins[1] > 40


def test_the_dealers_side_wins_ten_card_scopone_between_greedy_players() -> None:
    """The known seat effect of this player: 16 % against 75 % over many deals."""
    found = total(plan("scopone_trentino", 150, "greedy"))
    assert found.wins[0] < 45
    assert found.wins[1] > 90


def test_play_deal_returns_the_moves() -> None:
    state = sf.State("scopa", 4)
    first = state.clone()
    moves = play_deal(state, seat_bots(state.rules, ["greedy"]), [sf.Rng(1), sf.Rng(2)])
    assert state.is_terminal() and len(moves) == 36
    for move in moves:
        first.play(move)
    assert first == state


# Statistics.


def test_intervals() -> None:
    # Wilson's interval for 8 of 10 (Newcombe 1998, method 3), and for none of ten, where the simple one has no width.
    assert share_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert share_interval(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    low, high = share_interval(500_000, 1_000_000)
    assert high - low == pytest.approx(2 * 1.959964 * 0.0005, rel=1e-5)
    # 1 2 3: mean 2, standard deviation 1.
    assert mean_interval(6, 14, 3) == pytest.approx((2 - 1.959964 / 3**0.5, 2 + 1.959964 / 3**0.5))
    assert mean_interval(2, 4, 1) is None


def test_a_report_says_it_all() -> None:
    simulation = plan("cirulla_4", 20, "greedy,random", dealer="rotate")
    found = total(simulation)
    data = json.loads(json.dumps(Report(simulation, found, 2.0).as_dict()))
    assert (data["rules"], data["seed"], data["dealer"], data["deals"], data["complete"]) == ("cirulla_4", 5, "rotate", 20, True)
    assert data["bots"] == ["greedy", "random", "greedy", "random"]
    assert [seat["side"] for seat in data["seats"]] == [0, 1, 0, 1]
    assert data["sides"][1]["seats"] == [1, 3]
    assert data["sides"][0]["win_share"] == found.wins[0] / 20
    assert data["margin_per_deal"] == pytest.approx((found.points[0] - found.points[1]) / 20)
    assert (data["deals_per_second"], data["plays_per_second"]) == (10, 18 * 20)
    assert list(data["items"]) == ["carte", "denari", "settebello", "primiera", "napola", "grande", "scopa", "bonus"]
    assert data["items"]["settebello"]["nobody"] == 0
    assert data["items"]["carte"]["nobody"] == 20 - sum(found.won["carte"])
    assert data["items"]["scopa"]["nobody"] is None


def test_nobody_is_not_told_where_ties_are_paid() -> None:
    simulation = plan("scopa_8", 5)
    report = Report(simulation, total(simulation), 1.0)
    assert report.nobody("carte") is None
    assert report.nobody("settebello") == 0
    assert "margin_per_deal" not in report.as_dict()
    assert not Report(plan("scopa_8", 6), report.totals, 1.0).is_complete
