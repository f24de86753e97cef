# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The table of proven results: where a proof is kept and how it is found again.
#
# A position is looked up by its ranks alone: how many cards of each rank lie in each hand and on the table. All that was
# proven about such positions is in one bucket, a cache line of four entries of two words:
#
#   rests   | last 2 | least coins 4 | least cards 6 | more of the signature 12, with 40 cards | cards that matter 40 or 52 |
#   proven  | tag 8 | signature 45 | points + OFFSET 10 | side 1 |
#
# The signature is a hash of the bucket's position, of the places of the cards that matter, and of `rests`: an entry that
# another thread has half overwritten does not match. The tag is the position's own, for a first look.
from libc.stdint cimport uint64_t

from scopa_fast.core.cards cimport COINS_MASK, MAX_RANKS, MAX_SEATS, lowest, popcount, unlikely
from scopa_fast.core.position cimport GameState
from scopa_fast.core.proof cimport NONE, OWN, Proof
from scopa_fast.core.rules cimport RuleSet

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(_MSC_VER)
      static __forceinline uint64_t scopa_fold(uint64_t a, uint64_t b) {
          uint64_t high, low = _umul128(a, b, &high); return high ^ low;
      }
      #define scopa_load(p) (*(volatile uint64_t *)(p))
      #define scopa_store(p, x) (*(volatile uint64_t *)(p) = (x))
      #define scopa_prefetch(p)
    #else
      static inline uint64_t scopa_fold(uint64_t a, uint64_t b) {
          unsigned __int128 product = (unsigned __int128)a * b;
          return (uint64_t)product ^ (uint64_t)(product >> 64);
      }
      #define scopa_load(p) __atomic_load_n((p), __ATOMIC_RELAXED)
      #define scopa_store(p, x) __atomic_store_n((p), (x), __ATOMIC_RELAXED)
      #define scopa_prefetch(p) __builtin_prefetch(p)
    #endif
    """
    uint64_t fold "scopa_fold"(uint64_t a, uint64_t b) noexcept nogil     # both words of a product, folded into one
    uint64_t load "scopa_load"(const uint64_t* place) noexcept nogil      # words that other threads read and write
    void store "scopa_store"(uint64_t* place, uint64_t value) noexcept nogil
    void prefetch "scopa_prefetch"(const void* place) noexcept nogil

cdef extern from *:
    """
    #define ALL_CARDS 0xFFFFFFFFFFFFFULL
    """
    const uint64_t ALL_CARDS

cdef enum:
    WAYS = 4
    WORDS = 2 * WAYS        # of a bucket
    CARDS_BITS = 52
    SIGNATURE_SHIFT = 11
    TAG_SHIFT = 56
    POINTS_OFFSET = 512
    POINTS_MASK = 1023

ctypedef struct Entry:
    uint64_t rests
    uint64_t proven

ctypedef struct Bucket:
    Entry entries[WAYS]

# Random numbers for a card of a rank at a place.
ctypedef struct Terms:
    uint64_t hands[MAX_SEATS][MAX_RANKS]
    uint64_t table[MAX_RANKS]

ctypedef struct Table:
    Bucket* buckets         # a power of two of them, or NULL
    uint64_t mask           # their number less one
    int deep_plies          # plays left from which positions have a sixteenth of the table for themselves


cdef size_t buckets_of(object megabytes) except? 0


cdef class SolverTable:
    cdef readonly int megabytes     # as asked for
    cdef object words               # WORDS for each bucket, and a bucket more to align them
    cdef Bucket* buckets
    cdef size_t count
    cdef bint busy

    cdef int make(self, size_t count) except -1
    cdef object used(self, size_t count)
    cdef int take(self) except -1
    cdef object read(self, path, kind, wanted)


cdef inline Bucket* bucket_of(const Table* table, uint64_t key, int plies) noexcept nogil:
    """The bucket of a position. The deepest results of a long search are few, took longest and are what it goes on from after a
    stop: they have the last sixteenth of the table, where short proofs cannot push them out."""
    cdef uint64_t share
    key &= table.mask
    if unlikely(table.deep_plies):
        share = (table.mask + 1) >> 4
        if plies >= table.deep_plies:
            key |= 15 * share
        elif key >= 15 * share:
            key ^= 8 * share
    return &table.buckets[key]


cdef inline uint64_t hash_cards(const uint64_t* terms, uint64_t cards) noexcept nogil:
    """The sum of the terms of some cards' ranks."""
    cdef uint64_t total = 0
    while cards:
        total += terms[lowest(cards) >> 2]
        cards &= cards - 1
    return total


cdef inline uint64_t hash_ranks(const RuleSet* rules, const GameState* state, const Terms* terms) noexcept nogil:
    """The hash of how many cards of each rank lie in each hand and on the table: a sum, so that moves can update it."""
    cdef int seat
    cdef uint64_t total = hash_cards(terms.table, state.table)
    for seat in range(rules.seats):
        total += hash_cards(terms.hands[seat], state.cards[seat])
    return total


cdef inline uint64_t turn_bits(const GameState* state, int seat) noexcept nogil:
    """What tells positions of the same ranks apart: whose turn it is, and what was declared."""
    return <uint64_t>seat | <uint64_t>state.matta << 8 | <uint64_t>state.exposed << 16 | <uint64_t>state.stock_left << 24


cdef inline uint64_t position_key(uint64_t hashed, uint64_t turn, uint64_t salt) noexcept nogil:
    """What finds a position's bucket; `salt` holds what a deal does not change: rules, dealer, stock."""
    return fold(hashed ^ salt, turn ^ <uint64_t>0xA0761D6478BD642F)


cdef inline uint64_t signature(
    const RuleSet* rules, const GameState* state, uint64_t key, uint64_t rests, int side
) noexcept nogil:
    """The signature of an entry, whose `rests` is without its part of it."""
    cdef int seat
    cdef uint64_t cards = rests & rules.pack
    key ^= fold((state.table & cards) ^ <uint64_t>0x589965CC75374CC3, rests ^ <uint64_t>0x1D8E4E27C47D124F)
    key = fold(key, (state.cards[rules.seats + side] & cards) ^ <uint64_t>0xEB44ACCAB455D165)
    for seat in range(0, rules.seats, 2):
        key ^= fold((state.cards[seat] & cards) ^ <uint64_t>0xA0761D6478BD642F + <uint64_t>seat * <uint64_t>0x9E3779B97F4A7C15,
                    (state.cards[seat + 1] & cards) ^ <uint64_t>0xE7037ED1A0B428DB)
    return key


cdef inline uint64_t tagged(uint64_t key, uint64_t signed) noexcept nogil:
    """The upper bits of `proven`."""
    return key >> TAG_SHIFT << TAG_SHIFT | signed >> SIGNATURE_SHIFT << SIGNATURE_SHIFT & <uint64_t>0x00FFFFFFFFFFFFFF


cdef inline uint64_t spare_part(const RuleSet* rules, uint64_t signed) noexcept nogil:
    """The part of a signature that fits above the cards of `rests`."""
    return signed << 40 & ALL_CARDS & ~rules.pack


cdef inline bint find_proof(
    const Table* table, const RuleSet* rules, const GameState* state, uint64_t key, int plies, int side, int need, bint* won, Proof* proof
) noexcept nogil:
    """Whether the table proves that a side gets at least `need` points, or that it does not; fills `won` and the proof."""
    cdef Bucket* bucket = bucket_of(table, key, plies)
    cdef uint64_t rests, proven, signed, spare
    cdef int i, owner, points, least, last
    for i in range(WAYS):
        proven = load(&bucket.entries[i].proven)
        if (proven ^ key) >> TAG_SHIFT:
            continue
        owner = proven & 1
        points = <int>(proven >> 1 & POINTS_MASK) - POINTS_OFFSET
        if points < (need if owner == side else 1 - need):
            continue
        rests = load(&bucket.entries[i].rests)
        least = rests >> CARDS_BITS & 63
        if least and popcount(state.cards[rules.seats + owner]) < least:
            continue
        least = rests >> (CARDS_BITS + 6) & 15
        if least and popcount(state.cards[rules.seats + owner] & COINS_MASK) < least:
            continue
        last = rests >> (CARDS_BITS + 10) & 3
        if last == OWN and state.last != owner:
            continue
        if last == NONE and state.last < 2:
            continue
        spare = rests & ALL_CARDS & ~rules.pack
        rests ^= spare
        signed = signature(rules, state, key, rests, owner)
        if spare_part(rules, signed) != spare or tagged(key, signed) != proven >> SIGNATURE_SHIFT << SIGNATURE_SHIFT:
            continue
        won[0] = owner == side
        proof.cards = rests & rules.pack
        proof.least_cards = rests >> CARDS_BITS & 63
        proof.least_coins = rests >> (CARDS_BITS + 6) & 15
        proof.last = last
        return True
    return False


cdef inline void keep_proof(
    const Table* table, const RuleSet* rules, const GameState* state, uint64_t key, int plies, int owner, int points, const Proof* proof
) noexcept nogil:
    """Keep the proof that a side gets at least some points."""
    cdef Bucket* bucket = bucket_of(table, key, plies)
    cdef uint64_t rests, proven
    cdef int i
    rests = (proof.cards | <uint64_t>proof.least_cards << CARDS_BITS | <uint64_t>proof.least_coins << (CARDS_BITS + 6)
             | <uint64_t>proof.last << (CARDS_BITS + 10))
    proven = signature(rules, state, key, rests, owner)
    rests |= spare_part(rules, proven)
    proven = tagged(key, proven) | <uint64_t>(points + POINTS_OFFSET) << 1 | <uint64_t>owner
    # The newest first; the oldest of the bucket goes.
    for i in range(WAYS - 1, 0, -1):
        store(&bucket.entries[i].rests, load(&bucket.entries[i - 1].rests))
        store(&bucket.entries[i].proven, load(&bucket.entries[i - 1].proven))
    store(&bucket.entries[0].rests, rests)
    store(&bucket.entries[0].proven, proven)


cdef inline int hint(const Table* table, uint64_t key, int plies, int side, int need) noexcept nogil:
    """In how many results on positions with the same ranks the side gets at least `need` points, less in how many it does not."""
    cdef const Bucket* bucket = bucket_of(table, key, plies)
    cdef uint64_t proven
    cdef int i, points, found = 0
    for i in range(WAYS):
        proven = load(&bucket.entries[i].proven)
        if (proven ^ key) >> TAG_SHIFT == 0:
            points = <int>(proven >> 1 & POINTS_MASK) - POINTS_OFFSET
            if proven & 1 == <uint64_t>side:
                found += points >= need
            else:
                found -= points >= 1 - need
    return found
