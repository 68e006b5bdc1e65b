"""Work in a separate process, which can be watched and stopped."""

from __future__ import annotations

import multiprocessing
import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Literal, TypeAlias

State: TypeAlias = Literal["running", "ended", "failed", "stopped"]

NOTHING_YET = "stopped before there was anything to keep"
"""Message of a job that was stopped without a result."""


class BackgroundJob(ABC):
    """Work that goes on while this process does other work.

    The work sends pairs of a kind and a value: "begun" when it can be interrupted, its own kinds, "warning", and at the
    end its result, "failed" or "stopped".

    Attributes
    ----------
    state : str
        "running", "ended" (with a result, even if it was stopped early), "stopped" (without one) or "failed".
    message : str
        Error message or warnings.
    """

    state: State
    message: str
    _has_begun = False
    _is_stopping = False

    @abstractmethod
    def _work(self) -> tuple[Callable[..., None], tuple[Any, ...]]:
        """Return the function that works, and its arguments after the connection that it sends to."""

    @abstractmethod
    def _take(self, kind: str, content: Any) -> None:
        """Take what the work sent; a result sets the state to "ended"."""

    def start(self) -> None:
        """Start the work, and return at once."""
        work, arguments = self._work()
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=work, args=(theirs, *arguments), daemon=True)
        self._process.start()
        theirs.close()
        self._listener = Thread(target=self._listen, args=(ours,), daemon=True)
        self._listener.start()

    def stop(self) -> None:
        """Stop the work early, as Ctrl-C would; what can do so returns the best result so far."""
        if self._is_stopping or not self._process.is_alive() or self._process.pid is None:
            return
        self._is_stopping = True  # a second interrupt would end it before it has built the result
        if self._has_begun:
            os.kill(self._process.pid, signal.SIGINT)
        else:  # the process is not ready yet to handle an interrupt without a traceback
            self.message = NOTHING_YET
            self._process.kill()

    def abandon(self) -> None:
        """Kill the process and discard its work."""
        self._process.kill()
        self.wait()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the work has ended, or the time is up.

        Parameters
        ----------
        seconds : float, optional
        """
        self._listener.join(seconds)

    def _listen(self, connection: Connection) -> None:
        with connection:
            while self.state == "running":
                try:
                    kind, content = connection.recv()
                except (EOFError, OSError):
                    self._process.join()
                    kind, content = "stopped", self.message or f"the work ended with status {self._process.exitcode}"
                if kind == "begun":
                    self._has_begun = True
                elif kind == "warning":
                    self.message = content
                elif kind in ("failed", "stopped"):
                    self.message = content
                    self.state = kind
                else:
                    self._take(kind, content)
        self._process.join()
