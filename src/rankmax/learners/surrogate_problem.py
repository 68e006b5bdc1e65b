"""The mean loss of a scoring function, with its gradient, over data that is here or lies with an engine."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import UNJUDGED, Judgments
from rankmax.data.segments import QuerySegments
from rankmax.data.spread import spread_within_queries
from rankmax.engines.dataset import EngineDataset
from rankmax.engines.partition import Derived, Partition
from rankmax.learners.scoring.base import ScoringFunction
from rankmax.losses.base import Surrogate
from rankmax.losses.products import FeatureProducts, total_moments
from rankmax.losses.sums import LossSums, MeanLoss, loss_sums


class SurrogateProblem(ABC):
    """What a descent has to know of the data; the bits are the same wherever it lies."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of features."""

    @property
    @abstractmethod
    def spread(self) -> F64:
        """Each feature's standard deviation within queries."""

    @property
    @abstractmethod
    def mean(self) -> F64:
        """Each feature's mean over documents."""

    @property
    @abstractmethod
    def judgments(self) -> Judgments:
        """Judgments in which those grades occur that occur in the data."""

    @abstractmethod
    def deviation(self, weights: F64) -> float:
        """Return the standard deviation of linear scores within queries.

        Parameters
        ----------
        weights : array of float64, shape (n_features,)
        """

    @abstractmethod
    def loss(self, loss: Surrogate, scoring: ScoringFunction, weights: F64, intercepts: F64) -> MeanLoss:
        """Return the mean loss of a scoring function.

        Parameters
        ----------
        loss : Surrogate
        scoring : ScoringFunction
        weights : array of float64, shape (n_outputs, n_features)
        intercepts : array of float64, shape (n_outputs,)
        """


class _Losses:
    """Some queries: sums of losses over them."""

    def __init__(self, data: RankingDataset, query_weights: F64 | None) -> None:
        self.data = data
        self._query_weights = query_weights
        self._products = FeatureProducts.of(data)

    def feature_sums(self) -> I64 | F64:
        """Return partial moments (losses/products.py) of ones: the sum of each feature over documents."""
        return self._products.partial_moments(np.ones(self.data.n_documents))

    def sums(self, loss: Surrogate, scoring: ScoringFunction, weights: F64, intercepts: F64) -> LossSums:
        """Return what the queries say of a loss; see :meth:`SurrogateProblem.loss`."""
        scores, slopes = scoring.combine(self._products.outputs(weights) + intercepts[:, None])
        return loss_sums(loss, self.data.judgments, self._products, scores, self._query_weights, slopes=slopes)


class ProblemHere(SurrogateProblem):
    """The problem over data in this process.

    Parameters
    ----------
    data : RankingDataset
    query_weights : array of float64, shape (n_queries,), optional
        Equal when left out.

    Examples
    --------
    >>> from rankmax.learners.scoring.linear import LinearScore
    >>> from rankmax.losses.squared import Squared
    >>> problem = ProblemHere(RankingDataset.from_arrays([[1.0], [3.0]], [0, 1], qid=[7, 7]))
    >>> problem.loss(Squared(), LinearScore(), np.array([[0.5]]), np.array([-0.5])).value
    0.0
    """

    def __init__(self, data: RankingDataset, query_weights: F64 | None = None) -> None:
        self._data = data
        self._losses = _Losses(data, query_weights)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self._data.n_features

    @cached_property
    def spread(self) -> F64:
        """Each feature's standard deviation within queries."""
        return spread_within_queries(self._data)

    @cached_property
    def mean(self) -> F64:
        """Each feature's mean over documents."""
        return total_moments([self._losses.feature_sums()]) / max(self._data.n_documents, 1)

    @property
    def judgments(self) -> Judgments:
        """The judgments."""
        return self._data.judgments

    def deviation(self, weights: F64) -> float:
        """Return the standard deviation of linear scores within queries."""
        return QuerySegments(self._data.query_offsets).deviation(self._data.scores(weights))

    def loss(self, loss: Surrogate, scoring: ScoringFunction, weights: F64, intercepts: F64) -> MeanLoss:
        """Return the mean loss of a scoring function."""
        return MeanLoss.of([self._losses.sums(loss, scoring, weights, intercepts)])


class HeldLosses(Derived, _Losses):
    """A partition, as losses see it.

    Parameters
    ----------
    partition : Partition
    levels : array of float64
        Of all partitions, so that a level is the same grade everywhere.
    query_weights : array of float64, shape (n_queries,)
    """

    def __init__(self, partition: Partition, levels: F64, query_weights: F64) -> None:
        Derived.__init__(self, partition, levels, query_weights)
        _Losses.__init__(self, partition.with_levels(levels), query_weights)


class ProblemThere(SurrogateProblem):
    """The problem over data that lies with an engine.

    Parameters
    ----------
    data : EngineDataset
    query_weights : array of float64, shape (n_queries,)
    """

    def __init__(self, data: EngineDataset, query_weights: F64) -> None:
        self._data = data
        each = data.by_part(query_weights)
        self._held = data.engine.hold(HeldLosses, data.partitions, data.levels, each=each)

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
        sums = self._data.engine.map(HeldLosses.feature_sums, self._held, combine=operator.add)
        return total_moments(sums) / max(self._data.n_documents, 1)

    @cached_property
    def judgments(self) -> Judgments:
        """A query with one document of each grade."""
        seen = np.unique(np.concatenate(self._data.engine.map(_levels, self._held)))
        return Judgments.from_grades(self._data.levels[seen], [0, seen.size])

    def deviation(self, weights: F64) -> float:
        """Return the standard deviation of linear scores within queries."""
        return self._data.score_deviation(weights)

    def loss(self, loss: Surrogate, scoring: ScoringFunction, weights: F64, intercepts: F64) -> MeanLoss:
        """Return the mean loss of a scoring function."""
        arguments = loss, scoring, weights, intercepts
        return MeanLoss.of(self._data.engine.map(HeldLosses.sums, self._held, *arguments, combine=operator.add))


def _levels(held: HeldLosses) -> I64:
    levels = held.data.judgments.document_levels
    return np.unique(levels[levels != UNJUDGED]).astype(np.int64)
