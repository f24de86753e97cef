"""Worlds, sample and count_worlds against brute force over the unseen cards, and the moves that a view remembers.

Seeds are fixed, so nothing here fails by chance; the limits are several standard errors wide.
"""

from __future__ import annotations

import copy
import pickle
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations, permutations
from math import comb, inf, nan, prod, sqrt
from types import ModuleType
from typing import Any

import pytest
from state_texts import at, moves_of, play

import scopa_fast as sf
from scopa_fast import (
    PRESETS,
    CardSet,
    ImpossibleViewError,
    InvalidCardError,
    InvalidPositionError,
    InvalidSeatError,
    Move,
    Rng,
    SeatView,
    State,
    Worlds,
    count_worlds,
    reference,
    sample,
)
from scopa_fast.cards import cards_of, full_mask, mask_of
from scopa_fast.position import Position, check_position, packets_of

FAR = 4.0
"""Standard errors that an honest sample does not stray with the seeds used here."""
DRAWS = 200_000
"""Samples of a test of frequencies: enough for a bias of two or three percent."""

MIDDLE = [
    "scopa_3", "scopa_6", "scopa_8", "cirulla_2", "cirulla_3", "scopone", "escoba_4", "asso_piglia_tutto_2", "scopa[deal_style=single]",
    "scopa_6[teams=03/14/25]",
]
FOUR_SEATS = "scopone hands=6D4C7S/2DFSRB/ADCS5C/3S6CFD table=3D4BRD last=0 seat=0 dealer=3"
TWO_PACKETS = "scopa hands=7D/2C table=3C4S stock=ADFSCB2S5C6D last=0 seat=0 dealer=1"
ONE_DECLARED = "cirulla_4 hands=2D7C/4D5D6D/FDCDRS/3CFCRC table=3DASACRD last=0 bonus=3/0 seat=1 dealer=3 exposed=0 matta=3"
SIX_SEATS = "scopa_6 hands=AD/2C/3S/4B/5D/6C table=RDCS last=0 seat=0 dealer=5"


# -- brute force -------------------------------------------------------------------------


def hidden_seats(view: SeatView) -> list[int]:
    """Seats whose hands the viewer does not know (PLAY-6, CIR-4), lowest first."""
    return [q for q in range(view.rules.seats) if q != view.seat and q not in view.exposed]


def place_sizes(view: SeatView) -> list[int]:
    """How many unseen cards lie in each hidden hand and each packet of the stock."""
    return [view.hand_size(q) for q in hidden_seats(view)] + [view.rules.hand] * (view.stock_size // view.rules.hand)


def number_of_ways(sizes: list[int]) -> int:
    """The multinomial coefficient."""
    return prod(comb(sum(sizes[i:]), sizes[i]) for i in range(len(sizes)))


def all_worlds(view: SeatView, exclude: dict[int, int] | None = None) -> list[Position]:
    """Every deal that looks like this, by the order of the sets of cards at each place: hidden hands by seat, then packets."""
    cards, sizes, seats = cards_of(view.unseen_mask), place_sizes(view), hidden_seats(view)
    labels = [place for place, size in enumerate(sizes) for _ in range(size)]
    deals = []
    for way in set(permutations(labels)):
        places: list[list[int]] = [[] for _ in sizes]
        for card, place in zip(cards, way, strict=True):
            places[place].append(card)
        deals.append(places)
    worlds = []
    for places in sorted(deals):
        hands = list(view.position.hands)
        for q, hand in zip(seats, places, strict=False):
            hands[q] = mask_of(hand)
        if not any(hands[q] & mask for q, mask in (exclude or {}).items() if q in seats):
            stock = tuple(chain.from_iterable(places[len(seats) :]))
            worlds.append(replace(view.position, hands=tuple(hands), hidden=(), stock=stock, hidden_stock=0))
    return worlds


def random_states(rules: str, seed: int, plays_left: range) -> Iterator[State]:
    """The states of a random deal, declarations included, with so many cards still to be played."""
    rng = random.Random(f"{rules} {seed}")
    state = State(rules, seed)
    while True:
        if state.plays_left in plays_left:
            yield state
        if state.is_terminal():
            return
        state.play(rng.choice(state.legal_moves()))


def small_views(rules: str, seed: int, unseen: int = 7) -> Iterator[SeatView]:
    """Views of the seat to move and of another one, late in a random deal, with few unseen cards but more than one world."""
    for state in random_states(rules, seed, range(30)):
        for seat in {state.seat, (state.seat + 1 + seed) % state.rules.seats}:
            view = state.view(seat)
            if len(view.unseen) <= unseen and number_of_ways(place_sizes(view)) > 1:
                yield view


def shuffled(state: State, seat: int, rng: random.Random) -> State:
    """The state with the cards that a seat does not see dealt again."""
    position = state.position()
    hidden = hidden_seats(state.view(seat))
    cards = cards_of(mask_of(position.stock) | sum(position.hands[q] for q in hidden))
    rng.shuffle(cards)
    hands = list(position.hands)
    for q in hidden:
        size = hands[q].bit_count()
        hands[q], cards = mask_of(cards[:size]), cards[size:]
    return State.from_position(replace(position, hands=tuple(hands), stock=tuple(cards)))


# -- all of them -------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [*PRESETS, "scopa[deal_style=single]", "scopa_6[teams=03/14/25]"])
def test_listed_worlds_are_those_of_brute_force_in_the_documented_order(rules: str) -> None:
    checked = 0
    for view in small_views(rules, 1):
        expected = all_worlds(view)
        worlds = list(Worlds(view))
        assert [world.position() for world in worlds] == expected
        assert len({world.key for world in worlds}) == len(worlds) == Worlds(view).count == count_worlds(view) > 1
        assert all(world.view(view.seat) == view for world in worlds)
        checked += len(worlds)
    assert checked >= 6


@pytest.mark.parametrize("rules", PRESETS)
def test_excluded_cards_leave_the_worlds_of_brute_force(rules: str) -> None:
    rng = random.Random(rules)
    some = 0
    for view in chain(small_views(rules, 2), small_views(rules, 3)):
        masks = [mask_of(card for card in range(view.rules.cards) if rng.random() < 0.25) for _ in range(view.rules.seats)]
        # What a seat is seen to hold cannot be excluded.
        exclude = {q: masks[q] & ~view.known_hand_mask(q) for q in rng.sample(range(view.rules.seats), rng.randint(1, view.rules.seats))}
        expected = all_worlds(view, exclude)
        if not expected:
            with pytest.raises(ImpossibleViewError):
                Worlds(view, exclude=exclude)
            continue
        worlds = Worlds(view, exclude={q: CardSet(mask, view.rules.deck) if q % 2 else mask for q, mask in exclude.items()})
        assert [world.position() for world in worlds] == expected
        assert worlds.count == count_worlds(view, exclude=exclude) == len(expected)
        assert type(worlds.count) is int
        keys = {position.key for position in expected}
        assert {state.key for state in sample(view, 1, 50, exclude=exclude)} <= keys
        some += len(expected) < number_of_ways(place_sizes(view))
    assert some >= 2


def test_the_biggest_small_endings() -> None:
    for text, seat, number in ((TWO_PACKETS.replace("7D/2C", "7DRBRS/2C7C7S"), 0, 1680), (FOUR_SEATS, 2, 1680), (SIX_SEATS, 3, 120)):
        view = at(sf, text).view(seat)
        expected = all_worlds(view)
        assert len(expected) == number
        assert [world.position() for world in Worlds(view)] == expected


@pytest.mark.parametrize("seat", range(4))
def test_exposed_hands_and_a_declared_seven_are_in_every_world(seat: int) -> None:
    """CIR-4, CIR-6."""
    state = at(sf, ONE_DECLARED)
    view = state.view(seat)
    expected = all_worlds(view)
    assert len(expected) == (1680 if seat == 0 else 20)
    worlds = Worlds(view)
    assert [world.position() for world in worlds] == expected
    assert {(world.hand_mask(0), world.matta, world.exposed) for world in worlds} == {(state.hand_mask(0), 3, (0,))}
    assert {(world.hand_mask(0), world.matta, world.exposed) for world in sample(view, 1, 30)} == {(state.hand_mask(0), 3, (0,))}
    assert {tuple(moves_of(world)) for world in worlds if seat == state.seat} == ({tuple(moves_of(state))} if seat == 1 else set())


def test_after_a_declaration_the_next_round_hides_the_hand_again() -> None:
    """CIR-4: two packets of stock, so there are many worlds on either side of the new round."""
    state = at(sf, "cirulla_2 hands=2D3D7C/4D5D6D table=3CRD stock=ADFSCB2S5C6C last=0 seat=0 dealer=1")
    play(state, "+3=A")
    assert [world.position() for world in Worlds(state.view(1))] == all_worlds(state.view(1))
    assert Worlds(state.view(1)).count == 20
    while state.stock_size:
        state.play_index(len(state.legal_moves()) - 1)
    assert Worlds(state.view(1)).count == 1
    assert Worlds(state.view(1)).sample(Rng(1)) == state


@pytest.mark.parametrize("rules", PRESETS)
def test_worlds_of_whole_deals_are_as_many_as_multinomials_say(rules: str) -> None:
    for state in random_states(rules, 1, range(0, 60, 5)):
        for seat in range(state.rules.seats):
            view = state.view(seat)
            number = number_of_ways(place_sizes(view))
            assert Worlds(view).count == count_worlds(view) == count_worlds(view, exclude={}) == number
            assert type(count_worlds(view)) is int


def test_numbers_of_worlds_that_are_known() -> None:
    assert count_worlds(State("scopone", seed=1).view(0)) == comb(27, 9) * comb(18, 9) == 227873431500
    assert count_worlds(State("scopone_scientifico", seed=1).view(3)) == comb(30, 10) * comb(20, 10)


@pytest.mark.parametrize("barred", [1, 4, 12])
def test_the_number_of_worlds_is_exact_with_exclusions_too(barred: int) -> None:
    """It has some 31 digits here, more than a double holds."""
    for rules in ("scopa", "scopa_3", "scopone"):
        view = State(rules, seed=4).view(0)
        cards, sizes = len(view.unseen), place_sizes(view)
        number = comb(cards - barred, sizes[0]) * number_of_ways(sizes[1:])
        count = count_worlds(view, exclude={1: mask_of(list(view.unseen)[:barred])})
        assert (type(count), count) == (int, number)


@pytest.mark.parametrize("rules", PRESETS)
def test_the_end_of_a_deal_is_one_world(rules: str) -> None:
    (state,) = random_states(rules, 1, range(1))
    for seat in range(state.rules.seats):
        for options in ({}, {"exclude": {0: 1}}, {"weights": {0: [0.5] * state.rules.cards}}):
            worlds = Worlds(state.view(seat), **options)
            assert worlds.count == 1
            assert list(worlds) == [state] == [worlds.sample(Rng(1))]


# -- random ones -------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [*PRESETS, "scopa[deal_style=single]", "scopa_6[teams=03/14/25]"])
def test_every_sample_looks_the_same_to_the_viewer(rules: str) -> None:
    rng = Rng(3)
    different = 0
    for state in random_states(rules, 5, range(0, 60, 4)):
        position, key, moves = state.position(), state.key, state.legal_moves()
        for seat in range(state.rules.seats):
            view = state.view(seat)
            before = view.text
            # Weights make the other sampler deal, here of the same worlds.
            options: list[Any] = [{}, {"weights": {(seat + 1) % state.rules.seats: [0.5, 1] * (state.rules.cards // 2)}}]
            for worlds in (Worlds(view, **given) for given in options):
                for _ in range(5):
                    world = worlds.sample(rng)
                    assert world.view(seat) == view
                    check_position(world.position())
                    different += world != state
                    assert world.legal_moves() == moves or seat != state.seat
                    with pytest.raises(sf.NothingToUndoError):
                        world.undo()
            assert view.text == before
        assert (state.position(), state.key) == (position, key)
    assert different > 20


def test_playing_on_in_a_world_changes_no_other_one() -> None:
    state = State("scopa", seed=1)
    view = state.view(0)
    worlds = Worlds(view)
    first = worlds.sample(Rng(1))
    text = str(first)
    first.play_index(0)
    assert str(worlds.sample(Rng(1))) == text
    assert state.view(0) == view


def test_states_to_fill_may_be_of_any_rules_and_forget_their_moves() -> None:
    view = State("cirulla_3", seed=2).view(1)
    states = [State("scopone", seed=1), State("scopa_8", seed=1), State("cirulla_3", seed=9)]
    for state in states:
        state.play_index(0)
    Worlds(view).fill(iter(states), Rng(1))
    twins = sample(view, 1, 3)
    assert states == twins
    for state, twin in zip(states, twins, strict=True):
        assert (state.rules, state.view(1), state.view(1).moves) == (view.rules, view, ())
        with pytest.raises(sf.NothingToUndoError):
            state.undo()
        play(state, moves_of(twin)[-1])
        play(twin, moves_of(twin)[-1])
        assert state == twin


def test_a_sample_of_too_many_is_refused_before_it_takes_memory() -> None:
    for count in (-1, 2**24 + 1, 10**12):
        with pytest.raises(ValueError, match=f"count {count} is outside 0..16777216"):
            sample(State("scopa", 1).view(0), 1, count)


def test_the_viewed_state_itself_may_be_filled() -> None:
    state = State("scopa", seed=1)
    view = state.view(0)
    text = view.text
    Worlds(view).fill([state], Rng(1))
    assert state == sample(view, 1)[0]
    assert view.text == text


# -- frequencies -------------------------------------------------------------------------


def draw(worlds: Worlds, seed: int, n: int = DRAWS) -> Counter[int]:
    """How often each key came in ``n`` samples."""
    rng = Rng(seed)
    states = [worlds.sample(rng) for _ in range(1000)]
    counts: Counter[int] = Counter()
    for _ in range(n // 1000):
        worlds.fill(states, rng)
        counts.update([state.key for state in states])
    return counts


def strays(counts: Counter[int], chances: list[tuple[Position, float]]) -> list[float]:
    """By how many standard errors the counts are off: their chi-square, then each card in each hand and packet."""
    n = counts.total()
    total = sum(chance for _, chance in chances)
    expected = {position.key: n * chance / total for position, chance in chances if chance}
    assert len(expected) == sum(chance > 0 for _, chance in chances)
    assert set(counts) <= set(expected)
    square = sum((counts[key] - mean) ** 2 / mean for key, mean in expected.items())
    freedom = len(expected) - 1
    found = [(square - freedom) / sqrt(2 * freedom)]
    seen: Counter[tuple[int, int]] = Counter()
    means: Counter[tuple[int, int]] = Counter()
    for position, chance in chances:
        for place, mask in enumerate([*position.hands, *packets_of(position.rules, position.stock)]):
            for card in cards_of(mask):
                seen[place, card] += counts[position.key]
                means[place, card] += n * chance / total  # type: ignore[assignment]
    for at_place, mean in means.items():
        if 1e-9 < mean < n * (1 - 1e-9):
            found.append((seen[at_place] - mean) / sqrt(mean * (1 - mean / n)))
        else:
            assert seen[at_place] == round(mean)
    return found


def fits(counts: Counter[int], chances: list[tuple[Position, float]]) -> bool:
    """Whether the counts are what the chances make of so many draws."""
    square, *cards = strays(counts, chances)
    # The largest of a hundred numbers strays somewhat more.
    return abs(square) < FAR and max(map(abs, cards), default=0) < FAR + 0.5


UNIFORM = [(FOUR_SEATS.replace("7S", "").replace("RB", "").replace("5C", "").replace("FD", ""), 0), (TWO_PACKETS, 0),
           (ONE_DECLARED, 1), (ONE_DECLARED, 0), (SIX_SEATS, 2), (FOUR_SEATS, 1)]  # fmt: skip


@pytest.mark.parametrize(("text", "seat"), UNIFORM)
def test_all_worlds_are_equally_likely(text: str, seat: int) -> None:
    view = at(sf, text).view(seat)
    assert fits(draw(Worlds(view), 1), [(position, 1) for position in all_worlds(view)])


@pytest.mark.parametrize(("text", "seat"), UNIFORM)
def test_all_worlds_without_the_excluded_cards_are_equally_likely(text: str, seat: int) -> None:
    view = at(sf, text).view(seat)
    seats, unseen = hidden_seats(view), list(view.unseen)
    exclude = {seats[0]: 1 << unseen[1] | 1 << unseen[-1], seats[-1]: 1 << unseen[2]}
    expected = all_worlds(view, exclude)
    assert 2 < len(expected) < len(all_worlds(view))
    assert fits(draw(Worlds(view, exclude=exclude), 2), [(position, 1) for position in expected])


def weigh(position: Position, weights: dict[int, list[float]]) -> float:
    """The product of the weights of all cards in hidden hands."""
    return prod(weights[q][card] for q in weights for card in cards_of(position.hands[q]))


def random_weights(view: SeatView, seats: list[int], zeros: float = 0.0) -> dict[int, list[float]]:
    rng = random.Random(f"{view.text} {seats} {zeros}")
    return {q: [0.0 if rng.random() < zeros else rng.uniform(0.3, 1.0) for _ in range(view.rules.cards)] for q in seats}


@pytest.mark.parametrize(("text", "seat"), UNIFORM)
@pytest.mark.parametrize("which", ["all", "one", "zeros", "with exclusions"])
def test_a_world_is_as_likely_as_the_product_of_its_weights(text: str, seat: int, which: str) -> None:
    view = at(sf, text).view(seat)
    seats = hidden_seats(view)
    weights = random_weights(view, seats[-1:] if which == "one" else seats, 0.1 if which == "zeros" else 0)
    exclude = {seats[0]: 1 << list(view.unseen)[1]} if which == "with exclusions" else {}
    chances = [(position, weigh(position, weights)) for position in all_worlds(view, exclude)]
    possible = sum(chance > 0 for _, chance in chances)
    assert possible > 1
    worlds = Worlds(view, exclude=exclude, weights=weights)
    assert worlds.count == possible
    assert [world.position() for world in worlds] == [position for position, chance in chances if chance]
    assert fits(draw(worlds, 3, 100_000), chances)


def test_the_weight_of_a_world_is_the_product_up_to_a_factor() -> None:
    view = at(sf, FOUR_SEATS).view(1)
    weights = random_weights(view, [0, 2, 3])
    worlds = Worlds(view, weights=weights)
    ratios = [worlds.weight(world) / weigh(world.position(), weights) for world in worlds]
    assert ratios == pytest.approx([ratios[0]] * 1680)
    assert {Worlds(view).weight(world) for world in Worlds(view)} == {1.0}


@pytest.mark.parametrize(("text", "seat"), UNIFORM[:5])
@pytest.mark.parametrize("weighted", [False, True])
def test_these_limits_notice_a_sampler_that_is_off_by_a_few_percent(text: str, seat: int, weighted: bool) -> None:
    view = at(sf, text).view(seat)
    weights = random_weights(view, hidden_seats(view)) if weighted else {}
    worlds = Worlds(view, weights=weights)
    chances = [(position, weigh(position, weights)) for position in all_worlds(view)]
    counts = draw(worlds, 4)
    assert fits(counts, chances)
    # Five of a hundred deals in which some card is not in some hand are dealt again: it is there by some four percent too often.
    seat, card = hidden_seats(view)[0], next(iter(view.unseen))
    lacking = {position.key for position, _ in chances if not position.hands[seat] >> card & 1}
    rng = random.Random(1)
    again = sum(rng.random() < 0.05 for _ in range(sum(counts[key] for key in lacking)))
    thrown = Counter(rng.sample([key for key in sorted(lacking) for _ in range(counts[key])], again))
    assert not fits(counts - thrown + draw(worlds, 5, 1000 * (again // 1000)), chances)


def test_each_unseen_card_is_equally_likely_in_each_packet_of_a_whole_deal() -> None:
    view = State("scopa", seed=1).view(0)
    barred = list(view.unseen)[7]
    n = 20_000
    for exclude in ({}, {1: 1 << barred}):
        counts: Counter[tuple[int, int]] = Counter()
        for state in sample(view, 6, n, exclude=exclude):
            counts.update((card, number // 3) for number, card in enumerate(state.stock))
            counts.update((card, 10) for card in state.hand(1))
        for card in view.unseen:
            # The hand has three cards like each packet, but three of the other 32 if one of the 33 is barred.
            in_hand = 3 / 33 if not exclude else 0 if card == barred else 3 / 32
            chances = [(1 - in_hand) / 10] * 10 + [in_hand]
            square = sum((counts[card, i] - n * chance) ** 2 / (n * chance) for i, chance in enumerate(chances) if chance)
            assert abs(square - 10) < FAR * sqrt(20) + 2
            assert in_hand or not counts[card, 10]


@pytest.mark.long
@pytest.mark.parametrize(("text", "seat"), UNIFORM)
def test_ten_million_samples(text: str, seat: int) -> None:
    view = at(sf, text).view(seat)
    weights = random_weights(view, hidden_seats(view))
    positions = all_worlds(view)
    assert fits(draw(Worlds(view), 11, 10_000_000), [(position, 1) for position in positions])
    assert fits(draw(Worlds(view, weights=weights), 12, 10_000_000), [(position, weigh(position, weights)) for position in positions])


@pytest.mark.long
@pytest.mark.parametrize("rules", MIDDLE)
def test_nine_unseen_cards_by_brute_force(rules: str) -> None:
    for view in small_views(rules, 3, 9):
        assert [world.position() for world in Worlds(view)] == all_worlds(view)


# -- far-off weights ---------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-300, 5e-324, 1e300])
def test_weights_count_by_their_ratios_however_large(scale: float) -> None:
    """Each seat has its own scale."""
    view = at(sf, FOUR_SEATS).view(1)
    worlds = Worlds(view, weights={0: [scale] * 40, 3: [1.0] * 40})
    assert worlds.count == 1680
    assert fits(draw(worlds, 7, 100_000), [(position, 1) for position in all_worlds(view)])


def test_weights_of_cards_that_are_not_unseen_do_not_matter() -> None:
    view = at(sf, FOUR_SEATS).view(1)
    weights = {0: [1e-300 if view.unseen_mask >> card & 1 else 1.0 for card in range(40)]}
    worlds = Worlds(view, weights=weights)
    assert worlds.count == 1680
    assert fits(draw(worlds, 8, 100_000), [(position, 1) for position in all_worlds(view)])


def test_a_card_that_every_seat_finds_unlikely_is_somewhere_all_the_same() -> None:
    view = at(sf, FOUR_SEATS).view(1)
    rare = mask_of(list(view.unseen)[:4])
    worlds = Worlds(view, weights={q: [1e-7 if rare >> card & 1 else 1.0 for card in range(40)] for q in (0, 2, 3)})
    assert worlds.count == 1680
    assert fits(draw(worlds, 9, 100_000), [(position, 1) for position in all_worlds(view)])


@pytest.mark.parametrize("likely", [1, 2])
@pytest.mark.parametrize(("low", "high"), [(2e-7, 1.0), (2e293, 1e300), (2e-300, 1e-293)])
def test_a_hand_with_fewer_likely_cards_than_it_holds_takes_the_others_evenly(low: float, high: float, likely: int) -> None:
    view = at(sf, FOUR_SEATS).view(1)
    sure = mask_of(list(view.unseen)[3 : 3 + likely])
    worlds = Worlds(view, weights={2: [high if sure >> card & 1 else low for card in range(40)]})
    assert worlds.count == 1680
    chances = [(position, float(position.hands[2] & sure == sure)) for position in all_worlds(view)]
    assert fits(draw(worlds, 10, 100_000), chances)


def test_weights_that_would_vanish_are_refused() -> None:
    view = at(sf, FOUR_SEATS).view(1)
    card = next(iter(view.unseen))
    with pytest.raises(ValueError, match=r"weight 1e-08 of seat 2 is too small beside 1\.0"):
        Worlds(view, weights={2: [1e-8 if each == card else 1.0 for each in range(40)]})


def test_zero_weights_that_leave_one_world() -> None:
    state = at(sf, FOUR_SEATS)
    weights = {q: [float(state.hand_mask(q) >> card & 1) for card in range(40)] for q in (2, 3)}
    worlds = Worlds(state.view(1), weights=weights)
    assert worlds.count == 1
    assert list(worlds) == [state] == [worlds.sample(Rng(1))]
    assert worlds.weight(state) == 1.0


def test_weights_of_a_whole_deal_with_stock() -> None:
    """One seat knows much of another hand: zeros for all but four cards, in a deal with ten packets."""
    view = State("scopa", seed=1).view(0)
    likely = list(view.unseen)[::8][:4]
    weights = {1: [1.0 + likely.index(card) if card in likely else 0.0 for card in range(40)]}
    n = 20_000
    counts = Counter(state.hand_mask(1) for state in sample(view, 1, n, weights=weights))
    hands = {mask_of(hand): prod(weights[1][card] for card in hand) for hand in combinations(likely, 3)}
    assert set(counts) == set(hands)
    for hand, weight in hands.items():
        chance = weight / sum(hands.values())
        assert abs(counts[hand] - n * chance) < FAR * sqrt(n * chance * (1 - chance))
    assert Worlds(view, weights=weights).count == 4 * number_of_ways([3] * 10)


# -- what is hidden, and what a seed says ------------------------------------------------


@pytest.mark.parametrize("rules", PRESETS)
def test_dealing_the_hidden_cards_again_changes_nothing(rules: str) -> None:
    rng = random.Random(rules)
    for state in random_states(rules, 7, range(0, 60, 7)):
        for seat in range(state.rules.seats):
            view, twin = state.view(seat), shuffled(state, seat, rng).view(seat)
            assert twin == view
            weights = random_weights(view, hidden_seats(view))
            for options in ({}, {"weights": weights}):
                assert sample(view, 1, 4, **options) == sample(twin, 1, 4, **options)  # type: ignore[arg-type]
            assert count_worlds(view) == count_worlds(twin)
            if len(view.unseen) < 7:
                assert list(Worlds(view)) == list(Worlds(twin))


@pytest.mark.parametrize("rules", MIDDLE)
@pytest.mark.parametrize("plays", [0, 5, 11])
def test_equal_generators_give_equal_samples(rules: str, plays: int) -> None:
    state = State(rules, seed=plays)
    for _ in range(plays):
        state.play_index(state.move_count() - 1)
    view = state.view(plays % state.rules.seats)
    other = hidden_seats(view)[0]
    options: list[Any] = [{}, {"exclude": {other: 1 << next(iter(view.unseen))}}, {"weights": random_weights(view, [other])}]
    for given in options:
        worlds = Worlds(view, **given)
        states = [State("scopa", seed=1) for _ in range(20)]
        worlds.fill(states, Rng(5))
        assert states == sample(view, 5, 20, **given) == sample(view, Rng(5), 20, **given)
        left, right = Rng(5), Rng(5)
        assert [worlds.sample(left) for _ in range(20)] == states
        assert [Worlds(view, **given).sample(right) for _ in range(20)] == states
        assert left == right != Rng(5)
        assert sample(view, left, 20, **given) == sample(view, right, 20, **given) != states
        assert left == right
        assert sample(view, 6, 20, **given) != states


def test_sample_without_a_seed_and_of_other_numbers() -> None:
    view = State("scopone", seed=1).view(0)
    assert sample(view, count=3) != sample(view, count=3)
    assert len(sample(view)) == len(sample(view, 1)) == 1
    assert sample(view, 1, 0) == []
    assert len({world.key for world in sample(view, 1, 50)}) == 50


# -- ACE-7 -------------------------------------------------------------------------------

BAN = "scopa_3[ace_sweep=true,first_ace_ban=true]"


def three_aces(rules: str = BAN, fourth: int = 39) -> State:
    """A deal whose leader, seat 0, has AD AC AS; the fourth ace is the card of that number in the deck."""
    deck = [card for card in range(40) if card != 3]
    deck.insert(fourth, 3)
    return State.from_deck(rules, deck, dealer=sf.find_rules("scopa_3").seats - 1 if "scopa_3" in rules else 1)


def ace_worlds(view: SeatView, aces: int, held: int) -> int:
    """How many worlds have ``held`` of the unseen aces as the whole hand of seat 0, by counting."""
    sizes = place_sizes(view)
    assert sizes[0] == held
    return comb(aces, held) * number_of_ways(sizes[1:])


def test_a_banned_first_ace_shows_a_hand_of_aces() -> None:
    """ACE-7: until the round ends, the leader's other cards are aces; which ones is open."""
    state = three_aces()
    assert state.seat == 0
    full = Worlds(state.view(1)).count
    assert full == number_of_ways(place_sizes(state.view(1)))
    play(state, moves_of(state)[0])
    for seat in (1, 2):
        view = state.view(seat)
        worlds = Worlds(view)
        assert worlds.count == count_worlds(view) == ace_worlds(view, 3, 2)
        hands = Counter(world.hand_mask(0) for world in sample(view, 1, 3000))
        assert set(hands) == {0b0110, 0b1010, 0b1100}
        assert all(abs(number - 1000) < FAR * sqrt(3000 * 2 / 9) for number in hands.values())
    own = state.view(0)
    assert Worlds(own).count == number_of_ways(place_sizes(own))
    # Whoever has the fourth ace knows the hand.
    other = three_aces(fourth=4)
    play(other, moves_of(other)[0])
    assert Worlds(other.view(1)).count == ace_worlds(other.view(1), 2, 2)
    assert {world.hand_mask(0) for world in sample(other.view(1), 1, 20)} == {0b0110}
    # One ace is left after the leader's second card, none in the second round.
    for _ in range(3):
        state.play_index(0)
    assert state.hand_mask(0).bit_count() == 1
    assert Worlds(state.view(2)).count == ace_worlds(state.view(2), 2, 1)
    while state.plays_left > 36 - 9:
        state.play_index(0)
    assert Worlds(state.view(1)).count == number_of_ways(place_sizes(state.view(1)))


def test_every_world_after_a_first_ace_can_have_been_played() -> None:
    """ACE-7: put the first cards back into the hands, and the reference finds every move legal."""
    for rules in (BAN, "scopa[ace_sweep=true,first_ace_ban=true,ace_to_pile=any]", "cirulla_2[first_ace_ban=true]"):
        start = three_aces(rules)
        for index in range(start.move_count()):
            state = start.clone()
            state.play_index(index)
            while state.seat:
                state.play_index(0)
            view = state.view(1)
            for world in sample(view, 1, 10):
                hands = list(world.position().hands)
                seat = (start.dealer + 1) % start.rules.seats
                for move in view.moves:
                    if not move.is_declaration:
                        hands[seat] |= 1 << move.card
                        seat = (seat + 1) % start.rules.seats
                replay = reference.State.from_position(replace(start.position(), hands=tuple(hands), stock=world.position().stock))
                for move in view.moves:
                    replay.play(move)
                assert replay.position() == world.position()


def test_nothing_is_known_of_a_first_ace_without_the_ban_the_moves_or_an_ace() -> None:
    state = three_aces()
    play(state, moves_of(state)[0])
    view = state.view(1)
    full = number_of_ways(place_sizes(view))
    assert Worlds(SeatView.from_position(view.position, 1, view.moves)).count == Worlds(view).count < full
    assert Worlds(pickle.loads(pickle.dumps(view))).count == Worlds(view).count
    for blind in (SeatView.from_text(view.text, 1), SeatView(view.position, 1), state.clone().view(1)):
        assert blind == view
        assert Worlds(blind).count == full
    # The last moves alone do not tell what the first one was.
    state.play_index(0)
    part = SeatView(state.view(2).position, 2, state.view(2).moves[1:])
    assert Worlds(part).count == number_of_ways(place_sizes(part)) > Worlds(state.view(2)).count
    free = three_aces(BAN.replace("ban=true", "ban=false"))
    play(free, moves_of(free)[0])
    assert Worlds(free.view(1)).count == full
    mixed = State.from_deck(BAN, [0, 1, 20, *(card for card in range(2, 40) if card != 20)], dealer=2)
    mixed.play_index(0)
    assert mixed.view(1).moves[0].card == 20
    assert Worlds(mixed.view(1)).count == number_of_ways(place_sizes(mixed.view(1)))


def test_a_first_ace_and_exclusions_and_weights_together() -> None:
    state = three_aces()
    play(state, moves_of(state)[0])
    view = state.view(1)
    worlds = Worlds(view, exclude={0: 0b1000})
    assert worlds.count == ace_worlds(view, 2, 2)
    assert {world.hand_mask(0) for world in sample(view, 1, 20, exclude={0: 0b1000})} == {0b0110}
    heavy = sample(view, 1, 200, weights={0: [0.0, 1.0, 1.0, 1e-3] + [1e4] * 36})
    assert {world.hand_mask(0) for world in heavy} == {0b0110}
    with pytest.raises(ImpossibleViewError):
        Worlds(view, exclude={0: 0b1100})


def test_a_seven_declared_as_an_ace_is_open_to_all() -> None:
    """CIR-4, CIR-6, ACE-7: the leader's hand is exposed, and the 7C is the first ace."""
    deck = [0, 1, 25, *(card for card in range(39, 1, -1) if card != 25)]
    state = State.from_deck("cirulla_2[first_ace_ban=true]", deck, dealer=1)
    play(state, "+10=A")
    seven = next(move for move in state.legal_moves() if move.card == 25)
    state.play(seven)
    view = state.view(1)
    assert view.known_hand_mask(0) == 0b11
    assert Worlds(view).count == number_of_ways([3] * 10)
    assert {world.hand_mask(0) for world in sample(view, 1, 20)} == {0b11}


# -- refused -----------------------------------------------------------------------------


def four_seats() -> SeatView:
    view: SeatView = at(sf, FOUR_SEATS).view(1)
    return view


def quoted(junk: object) -> str:
    """A pattern of a message that quotes a value, or at least its type."""
    return f"{re.escape(repr(junk))}|\\b{type(junk).__name__}\\b"


def test_exclusions_that_leave_no_world_are_refused() -> None:
    view = four_seats()
    everything = view.unseen_mask
    for exclude in ({0: everything}, {0: full_mask("it40"), 2: 0}, {0: everything & ~(1 << next(iter(view.unseen)))}):
        for call in (Worlds, count_worlds, sample):
            with pytest.raises(ImpossibleViewError, match=r"no world is left of 'scopone hands=.*' for seat 1"):
                call(view, exclude=exclude)
    with pytest.raises(ImpossibleViewError):
        Worlds(view, weights={2: [0.0] * 40})


def test_two_seats_that_both_need_the_same_cards_leave_no_world() -> None:
    view = four_seats()
    cards = list(view.unseen)
    three, four = mask_of(cards[:3]), mask_of(cards[:4])
    assert Worlds(view, exclude={0: view.unseen_mask & ~three}).count == Worlds(view, exclude={2: view.unseen_mask & ~three}).count == 20
    for one, two in ((three, three), (four, four), (three, four)):
        with pytest.raises(ImpossibleViewError):
            Worlds(view, exclude={0: view.unseen_mask & ~one, 2: view.unseen_mask & ~two})
    # A card that nobody may hold has no stock to go to.
    with pytest.raises(ImpossibleViewError):
        Worlds(view, exclude=dict.fromkeys((0, 2, 3), 1 << cards[0]))
    stock = at(sf, TWO_PACKETS).view(0)
    assert Worlds(stock, exclude={1: 1 << next(iter(stock.unseen))}).count == 6 * 20


@pytest.mark.parametrize("name", ["exclude", "weights"])
def test_seats_that_are_not_there_are_refused(name: str) -> None:
    value = 1 if name == "exclude" else [1.0] * 40
    for seat in (4, -1, 99):
        with pytest.raises(InvalidSeatError, match=rf" {seat} in "):
            Worlds(four_seats(), **{name: {seat: value}})  # type: ignore[arg-type]
    for junk in ("1", True, 1.0, None):
        with pytest.raises(TypeError, match=repr(junk)):
            Worlds(four_seats(), **{name: {junk: value}})  # type: ignore[arg-type]


@pytest.mark.parametrize("seat", [0, 1])
def test_masks_outside_the_pack_are_refused(seat: int) -> None:
    """Of the viewer, too, about whose hand there is nothing to exclude."""
    for mask in (1 << 40, -1, 1 << 99):
        with pytest.raises(InvalidCardError, match=f"{mask:#x}"):
            Worlds(four_seats(), exclude={seat: mask})
    for junk in ("7D", 1.0, True, None, [1]):
        with pytest.raises(TypeError, match=quoted(junk)):
            Worlds(four_seats(), exclude={seat: junk})  # type: ignore[dict-item]


@pytest.mark.parametrize("seat", [0, 1])
def test_weights_that_are_no_weights_are_refused(seat: int) -> None:
    for number in (-1.0, -1e-300, nan, inf, -inf):
        with pytest.raises(ValueError, match=rf"weight {number} of seat {seat}"):
            Worlds(four_seats(), weights={seat: [1.0] * 39 + [number]})
    for length in (0, 1, 39, 41, 52):
        with pytest.raises(ValueError, match=rf"\b{length} weights of seat {seat} for 40 cards"):
            Worlds(four_seats(), weights={seat: [1.0] * length})
    for junk in ("a", None, [1.0], 1j):
        with pytest.raises((TypeError, ValueError), match=quoted(junk)):
            Worlds(four_seats(), weights={seat: [junk] * 40})  # type: ignore[list-item]


@pytest.mark.parametrize("junk", [None, 5, 1.5])
def test_one_number_is_no_list_of_weights(junk: Any) -> None:
    with pytest.raises(TypeError, match=quoted(junk)):
        Worlds(four_seats(), weights={0: junk})


@pytest.mark.parametrize("name", ["exclude", "weights"])
@pytest.mark.parametrize("junk", [5, [1, 2], "scopa"])
def test_exclusions_and_weights_go_by_seat(name: str, junk: Any) -> None:
    with pytest.raises(TypeError, match=quoted(junk)):
        Worlds(four_seats(), **{name: junk})


def test_other_things_than_views_are_refused() -> None:
    state = State("scopa", seed=1)
    others: list[Any] = [None, state, "scopa", state.position(), reference.State("scopa", seed=1).view(0)]
    for junk in others:
        for call in (Worlds, count_worlds, sample):
            with pytest.raises(TypeError, match=f"view must be a SeatView of the native engine, not {type(junk).__name__}: "):
                call(junk)


def test_other_things_than_generators_are_refused() -> None:
    worlds = Worlds(four_seats())
    state = State("scopa", seed=1)
    text = str(state)
    for junk in (1, None, 1.5, reference.Rng(1), random.Random(1)):
        named = f"rng must be an Rng of the native engine, not {type(junk).__name__}: "
        with pytest.raises(TypeError, match=named):
            worlds.sample(junk)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=named):
            worlds.fill([state], junk)  # type: ignore[arg-type]
    for seed in (1.5, "1", reference.Rng(1), True):
        with pytest.raises(TypeError, match=type(seed).__name__):
            sample(four_seats(), seed)  # type: ignore[arg-type]
    with pytest.raises(sf.InvalidSeedError, match="-1"):
        sample(four_seats(), -1)
    assert str(state) == text


def test_numbers_of_samples_are_checked() -> None:
    for count in (-1, -99, 1 << 41):
        with pytest.raises(ValueError, match=f"count {count}"):
            sample(four_seats(), 1, count)
    others: list[Any] = [1.0, "1", None, True]
    for junk in others:
        with pytest.raises(TypeError, match=repr(junk)):
            sample(four_seats(), 1, junk)


@pytest.mark.parametrize("junk", [None, 3, "scopa", reference.State("scopa", seed=1), State("scopa", seed=1).view(0)], ids=type)
def test_a_list_with_anything_else_in_it_stays_as_it_was(junk: Any) -> None:
    states = [State("scopa", seed=1), State("scopone", seed=2)]
    for state in states:
        state.play_index(0)
    texts = [(str(state), state.view(0).moves) for state in states]
    rng = Rng(1)
    with pytest.raises(TypeError, match=rf"native engine, not {type(junk).__name__}: "):
        Worlds(four_seats()).fill([states[0], junk, states[1]], rng)
    assert [(str(state), state.view(0).moves) for state in states] == texts
    assert rng == Rng(1)


def test_a_state_of_another_view_has_no_weight() -> None:
    state = at(sf, FOUR_SEATS)
    worlds = Worlds(state.view(1))
    other = state.clone()
    other.play_index(0)
    for junk in (other, State("scopa", seed=1), None, 1, reference.State("scopa", seed=1)):
        with pytest.raises(ValueError, match="no world of 'scopone"):
            worlds.weight(junk)  # type: ignore[arg-type]


def test_worlds_are_not_copied_and_not_made_anew() -> None:
    view = four_seats()
    worlds = Worlds(view)
    for call in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="make them of their view"):
            call(worlds)
    with pytest.raises(RuntimeError):
        worlds.__init__(view)  # type: ignore[misc]
    assert repr(worlds) == f"Worlds({view!r})"


UNBORN = """
import scopa_fast as sf
state = sf.State("scopa", 1)
class LateView(sf.SeatView):
    def __init__(self): pass
class LateWorlds(sf.Worlds):
    def __init__(self): pass
class LateState(sf.State):
    def __init__(self): pass
view, late, worlds, rng = LateView(), LateWorlds(), sf.Worlds(state.view(0)), sf.Rng(1)
for call in (
    {calls}
):
    try:
        call()
    except Exception:
        pass
"""
UNBORN_WORLDS = """
    lambda: late.sample(rng), lambda: late.fill([state], rng), lambda: late.count, lambda: next(iter(late)), lambda: late.weight(state),
    lambda: repr(late), lambda: late.first_aces(), lambda: worlds.weight(LateState()), lambda: worlds.fill([LateState()], rng),
"""
UNBORN_VIEWS = """
    lambda: view.text, lambda: view.rules, lambda: view.unseen, lambda: view.moves, lambda: view.key, lambda: hash(view),
    lambda: view == state.view(0), lambda: state.view(0) == view, lambda: view.legal_moves(), lambda: view.known_hand(0),
    lambda: sf.Worlds(view), lambda: sf.sample(view), lambda: LateState().view(0),
"""


@pytest.mark.parametrize("calls", [UNBORN_WORLDS, UNBORN_VIEWS], ids=["Worlds", "SeatView"])
def test_what_was_never_made_does_not_crash(calls: str) -> None:
    """A subclass that forgets ``super().__init__`` must not end the process."""
    assert subprocess.run([sys.executable, "-c", UNBORN.replace("{calls}", calls)], check=False, timeout=20).returncode == 0


# -- SeatView.moves ----------------------------------------------------------------------


def walk(engine: ModuleType, rules: str, seed: int) -> Iterator[tuple[Any, list[Move]]]:
    """A random deal, and the moves so far before each of its moves and at its end."""
    rng = random.Random(f"{rules} {seed}")
    state = engine.State(rules, seed)
    moves: list[Move] = []
    while True:
        yield state, moves
        if state.is_terminal():
            return
        moves.append(rng.choice(state.legal_moves()))
        state.play(moves[-1])


@pytest.mark.parametrize("rules", PRESETS)
def test_a_view_knows_the_moves_that_were_played(engine: ModuleType, rules: str) -> None:
    for state, moves in walk(engine, rules, 1):
        for seat in range(state.rules.seats):
            view = state.view(seat)
            assert view.moves == tuple(moves)
            assert all(type(move) is Move and move.deck == state.rules.deck for move in view.moves if not move.is_declaration)
    assert len(moves) >= state.rules.plays


def test_declarations_are_among_the_moves(engine: ModuleType) -> None:
    """CIR-4: the longest lists that there are, with every hand declared that can be."""
    most = 0
    for seed in range(40):
        state = engine.State("cirulla_4", seed)
        while not state.is_terminal():
            state.play_index(0)  # declarations come first (DECK-8)
            declared = [move for move in state.view(1).moves if move.is_declaration]
            assert sum(move.points for move in declared) == sum(state.bonus)
            assert len(state.view(1).moves) == state.rules.plays - state.plays_left + len(declared)
        most = max(most, len(declared))
    assert most >= 3


def test_undo_takes_moves_away_and_copies_leave_them_behind(engine: ModuleType) -> None:
    state = engine.State("scopa", 1)
    assert state.view(0).moves == ()
    state.play_index(0)
    first = state.view(0)
    state.play_index(0)
    assert state.view(0).moves[:1] == first.moves
    assert len(state.view(1).moves) == 2
    for twin in (state.clone(), copy.copy(state), pickle.loads(pickle.dumps(state)), engine.State.from_text(str(state))):
        assert twin.view(0) == state.view(0)
        assert twin.view(0).moves == ()
        twin.play_index(0)
        assert len(twin.view(0).moves) == 1
    state.undo()
    assert state.view(0).moves == first.moves
    state.undo()
    assert state.view(0).moves == ()
    assert len(first.moves) == 1


@pytest.mark.parametrize("rules", ["cirulla_3", "scopa_8", "scopone", "asso_piglia_tutto_2"])
def test_pickle_and_copy_keep_the_moves(engine: ModuleType, rules: str) -> None:
    for state, moves in walk(engine, rules, 3):
        view = state.view(state.seat)
        copies = [copy.copy(view), copy.deepcopy(view), engine.SeatView.from_position(view.position, view.seat, iter(view.moves))]
        copies += [pickle.loads(pickle.dumps(view, protocol)) for protocol in (2, pickle.HIGHEST_PROTOCOL)]
        copies.append(engine.SeatView(view.position, view.seat, [int(move) for move in view.moves]))
        for twin in copies:
            assert twin == view
            assert twin.moves == tuple(moves)
            assert all(type(move) is Move for move in twin.moves)


def test_moves_are_no_part_of_equality(engine: ModuleType) -> None:
    for state, moves in walk(engine, "cirulla_2", 261):
        view = state.view(1)
        blind = engine.SeatView.from_text(view.text, 1)
        assert blind.moves == ()
        assert len(view.moves) == len(moves)
        assert blind == view
        assert (hash(blind), blind.key, blind.text, repr(blind)) == (hash(view), view.key, view.text, repr(view))


def test_two_ways_to_one_position_are_one_view_with_different_moves(engine: ModuleType) -> None:
    one, two = (at(engine, "scopa hands=6D7DFD/2C3CFC table=RB last=0 seat=0 dealer=1") for _ in range(2))
    play(one, "6D", "2C", "7D", "3C")
    play(two, "7D", "3C", "6D", "2C")
    for seat in range(2):
        assert one.view(seat) == two.view(seat)
        assert set(one.view(seat).moves) == set(two.view(seat).moves)
        assert one.view(seat).moves != two.view(seat).moves
        assert {one.view(seat): 1}[two.view(seat)] == 1


@pytest.mark.parametrize("rules", PRESETS)
def test_any_last_moves_of_a_deal_are_accepted(engine: ModuleType, rules: str) -> None:
    rng = random.Random(rules)
    for state, moves in walk(engine, rules, 4):
        view = state.view(rng.randrange(state.rules.seats))
        for first in {0, len(moves), rng.randint(0, len(moves)), max(len(moves) - 1, 0)}:
            assert engine.SeatView(state.position(), view.seat, moves[first:]).moves == tuple(moves[first:])


def spoiled(state: Any, moves: list[Move]) -> Iterator[list[Move]]:
    """Lists of moves, like a true one, of which the position cannot have come."""
    deck = state.rules.deck
    view = state.view(state.seat)
    *before, last = moves
    if last.is_declaration:
        return
    away = list(view.unseen | view.hand)
    yield [*before, Move.lay(away[0], deck)]
    yield [*before, Move.capture(away[0], last.captured_mask or 1 << last.card, deck)]
    if last.kind == "lay":
        yield [*before, Move.capture(last.card, 1 << away[-1], deck)]
        yield [*before, Move.to_pile(last.card, deck)]
    else:
        yield [*before, Move.lay(last.card, deck)]
        yield [*before, Move.capture(last.card, last.captured_mask | 1 << away[-1], deck)]
    if len(moves) > 1:
        yield [*before[1:], last, last]
    full = [move for move in moves if not move.is_declaration]
    if len(full) == state.rules.plays - state.plays_left:
        yield [full[0], *moves]


@pytest.mark.parametrize("rules", PRESETS)
def test_moves_that_cannot_have_led_to_the_position_are_refused(engine: ModuleType, rules: str) -> None:
    refused = 0
    for state, moves in walk(engine, rules, 5):
        if not moves or state.is_terminal():
            continue
        seat = refused % state.rules.seats
        for wrong in spoiled(state, moves):
            with pytest.raises(InvalidPositionError) as caught:
                engine.SeatView(state.position(), seat, wrong)
            assert f"cannot have led to the position '{state.view(seat).text}'" in str(caught.value)
            number = sum(not move.is_declaration for move in wrong)
            assert any(f"the move {move} of seat" in str(caught.value) for move in wrong) or f"{number} moves cannot" in str(caught.value)
            with pytest.raises(InvalidPositionError):
                engine.SeatView.from_position(state.position(), seat, wrong)
            refused += 1
    assert refused > 40


def test_refused_moves_are_quoted(engine: ModuleType) -> None:
    state = at(engine, "scopa hands=7D2D/4C2C table=3C4S last=0 seat=0 dealer=1")
    play(state, "7Dx3C4S")
    position, text = state.position(), state.view(1).text.replace("?", r"\?")

    def refuse(move: str, seat: int) -> Any:
        return pytest.raises(InvalidPositionError, match=f"the move {move} of seat {seat} cannot have led to the position '{text}'")

    for move in ("7D", "2D", "2Dx3C", "7Dx3C4C"):
        with refuse(move, 0):
            engine.SeatView(position, 1, [sf.parse_move(move)])
    # The seat before that played 7D is seat 1.
    with refuse("2C", 1):
        engine.SeatView(position, 1, [sf.parse_move("2C"), sf.parse_move("7Dx3C4S")])
    with pytest.raises(InvalidPositionError, match=rf"34 moves cannot have led to the position '{text}', 33 can \(DEAL-5\)"):
        engine.SeatView(position, 1, [sf.parse_move("7Dx3C4S")] * 34)


def test_things_that_are_no_moves_are_refused(engine: ModuleType) -> None:
    state = engine.State("scopa", 1)
    state.play_index(0)
    for junk in ("7D", 1.5, True, None):
        with pytest.raises(TypeError, match=f"a move must be an int, not {type(junk).__name__}"):
            engine.SeatView(state.position(), 0, [junk])
    with pytest.raises(sf.InvalidMoveError, match="packs no move"):
        engine.SeatView(state.position(), 0, [1 << 61])
    for junk in (5, None):
        with pytest.raises(TypeError, match=r"not iterable|moves"):
            engine.SeatView(state.position(), 0, junk)


def test_moves_of_another_pack_are_refused(engine: ModuleType) -> None:
    for rules, flag in (("scopa_8", 0), ("scopa", 1)):
        state = engine.State(rules, 1)
        state.play_index(0)
        (move,) = state.view(0).moves
        other = Move(int(move) & ~(1 << 60) | flag << 60)
        with pytest.raises(InvalidPositionError):
            engine.SeatView(state.position(), 0, [other])


def test_a_game_without_declarations_has_none_among_its_moves(engine: ModuleType) -> None:
    """CIR-4."""
    state = engine.State("scopa", 1)
    state.play_index(0)
    with pytest.raises(InvalidPositionError):
        engine.SeatView(state.position(), 0, [Move.declare(3), *state.view(0).moves])


TOO_MANY = """
import sys
import {engine} as engine
from scopa_fast import Move
number = int(sys.argv[2])
state = engine.State(sys.argv[1], 1)
try:
    views = [engine.SeatView(state.position(), 0, [Move.declare(3)] * number) for _ in range(20)]
except engine.InvalidPositionError:
    print("refused")
"""


@pytest.mark.parametrize("number", [81, 20_000])
@pytest.mark.parametrize("rules", ["scopa", "cirulla_4"])
def test_too_many_declarations_are_refused(engine: ModuleType, rules: str, number: int) -> None:
    """CIR-4: once per hand. In a process of its own, for it could end badly."""
    command = [sys.executable, "-c", TOO_MANY.replace("{engine}", engine.__name__), rules, str(number)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    assert (run.returncode, run.stdout) == (0, "refused\n")


@pytest.mark.parametrize("rules", ["scopone", "scopa_3", "cirulla_4"])
def test_playouts_from_a_view_deal_the_hidden_cards_anew(rules: str) -> None:
    """As many playouts from sampled worlds have the same mean; those from the true state have another."""
    state = State(rules, seed=3)
    for _ in range(6):
        state.play_index(0)
    view = state.view(state.seat)
    n, sides = 40_000, len(state.rules.sides)
    found = sf.playouts(view, n, 1)
    assert found == sf.playouts(view, n, 1, threads=2)
    assert (found.deals, found.plays) == (n, n * state.plays_left)
    twin = sf.SeatView(view.position, view.seat)
    assert found == sf.playouts(twin, n, 1)
    sums = [0] * sides
    for number, world in enumerate(sample(view, 2, n // 10)):
        sums = [total + points for total, points in zip(sums, sf.playouts(world, 10, number).points, strict=True)]
    slow = reference.playouts(reference.SeatView(view.position, view.seat), 300, 1)
    for side in range(sides):
        spread = (found.points_squared[side] / n - (found.points[side] / n) ** 2) ** 0.5
        assert abs(found.points[side] - sums[side]) / n < 8 * spread / n**0.5
        assert abs(found.points[side] / n - slow.points[side] / 300) < 5 * spread / 300**0.5
