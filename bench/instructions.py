"""Instructions per play, counted by valgrind: a gate that does not depend on how busy the machine is.

``python bench/instructions.py`` counts two run lengths of each job under callgrind, so that start-up cancels, and compares
instructions per play of random deals, and per card and table of listed captures, with ``bench/instructions.json``;
``--update`` writes the file anew. The kernel level is forced, because valgrind knows no AVX-512 and the counts must not
depend on the machine. Counts belong to one compiler: with another one the tolerance is wider. Without valgrind there is
nothing to compare, and it says so.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import scopa_fast as sf

FILE = Path(__file__).with_suffix(".json")
PRESETS = ("scopa", "scopone_scientifico", "cirulla_2", "scopa_quindici")
CAPTURE_PRESETS = ("scopa", "cirulla_2")
LEVELS = ("baseline", "x86-64-v3")
LEVEL_FLAGS = {"baseline": "-O3", "x86-64-v3": "-O3 -mpopcnt -mbmi -mbmi2 -mavx2"}
SHORT, LONG = 200, 1200
TOLERANCE = 0.03
OTHER_COMPILER = 0.25
PLAYOUTS = "import sys, scopa_fast as sf; sf.playouts(sys.argv[1], 1, 1); sf.playouts(sys.argv[1], int(sys.argv[2]), 1)"
CAPTURES = "import sys, captures; captures.count(sys.argv[1], captures.collect(sys.argv[1], 20, 1), int(sys.argv[2]))"
EXAMPLE = Path(__file__).parent.parent / "examples" / "cython" / "captures.pyx"


def count(job: str, preset: str, length: int, level: str, folder: str) -> int:
    """Return the instructions of a process that does a job of some length."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, "-c", job, preset, str(length)]
    environment = {**os.environ, "SCOPA_FAST_LEVEL": level, "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True, env=environment)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if not found:
        raise SystemExit(f"callgrind printed no count:\n{done.stderr}")
    return int(found[1])


def per_play(preset: str, level: str, folder: str) -> float:
    """Return the instructions of one play, deal and score included."""
    difference = count(PLAYOUTS, preset, LONG, level, folder) - count(PLAYOUTS, preset, SHORT, level, folder)
    return round(difference / ((LONG - SHORT) * sf.find_rules(preset).plays), 1)


def per_captures(preset: str, level: str, folder: str) -> float:
    """Return the instructions of listing the captures of one card on one table, over the tables of random play, in Cython
    code built for a level."""
    place = Path(folder) / level
    if not place.exists():
        place.mkdir()
        shutil.copy(EXAMPLE, place)
        flags = {**os.environ, "CFLAGS": LEVEL_FLAGS[level]}
        build = [sys.executable, "-m", "Cython.Build.Cythonize", "-i", EXAMPLE.name]
        subprocess.run(build, cwd=place, capture_output=True, text=True, check=True, env=flags)
    code = f"import captures; print(len(captures.collect({preset!r}, 20, 1)) // 2)"
    cards = int(subprocess.run([sys.executable, "-c", code], cwd=place, capture_output=True, text=True, check=True).stdout)
    difference = count(CAPTURES, preset, 401, level, str(place)) - count(CAPTURES, preset, 1, level, str(place))
    return round(difference / (400 * cards), 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="write the file anew")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("valgrind is missing: nothing counted")
        return 0
    info = sf.cpu_info()
    levels = [level for level in LEVELS if level in info["levels"]]
    with tempfile.TemporaryDirectory() as folder:
        found = {level: {preset: per_play(preset, level, folder) for preset in PRESETS} for level in levels}
        for level in levels:
            found[f"{level}, captures"] = {preset: per_captures(preset, level, folder) for preset in CAPTURE_PRESETS}
    stored = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    if options.update:
        FILE.write_text(json.dumps({"compiler": info["compiler"], "counts": found}, indent=1) + "\n", encoding="utf-8")
    tolerance = TOLERANCE if stored.get("compiler") == info["compiler"] else OTHER_COMPILER
    worse = 0
    for level, counts in found.items():
        for preset, number in counts.items():
            wanted = stored.get("counts", {}).get(level, {}).get(preset)
            change = "" if wanted is None else f" (file: {wanted}, {number / wanted - 1:+.1%})"
            what = "card and table" if level.endswith("captures") else "play"
            print(f"{level:20} {preset:20} {number:7.1f} instructions a {what}{change}")
            worse += wanted is not None and number > wanted * (1 + tolerance)
    if worse and not options.update:
        print(f"{worse} counts are more than {tolerance:.0%} above the file (made with {stored.get('compiler')}, now {info['compiler']})")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
