"""Fusion candidates: weighted sums of normalized scores, with given or learned weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.fusion.decision import Prior
from rankmax.fusion.weight_search import WeightSearch
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.preprocessing.feature_normalization import Normalization


@dataclass(frozen=True, eq=False)
class WeightedFusion:
    """A weighted sum of normalized scores.

    Attributes
    ----------
    normalization : Normalization
    weights : array, shape (n_systems,)
    values : array, shape (n_metrics, n_queries)
        Metric values per query.
    """

    normalization: Normalization
    weights: F64
    values: F64


class Candidate(ABC):
    """A fusion method that tuning can select.

    Attributes
    ----------
    family : str
        Row of the results table: candidates of one family differ only in their normalization, and the best one
        represents the family.
    label : str
        Display name of the candidate.
    normalization : Normalization
    prior : Prior
        Evidence from other collections, relative to weights learned under min-max normalization.
    eligible : bool
        Whether the candidate can be selected, or serves only as a comparison.
    """

    family: str
    label: str
    normalization: Normalization
    prior: Prior
    eligible: bool

    @abstractmethod
    def fit(self, query_sets: Sequence[I64], measured: Sequence[I64] | None = None) -> list[WeightedFusion]:
        """Fit the fusion to each set of queries and return the results.

        Parameters
        ----------
        query_sets : sequence of arrays of int64
            Indices of the queries to fit to, one array per fit.
        measured : sequence of arrays of int64, optional
            For each set, the queries whose values are needed; values of the others may be NaN. All by default.
        """


@dataclass(frozen=True, eq=False)
class FixedWeights(Candidate):
    """Weights that do not depend on any query: one system alone, equal weights, or the current weights.

    Attributes
    ----------
    family, label : str
    fusion : WeightedFusion
    prior : Prior
    eligible : bool

    Examples
    --------
    >>> from rankmax.preprocessing import Unchanged
    >>> fusion = WeightedFusion(Unchanged(), np.array([0.5, 0.5]), np.array([[0.5, 0.75]]))
    >>> FixedWeights("CombSUM", "CombSUM", fusion, Prior(-0.1, 100.0)).fit([np.array([0])])[0].values
    array([[0.5 , 0.75]])
    """

    family: str
    label: str
    fusion: WeightedFusion
    prior: Prior
    eligible: bool = True

    @property
    def normalization(self) -> Normalization:  # type: ignore[override]
        """Normalization of the fusion."""
        return self.fusion.normalization

    def fit(self, query_sets: Sequence[I64], measured: Sequence[I64] | None = None) -> list[WeightedFusion]:
        """Return the same fusion for every set of queries."""
        return [self.fusion] * len(query_sets)


@dataclass(frozen=True, eq=False)
class LearnedWeights(Candidate):
    """Weights that maximize the metric over the training queries.

    Attributes
    ----------
    family, label : str
    normalization : Normalization
    search : WeightSearch
        Weight search over the normalized data.
    prior : Prior
    seed : int
        Random seed.
    eligible : bool

    Examples
    --------
    >>> from rankmax.preprocessing import Unchanged
    >>> from rankmax.data import planted_linear
    >>> from rankmax.fusion.weight_search import LatticeSearch
    >>> from rankmax.metrics import AP
    >>> search = LatticeSearch(planted_linear(30, 10, 2, seed=1).data, [AP()])
    >>> learned = LearnedWeights("learned", "learned weights", Unchanged(), search, Prior(0.0, 100.0))
    >>> fusion, = learned.fit([np.arange(20)])
    >>> round(float(fusion.weights.sum()), 9), fusion.values.shape
    (1.0, (1, 30))
    """

    family: str
    label: str
    normalization: Normalization
    search: WeightSearch
    prior: Prior
    seed: int = 0
    eligible: bool = True

    def fit(self, query_sets: Sequence[I64], measured: Sequence[I64] | None = None) -> list[WeightedFusion]:
        """Learn from each set of queries; the metrics at all weights found are computed together."""
        weights = np.array([self.search.fit(queries, seed=self.seed) for queries in query_sets])
        values = self.search.values(weights, measured)
        return [WeightedFusion(self.normalization, *pair) for pair in zip(weights, values, strict=True)]


def weighted_sum(
    data: RankingDataset, normalization: Normalization, weights: F64, metrics: Sequence[Metric]
) -> WeightedFusion:
    r"""Return the fusion with given weights: CombSUM with equal weights, RRF with reciprocal ranks.

    .. math:: s(d) = \sum_j w_j \, x'_j(d)

    Parameters
    ----------
    data : RankingDataset
        Raw scores, one feature per system.
    normalization : Normalization
    weights : array, shape (n_systems,)
    metrics : sequence of Metric

    Examples
    --------
    >>> from rankmax.preprocessing import ReciprocalRank
    >>> from rankmax.metrics import RR
    >>> data = RankingDataset.from_arrays([[9.0, 0.8], [7.0, 0.9], [8.0, 0.0]], [0, 1, 0], qid=[7, 7, 7])
    >>> weighted_sum(data, ReciprocalRank(k=60), equal_weights(2), [RR()]).values
    array([[0.5]])

    References
    ----------
    Fox & Shaw 1994, Combination of multiple searches.
    """
    scores = normalization.with_weights(weights).apply(data).scores(weights)
    return WeightedFusion(normalization, weights, evaluate_metrics(metrics, scores, data.judgments))


def equal_weights(n_systems: int) -> F64:
    """Return weights of 1/n each.

    Parameters
    ----------
    n_systems : int

    Examples
    --------
    >>> equal_weights(4)
    array([0.25, 0.25, 0.25, 0.25])
    """
    return np.full(n_systems, 1 / n_systems)
