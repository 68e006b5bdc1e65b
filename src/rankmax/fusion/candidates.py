"""Ways to fuse: weighted sums of normalised scores, with weights that are given or learned."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.fusion.decision import Prior
from rankmax.fusion.search import WeightSearch
from rankmax.metrics.base import Metric
from rankmax.metrics.evaluate import evaluate_metrics


@dataclass(frozen=True, eq=False)
class WeightedFusion:
    """A weighted sum of normalised scores.

    Attributes
    ----------
    normalisation : Normalisation
    weights : array, shape (n_systems,)
    values : array, shape (n_metrics, n_queries)
        Metrics of every query.
    """

    normalisation: Normalisation
    weights: F64
    values: F64


class Candidate(ABC):
    """A way to fuse that may be picked.

    Attributes
    ----------
    family : str
        Row of the table of results: candidates of a family differ in their normalisation only, and the best stands for
        all.
    label : str
        What it is called when it is picked.
    normalisation : Normalisation
    prior : Prior
        What other collections showed of it, beside weights learned under min-max normalisation.
    eligible : bool
        Whether it may be picked, or is only there to compare with.
    """

    family: str
    label: str
    normalisation: Normalisation
    prior: Prior
    eligible: bool

    @abstractmethod
    def fit(self, query_sets: Sequence[I64]) -> list[WeightedFusion]:
        """Return the fusion that each set of queries decides on.

        Parameters
        ----------
        query_sets : sequence of arrays of int64
        """


@dataclass(frozen=True, eq=False)
class FixedWeights(Candidate):
    """Weights that no query decides: a system alone, equal weights, those in use today.

    Attributes
    ----------
    family, label : str
    fusion : WeightedFusion
    prior : Prior
    eligible : bool

    Examples
    --------
    >>> from rankmax.data.normalise import Unchanged
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
    def normalisation(self) -> Normalisation:  # type: ignore[override]
        """That of the fusion."""
        return self.fusion.normalisation

    def fit(self, query_sets: Sequence[I64]) -> list[WeightedFusion]:
        """Return the fusion, whatever the queries."""
        return [self.fusion] * len(query_sets)


@dataclass(frozen=True, eq=False)
class LearnedWeights(Candidate):
    """Weights that maximise the metric over the queries that there are to learn from.

    Attributes
    ----------
    family, label : str
    normalisation : Normalisation
    search : WeightSearch
        Over the normalised data.
    prior : Prior
    seed : int
        Of what is random in learning.
    eligible : bool

    Examples
    --------
    >>> from rankmax.data.normalise import Unchanged
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.fusion.search import LatticeSearch
    >>> from rankmax.metrics import AP
    >>> search = LatticeSearch(planted_linear(30, 10, 2, seed=1).data, [AP()])
    >>> learned = LearnedWeights("learned", "learned weights", Unchanged(), search, Prior(0.0, 100.0))
    >>> fusion, = learned.fit([np.arange(20)])
    >>> round(float(fusion.weights.sum()), 9), fusion.values.shape
    (1.0, (1, 30))
    """

    family: str
    label: str
    normalisation: Normalisation
    search: WeightSearch
    prior: Prior
    seed: int = 0
    eligible: bool = True

    def fit(self, query_sets: Sequence[I64]) -> list[WeightedFusion]:
        """Learn from each set of queries; the metrics at all weights found are computed together."""
        weights = np.array([self.search.fit(queries, seed=self.seed) for queries in query_sets])
        values = self.search.values(weights)
        return [WeightedFusion(self.normalisation, *pair) for pair in zip(weights, values, strict=True)]


def weighted_sum(
    data: RankingDataset, normalisation: Normalisation, weights: F64, metrics: Sequence[Metric]
) -> WeightedFusion:
    r"""Return the fusion by given weights; with equal ones CombSUM, and of reciprocal ranks, RRF.

    .. math:: s(d) = \sum_j w_j \, x'_j(d)

    Parameters
    ----------
    data : RankingDataset
        Scores as they are.
    normalisation : Normalisation
    weights : array, shape (n_systems,)
    metrics : sequence of Metric

    Examples
    --------
    >>> from rankmax.data.retrieved import ReciprocalRank
    >>> from rankmax.metrics import RR
    >>> data = RankingDataset.from_arrays([[9.0, 0.8], [7.0, 0.9], [8.0, 0.0]], [0, 1, 0], qid=[7, 7, 7])
    >>> weighted_sum(data, ReciprocalRank(k=60), equal_weights(2), [RR()]).values
    array([[0.5]])

    References
    ----------
    Fox & Shaw 1994, Combination of multiple searches.
    """
    scores = normalisation.apply(data).scores(weights)
    return WeightedFusion(normalisation, weights, evaluate_metrics(metrics, scores, data.judgments))


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
