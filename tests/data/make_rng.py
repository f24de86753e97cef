"""Print rng.json: reference vectors of the generator, written from docs/randomness.md and from nothing else."""

import json

M = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
SEEDS = [0, 1, 42, 1234567, 2**32, 2**63, 2**64 - 1]


def mix64(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M
    return z ^ (z >> 31)


def draws(seed, count):
    return [mix64((seed + k * GOLDEN) & M) for k in range(1, count + 1)]


def spawn(seed, i):
    return mix64((seed + (i + 1) * GOLDEN) & M)


def shuffled(seed, n):
    a, i = list(range(n)), n - 1
    for x in draws(seed, n):
        for _ in range(4):
            if i < 1:
                return a
            j, x = divmod(x * (i + 1), 2**64)
            a[i], a[j] = a[j], a[i]
            i -= 1
    return a


print(json.dumps({
    "next": {str(s): draws(s, 8) for s in SEEDS},
    "below": [[s, n, [(x * n) >> 64 for x in draws(s, 8)]] for s in SEEDS for n in (1, 2, 3, 10, 40, 6726, 2**31 + 1, 2**32)],
    "spawn": [[s, i, spawn(s, i)] for s in SEEDS for i in (0, 1, 2, 1000, 2**32, 2**63)],
    "shuffled": [[s, n, shuffled(s, n)] for s in SEEDS for n in (0, 1, 2, 5, 40, 52, 256)],
    "deck": [[s, i, n, shuffled(spawn(s, i), n)] for s in (0, 42, 2**64 - 1) for i in (0, 1, 99999) for n in (40, 52)],
}, indent=None, separators=(",", ":")).replace('],"', '],\n"').replace("]],", "]],\n"))
