"""Requests in parallel, with a rate limit and retries.

Threads only ask; what they are answered is handed to the caller's thread, which alone writes files. They are daemons,
so an interrupted command ends at once, whatever a server is still doing.
"""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import TypeVar

from rankmax.errors import TransientServerError
from rankmax.workflows.deployment.project_file import Requests

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")

FIRST_PAUSE = 0.5
"""Seconds before the first repetition of a request; each further pause is twice as long."""
LONGEST_PAUSE = 60.0
"""Largest number of seconds between two repetitions, also if a server asks for more."""


def ask_all(
    tasks: Sequence[_Task], ask: Callable[[_Task], _Answer], limits: Requests
) -> Generator[tuple[_Task, _Answer], None, None]:
    """Ask for all tasks in several threads; yield tasks with their answers as they arrive.

    Close it to stop asking. An error that does not pass ends it, after the answers that were on their way have been
    yielded.

    Parameters
    ----------
    tasks : sequence
    ask : callable
        Called from several threads.
    limits : Requests

    Examples
    --------
    >>> sorted(ask_all([1, 2, 3], lambda n: n * n, Requests(parallel=2)))
    [(1, 1), (2, 4), (3, 9)]
    """
    waiting: queue.SimpleQueue[_Task] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    done: queue.SimpleQueue[tuple[_Task, _Answer | None, BaseException | None]] = queue.SimpleQueue()
    pace = _Pace(limits.per_second)

    def work() -> None:
        while not pace.stopped.is_set():
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((task, _patiently(partial(ask, task), pace, limits.retries), None))
            except _StoppedError:
                return
            except BaseException as error:
                pace.stopped.set()  # before others take a task
                done.put((task, None, error))
                return

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(limits.parallel, len(tasks)))]
    for thread in threads:
        thread.start()
    failure: BaseException | None = None
    try:
        for _ in tasks:
            task, answer, failure = done.get()
            if failure is not None:
                break
            yield task, answer  # type: ignore[misc]
    finally:
        pace.stopped.set()
    if failure is not None:
        for thread in threads:  # what is on its way is not lost
            thread.join()
        while not done.empty():
            task, answer, error = done.get()
            if error is None:
                yield task, answer  # type: ignore[misc]
        raise failure


class _StoppedError(Exception):
    """Nobody waits for the answer any more."""


class _Pace:
    """Spaces requests of all threads evenly, and lets all of them wait where a server asks for it."""

    def __init__(self, per_second: float | None) -> None:
        self.stopped = threading.Event()
        self._gap = 0.0 if per_second is None else 1.0 / per_second
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Wait for this request's turn."""
        while True:
            with self._lock:
                now = time.monotonic()
                if self._next <= now:
                    self._next = max(self._next, now - self._gap) + self._gap if self._gap else now
                    break
                left = self._next - now
            self.pause(left)
        if self.stopped.is_set():
            raise _StoppedError

    def hold(self, seconds: float) -> None:
        """Let all threads wait."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)

    def pause(self, seconds: float) -> None:
        """Let this thread wait."""
        if self.stopped.wait(seconds):
            raise _StoppedError


def _patiently(ask: Callable[[], _Answer], pace: _Pace, retries: int) -> _Answer:
    for repetition in range(retries + 1):
        pace.wait()
        try:
            return ask()
        except TransientServerError as error:
            if repetition == retries:
                raise
            if error.retry_after is not None:
                pace.hold(min(error.retry_after, LONGEST_PAUSE))
            else:
                jitter = random.uniform(0.5, 1.0)  # so that threads do not come back all at once
                pace.pause(min(FIRST_PAUSE * 2**repetition, LONGEST_PAUSE) * jitter)
    raise AssertionError("unreachable")
