"""Ways to fuse systems, from taking one of them to learning weights, all judged in the same way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.data.splits import k_folds
from rankmax.fusion.search import WeightSearch
from rankmax.metrics.base import Metric
from rankmax.metrics.evaluate import evaluate_metrics

_INNER_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Fusion:
    """One way to fuse, decided.

    Attributes
    ----------
    values : array, shape (n_metrics, n_queries)
        Metrics for every query, also for those that did not take part in the decision, which is by the first metric.
    """

    values: F64


@dataclass(frozen=True, eq=False)
class WeightedFusion(Fusion):
    """A weighted sum of normalised scores.

    Attributes
    ----------
    normalisation : Normalisation
    weights : array, shape (n_systems,)
    """

    normalisation: Normalisation
    weights: F64


class FusionMethod(ABC):
    """A way to decide by some queries how to fuse.

    Attributes
    ----------
    name : str
    """

    name: str

    @abstractmethod
    def fit(self, queries: I64) -> Fusion:
        """Return the fusion that the given queries decide on.

        Parameters
        ----------
        queries : array of int64
        """


@dataclass(frozen=True, eq=False)
class Fixed(FusionMethod):
    """A fusion without anything to decide.

    Attributes
    ----------
    name : str
    fusion : Fusion

    Examples
    --------
    >>> Fixed("RRF", Fusion(np.array([[0.5, 0.75]]))).fit(np.array([0])).values
    array([[0.5 , 0.75]])
    """

    name: str
    fusion: Fusion

    def fit(self, queries: I64) -> Fusion:
        """Return the fusion, whatever the queries."""
        return self.fusion


@dataclass(frozen=True, eq=False)
class BestOf(FusionMethod):
    """The fusion with the highest mean over the queries, of a few.

    Attributes
    ----------
    name : str
    options : sequence of Fusion

    Examples
    --------
    >>> best = BestOf("either", [Fusion(np.array([[0.1, 0.9]])), Fusion(np.array([[0.3, 0.5]]))])
    >>> best.fit(np.array([0])).values, best.fit(np.array([0, 1])).values
    (array([[0.3, 0.5]]), array([[0.1, 0.9]]))
    """

    name: str
    options: Sequence[Fusion]

    def fit(self, queries: I64) -> Fusion:
        """Return the best for the queries, the first of equals."""
        return self.options[int(np.argmax([one.values[0, queries].mean() for one in self.options]))]


@dataclass(frozen=True, eq=False)
class Learned(FusionMethod):
    """Learned weights, with a normalisation chosen by cross-validation over the queries that there are to learn from.

    Attributes
    ----------
    name : str
    searches : mapping of Normalisation to WeightSearch
    seed : int
        Of the folds, and of what is random in learning.
    n_inner_folds : int

    Examples
    --------
    >>> from rankmax.data.normalise import Unchanged
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.fusion.search import LatticeSearch
    >>> from rankmax.metrics import AP
    >>> search = LatticeSearch(planted_linear(30, 10, 2, seed=1).data, [AP()])
    >>> fusion = Learned("learned", {Unchanged(): search}).fit(np.arange(20))
    >>> fusion.normalisation, round(float(fusion.weights.sum()), 9), fusion.values.shape
    (Unchanged(), 1.0, (1, 30))
    """

    name: str
    searches: Mapping[Normalisation, WeightSearch]
    seed: int = 0
    n_inner_folds: int = _INNER_FOLDS

    def fit(self, queries: I64) -> WeightedFusion:
        """Choose the normalisation, then learn the weights from all of the queries."""
        normalisation = self.choose(queries)
        search = self.searches[normalisation]
        weights = search.fit(queries, seed=self.seed)
        return WeightedFusion(search.values(weights[None])[0], normalisation, weights)

    def choose(self, queries: I64) -> Normalisation:
        """Return the normalisation with which learned weights do best on queries that they were not learned from.

        Parameters
        ----------
        queries : array of int64
        """
        if len(self.searches) == 1:
            return next(iter(self.searches))
        n_folds = min(self.n_inner_folds, queries.size)
        data = next(iter(self.searches.values())).data.select(queries)
        folds = k_folds(data, n_folds, seed=self.seed)
        means = {}
        for normalisation, search in self.searches.items():
            learned = np.array([search.fit(queries[fold.train], seed=self.seed) for fold in folds])
            values = search.values(learned)
            held_out = [row[0, queries[fold.test]].sum() for row, fold in zip(values, folds, strict=True)]
            means[normalisation] = float(np.sum(held_out))
        return max(means, key=means.__getitem__)


def equal_weights(data: RankingDataset, normalisation: Normalisation, metrics: Sequence[Metric]) -> WeightedFusion:
    r"""Return the fusion by the sum of normalised scores: CombSUM, and of reciprocal ranks, RRF.

    .. math:: s(d) = \sum_j x'_j(d)

    Parameters
    ----------
    data : RankingDataset
        Scores as they are.
    normalisation : Normalisation
    metrics : sequence of Metric

    Examples
    --------
    >>> from rankmax.data.retrieved import ReciprocalRank
    >>> from rankmax.metrics import RR
    >>> data = RankingDataset.from_arrays([[9.0, 0.8], [7.0, 0.9], [8.0, 0.0]], [0, 1, 0], qid=[7, 7, 7])
    >>> equal_weights(data, ReciprocalRank(k=60), [RR()]).values
    array([[0.5]])

    References
    ----------
    Fox & Shaw 1994, Combination of multiple searches.
    """
    weights = np.full(data.n_features, 1 / data.n_features)
    scores = normalisation.apply(data).scores(weights)
    return WeightedFusion(evaluate_metrics(metrics, scores, data.judgments), normalisation, weights)


def comb_mnz(data: RankingDataset, normalisation: Normalisation, metrics: Sequence[Metric]) -> Fusion:
    r"""Return the fusion by the sum of normalised scores, times the number of systems that retrieved the document.

    .. math:: s(d) = |\{ j : x_j(d) \ne 0 \}| \, \sum_j x'_j(d)

    Parameters
    ----------
    data : RankingDataset
        Scores as they are; 0 for a document that a system did not retrieve.
    normalisation : Normalisation
    metrics : sequence of Metric

    Examples
    --------
    >>> from rankmax.data.retrieved import RetrievedMinMax
    >>> from rankmax.metrics import RR
    >>> data = RankingDataset.from_arrays([[9.0, 0.0], [8.0, 0.9], [7.0, 0.8]], [0, 1, 0], qid=[7, 7, 7])
    >>> comb_mnz(data, RetrievedMinMax(), [RR()]).values
    array([[1.]])

    References
    ----------
    Fox & Shaw 1994, Combination of multiple searches.
    """
    retrieved = np.count_nonzero(np.asarray(data.features), axis=1)
    scores = normalisation.apply(data).scores(np.ones(data.n_features)) * retrieved
    return Fusion(evaluate_metrics(metrics, scores, data.judgments))
