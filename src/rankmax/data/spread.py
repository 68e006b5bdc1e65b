"""How much features vary among the documents of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.segments import QuerySegments, StoredSegments

if TYPE_CHECKING:
    from scipy.sparse import csc_array


def spread_within_queries(data: RankingDataset) -> F64:
    """Return each feature's standard deviation within queries, exactly 0 where it is constant in each.

    Parameters
    ----------
    data : RankingDataset

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 5.0], [3.0, 5.0], [4.0, 6.0]], [1, 0, 0], qid=[7, 7, 8])
    >>> spread_within_queries(data)
    array([0.81649658, 0. ])
    """
    if isinstance(data.features, np.ndarray):
        queries = QuerySegments(data.query_offsets)
        return np.array([_column_spread(data.column(j), queries) for j in range(data.n_features)])
    return _sparse_spread(data, data.features)


def _column_spread(column: F64, queries: QuerySegments) -> float:
    from_first = column - queries.spread(column[queries.starts])  # exactly 0 where constant
    largest = float(np.abs(from_first).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    from_first /= largest  # so that no square overflows
    return largest * queries.deviation(from_first)


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
