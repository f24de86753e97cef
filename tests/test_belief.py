"""Belief weighs worlds as a slow reading of its description does; pimc averages exact values over them."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import scopa_fast as sf
from scopa_fast import Belief, Worlds, pimc
from scopa_fast.bots import find_bot
from scopa_fast.core.belief import RELUCTANCE
from scopa_fast.core.players import cs_scores
from scopa_fast.errors import IllegalMoveError, ImpossibleViewError, UnsolvableRulesError


def late(preset: str, plays_left: int, seeds: range) -> Iterator[tuple[list[sf.State], sf.State]]:
    """Yield deals of random play, declarations included: the states before each move, and the last one, whose history is all of it."""
    for seed in seeds:
        state, rng = sf.State(preset, seed), random.Random(seed)
        before = []
        while state.plays_left > plays_left:
            before.append(state.clone())
            state.play(rng.choice(state.legal_moves()))
        yield before, state


def slow_logarithm(
    before: list[sf.State], moves: tuple[sf.Move, ...], view: sf.SeatView, world: sf.State, temperature: float, slip: float = 0.05
) -> float:
    """How likely the moves of the round were if the hands had been those of a world, as a logarithm."""
    rules = view.rules
    hidden = [q for q in range(rules.seats) if q != view.seat and q not in view.exposed]
    hands = [world.hand_mask(q) for q in range(rules.seats)]
    # The round began where its first card was played: walk back as long as hands grow.
    begin = len(moves)
    while begin and all(before[begin - 1].hand_mask(q) & ~before[begin - 1].hand_mask(q) == 0 for q in range(rules.seats)):
        if before[begin - 1].stock_size != view.stock_size:
            break
        begin -= 1
    for number in range(begin, len(moves)):
        if not moves[number].is_declaration:
            hands[before[number].seat] |= 1 << moves[number].card
    total = 0.0
    for number in range(begin, len(moves)):
        state, move = before[number], moves[number]
        seat = state.seat
        if seat in hidden and not move.is_declaration:
            position = state.position()
            twin = sf.Position(**(vars(position) | {"hands": tuple(
                hand if q != seat else hands[q] for q, hand in enumerate(hands)
            ), "stock": world.stock}))
            here = sf.State.from_position(twin)
            scores = dict(zip(here.legal_moves(), cs_scores(here.view(seat)), strict=True))
            if any(each.is_declaration for each in scores):
                total -= RELUCTANCE
            cards = {each: score for each, score in scores.items() if not each.is_declaration}
            if len({each.card for each in cards}) > 1:
                most = max(cards.values())
                weights = {each: math.exp((score - most) / temperature) for each, score in cards.items()}
                share = weights[move] / sum(weights.values())
                total += math.log((1 - slip) * share + slip / len(cards))
        if not move.is_declaration:
            hands[seat] &= ~(1 << move.card)
    return total


@pytest.mark.parametrize("temperature", [20.0, 150.0])
@pytest.mark.parametrize(("preset", "plays_left"), [
    ("scopone", 7), ("scopone_scientifico", 6), ("scopa_3", 5), ("scopa_4", 6), ("cirulla_4", 6), ("escoba_3", 5), ("scopa_6", 8),
    ("scopa", 9),
])  # fmt: skip
def test_likelihoods_are_those_of_a_slow_reading(preset: str, plays_left: int, temperature: float) -> None:
    several = 0
    for before, state in late(preset, plays_left, range(4)):
        view = state.view(state.seat)
        worlds = list(Worlds(view))
        if len(worlds) > 100:
            worlds = worlds[:100]
        belief = Belief(view, count=20_000, temperature=temperature)
        assert belief.complete and len(belief) == belief.count and list(belief)[: len(worlds)] == worlds
        assert sum(belief.likelihoods) == pytest.approx(1)
        logs = [slow_logarithm(before, view.moves, view, world, temperature) for world in worlds]
        for found, log in zip(belief.likelihoods, logs, strict=False):
            assert math.log(found / belief.likelihoods[0]) == pytest.approx(log - logs[0], abs=1e-6), (str(state), view.moves)
        several += len({round(log, 6) for log in logs}) > 1
    assert several >= (0 if preset == "scopa" else 2)


@pytest.mark.parametrize("kind", ["by the first player", "in an earlier round"])
def test_a_declared_seven_of_cups_keeps_its_rank(kind: str) -> None:
    """What it could take and who could take it is told by the rank it was declared as (CIR-6)."""
    found = 0
    for seed in range(4000):
        state, rng, before = sf.State("cirulla_4", seed), random.Random(seed), []
        while state.plays_left > 7:
            moves = state.legal_moves()
            declarations = [move for move in moves if move.is_declaration]
            before.append(state.clone())
            state.play(rng.choice(declarations or [move for move in moves if sf.MATTA not in move.captured] or moves))
        begin = next(i for i, then in enumerate(before) if not then.stock_size)
        matta = before[begin].matta or (before[begin + 1].matta if kind == "by the first player" else None)
        if not matta or (before[begin].matta is None) != (kind == "by the first player"):
            continue
        view = state.view(state.seat)
        worlds = list(Worlds(view))
        belief = Belief(view, count=20_000)
        logs = [slow_logarithm(before, view.moves, view, world, 150.0) for world in worlds]
        found += len({round(log, 6) for log in logs}) > 1
        for likelihood, log in zip(belief.likelihoods, logs, strict=True):
            assert math.log(likelihood / belief.likelihoods[0]) == pytest.approx(log - logs[0], abs=1e-6), (str(state), view.moves)
        if found == 5:
            return
    raise AssertionError(found)


@pytest.mark.parametrize("slip", [0.01, 0.4, 1.0])
def test_a_slip_is_any_move(slip: float) -> None:
    for before, state in late("scopone", 7, range(2)):
        view = state.view(state.seat)
        belief = Belief(view, count=20_000, slip=slip)
        logs = [slow_logarithm(before, view.moves, view, world, 150.0, slip) for world in Worlds(view)]
        for found, log in zip(belief.likelihoods, logs, strict=True):
            assert math.log(found / belief.likelihoods[0]) == pytest.approx(log - logs[0], abs=1e-6)


def test_weights_of_cards_count_beside_what_moves_tell() -> None:
    for _, state in late("scopone", 7, range(2)):
        view, seat = state.view(state.seat), (state.seat + 1) % 4
        weights = {seat: [1 + card % 5 for card in range(40)]}
        plain, weighed, worlds = Belief(view, count=20_000), Belief(view, count=20_000, weights=weights), Worlds(view, weights=weights)
        expected = [likelihood * worlds.weight(world) for likelihood, world in zip(plain.likelihoods, plain, strict=True)]
        assert weighed.likelihoods == pytest.approx([number / sum(expected) for number in expected])
        assert weighed.likelihoods != pytest.approx(plain.likelihoods)


def test_worlds_are_dealt_by_their_likelihood() -> None:
    (_, state), = late("scopone", 7, range(3, 4))
    belief = Belief(state.view(state.seat), temperature=40)
    rng, n = sf.Rng(1), 30_000
    drawn = Counter(belief.sample(rng).key for _ in range(n))
    for world, share in zip(belief, belief.likelihoods, strict=True):
        assert abs(drawn[world.key] - n * share) < 5 * math.sqrt(n * share * (1 - share)) + 1
    assert 1 <= belief.effective <= len(belief)
    assert belief.effective == pytest.approx(1 / sum(share * share for share in belief.likelihoods))
    states = [sf.State() for _ in range(5)]
    belief.fill(states, sf.Rng(2))
    assert all(each.view(state.seat) == state.view(state.seat) for each in states)


def test_without_moves_nothing_is_inferred() -> None:
    (_, state), = late("scopone", 7, range(1))
    view = sf.SeatView.from_text(state.view(state.seat).text, state.seat)
    assert not view.moves
    belief = Belief(view)
    assert belief.likelihoods == pytest.approx([1 / len(belief)] * len(belief))


def test_too_many_worlds_are_a_sample() -> None:
    view = sf.State("scopone", 1).view(0)
    belief = Belief(view, count=50, seed=3)
    assert not belief.complete and len(belief) == 50
    assert {world.key for world in belief} == {world.key for world in Belief(view, count=50, seed=3)}
    assert {world.key for world in belief} != {world.key for world in Belief(view, count=50, seed=4)}
    assert all(world.view(0) == view for world in belief)
    with pytest.raises(IndexError):
        belief.world(50)


@pytest.mark.parametrize(("text", "least"), [("cs", 0.8), ("greedy", 0.5), ("ismcts[iterations=300]", 0.4)])
def test_it_tells_what_others_hold(text: str, least: float) -> None:
    """At half of a deal the true world must be likelier than among equals, by this many bits on the average."""
    bot, bits = find_bot(text), []
    for seed in range(25):
        state, rng = sf.State("scopone", seed), sf.Rng(seed)
        while state.plays_left > 12:
            state.play(bot.choose(state.view(state.seat), rng))
        belief = Belief(state.view(state.seat), count=20_000)
        share = next(share for world, share in zip(belief, belief.likelihoods, strict=True) if world == state)
        bits.append(math.log2(share * len(belief)))
    assert sum(bits) / len(bits) > least


def test_excluded_cards_stay_excluded() -> None:
    (_, state), = late("scopone", 11, range(2, 3))
    view = state.view(state.seat)
    seat = next(q for q in range(4) if q != state.seat)
    cards = next(iter(view.unseen))
    belief = Belief(view, count=20_000, exclude={seat: 1 << cards})
    assert belief.complete and len(belief) < Worlds(view).count
    assert not any(world.hand_mask(seat) >> cards & 1 for world in belief)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"count": 0}, "count 0"), ({"temperature": 0}, "temperature 0"), ({"temperature": float("nan")}, "temperature nan"),
     ({"temperature": math.inf}, "temperature inf"), ({"temperature": -1}, "temperature -1"),
     ({"temperature": "hot"}, "temperature.*'hot'"), ({"slip": 2}, "slip 2 "), ({"seed": "x"}, "seed.*'x'")],
)  # fmt: skip
def test_bad_arguments_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        Belief(sf.State("scopa", 1).view(0), **options)


def test_there_is_no_world_of_another_number() -> None:
    belief = Belief(sf.State("scopa", 1).view(0), count=10)
    for number in (-1, 10, 10**30):
        with pytest.raises(IndexError, match=f"no world {number} of 10"):
            belief.world(number)
    with pytest.raises(TypeError, match="number must be an int, not bool: True"):
        belief.world(True)


# pimc


def late_views() -> Iterator[sf.SeatView]:
    for preset, plays_left in (("scopone", 4), ("scopa", 5), ("scopa_4", 4), ("cirulla_4", 4), ("scopa_6", 6)):
        for _, state in late(preset, plays_left, range(6)):
            yield state.view(state.seat)


def test_pimc_is_the_average_of_exact_values() -> None:
    for preset, plays_left in (("scopone", 7), ("scopa_4", 6), ("cirulla_4", 6), ("scopa_6", 7)):
        for _, state in late(preset, plays_left, range(3)):
            view = state.view(state.seat)
            belief = Belief(view, count=20_000, temperature=50)
            found = pimc(view, count=20_000, worlds=belief)
            sums = dict.fromkeys(state.legal_moves(), 0.0)
            for world, share in zip(belief, belief.likelihoods, strict=True):
                for value in sf.solve_moves(world).moves:
                    sums[value.move] += share * value.value * (1 if state.side == 0 else -1)
            assert [entry.move for entry in found.moves] == list(sums)
            assert [entry.mean for entry in found.moves] == pytest.approx(list(sums.values()))
            assert found.worlds == len(belief) and not found.timed
            assert found.move == max(sums, key=lambda move: sums[move]) or len({round(mean, 9) for mean in sums.values()}) < len(sums)


def test_pimc_takes_each_world_once_if_they_are_few() -> None:
    checked = 0
    for view in late_views():
        weights = {seat: [1 + card % 3 for card in range(view.rules.cards)] for seat in range(view.rules.seats) if seat != view.seat}
        for worlds in (Worlds(view), Worlds(view, weights=weights)):
            if not 1 < worlds.count <= 60:
                continue
            total, sums = 0.0, [0.0] * len(view.legal_moves())
            for world in worlds:
                weight = worlds.weight(world)
                total += weight
                sign = 1 if view.side == 0 else -1
                sums = [sum_ + weight * sign * move.value for sum_, move in zip(sums, sf.solve_moves(world).moves, strict=True)]
            for options in ({}, {"threads": 3}, {"seconds": 60}):
                found = pimc(view, count=60, worlds=worlds, seed=3, **options)  # type: ignore[arg-type]
                assert (found.worlds, found.timed) == (worlds.count, False)
                assert [entry.mean for entry in found.moves] == pytest.approx([sum_ / total for sum_ in sums])
            checked += 1
    assert checked > 10


def test_pimc_in_a_hurry_takes_worlds_in_random_order() -> None:
    state = sf.State("scopone", 1)
    while state.plays_left > 7:
        state.play_index(0)
    view = state.view(state.seat)
    assert 20 < Worlds(view).count <= 4096
    seen = set()
    for seed in range(20):
        found = pimc(view, seconds=0, seed=seed)
        assert found.timed and found.worlds == 1
        seen.add(tuple(entry.mean for entry in found.moves))
    assert len(seen) > 1


def test_pimc_does_not_depend_on_threads() -> None:
    view = sf.State("scopa", 3).view(0)
    for exact in (36, 0):
        results = [pimc(view, count=30, exact_plays=exact, threads=threads, seed=2) for threads in (1, 2, 5)]
        assert results[0].moves == results[1].moves == results[2].moves
        assert results[0].worlds == 30


def test_pimc_stops_and_refuses() -> None:
    view = sf.State("scopone", 3).view(0)
    found = pimc(view, count=10**6, seconds=0.2, seed=1)
    assert found.timed and 0 < found.worlds < 10**6
    with pytest.raises(UnsolvableRulesError, match="3 sides"):
        pimc(sf.State("scopa_3", 1).view(0))
    with pytest.raises(IllegalMoveError, match="no move"):
        pimc(sf.State("scopa", 1).view(1))
    for options, words in (({"count": 0}, "count 0"), ({"depth": 0}, "depth 0"), ({"exact_plays": -1}, "exact_plays -1")):
        with pytest.raises(ValueError, match=words):
            pimc(view, **options)  # type: ignore[arg-type]


SOME_VIEW = sf.State("scopone", 3).view(0)


def test_an_object_that_was_never_made_deals_something() -> None:
    for made in (Belief.__new__(Belief), Worlds.__new__(Worlds)):
        assert made.sample(sf.Rng(1)).rules.text == "scopa"
        for options in ({"exclude": {1: (1 << 40) - 1}}, {"weights": {1: [0] * 40}}):
            with pytest.raises(ImpossibleViewError):
                made.__init__(SOME_VIEW, **options)  # type: ignore[misc]
        assert made.sample(sf.Rng(1)).rules.text == "scopa"
    made = Belief.__new__(Belief)
    with pytest.raises(ValueError, match="count 0"):
        made.__init__(SOME_VIEW, count=0)  # type: ignore[misc]
    Worlds.__init__(made, SOME_VIEW)
    assert made.sample(sf.Rng(1)).view(SOME_VIEW.seat) == SOME_VIEW
