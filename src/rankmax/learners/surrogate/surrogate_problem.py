"""Mean loss and gradient of a scoring function, over local or distributed data."""

from __future__ import annotations

import operator
from functools import cached_property

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.backends.partition import Derived
from rankmax.backends.training_data import Part, TrainingData
from rankmax.data.judgments import UNJUDGED, Judgments
from rankmax.learners.surrogate.scoring.scoring_function import ScoringFunction
from rankmax.losses.feature_products import FeatureProducts, total_moments
from rankmax.losses.query_sums import LossSums, MeanLoss, loss_sums
from rankmax.losses.surrogate_loss import Surrogate


class SurrogateProblem:
    """Mean loss of scoring functions on a data set; its bits do not depend on how the data is partitioned.

    Parameters
    ----------
    data : TrainingData
    query_weights : array of float64, shape (n_queries,), optional
        Query weights; equal by default.

    Examples
    --------
    >>> from rankmax.backends.training_data import LocalData
    >>> from rankmax import RankingDataset
    >>> from rankmax.learners.surrogate.scoring.linear_scoring import LinearScore
    >>> from rankmax.losses import Squared
    >>> from rankmax.preprocessing import Unchanged
    >>> data = LocalData(RankingDataset.from_arrays([[1.0], [3.0]], [0, 1], qid=[7, 7]), Unchanged())
    >>> SurrogateProblem(data).loss(Squared(), LinearScore(), np.array([[0.5]]), np.array([-0.5])).value
    0.0
    """

    def __init__(self, data: TrainingData, query_weights: F64 | None = None) -> None:
        self._data = data
        weights = np.ones(data.n_queries) if query_weights is None else query_weights
        self._losses = data.hold(PartLosses, data.levels, each=data.by_part(weights))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self._data.n_features

    @property
    def spread(self) -> F64:
        """Each feature's standard deviation within queries."""
        return self._data.feature_spread

    @cached_property
    def mean(self) -> F64:
        """Each feature's mean over documents."""
        sums = self._data.map(PartLosses.feature_sums, self._losses, combine=operator.add)
        return total_moments(sums) / max(self._data.n_documents, 1)

    @cached_property
    def judgments(self) -> Judgments:
        """Judgments of one query with a document of each grade that occurs in the data."""
        seen = np.unique(np.concatenate(self._data.map(_levels, self._losses)))
        return Judgments.from_grades(self._data.levels[seen], [0, seen.size])

    def deviation(self, weights: F64) -> float:
        """Return the standard deviation of linear scores within queries.

        Parameters
        ----------
        weights : array of float64, shape (n_features,)
        """
        return self._data.score_deviation(weights)

    def loss(self, loss: Surrogate, scoring: ScoringFunction, weights: F64, intercepts: F64) -> MeanLoss:
        """Return the mean loss of a scoring function.

        Parameters
        ----------
        loss : Surrogate
        scoring : ScoringFunction
        weights : array of float64, shape (n_outputs, n_features)
        intercepts : array of float64, shape (n_outputs,)
        """
        arguments = loss, scoring, weights, intercepts
        return MeanLoss.of(self._data.map(PartLosses.sums, self._losses, *arguments, combine=operator.add))


class PartLosses(Derived):
    """Sums of losses over the queries of a part.

    Parameters
    ----------
    part : Part
    levels : array of float64
        Grades of all parts, so that a level is the same grade in every part.
    query_weights : array of float64, shape (n_queries,)
    """

    def __init__(self, part: Part, levels: F64, query_weights: F64) -> None:
        super().__init__(part, levels, query_weights)
        self.data = part.with_levels(levels)
        self._query_weights = query_weights
        self._products = FeatureProducts.of(self.data)

    def feature_sums(self) -> I64 | F64:
        """Return partial moments (losses/feature_products.py) of ones: the sum of each feature over documents."""
        return self._products.partial_moments(np.ones(self.data.n_documents))

    def sums(self, loss: Surrogate, scoring: ScoringFunction, weights: F64, intercepts: F64) -> LossSums:
        """Return the sums of a loss over the queries; see :meth:`SurrogateProblem.loss`."""
        scores, slopes = scoring.combine(self._products.outputs(weights) + intercepts[:, None])
        return loss_sums(loss, self.data.judgments, self._products, scores, self._query_weights, slopes=slopes)


def _levels(losses: PartLosses) -> I64:
    levels = losses.data.judgments.document_levels
    return np.unique(levels[levels != UNJUDGED]).astype(np.int64)
