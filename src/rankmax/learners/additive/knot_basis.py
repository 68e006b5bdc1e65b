"""Curves over a data set whose features are stored as one byte per document."""

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
from rankmax.models.curve import Kind
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
    rises : array of float64, shape (n_features, n_rises)
        Difference of each two neighboring values of a curve; 0 beyond a feature's own.
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
    r"""A data set as codes of values, and the ramps of which curves on given knots are sums.

    .. math:: f_j(x) = \sum_k d_{jk} (r_{jk}(x) - \bar r_{jk})

    with the means :math:`\bar r` over the documents that have a value. The ramps of piecewise linear curves rise
    between two knots, and those of piecewise constant ones at a knot:

    .. math:: r_{jk}(x) = \min(1, \max(0, (x - \kappa_{jk}) / (\kappa_{j,k+1} - \kappa_{jk})))
        \quad\text{or}\quad r_{jk}(x) = [x > \kappa_{jk}]

    A code stands for up to a 254th of the documents, and its value is their mean; so a document takes one byte per
    feature, scores are sums of table entries, and a gradient is a histogram. Steps are between codes, so nothing is
    lost on them.

    Attributes
    ----------
    codes : array of uint8, shape (n_features, n_documents)
    judgments : Judgments
    knots : tuple of arrays of float64
        Knots of each feature, ascending; of straight lines with the lowest and the highest value among them.
    ramps : array of float64, shape (n_features, 256, n_rises)
        Ramps r at the value of each code.
    means : array of float64, shape (n_features, n_rises)
        Mean of each ramp.
    lengths : array of float64, shape (n_features, n_rises)
        Rises of the line of slope 1: lengths of the segments between knots, or distances between the mean values of
        neighboring steps; 0 beyond a feature's own.
    kind : {"linear", "constant"}
        Course of the curves between knots.

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
    lengths: F64
    kind: Kind = "linear"

    @classmethod
    def of(cls, data: RankingDataset, normalization: Normalization, n_knots: int, kind: Kind = "linear") -> KnotBasis:
        """Return the basis with knots at the quantiles of each feature.

        Parameters
        ----------
        data : RankingDataset
        normalization : Normalization
        n_knots : int
            Maximum number of knots of a feature, 2 or more. A feature of fewer distinct values has one at each, for
            steps one between any two.
        kind : {"linear", "constant"}
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
            code_values = _code_values(column, codes[j])
            if kind == "linear":
                found.append(_lines(_knots(values, counts, n_knots), code_values))
            else:
                found.append(_steps(thresholds, code_values, np.bincount(codes[j][present]), n_knots))
        n_rises = max((own.size for _, _, own in found), default=0)
        ramps = np.zeros((data.n_features, _N_CODES, max(n_rises, 1)))
        means, lengths = (np.zeros((data.n_features, ramps.shape[2])) for _ in range(2))
        for j, (_, own_ramps, own_lengths) in enumerate(found):
            n_codes = len(own_ramps)
            ramps[j, :n_codes, : own_lengths.size] = own_ramps
            lengths[j, : own_lengths.size] = own_lengths
            counts = np.bincount(codes[j], minlength=_N_CODES)[:n_codes]
            means[j] = counts @ ramps[j, :n_codes] / max(counts.sum(), 1)
        knots = tuple(knots for knots, _, _ in found)
        return cls(readonly(codes), data.judgments, knots, ramps, means, lengths, kind)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.codes)

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

    def n_values(self, j: int) -> int:
        """Return the number of values of one feature's curve: at its knots, or of its steps.

        Parameters
        ----------
        j : int
        """
        return self.knots[j].size + 1 if self.kind == "constant" else max(self.knots[j].size, 1)

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
        rises : array of float64, shape (n_rises,)
        absent : float
        """
        table = self.ramps[j] @ rises - self.means[j] @ rises
        table[ABSENT] = absent
        column: F64 = table[self.codes[j]]
        return column

    def hat(self, j: int, place: int) -> F64:
        """Return what each document gains when one value of a curve grows by 1: 0 beyond its neighbors.

        Parameters
        ----------
        j, place : int
            The feature, and which of the values.
        """
        rising = self.ramps[j, :, place - 1] if place > 0 else np.ones(_N_CODES)
        falling = self.ramps[j, :, place] if place < self.n_values(j) - 1 else np.zeros(_N_CODES)
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
        """Return the values of one feature's curve; their mean over the documents is 0.

        Parameters
        ----------
        j : int
        rises : array of float64, shape (n_rises,)
        """
        base = -float(self.means[j] @ rises)
        return base + np.concatenate([[0.0], np.cumsum(rises[: self.n_values(j) - 1])])


def _knots(values: F64, counts: NDArray[Any], n_knots: int) -> F64:
    if values.size <= n_knots:
        return values
    inner = quantile_thresholds(values[1:-1], counts[1:-1], n_knots - 2) if n_knots > 2 else values[:0]
    return np.concatenate([values[:1], inner, values[-1:]])


_Shape = tuple[F64, F64, F64]  # knots, ramps by code, rises of the line of slope 1


def _lines(knots: F64, code_values: F64) -> _Shape:
    lengths = np.diff(knots)
    return knots, np.clip((code_values[:, None] - knots[:-1]) / lengths, 0.0, 1.0), lengths


def _steps(thresholds: F64, code_values: F64, counts: NDArray[Any], n_knots: int) -> _Shape:
    """Return knots at some of the thresholds between codes, with about as many documents between any two."""
    every = np.arange(code_values.size)
    last = np.floor(quantile_thresholds(every.astype(np.float64), counts, n_knots)).astype(np.int64)  # code below
    starts = np.concatenate([every[:1], last + 1])
    offsets = code_values - code_values[:1]
    means = np.add.reduceat(counts * offsets, starts) / np.add.reduceat(counts, starts) if every.size else offsets
    return thresholds[last], (every[:, None] > last).astype(np.float64), np.diff(means)


def _code_values(column: F64, codes: NDArray[np.uint8]) -> F64:
    """Return the mean value of the documents with each code."""
    present = codes != ABSENT
    counts = np.bincount(codes[present])
    low = float(column[present].min()) if counts.size else 0.0  # subtracted, so that large offsets cost no precision
    sums = np.bincount(codes[present], column[present] - low)
    means: F64 = low + sums / np.maximum(counts, 1)
    return means
