r"""Query-level normalization, which makes a feature comparable across queries.

Raw scores of two queries have different ranges (a BM25 score grows with the number of query terms), so one weight
cannot serve both. Each normalization of this module maps a feature's values within one query, in the same way for
every query; a model keeps the one it was trained with and applies it again when it predicts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax.data.dataset import RankingDataset
from rankmax.data.query_segments import QuerySegments, StoredSegments
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.preprocessing.registry import NORMALIZATIONS

if TYPE_CHECKING:
    from scipy.sparse import csc_array

_TAME = (1e-140, 1e140)  # magnitudes whose squares neither underflow nor overflow


class Normalization(ABC):
    """Base of the normalizations: a frozen value object with a name.

    Subclasses are frozen dataclasses; :meth:`to_dict` stores their fields, if any, with the name.
    """

    name: ClassVar[str]
    keeps_zeros: ClassVar[bool] = False
    """Whether 0 maps to 0 in every query, so that sparse features stay sparse."""

    @abstractmethod
    def normalize(self, column: F64, segments: QuerySegments) -> F64:
        """Return one feature's normalized values.

        Parameters
        ----------
        column : array of float64, shape (n_documents,)
        segments : QuerySegments
        """

    def apply(self, data: RankingDataset) -> RankingDataset:
        """Return the data with every feature normalized within each query; the dtype of the features is kept.

        Parameters
        ----------
        data : RankingDataset
        """
        if not isinstance(data.features, np.ndarray):
            return self._apply_sparse(data, data.features.tocsc())
        segments = QuerySegments(data.query_offsets)
        normalized = np.empty_like(data.features, order="F", subok=False)
        if data.n_documents:
            for j in range(data.n_features):
                normalized[:, j] = self.normalize(data.column(j), segments)
        return replace(data, features=normalized)

    def with_weights(self, weights: F64) -> Normalization:
        """Return what normalizes scores that are then added up with these weights: itself, unless it depends on them.

        Parameters
        ----------
        weights : array of float64, shape (n_features,)
        """
        return self

    def by_column(self, weights: F64) -> Sequence[Normalization]:
        """Return what normalizes each of the columns that are then added up with these weights.

        Parameters
        ----------
        weights : array of float64, shape (n_features,)
        """
        return [self] * weights.size

    def _apply_sparse(self, data: RankingDataset, features: csc_array) -> RankingDataset:
        if not self.keeps_zeros:
            sparse = sorted(name for name, kind in NORMALIZATIONS.load_all().items() if kind.keeps_zeros)
            raise IncompatibleError(
                f"normalization {self.name!r} moves zeros and would fill the sparse features; "
                f"use {' or '.join(map(repr, sparse))}, or give dense features"
            )
        stored = StoredSegments.of(replace(data, features=features))
        normalized = features.copy()
        if features.nnz:
            values = self.normalize(features.data.astype(np.float64), stored)
            normalized.data = values.astype(features.dtype)
        return replace(data, features=normalized)

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the parameters, for JSON."""
        return {"name": self.name, **{f.name: getattr(self, f.name) for f in fields(self)}}  # type: ignore[arg-type]

    @staticmethod
    def from_dict(description: Mapping[str, Any]) -> Normalization:
        """Return the normalization that :meth:`to_dict` described.

        Examples
        --------
        >>> Normalization.from_dict({"name": "min-max"})
        MinMax()
        """
        parameters = dict(description)
        name = parameters.pop("name", None)
        kind = NORMALIZATIONS.load(name)  # None is unknown, too
        try:
            return kind(**parameters)
        except TypeError:
            raise InvalidParameterError(
                f"normalization {name!r} has no parameter {', '.join(map(repr, parameters))}"
            ) from None

    @staticmethod
    def named(choice: str | Normalization) -> Normalization:
        """Return the normalization of that name; a normalization is returned as it is.

        Examples
        --------
        >>> Normalization.named("z-score")
        ZScore()
        """
        return choice if isinstance(choice, Normalization) else Normalization.from_dict({"name": choice})


@dataclass(frozen=True)
class Unchanged(Normalization):
    """No normalization: the features unchanged.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0], [3.0]], [1, 0], qid=[7, 7])
    >>> Unchanged().apply(data) is data
    True
    """

    name: ClassVar[str] = "none"
    keeps_zeros: ClassVar[bool] = True

    def normalize(self, column: F64, segments: QuerySegments) -> F64:
        """Return the column itself."""
        return column

    def apply(self, data: RankingDataset) -> RankingDataset:
        """Return the data itself."""
        return data


@dataclass(frozen=True)
class MinMax(Normalization):
    r"""Scale each query's values to [0, 1], as in LETOR's QueryLevelNorm files.

    .. math:: x' = (x - \min_q x) / (\max_q x - \min_q x)

    A feature that is constant within a query becomes 0 in it.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0], [3.0], [2.0], [5.0]], [1, 0, 0, 0], qid=[7, 7, 7, 8])
    >>> MinMax().apply(data).features.ravel()
    array([0. , 1. , 0.5, 0. ])

    References
    ----------
    Qin, Liu, Xu & Li 2010, LETOR: A benchmark collection for research on learning to rank, section 4.3;
    Yue et al. 2007, section 5.2.1 (SVM_acc4).
    """

    name: ClassVar[str] = "min-max"

    def normalize(self, column: F64, segments: QuerySegments) -> F64:
        """Return the scaled values."""
        column = tamed(column, segments)
        low = segments.reduce(np.minimum, column)
        height = segments.reduce(np.maximum, column) - low
        return ratio(column - segments.spread(low), segments.spread(height))


@dataclass(frozen=True)
class ZScore(Normalization):
    r"""Center each query's values at 0 with standard deviation 1.

    .. math:: x' = (x - \mu_q) / \sigma_q, \quad \sigma_q^2 = \frac{1}{n_q} \sum (x - \mu_q)^2

    A feature that is constant within a query becomes 0 in it.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0], [3.0], [5.0]], [1, 0, 0], qid=[7, 7, 8])
    >>> ZScore().apply(data).features.ravel()
    array([-1.,  1.,  0.])
    """

    name: ClassVar[str] = "z-score"

    def normalize(self, column: F64, segments: QuerySegments) -> F64:
        """Return the standardized values."""
        column = tamed(column, segments)
        varies = segments.reduce(np.minimum, column) < segments.reduce(np.maximum, column)
        centered = segments.centered(column)
        variance = segments.reduce(np.add, centered * centered) / segments.lengths
        return ratio(centered, segments.spread(np.where(varies, np.sqrt(variance), 0.0)))


@dataclass(frozen=True)
class Percentile(Normalization):
    r"""Replace each value by its percentile within the query.

    .. math:: x'_i = |\{ j \in q : x_j \le x_i \}| / n_q

    so the largest value becomes 1 and equal values stay equal.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[0.1], [9.0], [0.3], [0.1]], [1, 0, 0, 0], qid=[7, 7, 7, 7])
    >>> Percentile().apply(data).features.ravel()
    array([0.5 , 1.  , 0.75, 0.5 ])

    References
    ----------
    Yue et al. 2007, section 5.2.1 (SVM_acc3): a score that reaches the 90th percentile of the query's scores
    becomes 0.9.
    """

    name: ClassVar[str] = "percentile"

    def normalize(self, column: F64, segments: QuerySegments) -> F64:
        """Return the percentiles."""
        segment = segments.segment_of_document
        order = np.argsort(column)
        # Stable sort by query; numpy sorts small integer types in linear time.
        query = segment.astype(np.min_scalar_type(segments.lengths.size))
        order = order[np.argsort(query[order], kind="stable")]
        values, n = column[order], column.size
        last_of_equals: Bool = np.ones(n, np.bool_)
        last_of_equals[:-1] = (values[1:] != values[:-1]) | (segment[1:] != segment[:-1])
        ends = np.flatnonzero(last_of_equals) + 1
        no_larger = np.repeat(ends, np.diff(ends, prepend=0)) - segments.starts[segment]
        percentile = np.empty(n)
        percentile[order] = no_larger / segments.lengths[segment]
        return percentile


@dataclass(frozen=True)
class Sum(Normalization):
    r"""Divide by the sum of the query's absolute values.

    .. math:: x' = x / \sum_q |x|

    Zeros stay zeros, so sparse features stay sparse; nonnegative features sum to 1 in each query.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0], [3.0], [0.0]], [1, 0, 0], qid=[7, 7, 8])
    >>> Sum().apply(data).features.ravel()
    array([0.25, 0.75, 0.  ])
    """

    name: ClassVar[str] = "sum"
    keeps_zeros: ClassVar[bool] = True

    def normalize(self, column: F64, segments: QuerySegments) -> F64:
        """Return the shares."""
        column = tamed(column, segments)
        return ratio(column, segments.spread(segments.reduce(np.add, np.abs(column))))


def tamed(column: F64, segments: QuerySegments) -> F64:
    """Scale a query's values by a power of 2 if their squares or differences would leave the float range.

    Use it only for results that do not depend on scale; the scaling changes no bit of the mantissa.

    Parameters
    ----------
    column : array of float64, shape (n_documents,)
    segments : QuerySegments

    Examples
    --------
    >>> tamed(np.array([1e300, 2.0]), QuerySegments(np.array([0, 1, 2])))
    array([0.74..., 2.        ])
    """
    largest = segments.reduce(np.maximum, np.abs(column))
    wild = (largest > _TAME[1]) | ((largest < _TAME[0]) & (largest > 0))
    if not wild.any():
        return column
    exponents = np.where(wild, np.frexp(largest)[1], 0)
    tamed: F64 = np.ldexp(column, -np.repeat(exponents, segments.lengths))
    return tamed


def ratio(values: F64, divisors: F64) -> F64:
    """Return values / divisors, and 0 where the divisor is 0.

    Parameters
    ----------
    values, divisors : arrays of float64

    Examples
    --------
    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, 0. ])
    """
    return np.divide(values, divisors, out=np.zeros_like(values), where=divisors != 0)
