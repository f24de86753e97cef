"""A plain minimax on the reference: every line of play to its end, with all cards open. It says what an exact solver must answer.

It knows no bounds, no table, no cut-offs, and no order of moves but the canonical one (DECK-8).
"""

from __future__ import annotations

from dataclasses import dataclass

from scopa_fast import Move, reference

__all__ = ["Answer", "minimax"]


@dataclass(frozen=True)
class Answer:
    """What a position is worth, move by move."""

    value: int
    """Final points of side 0 minus those of side 1 (PT-12); what a deal does to a match (PT-13, PT-14, MAT-5) is left out."""
    values: dict[Move, int]
    """The value after each legal move, in canonical order."""
    line: tuple[Move, ...]
    """The moves to the end of the deal, the first optimal one at each step."""

    @property
    def best(self) -> tuple[Move, ...]:
        """Every optimal move."""
        return tuple(move for move, value in self.values.items() if value == self.value)


def minimax(state: reference.State) -> Answer:
    """Solve a position between two sides: side 0 plays for the largest value, side 1 for the smallest."""
    if state.is_terminal():
        ours, theirs = state.score().total
        return Answer(ours - theirs, {}, ())
    answers = {}
    for move in state.legal_moves():
        state.play_unchecked(move)
        answers[move] = minimax(state)
        state.undo()
    values = {move: answer.value for move, answer in answers.items()}
    value = max(values.values()) if state.side == 0 else min(values.values())
    first = next(move for move in values if values[move] == value)
    return Answer(value, values, (first, *answers[first].line))
