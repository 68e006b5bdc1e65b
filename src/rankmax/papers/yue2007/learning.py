"""The SVMs that the paper compares, on binned scores of base functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.learners.learner import LinearLearner
from rankmax.learners.pointwise.classification_svm import ClassificationSVM
from rankmax.learners.structural.structural_svm import StructuralSVM
from rankmax.metrics import AP
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.papers.yue2007.random_trials import Deal
from rankmax.preprocessing.binning import Binning, normalized_column
from rankmax.preprocessing.feature_normalization import MinMax

N_THRESHOLDS = 50  # section 4.2
_PASSES = 100  # of liblinear over the documents: a large C would take thousands
_COSTS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)  # larger values overfit ten queries, and take long
_FEW_COSTS = (1.0, 10.0)
_GAP = 1e-3  # of the mean loss; a tenth of it took twice as long, and changed the test values of two trials by 0.002


class Binned:
    """Scores of base functions, and their indicators by the paper's three kinds of binning.

    Parameters
    ----------
    data : RankingDataset
        NaN where a function has no score for a document.
    n_thresholds : int
        Of each base function.
    """

    def __init__(self, data: RankingDataset, n_thresholds: int = N_THRESHOLDS) -> None:
        self.data, self.n_thresholds = data, n_thresholds

    @property
    def cost_ratio(self) -> float:
        """Ratio of the numbers of other and relevant documents in the whole data set, as in section 5.2.1."""
        n_relevant = int((self.data.grades >= 1).sum())
        return (self.data.n_documents - n_relevant) / n_relevant

    @cached_property
    def sensitive(self) -> RankingDataset:
        """Indicators with thresholds at quantiles of the scores."""
        return Binning.fit(self.data, n_thresholds=self.n_thresholds).apply(self.data)

    @cached_property
    def percentiles(self) -> RankingDataset:
        """Indicators with evenly spaced thresholds on the percentiles within queries."""
        return self._even("percentile")

    @cached_property
    def scaled(self) -> RankingDataset:
        """Indicators with evenly spaced thresholds on the scores, scaled to [0, 1] within queries."""
        return self._even("min-max")

    @cached_property
    def unbinned(self) -> RankingDataset:
        """The scores themselves, scaled to [0, 1] within queries; 0 where a function has none."""
        columns = [normalized_column(self.data, name, MinMax()) for name in self.data.feature_names]
        return replace(self.data, features=np.nan_to_num(np.array(columns)).T)

    def _even(self, normalization: str) -> RankingDataset:
        binning = Binning.fit(
            self.data, n_thresholds=self.n_thresholds, spacing="even", region=(0, 1), normalization=normalization
        )
        return binning.apply(self.data)


_structural = partial(StructuralSVM, tolerance=_GAP, metric="AP")
_classification = partial(ClassificationSVM, standardize=False, max_iterations=_PASSES)
Method = tuple[str, Callable[..., LinearLearner]]
"""The attribute of :class:`Binned` that holds the data, and the learner for a given C."""

SVM_MAP, SVM_ROC, SVM_ACC2, OURS = "SVM-map", "SVM-roc", "SVM-acc2", "ours: rankmax's default"
METHODS: dict[str, Method] = {
    SVM_MAP: ("sensitive", partial(_structural, "AP")),
    SVM_ROC: ("sensitive", partial(_structural, "ROC")),
    "SVM-acc": ("sensitive", _classification),
    SVM_ACC2: ("sensitive", partial(_classification, balance="costs")),
    "SVM-acc3": ("percentiles", _classification),
    "SVM-acc4": ("scaled", _classification),
}


def average_over_trials(binned: Binned, method: str, deals: list[Deal], *, small: bool, seed: int) -> F64:
    """Return the average precision of each query, over the trials of a round that tested it.

    Parameters
    ----------
    binned : Binned
    method : str
        One of :data:`METHODS`, or ours.
    deals : list of Deal
    small : bool
        Whether to try only a few values of C.
    seed : int
    """
    from threadpoolctl import threadpool_limits

    from rankmax._kernels.threads import n_threads

    kind, learner = ("unbinned", partial(_our_best, seed)) if method == OURS else METHODS[method]
    data: RankingDataset = getattr(binned, kind)
    options: dict[str, Any] = {} if method == OURS else {"C": _FEW_COSTS if small else _COSTS}
    if method == SVM_ACC2:
        options["cost_ratio"] = binned.cost_ratio

    def test_values(deal: Deal) -> F64:
        queries = np.union1d(deal.train, deal.validation)
        chosen = data.select(queries)  # first, as selecting rows of all indicators twice would be half of the work
        roles = {"data": deal.train, "validation": deal.validation}
        parts = {role: chosen.select(np.searchsorted(queries, own)) for role, own in roles.items()}
        fitted: Any = learner(**options).fit_dataset(**parts)
        values: F64 = evaluate_metrics([AP()], fitted.model_.scores(data), data.judgments)[0, deal.test]
        return values

    totals, times = np.zeros(data.n_queries), np.zeros(data.n_queries)
    with warnings.catch_warnings(), threadpool_limits(1, "blas"), ThreadPoolExecutor(n_threads()) as pool:
        warnings.simplefilter("ignore")  # convergence for the largest C; threads would undo each other's finer filters
        for deal, values in zip(deals, pool.map(test_values, deals), strict=True):
            totals[deal.test] += values
            times[deal.test] += 1
    return totals / times


def _our_best(seed: int) -> LinearRanker:
    return LinearRanker("AP", n_restarts=2, smoothing=0.0, seed=seed)
