# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# Monte Carlo tree search: one tree, and what it needs to grow. seeker.pyx grows it, search.pyx is the door.
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from scopa_fast.core.batch cimport Job
from scopa_fast.core.cards cimport MAX_SEATS
from scopa_fast.core.kernel cimport Run
from scopa_fast.core.position cimport GameState
from scopa_fast.core.values cimport Values
from scopa_fast.core.worlds cimport Orders, Unseen

cdef enum:
    OWN_POINTS = 0          # Seek.reward
    DIFFERENCE = 1
    WIN = 2
    WIN_SHARE = 3
    MATCH = 4
    RANDOM = 0              # Seek.playout
    CARD_RANDOM = 1
    EPS_GREEDY = 2
    LINE = 64               # bytes of a cache line
    MAX_PATH = 128          # moves of a deal, declarations included

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <string.h>
    enum { KIN = 8, NO_CARD = 63, DECLARED_CARD = 62 };

    /* Moves that were tried from one position, or information set, eight at a time. Together with what is known of each, and of
       where it leads. Entries that are free have NO_CARD, which no hand holds. */
    typedef struct {
        uint8_t card[KIN];          /* DECLARED_CARD for a declaration */
        float mean[KIN];            /* total / visits */
        float inverse[KIN];         /* 1 / visits */
        uint32_t available[KIN];    /* how often the move could have been chosen */
        uint64_t complete;          /* of the first of a position: cards of which all moves are here, or in those that follow */
        uint32_t next;              /* number of the next ones of the same position, 0 for none */
        uint32_t n;
        uint64_t move[KIN];
        double total[KIN];          /* rewards of the side that made the move */
        uint32_t visits[KIN];
        uint32_t kids[KIN];         /* number of the first ones after the move, 0 for none */
        uint64_t padding;           /* five cache lines; what a scan reads is in the first two */
    } Kids;

    /* The natural logarithm of a number from 1 on, to three digits, by operations that are the same on every machine. */
    static inline float scopa_log(uint32_t n) {
        float f = (float)(int32_t)n, m;
        int32_t bits, low;
        memcpy(&bits, &f, 4);
        low = (bits & 0x7FFFFF) | 0x3F800000;
        memcpy(&m, &low, 4);
        m -= 1.0f;
        return 0.693147f * ((float)((bits >> 23) - 127) + m * (1.4249f + m * (-0.5857f + m * 0.1608f)));
    }

    #if defined(__GNUC__)
      #define SCOPA_ALONE __restrict
      #define SCOPA_APART __attribute__((noinline))     /* where it is inlined it makes no vectors */
    #else
      #define SCOPA_ALONE
      #define SCOPA_APART
    #endif

    static inline void scopa_prefetch_kids(const Kids *k) {
    #if defined(__GNUC__)
        __builtin_prefetch(k);
        __builtin_prefetch((const char *)k + 64);
    #endif
    }

    /* A number for an entry that is larger the better its bound is, and of equal bounds the earlier the entry. Its low bits are the
       entry's, for which the bound loses three of its twenty-four, so that one maximum finds both. */
    static inline int32_t scopa_rank(float bound, int i) {
        int32_t bits;
        memcpy(&bits, &bound, 4);
        bits ^= (bits >> 31) & 0x7FFFFFFF;     /* the order of floats is now that of integers */
        return (bits & ~(KIN - 1)) | (KIN - 1 - i);
    }
    static inline int scopa_entry(int32_t rank) { return KIN - 1 - (rank & (KIN - 1)); }

    /* Note that these moves could have been chosen, as far as their card is playable; return the largest rank of their upper
       confidence bounds. `log_n` is the logarithm for all, or negative if each has its own. There is no branch in the loops, as
       which cards a hand holds is a toss: compilers make vectors of them. */
    static SCOPA_APART int32_t scopa_scan(Kids *SCOPA_ALONE k, uint64_t playable, float explore, float log_n) {
        uint32_t held[KIN];
        int32_t rank[KIN], best = INT32_MIN;
        int i;
        for (i = 0; i < KIN; i++) held[i] = (uint32_t)(playable >> k->card[i]) & 1;
        for (i = 0; i < KIN; i++) k->available[i] += held[i];
        for (i = 0; i < KIN; i++) {
            float log = scopa_log(k->available[i]);
            log = log_n < 0 ? log : log_n;
            rank[i] = scopa_rank(k->mean[i] + explore * sqrtf(log * k->inverse[i]), i);
        }
        for (i = 0; i < KIN; i++) rank[i] = held[i] ? rank[i] : INT32_MIN;
        for (i = 0; i < KIN; i++) best = rank[i] > best ? rank[i] : best;
        return best;
    }
    """
    enum: KIN, NO_CARD, DECLARED_CARD
    ctypedef struct Kids:
        uint8_t card[8]
        float mean[8]
        float inverse[8]
        uint32_t available[8]
        uint64_t complete
        uint32_t next, n
        uint64_t move[8]
        double total[8]
        uint32_t visits[8]
        uint32_t kids[8]
    void prefetch_kids "scopa_prefetch_kids"(const Kids* kids) noexcept nogil
    int32_t scan "scopa_scan"(Kids* kids, uint64_t playable, float explore, float log_n) noexcept nogil
    int32_t rank_bound "scopa_rank"(float bound, int entry) noexcept nogil
    int entry_of "scopa_entry"(int32_t rank) noexcept nogil
    int32_t NO_RANK "INT32_MIN"
    float log_of "scopa_log"(uint32_t n) noexcept nogil

ctypedef void (*deal_t)(void*, GameState*, uint64_t*) noexcept nogil
ctypedef void (*play_state_t)(const Job*, const GameState*, const Orders*, Run*, bint) noexcept nogil

ctypedef struct Seek:
    Job job                 # rules, lookup, and how random playouts go
    const Values* values
    GameState root
    int viewer              # whose hidden cards are dealt anew in each iteration, or -1: all are known
    const Unseen* unseen
    deal_t deal             # deals the unseen cards if they are not all alike, else NULL
    void* worlds
    play_state_t play_state
    Kids* kids              # number 0 is not used; they begin with a cache line
    void* memory            # what they lie in
    uint32_t n_kids, room
    uint32_t first          # those after the root
    uint32_t visits         # of the root
    uint32_t nodes, most_nodes
    uint64_t stream
    float explore
    int reward, playout
    const float* odds       # of the match, by own total and that of another side; MATCH only
    int n_odds              # totals that it tells apart
    int odds_from           # the lowest of them
    int scores[MAX_SEATS]   # match points before the deal, by side
    uint64_t greed          # 2**64 times the chance of a greedy move in a playout
    bint distinct           # no table that can come has two cards of a rank
    const int* halt
    uint64_t* moves         # room for the moves of any position
    uint64_t moves_room
    bint failed             # no memory

# A move on the way down a tree.
ctypedef struct Step:
    uint32_t kids           # number of the Kids it stands in
    uint8_t entry           # its place in them
    uint8_t side            # who made it
    double pending          # the reward it has until it is settled

# Where a walk down a tree ended, and the moves on the way.
ctypedef struct Leaf:
    GameState state
    Orders orders
    bint ordered                # whether the orders are those of the hands
    Step path[MAX_PATH]
    int depth
    bint over                   # whether the deal is

ctypedef uint64_t (*grow_t)(Seek*, uint64_t) noexcept nogil
ctypedef bint (*descend_t)(Seek*, Leaf*, double) noexcept nogil
ctypedef void (*settle_t)(Seek*, const Leaf*, const float*) noexcept nogil
ctypedef void (*score_t)(Seek*, Leaf*, float*) noexcept nogil


cdef inline Kids* first_line(void* memory) noexcept nogil:
    """Where kids begin in their memory."""
    return <Kids*>((<size_t>memory + LINE - 1) & ~<size_t>(LINE - 1))
