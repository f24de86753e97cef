"""The playout kernel compiled for one level of machine. CMake makes a module of it for each level; levels.pyx picks one."""

from libc.stdint cimport uint64_t

from scopa_fast.core.batch cimport Job, Sums, play_batch_inline
from scopa_fast.core.kernel cimport Run, Variants, play_out
from scopa_fast.core.lookup cimport Lookup
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


cdef void play_batch(const Job* job, uint64_t first, uint64_t count, Sums* sums) noexcept nogil:
    cdef Variants variants
    variants.usual, variants.usual_distinct, variants.plain = play_usual, play_usual_distinct, play_plain
    variants.general, variants.card_first = play_general, play_card_first
    play_batch_inline(job, first, count, sums, &variants)


def address():
    """Return the address of this level's `play_batch`."""
    return <size_t>&play_batch
