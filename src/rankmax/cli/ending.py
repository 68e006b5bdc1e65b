"""How a command ends: one clear line and a status for whatever goes wrong, never a traceback for what is no bug."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

_INTERRUPTED, _TERMINATED = 130, 143  # as a shell reports a program that SIGINT or SIGTERM ended


@dataclass
class Outcome:
    """What decides the status of a command besides the verb itself.

    Attributes
    ----------
    signal : int
        The last that asked to stop; 0 if none did.
    failed : bool
        Whether something went wrong though the verb went on.
    """

    signal: int = 0
    failed: bool = False

    def status(self, of_verb: int = 0) -> int:
        """Return the status, given the verb's own."""
        return _TERMINATED if self.signal == signal.SIGTERM else of_verb or int(self.failed)


def end_with_status(command: Callable[[Outcome], Any]) -> int:
    """Run a command and return its exit status; errors are told on standard error."""
    outcome = Outcome()
    with _open_streams(), _stopped_by_signals(outcome):
        try:
            status = command(outcome)
            _flush_output()
            return outcome.status(status if isinstance(status, int) else 0)
        except BaseException as error:
            return outcome.status(_told(error, outcome))
        finally:
            # An interrupt inside exec(), by which dataclasses are made, has Python end by that signal, whatever the
            # status is, unless another exec() ends well.
            exec("0")


def _told(error: BaseException, outcome: Outcome) -> int:
    """Tell what ended a command, and return the status for it; raise what is a bug of ours."""
    from click import Abort, ClickException

    from rankmax.errors import RankmaxError

    if isinstance(error, ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, RankmaxError):
        return _say(f"Error: {error}")
    if isinstance(error, Abort | KeyboardInterrupt) or (outcome.signal and not isinstance(error, OSError)):
        _say("Interrupted.")
        return _INTERRUPTED
    if isinstance(error, OSError):
        return _told_system(error)
    raise error


def _told_system(error: OSError) -> int:
    """Tell what the system refused: to write to standard output, most often."""
    try:
        _flush_output()  # what could not be written is still there, so it fails again
    except BrokenPipeError:  # the reader of a pipe has seen enough
        _drop_output()
        return 0
    except OSError as again:
        _drop_output()
        return _say(f"Error: standard output: cannot write: {again.strerror}")
    if isinstance(error, BrokenPipeError):
        return 0
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return _say(f"Error: {where}{error.strerror or error}")


def _say(message: str) -> int:
    import click

    try:
        click.echo(message, err=True)
    except OSError:  # standard error is gone, too
        _drop(sys.stderr)
    return 1


def _flush_output() -> None:
    sys.stdout.flush()


def _drop_output() -> None:
    _drop(sys.stdout)


def _drop(stream: Any) -> None:
    """Send to nowhere what Python would otherwise try to write once more when it ends, and complain about."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):  # not a file, as in tests
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)


@contextmanager
def _open_streams() -> Iterator[None]:
    """Put something where a closed standard stream was, so that no other file gets its number.

    Writing to a closed standard output fails then, as it should; what would be said on standard error is lost.
    """
    for number, name in ((0, "stdin"), (1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - for good
    yield


@contextmanager
def _stopped_by_signals(outcome: Outcome) -> Iterator[None]:
    """Make SIGTERM an interrupt like Ctrl-C, and see to it that neither is lost."""

    def stop(number: int, frame: FrameType | None) -> None:
        outcome.signal = number
        raise KeyboardInterrupt

    def again(ignored: sys.UnraisableHookArgs) -> None:
        """Raise an interrupt once more that came where nothing can be raised, as in a callback of a library."""
        if issubclass(ignored.exc_type, KeyboardInterrupt):  # a little later: here it would be ignored again
            later = threading.Timer(0.05, _thread.interrupt_main, [outcome.signal or signal.SIGINT])
            later.daemon = True
            later.start()
        else:
            hook(ignored)

    usual: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    changed = [number for number, handler in usual.items() if signal.getsignal(number) == handler]
    hook, sys.unraisablehook = sys.unraisablehook, again
    try:
        for number in changed:
            signal.signal(number, stop)
        yield
    finally:
        sys.unraisablehook = hook
        for number in changed:
            signal.signal(number, usual[number])
