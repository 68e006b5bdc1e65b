"""The optimization problem of a structural SVM: features, and an oracle for the most violated constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.exact_sums import digits_of, rounded
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries
from rankmax.data.query_segments import QuerySegments
from rankmax.learners.structural.loss_registry import StructuralLoss
from rankmax.losses.feature_products import FeatureProducts, total_moments


@dataclass(frozen=True, eq=False)
class CuttingPlane:
    r"""A linear lower bound of the mean slack: :math:`R(v) \ge offset - normal^T v` for all v.

    Attributes
    ----------
    normal : array of float64, shape (n_weights,)
        The mean over queries of :math:`\Psi(x, y) - \Psi(x, \hat y)`.
    offset : float
        The mean of :math:`\Delta(y, \hat y)`.
    """

    normal: F64
    offset: float

    def at(self, weights: F64) -> float:
        """Return the bound at the given weights."""
        return self.offset - float(self.normal @ weights)


class Slack(Protocol):
    """The mean slack of a problem, over local or distributed data."""

    @property
    def n_weights(self) -> int:
        """Number of weights."""

    def cut(self, weights: F64) -> CuttingPlane:
        """Return the cutting plane that touches the mean slack at the given weights.

        Parameters
        ----------
        weights : array of float64, shape (n_weights,)
        """


@dataclass(frozen=True, eq=False)
class MarginSums:
    """Sums of violated constraints over some queries, which can be added over parts of the data.

    Attributes
    ----------
    moments : array
        Partial moments (losses/feature_products.py) of the margins.
    margins, losses : arrays of int64
        Digits (_numerics/digit_sums.py).
    """

    moments: I64 | F64
    margins: I64
    losses: I64

    def __add__(self, other: MarginSums) -> MarginSums:
        return MarginSums(self.moments + other.moments, self.margins + other.margins, self.losses + other.losses)


def plane_of(parts: Sequence[MarginSums], n_queries: float, *, has_threshold: bool) -> CuttingPlane:
    """Return the plane of the mean constraint of all queries.

    Parameters
    ----------
    parts : sequence of MarginSums
    n_queries : float
        Number of queries in all parts, or the sum of their weights.
    has_threshold : bool
    """
    normal = total_moments([part.moments for part in parts])
    if has_threshold:
        normal = np.append(normal, rounded(np.sum([part.margins for part in parts], axis=0)))
    loss = rounded(np.sum([part.losses for part in parts], axis=0))
    return CuttingPlane(normal / n_queries, loss / n_queries)


class MarginProblem:
    r"""The mean slack of Optimization Problem 1 as a function of the weights.

    .. math:: R(w) = \frac{1}{n} \sum_q \max_y \Delta(y_q, y) - w^T (\Psi(x_q, y_q) - \Psi(x_q, y))

    is convex and piecewise linear. For a loss with a threshold, the last weight is the threshold's: that of a feature
    which is 1 for all documents.

    Parameters
    ----------
    data : RankingDataset
        All queries must be informative (:func:`~rankmax.learners.structural.oracles.separation_oracle.tells`).
    loss : StructuralLoss

    Examples
    --------
    >>> from rankmax.learners.structural.loss_registry import structural_loss
    >>> data = RankingDataset.from_arrays([[1.0], [0.0]], [1, 0], qid=[7, 7])
    >>> problem = MarginProblem(data, structural_loss("ROC"))
    >>> [problem.slack(np.array([w])) for w in (0.0, 0.25, 0.5, 0.75)]
    [1.0, 0.5, 0.0, 0.0]
    """

    def __init__(self, data: RankingDataset, loss: StructuralLoss) -> None:
        self.data = data
        self.loss = loss
        self._oracle = loss.oracle(data.judgments)
        self._products = FeatureProducts.of(data)

    @property
    def kind(self) -> str:
        """The search algorithm of the oracle, if it has several."""
        return getattr(self._oracle, "kind", "")

    @kind.setter
    def kind(self, kind: str) -> None:
        if kind:
            self._oracle.kind = kind  # type: ignore[attr-defined]

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return self.data.n_queries

    @property
    def n_weights(self) -> int:
        """Number of features, plus one if the loss has a threshold."""
        return self.data.n_features + self._oracle.has_threshold

    def cut(self, weights: F64) -> CuttingPlane:
        """Return the cutting plane at the given weights: the mean of the most violated constraints.

        Parameters
        ----------
        weights : array of float64, shape (n_weights,)
        """
        return plane_of([self.sums(weights)], self.n_queries, has_threshold=self._oracle.has_threshold)

    def sums(self, weights: F64) -> MarginSums:
        """Return the sums of the most violated constraints.

        Parameters
        ----------
        weights : array of float64, shape (n_weights,)
        """
        scores = self._products.scores(weights[: self.data.n_features])
        if self._oracle.has_threshold:
            scores += weights[-1]
        found = self._oracle.most_violated(scores)
        moments = self._products.partial_moments(found.margins)
        return MarginSums(moments, digits_of(found.margins), digits_of(found.losses))

    def slack(self, weights: F64) -> float:
        """Return R(w).

        Parameters
        ----------
        weights : array of float64, shape (n_weights,)
        """
        return max(self.cut(weights).at(weights), 0.0)

    def can_rank(self, weights: F64) -> bool:
        """Return whether some query has documents of different scores, or at least of different features.

        Parameters
        ----------
        weights : array of float64, shape (n_features,)
        """
        queries, scores = QuerySegments(self.data.query_offsets), self.data.scores(weights)
        ranks = (queries.reduce(np.minimum, scores) < queries.reduce(np.maximum, scores)).any()
        return bool(ranks or spread_within_queries(self.data).any())

    def by_query(self) -> list[MarginProblem]:
        """Return the problem of each query alone."""
        return [MarginProblem(self.data.select([q]), self.loss) for q in range(self.n_queries)]
