"""Play a deal at random to its last cards, then show what each move is worth and how best play ends.

Any ruleset of two sides, a seed, and how many cards are left: ``python examples/solve_endgame.py scopone_scientifico 4 16``.
"""

from __future__ import annotations

import sys

import scopa_fast as sf


def main(rules: str = "scopone_scientifico", seed: str = "4", cards: str = "16") -> None:
    state, rng = sf.State(rules, int(seed)), sf.Rng(int(seed))
    while state.plays_left > int(cards):
        state.play(state.random_move(rng))
    table = sf.SolverTable(megabytes=16)  # what the first search finds is there for the second
    found = sf.solve_moves(state, table=table)
    print(f"{state}\nside {state.side} to move; values are points of side 0 minus side 1")
    for value in found.moves:
        print(f"{value.move!s:16} {value.value:+d}{'  best' if value.best else ''}")
    for move in sf.solve(state, table=table).line:
        print(f"seat {state.seat} plays {move}{'  scopa!' if state.is_scopa(move) else ''}")
        state.play(move)
    print(*state.score().explain(), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
