"""Handling of Ctrl-C while compiled code or other processes run."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

_SECONDS_UNTIL_AGAIN = 0.05


@contextmanager
def plain_interrupts() -> Iterator[None]:
    """Raise an interrupt as KeyboardInterrupt, also when it came while numba returned a kernel's result.

    numba calls Python for that, which raises an interrupt that came during the kernel, but numba continues: Python then
    turns it into a SystemError.

    Examples
    --------
    >>> try:
    ...     with plain_interrupts():
    ...         raise SystemError("returned a result with an exception set") from KeyboardInterrupt()
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    interrupted
    """
    try:
        yield
    except SystemError as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        raise


def is_interrupt(error: BaseException | None) -> bool:
    """Return whether an error is an interrupt, or was caused by one.

    Parameters
    ----------
    error : exception or None

    Examples
    --------
    >>> is_interrupt(KeyboardInterrupt()), is_interrupt(SystemError())
    (True, False)
    """
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__
    return False


@contextmanager
def reliable_interrupts(
    signals: Sequence[int] = (signal.SIGINT,), *, received: Callable[[int], None] = lambda number: None
) -> Iterator[None]:
    """Raise KeyboardInterrupt for each of some signals, and lose none.

    A library that calls Python, as LLVM does while it compiles a kernel, cannot pass an exception on: Python drops an
    interrupt that is raised there, and LLVM may crash. Such an interrupt is sent again a moment later.

    Parameters
    ----------
    signals : sequence of int
        Signals to handle; one that already has a handler of its own keeps it.
    received : callable
        Called with each signal that comes.

    Examples
    --------
    >>> try:
    ...     with reliable_interrupts([signal.SIGTERM]):
    ...         signal.raise_signal(signal.SIGTERM)
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    interrupted
    """
    waiting: list[threading.Timer] = []
    last = int(signal.SIGINT)

    def once_more(number: int) -> None:
        waiting.append(threading.Timer(_SECONDS_UNTIL_AGAIN, os.kill, [os.getpid(), number]))
        waiting[-1].daemon = True
        waiting[-1].start()

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal last
        last = number
        received(number)
        if frame is not None and str(frame.f_globals.get("__name__")).startswith("llvmlite."):
            once_more(number)
        else:
            raise KeyboardInterrupt

    def unraisable(ignored: sys.UnraisableHookArgs) -> None:
        if issubclass(ignored.exc_type, KeyboardInterrupt):
            once_more(last)
        else:
            before(ignored)

    usual: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    changed = [number for number in signals if signal.getsignal(number) == usual[number]]
    before = sys.unraisablehook
    sys.unraisablehook = unraisable
    try:
        for number in changed:
            signal.signal(number, stop)
        yield
    finally:
        for timer in waiting:
            timer.cancel()
        sys.unraisablehook = before
        for number in changed:
            signal.signal(number, usual[number])


@contextmanager
def uninterrupted_children() -> Iterator[None]:
    """Block Ctrl-C for processes that are started in the block, from their start; this process handles it for them.

    A terminal sends the interrupt to all processes of a command. New ones inherit the blocked signals; in this process,
    an interrupt that comes meanwhile is raised when the block ends.

    Examples
    --------
    >>> with uninterrupted_children():
    ...     signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    True
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # if started with the first process, it would unblock the signals again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
