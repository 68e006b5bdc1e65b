"""The two products with a data set's features: X w and X^T g."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.exact_sums import rounded_rows
from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.data.dataset import RankingDataset


class FeatureProducts(ABC):
    """X w and X^T g for dense, sparse and binned features, for one vector or several at a time.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 2.0], [3.0, 5.0]], [1, 0], qid=[7, 7])
    >>> products = FeatureProducts.of(data)
    >>> products.scores(np.array([1.0, 10.0])), products.moments(np.array([1.0, -1.0]))
    (array([21., 53.]), array([-2., -3.]))
    >>> products.outputs(np.eye(2))
    array([[1., 3.],
           [2., 5.]])
    """

    @staticmethod
    def of(data: RankingDataset) -> FeatureProducts:
        """Return the products with a data set's features.

        Parameters
        ----------
        data : RankingDataset
        """
        if isinstance(data.features, np.ndarray):
            return _Dense(data.features.T, data.query_offsets)
        if isinstance(data.features, BinnedMatrix):
            return _Binned(data.features, data.query_offsets)
        return _Sparse(data.features.astype(np.float64, copy=False))

    @abstractmethod
    def scores(self, weights: F64) -> F64:
        """Return X w, one number per document."""

    @abstractmethod
    def moments(self, gradient: F64) -> F64:
        """Return X^T g, one number per feature."""

    def partial_moments(self, gradient: F64) -> I64 | F64:
        """Return X^T g in a form that :func:`total_moments` adds up: as digits unless features are sparse."""
        moments: I64 | F64 = self.partial_moment_rows(gradient[np.newaxis])[0]
        return moments

    def partial_moment_rows(self, gradients: F64) -> I64 | F64:
        """Return X^T g for each row g, in a form that :func:`total_moments` adds up."""
        return self.moment_rows(gradients)

    @abstractmethod
    def outputs(self, weights: F64) -> F64:
        """Return X w for each row w, shape (n_rows, n_documents)."""

    @abstractmethod
    def moment_rows(self, gradients: F64) -> F64:
        """Return X^T g for each row g, shape (n_rows, n_features)."""


def total_moments(parts: Sequence[I64 | F64]) -> F64:
    """Return X^T g over all data from :meth:`FeatureProducts.partial_moments` of each part.

    Sums of digits have the same bits however the data is partitioned; sparse features are added as floats.

    Parameters
    ----------
    parts : sequence of arrays

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 2.0], [3.0, 5.0]], [1, 0], qid=[7, 8])
    >>> parts = [FeatureProducts.of(data.select([q])).partial_moments(np.array([0.1])) for q in range(2)]
    >>> total_moments(parts)
    array([0.4, 0.7])
    """
    if parts[0].dtype == np.int64:
        digits: I64 = np.sum(parts, axis=0)
        return rounded_rows(digits.reshape(-1, digits.shape[-1])).reshape(digits.shape[:-1])
    total: F64 = np.sum(parts, axis=0, dtype=np.float64)
    return total


@dataclass(frozen=True)
class _Dense(FeatureProducts):
    """X w and X^T g with dense features, stored by feature."""

    columns: Any
    query_offsets: I64

    def scores(self, weights: F64) -> F64:
        from rankmax._kernels.numerics.matrix_products import times_weights

        scores = np.empty(self.columns.shape[1])
        times_weights(self.columns, weights, scores)
        return scores

    def moments(self, gradient: F64) -> F64:
        moments: F64 = self.moment_rows(gradient[np.newaxis])[0]
        return moments

    def outputs(self, weights: F64) -> F64:
        from rankmax._kernels.numerics.matrix_products import times_matrix

        outputs = np.empty((len(weights), self.columns.shape[1]))
        times_matrix(self.columns, np.ascontiguousarray(weights), outputs)
        return outputs

    def moment_rows(self, gradients: F64) -> F64:
        return total_moments([self.partial_moment_rows(gradients)])

    def partial_moment_rows(self, gradients: F64) -> I64 | F64:
        from rankmax._kernels.numerics.matrix_products import transposed_times

        return transposed_times(self.columns, np.ascontiguousarray(gradients), self.query_offsets)


@dataclass(frozen=True)
class _Binned(FeatureProducts):
    """X w and X^T g with indicators stored as codes."""

    features: BinnedMatrix
    query_offsets: I64

    def scores(self, weights: F64) -> F64:
        return self.features.scores(weights)

    def moments(self, gradient: F64) -> F64:
        moments: F64 = self.moment_rows(gradient[np.newaxis])[0]
        return moments

    def outputs(self, weights: F64) -> F64:
        return self.features.outputs(weights)

    def moment_rows(self, gradients: F64) -> F64:
        return total_moments([self.partial_moment_rows(gradients)])

    def partial_moment_rows(self, gradients: F64) -> I64 | F64:
        return self.features.moment_digits(gradients, self.query_offsets)


@dataclass(frozen=True)
class _Sparse(FeatureProducts):
    """X w and X^T g with sparse features."""

    features: Any

    def scores(self, weights: F64) -> F64:
        scores: F64 = self.features @ weights
        return scores

    def moments(self, gradient: F64) -> F64:
        moments: F64 = self.features.T @ gradient
        return moments

    def outputs(self, weights: F64) -> F64:
        return np.ascontiguousarray((self.features @ weights.T).T)

    def moment_rows(self, gradients: F64) -> F64:
        return np.ascontiguousarray((self.features.T @ gradients.T).T)
