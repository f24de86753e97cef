"""What each setting of a bot does: it is passed on to the search or the scores that decide, and changes what they answer."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import pytest
from rule_players import RulePlayer

import scopa_fast as sf
from scopa_fast.bots import (
    BOTS,
    CgBot,
    ChampionBot,
    CsBot,
    ForgetfulBot,
    IsmctsBot,
    MctsBot,
    PimcBot,
    find_bot,
    for_match,
    forget,
    guess_worlds,
)
from scopa_fast.cards import cards_of, mask_of, rank_of
from scopa_fast.core.belief import Belief
from scopa_fast.core.players import CONVENTIONS, absent_cards, cs_scores
from scopa_fast.errors import ScopaError
from scopa_fast.searches import SearchResult


def middle(rules: str, seed: int, plays_left: int) -> sf.State:
    """Return a state after random moves."""
    state, rng = sf.State(rules, seed), sf.Rng(seed)
    while state.plays_left > plays_left:
        state.play(state.random_move(rng))
    return state


STATE = middle("scopone", 3, 26)
VIEW = STATE.view(STATE.seat)
DEEP = VIEW.plays_left
"""Too deep for exact values, with several moves."""

TREE_SETTINGS: list[dict[str, Any]] = [
    {"iterations": 77}, {"explore": 0.1}, {"reward": "win"}, {"reward": "points"}, {"reward": "win_share"}, {"playout": "random"},
    {"playout": "card_random"}, {"epsilon": 0.9}, {"trees": 3}, {"reward": "match", "scores": (10, 3)},
]  # fmt: skip


@pytest.mark.parametrize("settings", TREE_SETTINGS, ids=str)
@pytest.mark.parametrize("bot", [IsmctsBot, MctsBot])
def test_tree_players_pass_every_setting_on(bot: Any, settings: dict[str, Any]) -> None:
    search, shown = (sf.mcts, STATE) if bot is MctsBot else (sf.ismcts, VIEW)
    few = {"iterations": 150} | settings
    found = bot(**few).search(shown, sf.Rng(1))
    assert found == search(shown, seed=sf.Rng(1), **few)  # type: ignore[operator]
    assert found != search(shown, seed=sf.Rng(1), iterations=150)  # type: ignore[operator]


def test_no_setting_of_a_tree_player_was_forgotten_here() -> None:
    known = {field.name for field in dataclasses.fields(IsmctsBot)}
    assert known == {name for settings in TREE_SETTINGS for name in settings} | {"seconds", "threads", "guess"}


def test_iterations_are_the_default_unless_time_is_given() -> None:
    rng = sf.Rng(1)
    for bot, usual in ((IsmctsBot(), 4000), (MctsBot(), 1000)):
        assert bot.search(STATE if bot.name == "mcts" else VIEW, rng).iterations == usual  # type: ignore[arg-type]
    for timed in (IsmctsBot(seconds=0.1), MctsBot(seconds=0.1), IsmctsBot(seconds=0.1, trees=3)):
        begun = time.perf_counter()
        found = timed.search(STATE if timed.name == "mcts" else VIEW, rng)  # type: ignore[arg-type]
        assert found.timed and 0.1 <= time.perf_counter() - begun < 2
    assert sf.pimc(VIEW, seed=1).worlds == 20
    found = sf.pimc(VIEW, seconds=0.2, seed=1)
    assert found.timed and found.worlds > 20
    assert IsmctsBot(iterations=10, seconds=30).search(VIEW, rng).iterations == 10


def test_a_search_that_was_done_in_time_is_not_timed() -> None:
    import numpy as np

    def zeros(leaves: sf.Leaves) -> Any:
        return np.zeros((len(leaves), 2))

    found = sf.ismcts(VIEW, iterations=64, seconds=0, evaluate=zeros, batch=64, seed=1)
    assert (found.iterations, found.timed) == (64, False)
    assert sf.ismcts(VIEW, iterations=65, seconds=0, evaluate=zeros, batch=64, seed=1).timed
    assert not sf.ismcts(VIEW, iterations=100, seconds=0, seed=1).timed


@pytest.mark.parametrize("settings", [{"count": 7}, {"exact_plays": DEEP}, {"exact_plays": DEEP - 1}, {"depth": 3}], ids=str)
def test_pimc_passes_every_setting_on(settings: dict[str, Any]) -> None:
    shallow = middle("scopa", 5, 14)
    view = shallow.view(shallow.seat)
    settings = {name: value - DEEP + 14 if name == "exact_plays" else value for name, value in settings.items()}
    found = PimcBot(**{"exact_plays": 0} | settings).search(view, sf.Rng(1))
    assert found == sf.pimc(view, seed=sf.Rng(1), **{"exact_plays": 0} | settings)
    means = [entry.mean for entry in found.moves]
    exact = [entry.mean for entry in sf.pimc(view, seed=sf.Rng(1), exact_plays=100, count=found.worlds).moves]
    assert (means == exact) == (settings.get("exact_plays") == 14)
    if "exact_plays" not in settings:
        assert found != PimcBot(exact_plays=0).search(view, sf.Rng(1))


def test_pimc_votes_with_three_sides() -> None:
    state = middle("scopa_3", 2, 12)
    view = state.view(state.seat)
    found = PimcBot(count=5, iterations=60).search(view, sf.Rng(4))
    rng, worlds = sf.Rng(4), sf.Worlds(view)
    results = [sf.mcts(worlds.sample(rng), iterations=60, seed=rng) for _ in range(5)]
    visits = [sum(result.moves[i].visits for result in results) for i in range(len(found.moves))]
    assert [entry.visits for entry in found.moves] == visits and sum(visits) == 300 == found.iterations
    assert found.move == found.moves[visits.index(max(visits))].move
    assert (found.worlds, found.timed) == (5, False)
    timed = PimcBot(seconds=0.05).search(view, sf.Rng(4))
    assert timed.timed and timed.worlds >= 1


@pytest.mark.parametrize(
    "settings",
    [
        {"worlds": 50}, {"temperature": 20.0}, {"explore": 0.1}, {"epsilon": 0.9}, {"trees": 2}, {"iterations": 77}, {"reward": "win"},
        {"scores": (9, 10)},
    ],
    ids=str,
)  # fmt: skip
def test_the_champion_searches_over_its_belief(settings: dict[str, Any]) -> None:
    few = {"iterations": 150} | settings
    found = ChampionBot(**few).search(VIEW, sf.Rng(2))
    rng = sf.Rng(2)
    belief = Belief(VIEW, count=few.pop("worlds", 1000), temperature=few.pop("temperature", 150.0), seed=rng)
    if "scores" in few:
        few["reward"] = "match"
    assert found == sf.ismcts(VIEW, worlds=belief, seed=rng, **few)
    assert found != ChampionBot(iterations=150).search(VIEW, sf.Rng(2))


def test_the_champion_takes_exact_averages_from_three_cards_on() -> None:
    for cards in (4, 3, 2):
        state = middle("scopone", 8, 4 * cards)
        view = state.view(state.seat)
        bot = ChampionBot(iterations=50, exact_worlds=40)
        rng = sf.Rng(5)
        belief = Belief(view, count=40 if cards < 4 else 1000, seed=rng)
        if cards < 4:
            expected = sf.pimc(view, count=40, exact_plays=100, worlds=belief, seed=rng)
        else:
            expected = sf.ismcts(view, iterations=50, worlds=belief, seed=rng)
        assert bot.search(view, sf.Rng(5)) == expected
        for other in (ChampionBot(iterations=50, reward="win"), for_match(bot, (10, 9)), ChampionBot(iterations=50, exact_cards=1)):
            assert other.search(view, sf.Rng(5)).iterations == 50  # type: ignore[attr-defined]


@pytest.mark.parametrize("sevens", [False, True])
@pytest.mark.parametrize("convention", [None, *CONVENTIONS])
def test_rule_players_play_the_largest_score(sevens: bool, convention: str | None) -> None:
    """Deals are played until each convention has changed a score."""
    conventions = (convention,) if convention else ()
    bot = (CgBot if sevens else CsBot)(conventions)
    rng, differs = sf.Rng(1), convention is None
    for rules in ("scopone", "scopa_assi_10"):
        for seed in range(120):
            state = sf.State(rules, seed)
            while not state.is_terminal():
                view = state.view(state.seat)
                scores = cs_scores(view, sevens=sevens, conventions=conventions)
                best = {move for move, score in zip(view.legal_move_ints(), scores, strict=True) if score == max(scores)}
                move = bot.choose(view, rng)
                assert move in best
                differs |= scores != cs_scores(view, sevens=sevens)
                state.play(move)
            if differs and seed > 2:
                return
    raise AssertionError(convention)


def best_by(view: sf.SeatView, sevens: bool) -> set[int]:
    scores = cs_scores(view, sevens=sevens)
    return {move for move, score in zip(view.legal_move_ints(), scores, strict=True) if score == max(scores)}


def test_cg_is_not_cs() -> None:
    state = sf.State("scopone", 1)
    differs = False
    for seed in range(30):
        state = sf.State("scopone", seed)
        while not state.is_terminal():
            view = state.view(state.seat)
            differs |= best_by(view, True) != best_by(view, False)
            state.play(CsBot().choose(view, sf.Rng(1)))
    assert differs


def test_equal_scores_are_decided_at_random() -> None:
    for bot in (CsBot(), CgBot(), find_bot("greedy")):
        found = 0
        for seed in range(60):
            view = sf.State("scopa", seed).view(0)
            moves = {int(bot.choose(view, sf.Rng(i))) for i in range(60)}
            if isinstance(bot, CsBot):
                assert moves == best_by(view, isinstance(bot, CgBot))
            found += len(moves) > 1
        assert found


@pytest.mark.parametrize(
    "text",
    [
        "champion[iterations=0]", "champion[reward=gold]", "champion[temperature=0]", "champion[worlds=many]", "champion[scores=a+b]",
        "ismcts[guess=no]", "ismcts[guess=1]", "cs[conventions=absent+absent]", "greedy[x=1]",
        "champion[seconds=-1]", "champion[exact_cards=-1]", "pimc[seconds=-1]", "pimc[count=0]", "ismcts[scores=3]", "ismcts[scores=3+x]",
        "mcts[guess=true]", "forgetful[bot=mcts]", "forgetful[bot=nobody]", "forgetful[plays=-1]", "forgetful[bot=ismcts[iterations=0]]",
    ],
)  # fmt: skip
def test_bad_settings_are_refused_at_once(text: str) -> None:
    with pytest.raises(ScopaError, match="in the bot"):
        find_bot(text)


def test_several_numbers_are_numbers() -> None:
    assert find_bot("ismcts[reward=match,scores=3+4]").scores == (3, 4)  # type: ignore[attr-defined]
    assert find_bot("cs[conventions=anchor+eleven]").conventions == ("anchor", "eleven")  # type: ignore[attr-defined]


def test_any_bot_with_scores_is_told_them() -> None:
    class Mine:
        name, scores = "mine", None

        def choose(self, view: sf.SeatView, rng: sf.Rng) -> int:
            return view.legal_moves()[0]

    mine = Mine()
    told = for_match(mine, (4, 5))
    assert told.scores == (4, 5) and mine.scores is None  # type: ignore[attr-defined]
    assert for_match(ForgetfulBot("champion"), (4, 5))._inner.scores == (4, 5)  # type: ignore[attr-defined]


# Guessing.


def test_guessing_knows_by_whom_a_sweep_was_left() -> None:
    rng, found = sf.Rng(5), 0
    for rules in ("scopone", "scopa", "cirulla_2", "scopa_assi_10", "escoba_3", "asso_piglia_tutto_4"):
        for seed in range(4):
            state = sf.State(rules, seed)
            while not state.is_terminal():
                view = state.view(state.seat)
                for seat, cards in enumerate(absent_cards(view)):
                    ranks = RulePlayer(view, False, {"absent"}).absent[seat] if cards else set()
                    hidden = view.unseen_mask if seat != view.seat and seat not in view.exposed else 0
                    assert cards == mask_of(card for card in cards_of(hidden) if seven_as(card, view) in ranks)
                    found += bool(cards)
                state.play(state.random_move(rng))
    assert found


def seven_as(card: int, view: sf.SeatView) -> int:
    return view.matta if view.matta and card == sf.MATTA else rank_of(card)


def test_guessed_worlds_hold_none_of_the_absent_cards_unless_all_do() -> None:
    rng, narrowed, fallen_back = sf.Rng(3), 0, 0
    for seed in range(30):
        state = middle("scopone", seed, 20)
        while state.plays_left > 1:
            view = state.view(state.seat)
            absent, worlds = absent_cards(view), guess_worlds(view)
            found = IsmctsBot(iterations=20, guess=True).search(view, sf.Rng(1))
            if worlds is None:
                fallen_back += 1
                assert dataclasses.replace(found, fallbacks=0) == sf.ismcts(view, iterations=20, seed=sf.Rng(1)) and found.fallbacks == 20
            else:
                for _ in range(5):
                    world = worlds.sample(rng)
                    assert world.view(view.seat) == view
                    assert not any(mask_of(world.hand(seat)) & absent[seat] for seat in range(4))
                narrowed += worlds.count < sf.Worlds(view).count
                assert found == sf.ismcts(view, iterations=20, worlds=worlds, seed=sf.Rng(1)) and found.fallbacks == 0
            state.play(state.random_move(rng))
    assert narrowed and fallen_back


# Forgetting.


@pytest.mark.parametrize("rules", ["scopa", "scopone", "cirulla_2", "escoba_3", "scopa_8", "asso_piglia_tutto_4"])
def test_forgetting_changes_old_captures_alone(rules: str) -> None:
    rng, changed = sf.Rng(2), 0
    for seed in range(5):
        state = sf.State(rules, seed)
        while not state.is_terminal():
            view = state.view(state.seat)
            for plays in (0, 5, 100):
                seen = forget(view, plays, rng)
                same = ("hand", "table", "scope", "bonus", "last_capturer", "matta", "exposed", "stock_size", "plays_left", "to_move")
                assert [getattr(seen, name) for name in same] == [getattr(view, name) for name in same]
                assert seen.legal_moves() == view.legal_moves()
                for side in range(len(view.rules.sides)):
                    assert len(seen.pile(side)) == len(view.pile(side))
                played = [move for move in view.moves if not move.is_declaration]
                assert [move for move in seen.moves if not move.is_declaration] == played[max(0, len(played) - plays) :]
                changed += seen != view
            state.play(state.random_move(rng))
    assert changed


def test_what_is_forgotten_may_be_anywhere() -> None:
    state = middle("scopone", 4, 12)
    view = state.view(state.seat)
    won = [view.pile_mask(side) for side in (0, 1)]
    times = 2000
    counts = dict.fromkeys(cards_of(won[0] | won[1] | view.unseen_mask), 0)
    for seed in range(times):
        for card in cards_of(forget(view, 0, sf.Rng(seed)).unseen_mask):
            counts[card] += 1
    share = view.unseen_mask.bit_count() / len(counts)
    spread = (times * share * (1 - share)) ** 0.5
    assert all(abs(count - times * share) < 4.5 * spread for count in counts.values())


def test_nothing_is_forgotten_of_the_last_plays() -> None:
    state = middle("scopone", 4, 12)
    view = state.view(state.seat)
    moves = view.moves
    last = next(i for i in range(len(moves) - 1, -1, -1) if moves[i].captured)
    side = view.rules.side_of[(view.to_move - len(moves) + last) % 4]
    won = moves[last].captured_mask | 1 << moves[last].card
    for seed in range(20):
        assert won & ~forget(view, len(moves) - last, sf.Rng(seed)).pile_mask(side) == 0
    assert {won & ~forget(view, len(moves) - last - 1, sf.Rng(seed)).pile_mask(side) for seed in range(20)} != {0}


def test_a_forgetful_player_plays_on_what_it_remembers() -> None:
    state = middle("scopone", 4, 12)
    view = state.view(state.seat)
    for seed in range(10):
        rng = sf.Rng(seed)
        expected = CsBot().choose(forget(view, 3, rng), rng)
        assert ForgetfulBot("cs", 3).choose(view, sf.Rng(seed)) == expected


# All of them.


def test_every_search_player_returns_what_it_found() -> None:
    for name in BOTS:
        bot: Any = find_bot(name)
        if hasattr(bot, "search"):
            found = bot.search(STATE if getattr(bot, "cheats", False) else VIEW, sf.Rng(1))
            assert isinstance(found, SearchResult) and found.move in VIEW.legal_moves()
