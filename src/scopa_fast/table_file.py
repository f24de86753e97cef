"""Files that hold a solver's table: a line that says what they are, a JSON line, the table, and a checksum of it all."""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from .errors import InvalidTableError

__all__ = ["check_writable", "read_table", "write_table"]

_MAGIC = b"scopa_fast table 1\n"
_CHUNK = 1 << 24
_numbers = count()


def write_table(path: str | os.PathLike[str], header: dict[str, Any], words: Any) -> None:
    """Write a file, whole or not at all.

    :param words: an array of uint64, or an empty bytes.
    :raises OSError: if it cannot be written.
    """
    path = Path(os.path.realpath(path))
    data = memoryview(words).cast("B")
    lead = _MAGIC + json.dumps(header | {"words": len(data) // 8}).encode() + b"\n"
    check = zlib.crc32(lead)
    # Beside the old file, which is not touched until the new one is complete.
    beside = _beside(path)
    try:
        with beside.open("wb") as file:
            file.write(lead)
            for start in range(0, len(data), _CHUNK):
                # Threads may write the table meanwhile: what is summed is what is written.
                chunk = bytes(data[start : start + _CHUNK])
                check = zlib.crc32(chunk, check)
                file.write(chunk)
            file.write(check.to_bytes(4, "little"))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise _named(error, path) from None
    finally:
        with contextlib.suppress(OSError):  # none is there if all went well, or none could be made
            beside.unlink(missing_ok=True)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a path that cannot be written, before hours of work.

    :raises OSError: if it cannot.
    """
    beside = _beside(Path(os.path.realpath(path)))
    try:
        beside.touch()
        beside.unlink()
    except OSError as error:
        raise _named(error, path) from None


def _named(error: OSError, path: str | os.PathLike[str]) -> OSError:
    """Return an error that names the file it was about, not the one beside it."""
    return OSError(error.errno, error.strerror, str(path))


def _beside(path: Path) -> Path:
    """Return a path beside a file, for it alone."""
    if path.is_dir():
        raise IsADirectoryError(21, os.strerror(21), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(2, os.strerror(2), str(path))
    if path.exists() and not path.is_file():
        raise FileExistsError(17, "not a regular file", str(path))
    return path.with_name(f".{path.name}.{os.getpid()}.{next(_numbers)}")


def read_table(path: str | os.PathLike[str], place: Callable[[dict[str, Any], int], Any]) -> dict[str, Any]:
    """Read a file and return its header.

    :param place: told the header and the number of words, returns an array of uint64 to read them into.
    :raises InvalidTableError: if it is not such a file, or damaged.
    :raises OSError: if it cannot be read.
    """
    with Path(path).open("rb") as file:
        magic, line = file.read(len(_MAGIC)), file.readline(1 << 20)
        if magic != _MAGIC:
            raise InvalidTableError(f"{path}: not a file of a solver's table")
        header = _read_header(path, line)
        words = header["words"]
        if os.fstat(file.fileno()).st_size != len(magic) + len(line) + 8 * words + 4:
            raise InvalidTableError(f"{path}: damaged: its size is not what it says it is")
        data, check = memoryview(place(header, words)).cast("B"), zlib.crc32(magic + line)
        for start in range(0, len(data), _CHUNK):
            file.readinto(data[start : start + _CHUNK])
            check = zlib.crc32(data[start : start + _CHUNK], check)
        if file.read(4) != check.to_bytes(4, "little"):
            raise InvalidTableError(f"{path}: damaged: the checksum does not fit")
    return header


def _read_header(path: str | os.PathLike[str], line: bytes) -> dict[str, Any]:
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    if not isinstance(header, dict) or not isinstance(header.get("words"), int) or header["words"] < 0:
        raise InvalidTableError(f"{path}: damaged: {line[:60]!r}")
    return header
