"""Positions as values: texts, keys, what a seat sees, and the check that play can go on (docs/notation.md)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paths import DOCS

from scopa_fast.cards import MATTA, format_card, full_mask, mask_of
from scopa_fast.errors import InvalidPositionError, InvalidSeatError
from scopa_fast.position import Position, check_position, format_position, mix64, packets_of, parse_position
from scopa_fast.rules import PRESETS, find_rules

M64 = 2**64 - 1


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Any complete position that the check lets pass, whether or not play leads there."""
    rules = find_rules(draw(st.sampled_from(sorted(PRESETS))))
    seats, hand, sides = rules.seats, rules.hand, len(rules.sides)
    played = draw(st.integers(0, rules.plays))
    dealer = draw(st.integers(0, seats - 1))
    circuit, turn = divmod(played % (seats * hand), seats)
    seat = (dealer + 1 + turn) % seats
    over = played == rules.plays
    pack = draw(st.permutations(range(rules.cards)))
    hands = [0] * seats
    for place in range(seats if not over else 0):
        size = hand - circuit - (place < turn)
        hands[(dealer + 1 + place) % seats] = mask_of(pack[:size])
        pack = pack[size:]
    stock_size = 0 if over else (rules.rounds - 1 - played // (seats * hand)) * seats * hand
    stock, rest = pack[:stock_size], pack[stock_size:]
    places = [draw(st.integers(0, sides)) for _ in rest]
    last = draw(st.none() | st.integers(0, sides - 1))
    if over and last is not None:
        places = [place or last + 1 for place in places]
    piles = [mask_of(card for card, place in zip(rest, places, strict=True) if place == side + 1) for side in range(sides)]
    table = mask_of(card for card, place in zip(rest, places, strict=True) if place == 0)
    may_declare = rules.hand_bonus and not over
    latest = turn if circuit == 0 else seats - 1
    exposed = [q for q in range(seats) if may_declare and (q - dealer - 1) % seats <= latest and draw(st.booleans())]
    public = table | sum(hands[q] for q in exposed)
    return Position(
        rules=rules, hands=tuple(hands), table=table, piles=tuple(piles),
        stock=tuple(card for i in range(0, stock_size, hand) for card in sorted(stock[i : i + hand])),
        scope=tuple(draw(st.integers(0, 400)) for _ in range(sides)),
        bonus=tuple(draw(st.integers(0, 78 if rules.hand_bonus else 0)) for _ in range(sides)),
        last_capturer=last, seat=seat, dealer=dealer,
        matta=draw(st.none() | st.integers(1, 10)) if may_declare and rules.matta and public >> MATTA & 1 else None,
        exposed=tuple(exposed),
    )


def key_of_the_document(position: Position) -> int:
    """The definition of docs/notation.md, written out once more."""

    def term(slot: int, value: int) -> int:
        return mix64((slot * 0x9E3779B97F4A7C15 + value) % 2**64)

    rules = position.rules
    terms = [rules.key, term(9, position.table)]
    terms += [term(1 + q, position.hands[q]) for q in range(rules.seats)]
    for s in range(len(rules.sides)):
        terms += [term(10 + s, position.piles[s]), term(18 + s, position.scope[s] + position.bonus[s] * 2**16)]
    last = 0 if position.last_capturer is None else position.last_capturer + 1
    exposed = sum(2**q for q in position.exposed)
    terms.append(term(26, position.seat + position.dealer * 2**8 + last * 2**16 + (position.matta or 0) * 2**24 + exposed * 2**32))
    packets = [position.stock[i : i + rules.hand] for i in range(0, len(position.stock), rules.hand)]
    terms += [term(32 + k, sum(2**card for card in packet)) for k, packet in enumerate(packets[::-1])]
    terms += [term(160 + q, count) for q, count in enumerate(position.hidden) if count]
    terms += [term(168, position.hidden_stock)] if position.hidden_stock else []
    key = 0
    for value in terms:
        key ^= value
    return key


@given(positions(), st.randoms(use_true_random=False))
def test_the_text_gives_the_position_back_in_any_order_of_fields(position: Position, random: Any) -> None:
    text = format_position(position)
    assert text == str(position)
    assert "\n" not in text
    assert parse_position(text) == position
    assert parse_position(text).rules.name == position.rules.name
    rules, *fields = text.split(" ")
    random.shuffle(fields)
    assert parse_position("  ".join([rules, *fields])) == position


@given(positions())
def test_the_check_lets_it_pass_whole_or_seen_by_a_seat(position: Position) -> None:
    assert position.is_complete
    assert check_position(position) is position
    assert position.unseen_mask == 0
    for seat in range(position.rules.seats):
        seen = position.seen_by(seat)
        assert check_position(seen, complete=False) is seen
        if not seen.is_complete:
            with pytest.raises(InvalidPositionError, match="only a SeatView"):
                check_position(seen)
        again = parse_position(str(seen))
        assert replace(again, hidden=again.hidden or seen.hidden) == seen
        assert again.key == seen.key


@given(positions())
def test_a_seat_sees_its_own_and_exposed_hands_and_counts_the_rest(position: Position) -> None:
    """PLAY-6, CIR-4."""
    everything = full_mask(position.rules.deck)
    for seat in range(position.rules.seats):
        seen = position.seen_by(seat)
        known = position.table
        for pile in position.piles:
            known |= pile
        for q, hand in enumerate(position.hands):
            visible = q == seat or q in position.exposed
            assert (seen.hands[q], seen.hidden[q]) == ((hand, 0) if visible else (0, hand.bit_count()))
            assert seen.hand_size(q) == position.hand_size(q) == hand.bit_count()
            known |= hand if visible else 0
        assert (seen.stock, seen.stock_size) == ((), position.stock_size)
        assert seen.unseen_mask == everything & ~known
        for name in ("table", "piles", "scope", "bonus", "last_capturer", "seat", "dealer", "matta", "exposed"):
            assert getattr(seen, name) == getattr(position, name)


@given(positions())
def test_the_key_is_that_of_the_document(position: Position) -> None:
    for view in (position, position.seen_by(0)):
        assert view.key == key_of_the_document(view)
        assert 0 <= view.key <= M64


@given(positions(), positions())
def test_different_positions_have_different_keys(a: Position, b: Position) -> None:
    assert (a == b) == (a.key == b.key)


@given(positions())
def test_every_field_is_in_the_key(position: Position) -> None:
    """Contract of ``State.key``: whatever the future or the score depends on."""
    changes: list[dict[str, Any]] = [
        {"rules": position.rules.replace(target=position.rules.target + 1)},
        {"table": position.table ^ 1}, {"seat": position.seat + 1}, {"dealer": position.dealer + 1},
        {"last_capturer": 1 if position.last_capturer is None else None}, {"matta": 5 if position.matta is None else None},
        {"exposed": () if position.exposed else (0,)}, {"hidden": (1,) + (0,) * (position.rules.seats - 1)}, {"hidden_stock": 1},
        {"scope": (position.scope[0] + 1, *position.scope[1:])}, {"bonus": (position.bonus[0] + 1, *position.bonus[1:])},
        {"hands": (position.hands[0] ^ 1, *position.hands[1:])}, {"piles": (position.piles[0] ^ 1, *position.piles[1:])},
    ]
    if len(position.stock) > position.rules.hand:
        changes.append({"stock": position.stock[position.rules.hand :] + position.stock[: position.rules.hand]})
    keys = {replace(position, **change).key for change in changes}
    assert len(keys | {position.key}) == len(changes) + 1


GOLDEN_KEYS = {
    "scopa hands=5DFB/4S7B table=2B5BFD piles=ADACAB2D2C2S3C3B4B6D6S6B7DFSRDRC/3S4D4C5C5S7SCDCCCSCBRB stock=3D6CFCAS7CRS "
    "last=1 seat=0 dealer=1": 0x9CA6E53FB87AFD3C,
    "cirulla_2 hands=ADAC7C/2D2C2S table=- piles=-/AS4D5D5C stock=" + "?" * 30 + " scope=0/1 bonus=10/0 last=1 seat=0 dealer=1 "
    "matta=A exposed=0": 0x15B5D98C1CA47189,
    "scopone_scientifico hands=7DRB/??/??/?? table=- piles=ADACASAB2D2C2S2B3D3C3S3B4D4C4S4B/5D5C5S5B6D6C6S6BFDFCFSFBCDCCCSCB "
    "last=0 seat=0 dealer=3": 0x083C112B021EFCFB,
}


@pytest.mark.parametrize(("text", "key"), GOLDEN_KEYS.items())
def test_golden_keys(text: str, key: int) -> None:
    position = check_position(parse_position(text), complete="?" not in text)
    assert str(position) == text
    assert position.key == key


def test_mix64_is_the_splitmix_finaliser() -> None:
    """SplitMix64 from the state 0: its first output."""
    assert mix64(0x9E3779B97F4A7C15) == 0xE220A8397B1DCDAF


def test_packets_of_the_stock() -> None:
    rules = find_rules("scopa")
    assert packets_of(rules, (0, 1, 2, 3, 4, 5)) == [0b000111, 0b111000]
    assert packets_of(rules, ()) == []


DEAL = "scopa hands={hands} table={table} piles={piles} stock={stock} seat={seat} dealer={dealer}"
FIELDS = {
    "hands": "AD2D3D/4D5D6D", "table": "7DFDCDRD", "piles": "-/-", "seat": "0", "dealer": "1",
    "stock": "".join(format_card(card) for card in range(40) if card % 4),
}


def deal_text(more: str = "", **fields: str) -> str:
    return f"{DEAL.format(**FIELDS | fields)} {more}".strip()


def test_the_example_is_sound() -> None:
    position = parse_position(deal_text())
    assert check_position(position) is position
    assert str(parse_position(deal_text("last=- exposed=- scope=0/0 bonus=0/0"))) == deal_text()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "nothing"),
        ("briscola hands=-/-", "no ruleset 'briscola'"),
        ("scopa[target=0]", "OPT-1"),
        ("scopa", "no hands="),
        (deal_text().replace(" dealer=1", ""), "no dealer="),
        (deal_text("seat=0"), "field 'seat' twice"),
        (deal_text("colour=red"), "no field 'colour=red'"),
        (deal_text("last"), "no field 'last'"),
        (deal_text(hands="AD2D3D"), "1 groups of cards for 2 seats"),
        (deal_text(hands="AD2D3D/4D5D6D/7D"), "3 groups of cards for 2 seats"),
        (deal_text(piles="-"), "1 groups of cards for 2 sides"),
        (deal_text(hands="AD2D3D/4D5D8D"), "no card '8D'"),
        (deal_text(hands="AD2D3D/4D5D?6D"), "no card|odd number"),
        (deal_text(table="7D7D"), "7D comes twice"),
        (deal_text(seat="x"), "seat=x: not 1 number"),
        (deal_text(seat="-1"), "seat=-1: not 1 number"),
        (deal_text(seat="00000"), "seat=00000: not 1 number"),
        (deal_text("scope=1"), "scope=1: not 2 number"),
        (deal_text("scope=1/2/3"), "not 2 number"),
        (deal_text("matta=8"), "no rank '8'"),
        (deal_text("exposed=a"), "exposed=a: not 1 number"),
        (deal_text(stock="7S?"), "known and unknown cards mixed"),
    ],
)
def test_broken_texts(text: str, reason: str) -> None:
    with pytest.raises(InvalidPositionError, match=reason) as caught:
        parse_position(text)
    assert repr(text) in str(caught.value)


CIRULLA = deal_text().replace("scopa", "cirulla_2")
NO_KINGS = FIELDS["stock"].replace("RB", "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (deal_text(seat="2"), "SEAT-1"),
        (deal_text(dealer="2"), "SEAT-1"),
        (deal_text("last=2"), "SEAT-2"),
        (deal_text("scope=9000/0"), "SCO-4"),
        (deal_text("bonus=3/0"), "CIR-1"),
        (deal_text("bonus=200/0").replace("scopa", "cirulla_2"), "CIR-1"),
        (deal_text(hands="AD2D3D/???"), "only a SeatView"),
        (deal_text(table="7DFDCDAC"), "AC comes twice, again in the stock"),
        (deal_text(hands="AD2D3D/AD5D6D"), "AD comes twice, again in hand 1"),
        (deal_text(piles="RD/-"), "RD comes twice, again in pile 0"),
        (deal_text(stock=NO_KINGS), "1 cards missing for 0 unknown ones .missing: RB"),
        (deal_text(stock=NO_KINGS, table="7DFDCDRDRB"), "DEAL-2"),
        (deal_text(seat="1"), "PLAY-5"),
        (deal_text(hands="AD2D/4D5D6D", table="7DFDCDRD3D"), "PLAY-5"),
        (deal_text(hands="-/-", table="7DFDCDRDAD2D3D4D5D6D"), "DEAL-2"),
        (deal_text(hands="AD2D3DAC/4D5D6D2C", table="7DFDCDRD", stock=FIELDS["stock"].replace("AC", "").replace("2C", "")), "DEAL-2"),
        (deal_text("exposed=0"), "CIR-4"),
        (deal_text("exposed=2").replace("scopa", "cirulla_2"), "SEAT-1"),
        (deal_text("exposed=0/0").replace("scopa", "cirulla_2"), "CIR-4"),
        (deal_text("exposed=1").replace("scopa", "cirulla_2"), "before its seat's turn .CIR-4"),
        (deal_text("matta=A"), "CIR-5"),
        (deal_text("matta=A exposed=0").replace("scopa", "cirulla_2"), "CIR-6"),
    ],
)
def test_positions_no_deal_can_go_on_from(text: str, reason: str) -> None:
    position = parse_position(text)
    with pytest.raises(InvalidPositionError, match=reason) as caught:
        check_position(position)
    assert f"'{position}'" in str(caught.value)


def test_leftovers_belong_to_who_captured_last() -> None:
    """END-2, END-3."""
    pack = "".join(format_card(card) for card in range(1, 40))
    ended = "scopa hands=-/- table=AD piles={}/- {}seat=0 dealer=1"
    check_position(parse_position(ended.format(pack, "")))
    with pytest.raises(InvalidPositionError, match="END-2"):
        check_position(parse_position(ended.format(pack, "last=0 ")))


@pytest.mark.parametrize(
    "change", [{"hands": (0,)}, {"piles": (0, 0, 0)}, {"scope": ()}, {"bonus": (0,)}, {"hidden": (1,)}, {"table": 1 << 40}, {"matta": 11}]
)
def test_values_no_text_could_say(change: dict[str, Any]) -> None:
    position = replace(parse_position(CIRULLA), **change)
    with pytest.raises(InvalidPositionError, match="in the position"):
        check_position(position)


def test_seats_and_types() -> None:
    position = parse_position(deal_text())
    for seat in (-1, 2):
        with pytest.raises(InvalidSeatError):
            position.seen_by(seat)
    with pytest.raises(TypeError, match="a position text must be a str"):
        parse_position(7)  # type: ignore[arg-type]


def test_the_example_of_the_document_is_one() -> None:
    blocks = re.findall(r"```\n(scopa.*)\n```", (DOCS / "notation.md").read_text(encoding="utf-8"))
    assert len(blocks) == 1
    assert str(check_position(parse_position(blocks[0]))) == blocks[0]
