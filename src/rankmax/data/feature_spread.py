"""Standard deviation of features within queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.exact_sums import digits_of, rounded_rows
from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.data.dataset import RankingDataset
from rankmax.data.query_segments import QuerySegments, StoredSegments

if TYPE_CHECKING:
    from scipy.sparse import csc_array


def spread_within_queries(data: RankingDataset) -> F64:
    """Return each feature's standard deviation within queries, exactly 0 if it is constant in each.

    Parameters
    ----------
    data : RankingDataset

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 5.0], [3.0, 5.0], [4.0, 6.0]], [1, 0, 0], qid=[7, 7, 8])
    >>> spread_within_queries(data)
    array([0.81649658, 0. ])
    """
    if isinstance(data.features, np.ndarray | BinnedMatrix):
        largest = largest_from_first(data)
        return spread_of(largest, squares_within_queries(data, largest), data.n_documents)
    return _sparse_spread(data, data.features)


def largest_from_first(data: RankingDataset) -> F64:
    """Return each dense or binned feature's largest distance from its value for the first document of a query.

    Parameters
    ----------
    data : RankingDataset

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 5.0], [3.0, 5.0], [4.0, 6.0]], [1, 0, 0], qid=[7, 7, 8])
    >>> largest_from_first(data)
    array([2., 0.])
    """
    if isinstance(data.features, BinnedMatrix):
        counts = data.features.counts(data.query_offsets)
        varies = (counts > 0) & (counts < data.judgments.documents_by_query[:, None])
        return np.asarray(varies.any(axis=0), np.float64)
    queries = QuerySegments(data.query_offsets)
    return np.array([np.abs(_from_first(data.column(j), queries)).max(initial=0.0) for j in range(data.n_features)])


def squares_within_queries(data: RankingDataset, largest: F64) -> I64:
    """Return, for each dense or binned feature, the digits of its sum of squared differences from the queries' means.

    Parameters
    ----------
    data : RankingDataset
    largest : array of float64, shape (n_features,)
        Result of :func:`largest_from_first` over all queries: features are divided by it, so that no square overflows.
    """
    if isinstance(data.features, BinnedMatrix):  # c of n documents have an indicator: c (n - c) / n
        counts, n_documents = data.features.counts(data.query_offsets), data.judgments.documents_by_query[:, None]
        by_query = counts * (n_documents - counts) / np.maximum(n_documents, 1)
        return np.array([digits_of(column) for column in by_query.T]).reshape(data.n_features, -1)
    queries = QuerySegments(data.query_offsets)
    squares = np.repeat(digits_of(np.empty(0))[np.newaxis], data.n_features, axis=0)
    for j in np.flatnonzero(largest):
        squares[j] = queries.squares(_from_first(data.column(int(j)), queries) / largest[j])
    return squares


def spread_of(largest: F64, squares: I64, n_documents: int) -> F64:
    """Return the spread of features from the results of all parts of the data.

    Parameters
    ----------
    largest : array of float64, shape (n_features,)
        Maximum over all parts.
    squares : array of int64, shape (n_features, n_digits)
        Sum over all parts.
    n_documents : int
        Number of documents in all parts.
    """
    return largest * np.sqrt(rounded_rows(squares) / max(n_documents, 1))


def _from_first(column: F64, queries: QuerySegments) -> F64:
    return column - queries.spread(column[queries.starts])


def _sparse_spread(data: RankingDataset, features: csc_array) -> F64:
    stored = StoredSegments.of(data)
    values = np.array(features.data, np.float64)
    largest = np.zeros(data.n_features)
    np.maximum.at(largest, stored.feature, stored.reduce(np.maximum, np.abs(values)))
    values /= np.repeat(np.where(largest > 0, largest, 1.0), np.diff(features.indptr))  # so that no square overflows
    n_documents = np.diff(data.query_offsets)[stored.query]
    n_zeros = n_documents - stored.lengths
    mean = stored.reduce(np.add, values) / n_documents
    squares = stored.reduce(np.add, (values - stored.spread(mean)) ** 2) + n_zeros * mean**2
    constant = (n_zeros == 0) & (stored.reduce(np.minimum, values) == stored.reduce(np.maximum, values))
    total = np.bincount(stored.feature, np.where(constant, 0.0, squares), minlength=data.n_features)
    return largest * np.sqrt(total / max(data.n_documents, 1))
