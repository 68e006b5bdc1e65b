"""Several threads for one kernel, each calling it for stretches of its units: queries, blocks of documents, tasks.

numba can make a loop parallel itself, but compiles all that the loop calls once more for it, which took half of the
time that the first training of an installation spent compiling. Kernels that release the interpreter's lock
(``nogil=True``) need no more than plain threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from itertools import count
from queue import SimpleQueue
from threading import Condition, Thread
from typing import Any

from numba import config

_STRETCHES = 4  # for each thread, so that one that is held up does not hold up the others


def n_threads() -> int:
    """Return how many threads work at once: NUMBA_NUM_THREADS, or as many as there are processors."""
    return int(config.NUMBA_NUM_THREADS)


def in_threads(kernel: Callable[..., Any], borders: Sequence[int], *arguments: Any) -> None:
    """Call ``kernel(first, stop, *arguments)`` for every two neighboring borders, several at once.

    Parameters
    ----------
    kernel : callable
        Works on the units from `first` up to `stop`, whatever others do with theirs; releases the interpreter's lock.
    borders : sequence of int
        Rising; a single stretch is worked on by the calling thread.
    arguments
        Passed on.

    Examples
    --------
    >>> def square(first, stop, numbers):
    ...     for i in range(first, stop):
    ...         numbers[i] *= numbers[i]
    >>> numbers = [1, 2, 3, 4]
    >>> in_threads(square, [0, 1, 4], numbers)
    >>> numbers
    [1, 4, 9, 16]
    """
    n_stretches = len(borders) - 1
    if n_stretches == 1:  # small work comes thousands of times
        kernel(borders[0], borders[1], *arguments)
        return
    turns = count()
    helping = _Helping()

    def work() -> None:
        while not helping.is_over and (turn := next(turns)) < n_stretches:
            kernel(borders[turn], borders[turn + 1], *arguments)

    try:
        for _ in range(min(n_threads(), n_stretches) - 1):
            _helpers().submit(lambda: helping.run(work))
        work()
    finally:
        helping.end()
    if helping.errors:
        raise helping.errors[0]


def stretches(n_units: int, *, of: int = 1, threads: bool = True) -> list[int]:
    """Return the borders of about equal stretches of units.

    Parameters
    ----------
    n_units : int
    of : int
        No stretch is smaller, but the last.
    threads : bool
        Whether the work is worth several threads; if not there is one stretch.

    Examples
    --------
    >>> stretches(10, of=6), stretches(10, threads=False)
    ([0, 6, 10], [0, 10])
    """
    size = max(of, -(-n_units // (_STRETCHES * n_threads()))) if threads else max(1, n_units)
    return [*range(0, n_units, size), n_units]


class _Helping:
    """The threads that help the caller with one kernel; when it ends, also by an interrupt, none is still at work."""

    def __init__(self) -> None:
        self.is_over = False
        self.errors: list[BaseException] = []
        self._n_at_work = 0
        self._changed = Condition()

    def run(self, work: Callable[[], None]) -> None:
        """Work in the calling thread, unless the caller has already ended."""
        with self._changed:
            if self.is_over:
                return
            self._n_at_work += 1
        try:
            work()
        except BaseException as error:
            self.errors.append(error)
        finally:
            with self._changed:
                self._n_at_work -= 1
                self._changed.notify()

    def end(self) -> None:
        """Wait for those at work: they write to arrays that the caller will use again, so an interrupt has to wait."""
        interrupt = None
        while True:
            try:
                with self._changed:
                    self.is_over = True
                    self._changed.wait_for(lambda: not self._n_at_work)
                break
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt


class _Helpers:
    """Threads that wait for work. Python's own pool never ends if an interrupt comes while it starts a thread."""

    def __init__(self, n_threads: int) -> None:
        self._waiting: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._not_started = [
            Thread(target=self._serve, name=f"rankmax_{number}", daemon=True) for number in range(n_threads)
        ]

    def submit(self, work: Callable[[], None]) -> None:
        """Have the next free thread do some work."""
        self._waiting.put(work)
        try:
            thread = self._not_started.pop()
        except IndexError:
            return
        try:
            thread.start()
        except KeyboardInterrupt:
            if thread.ident is None:
                self._not_started.append(thread)
            raise

    def _serve(self) -> None:
        while True:
            self._waiting.get()()


@cache
def _helpers() -> _Helpers:
    return _Helpers(max(1, n_threads() - 1))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.cache_clear)  # a child process has none of its parent's threads
