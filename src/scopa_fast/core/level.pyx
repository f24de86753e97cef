"""The playout kernel compiled for one level of machine. CMake makes a module of it for each level; levels.pyx picks one."""

from libc.stdint cimport uint8_t, uint64_t

from scopa_fast.core.batch cimport Job, Sums, begin_from_state, choose_variant, play_batch_inline
from scopa_fast.core.kernel cimport Run, Variants, play_out, play_out_t
from scopa_fast.core.lookup cimport Lookup
from scopa_fast.core.position cimport GameState
from scopa_fast.core.rng cimport DECK_ROOM
from scopa_fast.core.worlds cimport Orders
from scopa_fast.core.rules cimport RuleSet


cdef void play_usual(const RuleSet* rules, const Lookup* look, Run* run) noexcept nogil:
    play_out(rules, look, run, True, True, True, False)


cdef void play_usual_distinct(const RuleSet* rules, const Lookup* look, Run* run) noexcept nogil:
    play_out(rules, look, run, True, True, False, False)


cdef void play_plain(const RuleSet* rules, const Lookup* look, Run* run) noexcept nogil:
    play_out(rules, look, run, True, False, True, False)


cdef void play_general(const RuleSet* rules, const Lookup* look, Run* run) noexcept nogil:
    play_out(rules, look, run, False, False, True, False)


cdef void play_card_first(const RuleSet* rules, const Lookup* look, Run* run) noexcept nogil:
    play_out(rules, look, run, False, False, True, True)


cdef inline void fill_variants(Variants* variants) noexcept nogil:
    variants.usual, variants.usual_distinct, variants.plain = play_usual, play_usual_distinct, play_plain
    variants.general, variants.card_first = play_general, play_card_first


cdef void play_batch(const Job* job, uint64_t first, uint64_t count, Sums* sums) noexcept nogil:
    cdef Variants variants
    fill_variants(&variants)
    play_batch_inline(job, first, count, sums, &variants)


cdef void play_state(const Job* job, const GameState* state, const Orders* orders, Run* run, bint distinct) noexcept nogil:
    """Play a state to its end; `distinct` promises that no table will have two cards of a rank."""
    cdef Variants variants
    cdef uint8_t stock[DECK_ROOM]
    cdef play_out_t play
    fill_variants(&variants)
    begin_from_state(job.rules, state, orders, run, stock)
    play = choose_variant(job, &variants)
    if play == variants.usual and distinct:
        play = variants.usual_distinct
    play(job.rules, job.look, run)


def addresses():
    """Return the addresses of this level's `play_batch` and `play_state`."""
    return <size_t>&play_batch, <size_t>&play_state
