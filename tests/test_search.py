"""Tree search: its statistics add up, its decisions do not depend on threads, levels or hidden cards, and it finds what is best."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import scopa_fast as sf
from scopa_fast import Worlds, ismcts, mcts
from scopa_fast.bots import find_bot
from scopa_fast.core.search import PLAYOUTS, REWARDS
from scopa_fast.errors import IllegalMoveError
from scopa_fast.rules import PRESETS
from scopa_fast.searches import Leaves


def position(preset: str, seed: int, plays_left: int) -> sf.State:
    """A position of random play with so many cards left to play."""
    state, rng = sf.State(preset, seed), random.Random(seed)
    while state.plays_left > plays_left or len(state.legal_moves()) < 2:
        state.play(rng.choice(state.legal_moves()))
        if state.is_terminal():
            return position(preset, seed + 1000, plays_left)
    return state


def view_of(state: sf.State) -> sf.SeatView:
    return state.view(state.seat)


SEARCHES: dict[str, Callable[..., sf.SearchResult]] = {
    "ismcts": lambda state, **options: ismcts(view_of(state), **options),
    "mcts": mcts,
}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("playout", PLAYOUTS)
def test_statistics_add_up(playout: str, name: str, preset: str) -> None:
    for plays_left in (8, 20, 40):
        state = position(preset, 3, plays_left)
        before = str(state)
        found = SEARCHES[name](state, iterations=150, playout=playout, seed=5, trees=2)
        assert str(state) == before
        assert [entry.move for entry in found.moves] == state.legal_moves()
        assert sum(entry.visits for entry in found.moves) == found.iterations == 150
        assert found.worlds == (150 if name == "ismcts" else 0)
        assert not found.timed and found.nodes <= 152 and found.seconds > 0
        assert all(entry.available >= entry.visits for entry in found.moves)
        best = max(found.moves, key=lambda entry: (entry.visits, entry.mean))
        assert found.move == found.line[0] == best.move


@pytest.mark.parametrize("name", SEARCHES)
def test_the_line_can_be_played_on_the_table(name: str) -> None:
    state = position("scopone", 1, 12)
    line = SEARCHES[name](state, iterations=5000, seed=1).line
    assert len(line) > 2 and len({move.card for move in line}) == len(line)
    table = state.table_mask
    for move in line:
        assert move.captured_mask & ~table == 0
        table = table & ~move.captured_mask if move.captured_mask else table | 1 << move.card
        if name == "mcts":
            state.play(move)
            assert state.table_mask == table or state.is_terminal()


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("preset", ["scopone", "scopa_3", "cirulla_4"])
def test_decisions_do_not_depend_on_the_number_of_threads(preset: str, name: str) -> None:
    state = position(preset, 2, 30)
    results = [SEARCHES[name](state, iterations=3001, trees=5, threads=threads, seed=9) for threads in (1, 2, 7)]
    assert results[0] == results[1] == results[2]
    assert results[0] != SEARCHES[name](state, iterations=3001, trees=5, seed=10)


LEVELS = """
import scopa_fast as sf
for preset in ("scopone", "cirulla_2", "scopa_assi", "escoba_3"):
    state = sf.State(preset, 4)
    for result in (sf.ismcts(state.view(state.seat), iterations=400, seed=3), sf.mcts(state, iterations=400, seed=3, playout="random")):
        print([(str(entry.move), entry.visits, round(entry.mean, 6), entry.available) for entry in result.moves])
"""


def test_all_kernel_levels_decide_alike() -> None:
    outputs = {
        subprocess.run([sys.executable, "-c", LEVELS], env=os.environ | {"SCOPA_FAST_LEVEL": level}, capture_output=True, check=True).stdout
        for level in sf.cpu_info()["levels"]
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("preset", ["scopone", "scopa", "cirulla_4", "escoba_2", "scopa_6", "scopa_assi"])
def test_with_open_cards_it_comes_to_the_exact_value(preset: str) -> None:
    for seed in range(4):
        state = position(preset, seed, 8)
        exact = sf.solve_moves(state)
        sign = 1 if state.side == 0 else -1
        found = mcts(state, iterations=40_000, playout="random", explore=10, seed=seed)
        assert found.move in exact.best
        best = next(entry for entry in found.moves if entry.move == found.move)
        assert best.mean == pytest.approx(sign * exact.value, abs=0.5)


@pytest.mark.parametrize("preset", ["scopa", "cirulla_2", "escoba_2", "scopa_assi"])
def test_the_last_round_of_two_players_hides_nothing(preset: str) -> None:
    """What is not seen is in the other hand, so the fair search must find what is best, too."""
    for seed in range(6):
        state = position(preset, seed, 6)
        found = ismcts(view_of(state), iterations=20_000, playout="random", explore=10, seed=seed)
        assert found.move in sf.solve_moves(state).best


@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_are_within_their_range(reward: str) -> None:
    least, most = {"points": (0, 20), "difference": (-20, 20), "win": (-1, 1), "win_share": (0, 1), "match": (0, 1)}[reward]
    for preset in ("scopone", "scopa_3", "scopa_8"):
        found = ismcts(view_of(sf.State(preset, 1)), iterations=300, reward=reward, seed=1)
        assert all(least <= entry.mean <= most for entry in found.moves if entry.visits)


def test_a_sure_win_is_worth_one_and_a_tie_half() -> None:
    state = position("scopa", 3, 4)
    exact = sf.solve(state).value
    found = mcts(state, iterations=5000, reward="win", playout="random", explore=4, seed=1)
    best = max(entry.mean for entry in found.moves)
    assert best == pytest.approx((exact > 0) - (exact < 0) if state.side == 0 else (exact < 0) - (exact > 0), abs=0.1)


# Settings.


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"iterations": 0}, "iterations 0"), ({"iterations": 2.0}, "iterations.*2.0"), ({"seconds": -1}, "seconds -1"),
        ({"explore": -0.5}, "explore -0.5"), ({"explore": "c"}, "explore.*'c'"), ({"reward": "gold"}, "reward.*'gold'"),
        ({"reward": 1}, "reward.*1"), ({"playout": "best"}, "playout.*'best'"), ({"epsilon": 1.5}, "epsilon 1.5"),
        ({"epsilon": float("nan")}, "epsilon nan"), ({"trees": 0}, "trees 0"), ({"threads": 0}, "threads 0"),
        ({"seed": -1}, "seed -1"), ({"seed": "x"}, "seed.*'x'"), ({"evaluate": 3}, "evaluate.*3"), ({"batch": 0}, "batch 0"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", SEARCHES)
def test_bad_settings_are_refused(name: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        SEARCHES[name](sf.State("scopa", 1), **options)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_full_tree_is_searched_on(name: str) -> None:
    state = position("cirulla_4", 2, 40)
    found = SEARCHES[name](state, iterations=5000, nodes=100, trees=1, seed=1)
    assert found.nodes == 100 and found.iterations == 5000 == sum(entry.visits for entry in found.moves)
    with pytest.raises(ValueError, match="nodes 100 is outside 128"):
        SEARCHES[name](state, iterations=5000, nodes=100, trees=2)


def test_what_has_no_move_is_refused() -> None:
    state = sf.State("scopa", 1)
    with pytest.raises(IllegalMoveError, match="seat 1 has no move in"):
        ismcts(state.view(1))
    with pytest.raises(TypeError, match="view must be a SeatView"):
        ismcts(state)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="state must be a State"):
        mcts(state.view(0))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="are not the worlds of"):
        ismcts(state.view(0), worlds=Worlds(sf.State("scopa", 2).view(0)))
    with pytest.raises(TypeError, match="worlds must be Worlds"):
        ismcts(state.view(0), worlds=[state])  # type: ignore[arg-type]
    while not state.is_terminal():
        state.play_index(0)
    with pytest.raises(IllegalMoveError, match="the deal is over"):
        mcts(state)
    with pytest.raises(IllegalMoveError):
        ismcts(state.view(0))


def test_excluded_cards_are_not_dealt() -> None:
    """The next seat sweeps an 8 unless it is known to hold none."""
    state = sf.State("scopa", 1)
    view = state.view(0)
    eights = 0xF << 28
    known = ismcts(view, iterations=2000, seed=1, worlds=Worlds(view, exclude={1: eights}))
    assert all(not sf.State.hand_mask(world, 1) & eights for world in sf.sample(view, 1, 50, exclude={1: eights}))
    assert known != ismcts(view, iterations=2000, seed=1)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_time_limit_ends_a_search_and_is_told(threads: int) -> None:
    begin = time.monotonic()
    found = ismcts(view_of(sf.State("scopone", 1)), iterations=10**7, trees=threads, threads=threads, seconds=0.2, seed=1)
    assert 0.15 < time.monotonic() - begin < 3
    assert found.timed and found.iterations > 1000
    assert not ismcts(view_of(sf.State("scopone", 1)), iterations=10, seconds=60).timed


def test_an_rng_is_drawn_from_once() -> None:
    rng, twin, view = sf.Rng(3), sf.Rng(3), view_of(sf.State("scopa", 1))
    first, second = ismcts(view, iterations=50, seed=rng), ismcts(view, iterations=50, seed=rng)
    assert (rng.next(), first) == ((twin.next(), twin.next(), twin.next())[2], ismcts(view, iterations=50, seed=sf.Rng(3)))
    assert first != second


INTERRUPTED = """
import os, signal, threading, time
import scopa_fast as sf
view = sf.State("scopone", 1).view(0)
threading.Thread(target=lambda: (time.sleep(0.3), os.kill(os.getpid(), signal.SIGINT)), daemon=True).start()
try:
    sf.ismcts(view, iterations=10**7, threads={threads}, trees=2)
except KeyboardInterrupt:
    print("interrupted", sf.ismcts(view, iterations=10, seed=1).iterations)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_search(threads: int) -> None:
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(threads=threads)], capture_output=True, text=True, timeout=60, check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "interrupted 10\n"), done.stderr
    assert time.monotonic() - begin < 20


# An evaluator of leaves.


def difference(leaves: Leaves) -> Any:
    """Cards won by each side, less those of the other: two sides."""
    cards = np.array([[int(mask).bit_count() for mask in row[-2:]] for row in leaves.cards])
    return np.stack([cards[:, 0] - cards[:, 1], cards[:, 1] - cards[:, 0]], axis=1)


@pytest.mark.parametrize("preset", ["scopone", "scopa_3", "cirulla_4", "scopa_8"])
def test_leaves_are_the_positions_of_the_search(preset: str) -> None:
    state = sf.State(preset, 2)
    rules, view = state.rules, state.view(state.seat)
    sides, seen = len(rules.sides), []

    def evaluate(leaves: Leaves) -> Any:
        n = len(leaves)
        assert 1 <= n <= 16
        assert leaves.cards.shape == (n, rules.seats + 1 + sides) and leaves.cards.dtype == np.uint64
        assert leaves.turn.shape == (n, 6) and leaves.scope.shape == leaves.bonus.shape == (n, sides)
        planes = leaves.planes()
        assert planes.shape == (n, rules.seats + 1 + sides, rules.cards) and planes.dtype == np.uint8
        stock = (planes.sum(axis=1) == 0).sum(axis=1)
        for row in range(n):
            hands = [int(mask) for mask in leaves.cards[row, : rules.seats]]
            assert sum(hand.bit_count() for hand in hands) + stock[row] == leaves.turn[row, 3]
            for place, mask in enumerate(leaves.cards[row]):
                assert [int(one) for one in planes[row, place]] == [int(mask) >> card & 1 for card in range(rules.cards)]
            seen.append(tuple(hands))
        return np.zeros((n, sides))

    found = ismcts(view, iterations=300, seed=1, evaluate=evaluate, batch=16, trees=3)
    assert found.iterations == 300 and len(seen) == 300
    assert len(set(seen)) > 100
    assert all(entry.mean == 0 for entry in found.moves)


def test_an_evaluator_is_believed() -> None:
    state = sf.State("scopone_scientifico", 5)
    for _ in range(6):
        state.play_index(0)
    found = mcts(state, iterations=4000, evaluate=difference, seed=1, batch=8)
    most = max(state.legal_moves(), key=lambda move: move.captured_mask.bit_count())
    if most.captured_mask:
        assert next(entry for entry in found.moves if entry.move == found.move).visits > 1000
    again = mcts(state, iterations=4000, evaluate=difference, seed=1, batch=8)
    assert found == again


def test_an_exact_evaluator_finds_the_best_move() -> None:
    """Leaves valued by the solver: the search must agree with it."""
    state = position("scopa", 4, 10)

    def exact(leaves: Leaves) -> Any:
        values = []
        for row in range(len(leaves)):
            hands = tuple(int(mask) for mask in leaves.cards[row, :2])
            turn = [int(number) for number in leaves.turn[row]]
            here = sf.Position(
                rules=leaves.rules, hands=hands, table=int(leaves.cards[row, 2]), piles=tuple(int(mask) for mask in leaves.cards[row, 3:]),
                stock=state.stock if sum(hand.bit_count() for hand in hands) + len(state.stock) == turn[3] else (),
                scope=tuple(int(number) for number in leaves.scope[row]), bonus=(0, 0),
                last_capturer=None if turn[2] < 0 else turn[2], seat=turn[0], dealer=turn[1],
            )  # fmt: skip
            value = sf.solve(sf.State.from_position(here), line=False).value
            values.append((value, -value))
        return values

    found = mcts(state, iterations=60, evaluate=exact, seed=1, batch=4)
    assert found.move in sf.solve_moves(state).best


@pytest.mark.parametrize("answer", [None, [[0.0]], [[0.0, float("nan")]], "points", [[3e38, 3e38]], [[0.0, -2e9]]])
def test_rewards_of_another_shape_are_refused(answer: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        mcts(sf.State("scopa", 1), iterations=10, evaluate=lambda leaves: answer, batch=1)


def test_an_error_of_the_evaluator_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        mcts(sf.State("scopa", 1), iterations=10, evaluate=lambda leaves: 1 / 0)


# As players.

SMALL = [
    "ismcts[iterations=30]", "mcts[iterations=30]", "pimc[count=2,iterations=10]", "champion[iterations=30,worlds=10,exact_worlds=5]",
]  # fmt: skip
SOME = ["ismcts[iterations=400]", "mcts[iterations=200]", "pimc", "champion[iterations=400,worlds=100,exact_worlds=100]"]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("text", SMALL)
def test_search_players_finish_a_deal_of_every_ruleset(text: str, preset: str) -> None:
    state, rng, bot = sf.State(preset, 6), sf.Rng(1), find_bot(text)
    while not state.is_terminal():
        state.play(bot.choose(state if getattr(bot, "cheats", False) else state.view(state.seat), rng))  # type: ignore[arg-type]


def test_a_search_beats_the_greedy_player() -> None:
    greedy, wins = find_bot("greedy"), 0
    for name in SOME:
        bot, lead = find_bot(name), 0
        for seed in range(12):
            for side in (0, 1):
                state, rng = sf.State("scopone", seed), sf.Rng(seed)
                while not state.is_terminal():
                    player = bot if state.side == side else greedy
                    shown = state if getattr(player, "cheats", False) else state.view(state.seat)
                    state.play(player.choose(shown, rng))  # type: ignore[arg-type]
                score = state.score().total
                lead += score[side] - score[1 - side]
        wins += lead > 0
    assert wins == 4
