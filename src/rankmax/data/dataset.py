"""The data set that every learner and evaluation works on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmax._arrays import F64, I64, readonly
from rankmax._result_views import Block, Facts, ResultView, frame_of_columns
from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.data.feature_matrix import feature_major, feature_matrix, take_columns, take_rows
from rankmax.data.ids import Ids
from rankmax.data.judgments import Judgments, segments
from rankmax.errors import InvalidDataError

if TYPE_CHECKING:
    from rankmax.data.feature_matrix import Features

_NAMES_SHOWN = 6  # features, when a data set shows itself
_BLOCK = 1 << 15  # documents scored at a time: the block of scores stays in cache while columns stream through


@dataclass(frozen=True, eq=False, repr=False)
class RankingDataset(ResultView):
    """Documents with features and grades, grouped by query; validated once, then immutable.

    It shows itself as facts, also in a notebook; `rankmax data info` tells more of it.

    Attributes
    ----------
    features : array of float32 or float64, shape (n_documents, n_features), or csc_array, or BinnedMatrix
        Stored feature-major (Fortran order, CSC), so that one feature's column is contiguous.
    feature_names : tuple of str
    judgments : Judgments
        Queries, grades and identifiers.
    rows : array of int64 or None
        Row of the input that each document came from; None if the order is that of the input.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 0.5], [0.2, 0.1], [0.4, 0.9]], [1, 0, 2], qid=["b", "a", "b"])
    >>> data.query_ids, data.query_offsets, data.rows
    (('b', 'a'), array([0, 2, 3]), array([0, 2, 1]))
    >>> data.scores([1.0, 2.0])
    array([2. , 2.2, 0.4])
    """

    features: Features
    feature_names: tuple[str, ...]
    judgments: Judgments
    rows: I64 | None = None

    def __post_init__(self) -> None:
        n_documents, n_features = self.features.shape
        if n_documents != self.judgments.n_documents:
            raise InvalidDataError(f"{n_documents} rows of features for {self.judgments.n_documents} grades")
        if len(self.feature_names) != n_features:
            raise InvalidDataError(f"{len(self.feature_names)} feature names for {n_features} features")
        _require_distinct("feature name", self.feature_names)
        _require_distinct("query id", self.query_ids)
        object.__setattr__(self, "features", feature_major(self.features))

    @property
    def blocks(self) -> list[Block]:
        """Sizes, grades and the first features."""
        names = [*self.feature_names[:_NAMES_SHOWN], *(["..."] if self.n_features > _NAMES_SHOWN else [])]
        stored = f"{'sparse' if self.is_sparse else 'dense'} {self.features.dtype}"
        return [Facts({**self.judgments.facts, "features": f"{self.n_features:,}, {stored}: {', '.join(names)}"})]

    def to_frame(self) -> Any:
        """Return a pandas data frame, with a row for each document: query_id, doc_id if known, grade and features."""
        ids = {} if self.document_ids is None else {"doc_id": list(self.document_ids)}
        queries = [self.query_ids[q] for q in self.judgments.query_of_document.tolist()]
        features = {name: self.column(j) for j, name in enumerate(self.feature_names)}
        return frame_of_columns({"query_id": queries, **ids, "grade": self.judgments.grades, **features})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        feature_major(self.features)  # copies and unpickled data are read-only, too, for the same kernels
        if self.rows is not None:
            readonly(self.rows)

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        grades: ArrayLike,
        *,
        qid: ArrayLike,
        feature_names: Sequence[str] | None = None,
        document_ids: Sequence[str] | None = None,
        copy: bool = True,
    ) -> RankingDataset:
        """Build a data set from a matrix, grades and a query id for each row, in any order.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, or scipy sparse matrix, shape (n_documents, n_features)
            float32 stays float32; everything else becomes float64. Column names become feature names.
        grades : array-like, shape (n_documents,)
            Nonnegative numbers; NaN marks an unjudged document.
        qid : array-like, shape (n_documents,)
            Rows with the same value belong to one query. Queries keep the order of their first row, and
            documents their order within the query.
        feature_names, document_ids : sequences of str, optional
        copy : bool
            Whether to copy `X`. If False, `X` itself is used, and made read-only, where its type, order and rows need
            no change.

        Examples
        --------
        >>> RankingDataset.from_arrays([[0.5], [0.1]], [1, 0], qid=[7, 7], feature_names=["bm25"]).n_queries
        1
        """
        if feature_names is None and hasattr(X, "columns"):
            feature_names = [str(name) for name in X.columns]
        features = feature_matrix(X, copy=copy)
        n_documents, n_features = features.shape
        grade_array = _vector("grades", grades, n_documents)
        if (grade_array < 0).any():
            worst = int(np.flatnonzero(grade_array < 0)[0])
            raise InvalidDataError(f"grades[{worst}] is {grade_array[worst]:g}; grades must not be negative")
        query_ids, offsets, order = _group(qid, n_documents)
        names = default_feature_names(n_features) if feature_names is None else tuple(feature_names)
        ids = None
        if document_ids is not None:
            ids = document_ids if isinstance(document_ids, Ids) else Ids.from_strings(map(str, document_ids))
            if len(ids) != n_documents:
                raise InvalidDataError(f"{len(ids)} document ids for {n_documents} rows")
        if order is not None:
            grade_array = grade_array[order]
            features = take_rows(features, order)
            ids = None if ids is None else ids.take(order)
        judgments = Judgments.from_grades(grade_array, offsets, query_ids=query_ids, document_ids=ids)
        return cls(features, names, judgments, None if order is None else readonly(order))

    @property
    def n_documents(self) -> int:
        """Number of documents over all queries."""
        return self.judgments.n_documents

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return self.judgments.n_queries

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature_names)

    @property
    def is_sparse(self) -> bool:
        """Whether the features are stored as CSC."""
        return not isinstance(self.features, np.ndarray | BinnedMatrix)

    @property
    def grades(self) -> F64:
        """Grade of each document, NaN if unjudged."""
        return self.judgments.grades

    @property
    def query_offsets(self) -> I64:
        """The documents of query q are ``query_offsets[q]:query_offsets[q + 1]``."""
        return self.judgments.query_offsets

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Identifier of each query."""
        return self.judgments.query_ids

    @property
    def document_ids(self) -> Ids | None:
        """Identifier of each document, if the source has them."""
        return self.judgments.document_ids

    def column(self, feature: int) -> F64:
        """Return one feature of every document as float64."""
        if isinstance(self.features, BinnedMatrix):
            return self.features.column(feature)
        if isinstance(self.features, np.ndarray):
            return self.features[:, feature].astype(np.float64)
        dense = np.zeros(self.n_documents)
        span = slice(self.features.indptr[feature], self.features.indptr[feature + 1])
        dense[self.features.indices[span]] = self.features.data[span]
        return dense

    def scores(self, weights: ArrayLike) -> F64:
        """Return the linear scores X @ w.

        Sums are taken feature by feature in float64, which gives the same bits on every machine and for any number of
        threads; a BLAS product does not guarantee that.
        """
        w = np.asarray(weights, np.float64)
        if w.shape != (self.n_features,):
            raise InvalidDataError(f"weights have shape {w.shape}; the data has {self.n_features} features")
        if isinstance(self.features, BinnedMatrix):
            return self.features.scores(w)
        scores = np.zeros(self.n_documents)
        moving = np.flatnonzero(w)
        if isinstance(self.features, np.ndarray):
            for first in range(0, self.n_documents, _BLOCK):
                block = self.features[first : first + _BLOCK]
                part = scores[first : first + _BLOCK]
                for j in moving:
                    part += w[j] * block[:, j].astype(np.float64, copy=False)
        else:
            indptr, indices, values = self.features.indptr, self.features.indices, self.features.data
            for j in moving:
                span = slice(indptr[j], indptr[j + 1])
                scores[indices[span]] += w[j] * values[span].astype(np.float64, copy=False)
        return scores

    def select(self, queries: ArrayLike) -> RankingDataset:
        """Keep only the given queries (indices or a boolean mask), in the given order.

        Examples
        --------
        >>> data = RankingDataset.from_arrays([[1.0], [0.2], [0.4]], [1, 0, 2], qid=["a", "b", "b"])
        >>> data.select([1]).query_ids
        ('b',)
        """
        chosen = np.arange(self.n_queries)[np.asarray(queries)]
        documents, _ = segments(self.query_offsets, chosen)
        rows = documents if self.rows is None else self.rows[documents]
        features = take_rows(self.features, documents)
        return RankingDataset(features, self.feature_names, self.judgments.select(chosen), readonly(rows))

    def select_features(self, names: Sequence[str]) -> RankingDataset:
        """Keep only the named features, in the given order.

        Examples
        --------
        >>> data = RankingDataset.from_arrays([[1.0, 5.0]], [1], qid=[7], feature_names=["bm25", "clicks"])
        >>> data.select_features(["clicks"]).features
        array([[5.]])
        """
        if tuple(names) == self.feature_names:
            return self
        position = {name: j for j, name in enumerate(self.feature_names)}
        missing = [name for name in names if name not in position]
        if missing:
            raise InvalidDataError(
                f"the data lacks {len(missing)} of {len(names)} features: {_shortened(missing)}; "
                f"it has {_shortened(self.feature_names) or 'none'}"
            )
        columns = np.array([position[name] for name in names], np.int64)
        return replace(self, features=take_columns(self.features, columns), feature_names=tuple(names))


def default_feature_names(n_features: int) -> tuple[str, ...]:
    """Return the names of features without names of their own: f1, f2, ..., numbered as in LETOR.

    Examples
    --------
    >>> default_feature_names(3)
    ('f1', 'f2', 'f3')
    """
    return tuple(f"f{j}" for j in range(1, n_features + 1))


def _shortened(names: Sequence[str], limit: int = 10) -> str:
    more = f", ... ({len(names) - limit} more)" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def _require_distinct(kind: str, names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        repeated = [name for name, n in Counter(names).items() if n > 1]
        raise InvalidDataError(f"every {kind} may occur only once; repeated: {_shortened(repeated)}")


def _vector(name: str, values: ArrayLike, n: int) -> F64:
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidDataError(f"{name} must be numbers") from None
    if vector.shape != (n,):
        raise InvalidDataError(f"{name} have shape {vector.shape}; expected ({n},), one for each row")
    return vector


def _group(qid: ArrayLike, n: int) -> tuple[list[str], I64, I64 | None]:
    """Return ids and offsets of the queries by first appearance, and the row order that groups them."""
    query: NDArray[Any] = np.asarray(qid)
    if query.shape != (n,):
        raise InvalidDataError(f"qid has shape {query.shape}; expected ({n},), one for each row")
    if n == 0:
        return [], np.zeros(1, np.int64), None
    if query.dtype == object:
        kinds = set(map(type, query.tolist()))
        if not (kinds == {str} or all(issubclass(kind, int | float) for kind in kinds)):
            found = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise InvalidDataError(f"qid must be all numbers or all strings, found {found}")
    if (query != query).any():
        raise InvalidDataError("qid has NaN; every row needs a query id")
    starts = np.concatenate([[0], np.flatnonzero(query[1:] != query[:-1]) + 1])
    distinct, first, inverse = np.unique(query[starts], return_index=True, return_inverse=True)
    if distinct.size == starts.size:  # already grouped: no row moves
        return [str(q) for q in query[starts].tolist()], np.append(starts, n).astype(np.int64), None
    by_appearance = np.argsort(first)
    position = np.empty_like(by_appearance)
    position[by_appearance] = np.arange(by_appearance.size)
    query_of_row = np.repeat(position[inverse], np.diff(np.append(starts, n)))
    order = np.argsort(query_of_row, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(query_of_row))]).astype(np.int64)
    return [str(q) for q in distinct[by_appearance].tolist()], offsets, order
