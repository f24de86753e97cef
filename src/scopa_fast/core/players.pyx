"""The rule players: moves chosen by what the seat to move sees, without a search."""

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t

from scopa_fast.core.cards cimport KIND_DECLARE, KIND_SHIFT, MAX_RANKS
from scopa_fast.core.conventions cimport (
    ABSENT, ACE_GUARD, ANCHOR, ECHO_LOW, ELEVEN, FORTY_EIGHT, LAST_EVEN, LEAVE_DOUBLES, MARGINAL, MULINELLO, OPENING_SPARIGLIO,
    PARTNER_DOUBLE, adopt_conventions, player_worth,
)
from scopa_fast.core.generate cimport playable_cards
from scopa_fast.core.greedy cimport best_declaration, greedy_card
from scopa_fast.core.knowledge cimport Knowledge, know, recall
from scopa_fast.core.lookup cimport Lookup, lookup_table
from scopa_fast.core.position cimport next_seat, plays_left, rank_cards
from scopa_fast.core.rng cimport Rng, below
from scopa_fast.core.rules cimport NativeRules
from scopa_fast.core.strategy cimport Player, Prospect, look_round
from scopa_fast.core.values cimport ValueTable, value_table
from scopa_fast.core.view cimport SeatView, as_view, to_move


cdef Rng as_rng(object rng):
    if not isinstance(rng, Rng):
        raise TypeError(f"rng must be an Rng of the native engine, not {type(rng).__name__}: {rng!r}")
    return rng


def absent_cards(view):
    """Return, for each seat, the cards it does not hold if it never passes over a sweep that scores, as masks.

    Those of all ranks with which it could have swept in this round when it played something else, as far as the moves are known
    and the cards are not. The own seat and exposed ones have none.

    :param view: what a seat sees; it need not be to move.
    """
    cdef SeatView seen = as_view(view)
    cdef Knowledge knowledge
    cdef uint64_t cards
    cdef int q, rank
    know(&seen.native.c, &seen.c, seen.viewer, &knowledge)
    recall(seen.moves_made, seen.n_moves, &knowledge)
    found = []
    for q in range(seen.native.c.seats):
        cards = 0
        for rank in range(1, MAX_RANKS + 1):
            if knowledge.absent[q] >> (rank - 1) & 1:
                cards |= rank_cards(&seen.c, rank)
        found.append(cards & knowledge.unseen if seen.is_hidden(q) else 0)
    return tuple(found)


def greedy_move(view, rng):
    """Return the greedy player's move, as a packed int; of moves that are equally good each with the same chance.

    :param view: what the seat to move sees.
    :param rng: an :class:`Rng`, which advances.
    :raises IllegalMoveError: if the seat is not to move.
    """
    cdef SeatView seen = to_move(view)
    cdef uint64_t* stream = &as_rng(rng).stream
    cdef NativeRules native = seen.native
    cdef ValueTable values = value_table(native)
    cdef int following = next_seat(&native.c, seen.viewer)
    cdef uint64_t others = seen.hidden_cards if seen.is_hidden(following) else seen.c.cards[following]
    cdef uint64_t declaration = best_declaration(&native.c, &seen.c, stream)
    if declaration:
        return declaration
    return greedy_card(&native.c, &lookup_table(native).c, &values.c, &seen.c, playable_cards(&native.c, &seen.c), others,
                       plays_left(&native.c, &seen.c), stream)


CONVENTIONS = {
    "partner_double": PARTNER_DOUBLE, "echo_low": ECHO_LOW, "opening_spariglio": OPENING_SPARIGLIO, "last_even": LAST_EVEN,
    "forty_eight": FORTY_EIGHT, "marginal": MARGINAL, "ace_guard": ACE_GUARD, "anchor": ANCHOR, "eleven": ELEVEN,
    "leave_doubles": LEAVE_DOUBLES, "mulinello": MULINELLO, "absent": ABSENT,
}
"""The optional conventions of cs and cg, by name.

``partner_double``: leave the last card that the partner laid, and answer it with one of its rank if another side took it.
``echo_low``: the first player's side leaves cards of ranks 1 to 4, the dealer's takes them.
``opening_spariglio``: take one of the sums 3+2, 3+1, 5+1 or 7+1, 7+2, 7+3 with the first card of the deal.
``last_even``: of two cards the dealer keeps one of a rank that is not broken, the seat before it one of a broken rank.
``forty_eight``: play the last card by the points that it makes on average, if at most four hands are hidden.
``marginal``: cards are worth what they add to the own pile.
``ace_guard``: where aces sweep, do not burn one, nor leave much to one of the next seat.
``anchor``: leave a table that only the own hand can sweep, and such a one of the partner.
``eleven``: leave a sum of eleven to the other side.
``leave_doubles``: when capturing, leave cards of which the hand holds two or more.
``mulinello``: leave the next seat a table on which whatever it lays is taken by the partner.
``absent``: believe that a seat lacks a rank with which it passed over a scopa.
"""


cdef list score_moves(SeatView seen, list moves, bint sevens, object conventions):
    """The scores of packed moves."""
    cdef Player player
    cdef Knowledge knowledge
    cdef Prospect prospect
    cdef const Lookup* look = &lookup_table(seen.native).c
    cdef ValueTable values = value_table(seen.native)
    cdef uint64_t move
    player.values = &values.c
    player.sevens = sevens
    player.conventions = 0
    for name in conventions:
        if name not in CONVENTIONS:
            raise ValueError(f"no convention {name!r}: one of {', '.join(CONVENTIONS)}")
        player.conventions |= CONVENTIONS[name]
    know(&seen.native.c, &seen.c, seen.viewer, &knowledge)
    recall(seen.moves_made, seen.n_moves, &knowledge)
    look_round(&player, &knowledge, &prospect)
    adopt_conventions(&knowledge, &prospect)
    most = max([move & 255 for move in moves if (move >> KIND_SHIFT) & 3 == KIND_DECLARE], default=0)
    scores = []
    for move in moves:
        if (move >> KIND_SHIFT) & 3 == KIND_DECLARE:
            scores.append(INFINITY if move & 255 == <uint64_t>most else -INFINITY)
        else:
            scores.append(player_worth(&prospect, look, move))
    return scores


def cs_scores(view, *, sevens=False, conventions=()):
    """Return the score that the player cs gives each legal move, in the order of ``view.legal_moves()``; the largest is played.

    A declaration for the most points has an infinite score, any other one less than every move.

    :param view: what the seat to move sees.
    :param sevens: whether to add the module for the sevens: the player cg.
    :param conventions: names of :data:`CONVENTIONS` to follow.
    :raises IllegalMoveError: if the seat is not to move.
    :raises ValueError: on an unknown convention.
    """
    cdef SeatView seen = to_move(view)
    return score_moves(seen, seen.legal_move_ints(), sevens, conventions)


def cs_move(view, rng, *, sevens=False, conventions=()):
    """Return the move of the largest score, as a packed int; of several each with the same chance.

    :param rng: an :class:`Rng`, which advances.

    Other parameters and errors as those of :func:`cs_scores`.
    """
    cdef SeatView seen = to_move(view)
    cdef uint64_t* stream = &as_rng(rng).stream
    cdef list moves = seen.legal_move_ints(), scores
    scores = score_moves(seen, moves, sevens, conventions)
    most = max(scores)
    best = [move for move, score in zip(moves, scores) if score == most]
    return best[below(stream, len(best))] if len(best) > 1 else best[0]
