"""What threads share: rules, and the tables the native engine makes for them."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import scopa_fast
from scopa_fast import find_rules


def test_threads_that_meet_new_rules_at_once_read_one_table() -> None:
    # Each Rules object is new, so that its tables are made here; a short switch interval makes the threads meet in the middle.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            for target in range(1000, 1040):
                rules = find_rules("scopa_quindici", target=target)
                states = list(pool.map(lambda seed, rules=rules: scopa_fast.State(rules, seed), range(8)))
                del rules
                for seed, state in enumerate(states):
                    assert state.legal_move_ints() == scopa_fast.State("scopa_quindici", seed).legal_move_ints()
    finally:
        sys.setswitchinterval(interval)


def test_playouts_in_several_threads_of_ones_own() -> None:
    with ThreadPoolExecutor(3) as pool:
        parts = list(pool.map(lambda first: scopa_fast.playouts("cirulla_2", 500, 9, first=first), range(0, 3000, 500)))
    total = parts[0]
    for part in parts[1:]:
        total += part
    assert total == scopa_fast.playouts("cirulla_2", 3000, 9)


INTERRUPTS = """
import os, signal, threading, time
import scopa_fast as sf

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
sf.playouts("scopa", 10, 1, threads=2)
for delay in (0.0005, 0.001, 0.002, 0.004):
    # While the workers start: they must stop, and what they use must outlive the call.
    try:
        signal.setitimer(signal.ITIMER_REAL, delay)
        sf.playouts("scopa", 2 * 10**9, seed=1, threads=32)
    except KeyboardInterrupt:
        waste = [bytearray(3000) for _ in range(200)]

def twice():
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)

for _ in range(2):
    thread = threading.Thread(target=twice)
    try:
        try:
            thread.start()
            sf.playouts("escoba_2", 10**9, seed=1, threads=4)
        except KeyboardInterrupt:
            time.sleep(0.3)
    except KeyboardInterrupt:
        pass
    thread.join()
print("alive")
"""


def test_interrupts_end_playouts_and_break_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTS], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


def test_equal_states_play_out_alike() -> None:
    # Two ways to store the packets of the stock, one in the order of the deck.
    for preset in ("scopa", "cirulla_3", "scopa_8"):
        dealt = scopa_fast.State(preset, 1)
        read = scopa_fast.State.from_text(str(dealt))
        assert dealt == read
        assert scopa_fast.playouts(dealt, 300, 1) == scopa_fast.playouts(read, 300, 1)


def test_a_state_that_no_legal_move_leads_to_is_not_played_out() -> None:
    state = scopa_fast.State("scopa", 0)
    move = state.random_move(scopa_fast.Rng(1))
    state.play(move)
    state.play_unchecked(move)
    with pytest.raises(scopa_fast.InvalidPositionError, match="no legal moves lead to this position"):
        scopa_fast.playouts(state, 100, 1)
