"""The command line: ``scopa-fast`` and ``python -m scopa_fast`` (docs/commands.md)."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from .. import __version__
from .check import replay, verify
from .common import OneLineGroup, emit
from .inspect import captures, perft, rules
from .play import play
from .simulate import simulate
from .solve import analyse, solve
from .tournament import tournament

__all__ = ["app", "main"]

app = typer.Typer(cls=OneLineGroup, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
for command in (simulate, rules, captures, perft, replay, verify, solve, analyse, tournament, play):
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        emit(f"scopa-fast {__version__}")
        raise typer.Exit


@app.callback()
def scopa_fast(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")] = False,
) -> None:
    """Simulate and examine Scopa, Scopone and their relatives."""


def main() -> None:
    """Run the command of the command line and exit."""
    # Bots of the folder at hand are found, after all that is installed.
    sys.path.append("")
    app()
