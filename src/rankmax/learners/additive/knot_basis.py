"""Piecewise linear curves over a data set whose features are stored as one byte per document."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64, Bool, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments, segments
from rankmax.data.query_segments import QuerySegments
from rankmax.errors import InvalidDataError
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.present_values import present_values
from rankmax.preprocessing.thresholds import quantile_thresholds

ABSENT = 255
"""Code of a document that has no value of the feature."""

_N_CODES = 256
_WIDEST = 1e140  # half of a range whose square, times documents, is finite
_MOST_THRESHOLDS = 253  # between the codes 0 to 253


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves of all features, on the knots of a :class:`KnotBasis`.

    Attributes
    ----------
    rises : array of float64, shape (n_features, n_segments)
        Difference of a curve's values at the two ends of each segment; 0 beyond a feature's own segments.
    absents : array of float64, shape (n_features,)
        Value for documents without a value of the feature; that of others is 0 on average.
    """

    rises: F64
    absents: F64

    def __add__(self, other: Curves) -> Curves:
        """Return the sums of the curves, feature by feature."""
        return Curves(self.rises + other.rises, self.absents + other.absents)

    def times(self, factor: float) -> Curves:
        """Return the curves with all heights multiplied.

        Parameters
        ----------
        factor : float
        """
        return Curves(factor * self.rises, factor * self.absents)


@dataclass(frozen=True, eq=False)
class KnotBasis:
    r"""A data set as codes of values, and the ramps of which piecewise linear curves on given knots are sums.

    .. math:: f_j(x) = \sum_k d_{jk} (r_{jk}(x) - \bar r_{jk}), \qquad
        r_{jk}(x) = \min(1, \max(0, (x - \kappa_{jk}) / (\kappa_{j,k+1} - \kappa_{jk})))

    with the means :math:`\bar r` over the documents that have a value. A code stands for up to a 254th of the
    documents, and its value is their mean; so a document takes one byte per feature, scores are sums of table entries,
    and a gradient is a histogram.

    Attributes
    ----------
    codes : array of uint8, shape (n_features, n_documents)
    judgments : Judgments
    knots : tuple of arrays of float64
        Knots of each feature, ascending, the lowest and the highest value among them.
    ramps : array of float64, shape (n_features, 256, n_segments)
        Ramps r at the value of each code.
    means : array of float64, shape (n_features, n_segments)
        Mean of each ramp.

    Examples
    --------
    >>> from rankmax.preprocessing import Unchanged
    >>> data = RankingDataset.from_arrays([[0.0], [1.0], [4.0], [4.0]], [0, 0, 1, 1], qid=[1, 1, 2, 2])
    >>> basis = KnotBasis.of(data, Unchanged(), 8)
    >>> basis.knots[0].tolist(), basis.scores(Curves(np.array([[1.0, -2.0]]), np.zeros(1))).tolist()
    ([0.0, 1.0, 4.0], [0.25, 1.25, -0.75, -0.75])
    """

    codes: NDArray[np.uint8]
    judgments: Judgments
    knots: tuple[F64, ...]
    ramps: F64
    means: F64

    @classmethod
    def of(cls, data: RankingDataset, normalization: Normalization, n_knots: int) -> KnotBasis:
        """Return the basis with knots at the quantiles of each feature.

        Parameters
        ----------
        data : RankingDataset
        normalization : Normalization
        n_knots : int
            Maximum number of knots of a feature, 2 or more; a feature of fewer distinct values has one at each.
        """
        codes = np.empty((data.n_features, data.n_documents), np.uint8)
        found = []
        for j, name in enumerate(data.feature_names):
            column = present_values(data, name, normalization)
            present = ~np.isnan(column)
            values, counts = np.unique(column[present], return_counts=True)
            if values.size and float(values[-1] / 2 - values[0] / 2) > _WIDEST:
                raise InvalidDataError(
                    f"values of feature {name!r} are from {values[0]:g} to {values[-1]:g}, too far apart for a curve: "
                    "leave out what stands for no value, or normalize by percentile"
                )
            thresholds = quantile_thresholds(values, counts, _MOST_THRESHOLDS)
            codes[j] = np.where(present, np.searchsorted(thresholds, column), ABSENT)
            found.append((_knots(values, counts, n_knots), _code_values(column, codes[j])))
        n_segments = max((knots.size - 1 for knots, _ in found), default=0)
        ramps = np.zeros((data.n_features, _N_CODES, max(n_segments, 1)))
        means = np.zeros((data.n_features, ramps.shape[2]))
        for j, (knots, code_values) in enumerate(found):
            for k in range(knots.size - 1):
                share = (code_values - knots[k]) / (knots[k + 1] - knots[k])
                ramps[j, : code_values.size, k] = np.clip(share, 0.0, 1.0)
            counts = np.bincount(codes[j], minlength=_N_CODES)[: code_values.size]
            means[j] = counts @ ramps[j, : code_values.size] / max(counts.sum(), 1)
        return cls(readonly(codes), data.judgments, tuple(knots for knots, _ in found), ramps, means)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.codes)

    @cached_property
    def lengths(self) -> F64:
        """Length of each segment, 0 beyond a feature's own, shape (n_features, n_segments)."""
        lengths = np.zeros(self.means.shape)
        for j, knots in enumerate(self.knots):
            lengths[j, : max(knots.size - 1, 0)] = np.diff(knots)
        return lengths

    @cached_property
    def counts(self) -> I64:
        """Number of documents with each code, shape (n_features, 256)."""
        return np.array([np.bincount(codes, minlength=_N_CODES) for codes in self.codes]).reshape(-1, _N_CODES)

    @cached_property
    def has_absent(self) -> Bool:
        """Whether some document has no value, by feature, and some have one."""
        absent = self.counts[:, ABSENT]
        some: Bool = (absent > 0) & (absent < self.codes.shape[1])
        return some

    @cached_property
    def feature_spread(self) -> F64:
        """Standard deviation within queries of each feature, as far as its codes tell."""
        spreads = [self.spread(self.column(j, self.lengths[j])) for j in range(self.n_features)]
        return np.where(self.lengths.any(axis=1), spreads, 0.0)

    def tables(self, curves: Curves) -> F64:
        """Return the value of each curve at each code, shape (n_features, 256).

        Parameters
        ----------
        curves : Curves
        """
        tables = np.einsum("fck,fk->fc", self.ramps, curves.rises)
        tables -= (self.means * curves.rises).sum(axis=1)[:, None]
        tables[:, ABSENT] = curves.absents
        found: F64 = tables
        return found

    def scores(self, curves: Curves) -> F64:
        """Return the score of each document.

        Parameters
        ----------
        curves : Curves
        """
        from rankmax._kernels.numerics.binned_products import sum_entries

        scores: F64 = sum_entries(self.codes, self.tables(curves)[np.newaxis])[0]
        return scores

    def column(self, j: int, rises: F64, absent: float = 0.0) -> F64:
        """Return the value of one feature's curve for each document.

        Parameters
        ----------
        j : int
        rises : array of float64, shape (n_segments,)
        absent : float
        """
        table = self.ramps[j] @ rises - self.means[j] @ rises
        table[ABSENT] = absent
        column: F64 = table[self.codes[j]]
        return column

    def hat(self, j: int, knot: int) -> F64:
        """Return what each document gains when a curve's value at one knot grows by 1: 0 beyond its neighbors.

        Parameters
        ----------
        j, knot : int
        """
        own = self.knots[j].size - 1
        rising = self.ramps[j, :, knot - 1] if knot > 0 else np.ones(_N_CODES)
        falling = self.ramps[j, :, knot] if knot < own else np.zeros(_N_CODES)
        table = rising - falling
        table[ABSENT] = 0.0
        hat: F64 = table[self.codes[j]]
        return hat

    def gradient(self, by_document: F64) -> Curves:
        """Return the gradient by rises and absent values of a function whose gradient by scores is given.

        Parameters
        ----------
        by_document : array of float64, shape (n_documents,)
        """
        sums = np.array([np.bincount(codes, by_document, _N_CODES) for codes in self.codes]).reshape(-1, _N_CODES)
        absents = sums[:, ABSENT].copy()
        sums[:, ABSENT] = 0.0
        rises = np.einsum("fck,fc->fk", self.ramps, sums) - self.means * sums.sum(axis=1)[:, None]
        return Curves(rises, absents)

    def select(self, queries: I64) -> KnotBasis:
        """Return the basis over some queries, with the same knots and means.

        Parameters
        ----------
        queries : array of int64
        """
        documents, _ = segments(self.judgments.query_offsets, queries)
        return replace(self, codes=readonly(self.codes[:, documents]), judgments=self.judgments.select(queries))

    def spread(self, scores: F64) -> float:
        """Return the standard deviation of scores within queries.

        Parameters
        ----------
        scores : array of float64, shape (n_documents,)
        """
        return float(QuerySegments(self.judgments.query_offsets).deviation(scores))

    def heights(self, j: int, rises: F64) -> F64:
        """Return the values of one feature's curve at its knots; their mean over the documents is 0.

        Parameters
        ----------
        j : int
        rises : array of float64, shape (n_segments,)
        """
        own = rises[: max(self.knots[j].size - 1, 0)]
        base = -float(self.means[j] @ rises)
        return base + np.concatenate([[0.0], np.cumsum(own)]) if self.knots[j].size else np.zeros(1)


def _knots(values: F64, counts: NDArray[Any], n_knots: int) -> F64:
    if values.size <= n_knots:
        return values
    inner = quantile_thresholds(values[1:-1], counts[1:-1], n_knots - 2) if n_knots > 2 else values[:0]
    return np.concatenate([values[:1], inner, values[-1:]])


def _code_values(column: F64, codes: NDArray[np.uint8]) -> F64:
    """Return the mean value of the documents with each code."""
    present = codes != ABSENT
    counts = np.bincount(codes[present])
    low = float(column[present].min()) if counts.size else 0.0  # subtracted, so that large offsets cost no precision
    sums = np.bincount(codes[present], column[present] - low)
    means: F64 = low + sums / np.maximum(counts, 1)
    return means
