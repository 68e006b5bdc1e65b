"""Maximum-entropy ranking: the weights that maximize the likelihood of the judgments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.learners.declared_options import Option
from rankmax.learners.pointwise.binary_examples import Balance, Examples, center_and_scale
from rankmax.learners.presets import MAXIMUM_ENTROPY
from rankmax.learners.regularized import RegularizedLearner, RegularizedProblem, Solution, require_varying
from rankmax.losses.descent import minimize
from rankmax.losses.feature_products import FeatureProducts
from rankmax.metrics.metric import Metric
from rankmax.preprocessing.feature_normalization import Normalization


class MaximumEntropyRanker(RegularizedLearner):
    r"""Conditional maximum entropy, which is logistic regression: rank by the probability of relevance.

    .. math:: p(relevant \mid x) = \frac{1}{1 + \exp(-w^T x - b)}, \quad
              \max_{w,b} \sum_i c_i \log p(y_i \mid x_i) - \frac{1}{2C} \sum_j (\sigma_j w_j)^2

    where the costs c sum to 1 and :math:`\sigma_j` is the standard deviation of feature j: the penalty does not
    depend on the features' units. The probability grows with w^T x, so ranking by it is ranking by a linear model, and
    b is not kept in the model. A constant feature gets weight 0.

    The likelihood is maximized, not the metric: an additional feature may raise the former and lower the latter
    ("metric divergence").

    Parameters
    ----------
    C : float or sequence of float, optional
        Regularization constant(s): the larger, the weaker the regularization; infinite for the likelihood alone, as in
        Morgan's and Gey's models. Validation queries select one of several. By default 100, or the best of 0.01 to
        100,000 on validation queries.
    balance : str
        "none", "costs" or "undersample"; see :class:`~rankmax.learners.pointwise.binary_examples.Examples`.
    relevant_from : float, optional
        Lowest relevant grade; 1 by default, as for the metrics.
    metric : str or Metric
        Metric for model selection and :meth:`score`.
    normalization : str or Normalization
        Applied within each query before fitting, and again when predicting. Gey's logistic regression uses "z-score".
    seed : int
        Nonnegative random seed, for undersampling.
    max_iterations : int
        Maximum number of L-BFGS iterations.
    tolerance : float
        Largest component of the gradient at which L-BFGS stops, with weights in units in which the penalty's curvature
        is at most 1.

    Attributes
    ----------
    coef_ : array of float64, shape (n_features,)
    model_ : LinearModel
    C_, intercept_, value_, validation_value_, validation_values_, skipped_queries_, stopped_by_
        See :class:`~rankmax.learners.regularized.RegularizedLearner`.

    Examples
    --------
    Of the documents with the feature, 3 in 4 are relevant; of those without, 1 in 4.

    >>> X = [[1.0], [1.0], [1.0], [1.0], [0.0], [0.0], [0.0], [0.0]]
    >>> learner = MaximumEntropyRanker(C=float("inf")).fit(X, [1, 1, 1, 0, 1, 0, 0, 0], qid=[1] * 8)
    >>> probability = 1 / (1 + np.exp(-learner.predict([[0.0], [1.0]]) - learner.intercept_))
    >>> probability.round(4)
    array([0.25, 0.75])

    References
    ----------
    Morgan, Greiff & Henderson 2004, section 2 and, for L-BFGS, section 4. Gey 1994, Inferring probability of relevance
    using the method of logistic regression.
    """

    options: ClassVar[tuple[Option, ...]] = MAXIMUM_ENTROPY.options

    def __init__(
        self,
        C: float | Sequence[float] | None = None,
        balance: Balance = "none",
        relevant_from: float | None = None,
        metric: str | Metric = "AP",
        normalization: str | Normalization = "none",
        seed: int = 0,
        max_iterations: int = 1000,
        tolerance: float = 1e-6,
    ) -> None:
        self.C = C
        self.balance = balance
        self.relevant_from = relevant_from
        self.metric = metric
        self.normalization = normalization
        self.seed = seed
        self.max_iterations = max_iterations
        self.tolerance = tolerance

    def _problem(self, data: RankingDataset) -> RegularizedProblem:
        examples = Examples.of(data, relevant_from=self.relevant_from, balance=self.balance, seed=self.seed)
        return _LikelihoodProblem(data, examples, self.max_iterations, self.tolerance)


class _LikelihoodProblem(RegularizedProblem):
    """Likelihood as a function of v = scale * w and the intercept at the features' means."""

    def __init__(self, data: RankingDataset, examples: Examples, max_iterations: int, tolerance: float) -> None:
        center, scale = center_and_scale(data, examples.documents)
        require_varying(scale)
        self.skipped = examples.skipped
        self._inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
        self._scale, self._center = scale, center * self._inverse
        self._products = FeatureProducts.of(data)
        self._documents, self._costs, self._n = examples.documents, examples.costs, data.n_documents
        self._signs = np.where(examples.relevant, 1.0, -1.0)
        self._max_iterations, self._tolerance = max_iterations, tolerance

    def solve(self, C: float, near: Solution | None) -> Solution:
        """Maximize the likelihood by L-BFGS."""
        # A small C curves the penalty by 1 / C: in such units a gradient above the tolerance promises less than the
        # descent takes for a gain, and beside the intercept's curvature, at most 1/4, it is slow.
        unit = min(1.0, C**0.5)
        start = np.zeros(self._scale.size + 1)
        if near is not None:
            v = near.weights * self._scale
            start[:-1] = v / unit
            start[-1] = near.intercept + self._center @ v

        def loss(parameters: F64) -> tuple[float, F64]:
            v, at_center = parameters[:-1] * unit, parameters[-1]
            scores = self._products.scores(v * self._inverse)[self._documents] + (at_center - self._center @ v)
            value, by_score = self._likelihood(scores)
            spread = np.zeros(self._n)
            spread[self._documents] = by_score
            total = by_score.sum()
            gradient = self._products.moments(spread) * self._inverse - total * self._center + v / C
            return value + float(v @ v) / (2 * C), np.append(gradient * unit, total)

        found = minimize(loss, start, max_iterations=self._max_iterations, tolerance=self._tolerance)
        v = found.parameters[:-1] * unit
        return Solution(
            v * self._inverse,
            "converged" if found.converged else "iterations",
            float(found.parameters[-1] - self._center @ v),
        )

    def _likelihood(self, scores: F64) -> tuple[float, F64]:
        """Return the negative log-likelihood of the judgments and its gradient by score."""
        margins = self._signs * scores
        improbable = np.exp(-np.logaddexp(0.0, margins))  # 1 / (1 + exp(margin)), without overflow
        return float(self._costs @ np.logaddexp(0.0, -margins)), -self._costs * self._signs * improbable
