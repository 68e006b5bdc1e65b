"""Running the ascents of a training one after the other, each until it ends, time is up or an interrupt comes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from rankmax.learners.progress import Monitor
from rankmax.learners.training import Climb, Training
from rankmax.optimizers.base import Ascent, Callback
from rankmax.optimizers.journal import Entry, Journal
from rankmax.optimizers.journal_file import JournalFile


class Deadline:
    """A moment after which no more work shall begin.

    Parameters
    ----------
    seconds : float, optional
        From now; there is no such moment when left out.

    Examples
    --------
    >>> Deadline(0.0).has_passed, Deadline(None).has_passed
    (True, False)
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = math.inf if seconds is None else time.monotonic() + seconds

    @property
    def seconds_left(self) -> float | None:
        """Seconds until then, None if that is never."""
        return None if self._end == math.inf else self._end - time.monotonic()

    @property
    def has_passed(self) -> bool:
        """Whether it is too late."""
        return time.monotonic() >= self._end


def climb_here(training: Training, monitor: Monitor, journal: JournalFile | None, deadline: Deadline) -> None:
    """Run ascents in this process.

    Parameters
    ----------
    training : Training
    monitor : Monitor
        Says which.
    journal : JournalFile, optional
        What is recorded there is not computed again.
    deadline : Deadline
        The first ascent is begun in any case.
    """
    for climb in monitor.climbs:
        if climb is not monitor.climbs[0] and deadline.has_passed:
            return
        ascent = climb_until(
            deadline,
            training,
            climb,
            callback=partial(monitor.improved, climb),
            entries=recorded(journal, climb),
            write=None if journal is None else partial(journal.append, climb.key),
        )
        monitor.ended(climb, ascent)
        if journal is not None:
            journal.flush()
        if ascent.stopped_by == "interrupted":
            return


def climb_until(
    deadline: Deadline,
    training: Training,
    climb: Climb,
    *,
    callback: Callback,
    entries: Iterable[Entry],
    write: Callable[[Entry], None] | None,
) -> Ascent:
    """Run one ascent; a deadline leaves its journal as an interrupt does, ready to go on from.

    Parameters
    ----------
    deadline : Deadline
    training : Training
    climb : Climb
    callback : callable
    entries : iterable of Entry
        The journal so far.
    write : callable, optional
        Called with each new entry.
    """

    def record(entry: Entry) -> None:
        if write is not None:
            write(entry)
        if deadline.has_passed and entry.kind != "start":  # where there is no point yet, there is none to keep
            raise _TimeIsUpError

    ascent = training.climb(climb, callback=callback, journal=Journal(entries, record))
    timed_out = ascent.stopped_by == "interrupted" and deadline.has_passed
    return replace(ascent, stopped_by="seconds") if timed_out else ascent


def recorded(journal: JournalFile | None, climb: Climb) -> list[Entry]:
    """Return what a journal holds of an ascent.

    Parameters
    ----------
    journal : JournalFile, optional
    climb : Climb
    """
    return [] if journal is None else journal.ascent(climb.key).entries


class _TimeIsUpError(KeyboardInterrupt):
    """Interrupts an ascent as Ctrl-C does."""
