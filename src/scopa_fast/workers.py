"""Threads of one call, and the promise that none of them works any more once the call is over, whatever interrupted it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import ParamSpec, TypeVar

__all__ = ["Workers"]

P = ParamSpec("P")
T = TypeVar("T")


class Workers:
    """Threads that run functions for a call.

    A pool alone cannot promise to be done: a Ctrl-C while a thread starts leaves one that the pool does not know and does not
    wait for, and which may still take up work.
    """

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads)
        self._lock = Lock()
        self._busy = 0
        self._closed = False

    def submit(self, work: Callable[P, T], /, *args: P.args, **options: P.kwargs) -> Future[T | None]:
        """Let a thread run a function; None is its result if it was not begun before the end."""
        return self._pool.submit(self._run, work, *args, **options)

    def _run(self, work: Callable[P, T], /, *args: P.args, **options: P.kwargs) -> T | None:
        with self._lock:
            if self._closed:
                return None
            self._busy += 1
        try:
            return work(*args, **options)
        finally:
            with self._lock:
                self._busy -= 1

    def close(self) -> BaseException | None:
        """Wait for functions that were told to stop, whatever comes meanwhile; return what came, to be raised when all is in order."""
        came = None
        while True:
            try:
                with self._lock:
                    self._closed = True
                while self._busy:
                    time.sleep(0.001)
                self._pool.shutdown()
                return came
            except BaseException as error:
                came = error
