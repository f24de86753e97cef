"""Play one random deal of any ruleset and print it move by move: ``python examples/random_game.py scopone 7``."""

from __future__ import annotations

import sys

import scopa_fast as sf


def main(rules: str = "scopa", seed: str = "1") -> None:
    state = sf.State(rules, int(seed))
    rng = sf.Rng(int(seed))
    while not state.is_terminal():
        move = sf.Move(state.random_move(rng))
        scopa = "  scopa!" if state.is_scopa(move) else ""
        print(f"{state.table!s:40} seat {state.seat} plays {move}{scopa}")
        state.play(move)
    print(*state.score().explain(), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
