"""The results of a tournament as JSON lines: a head that says what is played, then a line for each deal of each pairing."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NoReturn

from ..errors import InvalidResultsError
from .arena import DealResult, Results, Tournament

__all__ = ["InvalidResultsError", "ResultFile", "read_seed"]

KIND, FORMAT = "results", 1
MOST_POINTS = (1 << 15) - 1


class ResultFile:
    """A file of results that can be gone on with, however the run that wrote it was stopped.

    What it holds is read into :attr:`results`, as far as it is asked for: a tournament of fewer deals leaves the others in the file,
    and one of more goes on after them. A last line that was half written is cut off. New results are at the end, and with the
    operating system, when :meth:`write` returns. Nobody else can have the file meanwhile.

    :raises InvalidResultsError: if it holds something else or damaged lines, with file, line and reason, or is in use.
    :raises OSError: if it cannot be read and written.
    """

    def __init__(self, path: str | os.PathLike[str], tournament: Tournament) -> None:
        self.path = os.fspath(path)
        if Path(path).exists() and not Path(path).is_file():
            raise FileExistsError(17, "not a regular file", self.path)
        self.results = Results(tournament)
        self._numbers = {pairing: number for number, pairing in enumerate(tournament.pairings)}
        head = head_of(tournament)
        text = json.dumps(head).encode() + b"\n"
        self._file = Path(path).open("a+b")  # noqa: SIM115  # closed by close()
        try:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InvalidResultsError(f"{self.path}: another run is using it") from None
            self._file.seek(0)
            end = self._read(head, text)
            if self._file.seek(0, os.SEEK_END) > end:
                self._file.truncate(end)
            if end == 0:
                self._file.write(text)
                self._file.flush()
        except BaseException:
            self._file.close()
            raise

    def _read(self, head: dict[str, Any], text: bytes) -> int:
        """Read all whole lines and return where they end."""
        end = 0
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n"):
                # A head that was half written is like no head; anything else is somebody's file.
                if number == 1 and not text.startswith(line):
                    self._refuse(1, f"no results of a tournament: {line[:80]!r}")
                break
            if number == 1:
                self._check_head(line, head)
            elif self.results.slot is None:
                # More deals than are asked for now: they stay.
                return self._file.seek(0, os.SEEK_END)
            else:
                self._add(line, number)
            end += len(line)
        return end

    def _check_head(self, line: bytes, head: dict[str, Any]) -> None:
        found = parse_head(line)
        if found is None:
            self._refuse(1, f"no results of a tournament: {line[:80]!r}")
        for name in head | found:
            if found.get(name) != head.get(name):
                there, here = _differences(found.get(name), head.get(name))
                self._refuse(1, f"results of another tournament: {name} is {there} there and {here} here")

    def _add(self, line: bytes, number: int) -> None:
        try:
            data = json.loads(line)
            pairing, deal, points, moves, seconds = (data[name] for name in ("pairing", "deal", "points", "moves", "seconds"))
        except (ValueError, KeyError, TypeError, RecursionError):
            self._refuse(number, f"damaged: {line[:80]!r}")
        plan, sides = self.results.tournament, len(self.results.tournament.rules.sides)
        sound = (
            isinstance(pairing, list) and all(type(entrant) is int for entrant in pairing) and tuple(pairing) in self._numbers
            and type(deal) is int and type(moves) is int and 0 <= moves < 1 << 31
            and type(seconds) in (int, float) and 0 <= seconds < 1e12
            and isinstance(points, list) and len(points) == sides
            and all(isinstance(row, list) and len(row) == sides for row in points)
            and all(type(number) is int and 0 <= number <= MOST_POINTS for row in points for number in row)
        )
        if not sound:
            self._refuse(number, f"damaged: {line[:80]!r}")
        result = DealResult(self._numbers[tuple(pairing)], deal, tuple(map(tuple, points)), moves, seconds)
        if self.results.slot_of(result) != self.results.slot:
            labels = " v ".join(plan.labels(result.pairing))
            self._refuse(number, f"damaged: deal {deal} of {labels} is not the next, which is {self.results.expected()}")
        self.results.add(result)

    def _refuse(self, line: int, reason: str) -> NoReturn:
        raise InvalidResultsError(f"{self.path}:{line}: {reason}") from None

    def write(self, results: list[DealResult]) -> None:
        """Write the next results.

        :raises OSError: if they cannot be written.
        """
        pairings = self.results.tournament.pairings
        for result in results:
            data = result._asdict() | {"pairing": pairings[result.pairing]}
            self._file.write(json.dumps(data).encode() + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> ResultFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> Literal[False]:
        try:
            self.close()
        except OSError:
            # What could not be written fails once more, which was told already.
            if error is None:
                raise
        return False


def head_of(tournament: Tournament) -> dict[str, Any]:
    """Return the head of a tournament's file: all that its results depend on."""
    from .. import __version__

    return {"scopa_fast": KIND, "format": FORMAT, "version": __version__} | tournament.about()


def parse_head(line: bytes) -> dict[str, Any] | None:
    """Return the head of a file, None if it is none."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and data.get("scopa_fast") == KIND else None


def read_seed(path: str | os.PathLike[str]) -> int | None:
    """Return the seed of a file of results, None if there is no such file or no whole head in it.

    :raises OSError: if it cannot be read.
    """
    try:
        with Path(path).open("rb") as file:
            head = parse_head(file.readline(1 << 20))
    except FileNotFoundError:
        return None
    seed = head.get("seed") if head else None
    return seed if type(seed) is int else None


def _differences(there: Any, here: Any) -> tuple[str, str]:
    """Return two values as texts, of lists only what differs."""
    if isinstance(there, list) and isinstance(here, list):
        texts = [[json.dumps(value) for value in values] for values in (there, here)]
        only = [[text for text in texts[i] if text not in texts[1 - i]] for i in (0, 1)]
        there_text, here_text = (", ".join(only[i] or texts[i]) for i in (0, 1))
        return there_text, here_text
    return json.dumps(there), json.dumps(here)
