"""Every error of the library: one ``ValueError`` subclass for each reason.

A value of the wrong *type* raises ``TypeError`` instead. Messages quote the input and,
where there is one, the position or the file and line.
"""

from __future__ import annotations

__all__ = [
    "DealNotOverError",
    "IllegalMoveError",
    "ImpossibleViewError",
    "InvalidCardError",
    "InvalidCaseError",
    "InvalidDealsError",
    "InvalidDeckError",
    "InvalidMoveError",
    "InvalidPositionError",
    "InvalidRecordError",
    "InvalidResultsError",
    "InvalidRulesError",
    "InvalidSeatError",
    "InvalidSeedError",
    "InvalidTableError",
    "LimitReachedError",
    "MoveIndexError",
    "NothingToUndoError",
    "ScopaError",
    "UnknownRulesError",
    "UnsolvableRulesError",
    "VoidDealError",
]


class ScopaError(ValueError):
    """The base of every error this library raises on a bad value."""


class UnknownRulesError(ScopaError):
    """There is no preset of this name."""


class InvalidRulesError(ScopaError):
    """An unknown option, a value outside its list (OPT-1) or a barred combination (OPT-2)."""


class InvalidCardError(ScopaError):
    """Not the text, name or index of a card of this pack (DECK-2, DECK-6)."""


class InvalidDeckError(ScopaError):
    """A deck that is not each card of the pack exactly once."""


class VoidDealError(ScopaError):
    """The deal is void (DEAL-6, DEAL-7) and cannot be played."""


class InvalidMoveError(ScopaError):
    """Not the text or the packed integer of a move."""


class IllegalMoveError(ScopaError):
    """A well-formed move that the rules do not allow in this position."""


class MoveIndexError(ScopaError, IndexError):
    """An index outside the list of legal moves."""


class InvalidPositionError(ScopaError):
    """A position text or a set of cards that no deal can continue from."""


class InvalidRecordError(ScopaError):
    """A game record that is malformed or holds an illegal move."""


class InvalidCaseError(ScopaError):
    """A worked case that does not have the documented shape."""


class InvalidSeatError(ScopaError):
    """A seat or side number outside the game."""


class InvalidSeedError(ScopaError):
    """A seed outside 0 .. 2**64 - 1."""


class DealNotOverError(ScopaError):
    """A score was asked for before the last card was played (MAT-4)."""


class NothingToUndoError(ScopaError):
    """``undo`` was called more often than ``play``."""


class UnsolvableRulesError(ScopaError):
    """A value was asked for of rules with more than two sides (SEAT-2), where there is none."""


class LimitReachedError(ScopaError):
    """A value was asked for that a limit on nodes or seconds left between two bounds."""


class ImpossibleViewError(ScopaError):
    """A seat's view that no deal is left for, once cards are excluded."""


class InvalidDealsError(ScopaError):
    """A file that holds no frozen deals, or damaged ones."""


class InvalidResultsError(ScopaError):
    """A file that holds no results, damaged ones, those of another tournament, or one in use by another run."""


class InvalidTableError(ScopaError):
    """A file that holds no solver's table, a damaged one, or one of another position."""
