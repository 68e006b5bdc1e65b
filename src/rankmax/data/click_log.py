"""Clicks on search results: how often a document was shown at a position for a query, and clicked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64, readonly
from rankmax._result_views import Block, Facts
from rankmax.data.query_documents import DocumentsByQuery, flatten
from rankmax.errors import InvalidDataError

MOST_POSITIONS = 10_000
"""Positions that a log may have; a larger number is a mistake, such as a timestamp."""
LEFT_OUT = "their text is not in the file or the topics, or what they showed is not (hits or impressions)"
"""Why searches of a source may be left out of a log."""
MOST_TIMES = 1e15
"""Largest count of a row: the whole numbers up to it, and their sums, are exact."""


@dataclass(frozen=True, eq=False, repr=False)
class ClickLog(DocumentsByQuery):
    """Documents that were shown for queries, with counts by position.

    Attributes
    ----------
    pairs : array of int64, shape (n_rows,)
        Index of the document of each row; a row is a document at a position.
    positions : array of int64, shape (n_rows,)
        Position on the page of results, from 1.
    shown, clicks : arrays of float64, shape (n_rows,)
        Number of times that the document was shown there, and clicked.
    sessions : array of float64, shape (n_queries,)
        Number of times that results of each query were shown: the most that any position was.
    left_out : int
        Number of searches of the source that are not in the log, because :data:`LEFT_OUT`.

    Examples
    --------
    >>> log = ClickLog.from_rows([("q1", "d1", 1, True, 3), ("q1", "d1", 1, False, 7), ("q1", "d2", 2, False, 10)])
    >>> log.positions, log.shown, log.clicks, log.sessions
    (array([1, 2]), array([10., 10.]), array([3., 0.]), array([10.]))
    """

    pairs: I64
    positions: I64
    shown: F64
    clicks: F64
    sessions: F64
    left_out: int = 0

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, int, bool, float]]) -> ClickLog:
        """Build from rows of query, document, position from 1, whether it was clicked, and how often this happened."""
        counts: dict[str, dict[str, dict[int, list[float]]]] = {}
        for query, document, position, clicked, count in rows:
            require_row(query, document, position, count)
            at = counts.setdefault(query, {}).setdefault(document, {}).setdefault(position, [0.0, 0.0])
            at[0] += count
            at[1] += count * clicked
        table = flatten(counts)
        cells = np.array(
            [
                (pair, position, shown, clicks)
                for pair, by_position in enumerate(at for documents in counts.values() for at in documents.values())
                for position, (shown, clicks) in by_position.items()
            ]
        ).reshape(-1, 4)
        if not cells[:, 3].any():
            raise InvalidDataError("no clicks; nothing can be estimated")
        pairs, positions = cells[:, 0].astype(np.int64), cells[:, 1].astype(np.int64)
        query_of_row = np.repeat(np.arange(len(counts)), np.diff(table[1]))[pairs]
        at_position = np.zeros((len(counts), int(positions.max())))
        np.add.at(at_position, (query_of_row, positions - 1), cells[:, 2])
        shown, clicks, sessions = cells[:, 2].copy(), cells[:, 3].copy(), at_position.max(axis=1)
        return cls(*table, readonly(pairs), readonly(positions), readonly(shown), readonly(clicks), readonly(sessions))

    @property
    def n_positions(self) -> int:
        """The last position."""
        return int(self.positions.max())

    @property
    def blocks(self) -> list[Block]:
        """The sizes."""
        sizes = {
            "sessions": f"{self.sessions.sum():,.0f}",
            "positions": f"{self.n_positions}",
            "clicks": f"{self.clicks.sum():,.0f}",
        }
        return [Facts({**self._sizes, **sizes})]


def require_row(query: str, document: str, position: int, count: float) -> None:
    """Raise unless a row of a log has a position and a count that can be.

    Parameters
    ----------
    query, document : str
    position : int
        From 1.
    count : float
        From 0 to :data:`MOST_TIMES`.
    """
    if not 1 <= position <= MOST_POSITIONS:
        raise InvalidDataError(
            f"position {position} of document {document!r} in query {query!r}: positions count from 1 to "
            f"{MOST_POSITIONS:,}{'; add 1 if yours count from 0' if position == 0 else ''}"
        )
    if not 0 <= count <= MOST_TIMES:
        wrong = "negative" if count < 0 else f"not a number up to {MOST_TIMES:g}"
        raise InvalidDataError(f"count {count:g} of document {document!r} in query {query!r} is {wrong}")
