"""The learning problem of a structural SVM: features, and an oracle that says which ranking is violated most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.learners.structural.losses import StructuralLoss
from rankmax.losses.products import FeatureProducts


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
        """Return the bound at a point."""
        return self.offset - float(self.normal @ weights)


class MarginProblem:
    r"""The mean slack of Optimisation Problem 1 as a function of the weights.

    .. math:: R(w) = \frac{1}{n} \sum_q \max_y \Delta(y_q, y) - w^T (\Psi(x_q, y_q) - \Psi(x_q, y))

    is convex and piecewise linear. For a loss with a threshold, the last weight is the threshold's: that of a feature
    which is 1 for all documents.

    Parameters
    ----------
    data : RankingDataset
        All of whose queries tell something (:func:`~rankmax.learners.structural.oracles.base.tells`).
    loss : StructuralLoss

    Examples
    --------
    >>> from rankmax.learners.structural.losses import structural_loss
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
    def n_queries(self) -> int:
        """Number of queries."""
        return self.data.n_queries

    @property
    def n_weights(self) -> int:
        """Number of features, and one for the threshold where there is one."""
        return self.data.n_features + self._oracle.has_threshold

    def cut(self, weights: F64) -> CuttingPlane:
        """Return the plane that touches the mean slack at a point: the mean of the most violated constraints.

        Parameters
        ----------
        weights : array of float64, shape (n_weights,)
        """
        scores = self._products.scores(weights[: self.data.n_features])
        if self._oracle.has_threshold:
            scores += weights[-1]
        found = self._oracle.most_violated(scores)
        normal = self._products.moments(found.margins)
        if self._oracle.has_threshold:
            normal = np.append(normal, found.margins.sum())
        return CuttingPlane(normal / self.n_queries, float(found.losses.mean()))

    def slack(self, weights: F64) -> float:
        """Return R(w).

        Parameters
        ----------
        weights : array of float64, shape (n_weights,)
        """
        return max(self.cut(weights).at(weights), 0.0)

    def by_query(self) -> list[MarginProblem]:
        """Return the problem of each query alone."""
        return [MarginProblem(self.data.select([q]), self.loss) for q in range(self.n_queries)]
