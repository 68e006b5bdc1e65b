"""Summary of a data set: sizes, grades, and features that cannot affect a ranking."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import I64, Bool
from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.data.dataset import RankingDataset
from rankmax.data.query_segments import QuerySegments, StoredSegments


@dataclass(frozen=True)
class Summary:
    """Sizes and properties of a data set.

    Attributes
    ----------
    n_queries, n_documents, n_features : int
    documents_per_query : mapping of str to float
        Minimum, median, mean and maximum, under "min", "median", "mean" and "max".
    documents_by_grade : mapping of float to int
        Number of judged documents of each grade.
    n_unjudged : int
        Number of documents without a grade.
    n_unretrieved : int
        Number of judged documents that are not among the candidates.
    n_queries_without_relevant : int
        Number of queries none of whose documents has a grade of 1 or more.
    sparse : bool
    dtype : str
        Type of the features.
    n_bytes : int
        Memory used by the features.
    constant_features : tuple of str
        Features with one value in the whole data set.
    constant_within_queries : tuple of str
        Features that differ between queries, but never within one: no linear ranking depends on them.
    duplicate_features : tuple of tuples of str
        Groups of features that are equal, bit for bit.
    """

    n_queries: int
    n_documents: int
    n_features: int
    documents_per_query: Mapping[str, float]
    documents_by_grade: Mapping[float, int]
    n_unjudged: int
    n_unretrieved: int
    n_queries_without_relevant: int
    sparse: bool
    dtype: str
    n_bytes: int
    constant_features: tuple[str, ...]
    constant_within_queries: tuple[str, ...]
    duplicate_features: tuple[tuple[str, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain types for JSON; grades become strings, whole ones without a decimal point."""
        by_grade = {f"{grade:g}": n for grade, n in self.documents_by_grade.items()}
        return {**asdict(self), "documents_by_grade": by_grade}


def summarize(data: RankingDataset) -> Summary:
    """Return the summary of a data set.

    Parameters
    ----------
    data : RankingDataset

    Examples
    --------
    >>> X = [[1.0, 0.3, 0.3], [1.0, 0.5, 0.5], [1.0, 0.1, 0.1]]
    >>> summary = summarize(RankingDataset.from_arrays(X, [1, 0, 0], qid=[7, 7, 8]))
    >>> summary.documents_by_grade, summary.n_queries_without_relevant
    ({0.0: 2, 1.0: 1}, 1)
    >>> summary.constant_features, summary.duplicate_features
    (('f1',), (('f2', 'f3'),))
    """
    judgments = data.judgments
    by_level = np.bincount(judgments.document_levels, minlength=judgments.n_levels)
    constant, constant_within = _constants(data)
    return Summary(
        n_queries=data.n_queries,
        n_documents=data.n_documents,
        n_features=data.n_features,
        documents_per_query=_spread(judgments.documents_by_query),
        documents_by_grade={
            grade: n for grade, n in zip(judgments.levels[1:].tolist(), by_level[1:].tolist(), strict=True) if n
        },
        n_unjudged=int(by_level[0]),
        n_unretrieved=judgments.unretrieved_levels.size,
        n_queries_without_relevant=int((judgments.count(judgments.levels >= 1) == 0).sum()),
        sparse=data.is_sparse,
        dtype=data.features.dtype.name,
        n_bytes=sum(array.nbytes for array in _buffers(data)),
        constant_features=_names(data, constant),
        constant_within_queries=_names(data, constant_within & ~constant),
        duplicate_features=_duplicates(data),
    )


def _spread(counts: I64) -> dict[str, float]:
    if not counts.size:
        return {"min": 0.0, "median": 0.0, "mean": 0.0, "max": 0.0}
    return {
        "min": float(counts.min()),
        "median": float(np.median(counts)),
        "mean": float(counts.mean()),
        "max": float(counts.max()),
    }


def _names(data: RankingDataset, chosen: Bool) -> tuple[str, ...]:
    return tuple(data.feature_names[j] for j in np.flatnonzero(chosen))


def _buffers(data: RankingDataset) -> list[NDArray[Any]]:
    features = data.features
    if isinstance(features, np.ndarray):
        return [features]
    if isinstance(features, BinnedMatrix):
        return [features.codes, features.bases, features.cuts]
    return [features.data, features.indices, features.indptr]


def _constants(data: RankingDataset) -> tuple[Bool, Bool]:
    """Return which features are constant over all documents, and which are constant within each query."""
    if data.n_documents == 0:
        return np.ones(data.n_features, np.bool_), np.ones(data.n_features, np.bool_)
    if data.is_sparse:
        return _sparse_constants(data)
    constant, within = np.empty((2, data.n_features), np.bool_)
    segments = QuerySegments(data.query_offsets)
    for j in range(data.n_features):
        column = data.column(j)
        low, high = segments.reduce(np.minimum, column), segments.reduce(np.maximum, column)
        within[j] = np.array_equal(low, high)
        constant[j] = within[j] and (low == low[0]).all()
    return constant, within


def _sparse_constants(data: RankingDataset) -> tuple[Bool, Bool]:
    """Compare only stored values: a stored segment shorter than its query means that the query also has zeros."""
    stored = StoredSegments.of(data)
    values, _, offsets = _buffers(data)
    constant, within = np.ones((2, data.n_features), np.bool_)
    if not values.size:
        return constant, within
    low, high = stored.reduce(np.minimum, values), stored.reduce(np.maximum, values)
    full = stored.lengths == data.judgments.documents_by_query[stored.query]
    zero = (low == 0) & (high == 0)
    within[stored.feature[~zero & ~(full & (low == high))]] = False
    n_stored = np.diff(offsets)
    holds_any = n_stored > 0
    starts = offsets[:-1][holds_any]
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    full = n_stored[holds_any] == data.n_documents
    constant[holds_any] = ((low == 0) & (high == 0)) | (full & (low == high))
    return constant, within


def _duplicates(data: RankingDataset) -> tuple[tuple[str, ...], ...]:
    by_content: dict[bytes, list[str]] = {}
    buffers = _buffers(data)
    for j, name in enumerate(data.feature_names):
        digest = hashlib.blake2b(digest_size=16)
        if data.is_sparse:
            span = slice(buffers[2][j], buffers[2][j + 1])
            digest.update(buffers[0][span].data)
            digest.update(buffers[1][span].data)
        elif isinstance(data.features, BinnedMatrix):
            digest.update(data.column(j).data)
        else:
            digest.update(buffers[0][:, j].data)
        by_content.setdefault(digest.digest(), []).append(name)
    return tuple(tuple(names) for names in by_content.values() if len(names) > 1)
