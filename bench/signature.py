"""Is the engine still the same? Fixed seeds, one integer for each preset.

``python bench/signature.py`` prints four signatures and compares them with ``bench/signature.json``:

- *rules*: decks, legal moves, perft counts and the scores of games played by a fixed rule. It changes when a rule does.
- *playouts*: the points of random deals. It changes when the kernel draws its numbers differently, which is allowed
  when it is announced in the changelog.
- *values*: values and lines of solved positions. It changes when a rule does.
- *nodes*: the positions that solving them took, a plain number. It changes when the solver searches differently.

``--update`` writes the file anew. A commit that touches the kernel ends with the line this prints, or with "No functional change".
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import scopa_fast as sf

FILE = Path(__file__).with_suffix(".json")
SEEDS = range(8)
PERFT_DEPTH = 4
PLAYOUTS = 500
SOLVED_PLAYS = 16
"""Deals of nine and ten cards are solved from here."""


def fold(*parts: object) -> int:
    """Return 64 bits that depend on every part."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "little")


def sign_rules(preset: str) -> int:
    """Return the signature of deals, moves, perft and scores."""
    parts: list[object] = []
    for seed in SEEDS:
        new = sf.shuffled_deck(preset, seed)
        state = sf.State(preset, seed)
        parts += [new.deck, new.dealer, new.voids, state.key]
        if seed < 2:
            parts.append(state.perft(PERFT_DEPTH, declarations=True))
        while not state.is_terminal():
            moves = state.legal_move_ints()
            parts.append(moves)
            state.play(moves[state.key % len(moves)])
        parts += [str(state), sorted(state.score().points.items()), state.score().total]
    return fold(*parts)


def sign_playouts(preset: str) -> int:
    """Return the signature of the playout streams."""
    points = np.empty((PLAYOUTS, len(sf.find_rules(preset).sides)), np.int32)
    parts: list[object] = []
    for start in (preset, sf.State(preset, seed=1)):
        for policy in ("uniform", "card_first"):
            sf.playouts(start, PLAYOUTS, 1, policy=policy, declarations="uniform" if policy == "uniform" else "never", out=points)
            parts.append(points.tolist())
            sf.playouts(start, PLAYOUTS, 2, policy=policy, out=points)
            parts.append(points.tolist())
    return fold(*parts)


def solve_some(preset: str) -> tuple[int, int]:
    """Return the signature of values and lines, and the positions searched."""
    parts: list[object] = []
    nodes = 0
    for seed in SEEDS[:4]:
        state = sf.State(preset, seed)
        while state.rules.hand > 3 and state.plays_left > SOLVED_PLAYS:
            state.play_index(state.key % state.move_count())
        solution = sf.solve(state, megabytes=4)
        parts += [solution.value, [int(move) for move in solution.line]]
        nodes += solution.nodes
    return fold(*parts), nodes


def sign() -> dict[str, dict[str, int]]:
    """Return the signatures of every preset."""
    solved = {preset: solve_some(preset) for preset in sf.PRESETS if len(sf.find_rules(preset).sides) == 2}
    return {
        "rules": {preset: sign_rules(preset) for preset in sf.PRESETS},
        "playouts": {preset: sign_playouts(preset) for preset in sf.PRESETS},
        "values": {preset: values for preset, (values, _) in solved.items()},
        "nodes": {preset: nodes for preset, (_, nodes) in solved.items()},
    }


def differences(found: dict[str, dict[str, int]], wanted: dict[str, dict[str, int]]) -> list[str]:
    """Return a line for each signature that is not what the file says."""
    return [
        f"{kind} {preset}: {number}, not {wanted.get(kind, {}).get(preset, 'in the file')}"
        for kind, numbers in found.items()
        for preset, number in numbers.items()
        if wanted.get(kind, {}).get(preset) != number
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="write the file anew")
    options = parser.parse_args()
    found = sign()
    print(
        f"Bench: rules {fold(found['rules'])} playouts {fold(found['playouts'])} "
        f"values {fold(found['values'])} nodes {sum(found['nodes'].values())}"
    )
    if options.update:
        FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    lines = differences(found, json.loads(FILE.read_text(encoding="utf-8")))
    print("\n".join(lines) or "as in the file")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
