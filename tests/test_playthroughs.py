"""Golden playthroughs: one readable deal of every preset, replayed on both engines and compared line by line."""

from __future__ import annotations

from types import ModuleType

import pytest
from golden import PLAYTHROUGHS, playthrough_lines

from scopa_fast import PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_the_deal_goes_as_it_went_before(engine: ModuleType, name: str) -> None:
    path = PLAYTHROUGHS / f"{name}.txt"
    golden = path.read_text(encoding="utf-8").splitlines()
    played = playthrough_lines(engine, name)
    for number, (expected, got) in enumerate(zip(golden, played, strict=False), start=1):
        assert got == expected, f"{path.name}:{number}"
    assert len(played) == len(golden), f"{path.name}: {len(golden)} lines, played {len(played)}"


def test_every_preset_has_a_playthrough() -> None:
    assert sorted(path.stem for path in PLAYTHROUGHS.glob("*.txt")) == sorted(PRESETS)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("cirulla_2", "table bonus: side"), ("cirulla_2", "which declares"), ("cirulla_2", "the 7C stands for a"),
        ("cirulla_2", "grande: side"),
        ("asso_piglia_tutto_2", "which goes to the pile"), ("scopone", "after 1 void deals"), ("scopone_trentino", "napola: side"),
        ("scopa_napoletana", "palle_del_cane: side"), ("scopa", ": scopa!"), ("scopa_libica_count", "wiped out: side"),
    ],
)  # fmt: skip
def test_the_playthroughs_show_what_is_rare(name: str, line: str) -> None:
    assert line in (PLAYTHROUGHS / f"{name}.txt").read_text(encoding="utf-8")
