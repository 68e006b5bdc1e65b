"""Segments of a column by query, for operations on all queries at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.exact_sums import digits_of, rounded
from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError


@dataclass(frozen=True)
class QuerySegments:
    """The documents of each query as a segment of a column; queries without documents have no segment.

    Attributes
    ----------
    offsets : array of int64, shape (n_queries + 1,)

    Examples
    --------
    >>> segments = QuerySegments(np.array([0, 2, 2, 3]))
    >>> segments.reduce(np.maximum, np.array([4.0, 7.0, 5.0]))
    array([7., 5.])
    >>> segments.centered(np.array([4.0, 7.0, 5.0]))
    array([-1.5,  1.5,  0. ])
    """

    offsets: I64

    @cached_property
    def lengths(self) -> I64:
        """Number of documents of each query with documents."""
        lengths = np.diff(self.offsets)
        return lengths[lengths > 0]

    @cached_property
    def starts(self) -> I64:
        """First document of each query with documents."""
        return self.offsets[:-1][np.diff(self.offsets) > 0]

    @cached_property
    def segment_of_document(self) -> I64:
        """Index of each document's segment."""
        return np.repeat(np.arange(self.lengths.size), self.lengths)

    def reduce(self, operation: np.ufunc, column: F64) -> F64:
        """Reduce each segment to one value."""
        return np.asarray(operation.reduceat(column, self.starts), np.float64)

    def spread(self, values: F64) -> F64:
        """Repeat the value of each segment for its documents."""
        return np.repeat(values, self.lengths)

    def centered(self, column: F64) -> F64:
        """Return each document's difference from the mean of its segment."""
        return column - self.spread(self.reduce(np.add, column) / self.lengths)

    def deviation(self, column: F64) -> float:
        """Return the standard deviation within segments: the root of the mean squared difference from their means."""
        return float(np.sqrt(rounded(self.squares(column)) / max(column.size, 1)))

    def squares(self, column: F64) -> I64:
        """Return the digits of the sum of squared differences from the segments' means (_numerics/digit_sums.py)."""
        return digits_of(self.reduce(np.add, self.centered(column) ** 2))


@dataclass(frozen=True)
class StoredSegments(QuerySegments):
    """The stored entries of sparse features: one segment for each feature and query with stored entries.

    Attributes
    ----------
    offsets : array of int64
    feature, query : arrays of int64
        Feature and query of each segment.

    Examples
    --------
    >>> from scipy.sparse import csc_array
    >>> X = csc_array([[0.0, 2.0], [1.0, 3.0], [0.0, 5.0]])
    >>> stored = StoredSegments.of(RankingDataset.from_arrays(X, [1, 0, 0], qid=[7, 7, 8]))
    >>> stored.offsets, stored.feature, stored.query
    (array([0, 1, 3, 4]), array([0, 1, 1]), array([0, 0, 1]))
    """

    feature: I64
    query: I64

    @classmethod
    def of(cls, data: RankingDataset) -> StoredSegments:
        """Find the segments of sparse features."""
        if isinstance(data.features, np.ndarray | BinnedMatrix):
            raise IncompatibleError("only sparse features store some entries; use QuerySegments(data.query_offsets)")
        # Entries are sorted by feature, then document, so one feature's entries of one query are adjacent.
        feature = np.repeat(np.arange(data.n_features), np.diff(data.features.indptr))
        query = data.judgments.query_of_document[data.features.indices]
        starts = np.flatnonzero(np.diff(feature * data.n_queries + query, prepend=-1))
        return cls(np.append(starts, data.features.nnz), feature[starts], query[starts])
