"""Pictures that commands draw with ``--plot``: refused before the long work if they cannot be drawn, not after it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from ..table_file import check_writable
from .common import Failure

__all__ = ["new_figure", "save_figure"]


def new_figure(path: Path) -> Any:
    """Return an empty picture.

    :raises Failure: if matplotlib is missing, it cannot write such pictures, or not there.
    """
    try:
        matplotlib, figures = importlib.import_module("matplotlib"), importlib.import_module("matplotlib.figure")
    except ImportError:
        raise Failure(f"--plot {str(path)!r} needs matplotlib: install it, or scopa_fast with the extra 'plot'") from None
    matplotlib.rcParams["text.parse_math"] = False  # a $ in a name is a dollar
    figure = figures.Figure(figsize=(10, 5), layout="constrained")
    kinds = figure.canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in kinds:
        raise Failure(f"--plot {str(path)!r}: a picture's name ends with one of .{', .'.join(sorted(kinds))}")
    try:
        check_writable(path)
    except OSError as error:
        raise _unwritable(path, error) from None
    return figure


def save_figure(figure: Any, path: Path) -> None:
    """Write a picture.

    :raises Failure: if it cannot be written.
    """
    try:
        figure.savefig(path)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> Failure:
    return Failure(f"cannot write --plot {str(path)!r}: {error.strerror}")
