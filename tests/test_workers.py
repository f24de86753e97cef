"""Threads of one call: when it is over none of them works, whatever interrupted it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import scopa_fast as sf
from scopa_fast.workers import Workers


@pytest.fixture
def interrupted_starts(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """Threads start, and then a Ctrl-C comes before anybody knows that they have."""
    started = []
    start = threading.Thread.start

    def start_and_raise(thread: threading.Thread) -> None:
        start(thread)
        started.append(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", start_and_raise)
    return started


def test_close_waits_for_a_thread_that_the_pool_does_not_know(interrupted_starts: list[threading.Thread]) -> None:
    begun, told, done = threading.Event(), threading.Event(), []

    def work() -> None:
        begun.set()
        told.wait()
        time.sleep(0.05)
        done.append(True)

    workers = Workers(1)
    with pytest.raises(KeyboardInterrupt):
        workers.submit(work)
    assert begun.wait(10)
    told.set()
    assert workers.close() is None
    assert done
    interrupted_starts[0].join(10)
    assert not interrupted_starts[0].is_alive()


def test_work_that_was_not_begun_at_the_end_is_dropped() -> None:
    workers, told = Workers(1), threading.Event()
    first, second = workers.submit(told.wait), workers.submit(lambda: 3)
    closing = threading.Thread(target=workers.close)
    closing.start()
    while not workers._closed:
        time.sleep(0.001)
    told.set()
    closing.join(10)
    assert (first.result(10), second.result(10)) == (True, None)


def test_interrupts_while_closing_are_kept_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    workers, told = Workers(1), threading.Event()
    future = workers.submit(told.wait)

    def interrupt(seconds: float) -> None:
        told.set()
        monkeypatch.undo()
        raise KeyboardInterrupt("once")

    monkeypatch.setattr("scopa_fast.workers.time.sleep", interrupt)
    came = workers.close()
    assert isinstance(came, KeyboardInterrupt) and came.args == ("once",)
    assert future.done()


@pytest.mark.parametrize("call", [sf.solve, sf.solve_moves, lambda state, **options: sf.solve_batch([state] * 4, **options)])
def test_no_thread_of_a_solve_outlives_it(call: Callable[..., Any], interrupted_starts: list[threading.Thread]) -> None:
    with pytest.raises(KeyboardInterrupt):
        call(sf.State("scopone_scientifico", 1), threads=3, seconds=20)
    assert len(interrupted_starts) == 1
    interrupted_starts[0].join(10)
    assert not interrupted_starts[0].is_alive()
