"""Clicks on search results: how often a document was shown at a position for a query, and clicked."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np

from rankmax._arrays import F64, I64, Bool, readonly
from rankmax._result_views import Block, Facts
from rankmax.data.click_searches import Searches
from rankmax.data.query_documents import DocumentsByQuery, flatten
from rankmax.errors import InvalidDataError

MOST_POSITIONS = 10_000
"""Positions that a log may have; a larger number is a mistake, such as a timestamp."""
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
        Number of times that results of each query were shown: the most that any position was, if searches are not
        known.
    left_out : tuple of str
        What of the source is not in the log: how much, and why.
    searches : Searches, optional
        What each search showed, and which clicks were made in it, if the source knows.

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
    left_out: tuple[str, ...] = ()
    searches: Searches | None = None

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, int, bool, float]]) -> ClickLog:
        """Build from rows of query, document, position from 1, whether it was clicked, and how often this happened."""
        columns = _Columns()
        for row in rows:
            columns.add(*row)
        return cls._counted(columns, None)

    @classmethod
    def from_searches(cls, rows: Iterable[tuple[str, str, str, int, bool, float]]) -> ClickLog:
        """Build from rows of search, query, document, position from 1, whether it was clicked, and count of the search.

        A search is for one query: equal names for several queries are several searches. A row that is repeated counts
        once, clicked if any is.

        Examples
        --------
        >>> log = ClickLog.from_searches([("s1", "q1", "d1", 1, True, 1), ("s1", "q1", "d2", 2, False, 1)])
        >>> log.clicks, log.sessions, log.searches.counts
        (array([1., 0.]), array([1.]), array([1.]))
        """
        columns = _Columns()
        search_of_row, names = array("q"), dict[tuple[str, str], int]()
        for search, query, document, position, clicked, count in rows:
            if columns.add(query, document, position, clicked, count):
                search_of_row.append(names.setdefault((search, query), len(names)))
        return cls._counted(columns, Searches.of(names, np.array(search_of_row), *columns.arrays()))

    @classmethod
    def _counted(cls, columns: _Columns, searches: Searches | None) -> ClickLog:
        pairs, positions, clicked, counts = columns.arrays() if searches is None else searches.rows()
        if not clicked.any():
            raise InvalidDataError("no clicks; nothing can be estimated")
        n_positions = int(positions.max())
        cells, cell_of_row = np.unique(pairs * n_positions + positions - 1, return_inverse=True)
        shown = np.bincount(cell_of_row, counts)
        clicks = np.bincount(cell_of_row, counts * clicked)
        pairs, positions = cells // n_positions, cells % n_positions + 1
        query_ids, query_offsets, document_ids = flatten(columns.pair_of)
        query_of_cell = np.searchsorted(query_offsets, pairs, side="right") - 1
        if searches is None:
            places, place_of_cell = np.unique(query_of_cell * n_positions + positions - 1, return_inverse=True)
            sessions = np.zeros(len(query_ids))
            np.maximum.at(sessions, places // n_positions, np.bincount(place_of_cell, shown))
        else:
            query_of_search = np.searchsorted(query_offsets, searches.pairs[searches.offsets[:-1]], side="right") - 1
            sessions = np.bincount(query_of_search, searches.counts, len(query_ids)).astype(np.float64)
        return cls(
            query_ids,
            query_offsets,
            document_ids,
            readonly(pairs),
            readonly(positions),
            readonly(shown.astype(np.float64)),
            readonly(clicks.astype(np.float64)),
            readonly(sessions),
            searches=searches,
        )

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


class _Columns:
    """Rows as columns of numbers, a few bytes for each; documents are numbered in the order in which they come."""

    def __init__(self) -> None:
        self.pair_of: dict[str, dict[str, int]] = {}
        self._n_pairs = 0
        self._pairs, self._positions, self._clicked, self._counts = array("q"), array("q"), array("b"), array("d")

    def add(self, query: str, document: str, position: int, clicked: bool, count: float) -> bool:
        """Add a row and return whether it says anything: one that happened 0 times does not."""
        require_row(query, document, position, count)
        if not count:
            return False
        documents = self.pair_of.setdefault(query, {})
        pair = documents.setdefault(document, self._n_pairs)
        self._n_pairs += pair == self._n_pairs
        self._pairs.append(pair)
        self._positions.append(position)
        self._clicked.append(clicked)
        self._counts.append(count)
        return True

    def arrays(self) -> tuple[I64, I64, Bool, F64]:
        """Return documents by query, positions, whether they were clicked, and how often this happened."""
        order = np.fromiter(chain.from_iterable(of.values() for of in self.pair_of.values()), np.int64, self._n_pairs)
        by_query = np.empty_like(order)
        by_query[order] = np.arange(self._n_pairs)
        return (
            by_query[np.array(self._pairs)],
            np.array(self._positions),
            np.array(self._clicked, np.bool_),
            np.array(self._counts),
        )


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
