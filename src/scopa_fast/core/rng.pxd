# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# SplitMix64, as docs/randomness.md publishes it. A stream is one 64-bit word that the caller owns.
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from scopa_fast.core.cards cimport mulhi, take_digit

cdef extern from *:
    """
    #define GOLDEN 0x9E3779B97F4A7C15ULL
    static const uint8_t SORTED_PACK[56] = {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
        28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55};
    """
    const uint64_t GOLDEN
    const uint8_t SORTED_PACK[56]

cdef enum:
    DECK_ROOM = 64      # bytes of a buffer for a deck: a whole pack and what is written or read beyond it


cdef inline uint64_t mix64(uint64_t value) noexcept nogil:
    """The SplitMix64 finaliser, a bijection."""
    value = (value ^ (value >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    value = (value ^ (value >> 27)) * <uint64_t>0x94D049BB133111EB
    return value ^ (value >> 31)


cdef inline uint64_t next64(uint64_t* stream) noexcept nogil:
    """The next 64 random bits."""
    stream[0] += GOLDEN
    return mix64(stream[0])


cdef inline uint64_t below(uint64_t* stream, uint64_t n) noexcept nogil:
    """A number in 0..n-1 (n from 1), with a bias of at most n / 2**64."""
    return mulhi(next64(stream), n)


cdef inline uint64_t spawn(uint64_t stream, uint64_t index) noexcept nogil:
    """The start of the stream number `index` below this one."""
    return mix64(stream + (index + 1) * GOLDEN)


cdef inline void swap_down(uint64_t* draw, uint8_t* cards, size_t i) noexcept nogil:
    """Swap card i with one of the cards 0..i, chosen by the draw, and leave what is left of the draw."""
    cdef uint8_t* other = cards + take_digit(draw, i + 1)
    cdef uint8_t card = cards[i]
    cards[i] = other[0]
    other[0] = card


cdef inline void permute(uint64_t* stream, uint8_t* cards, size_t n) noexcept nogil:
    """Put n cards (at most 256) in random order. Four swaps share a draw: each takes the high word of draw * choices
    and leaves the low word, still uniform, to the next."""
    cdef size_t i = n - 1
    cdef uint64_t draw
    if n < 2:
        return
    while i >= 4:
        draw = next64(stream)
        swap_down(&draw, cards, i)
        swap_down(&draw, cards, i - 1)
        swap_down(&draw, cards, i - 2)
        swap_down(&draw, cards, i - 3)
        i -= 4
    if i:
        draw = next64(stream)
        while i:
            swap_down(&draw, cards, i)
            i -= 1


cdef inline void shuffle(uint64_t* stream, uint8_t* deck, int n) noexcept nogil:
    """Fill a buffer of DECK_ROOM bytes with the cards 0..n-1 in random order."""
    memcpy(deck, SORTED_PACK, 56)
    permute(stream, deck, n)


cdef class Rng:
    cdef uint64_t stream


cdef uint64_t seed_stream(object seed) except? 0
cdef uint64_t deal_stream(object seed, object index) except? 0
