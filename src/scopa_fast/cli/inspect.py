"""``scopa-fast rules``, ``captures`` and ``perft``: looking at rulesets and positions."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from ..cards import MATTA, CardSet, format_card, parse_card, parse_cards, rank_of, rank_value
from ..engines import Backend, find_engine
from ..errors import ScopaError
from ..moves import Move
from ..notation import format_french_card, parse_french_card
from ..rules import OPTIONS, PRESETS, TITLES, Rules, find_rules, format_option, parse_rules
from .common import (
    INTERRUPTED,
    Failure,
    JsonOption,
    NewRulesOption,
    RulesOption,
    SeedOption,
    SetOption,
    emit_json,
    emit_tables,
    new_deal,
    parse_rules_options,
    whole_number,
)

__all__ = ["captures", "perft", "rules"]


# rules


def rules(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A preset, or a preset with options; none for the table.")] = None,
    json_: JsonOption = False,
) -> None:
    """Show the table of presets, or every option of one."""
    if name is None:
        presets = [find_rules(preset) for preset in PRESETS]
        emit_json([_preset(rules) for rules in presets]) if json_ else emit_tables(_presets_table(presets))
        return
    try:
        chosen = parse_rules(name)
    except ScopaError as error:
        raise Failure(error) from None
    if json_:
        emit_json(_preset(chosen) | {"text": chosen.text, "values": chosen.options(), "options": _options(chosen)})
    else:
        emit_tables(Text(f"{chosen.text}: {TITLES[chosen.name]}", style="bold"), _options_table(chosen))


def _preset(rules: Rules) -> dict[str, Any]:
    return {
        "name": rules.name, "title": TITLES[rules.name], "seats": rules.seats, "hand": rules.hand, "table": rules.table,
        "rounds": rules.rounds, "sides": rules.sides, "differs": PRESETS[rules.name],
    }


def _presets_table(presets: list[Rules]) -> Table:
    table = Table()
    for title in ("preset", "game", "seats", "hand", "table", "options that differ from the default"):
        table.add_column(title, justify="right" if title in ("seats", "hand", "table") else "left")
    for rules in presets:
        # Seats and hand sizes have columns of their own.
        differs = {name: value for name, value in PRESETS[rules.name].items() if name not in ("seats", "hand", "table")}
        words = ", ".join(f"{name}={format_option(value)}" for name, value in differs.items())
        table.add_row(rules.name, TITLES[rules.name], str(rules.seats), str(rules.hand), str(rules.table), words)
    return table


def _options(rules: Rules) -> list[dict[str, Any]]:
    return [
        {
            "option": option.name, "value": getattr(rules, option.name), "default": option.default,
            "allowed": option.describe(), "rules": option.ids.split(), "meaning": option.meaning,
        }
        for option in OPTIONS.values()
    ]


def _options_table(rules: Rules) -> Table:
    table = Table()
    for title in ("option", "value", "default", "allowed", "rules", "meaning"):
        table.add_column(title)
    for option in OPTIONS.values():
        value = getattr(rules, option.name)
        style = "bold" if value != option.default else ""
        table.add_row(
            option.name, format_option(value), format_option(option.default), option.describe(), option.ids, option.meaning, style=style
        )
    return table


# captures


def captures(
    card: Annotated[str, typer.Argument(metavar="CARD", help="The card played, such as 7D.")],
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The cards on the table, such as '3C 4S 7B'.")] = "",
    rules: RulesOption = "scopa",
    set_: SetOption = None,
    declared: Annotated[str | None, typer.Option("--declared", metavar="RANK", help="The rank the 7 of cups was declared as.")] = None,
    first: Annotated[bool, typer.Option("--first", help="It is the first card of the deal.")] = False,
    last: Annotated[bool, typer.Option("--last", help="It is the last card of the deal.")] = False,
    french: Annotated[bool, typer.Option("--french", help="French-suited names: C is clubs, H hearts; J Q K.")] = False,
    json_: JsonOption = False,
) -> None:
    """Show everything a card may take on a table, and what it would score."""
    chosen = parse_rules_options(rules, set_)
    try:
        played, lying = _parse(card, chosen, french), _parse_table(table, chosen, french)
        matta = None if declared is None else _parse_rank(declared, chosen, french)
        if matta is not None and MATTA not in (played, *lying):
            raise Failure(f"--declared {declared!r}: the 7 of cups is neither {card!r} nor on the table {table!r} (CIR-6)")
        found = find_engine().captures(chosen, played, lying, matta=matta, first_play=first, last_play=last)
    except ScopaError as error:
        raise Failure(error) from None
    takes: list[tuple[CardSet, int]] = list(zip(found.takes, found.scopa, strict=True))

    def name(index: int) -> str:
        return format_french_card(index, chosen.deck) if french else format_card(index, chosen.deck)

    if json_:
        emit_json({
            "rules": chosen.text, "card": name(played), "table": [name(index) for index in sorted(lying)],
            "captures": [{"take": [name(index) for index in take], "scopa": scopa} for take, scopa in takes],
            "lay": found.lay, "to_pile": found.to_pile,
        })
        return
    lines = [f"{name(played)} on {' '.join(name(index) for index in sorted(lying)) or 'an empty table'} ({chosen.text})"]
    lines += [
        f"  takes {' '.join(name(index) for index in take)}" + (f"  (scopa: {scopa} point{'s' * (scopa > 1)})" if scopa else "")
        for take, scopa in takes
    ]
    lines += ["  may stay on the table"] * found.lay + ["  may go to the own pile"] * found.to_pile
    if len(lines) == 1:
        lines.append("  may not be played")
    emit_tables(Text("\n".join(lines)))


def _parse(word: str, rules: Rules, french: bool) -> int:
    return parse_french_card(word, rules.deck) if french else parse_card(word, rules.deck)


def _parse_table(text: str, rules: Rules, french: bool) -> list[int]:
    if not french:
        return parse_cards(text, rules.deck)
    return [parse_french_card(word, rules.deck) for word in text.replace(",", " ").split() if word != "-"]


def _parse_rank(letter: str, rules: Rules, french: bool) -> int:
    return rank_of(parse_french_card(f"{letter}H", rules.deck)) if french else rank_value(letter, rules.deck)


# perft


def perft(
    position: Annotated[str | None, typer.Argument(metavar="POSITION", help="A position text; none for a new deal.")] = None,
    rules: NewRulesOption = None,
    set_: SetOption = None,
    seed: SeedOption = None,
    depth: Annotated[int, typer.Option("--depth", metavar="N", parser=whole_number(1), help="The longest sequences to count.")] = 4,
    divide: Annotated[bool, typer.Option("--divide", help="Count the longest sequences by their first move, too.")] = False,
    declarations: Annotated[bool, typer.Option("--declarations", help="Count declarations as moves.")] = False,
    backend: Annotated[Backend, typer.Option("--backend", help="The engine that counts.")] = "native",
    json_: JsonOption = False,
) -> None:
    """Count the sequences of moves from a position, or from a new deal (of seed 0 unless told), length by length."""
    engine = find_engine(backend)
    try:
        state = new_deal(position, rules, set_, seed, engine) or engine.State.from_text(position or "")
    except ScopaError as error:
        raise Failure(error) from None
    rows: list[tuple[int, int, float]] = []
    divided: dict[Move, int] = {}
    interrupted = False
    try:
        for length in range(1, depth + 1):
            begun = time.perf_counter()
            rows.append((length, state.perft(length, declarations=declarations), time.perf_counter() - begun))
        if divide:
            divided = state.perft_divide(depth, declarations=declarations)
    except KeyboardInterrupt:  # the counts that are finished are shown
        interrupted = True
    if json_:
        data: dict[str, Any] = {
            "position": str(state), "backend": backend, "declarations": declarations, "complete": not interrupted,
            "counts": [{"depth": length, "count": count, "seconds": seconds} for length, count, seconds in rows],
        }
        emit_json(data | ({"divide": {str(move): count for move, count in divided.items()}} if divide else {}))
    else:
        emit_tables(Text(str(state)), *_perft_tables(rows, divided))
    if interrupted:
        raise Failure(f"interrupted after {len(rows)} of {depth} lengths", INTERRUPTED)


def _perft_tables(rows: list[tuple[int, int, float]], divided: dict[Move, int]) -> list[Table]:
    table = Table()
    for title in ("depth", "sequences", "seconds"):
        table.add_column(title, justify="right")
    for length, count, seconds in rows:
        table.add_row(str(length), f"{count:,}", f"{seconds:.3f}")
    parts = [table]
    if divided:
        by_move = Table()
        by_move.add_column("first move")
        by_move.add_column(f"sequences of {rows[-1][0]}", justify="right")
        for move, count in divided.items():
            by_move.add_row(str(move), f"{count:,}")
        parts.append(by_move)
    return parts
