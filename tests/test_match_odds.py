"""Chances to win a match, and searches that play for it."""

from __future__ import annotations

import random

import numpy as np
import pytest

import scopa_fast as sf
from scopa_fast.bots import find_bot, for_match
from scopa_fast.errors import InvalidSeatError
from scopa_fast.odds import match_odds


@pytest.mark.parametrize("rules", ["scopa", "scopone[target=21]", "scopa_3", "scopa[match_deals=3]"])
def test_odds_are_chances(rules: str) -> None:
    game = sf.parse_rules(rules)
    odds = match_odds(game)
    assert odds.dtype == np.float32 and odds.shape == (game.target + 33,) * 2
    assert (odds >= 0).all() and (odds <= 1).all()
    if len(game.sides) == 2:
        assert odds + odds.T == pytest.approx(1, abs=0.02)
    # Own points help, those of others do not.
    assert (np.diff(odds[: game.target, : game.target], axis=0) >= -1e-6).all()
    assert (np.diff(odds[: game.target, : game.target], axis=1) <= 1e-6).all()


def test_totals_that_decide_are_won_or_lost() -> None:
    odds = match_odds(sf.find_rules("scopa"))
    assert (odds[11, 10], odds[12, 15], odds[11, 11], odds[20, 19]) == (1, 0, 0.5, 1)
    assert 0 < odds[10, 9] < 1 and odds[10, 0] > 0.97 > odds[10, 8] > odds[10, 10] == pytest.approx(0.5, abs=0.01)
    assert match_odds(sf.parse_rules("scopa[match_deals=1]"))[3, 2] == 1


def test_odds_are_those_of_matches_played_at_random() -> None:
    """From 8 to 6 in a match to 11."""
    rules, wins, n = sf.find_rules("scopa"), 0, 4000
    points = np.empty((6 * n, 2), np.int32)
    sf.playouts(rules, 6 * n, 77, out=points, dealer="rotate")
    for number in range(n):
        own, other = 8, 6
        for deal in points[6 * number : 6 * number + 6]:
            own, other = own + int(deal[0]), other + int(deal[1])
            if max(own, other) >= 11 and own != other:
                break
        wins += own > other
    assert wins / n == pytest.approx(float(match_odds(rules)[8, 6]), abs=0.03)


@pytest.mark.parametrize(("rules", "scores"), [
    ("scopa_3", (5, 8, 2)), ("scopa_3", (10, 6, 6)), ("cirulla_3", (20, 30, 10)), ("scopa_4[teams=0/1/2/3]", (3, 5, 7, 2)),
])  # fmt: skip
def test_chances_of_more_sides_are_near_those_of_matches_played_at_random(rules: str, scores: tuple[int, ...]) -> None:
    game, n, deals = sf.parse_rules(rules), 3000, 60
    sides = len(game.sides)
    points = np.empty((n * deals, sides), np.int32)
    # Who deals is worth something, and changes from deal to deal.
    sf.playouts(game, n * deals, 5, declarations="always", out=points, dealer="rotate")
    wins = np.zeros(sides)
    for match in points.reshape(n, deals, sides):
        totals = np.array(scores) + match.cumsum(axis=0)
        best = totals.max(axis=1)
        over = (best >= game.target) & ((totals == best[:, None]).sum(axis=1) == 1)
        wins[totals[over.argmax()].argmax()] += 1
    odds = match_odds(game)
    chances = [1 / (sum(1 / odds[own, other] for j, other in enumerate(scores) if j != i) - sides + 2) for i, own in enumerate(scores)]
    assert [chance / sum(chances) for chance in chances] == pytest.approx(list(wins / n), abs=0.06)
    # A deal that is over before it is played on: the reward is the chance by the totals.
    state = sf.State(game, 1)
    while state.plays_left > 1:
        state.play(state.random_move(sf.Rng(state.plays_left)))
    before = tuple(max(0, score - 4) for score in scores)
    [entry, *_] = sf.mcts(state, iterations=50, reward="match", scores=before, seed=1).moves
    side = state.side
    state.play(entry.move)
    totals = [score + won for score, won in zip(before, state.score().total, strict=True)]
    coupled = [1 / (sum(1 / (odds[own, other] + 1e-9) for j, other in enumerate(totals) if j != i) - sides + 2)
               for i, own in enumerate(totals)]  # fmt: skip
    assert entry.mean == pytest.approx(coupled[side] / sum(coupled), abs=1e-5)


def test_totals_off_the_table_are_as_far_apart_on_it() -> None:
    state = sf.State("scopa[match_deals=30]", seed=3)
    while state.plays_left > 1:
        state.play(state.random_move(sf.Rng(1)))
    [entry, *_] = sf.mcts(state, iterations=9, reward="match", scores=(460, 445), seed=1).moves
    assert entry.mean == (state.side == 0)
    far = match_odds("scopa[target=1000]")
    assert far.shape == (233, 233) and far[150, 160] == pytest.approx(1 - far[160, 150], abs=0.02) and far[150, 160] < 0.4
    state = sf.State("scopa[target=1000]", seed=3)
    while state.plays_left > 1:
        state.play(state.random_move(sf.Rng(1)))
    means = {}
    for scores in ((0, 0), (0, 300), (300, 0), (300, 300), (950, 960)):
        [entry, *_] = sf.mcts(state, iterations=9, reward="match", scores=scores, seed=1).moves
        means[scores] = entry.mean if state.side == 0 else 1 - entry.mean
    assert means[0, 300] < 0.05 < 0.4 < means[0, 0] < 0.6 and means[300, 0] > 0.95
    assert means[300, 300] == pytest.approx(means[0, 0], abs=0.02)
    assert means[950, 960] < 0.4


def test_a_search_counts_the_match() -> None:
    """With one card each the end is known: its mean is the chance that the totals give."""
    rng = random.Random(1)
    for seed in range(20):
        state = sf.State("scopa", seed)
        while state.plays_left > 2:
            state.play(rng.choice(state.legal_moves()))
        scores = (rng.randint(0, 10), rng.randint(0, 10))
        found = sf.mcts(state, iterations=400, reward="match", playout="random", explore=2, scores=scores, seed=1)
        side, best = state.side, 0.0
        for move in state.legal_moves():
            after = state.clone()
            after.play(move)
            reply = sf.solve(after).line
            for each in reply:
                after.play(each)
            total = [score + points for score, points in zip(scores, after.score().total, strict=True)]
            best = max(best, float(match_odds(state.rules)[min(total[side], 43), min(total[1 - side], 43)]))
        assert max(entry.mean for entry in found.moves) == pytest.approx(best, abs=0.06)


def test_the_score_changes_what_is_best() -> None:
    """A side that needs one point takes it; one that is far behind must not be content with it."""
    view = sf.State("scopone", 4).view(0)
    means = {}
    for scores in ((0, 10), (10, 0), (5, 5)):
        found = sf.ismcts(view, iterations=3000, reward="match", scores=scores, seed=1)
        means[scores] = max(entry.mean for entry in found.moves)
    assert means[10, 0] > means[5, 5] > means[0, 10]


def test_bots_are_told_the_score() -> None:
    bot = for_match(find_bot("ismcts[reward=match,iterations=50]"), (3, 4))
    assert bot.scores == (3, 4)  # type: ignore[attr-defined]
    greedy = find_bot("greedy")
    assert for_match(greedy, (3, 4)) is greedy
    view = sf.State("scopa", 1).view(0)
    for text in ("ismcts[reward=match,iterations=50]", "champion[reward=match,iterations=50,worlds=10]"):
        assert for_match(find_bot(text), (3, 4)).choose(view, sf.Rng(1)) in view.legal_moves()


def test_bad_scores_are_refused() -> None:
    view = sf.State("scopa", 1).view(0)
    for scores, error in (((1, 2, 3), InvalidSeatError), ((-1, 2), ValueError), ((1.5, 2), TypeError), ("12", TypeError)):
        with pytest.raises(error, match="scores"):
            sf.ismcts(view, reward="match", scores=scores)  # type: ignore[arg-type]
