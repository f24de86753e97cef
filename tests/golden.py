"""The golden files: perft counts and readable playthroughs of every preset, what they hold and how they are written.

``python tests/golden.py`` writes all of them anew into ``tests/data``; the difference is then a change of rules to review.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from types import ModuleType
from typing import Any

import scopa_fast
from scopa_fast import PRESETS, TITLES, find_rules, format_cards, format_option

__all__ = ["PERFT", "PLAYTHROUGHS", "expected_perft", "perft_lines", "playthrough_lines"]

DATA = Path(__file__).parent / "data"
PERFT, PLAYTHROUGHS = DATA / "perft", DATA / "playthroughs"

PERFT_SEEDS = (1, 2, 3)
MOST_SEQUENCES = 200_000
"""Perft counts stop at the first depth with more sequences than this, so that each takes well under a second."""

PLAYTHROUGH_SEEDS = {
    "scopa": 4, "scopa_3": 6, "scopa_4": 7, "scopa_6": 146, "scopa_8": 134, "scopa_americana": 4, "scopa_calabrese": 4,
    "scopa_napoletana": 45, "scopa_libica_rank": 4, "scopa_libica_count": 69, "scopa_assi": 250, "scopa_assi_10": 9,
    "scopa_quindici": 250, "scopone": 29, "scopone_scientifico": 11, "scopone_trentino": 100, "scopone_re_bello": 29,
    "scopone_meridionale": 29, "milanese": 18, "cirulla_2": 261, "cirulla_3": 246, "cirulla_4": 29, "escoba_2": 200,
    "escoba_3": 34, "escoba_4": 106, "asso_piglia_tutto_2": 290, "asso_piglia_tutto_4": 18,
}  # fmt: skip
"""The deal that is played through: one of those with the most to show, such as void deals, table bonuses, declarations and scope."""


# -- perft -------------------------------------------------------------------------------


def perft_lines(name: str) -> list[str]:
    """Return the file of perft counts of a preset: for each seed its position, then depth and number of sequences."""
    rules = find_rules(name)
    lines = [
        f"# Perft of {TITLES[name]} ({name}): the number of move sequences of each length from the deals of three seeds.",
        "# Lines of a depth and a count; the third number, where there is one, counts declarations as moves, too.",
    ]
    for seed in PERFT_SEEDS:
        state = scopa_fast.State(name, seed)
        lines += ["", f"seed {seed}: {state}"]
        for depth in range(1, rules.plays + 1):
            counts = [state.perft(depth)]
            if rules.hand_bonus:
                counts.append(state.perft(depth, declarations=True))
            lines.append(" ".join(map(str, (depth, *counts))))
            if counts[0] > MOST_SEQUENCES:
                break
    return lines


def expected_perft(name: str) -> list[tuple[int, str, int, list[int]]]:
    """Return the seed, position, depth and counts of each line of a preset's file."""
    found, seed, text = [], 0, ""
    for line in (PERFT / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("seed "):
            head, _, text = line.partition(": ")
            seed = int(head.removeprefix("seed "))
        elif line and not line.startswith("#"):
            depth, *counts = map(int, line.split())
            found.append((seed, text, depth, counts))
    return found


# -- playthroughs ------------------------------------------------------------------------


def playthrough_lines(engine: ModuleType, name: str) -> list[str]:
    """Return a deal of a preset, played at random on an engine, as a person would want to read it."""
    seed = PLAYTHROUGH_SEEDS.get(name, 1)
    rules = find_rules(name)
    new = engine.shuffled_deck(name, seed)
    state = engine.State(name, seed)
    rng = engine.Rng(seed)
    sides = ", ".join(f"side {side} = seat{'s' * (len(seats) > 1)} {' '.join(map(str, seats))}" for side, seats in enumerate(rules.sides))
    options = {option: value for option, value in rules.options().items() if option in PRESETS[name]}
    lines = [
        f"{TITLES[name]} ({name}), deal of seed {seed}, played at random",
        f"options: {' '.join(f'{option}={format_option(value)}' for option, value in options.items()) or 'all as usual'}",
        f"pack {rules.deck}, {rules.seats} seats, {sides}",
        f"{rules.rounds} round{'s' * (rules.rounds > 1)} of {rules.hand} cards each, {rules.plays} plays, {rules.table} cards on the table",
        f"deck: {''.join(engine.format_card(card, rules.deck) for card in new.deck)}",
        f"dealer: seat {state.dealer}, after {state.voids} void deals",
    ]
    dealt = engine.deal(name, new.deck, new.dealer)
    if dealt.table_bonus:
        lines.append(f"table bonus: side {rules.side_of[state.dealer]} takes {dealt.table} for {dealt.table_bonus} (CIR-7, ESC-1)")
    number = 0
    while not state.is_terminal():
        moves = state.legal_moves()
        if state.plays_left % (rules.seats * rules.hand) == 0 and not state.exposed:
            lines += ["", f"=== round {1 + number // (rules.seats * rules.hand)} ==="]
        move = moves[rng.below(len(moves))]
        number += not move.is_declaration
        lines += ["", *_position_lines(state, number)]
        lines.append(f"  legal  {' '.join(map(str, moves))}")
        lines.append(f"  plays  {move}{_effect(state, move)}")
        state.play(move)
    lines += ["", "=== the end ===", ""]
    for side in range(len(rules.sides)):
        lines.append(f"  pile {side} {state.pile(side)}")
    lines += [f"  {line}" for line in state.score().explain()]
    lines.append(f"  key    {state.key:#018x}")
    return lines


def _position_lines(state: Any, number: int) -> list[str]:
    """Draw a position."""
    lines = [f"{number}. seat {state.seat} of side {state.side}"]
    lines.append(f"  table  {state.table}{'' if state.matta is None else f'   (the 7C stands for a {state.matta})'}")
    for seat in range(state.rules.seats):
        marks = " <" * (seat == state.seat) + " exposed" * (seat in state.exposed)
        lines.append(f"  hand {seat} {state.hand(seat)}{marks}")
    piles = " ".join(f"{side}: {len(state.pile(side))}" for side in range(len(state.rules.sides)))
    last = "nobody" if state.last_capturer is None else f"side {state.last_capturer}"
    bonus = f", declared {'-'.join(map(str, state.bonus))}" if any(state.bonus) else ""
    lines.append(f"  piles  {piles}, scope {'-'.join(map(str, state.scope))}{bonus}, stock {state.stock_size}, last capture by {last}")
    return lines


def _effect(state: Any, move: Any) -> str:
    """Say in words what a move does."""
    if move.is_declaration:
        return f", which declares {move.points} points"
    if move.kind == "to_pile":
        return ", which goes to the pile"
    if move.kind == "lay":
        return ", which stays on the table"
    return f", which takes {format_cards(move.captured_mask, state.rules.deck)}" + (": scopa!" if state.is_scopa(move) else "")


def main() -> None:
    """Write every golden file anew."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    for directory, lines_of in ((PERFT, perft_lines), (PLAYTHROUGHS, lambda name: playthrough_lines(scopa_fast, name))):
        directory.mkdir(exist_ok=True)
        for old in directory.glob("*.txt"):
            old.unlink()
        for name in PRESETS:
            (directory / f"{name}.txt").write_text("\n".join(lines_of(name)) + "\n", encoding="utf-8")
        print(f"{directory}: {len(PRESETS)} files")


if __name__ == "__main__":
    main()
