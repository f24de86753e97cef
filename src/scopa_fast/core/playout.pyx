"""Random deals by the million: one call, the lock released."""

from concurrent.futures import ThreadPoolExecutor

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from scopa_fast.core.batch cimport DEALS_PER_BATCH, Job, Sums
from scopa_fast.core.lookup cimport lookup_table
from scopa_fast.core.position cimport is_sound
from scopa_fast.core.rng cimport Rng, next64, seed_stream
from scopa_fast.core.rules cimport NativeRules, native_rules
from scopa_fast.core.scoring cimport BONUS, GRANDE, N_ITEMS, NAPOLA, SCOPA
from scopa_fast.core.state cimport State
from scopa_fast.core.view cimport SeatView
from scopa_fast.core.worlds cimport Unseen, find_unseen

from scopa_fast import results as _results
from scopa_fast.arguments import check_dealer, check_out, check_playouts
from scopa_fast.core.levels import kernel_addresses
from scopa_fast.errors import InvalidPositionError
from scopa_fast.results import PlayoutTotals

ctypedef void (*play_batch_t)(const Job*, uint64_t, uint64_t, Sums*) noexcept nogil

cdef play_batch_t play_batch = <play_batch_t><size_t>kernel_addresses()[0]


def playouts(start, n, seed=None, *, policy="uniform", declarations="never", dealer=None, first=0, threads=1, out=None):
    """Play out ``n`` deals at random and return their totals.

    :param start: rules (each deal is dealt afresh), a state (each playout begins there, hidden cards as they are), or a
        :class:`SeatView` (each playout deals the cards anew that its seat does not see, all ways equally likely).
    :param n: number of deals.
    :param seed: an int (or an Rng, whose state is used as the seed and then advanced by one draw, or None for fresh randomness);
        deal ``i`` uses the stream ``Rng(seed).spawn(first + i)``, so that totals do not depend on ``threads`` or on how deals are
        split into calls.
    :param policy: ``uniform`` over all legal card moves, or ``card_first``: a uniform card, then a uniform move of that card.
    :param declarations: ``never`` declared, ``always`` (for the most points, the rank at random), or ``uniform``: moves like any other.
    :param dealer: the first dealer of each fresh deal, by default the last seat; ``"rotate"`` makes it seat ``(first + i) % seats``.
    :param threads: worker threads (the reference uses one).
    :param out: an int32 array of shape (n, sides) that receives the points of each deal.
    :raises ValueError: on a bad n, policy, declarations, threads or out.
    :raises InvalidSeedError: if the seed is out of range.
    :raises InvalidSeatError: if there is no such dealer.
    """
    cdef Work work = Work.__new__(Work)
    cdef Job* job = &work.job
    cdef Sums total
    cdef int32_t[:, ::1] rows
    if isinstance(start, State):
        # A copy, so that the state may be played on while threads run.
        work.start = start.clone()
    elif isinstance(start, SeatView):
        work.start = (<SeatView>start).any_world()
        find_unseen(start, &work.unseen)
        job.unseen = &work.unseen
    if work.start is not None:
        work.native = work.start.native
        job.start = &work.start.c
    else:
        work.native = native_rules(start)
    rules = work.native.rules
    check_playouts(rules, job.start != NULL, n, policy, declarations, dealer, first, threads)
    if job.start != NULL and not is_sound(&work.native.c, job.start):
        raise InvalidPositionError(f"no legal moves lead to this position (play_unchecked?): {work.start.position()!r}")
    check_out(out, n, len(rules.sides))
    if out is not None and n:
        rows = out
        if rows.shape[0] != n or rows.shape[1] != len(rules.sides):
            raise ValueError(f"out holds {rows.shape[0]} rows of {rows.shape[1]}, not {n} of {len(rules.sides)}")
        work.rows = rows
        job.out = &rows[0, 0]
    job.rules = &work.native.c
    job.look = &lookup_table(work.native).c
    job.card_first = policy == "card_first"
    job.declarations = ("never", "always", "uniform").index(declarations)
    job.rotate = dealer == "rotate"
    job.dealer = check_dealer(rules, None if job.rotate else dealer)
    job.first = first
    if isinstance(seed, Rng):
        job.seed = (<Rng>seed).stream
        next64(&(<Rng>seed).stream)
    else:
        job.seed = seed_stream(seed)
    memset(&total, 0, sizeof(Sums))
    if threads == 1:
        _add(&total, work.play(first, n))
    else:
        share = -(-n // threads)
        with ThreadPoolExecutor(threads) as pool:
            try:
                tasks = [
                    pool.submit(work.play, first + low, min(share, n - low)) for low in range(0, n, share or 1)
                ]
                for task in tasks:
                    _add(&total, task.result())
            finally:
                # However this ends, the workers stop; they hold all that they use.
                work.stop = True
    return _totals(rules, &total)


cdef class Work:
    """A job and everything its pointers lead to, held by each thread that works on it."""

    cdef Job job
    cdef NativeRules native
    cdef State start
    cdef Unseen unseen
    cdef int32_t[:, ::1] rows
    cdef bint stop

    def play(self, uint64_t first, uint64_t count):
        """Play a thread's deals batch by batch, so that Ctrl-C or another thread's end stops it; return its sums."""
        cdef Sums sums
        cdef uint64_t done = 0, batch
        memset(&sums, 0, sizeof(Sums))
        while done < count and not self.stop:
            batch = count - done if count - done < DEALS_PER_BATCH else DEALS_PER_BATCH
            with nogil:
                play_batch(&self.job, first + done, batch, &sums)
            done += batch
            PyErr_CheckSignals()
        return (<char*>&sums)[:sizeof(Sums)]


cdef int _add(Sums* total, bytes part) except -1:
    """Add the sums of one thread."""
    cdef int64_t* into = <int64_t*>total
    cdef const int64_t* numbers = <const int64_t*><const char*>part
    cdef size_t i
    for i in range(sizeof(Sums) // sizeof(int64_t)):
        into[i] += numbers[i]
    return 0


cdef _totals(object rules, const Sums* total):
    cdef int item, side, sides = len(rules.sides)
    items, won = {}, {}
    for item in range(N_ITEMS):
        unit = 5 if item == GRANDE else 1
        items[_results.ITEMS[item]] = tuple([total.items[side][item] for side in range(sides)])
        won[_results.ITEMS[item]] = tuple([
            total.won[side][item] if item in (NAPOLA, SCOPA, BONUS) else total.items[side][item] // unit
            for side in range(sides)
        ])
    return PlayoutTotals(
        rules=rules,
        deals=total.deals,
        plays=total.plays,
        voids=total.voids,
        wins=tuple([total.wins[side] for side in range(sides)]),
        ties=total.ties,
        points=tuple([total.points[side] for side in range(sides)]),
        points_squared=tuple([total.points_squared[side] for side in range(sides)]),
        margin=total.margin,
        margin_squared=total.margin_squared,
        items=items,
        won=won,
    )
