"""Monte Carlo tree search with hidden cards (ismcts) and with all cards open (mcts)."""

import reprlib
import time
from concurrent.futures import wait
from threading import Lock

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from scopa_fast.core.cards cimport has_repeats, rank_set
from scopa_fast.core.deals cimport as_move
from scopa_fast.core.leaves cimport TURN_COLUMNS, Walk, all_done, gather, settle_all, write_rows
from scopa_fast.core.lookup cimport lookup_table
from scopa_fast.core.position cimport GameState, deal_over
from scopa_fast.core.rng cimport Rng, next64, seed_stream, spawn
from scopa_fast.core.rules cimport NativeRules, RuleSet
from scopa_fast.core.seek cimport Kids, Leaf, Seek, deal_t, descend_t, first_line, grow_t, play_state_t, score_t, settle_t
from scopa_fast.core.state cimport State
from scopa_fast.core.values cimport ValueTable, value_table
from scopa_fast.core.view cimport SeatView, to_move
from scopa_fast.core.worlds cimport Worlds

from scopa_fast.arguments import check_number, check_range, check_seconds, check_threads, check_word
from scopa_fast.core.levels import kernel_addresses, seeker_addresses
from scopa_fast.errors import IllegalMoveError
from scopa_fast.match import per_side
from scopa_fast.odds import first_total, match_odds
from scopa_fast.searches import Leaves, MoveStatistics, SearchResult
from scopa_fast.workers import Workers

_grow, _descend, _settle, _score = seeker_addresses()
cdef grow_t grow = <grow_t><size_t>_grow
cdef descend_t descend = <descend_t><size_t>_descend
cdef settle_t settle = <settle_t><size_t>_settle
cdef score_t score = <score_t><size_t>_score
cdef play_state_t play_state = <play_state_t><size_t>kernel_addresses()[1]

REWARDS = ("points", "difference", "win", "win_share", "match")
PLAYOUTS = ("random", "card_random", "eps_greedy")
CONSTANTS = {"points": 1.5, "difference": 2.0, "win": 0.7, "win_share": 0.35, "match": 0.35}
"""How much a search explores unless told, by reward."""
MAX_ITERATIONS = (1 << 31) - 2
TURN, LONG_TURN = 256, 4096
"""Iterations between two looks at the clock, and at signals alone."""
ITERATIONS = {"ismcts": 4000, "mcts": 1000}
"""How many of them unless told, if time does not end them."""
MOST_REWARD = 1e9
"""The largest that a callback may name."""
LEAST_NODES = 64
"""Nodes that a tree must have room for."""


cdef class Memory:
    """The memory of a tree that is gone, for another one: fresh memory costs as much as what is written to it."""

    cdef void* start
    cdef uint32_t room

    def __dealloc__(self):
        free(self.start)


cdef list _spare = []
SPARE = 4
"""How many of them are kept, of at most 40 MB each."""
SPARE_ROOM = 1 << 17
_taking = Lock()


cdef class Tree:
    """One tree, grown by one thread at a time."""

    cdef Seek s
    cdef object worlds, rules, values, odds     # what the pointers lead to
    cdef readonly uint64_t done

    def __cinit__(self):
        memset(&self.s, 0, sizeof(Seek))

    def __dealloc__(self):
        free(self.s.memory)
        free(self.s.moves)

    def grow(self, uint64_t iterations):
        """Iterate; return how often it was."""
        cdef uint64_t done
        with nogil:
            done = grow(&self.s, iterations)
        self.done += done
        if self.s.failed:
            raise MemoryError(f"no memory for a tree of {self.s.nodes} nodes")
        return done

    cdef int begin(self) except -1:
        """Take memory to begin with, if there is any spare one."""
        cdef Memory memory
        # Number 0 is none; the root is a node.
        self.s.n_kids = self.s.nodes = 1
        self.s.room = 32
        with _taking:
            memory = _spare.pop() if _spare else None
        if memory is not None:
            self.s.memory, self.s.room, memory.start = memory.start, memory.room, NULL
            self.s.kids = first_line(self.s.memory)
        return 0

    cdef int end(self) except -1:
        """Give the memory back; the tree is gone."""
        cdef Memory memory
        if self.s.memory != NULL and self.s.room <= SPARE_ROOM:
            memory = Memory.__new__(Memory)
            memory.start, memory.room, self.s.memory = self.s.memory, self.s.room, NULL
            with _taking:
                if len(_spare) < SPARE:
                    _spare.append(memory)
        return 0


cdef class Plan:
    """What a search does with each of its trees, the same for all."""

    cdef State root
    cdef Worlds worlds          # None: all cards are known
    cdef int viewer, reward, playout, halt
    cdef uint64_t greed, seed
    cdef float explore
    cdef uint32_t most_nodes
    cdef object odds            # an array, or None
    cdef tuple scores

    cdef Tree plant(self, uint64_t number):
        """A new tree, which grows from the stream of its number."""
        cdef Tree tree = Tree.__new__(Tree)
        cdef Seek* s = &tree.s
        cdef NativeRules native = self.root.native
        cdef ValueTable values = value_table(native)
        cdef const RuleSet* rules = &native.c
        cdef const float[:, ::1] odds
        cdef int i
        tree.rules, tree.values, tree.worlds, tree.odds = native, values, self.worlds, self.odds
        s.job.rules = rules
        s.job.look = &lookup_table(native).c
        s.job.start = &s.root
        s.values = &values.c
        s.root = self.root.c
        s.viewer = self.viewer
        if self.worlds is not None:
            s.unseen = &self.worlds.unseen
            if not self.worlds.alike:
                s.deal = <deal_t>deal_world
                s.worlds = <void*>self.worlds
        s.play_state = play_state
        s.stream = spawn(self.seed, number)
        s.explore = self.explore
        s.reward, s.playout, s.greed = self.reward, self.playout, self.greed
        # With forced captures an equal card is taken, never laid beside.
        s.distinct = (rules.capture == 0 and rules.precedence == 0 and rules.forced
                      and not has_repeats(s.root.table, rank_set(s.root.table)))
        s.halt = &self.halt
        if self.odds is not None:
            odds = self.odds
            s.odds, s.n_odds = &odds[0, 0], <int>odds.shape[0]
            s.odds_from = first_total(self.root.native.rules)
            for i in range(rules.sides):
                s.scores[i] = self.scores[i]
        s.most_nodes = self.most_nodes
        tree.begin()
        return tree


cdef void deal_world(void* worlds, GameState* state, uint64_t* stream) noexcept nogil:
    (<Worlds>worlds).deal(state, stream)


def ismcts(
    view, *, iterations=None, seconds=None, explore=None, reward="difference", playout="eps_greedy", epsilon=0.3, trees=1, threads=1,
    seed=None, scores=None, nodes=1 << 22, worlds=None, evaluate=None, batch=32,
):
    """Search the moves of the seat to move by information-set Monte Carlo tree search, knowing what that seat knows.

    Single observer (Cowling, Powley and Whitehouse 2012): each iteration deals the hidden cards anew, walks down the moves that are
    legal in that world by upper confidence bounds whose logarithm counts how often a move could have been chosen, adds one move,
    plays to the end of the deal, and writes the reward of each side to its moves on the way.

    :param view: what the seat to move sees.
    :param iterations: of all trees together; by default 4,000 (:func:`mcts`: 1,000), or as many as the time allows if one is given.
    :param seconds: stop after so long, at the latest; then the result depends on the machine, and says so.
    :param explore: the constant of the bounds, in units of the reward; by default one for each reward.
    :param reward: what a side plays for: ``difference`` of points (its own less the mean of the others), ``points`` of its own,
        ``win`` (1, -1, 0 for a tie of two), ``win_share`` (1, 0, its share of a tie), or ``match``: its chance to win the match (:func:`match_odds`).
    :param playout: ``random`` moves, ``card_random`` (a random card, then its best move), or ``eps_greedy``: greedy but for a chance
        of ``epsilon``.
    :param trees: independent trees, whose visits are added up; each grows from a random stream of its own.
    :param threads: threads that grow trees; the result does not depend on them. With ``evaluate`` one grows them all.
    :param seed: an int, an :class:`Rng` (which advances by one draw) or None for fresh randomness.
    :param scores: match points of each side before the deal, by default none; they matter for ``reward="match"``.
    :param nodes: how many nodes all trees may have together, of some hundred bytes each; when they are full, searches go on in them.
    :param worlds: the :class:`Worlds` of the view to deal from, by default all of them alike.
    :param evaluate: what tells the rewards instead of playouts, a network say: called with :class:`Leaves`, it returns an array of
        numbers of shape (n, sides), the reward of each side from the start of the deal to its end. Finished deals are not asked about.
    :param batch: how many leaves it is asked about at once: walks of all trees in turn, which avoid each other's ways meanwhile.
    :raises IllegalMoveError: if the seat of the view is not to move.
    :raises ValueError: on a bad number or word, worlds of another view, or rewards of another shape, or that are no numbers or above 1e9.
    """
    cdef SeatView seen = to_move(view)
    cdef Plan plan = Plan.__new__(Plan)
    plan.root = seen.any_world()
    plan.worlds = Worlds(seen) if worlds is None else check_worlds(worlds, seen)
    plan.viewer = seen.viewer
    iterations = budget(iterations, seconds, "ismcts")
    return search(plan, iterations, seconds, explore, reward, playout, epsilon, trees, threads, seed, scores, nodes, evaluate, batch)


def mcts(
    state, *, iterations=None, seconds=None, explore=None, reward="difference", playout="eps_greedy", epsilon=0.3, trees=1, threads=1,
    seed=None, scores=None, nodes=1 << 22, evaluate=None, batch=32,
):
    """Search the moves of a state by Monte Carlo tree search with all cards open (UCT, Kocsis and Szepesvari 2006).

    It sees every hand and the order of the stock: as a player it cheats.

    Parameters and errors as those of :func:`ismcts`.
    """
    if not isinstance(state, State):
        raise TypeError(f"state must be a State of the native engine, not {type(state).__name__}: {state!r}")
    if deal_over(&(<State>state).c):
        raise IllegalMoveError(f"the deal is over: no move in '{state}'")
    cdef Plan plan = Plan.__new__(Plan)
    plan.root = (<State>state).clone()
    plan.viewer = -1
    iterations = budget(iterations, seconds, "mcts")
    return search(plan, iterations, seconds, explore, reward, playout, epsilon, trees, threads, seed, scores, nodes, evaluate, batch)


cdef object budget(object iterations, object seconds, str name):
    """The iterations that were asked for, or those for who asked for none."""
    if iterations is not None:
        return iterations
    return ITERATIONS[name] if seconds is None else MAX_ITERATIONS


cdef object search(
    Plan plan, object iterations, object seconds, object explore, object reward, object playout, object epsilon, object trees,
    object threads, object seed, object scores, object nodes, object evaluate, object batch,
):
    cdef double begun = time.perf_counter()
    cdef uint64_t share, more
    cdef Tree tree
    cdef int number
    check_settings(iterations, seconds, explore, reward, playout, epsilon, trees, threads, scores)
    check_range(nodes, "nodes", LEAST_NODES * trees, MAX_ITERATIONS)
    check_range(batch, "batch", 1, 1 << 16)
    if evaluate is not None and not callable(evaluate):
        raise TypeError(f"evaluate must be callable, not {type(evaluate).__name__}: {evaluate!r}")
    plan.scores = per_side(plan.root.native.rules, (0,) * plan.root.native.c.sides if scores is None else scores, "scores")
    plan.odds = match_odds(plan.root.native.rules) if reward == "match" else None
    deadline = None if seconds is None else time.perf_counter() + check_seconds(seconds)
    plan.reward, plan.playout = REWARDS.index(reward), PLAYOUTS.index(playout)
    plan.explore = CONSTANTS[reward] if explore is None else explore
    chance = float(epsilon)
    plan.greed = <uint64_t>-1 if chance == 0 else <uint64_t>((1 - chance) * 18446744073709549568.0)
    if isinstance(seed, Rng):
        plan.seed = next64(&(<Rng>seed).stream)
    else:
        plan.seed = seed_stream(seed)
    share, more = divmod(iterations, trees)
    planted = []
    plan.most_nodes = nodes // trees
    for number in range(trees):
        planted.append((plan.plant(number), share + (<uint64_t>number < more)))
    timed = False
    if evaluate is not None:
        timed = grow_by_batches(plan, planted, evaluate, batch, deadline)
    elif threads == 1 or trees == 1:
        timed = grow_in_turn(planted, deadline)
    else:
        timed = grow_all(plan, planted, threads, deadline)
    result = conclude(plan, [tree for tree, _ in planted], timed, time.perf_counter() - begun)
    for tree, _ in planted:
        tree.end()
    return result


cdef bint grow_in_turn(list planted, object deadline) except -1:
    """Grow one tree after another, or by turns when time is short; whether it was over first."""
    cdef Tree tree
    cdef list left = planted
    if deadline is None:
        for tree, wanted in planted:
            while tree.done < wanted:
                tree.grow(min(LONG_TURN, wanted - tree.done))
                PyErr_CheckSignals()
        return False
    while left:
        for tree, wanted in left:
            tree.grow(min(TURN, wanted - tree.done))
            PyErr_CheckSignals()
            if time.perf_counter() >= deadline:
                break
        left = [(tree, wanted) for tree, wanted in left if (<Tree>tree).done < wanted]
        if time.perf_counter() >= deadline:
            break
    return bool(left)


cdef bint grow_by_batches(Plan plan, list planted, object evaluate, int batch, object deadline) except -1:
    """Grow trees in turn, and ask about their leaves together; whether the time was over first."""
    import numpy as np

    cdef const RuleSet* rules = &plan.root.native.c
    cdef int sides = rules.sides, places = rules.seats + 1 + rules.sides, trees = <int>len(planted), n, i
    cdef double loss = plan.explore
    cdef Leaf* leaves = <Leaf*>malloc(batch * sizeof(Leaf))
    cdef int* of_leaf = <int*>malloc(batch * sizeof(int))
    cdef Walk* walks = <Walk*>calloc(trees, sizeof(Walk))
    cdef uint64_t[:, ::1] cards
    cdef int16_t[:, ::1] turn, scope, bonus
    cdef const float[:, ::1] found
    try:
        if leaves == NULL or of_leaf == NULL or walks == NULL:
            raise MemoryError()
        for i in range(trees):
            walks[i].s, walks[i].done, walks[i].wanted = &(<Tree>planted[i][0]).s, 0, planted[i][1]
        while True:
            with nogil:
                n = gather(descend, score, settle, walks, trees, leaves, of_leaf, batch, loss)
            if n < 0:
                raise MemoryError()
            if n:
                masks, turns = np.empty((n, places), np.uint64), np.empty((n, TURN_COLUMNS), np.int16)
                scopes, bonuses = np.empty((n, sides), np.int16), np.empty((n, sides), np.int16)
                cards, turn, scope, bonus = masks, turns, scopes, bonuses
                with nogil:
                    write_rows(rules, leaves, n, &cards[0, 0], &turn[0, 0], &scope[0, 0], &bonus[0, 0])
                answer = np.ascontiguousarray(evaluate(Leaves(plan.root.native.rules, masks, turns, scopes, bonuses)), np.float32)
                if answer.shape != (n, sides) or not (abs(answer) <= MOST_REWARD).all():
                    raise ValueError(
                        f"evaluate must return numbers of shape ({n}, {sides}), at most {MOST_REWARD:g} from 0, not {describe(answer)}"
                    )
                found = answer
                with nogil:
                    settle_all(settle, walks, leaves, of_leaf, n, &found[0, 0], sides)
            if all_done(walks, trees):
                return False
            PyErr_CheckSignals()
            if deadline is not None and time.perf_counter() >= deadline:
                return True
    finally:
        if walks != NULL:
            for i in range(trees):
                (<Tree>planted[i][0]).done = walks[i].done
        free(leaves)
        free(of_leaf)
        free(walks)


def describe(answer):
    """Return an array in a line: its shape, or its first row that is no good."""
    import numpy as np

    good = abs(answer) <= MOST_REWARD
    if answer.ndim != 2 or good.all():
        return f"an array of shape {answer.shape}"
    row = int(np.argmin(good.all(axis=1)))
    return f"{answer[row].tolist()} in row {row}"


cdef bint grow_all(Plan plan, list planted, int threads, object deadline) except -1:
    """Let threads grow trees, each one at a time; whether the time was over first."""
    workers = Workers(min(threads, len(planted)))
    numbers = iter(planted)
    taking = Lock()

    def work():
        while not plan.halt:
            with taking:
                tree, wanted = next(numbers, (None, 0))
            if tree is None:
                return
            tree.grow(wanted)

    timed = False
    try:
        tasks = [workers.submit(work) for _ in range(min(threads, len(planted)))]
        while True:
            left = 0.05 if deadline is None else min(0.05, max(0.0, deadline - time.perf_counter()))
            finished, open_ = wait(tasks, timeout=left)
            for task in finished:
                task.result()
            if not open_:
                break
            if deadline is not None and time.perf_counter() >= deadline:
                timed = True
                break
    finally:
        plan.halt = True
        came = workers.close()
        if came is not None:
            raise came
    return timed


cdef object conclude(Plan plan, list trees, bint timed, double seconds):
    """Add up the trees."""
    cdef Tree tree
    cdef Kids* kids
    cdef uint32_t at
    cdef int i
    found = {move: [0, 0.0, 0, None, 0, 0] for move in plan.root.legal_moves()}
    for tree in trees:
        at = tree.s.first
        while at:
            kids = &tree.s.kids[at]
            for i in range(<int>kids.n):
                entry = found[as_move(kids.move[i])]
                entry[0] += kids.visits[i]
                entry[1] += kids.total[i]
                entry[2] += kids.available[i]
                if kids.visits[i] > entry[4]:
                    entry[3:] = tree, kids.visits[i], kids.kids[i]
            at = kids.next
    moves = tuple([
        MoveStatistics(move, visits, total / visits if visits else 0.0, available)
        for move, (visits, total, available, _, _, _) in found.items()
    ])
    best = max(moves, key=lambda entry: (entry.visits, entry.mean))
    _, _, _, of_tree, _, first = found[best.move]
    done = sum([(<Tree>tree).done for tree in trees])
    return SearchResult(
        move=best.move,
        moves=moves,
        line=(best.move, *principal_line(of_tree, first)),
        iterations=done,
        worlds=done if plan.viewer >= 0 else 0,
        nodes=sum([(<Tree>tree).s.nodes for tree in trees]),
        timed=timed,
        seconds=seconds,
    )


cdef list principal_line(Tree tree, uint32_t first):
    """The most visited moves from some kids of a tree on."""
    cdef uint32_t at, most, following
    cdef uint64_t move = 0
    cdef int i
    line = []
    while first:
        most = following = 0
        at = first
        while at:
            for i in range(<int>tree.s.kids[at].n):
                if tree.s.kids[at].visits[i] > most:
                    most, move, following = tree.s.kids[at].visits[i], tree.s.kids[at].move[i], tree.s.kids[at].kids[i]
            at = tree.s.kids[at].next
        line.append(as_move(move))
        first = following
    return line


def check_worlds(worlds, view):
    """Return worlds unchanged if they are those of a view."""
    if not isinstance(worlds, Worlds):
        raise TypeError(f"worlds must be Worlds, not {type(worlds).__name__}: {reprlib.repr(worlds)}")
    if (<Worlds>worlds).view != view:
        raise ValueError(f"{worlds!r} are not the worlds of {view!r}")
    return worlds


def check_settings(iterations, seconds, explore, reward, playout, epsilon, trees, threads, scores):
    """Refuse settings that no search can have.

    :raises ValueError: on a bad number or word.
    """
    if iterations is not None:
        check_range(iterations, "iterations", 1, MAX_ITERATIONS)
    check_range(trees, "trees", 1, 1 << 12)
    check_threads(threads)
    if seconds is not None:
        check_seconds(seconds)
    check_word(reward, "reward", REWARDS)
    check_word(playout, "playout", PLAYOUTS)
    if explore is not None:
        check_number(explore, "explore", 1e6)
    check_number(epsilon, "epsilon", 1)
    if scores is not None:
        if not isinstance(scores, (list, tuple)):
            raise TypeError(f"scores must be a sequence of ints, not {type(scores).__name__}: {scores!r}")
        for points in scores:
            check_range(points, "scores", 0, 10**6)
