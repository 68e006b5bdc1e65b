"""Handling of Ctrl-C while compiled code or other processes run."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


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
