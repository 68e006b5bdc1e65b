"""Threads share out every stretch once, and what goes wrong in one of them is heard."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax._kernels.threads import in_threads, stretches


@given(st.integers(0, 1000), st.integers(1, 50), st.booleans())
def test_stretches_cover_all_units_in_order(n_units: int, of: int, threads: bool) -> None:
    borders = stretches(n_units, of=of, threads=threads)
    assert borders[0] == 0
    assert borders[-1] == n_units
    sizes = [last - first for first, last in pairwise(borders)]
    assert all(size > 0 for size in sizes)
    if threads:
        assert all(size >= of for size in sizes[:-1])
    else:
        assert len(sizes) <= 1


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_every_stretch_is_worked_on_once(n_threads: int, use_threads: Callable[[int], None]) -> None:
    use_threads(n_threads)
    taken: list[tuple[int, int, str]] = []
    in_threads(lambda first, stop, tag: taken.append((first, stop, tag)), range(0, 301, 3), "x")
    assert sorted(taken) == [(first, first + 3, "x") for first in range(0, 300, 3)]


def test_threads_work_at_the_same_time(use_threads: Callable[[int], None]) -> None:
    use_threads(2)
    both_there = threading.Barrier(2, timeout=20)
    in_threads(lambda first, stop: both_there.wait(), [0, 1, 2])  # would break if one came after the other
    assert not both_there.broken


@pytest.mark.parametrize("culprit", [0, 7])
def test_an_error_in_any_stretch_reaches_the_caller(culprit: int, use_threads: Callable[[int], None]) -> None:
    def kernel(first: int, stop: int) -> None:
        if first == culprit:
            raise ZeroDivisionError(first)

    use_threads(2)
    with pytest.raises(ZeroDivisionError):
        in_threads(kernel, range(9))


def test_a_kernel_may_itself_use_threads(use_threads: Callable[[int], None]) -> None:
    use_threads(2)
    inner: list[int] = []
    in_threads(lambda first, stop: in_threads(lambda a, b: inner.append(a), range(5)), range(9))
    assert sorted(inner) == sorted([0, 1, 2, 3] * 8)


def test_an_interrupt_waits_for_threads_that_are_at_work(use_threads: Callable[[int], None]) -> None:
    """They write to arrays that whoever is interrupted may use again."""
    at_work = threading.Event()

    def kernel(first: int, stop: int) -> None:
        if threading.current_thread() is threading.main_thread():
            at_work.wait(20)
            threading.Timer(0.05, os.kill, [os.getpid(), signal.SIGINT]).start()  # comes while the caller waits
        else:
            at_work.set()
            time.sleep(0.3)
            at_work.clear()

    use_threads(2)
    with pytest.raises(KeyboardInterrupt):
        in_threads(kernel, [0, 1, 2])
    assert not at_work.is_set()


def test_a_program_ends_after_an_interrupt_while_a_thread_starts() -> None:
    program = """
import threading
from rankmax._kernels.threads import in_threads
start = threading.Thread.start
def interrupted(thread):
    start(thread)
    raise KeyboardInterrupt
threading.Thread.start = interrupted
try:
    in_threads(lambda first, stop: None, range(9))
except KeyboardInterrupt:
    print("interrupted")
"""
    environment = {**os.environ, "NUMBA_NUM_THREADS": "2"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)
