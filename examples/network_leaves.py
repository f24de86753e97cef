"""How a network is plugged into the search: leaves come in batches of arrays, rewards go back in one.

The "network" here is a linear one with fixed weights: it values the cards that each side has won.
"""

import numpy as np

import scopa_fast as sf

WORTH = np.ones(40)
WORTH[24:28] += 3  # sevens
WORTH[24] += 10  # the settebello
WORTH[0::4] += 1  # coins


def evaluate(leaves):
    won = leaves.planes()[:, -2:, :].astype(np.float32) @ WORTH / 10
    ahead = won[:, 0] - won[:, 1] + leaves.scope[:, 0] - leaves.scope[:, 1]
    return np.stack([ahead, -ahead], axis=1)


view = sf.State("scopone", seed=3).view(0)
found = sf.ismcts(view, iterations=20_000, evaluate=evaluate, batch=256, trees=4, seed=1)
for entry in sorted(found.moves, key=lambda entry: -entry.visits)[:3]:
    print(f"{entry.move!s:12} {entry.visits:6} visits, mean {entry.mean:+.2f}")
