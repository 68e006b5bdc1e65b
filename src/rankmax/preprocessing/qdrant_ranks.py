"""Reciprocal ranks as Qdrant weighs them: a weight also changes the rank constant of its system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.query_segments import QuerySegments
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import ReciprocalRank


@dataclass(frozen=True)
class QdrantReciprocalRank(ReciprocalRank):
    r"""Replace scores by reciprocal ranks whose constant grows with the system's weight, as Qdrant does.

    Qdrant's weighted rrf adds up :math:`1 / (r_i / w_i + k)`, which is :math:`w_i / (r_i + w_i k)`: a weighted sum of
    reciprocal ranks, each with a constant of its own. Only the product of k and the weights matters, so that n weights
    stand for their multiples of mean 1. With equal weights it is reciprocal rank fusion.

    Parameters
    ----------
    k : float
        Rank constant of a system of average weight; Qdrant's own parameter is one more.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[0.2, 1.0], [7.0, 2.0]], [1, 0], qid=[7, 7])
    >>> QdrantReciprocalRank(k=2).apply(data).features[0]
    array([0.25, 0.25])
    >>> QdrantReciprocalRank(k=2).with_weights(np.array([0.75, 0.25])).apply(data).features[0]
    array([0.2       , 0.33333333])
    """

    name: ClassVar[str] = "qdrant-reciprocal-rank"

    def with_weights(self, weights: F64) -> Normalization:
        """Return reciprocal ranks with a constant for each system."""
        return _RankConstants(tuple(self.constants(np.asarray(weights, np.float64)).tolist()))

    def by_column(self, weights: F64) -> Sequence[Normalization]:
        """Return reciprocal ranks with the constant of each system."""
        return [ReciprocalRank(constant) for constant in self.constants(weights).tolist()]

    def constants(self, weights: F64) -> F64:
        """Return the rank constant of each system; systems of weight 0 take no part.

        Parameters
        ----------
        weights : array of float64, shape (..., n_systems)

        Examples
        --------
        >>> QdrantReciprocalRank(k=10).constants(np.array([0.75, 0.0, 0.25]))
        array([15.,  0.,  5.])
        """
        sizes = np.abs(weights)  # Qdrant takes no negative weights
        n_used = np.count_nonzero(sizes, axis=-1, keepdims=True)
        total = sizes.sum(axis=-1, keepdims=True)
        constants: F64 = self.k * sizes * n_used / np.where(total, total, 1.0)
        return constants


@dataclass(frozen=True)
class _RankConstants(Normalization):
    """Reciprocal ranks with a constant for each feature, in the order of the features."""

    constants: tuple[float, ...]

    def normalize(self, column: F64, segments: QuerySegments) -> F64:
        """Refuse: the constant depends on the feature."""
        raise NotImplementedError

    def apply(self, data: RankingDataset) -> RankingDataset:
        """Return the data with features replaced by reciprocal ranks."""
        columns = [
            ReciprocalRank(constant).apply(data.select_features([name])).column(0)
            for name, constant in zip(data.feature_names, self.constants, strict=True)
        ]
        return replace(data, features=np.asfortranarray(np.column_stack(columns)))
