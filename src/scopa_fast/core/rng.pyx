"""The random number generator that callers own (docs/randomness.md)."""

from scopa_fast.core.rng cimport below, next64, permute, seed_stream, spawn

from scopa_fast.arguments import check_range, fresh_seed
from scopa_fast.errors import InvalidSeedError

from libc.stdint cimport uint8_t, uint64_t


cdef class Rng:
    """A SplitMix64 stream of random numbers that the caller owns (docs/randomness.md), one thread at a time.

    >>> Rng(1234567).next()
    6457827717110365317

    :raises InvalidSeedError: if the seed is outside 0 .. 2**64 - 1.
    """

    __hash__ = None

    def __init__(self, seed=None):
        self.stream = fresh_seed() if seed is None else check_range(seed, "seed", 0, (1 << 64) - 1, InvalidSeedError)

    @property
    def state(self):
        """The 64-bit state; ``Rng(rng.state)`` continues the same stream."""
        return self.stream

    def next(self):
        """Return the next 64 random bits as an int."""
        return next64(&self.stream)

    def below(self, n):
        """Return a number in 0..n-1, with a bias of at most n / 2**64.

        :raises ValueError: if n is not in 1..2**32.
        """
        return below(&self.stream, check_range(n, "n", 1, 1 << 32))

    def spawn(self, index):
        """Return the stream number ``index`` (0 .. 2**63) below this one; this one does not advance.

        :raises InvalidSeedError: if the index is out of range.
        """
        cdef Rng child = Rng.__new__(Rng)
        child.stream = spawn(self.stream, check_range(index, "index", 0, 1 << 63, InvalidSeedError))
        return child

    def shuffled(self, n):
        """Return the numbers 0..n-1 (n at most 256) in random order, all orders equally likely up to 2**-32.

        :raises ValueError: if n is not in 0..256.
        """
        cdef uint8_t pack[256]
        cdef int count = check_range(n, "n", 0, 256), i
        for i in range(count):
            pack[i] = <uint8_t>i
        permute(&self.stream, pack, count)
        return [pack[i] for i in range(count)]

    def __eq__(self, other):
        if not isinstance(other, Rng):
            return NotImplemented
        return self.stream == (<Rng>other).stream

    def __repr__(self):
        return f"Rng({self.stream})"

    def __reduce__(self):
        return (Rng, (self.stream,))


cdef uint64_t seed_stream(object seed) except? 0:
    """The stream of an int seed, or a fresh one for None."""
    if seed is None:
        return fresh_seed()
    if isinstance(seed, int):
        return check_range(seed, "seed", 0, (1 << 64) - 1, InvalidSeedError)
    raise TypeError(f"seed must be an int, an Rng or None, not {type(seed).__name__}: {seed!r}")


cdef uint64_t deal_stream(object seed, object index) except? 0:
    """The stream of deal number `index` under an int seed (or a fresh one)."""
    return spawn(seed_stream(seed), check_range(index, "index", 0, 1 << 63, InvalidSeedError))
