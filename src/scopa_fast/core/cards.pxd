# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# Card masks: bit `(value - 1) * 4 + suit` (DECK-8), so a rank is a nibble and a suit every fourth bit.
#
#   bit  51 .. 48 | ... | 7  6  5  4 | 3  2  1  0
#        king (52 card pack)   twos     aces         suits B S C D within each nibble
from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
      #error "scopa_fast counts sets in the bytes of a word and needs a little-endian machine"
    #endif
    #if defined(_MSC_VER)
      #include <intrin.h>
      #define SCOPA_FAST_POPCOUNT 1
      static __forceinline int scopa_popcount(uint64_t x) { return (int)__popcnt64(x); }
      static __forceinline int scopa_lowest(uint64_t x) { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
      static __forceinline uint64_t scopa_mulhi(uint64_t a, uint64_t b) { return __umulh(a, b); }
      static __forceinline uint64_t scopa_digit(uint64_t *draw, uint64_t n) {
          uint64_t high; *draw = _umul128(*draw, n, &high); return high;
      }
    #else
      #if defined(__POPCNT__) || !defined(__x86_64__)
        #define SCOPA_FAST_POPCOUNT 1
        static inline int scopa_popcount(uint64_t x) { return __builtin_popcountll(x); }
      #else
        #define SCOPA_FAST_POPCOUNT 0
        static inline int scopa_popcount(uint64_t x) {
            x -= x >> 1 & 0x5555555555555555ULL;
            x = (x & 0x3333333333333333ULL) + (x >> 2 & 0x3333333333333333ULL);
            x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
            return (int)(x * 0x0101010101010101ULL >> 56);
        }
      #endif
      static inline int scopa_lowest(uint64_t x) { return __builtin_ctzll(x); }
      static inline uint64_t scopa_mulhi(uint64_t a, uint64_t b) { return (uint64_t)(((unsigned __int128)a * b) >> 64); }
      static inline uint64_t scopa_digit(uint64_t *draw, uint64_t n) {
          unsigned __int128 product = (unsigned __int128)*draw * n;
          *draw = (uint64_t)product;
          return (uint64_t)(product >> 64);
      }
    #endif
    #if defined(__GNUC__)
      #define scopa_unlikely(x) __builtin_expect(!!(x), 0)
    #else
      #define scopa_unlikely(x) (x)
    #endif
    /* Every fourth bit, packed together: the ranks of one suit. */
    #if defined(__BMI2__)
      #include <immintrin.h>
      static inline unsigned scopa_every_fourth(uint64_t x) { return (unsigned)_pext_u64(x, 0x1111111111111ULL); }
    #else
      static inline unsigned scopa_every_fourth(uint64_t x) {
          x &= 0x1111111111111ULL;
          x = (x | x >> 3) & 0x0303030303030303ULL;
          x = (x | x >> 6) & 0x000F000F000F000FULL;
          x = (x | x >> 12) & 0x000000FF000000FFULL;
          return (unsigned)((x | x >> 24) & 0xFFFF);
      }
    #endif
    #define COINS_MASK   0x1111111111111ULL
    #define SETTEBELLO_BIT (1ULL << 24)
    #define MATTA_BIT      (1ULL << 25)
    /* Cards whose value has this binary digit. */
    #define VALUES_1 0x0F0F0F0F0F0F0FULL
    #define VALUES_2 0x000FF00FF00FF0ULL
    #define VALUES_4 0x0FF0000FFFF000ULL
    #define VALUES_8 0x0FFFFFF0000000ULL
    """
    int popcount "scopa_popcount"(uint64_t mask) noexcept nogil       # number of cards
    bint SCOPA_FAST_POPCOUNT                                          # whether that is one instruction
    int lowest "scopa_lowest"(uint64_t mask) noexcept nogil           # index of the lowest card; the mask must not be empty
    uint64_t mulhi "scopa_mulhi"(uint64_t a, uint64_t b) noexcept nogil  # high word of a 64 x 64 bit product
    uint64_t take_digit "scopa_digit"(uint64_t* draw, uint64_t n) noexcept nogil  # 0..n-1; what is left of the draw stays
    unsigned every_fourth "scopa_every_fourth"(uint64_t mask) noexcept nogil  # the ranks of the coins; shift for other suits
    bint unlikely "scopa_unlikely"(bint) noexcept nogil
    const uint64_t COINS_MASK, SETTEBELLO_BIT, MATTA_BIT, VALUES_1, VALUES_2, VALUES_4, VALUES_8

cdef enum:
    MATTA = 25          # the seven of cups, wild in Cirulla (CIR-5)
    MAX_CARDS = 52
    MAX_RANKS = 13
    MAX_SEATS = 8

    # A move as the class Move packs it.
    CARD_SHIFT = 52
    KIND_SHIFT = 58
    DECK_SHIFT = 60
    KIND_PLAY = 0
    KIND_TO_PILE = 1
    KIND_DECLARE = 2


cdef inline uint64_t bit(int card) noexcept nogil:
    return <uint64_t>1 << card


cdef inline int value_of(int card, int matta) noexcept nogil:
    """Capture value of a card; `matta` is the rank the 7C was declared as, 0 if it was not (CIR-6)."""
    return matta if matta != 0 and card == MATTA else (card >> 2) + 1


cdef inline int nibble(uint64_t mask, int value) noexcept nogil:
    """The suits, as four bits, in which a mask holds a rank."""
    return <int>(mask >> ((value - 1) * 4)) & 15


cdef inline int rank_sum(uint64_t mask) noexcept nogil:
    """Sum of the capture values of a mask's cards: one popcount for each binary digit of a value."""
    return (popcount(mask & VALUES_1) + 2 * popcount(mask & VALUES_2)
            + 4 * popcount(mask & VALUES_4) + 8 * popcount(mask & VALUES_8))


cdef inline int rank_set(uint64_t mask) noexcept nogil:
    """The ranks in which a mask holds any card, one bit each, the ace lowest."""
    mask |= mask >> 1
    return <int>every_fourth(mask | mask >> 2)


cdef inline uint64_t repeated_cards(uint64_t mask) noexcept nogil:
    """The cards of a mask that are not the lowest of their rank: those with a suit before them in their nibble."""
    return mask & ((mask << 1 & <uint64_t>0xEEEEEEEEEEEEEEEE) | (mask << 2 & <uint64_t>0xCCCCCCCCCCCCCCCC)
                   | (mask << 3 & <uint64_t>0x8888888888888888))


cdef inline bint has_repeats(uint64_t mask, int ranks) noexcept nogil:
    """Whether a mask holds two cards of a rank; `ranks` is its rank set."""
    if SCOPA_FAST_POPCOUNT:
        return popcount(mask) != popcount(ranks)
    return repeated_cards(mask) != 0


cdef inline int suits_in(int nibble) noexcept nogil:
    """Number of bits of a nibble."""
    return <int>(<uint64_t>0x4332322132212110 >> (4 * nibble)) & 15
