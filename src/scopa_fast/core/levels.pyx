"""Which compiled kernel this machine runs, and why.

The playout kernel, the proof search and the tree search are built more than once, for machines of different levels; the best that the processor
has are taken at import, by asking the processor (not the loader, so that it works with every C library). All levels give equal results.
"""

import importlib
import os
import platform

cdef extern from *:
    """
    static int scopa_has_v3(void) {
    #if defined(__GNUC__) && defined(__x86_64__)
        __builtin_cpu_init();
        return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
            && __builtin_cpu_supports("avx2");
    #else
        return 0;
    #endif
    }
    #ifndef SCOPA_COMPILER
      #define SCOPA_COMPILER "unknown"
    #endif
    #ifndef SCOPA_NATIVE
      #define SCOPA_NATIVE 0
    #endif
    """
    bint has_v3 "scopa_has_v3"()
    const char* SCOPA_COMPILER
    bint SCOPA_NATIVE

VARIABLE = "SCOPA_FAST_LEVEL"
"""The environment variable that forces a level."""

_suffixes = {"baseline": "baseline", "x86-64-v3": "x86_64_v3"}


def _load(kernel, name):
    try:
        return importlib.import_module(f"scopa_fast.core.{kernel}_{_suffixes[name]}")
    except ModuleNotFoundError:
        return None  # not built for this kind of machine


def _choose():
    """Return the levels this machine can run, lowest first, and the chosen one."""
    levels = ["baseline"]
    if has_v3() and _load("level", "x86-64-v3") is not None:
        levels.append("x86-64-v3")
    wanted = os.environ.get(VARIABLE, "")
    if wanted and wanted not in levels:
        raise ImportError(f"{VARIABLE}={wanted!r} is no level that this build and machine can run: one of {', '.join(levels)}")
    level = wanted or levels[-1]
    return tuple(levels), level


_levels, _level = _choose()


def kernel_addresses():
    """Return the addresses of the chosen level's `play_batch` and `play_state`."""
    return _load("level", _level).addresses()


def seeker_addresses():
    """Return the addresses of the chosen level's `grow`, `descend`, `settle` and `score`."""
    return _load("seeker", _level).addresses()


def prover_addresses():
    """Return the addresses of the chosen level's `prove` and `estimate`."""
    return _load("prover", _level).addresses()


def cpu_info():
    """Return what runs here: the kernel ``level`` in use, the ``levels`` this machine can run (``SCOPA_FAST_LEVEL`` forces one),
    whether the build is ``native`` (made for the very machine that built it), the ``compiler``, ``machine`` and ``processor``.

    >>> sorted(cpu_info())
    ['compiler', 'level', 'levels', 'machine', 'native', 'processor']
    """
    return {
        "level": _level,
        "levels": _levels,
        "native": bool(SCOPA_NATIVE),
        "compiler": SCOPA_COMPILER.decode(),
        "machine": platform.machine(),
        "processor": _processor(),
    }


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()
