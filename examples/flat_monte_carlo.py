"""A small search bot: play out every move a few hundred times on the cards as they lie, and keep the best.

It looks at all hands, so it is a yardstick and not a fair player. ``python examples/flat_monte_carlo.py``.
"""

from __future__ import annotations

import scopa_fast as sf

PLAYOUTS = 200


def choose(state: sf.State, seed: int) -> sf.Move:
    """Return the move with the best mean margin for the side to move, in a game of two sides."""
    sign = 1 if state.side == 0 else -1
    best_move, best_margin = None, float("-inf")
    after = state.clone()
    for move in state.legal_moves():
        state.copy_into(after)
        after.play(move)
        margin = sign * sf.playouts(after, PLAYOUTS, seed).margin
        if margin > best_margin:
            best_move, best_margin = move, margin
    assert best_move is not None, "the deal is over"
    return best_move


def main() -> None:
    points = [0, 0]
    for deal in range(20):
        state, rng = sf.State("scopa", deal), sf.Rng(deal)
        while not state.is_terminal():
            state.play(choose(state, deal) if state.seat == 0 else state.random_move(rng))
        for side, total in enumerate(state.score().total):
            points[side] += total
    print(f"flat Monte Carlo {points[0]}, random {points[1]} points in 20 deals")


if __name__ == "__main__":
    main()
