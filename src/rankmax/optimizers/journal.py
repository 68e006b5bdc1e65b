"""Journal of an ascent, so that it can be stopped at any time and resumed to the same bits.

An ascent is deterministic: the same code, start and seed ask the same questions in the same order (the value at a
point, the best point on a line), and everything else follows from the answers. The answers are therefore all there is
to save. Resuming means running the same ascent again with the saved answers instead of the costly work, and none of an
optimizer's variables has to be saved.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import Literal

import msgspec
import numpy as np

from rankmax._arrays import F64
from rankmax.errors import IncompatibleError

Kind = Literal["start", "line", "point", "points", "direction", "stop"]
"""Kind of question: start, best point on a line, value at one point or many, direction, or whether time is up."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One recorded answer.

    Attributes
    ----------
    kind : str
    asked : int
        Checksum of the question.
    values : tuple of float
        Values of the objective, or the direction.
    weights : tuple of float or None
        Weights of the best point on a line, if it is better than the point searched from.
    seconds : float
        Time from the start of the ascent until the answer was known.
    """

    kind: Kind
    asked: int
    values: tuple[float, ...] = ()
    weights: tuple[float, ...] | None = None
    seconds: float = 0.0


class Journal:
    """The answers of one ascent: recorded ones are replayed, later ones are added.

    Parameters
    ----------
    entries : iterable of Entry
        Answers recorded before.
    write : callable, optional
        Called with each new entry.
    flush : callable, optional
        Called when the ascent ends.

    Examples
    --------
    >>> first = Journal()
    >>> first.record("line", np.array([0.0, 1.0]), np.array([0.5]), seconds=0.1)
    >>> again = Journal(first.entries)
    >>> again.is_replaying, again.replay("line", np.array([0.0, 1.0])).values
    (True, (0.5,))
    >>> again.is_replaying, again.replay("line", np.array([1.0, 0.0]))
    (False, None)
    """

    def __init__(
        self,
        entries: Iterable[Entry] = (),
        write: Callable[[Entry], None] = lambda entry: None,
        flush: Callable[[], None] = lambda: None,
    ) -> None:
        self.entries = list(entries)
        self.flush = flush
        self._write = write
        self._n_replayed = 0

    @property
    def is_replaying(self) -> bool:
        """Whether an entry is left to be replayed."""
        return self._n_replayed < len(self.entries)

    def replay(self, kind: Kind, question: F64) -> Entry | None:
        """Return the recorded answer to the next question, or None if it has not been asked before.

        Parameters
        ----------
        kind : str
        question : array
            Direction or points of the question.
        """
        if not self.is_replaying:
            return None
        entry = self.entries[self._n_replayed]
        if (entry.kind, entry.asked) != (kind, _checksum(question)):
            asked = f"another {kind!r}" if entry.kind == kind else repr(kind)
            raise IncompatibleError(
                f"the journal does not belong to this ascent: its entry {self._n_replayed + 1} is of kind "
                f"{entry.kind!r}, and now {asked} is asked for; resume with the data, start, seed, optimizer and "
                "versions it was recorded with, or start a new journal"
            )
        self._n_replayed += 1
        return entry

    def replay_stop(self) -> Entry | None:
        """Return the next entry if it records that time was up."""
        if self.is_replaying and self.entries[self._n_replayed].kind == "stop":
            self._n_replayed += 1
            return self.entries[self._n_replayed - 1]
        return None

    def record(self, kind: Kind, question: F64, values: F64, weights: F64 | None = None, *, seconds: float) -> None:
        """Add an answer.

        Parameters
        ----------
        kind, question
            As in :meth:`replay`.
        values, weights, seconds
            As in :class:`Entry`.
        """
        place = None if weights is None else tuple(weights.tolist())
        entry = Entry(kind, _checksum(question), tuple(values.tolist()), place, seconds)
        self.entries.append(entry)
        self._n_replayed += 1
        self._write(entry)


def _checksum(question: F64) -> int:
    return zlib.crc32(np.ascontiguousarray(question, np.float64).data)
