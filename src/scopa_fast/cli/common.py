"""What the commands share: one-line errors, output that survives a closed pipe, tables, and the rules options."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType, ModuleType
from typing import Annotated, Any, TextIO

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress, ProgressColumn
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from ..errors import ScopaError
from ..rules import Rules, parse_option, parse_rules

__all__ = [
    "BAD_DATA", "INTERRUPTED", "Failure", "Interrupt", "JsonOption", "NewRulesOption", "OneLineGroup", "RulesOption", "SeedOption",
    "SetOption", "emit", "emit_json", "emit_tables", "is_terminal", "new_deal", "parse_rules_options", "progress_bar", "quoted",
    "whole_number",
]

PROGRAM = "scopa-fast"
BAD_DATA, USAGE = 1, 2
PIPE_CLOSED = 141
"""128 + SIGPIPE: what a program killed by a closed pipe ends with."""
INTERRUPTED = 130
PIPE_WIDTH = 160
"""Columns of a table that goes to a file or a pipe."""


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a parser of whole numbers in a range, whose complaint quotes the word."""

    def parse(word: str | int) -> int:  # typer hands over the default as it is
        text = str(word).strip()
        number = int(text) if text.isascii() and text.removeprefix("-").isdigit() and len(text) <= 20 else None
        if number is None or number < least or (most is not None and number > most):
            wanted = f"of {least} or more" if most is None else f"from {least} to {most}"
            raise typer.BadParameter(f"{quoted(text)} is not a whole number {wanted}")
        return number

    return parse


NewRulesOption = Annotated[str | None, typer.Option("--rules", metavar="NAME", help="The rules of a new deal. \\[default: scopa]")]
RulesOption = Annotated[str, typer.Option("--rules", metavar="NAME", help="A preset, or a preset with options: 'scopone\\[target=21]'.")]
SetOption = Annotated[list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="Change one option; repeatable.")]
SeedOption = Annotated[
    int | None, typer.Option("--seed", metavar="N", parser=whole_number(0, (1 << 64) - 1), help="Seed of the cards and of random choices.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


class Failure(typer.TyperException):
    """An error that is the user's to mend: one line on stderr and an exit code."""

    def __init__(self, message: object, exit_code: int = USAGE) -> None:
        super().__init__(str(message))
        self.exit_code = exit_code


class Interrupt:
    """Turns the first Ctrl-C into a request to stop after the current chunk; the second one stops at once.

    :param leave: how to stop at once where a :class:`KeyboardInterrupt` would still wait for threads.
    """

    def __init__(self, leave: Callable[[], object] | None = None) -> None:
        self.requested = False
        self._leave = leave

    def __enter__(self) -> Interrupt:
        # Only the main thread may set handlers, and only it is interrupted.
        self._main = threading.current_thread() is threading.main_thread()
        if self._main:
            self._before = signal.signal(signal.SIGINT, self._request)
        return self

    def __exit__(self, *_error: object) -> None:
        if self._main:
            signal.signal(signal.SIGINT, self._before)

    def _request(self, _number: int, _frame: FrameType | None) -> None:
        if self.requested and self._leave is not None:
            self._leave()
        self.requested = True
        if self._leave is None:
            signal.signal(signal.SIGINT, signal.default_int_handler)


class OneLineGroup(TyperGroup):
    """The commands, with every error told in one line instead of a frame or a traceback."""

    def main(
        self, args: Sequence[str] | None = None, prog_name: str | None = None, complete_var: str | None = None,
        standalone_mode: bool = True, windows_expand_args: bool = True, **extra: Any,
    ) -> Any:
        """Run the command and exit with its code; 2 for a wrong command line, 1 for bad data."""
        try:
            code = super().main(args, prog_name or PROGRAM, complete_var, False, windows_expand_args, **extra)
        except typer.TyperException as error:
            _complain(error.format_message())
            code = error.exit_code
        except (ScopaError, OSError) as error:
            _complain(str(error))
            code = BAD_DATA
        except typer.Abort:
            code = INTERRUPTED
        if standalone_mode:
            sys.exit(code if isinstance(code, int) else 0)
        return code


def _complain(message: str) -> None:
    text = " ".join(message.split())
    if text and sys.stderr is not None:  # there is no text when the help is shown instead
        print(f"{PROGRAM}: {text}", file=sys.stderr)


def emit(text: str) -> None:
    """Write a text and a newline to stdout; if nobody reads it any more, or ever did, end quietly."""
    if sys.stdout is None:
        raise typer.Exit(PIPE_CLOSED)
    try:
        sys.stdout.write(_encodable(text) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered goes nowhere, so that the flush at exit does not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(PIPE_CLOSED) from None


def _encodable(text: str) -> str:
    """Return a text that stdout can write, with stand-ins where its encoding lacks a sign."""
    encoding = _encoding()
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.replace("±", "+-").encode(encoding, "replace").decode(encoding)
    return text


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sees what is written; a stream that was closed from the start is None."""
    return stream is not None and stream.isatty()


def progress_bar(*columns: ProgressColumn) -> Progress:
    """Return a bar for stderr, so that the output stays clean; silent unless a person sees both."""
    visible = is_terminal(sys.stderr) and is_terminal(sys.stdout)
    return Progress(*columns, console=Console(stderr=True), transient=True, disable=not visible)


def quoted(text: str) -> str:
    """Return a word in quotes, and no more of it than helps to find it."""
    return repr(text if len(text) <= 100 else f"{text[:80]}...")


def emit_json(data: object) -> None:
    """Write a value as JSON to stdout."""
    emit(json.dumps(data, indent=2))


def emit_tables(*parts: Table | Text) -> None:
    """Write tables and texts to stdout, in colour on a terminal and plain elsewhere."""
    terminal = is_terminal(sys.stdout)
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=None if terminal else PIPE_WIDTH, highlight=False)
    for part in parts:
        if isinstance(part, Table) and not _encoding().lower().startswith("utf"):
            part.box = box.ASCII
        # Texts are not wrapped: a position must stay one line that can be pasted.
        console.print(part, soft_wrap=isinstance(part, Text))
    emit("\n".join(line.rstrip() for line in out.getvalue().rstrip("\n").split("\n")))


def parse_rules_options(text: str, changes: Sequence[str] | None) -> Rules:
    """Return the rules of ``--rules`` and every ``--set``.

    :raises Failure: quoting what is wrong.
    """
    options: dict[str, Any] = {}
    try:
        rules = parse_rules(text)
        for change in changes or ():
            name, equals, value = change.partition("=")
            name = name.strip()
            if not equals:
                raise Failure(f"no value in --set {change!r}: write option=value")
            if name in options:
                raise Failure(f"--set {change!r}: {name} is set twice")
            options[name] = parse_option(name, value)
        return rules.replace(**options)
    except ScopaError as error:
        raise Failure(error) from None


def new_deal(position: str | None, rules: str | None, changes: Sequence[str] | None, seed: int | None, engine: ModuleType) -> Any:
    """Return a new state of some rules if there is no position; None if there is one.

    :raises Failure: if there are both.
    """
    if position is None:
        return engine.State(parse_rules_options(rules or "scopa", changes), seed or 0)
    if rules is not None or changes or seed is not None:
        raise Failure(f"--rules, --set and --seed are for a new deal, not for {quoted(position)}")
    return None
