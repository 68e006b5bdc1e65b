"""Searches: what each one showed at which position, and which clicks were made in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rankmax._arrays import F64, I64, Bool, readonly
from rankmax.errors import InvalidDataError


@dataclass(frozen=True, eq=False)
class Searches:
    """Documents of searches by position, with clicks; searches that are alike in all are one, with a count.

    Attributes
    ----------
    offsets : array of int64, shape (n_searches + 1,)
        The rows of search s are ``offsets[s]:offsets[s + 1]``.
    pairs : array of int64, shape (n_rows,)
        Index of each document in the log.
    positions : array of int64, shape (n_rows,)
        From 1; increasing in a search.
    clicked : array of bool, shape (n_rows,)
    counts : array of float64, shape (n_searches,)
        How often there was such a search.
    """

    offsets: I64
    pairs: I64
    positions: I64
    clicked: Bool
    counts: F64

    def __len__(self) -> int:
        """Return the number of searches that differ."""
        return len(self.counts)

    @classmethod
    def of(
        cls,
        names: Iterable[tuple[str, str]],
        search_of_row: I64,
        pairs: I64,
        positions: I64,
        clicked: Bool,
        counts: F64,
    ) -> Searches:
        """Build from rows in any order; raise if a search has two documents at a position, or several counts.

        Parameters
        ----------
        names : iterable of (str, str)
            Name and query of each search, for messages.
        search_of_row, pairs, positions, clicked, counts : arrays, shape (n_rows,)
        """
        order = np.lexsort((pairs, positions, search_of_row))
        search_of_row, pairs, positions = search_of_row[order], pairs[order], positions[order]
        same_search = search_of_row[1:] == search_of_row[:-1]
        same_place = same_search & (positions[1:] == positions[:-1])
        same_row = same_place & (pairs[1:] == pairs[:-1])
        wrong = np.flatnonzero(same_place & ~same_row)
        if wrong.size:
            search, query = list(names)[int(search_of_row[wrong[0]])]
            raise InvalidDataError(
                f"search {search!r} for query {query!r} shows two documents at position {positions[wrong[0]]}: each "
                "search needs an id of its own"
            )
        wrong = np.flatnonzero(same_search & (counts[order][1:] != counts[order][:-1]))
        if wrong.size:
            search, query = list(names)[int(search_of_row[wrong[0]])]
            raise InvalidDataError(
                f"search {search!r} for query {query!r} has several counts: count says how often there was such a "
                "search, so it has to be the same in all its rows"
            )
        first = np.flatnonzero(np.append(order.size > 0, ~same_row))
        clicked = np.logical_or.reduceat(clicked[order], first)
        starts = np.flatnonzero(np.append(order.size > 0, ~same_search[first[1:] - 1]))
        rows = np.stack([pairs[first], positions[first], clicked], axis=1)
        return cls._merged(rows, np.append(starts, len(first)), counts[order][first][starts])

    @classmethod
    def _merged(cls, rows: I64, offsets: I64, counts: F64) -> Searches:
        """Make one of searches that are alike."""
        found: dict[bytes, int] = {}
        edges = offsets.tolist()
        alike = (found.setdefault(rows[a:b].tobytes(), len(found)) for a, b in pairwise(edges))
        kind = np.fromiter(alike, np.int64, len(counts))
        _, first = np.unique(kind, return_index=True)
        lengths = np.diff(offsets)[first]
        kept = np.repeat(offsets[first] - np.append(0, np.cumsum(lengths)[:-1]), lengths) + np.arange(lengths.sum())
        pairs, positions, clicked = rows[kept].T
        return cls(
            readonly(np.append(0, np.cumsum(lengths))),
            readonly(pairs.copy()),
            readonly(positions.copy()),
            readonly(clicked.astype(np.bool_)),
            readonly(np.bincount(kind, counts).astype(np.float64)),
        )

    def rows(self) -> tuple[I64, I64, Bool, F64]:
        """Return document, position, whether it was clicked, and the count of the search, of all rows."""
        return self.pairs, self.positions, self.clicked, np.repeat(self.counts, np.diff(self.offsets))
