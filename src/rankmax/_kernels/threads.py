"""Several threads for one kernel, each calling it for stretches of its units: queries, blocks of documents, tasks.

numba can make a loop parallel itself, but compiles all that the loop calls once more for it, which took half of the
time that the first training of an installation spent compiling. Kernels that release the interpreter's lock
(``nogil=True``) need no more than plain threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import cache
from itertools import count
from queue import SimpleQueue
from threading import Thread
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

    def work() -> None:
        while (turn := next(turns)) < n_stretches:
            kernel(borders[turn], borders[turn + 1], *arguments)

    others = [_pool().submit(work) for _ in range(min(n_threads(), n_stretches) - 1)]
    try:
        work()
    finally:
        for other in others:
            if not other.cancel():  # one that has not begun finds nothing left to do, and may never begin
                other.result()


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


class _Pool:
    """Threads that work on what is submitted, and that no process waits for at its end.

    concurrent.futures would wait: an interrupt while it starts a thread leaves one that it does not know of, and the
    process then never ends. Nothing is lost here, as :func:`in_threads` waits for its own work.
    """

    def __init__(self, n_threads: int) -> None:
        self._submitted: SimpleQueue[tuple[Future[None], Callable[[], None]]] = SimpleQueue()
        for number in range(n_threads):
            Thread(target=self._serve, name=f"rankmax_{number}", daemon=True).start()

    def submit(self, work: Callable[[], None]) -> Future[None]:
        future: Future[None] = Future()
        self._submitted.put((future, work))
        return future

    def _serve(self) -> None:
        while True:
            future, work = self._submitted.get()
            if future.set_running_or_notify_cancel():
                try:
                    work()
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(None)
            del future, work  # or the arrays that the work holds stay until there is more


@cache
def _pool() -> _Pool:
    return _Pool(max(1, n_threads() - 1))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child process has none of its parent's threads
