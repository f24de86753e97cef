"""The random numbers of the library: a SplitMix64 stream that the caller owns (docs/randomness.md)."""

from __future__ import annotations

from ..arguments import check_range, fresh_seed
from ..errors import InvalidSeedError
from ..position import GOLDEN, MASK64, mix64

__all__ = ["Rng", "SeedLike", "stream_under"]


class Rng:
    """A SplitMix64 stream of random numbers that the caller owns (docs/randomness.md), one thread at a time.

    >>> Rng(1234567).next()
    6457827717110365317

    :raises InvalidSeedError: if the seed is outside 0 .. 2**64 - 1.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int | None = None) -> None:
        self._state = fresh_seed() if seed is None else check_range(seed, "seed", 0, MASK64, InvalidSeedError)

    @property
    def state(self) -> int:
        """The 64-bit state; ``Rng(rng.state)`` continues the same stream."""
        return self._state

    def next(self) -> int:
        """Return the next 64 random bits as an int."""
        self._state = (self._state + GOLDEN) & MASK64
        return mix64(self._state)

    def below(self, n: int) -> int:
        """Return a number in 0..n-1, with a bias of at most n / 2**64.

        :raises ValueError: if n is not in 1..2**32.
        """
        return (self.next() * check_range(n, "n", 1, 2**32)) >> 64

    def spawn(self, index: int) -> Rng:
        """Return the stream number ``index`` (0 .. 2**63) below this one; this one does not advance.

        :raises InvalidSeedError: if the index is out of range.
        """
        check_range(index, "index", 0, 2**63, InvalidSeedError)
        return Rng(mix64((self._state + (index + 1) * GOLDEN) & MASK64))

    def shuffled(self, n: int) -> list[int]:
        """Return the numbers 0..n-1 (n at most 256) in random order, all orders equally likely up to 2**-32.

        :raises ValueError: if n is not in 0..256.
        """
        order = list(range(check_range(n, "n", 0, 256)))
        draw = 0
        for step, i in enumerate(range(n - 1, 0, -1)):
            if step % 4 == 0:  # one draw serves four steps: its high part is the place, its low part what is left of it
                draw = self.next()
            place, draw = divmod(draw * (i + 1), 2**64)
            order[i], order[place] = order[place], order[i]
        return order

    def __eq__(self, other: object) -> bool:
        return self._state == other._state if isinstance(other, Rng) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Rng({self._state})"

    def __reduce__(self) -> tuple[type[Rng], tuple[int]]:
        return (Rng, (self._state,))


SeedLike = int | Rng | None
"""What every function takes for a seed: an int, a stream, or None for fresh randomness."""


def stream_under(seed: int | None) -> Rng:
    """Return the stream under which the deals of an int seed have theirs, a fresh one for None.

    :raises InvalidSeedError: if the seed is out of range.
    """
    if seed is not None and not isinstance(seed, int):
        raise TypeError(f"seed must be an int, an Rng or None, not {type(seed).__name__}: {seed!r}")
    return Rng(seed)
