"""What a tree search does on its walks, told by a plain twin: where it goes, what it adds, what it writes on the way, and how it plays out.

The twin sees every leaf the search asks about, and finds the way that leads there by the rules of the search. If there is none, the
search is wrong. If there are several, or what happened is out of sight, it follows no further.
"""

from __future__ import annotations

import itertools
import math
import random
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

import scopa_fast as sf
from scopa_fast import ismcts, mcts, reference
from scopa_fast.bots.greedy import card_values
from scopa_fast.core.search import LEAST_NODES, PLAYOUTS, REWARDS
from scopa_fast.moves import Move
from scopa_fast.searches import Leaves

EXPLORE = {"difference": 2.0, "points": 1.5, "win": 0.7, "win_share": 0.35, "match": 0.35}
"""How much a search explores unless told, as documented."""
LOG_DIGITS = 1e-3
"""How exact the logarithm of the search is."""
LEAST_FOLLOWED = 40
"""Walks that a twin must see at least."""


def position(preset: str, seed: int, plays_left: int) -> sf.State:
    """A position of random play with so many cards left to play, before the seat to move declares."""
    state, rng = sf.State(preset, seed), random.Random(seed)
    while state.plays_left > plays_left:
        state.play(rng.choice([move for move in state.legal_moves() if not move.is_declaration]))
    return state


# The twin.


class OutOfSightError(Exception):
    """What the search did last does not show from its leaves."""


Row = tuple[tuple[int, ...], ...]


def row_of(leaves: Leaves, number: int) -> Row:
    """What the search tells of a leaf."""
    return tuple(tuple(int(value) for value in part[number]) for part in (leaves.cards, leaves.turn, leaves.scope, leaves.bonus))


def row_of_state(state: reference.State) -> Row:
    """The same of a state."""
    rules, last = state.rules, state.last_capturer
    hands, piles = [state.hand_mask(q) for q in range(rules.seats)], [state.pile_mask(side) for side in range(len(rules.sides))]
    exposed = sum(1 << seat for seat in state.exposed)
    turn = (state.seat, state.dealer, -1 if last is None else last, state.plays_left, state.matta or 0, exposed)
    return (*hands, state.table_mask, *piles), turn, state.scope, state.bonus


@dataclass
class Node:
    """A move of the twin's tree, and the moves after it."""

    visits: int = 0
    total: float = 0.0
    available: int = 0
    kids: dict[Move, Node] = field(default_factory=dict)


class Twin:
    """The tree of a search, grown by what its leaves show.

    :param fair: whether each move counts how often it was available (ismcts), or all take the visits of the one before (mcts).
    """

    def __init__(self, fair: bool, explore: float, most_nodes: int) -> None:
        self.fair, self.explore, self.most_nodes = fair, explore, most_nodes
        self.root, self.nodes, self.deepest, self.choices = Node(), 1, 0, 0

    def ways(self, node: Node, state: reference.State, leaf: Row) -> Iterator[list[Move]]:
        """All ways from a node to a leaf that the rules of the search allow."""
        legal = state.legal_moves()
        untried = [move for move in legal if move not in node.kids] if self.nodes < self.most_nodes else []
        tried = [move for move in legal if move in node.kids]
        if untried:
            for move in untried:
                state.play_unchecked(move)
                if row_of_state(state) == leaf:
                    yield [move]
                state.undo()
        elif tried:
            for move in self.best(node, tried):
                state.play_unchecked(move)
                for way in self.ways(node.kids[move], state, leaf):
                    yield [move, *way]
                state.undo()
        elif not state.is_terminal() and row_of_state(state) == leaf:
            yield []

    def best(self, node: Node, tried: list[Move]) -> list[Move]:
        """The moves of the largest upper confidence bound: several if the logarithm does not tell them apart."""
        bounds = {}
        for move in tried:
            kid = node.kids[move]
            log = math.log(kid.available + 1 if self.fair else node.visits)
            bounds[move] = kid.total / kid.visits + self.explore * math.sqrt(log / kid.visits)
        most = max(bounds.values())
        self.choices += len(tried) > 1
        return [move for move in tried if bounds[move] >= most - LOG_DIGITS * self.explore]

    def descend(self, world: reference.State, leaf: Row, loss: float) -> list[tuple[Node, int, float]]:
        """Go the way to a leaf; return the moves on it, with the side that made each and the reward it has until it is answered."""
        found = list(self.ways(self.root, world.clone(), leaf))
        assert found, f"no way leads to {leaf} in '{world}'"
        if len(found) > 1:
            raise OutOfSightError
        state, node, path, expected = world.clone(), self.root, [], 0.0
        node.visits += 1
        for move in found[0]:
            for other in state.legal_moves():
                if other in node.kids:
                    node.kids[other].available += 1
            if move not in node.kids:
                node.kids[move] = Node(available=1)
                self.nodes += 1
            node, pending = node.kids[move], 0.0
            if loss:
                sign = -1 if state.side else 1
                pending = node.total / node.visits if node.visits else sign * expected
                expected = 0.0 if len(state.rules.sides) > 2 else sign * pending
                pending -= loss
            node.visits += 1
            node.total += pending
            path.append((node, state.side, pending))
            state.play_unchecked(move)
        self.deepest = max(self.deepest, len(path))
        return path


class Watcher:
    """An evaluator whose answers differ from leaf to leaf and from side to side, and that makes twins grow beside the trees."""

    def __init__(self, root: sf.State, fair: bool, explore: float, batch: int, trees: int, nodes: int, owned: dict[int, int]) -> None:
        self.position = root.view(root.seat).position if fair else root.position()
        self.unseen = self.position.unseen_mask
        self.twins = [Twin(fair, explore, nodes // trees) for _ in range(trees)]
        self.explore, self.batch, self.owned = explore, batch, owned
        self.worlds: set[str] = set()
        self.followed, self.in_sight = 0, True

    def world(self, leaf: Row) -> reference.State:
        """The deal that a leaf comes from. What was played of the hidden cards tells whose it was by itself."""
        here, cards, seats = self.position, leaf[0], self.position.rules.seats
        if here.is_complete:
            return reference.State.from_position(here)
        played = sum(cards[seats:]) & self.unseen
        if leaf[1][3] <= here.stock_size:  # hands were dealt anew
            raise OutOfSightError
        owned = self.owned or {seat: self.unseen for seat in range(seats) if here.hidden[seat]}
        hands = tuple(hand or cards[seat] | played & owned.get(seat, 0) for seat, hand in enumerate(here.hands))
        stock = tuple(reference.CardSet(self.unseen & ~sum(hands)))
        world = reference.State.from_position(replace(here, hands=hands, hidden=(), stock=stock, hidden_stock=0))
        self.worlds.add(str(world))
        return world

    def answer(self, leaf: Row) -> list[float]:
        """The rewards of a leaf: cards won count, and luck."""
        sides = len(leaf[2])
        luck = [zlib.crc32(repr((leaf, side)).encode()) % 4096 / 512 - 4 for side in range(sides)]
        return [leaf[0][side - sides].bit_count() / 4 + luck[side] for side in range(sides)]

    def __call__(self, leaves: Leaves) -> Any:
        rows = [row_of(leaves, number) for number in range(len(leaves))]
        answers = [self.answer(row) for row in rows]
        assert len(rows) <= self.batch
        if self.in_sight:
            try:
                self.follow(rows, answers)
            except OutOfSightError:
                self.in_sight = False
        return answers

    def follow(self, rows: list[Row], answers: list[list[float]]) -> None:
        """Let the twins walk as the trees did, which take turns, and then learn the answers."""
        loss = self.explore if self.batch > 1 else 0.0  # of a walk whose answer is open
        paths = [self.twins[number % len(self.twins)].descend(self.world(row), row, loss) for number, row in enumerate(rows)]
        for path, answer in zip(paths, answers, strict=True):
            for node, side, pending in path:
                node.total += answer[side] - pending
        self.followed += len(rows)
        if any(row[1][3] == 1 for row in rows):  # from now on walks may reach the end, of which nobody is asked
            raise OutOfSightError

    def check(self, found: sf.SearchResult, moves: list[Move]) -> None:
        """Compare the statistics of the search with those of the twins, if they saw it all."""
        assert self.followed >= LEAST_FOLLOWED
        if not self.in_sight:
            return
        assert self.followed == found.iterations
        expected = []
        for move in moves:
            kids = [twin.root.kids.get(move, Node()) for twin in self.twins]
            visits = sum(kid.visits for kid in kids)
            expected.append((move, visits, sum(kid.total for kid in kids) / max(visits, 1), sum(kid.available for kid in kids)))
        assert [(entry.move, entry.visits, entry.available) for entry in found.moves] == [(entry[0], *entry[1::2]) for entry in expected]
        assert [entry.mean for entry in found.moves] == pytest.approx([entry[2] for entry in expected], abs=1e-9)
        assert found.move == max(expected, key=lambda entry: entry[1:3])[0]
        assert found.nodes == sum(twin.nodes for twin in self.twins)
        node, line = max((twin.root for twin in self.twins), key=lambda root: root.kids[found.move].visits), [found.move]
        while (node := node.kids[line[-1]]).kids:
            line.append(max(node.kids, key=lambda move: node.kids[move].visits))
        assert list(found.line) == line


def watch(
    root: sf.State, fair: bool, *, iterations: int, explore: float | None = None, batch: int = 1, trees: int = 1, nodes: int = 1 << 16,
    seed: int = 1, owned: dict[int, int] | None = None,
) -> tuple[Watcher, sf.SearchResult]:  # fmt: skip
    """Search a position while twins follow.

    :param owned: the hidden cards that only one seat, or the stock, may hold, by seat.
    """
    watcher = Watcher(root, fair, EXPLORE["difference"] if explore is None else explore, batch, trees, nodes, owned or {})
    options: dict[str, Any] = {
        "iterations": iterations, "explore": explore, "batch": batch, "trees": trees, "nodes": nodes, "seed": seed, "evaluate": watcher,
    }  # fmt: skip
    if fair:
        view = root.view(root.seat)
        exclude = {seat: view.unseen_mask & ~mask for seat, mask in (owned or {}).items()}
        found = ismcts(view, worlds=sf.Worlds(view, exclude=exclude) if owned else None, **options)
    else:
        found = mcts(root, **options)
    watcher.check(found, reference.State.from_position(root.position()).legal_moves())
    return watcher, found


# Walks.


def thirds(root: sf.State) -> dict[int, int]:
    """A part of the hidden cards for each other seat of three, so that what was played tells who played it."""
    cards = list(root.view(root.seat).unseen)
    random.Random(1).shuffle(cards)
    half = len(cards) // 2
    return {(root.seat + 1) % 3: reference.mask_of(cards[:half]), (root.seat + 2) % 3: reference.mask_of(cards[half:])}


@pytest.mark.parametrize(
    ("preset", "seed", "explore", "iterations"),
    [
        ("scopa", 3, None, 100), ("scopa", 5, None, 100), ("scopa", 9, 0.5, 60), ("scopa", 9, 6.0, 120), ("scopa_assi", 0, None, 100),
        ("scopa_assi", 4, None, 120), ("cirulla_2", 0, None, 100), ("cirulla_2", 3, None, 100), ("escoba_2", 1, None, 80),
    ],
)  # fmt: skip
def test_with_hidden_cards_walks_follow_the_bounds_of_what_was_available(
    preset: str, seed: int, explore: float | None, iterations: int
) -> None:
    watcher, _ = watch(position(preset, seed, 18 if preset == "scopa_assi" else 12), True, iterations=iterations, explore=explore)
    assert len(watcher.worlds) > 20 and watcher.twins[0].deepest > 3 and watcher.twins[0].choices > iterations


@pytest.mark.parametrize(("seed", "explore"), [(0, None), (2, None), (3, 1.0), (4, 5.0)])
def test_with_hidden_cards_each_of_three_sides_plays_for_itself(seed: int, explore: float | None) -> None:
    root = position("scopa_3", seed, 18)
    watcher, _ = watch(root, True, iterations=250, explore=explore, owned=thirds(root))
    assert len(watcher.worlds) > 100 and watcher.twins[0].deepest > 3


@pytest.mark.parametrize(
    ("preset", "seed", "explore", "plays_left"),
    [
        ("scopa", 0, None, 18), ("scopa", 1, 1.0, 30), ("scopa", 5, 5.0, 18), ("scopa_3", 0, None, 18), ("scopa_3", 5, None, 18),
        ("scopone", 1, None, 20), ("scopone", 4, 1.0, 20), ("scopone_scientifico", 0, None, 40), ("cirulla_4", 1, None, 24),
        ("escoba_3", 2, None, 18),
    ],
)  # fmt: skip
def test_with_open_cards_walks_follow_the_bounds_of_the_visits(preset: str, seed: int, explore: float | None, plays_left: int) -> None:
    watcher, _ = watch(position(preset, seed, plays_left), False, iterations=200, explore=explore)
    assert watcher.twins[0].deepest > 2 and watcher.twins[0].choices > 300


@pytest.mark.parametrize("fair", [True, False])
def test_a_full_tree_is_walked_down_by_its_own_moves(fair: bool) -> None:
    watcher, found = watch(position("scopa", 2, 12), fair, iterations=250, nodes=LEAST_NODES)
    assert found.nodes == LEAST_NODES and watcher.twins[0].deepest > 3


@pytest.mark.parametrize(("fair", "batch", "trees", "nodes"), [
    (True, 8, 1, 1 << 16), (True, 6, 2, 1 << 16), (True, 8, 1, LEAST_NODES), (False, 8, 1, 1 << 16), (False, 6, 3, 1 << 16),
    (False, 16, 1, LEAST_NODES),
])  # fmt: skip
def test_walks_of_a_batch_count_as_losses_until_they_are_answered(fair: bool, batch: int, trees: int, nodes: int) -> None:
    root = position("scopa_3" if fair or trees > 1 else "scopa", 0, 18)
    watcher, _ = watch(root, fair, iterations=240, batch=batch, trees=trees, nodes=nodes, owned=thirds(root) if fair else None)
    assert sum(twin.choices for twin in watcher.twins) > 300


def test_the_most_visited_move_is_played_though_another_has_a_higher_mean() -> None:
    differ = 0
    for seed in range(100):
        found = mcts(position("scopa", seed, 18), iterations=25, explore=20, seed=seed)
        most, highest = max(entry.visits for entry in found.moves), max(found.moves, key=lambda entry: entry.mean)
        assert next(entry.visits for entry in found.moves if entry.move == found.move) == most
        differ += highest.visits < most
    assert differ > 2


@pytest.mark.parametrize("reward", REWARDS)
def test_each_reward_explores_as_documented_unless_told(reward: str) -> None:
    view = position("scopa", 1, 12).view(0)
    options: dict[str, Any] = {"iterations": 400, "reward": reward, "seed": 1}
    found = ismcts(view, **options)
    assert found == ismcts(view, explore=EXPLORE[reward], **options)
    assert found != ismcts(view, explore=EXPLORE[reward] * 0.9, **options)


# Rewards.


DEAL_REWARDS = [reward for reward in REWARDS if reward != "match"]
"""Those that the points of a deal tell."""


def reward_of(reward: str, points: tuple[int, ...], side: int) -> float:
    """What a side gets for the points of a deal."""
    rivals = [other for other in range(len(points)) if other != side]
    winners = [other for other in range(len(points)) if points[other] == max(points)]
    share = 1 / len(winners) if side in winners else 0.0  # of a tie each has its share
    ahead = points[side] - sum(points[other] for other in rivals) / len(rivals)
    return {"points": points[side], "difference": ahead, "win": 2 * share - 1, "win_share": share}[reward]


def forced_endings(preset: str, plays_left: int) -> dict[tuple[str, int], tuple[sf.State, tuple[int, ...]]]:
    """Positions without a choice and the points that come of them, one for each way the side to move may stand in the end."""
    found: dict[tuple[str, int], tuple[sf.State, tuple[int, ...]]] = {}
    for seed in range(120):
        state = position(preset, seed, plays_left)
        end = reference.State.from_position(state.position())
        while len(end.legal_moves()) == 1:
            end.play_index(0)
        if end.is_terminal():
            points, side = end.score().total, state.side
            first, ties = points[side] == max(points), points.count(max(points))
            standing = f"tied with {ties - 1}" if first and ties > 1 else "first" if first else f"behind {ties}"
            found.setdefault((standing, side), (state, points))
    return found


@pytest.mark.parametrize(
    ("preset", "plays_left"),
    [("scopa", 1), ("scopa", 2), ("scopone", 1), ("scopone", 4), ("scopa_3", 1), ("scopa_3", 2), ("scopa_3", 3), ("scopa_8", 1)],
)
def test_forced_endings_are_worth_what_is_documented(preset: str, plays_left: int) -> None:
    endings = forced_endings(preset, plays_left)
    assert {"first", "tied with 1", "behind 1"} <= {standing for standing, _ in endings}
    for state, points in endings.values():
        view = state.view(state.seat)
        for reward, playout, iterations in itertools.product(DEAL_REWARDS, PLAYOUTS, (1, 3)):
            options: dict[str, Any] = {"iterations": iterations, "reward": reward, "playout": playout, "seed": 1}
            searches = [mcts(state, **options)] + ([ismcts(view, **options)] if sf.Worlds(view).count == 1 else [])
            expected = reward_of(reward, points, state.side)
            for found in searches:
                assert [entry.mean for entry in found.moves] == pytest.approx([expected], abs=1e-6), (str(state), points, options)


# Playouts.

Policy = Callable[[reference.State], dict[Move, float]]


def shares(moves: list[Move], part: float = 1.0) -> dict[Move, float]:
    return dict.fromkeys(moves, part / len(moves))


def greedy_share(state: reference.State, moves: list[Move]) -> dict[Move, float]:
    """How likely the greedy player takes each of some moves if it sees the hand of the next seat."""
    values, order = card_values(state.rules), {}
    for move in moves:
        scopa = state.is_scopa(move)
        state.play_unchecked(move)
        threatened = any(state.is_scopa(reply) for reply in state.legal_moves() if not reply.is_declaration)
        state.undo()
        worth = sum(values[card] for card in (move.card, *move.captured))
        order[move] = scopa, not threatened, bool(move.captured), worth if move.captured else -worth
    return shares([move for move in moves if order[move] == max(order.values())])


def by_chance(state: reference.State) -> dict[Move, float]:
    """`random`."""
    return shares(state.legal_moves())


def card_by_chance(state: reference.State) -> dict[Move, float]:
    """`card_random`."""
    moves = state.legal_moves()
    found: dict[Move, float] = {}
    cards = sorted({move.card for move in moves})
    for card in cards:
        best = greedy_share(state, [move for move in moves if move.card == card])
        found |= {move: share / len(cards) for move, share in best.items()}
    return found


def greedy_but_for(epsilon: float) -> Policy:
    """`eps_greedy`."""

    def policy(state: reference.State) -> dict[Move, float]:
        moves = state.legal_moves()
        found = shares(moves, epsilon)
        for move, share in greedy_share(state, moves).items():
            found[move] += (1 - epsilon) * share
        return found

    return policy


def expectation(state: reference.State, side: int, policy: Policy) -> tuple[float, float]:
    """The mean, and the mean square, of what a side is ahead in the end if all play like that."""
    if state.is_terminal():
        points = state.score().total
        ahead = float(points[side] - points[1 - side])
        return ahead, ahead * ahead
    mean = square = 0.0
    declarations = [move for move in state.legal_moves() if move.is_declaration]
    most = [move for move in declarations if move.points == max(other.points for other in declarations)]
    for move, share in (shares(most) if most else policy(state)).items():
        if share:
            state.play_unchecked(move)
            further = expectation(state, side, policy)
            state.undo()
            mean, square = mean + share * further[0], square + share * further[1]
    return mean, square


POLICIES: dict[tuple[str, float], Policy] = {
    ("random", 0.3): by_chance, ("card_random", 0.3): card_by_chance,
    **{("eps_greedy", epsilon): greedy_but_for(epsilon) for epsilon in (0.0, 0.3, 0.6, 1.0)},
}  # fmt: skip
TREES = 2000


def expected_means(state: sf.State, policy: Policy) -> dict[Move, tuple[float, float]]:
    """The mean of a playout after each move, and its standard deviation."""
    root, found = reference.State.from_position(state.position()), {}
    for move in root.legal_moves():
        root.play_unchecked(move)
        mean, square = expectation(root, state.side, policy)
        found[move] = mean, math.sqrt(max(square - mean * mean, 0.0))
        root.undo()
    return found


SURE = [("random", 0.3), ("card_random", 0.3), ("eps_greedy", 0.0)]


@pytest.mark.parametrize(
    ("preset", "seed", "policies"),
    [("scopa", 9, [*POLICIES]), ("scopa", 11, [*POLICIES]), ("cirulla_2", 9, [*POLICIES]), ("cirulla_2", 16, SURE), ("escoba_2", 1, SURE)],
)  # fmt: skip
def test_playouts_come_to_the_mean_of_their_policy(preset: str, seed: int, policies: list[tuple[str, float]]) -> None:
    """In trees of one walk each, every mean is of single playouts; two sides play the last round, so that no card is hidden."""
    state = position(preset, seed, 6)
    for playout, epsilon in policies:
        expected = expected_means(state, POLICIES[playout, epsilon])
        found = mcts(state, iterations=TREES, trees=TREES, playout=playout, epsilon=epsilon, seed=seed)
        for entry in found.moves:
            mean, deviation = expected[entry.move]
            error = deviation / math.sqrt(entry.visits)
            assert entry.mean == pytest.approx(mean, abs=4 * error + 1e-6), (playout, epsilon, str(entry.move))
            assert entry.visits == pytest.approx(TREES / len(expected), abs=4 * math.sqrt(TREES / len(expected)))


def test_the_policies_are_far_apart_where_their_means_are_compared() -> None:
    states = [position(preset, seed, 6) for preset, seed in (("scopa", 9), ("scopa", 11), ("cirulla_2", 9))]
    for first, second in itertools.combinations(POLICIES, 2):
        gaps = []
        for state in states:
            one, other = expected_means(state, POLICIES[first]), expected_means(state, POLICIES[second])
            for move in one:
                error = max(one[move][1], other[move][1], 1e-6) / math.sqrt(TREES / len(one))
                gaps.append(abs(one[move][0] - other[move][0]) / error)
        assert max(gaps) > 6 or {first, second} == {("random", 0.3), ("eps_greedy", 1.0)}, (first, second)
