"""Exit status of commands, and one-line error messages in place of tracebacks for everything that is not a bug."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

_INTERRUPTED, _TERMINATED = 130, 143  # the shell's exit status of a program that SIGINT or SIGTERM ended


@dataclass
class Outcome:
    """Events that change the exit status of a command.

    Attributes
    ----------
    signal : int
        The last signal that asked to stop; 0 if none did.
    failed : bool
        Whether an error occurred after which the verb went on.
    """

    signal: int = 0
    failed: bool = False

    def status(self, of_verb: int = 0) -> int:
        """Return the exit status, given that of the verb."""
        return _TERMINATED if self.signal == signal.SIGTERM else of_verb or int(self.failed)


class _Output(io.TextIOWrapper):
    """Standard output with a distinct error for failed writes."""

    def write(self, text: str) -> int:
        with _writing_output():
            return super().write(text)

    def flush(self) -> None:
        with _writing_output():
            super().flush()


class _ReaderHasGoneError(Exception):
    """The reader of a pipe has closed it."""


@contextmanager
def _writing_output() -> Iterator[None]:
    from rankmax._io.files import writing

    try:
        with writing("standard output"):
            yield
    except BrokenPipeError:
        raise _ReaderHasGoneError from None


def end_with_status(command: Callable[[Outcome], Any]) -> int:
    """Run a command and return its exit status; error messages go to standard error."""
    outcome = Outcome()
    with _open_streams(), _stopped_by_signals(outcome):
        try:
            status = command(outcome)
            sys.stdout.flush()
        except BaseException as error:
            status = _told(error, outcome)
        # An interrupt inside exec(), by which dataclasses are made, has Python end by that signal, whatever the status
        # is, unless another exec() ends well.
        exec("0")
        return outcome.status(status if isinstance(status, int) else 0)


def _told(error: BaseException, outcome: Outcome) -> int:
    """Print why a command ended, and return its exit status; bugs are raised again."""
    from click import Abort, ClickException

    from rankmax.errors import RankmaxError

    if isinstance(error, _ReaderHasGoneError):
        return 0
    if isinstance(error, ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, RankmaxError):
        return _say(f"Error: {error}")
    if isinstance(error, OSError):
        where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        return _say(f"Error: {where}{error.strerror or error}")
    if isinstance(error, Abort | KeyboardInterrupt) or outcome.signal:
        _say("Interrupted.")
        return _INTERRUPTED
    raise error


def _say(message: str) -> int:
    import click

    from rankmax._result_views import visible_lines

    with suppress(OSError):  # standard error may be gone, too
        click.echo(visible_lines(message), err=True)
    return 1


@contextmanager
def _open_streams() -> Iterator[None]:
    """Detect failed writes to standard output, and reopen closed streams, so that no file gets their descriptors.

    Writing to a closed standard output then fails, as it should; messages to a closed standard error are lost.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115 - for good
            setattr(sys, name, stream)
    before = sys.stdout
    if type(before) is io.TextIOWrapper:
        options = {name: getattr(before, name) for name in ("encoding", "errors", "line_buffering", "write_through")}
        sys.stdout = _Output(before.buffer, **options)
    try:
        yield
    finally:
        _drop_what_is_left(sys.stdout)
        _drop_what_is_left(sys.stderr)


def _drop_what_is_left(stream: Any) -> None:
    """Discard unwritten output, which Python would otherwise try to write again at exit, and complain."""
    try:
        stream.flush()
    except Exception:
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


@contextmanager
def _stopped_by_signals(outcome: Outcome) -> Iterator[None]:
    """Treat SIGTERM as an interrupt like Ctrl-C, and ensure that neither is lost or reported twice."""
    from rankmax._io.interrupts import reliable_interrupts

    def remember(number: int) -> None:
        outcome.signal = number

    def uncaught(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):  # one while a library is imported, which then fails anyway
            before(kind, error, traceback)

    before = sys.excepthook
    sys.excepthook = uncaught
    try:
        with reliable_interrupts([signal.SIGINT, signal.SIGTERM], received=remember):
            yield
    finally:
        sys.excepthook = before
