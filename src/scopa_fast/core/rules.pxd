# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# A ruleset as the kernel reads it: one flat struct, made from a Rules in rules.pyx and nowhere else.
from libc.stdint cimport uint8_t, uint16_t, uint64_t

from scopa_fast.core.cards cimport MAX_RANKS, MAX_SEATS

cdef enum:
    MATCH_OR_SUM = 0     # capture: CAP-2
    FIFTEEN = 1          # CAP-6
    CIRULLA = 2          # CAP-7
    SINGLE = 0           # precedence: CAP-3
    FEWEST = 1
    FREE = 2
    PILE_NO = 0          # ace_to_pile: ACE-4
    PILE_EMPTY = 1
    PILE_ANY = 2
    ONE = 0              # scopa_value: SCO-4
    RANK = 1
    COUNT = 2
    SCALE = 0            # primiera: by a scale of card values (PRI-2)
    RANK_COUNT = 1       # PRI-5
    NO_PRIME = 2
    COMPARE = 0          # primiera_incomplete: PRI-3
    INCOMPLETE_LOSES = 1  # PRI-7
    SUMS_ONLY = 2        # PRI-8
    NO_NAPOLA = 0        # napola: PT-9
    RUN = 1
    ALL_COINS = 2        # PT-10
    NO_BONUS = 0         # table_bonus
    CIRULLA_BONUS = 1    # CIR-7
    ESCOBA_BONUS = 2     # ESC-1
    PRIME_SHIFT = 12     # four suits make at most 4 * 255 points (PRI-9)
    PRIME_SUM = 4095
    MAX_STOCK = 42       # two players with 52 cards: 52 - 6 - 4

ctypedef struct RuleSet:
    uint64_t key                    # Rules.key: the part of every position's key that the rules make
    uint64_t pack                   # all cards
    uint64_t deck_bit               # the pack's bit of a packed move
    int cards, ranks, seats, sides, hand, table, rounds, plays
    int state_size                  # bytes of a GameState in use
    uint8_t side_of[MAX_SEATS]
    uint8_t pile_of[MAX_SEATS]      # place of the seat's pile in GameState.cards
    # Dealing: where each card of the deck goes, seats counted from dealer + 1.
    uint8_t hand_from[MAX_SEATS][10]
    uint8_t table_from[4]
    uint8_t stock_from[MAX_STOCK]
    int packet                      # cards of a hand that lie together in the deck, 0 if they are dealt one by one
    int stock_at                    # where the stock begins if the deck holds it packet by packet, else 0
    uint8_t void_kings, void_aces, void_next
    # Captures.
    uint8_t capture, precedence, forced
    uint8_t ace_sweep, ace_all, ace_sweep_scopa, ace_to_pile, first_ace_ban
    uint8_t last_play_scopa, scopa_value
    # Declarations and table bonus.
    uint8_t hand_bonus, bonus_sum, table_bonus, matta
    # Scoring.
    uint8_t primiera, incomplete, re_bello, sette_coppe, palle_del_cane
    uint8_t napola, napola_max, grande, cappotto, wipe, tie_all, half
    const uint16_t* prime_of_suit   # [rank set of a suit]: worth of its best card, and 1 << PRIME_SHIFT if it has any
    uint8_t prime_order[MAX_RANKS]  # ranks from 0, the one worth most in the prime first
    uint8_t more_items              # whether any item of score_more counts
    uint64_t re_bello_bit, faces_of_coins


cdef class NativeRules:
    cdef RuleSet c
    cdef readonly object rules      # the Rules it was made from
    cdef object _table              # capture table, made when first used
    cdef uint16_t* prime_of_suit


cdef NativeRules native_rules(object rules)
