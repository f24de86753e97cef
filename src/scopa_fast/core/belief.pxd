# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# How well a deal of the hidden cards explains the moves that were made.
from libc.math cimport exp, log
from libc.stdint cimport uint8_t, uint64_t

from scopa_fast.core.cards cimport KIND_DECLARE, KIND_SHIFT, MAX_SEATS, lowest
from scopa_fast.core.generate cimport MAX_DECLARATIONS, Turn, moves_of_card, playable_cards, read_turn, state_declarations
from scopa_fast.core.knowledge cimport Knowledge, know
from scopa_fast.core.lookup cimport Lookup
from scopa_fast.core.position cimport GameState, copy_state, make_move
from scopa_fast.core.rules cimport MAX_STOCK, RuleSet
from scopa_fast.core.strategy cimport Player, Prospect, cs_worth, look_round
from scopa_fast.core.worlds cimport Worlds

cdef enum:
    SOME = 64

# The round at hand as it began, its hidden hands apart, and its moves.
ctypedef struct Past:
    GameState start             # hands are those cards that were played since
    const uint64_t* moves
    int n
    uint64_t hidden             # bit mask of the seats whose hands are hidden still

ctypedef struct Weighed:
    uint64_t hands[MAX_SEATS]
    uint8_t stock[MAX_STOCK]
    double weight, upto         # of all worlds up to this one


cdef inline double explain_moves(
    const RuleSet* rules, const Lookup* look, const Player* player, const Past* past, const GameState* world, double temperature,
    double slip, double reluctance
) noexcept nogil:
    """The logarithm of how likely players who choose by the softmax of their scores, or by mere chance now and then, were to make
    the moves of the round."""
    cdef GameState state
    cdef Knowledge knowledge
    cdef Prospect prospect
    cdef Turn turn
    cdef uint64_t moves[SOME]
    cdef uint64_t declared[MAX_DECLARATIONS]
    cdef uint64_t playable, n, n_moves, i, skip, move
    cdef double total = 0, sum_, score, chosen
    cdef int seat, m
    copy_state(rules, &past.start, &state)
    for seat in range(rules.seats):
        state.cards[seat] |= world.cards[seat]
    for m in range(past.n):
        move = past.moves[m]
        seat = state.seat
        if (past.hidden >> seat) & 1 and (move >> KIND_SHIFT) & 3 != KIND_DECLARE:
            if rules.hand_bonus and state_declarations(rules, &state, declared):
                # It might have declared, and did not.
                total -= reluctance
            playable = playable_cards(rules, &state)
            if playable & (playable - 1):
                know(rules, &state, seat, &knowledge)
                look_round(player, &knowledge, &prospect)
                read_turn(rules, &state, &turn)
                chosen = cs_worth(&prospect, move)
                sum_ = 0
                n_moves = 0
                while playable:
                    skip = 0
                    while True:
                        n = moves_of_card(rules, look, &state, &turn, lowest(playable), skip, SOME, moves)
                        n_moves += n
                        for i in range(n):
                            score = (cs_worth(&prospect, moves[i]) - chosen) / temperature
                            sum_ += exp(score) if score < 700 else 1e300
                        if n < SOME:
                            break
                        skip += n
                    playable &= playable - 1
                total += log((1 - slip) / sum_ + slip / <double>n_moves)
        make_move(rules, &state, move)
    return total


cdef class Belief(Worlds):
    cdef Weighed* weighed
    cdef Py_ssize_t n_weighed
    cdef readonly bint complete     # whether these are all worlds that are possible
    cdef readonly double effective  # how many worlds of equal weight would tell as much

    cdef int put(self, Py_ssize_t i, const GameState* world, double logarithm, double weight) except -1
    cdef int settle(self) except -1
