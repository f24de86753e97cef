"""``scopa-fast play``: a person against bots, on a terminal or line by line through a pipe."""

from __future__ import annotations

import io
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ..bots import find_bot, split_bots
from ..core import Match, Rng
from ..errors import ScopaError
from ..rules import Rules
from .card_names import CardNames
from .common import (
    INTERRUPTED,
    Failure,
    RulesOption,
    SeedOption,
    SetOption,
    emit,
    parse_rules_options,
    quoted,
    whole_number,
)
from .session import Player, Session, write_record

__all__ = ["play"]

DEALER_STREAM = 1 << 33
"""The stream below the seed's own that draws the first dealer; deals have those from 0 on."""


def play(
    rules: RulesOption = "scopa",
    set_: SetOption = None,
    target: Annotated[
        int | None, typer.Option("--target", metavar="N", parser=whole_number(1), help="Points that win the match.")
    ] = None,
    deals: Annotated[
        int | None, typer.Option("--deals", metavar="N", parser=whole_number(1), help="Stop after N deals. \\[default: a whole match]")
    ] = None,
    bots: Annotated[
        str, typer.Option("--bots", metavar="NAMES", help="Who else plays: one name for all, or one for each, in turn order after you.")
    ] = "ismcts",
    seat: Annotated[int, typer.Option("--seat", metavar="SEAT", parser=whole_number(0), help="Your seat.")] = 0,
    dealer: Annotated[
        str | None, typer.Option("--dealer", metavar="SEAT", help="Who deals first, or 'random'. \\[default: the last seat]")
    ] = None,
    seed: SeedOption = None,
    hints: Annotated[bool, typer.Option("--hints", help="Give the hint for every move without being asked.")] = False,
    hint_bot: Annotated[str, typer.Option("--hint-bot", metavar="BOT", help="Whose opinion a hint is.")] = "ismcts",
    strict: Annotated[bool, typer.Option("--strict", help="No move is taken back.")] = False,
    french: Annotated[bool, typer.Option("--french", help="French-suited names: J Q K, and D H S C.")] = False,
    record: Annotated[Path | None, typer.Option("--record", metavar="FILE", help="Write each deal to a file as a JSON line.")] = None,
) -> None:
    """Play a match against bots: your own hand and what everybody sees is shown, and you say what you play."""
    session = _set_up(rules, set_, target, deals, bots, seat, dealer, seed, hints, hint_bot, strict, french, record)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a byte that is no letter is a wrong answer, not the end
    if record is not None:
        write_record(record, "", "w")
    try:
        session.play()
    except KeyboardInterrupt:
        emit(f"\nInterrupted. {session.standing()}")
        raise typer.Exit(INTERRUPTED) from None


def _set_up(
    rules_text: str, changes: Sequence[str] | None, target: int | None, deals: int | None, bots: str, seat: int, dealer: str | None,
    seed: int | None, hints: bool, hint_bot: str, strict: bool, french: bool, record: Path | None,
) -> Session:
    rules = parse_rules_options(rules_text, [*(changes or ()), *([] if target is None else [f"target={target}"])])
    if target is not None and rules.match_deals:
        raise Failure(f"--target {target} is not for {rules.text}, a match of {rules.match_deals} deals (MAT-7)")
    if seed is None:
        seed = secrets.randbits(32)  # 32 bits: short enough to type again
    try:
        players = _seat_players(rules, rules.check_seat(seat), split_bots(bots))
        adviser = Player(hint_bot, find_bot(hint_bot))
        match = Match(rules, dealer=_first_dealer(rules, dealer, seed))
    except ScopaError as error:
        raise Failure(error) from None
    if adviser.cheats:
        raise Failure(f"--hint-bot {quoted(hint_bot)} sees all cards, and a hint may not")
    names = CardNames(rules.deck, french)
    return Session(match, seat, players, seed, deals, names, adviser, always_hint=hints, strict=strict, record=record)


def _first_dealer(rules: Rules, dealer: str | None, seed: int) -> int | None:
    if dealer is None:
        return None
    if dealer == "random":
        return Rng(seed).spawn(DEALER_STREAM).below(rules.seats)
    if not (dealer.isascii() and dealer.isdigit() and len(dealer) < 10):
        raise Failure(f"--dealer {quoted(dealer)} is neither a seat number nor 'random'")
    return rules.check_seat(int(dealer), "dealer")


def _seat_players(rules: Rules, own: int, texts: Sequence[str]) -> dict[int, Player]:
    """Return the bot of each other seat.

    :raises ScopaError: on an unknown bot or another number of them.
    """
    others = [(own + turn) % rules.seats for turn in range(1, rules.seats)]
    if len(texts) not in (1, len(others)):
        counts = "1" if len(others) == 1 else f"1 or {len(others)}"
        raise ScopaError(f"{len(texts)} bots ({', '.join(texts)}) for {len(others)} other seats in {rules.text}: give {counts}")
    each = list(texts) * len(others) if len(texts) == 1 else texts
    return {seat: Player(text, find_bot(text)) for seat, text in zip(others, each, strict=True)}
