"""What each play of a deal cost: the numbers against plain minimax, the sums through whole deals, and what limits leave."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice, pairwise
from typing import Any

import pytest
from minimax import minimax
from strategies import TWO_SIDES

import scopa_fast as sf
from scopa_fast import LimitReachedError, Move, MoveValue, MoveValues, PlayAnalysis, ScopaError, UnsolvableRulesError, analysis, reference

RandomDeal = Callable[..., Any]
WHOLE_DEALS = [(rules, seed) for rules in ("scopa", "cirulla_2", "escoba_2", "scopa_quindici") for seed in (1, 2)]


def difference(record: Any) -> int:
    """The final points of side 0 minus those of side 1."""
    ours, theirs = record.final_state().score().total
    return int(ours - theirs)


# The numbers.


@pytest.mark.parametrize("rules", TWO_SIDES)
def test_the_last_plays_are_worth_what_minimax_says(rules: str, random_deal: RandomDeal) -> None:
    record = random_deal(sf, rules, 5)
    states = list(record.states())
    for play in islice(sf.analyse_plays(record), 5):
        state = states[play.number]
        answer = minimax(reference.State.from_text(str(state)))
        assert (play.seat, play.side, play.move) == (state.seat, state.side, record.moves[play.number])
        assert {value.move: value.value for value in play.values.moves} == answer.values
        assert (play.before, play.after, play.best) == (answer.value, answer.values[play.move], answer.best)
        assert play.loss == abs(answer.value - answer.values[play.move])
        assert play.loss_bounds == (play.loss, play.loss) and play.solved


@pytest.mark.parametrize(("rules", "seed"), WHOLE_DEALS)
def test_the_losses_lead_from_the_first_value_to_the_final_score(rules: str, seed: int, random_deal: RandomDeal) -> None:
    record = random_deal(sf, rules, seed)
    found = sf.analyse(record)
    assert found.solved and found.total == len(record.moves) == len(found.plays)
    assert [play.move for play in found.plays] == list(record.moves)
    assert [play.number for play in found.plays] == list(range(found.total))
    assert all(play.after == following.before for play, following in pairwise(found.plays))
    assert found.plays[-1].after == difference(record)
    assert found.value == found.plays[0].before
    assert found.value - found.side_losses[0] + found.side_losses[1] == difference(record)
    assert all(play.loss == abs(play.before - play.after) for play in found.plays)


def test_a_declaration_is_a_play_of_its_own(random_deal: RandomDeal) -> None:
    """CIR-4: the seat moves again. With every card open, showing the hand costs nothing and its points are gained."""
    deals = (random_deal(sf, "cirulla_2", seed) for seed in range(1000))
    record = next(deal for deal in deals if deal.moves[0].is_declaration and deal.moves[0].matta is None)
    declared, played = sf.analyse(record).plays[:2]
    assert (declared.seat, declared.side, declared.number) == (played.seat, played.side, played.number - 1) == (0, 0, 0)
    undeclared = [value.value for value in declared.values.moves if not value.move.is_declaration]
    assert declared.after == played.before == max(undeclared) + declared.move.points
    assert declared.loss == 0


def test_an_unfinished_deal_is_analysed_as_far_as_it_goes(random_deal: RandomDeal) -> None:
    whole = sf.analyse(random_deal(sf, "scopa", 3))
    part = sf.analyse(random_deal(sf, "scopa", 3, plays=30))
    assert part.solved and part.total == 30

    def values(plays: tuple[PlayAnalysis, ...]) -> list[tuple[int, int, tuple[Move, ...]]]:
        return [(play.before, play.after, play.best) for play in plays]

    assert values(part.plays) == values(whole.plays[:30])


def test_losses_are_summed_by_seat_and_by_side(random_deal: RandomDeal) -> None:
    record = random_deal(sf, "scopa_4", 4)
    found = sf.analyse(record)
    for seat in range(4):
        assert found.seat_losses[seat] == sum(play.loss for play in found.plays if play.seat == seat)
    assert found.side_losses == (found.seat_losses[0] + found.seat_losses[2], found.seat_losses[1] + found.seat_losses[3])
    assert found.nodes == sum(play.values.nodes for play in found.plays)


# Refusals.


@pytest.mark.parametrize("rules", ["scopa_3", "scopa_8"])
def test_rules_of_more_sides_have_no_values(rules: str, random_deal: RandomDeal) -> None:
    with pytest.raises(UnsolvableRulesError, match=rules):
        sf.analyse(random_deal(sf, rules, 1))


def test_a_record_without_moves_is_refused(random_deal: RandomDeal) -> None:
    with pytest.raises(ScopaError, match="no moves to analyse in the record 'REPLAY-1-0'"):
        sf.analyse(random_deal(sf, "scopa", 1, plays=0))


def test_only_a_record_of_the_native_engine_is_taken(random_deal: RandomDeal) -> None:
    with pytest.raises(TypeError, match="record must be a Record of the native engine, not Record"):
        sf.analyse(random_deal(reference, "scopa", 1, plays=1))
    with pytest.raises(TypeError, match="not State"):
        sf.analyse(sf.State("scopa", 1))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "value"), [("table", 3), ("megabytes", -1), ("threads", 0), ("nodes", 0), ("seconds", -1), ("progress", 3)]
)
def test_bad_arguments_are_refused_before_the_first_play(option: str, value: int, random_deal: RandomDeal) -> None:
    options: dict[str, Any] = {option: value}
    with pytest.raises((TypeError, ValueError), match=f"{option}.*{value}"):
        sf.analyse_plays(random_deal(sf, "scopa", 1), **options)
    with pytest.raises(UnsolvableRulesError, match="scopa_3 has 3 sides"):
        sf.analyse_plays(random_deal(sf, "scopa_3", 1, plays=0))
    with pytest.raises(ScopaError, match="no moves"):
        sf.analyse_plays(random_deal(sf, "scopa", 1, plays=0))


# Limits.


@pytest.mark.parametrize("limits", [{"nodes": 20_000}, {"seconds": 0.2}])
def test_a_limit_keeps_what_was_found_from_the_end_on(limits: dict[str, Any], random_deal: RandomDeal) -> None:
    record = random_deal(sf, "scopone", 1)
    found = sf.analyse(record, **limits)
    assert not found.solved and 0 < len(found.plays) < found.total == 36
    assert [play.number for play in found.plays] == list(range(36 - len(found.plays), 36))
    assert all(play.solved for play in found.plays[1:])
    with pytest.raises(LimitReachedError, match=f"a limit came first: the last {found.solved_plays} of 36 moves are solved"):
        _ = found.value


def values(*moves: tuple[str, int, int], side: int = 0, nodes: int = 10) -> MoveValues:
    """The values of moves with these bounds, for the side to move."""
    end = max if side == 0 else min
    lower, upper = end(low for _, low, _ in moves), end(high for _, _, high in moves)

    def best(i: int) -> bool:
        others = [moves[j] for j in range(len(moves)) if j != i]
        return all(moves[i][1] >= high if side == 0 else moves[i][2] <= low for _, low, high in others)

    return MoveValues(tuple(MoveValue(Move.from_text(m), *b, best(i)) for i, (m, *b) in enumerate(moves)), lower, upper, nodes, 0.0)


@pytest.mark.parametrize(
    ("side", "bounds", "played", "loss"),
    [
        (0, [("7D", 2, 2), ("4C", -1, -1)], "4C", (3, 3)),
        (1, [("7D", 2, 2), ("4C", -1, -1)], "7D", (3, 3)),
        (1, [("7D", 2, 2), ("4C", -1, -1)], "4C", (0, 0)),
        (0, [("7D", 1, 3), ("4C", -2, 0)], "4C", (1, 5)),
        (1, [("7D", 1, 3), ("4C", -2, 0)], "7D", (1, 5)),
        (0, [("7D", -3, 3), ("4C", 0, 0)], "4C", (0, 3)),
        (0, [("7D", 1, 3), ("4C", -2, 0)], "7D", (0, 0)),
        (1, [("7D", -9, 9)], "7D", (0, 0)),
    ],
)
def test_the_bounds_of_a_loss(side: int, bounds: list[tuple[str, int, int]], played: str, loss: tuple[int, int]) -> None:
    play = PlayAnalysis(0, side, side, Move.from_text(played), values(*bounds, side=side))
    assert play.loss_bounds == loss
    assert play.solved == all(low == high for _, low, high in bounds)
    if loss[0] == loss[1]:
        assert play.loss == loss[0]
    else:
        with pytest.raises(LimitReachedError, match=f"a limit came first: the move {played} lost {loss[0]}..{loss[1]} points"):
            _ = play.loss


def test_an_unknown_value_is_refused_with_its_bounds() -> None:
    found = values(("7D", 1, 3), ("4C", 0, 0))
    assert (found.lower, found.upper, found.solved) == (1, 3, False)
    assert found.best == (Move.from_text("7D"),)
    for bounded in (found, found.moves[0], sf.Solution(1, 3, (), 0, 0.0)):
        with pytest.raises(LimitReachedError, match=r"a limit came first: the value is 1\.\.3"):
            _ = bounded.value


# How the work is done. The searches are made up here.


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options of each search; every search takes ten nodes and finds all moves of a position worth nothing."""
    made: list[dict[str, Any]] = []

    def solve_moves(state: Any, **options: Any) -> MoveValues:
        made.append(options)
        return values(*((str(move), 0, 0) for move in state.legal_moves()))

    monkeypatch.setattr(analysis, "solve_moves", solve_moves)
    return made


def test_one_table_serves_all_plays(calls: list[dict[str, Any]], random_deal: RandomDeal) -> None:
    record = random_deal(sf, "scopa", 1)
    sf.analyse(record, megabytes=1, threads=3)
    assert len(calls) == 36 and len({id(call["table"]) for call in calls}) == 1
    assert {(call["threads"], call["nodes"], call["seconds"], call["progress"]) for call in calls} == {(3, None, None, None)}
    table = sf.SolverTable(1)
    sf.analyse(record, table=table)
    assert all(call["table"] is table for call in calls[36:])


def test_the_limits_are_for_all_plays_together(calls: list[dict[str, Any]], random_deal: RandomDeal) -> None:
    found = sf.analyse(random_deal(sf, "scopa", 1), nodes=35, seconds=100)
    assert [call["nodes"] for call in calls] == [35, 25, 15, 5]
    assert all(0 < later["seconds"] < sooner["seconds"] <= 100 for sooner, later in pairwise(calls))
    assert (len(found.plays), found.nodes, found.solved) == (4, 40, False)
    assert sf.analyse(random_deal(sf, "scopa", 1), nodes=360).solved


def test_progress_counts_plays_and_all_positions(calls: list[dict[str, Any]], random_deal: RandomDeal) -> None:
    seen: list[sf.Progress] = []
    sf.analyse(random_deal(sf, "scopa", 1, plays=3), progress=seen.append)
    calls[-1]["progress"](sf.Progress(-2, 5, 7, 0.5, 1, 2))  # what a longer search would tell in between
    assert [(now.done, now.total, now.nodes) for now in seen[:3]] == [(1, 3, 10), (2, 3, 20), (3, 3, 30)]
    assert (seen[3].lower, seen[3].upper, seen[3].nodes, seen[3].total) == (-2, 5, 37, 3)
    assert all(sooner.seconds <= later.seconds for sooner, later in pairwise(seen))


def test_ctrl_c_leaves_the_plays_that_were_handed_out(calls: list[dict[str, Any]], random_deal: RandomDeal) -> None:
    def interrupt(now: sf.Progress) -> None:
        if now.done == 4:
            raise KeyboardInterrupt

    record = random_deal(sf, "scopa", 1)
    found = []
    with pytest.raises(KeyboardInterrupt):
        for play in sf.analyse_plays(record, progress=interrupt):
            found.append(play.number)
    assert found == [35, 34, 33]
    with pytest.raises(KeyboardInterrupt):
        sf.analyse(record, progress=interrupt)
