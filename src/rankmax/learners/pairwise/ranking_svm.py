"""Ranking SVM, with a margin between any two documents of a query that differ in grade."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries
from rankmax.data.judgments import UNJUDGED, Judgments
from rankmax.errors import InvalidDataError
from rankmax.learners.declared_options import Option
from rankmax.learners.presets import RANKING_SVM
from rankmax.learners.regularized import RegularizedLearner, RegularizedProblem, Solution, require_varying
from rankmax.losses.descent import minimize
from rankmax.losses.feature_products import FeatureProducts
from rankmax.metrics.metric import Metric
from rankmax.preprocessing.feature_normalization import Normalization


class RankingSVM(RegularizedLearner):
    r"""Pairwise ranking SVM with squared hinge loss.

    .. math:: \min_w \frac{1}{2} \sum_j (\sigma_j w_j)^2
              + \frac{C}{|P|} \sum_{(i,j) \in P} \max(0, 1 - w^T(x_i - x_j))^2

    where P are the pairs of judged documents of one query of which the first has the higher grade, and
    :math:`\sigma_j` is the standard deviation of feature j within queries: the penalty does not depend on the
    features' units. A feature that is constant within every query gets weight 0.

    Pairs are never enumerated. Once a query's n documents are sorted by score, the loss and its gradient are computed
    in two passes per distinct grade, so a step costs about as much as sorting.

    Parameters
    ----------
    C : float or sequence of float, optional
        Regularization constant(s): the larger, the weaker the regularization. Validation queries select one of several.
        By default 100, or the best of 0.01 to 100,000 on validation queries.
    metric : str or Metric
        Metric for model selection and :meth:`score`.
    normalization : str or Normalization
        Applied within each query before fitting, and again when predicting.
    max_iterations : int
        Maximum number of L-BFGS iterations.
    tolerance : float
        Largest component of the gradient, divided by C, at which L-BFGS stops.

    Attributes
    ----------
    coef_ : array of float64, shape (n_features,)
    model_ : LinearModel
    C_, value_, validation_value_, validation_values_, skipped_queries_, stopped_by_
        See :class:`~rankmax.learners.regularized.RegularizedLearner`.

    Examples
    --------
    Only differences within a query matter: between the queries, the feature would say the opposite.

    >>> X, grades = [[1.0], [2.0], [11.0], [12.0]], [1, 2, 0, 1]
    >>> RankingSVM(C=100.0).fit(X, grades, qid=[1, 1, 2, 2]).coef_.round(2)
    array([1.])

    References
    ----------
    Herbrich, Graepel & Obermayer 2000, Large margin rank boundaries for ordinal regression; Joachims 2002, Optimizing
    search engines using clickthrough data. For squared loss and sums by sorting: Chapelle & Keerthi 2010, Efficient
    algorithms for ranking with SVMs; Lee & Lin 2014, Large-scale linear RankSVM.
    """

    options: ClassVar[tuple[Option, ...]] = RANKING_SVM.options

    def __init__(
        self,
        C: float | Sequence[float] | None = None,
        metric: str | Metric = "AP",
        normalization: str | Normalization = "none",
        max_iterations: int = 1000,
        tolerance: float = 1e-6,
    ) -> None:
        self.C = C
        self.metric = metric
        self.normalization = normalization
        self.max_iterations = max_iterations
        self.tolerance = tolerance

    def _problem(self, data: RankingDataset) -> RegularizedProblem:
        return _PairwiseProblem(data, self.max_iterations, self.tolerance)


class _PairwiseProblem(RegularizedProblem):
    """Pairwise loss as a function of v = scale * w."""

    def __init__(self, data: RankingDataset, max_iterations: int, tolerance: float) -> None:
        pairs = pairs_by_query(data.judgments)
        if not pairs.any():
            raise InvalidDataError("no query has judged documents of different grades; there is nothing to learn from")
        self.skipped = pairs == 0
        self._n_pairs = int(pairs.sum())
        self._judgments = data.judgments
        self._products = FeatureProducts.of(data)
        self._scale = spread_within_queries(data)
        require_varying(self._scale)
        self._inverse = np.divide(1, self._scale, out=np.zeros_like(self._scale), where=self._scale > 0)
        self._max_iterations, self._tolerance = max_iterations, tolerance

    def solve(self, C: float, near: Solution | None) -> Solution:
        """Minimize the loss by L-BFGS."""
        start = np.zeros_like(self._scale) if near is None else near.weights * self._scale

        def loss(v: F64) -> tuple[float, F64]:
            value, by_score = self._hinge(self._products.scores(v * self._inverse))
            return value + float(v @ v) / (2 * C), self._products.moments(by_score) * self._inverse + v / C

        found = minimize(loss, start, max_iterations=self._max_iterations, tolerance=self._tolerance)
        return Solution(found.parameters * self._inverse, "converged" if found.converged else "iterations")

    def _hinge(self, scores: F64) -> tuple[float, F64]:
        """Return the mean loss over pairs and its gradient by document."""
        from rankmax._kernels.margins.pairwise_hinge import squared_hinge

        judgments = self._judgments
        values, gradient = np.empty(judgments.n_queries), np.empty_like(scores)
        squared_hinge(scores, judgments.document_levels, judgments.query_offsets, values, gradient)
        return float(values.sum()) / self._n_pairs, gradient / self._n_pairs


def pairs_by_query(judgments: Judgments) -> F64:
    """Return, per query, the number of pairs of judged candidates that differ in grade.

    Parameters
    ----------
    judgments : Judgments

    Examples
    --------
    >>> pairs_by_query(Judgments.from_grades([2, 1, 1, 0, 1, 1], query_offsets=[0, 4, 6]))
    array([5., 0.])
    """
    in_all, of_equals = np.zeros((2, judgments.n_queries))
    for level in range(UNJUDGED + 1, judgments.n_levels):
        n = judgments.count_candidates(np.arange(judgments.n_levels) == level)
        in_all += n
        of_equals += n**2
    return (in_all**2 - of_equals) / 2
