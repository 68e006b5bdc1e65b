"""The Bayes-optimal scoring function: the expected gain of a document."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from rankmax._arrays import F64
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.learners.surrogate.scoring.grade_gains import gains_of
from rankmax.learners.surrogate.scoring.scoring_function import ScoringFunction
from rankmax.metrics.gains import Gain, check_gain
from rankmax.metrics.metric import Metric
from rankmax.metrics.metric_parameters import check_number, plain
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.preprocessing.feature_normalization import Normalization

_START = 0.1  # how far the log-odds of the highest and the lowest gain are from 0, in deviations of the linear scores

EPSILONS = (0.6, 0.7, 0.8, 0.9, 1.0)
"""The values of epsilon that Yang, Ravikumar & Lease 2010 select from by validation queries."""


@dataclass(frozen=True, kw_only=True)
class ExpectedGain(ScoringFunction):
    r"""The expectation of G(grade) under a multiclass logistic model, with a weight vector for each grade.

    .. math:: h_w(x) = \sum_j P_w(r = j \mid x) \, G(j), \qquad
              P_w(r = j \mid x) = \frac{\exp(w_j^T x + b_j)}{\sum_l \exp(w_l^T x + b_l)}

    No order of the documents has a higher expected value of a metric :math:`\sum_j G(r_j) / F(rank_j)` than that by
    the true :math:`E[G(r) \mid x]`, whatever F (their Proposition 1).

    Parameters
    ----------
    gain : str, tuple of float or Metric
        The gain G: "linear", "exp2", a table by grade, or a DCG-like metric, whose gain is taken.
    epsilon : float
        Probability threshold, above 0.5 and at most 1. In training, a probability above it counts as 1 and the others
        as 0, so that the gradient pushes weights no further; 1 turns it off. Models predict without it.
    grades : tuple of float
        The grades that have a probability; by default those of the training data. Other grades, such as one that occurs
        in test data only, have none.
    intercept : bool
        Whether functions have an intercept; without it, all grades of a document whose features are 0 are equally
        probable.

    Examples
    --------
    >>> function = ExpectedGain(gain="exp2", grades=(0, 1, 2))
    >>> scores, slopes = function.combine(np.log([[2.0], [1.0], [1.0]]))
    >>> scores, slopes.ravel()
    (array([1.]), array([-0.5,  0. ,  0.5]))
    >>> replace(function, epsilon=0.6).combine(np.log([[8.0], [1.0], [1.0]]))[0]
    array([0.])

    References
    ----------
    Yang, Ravikumar & Lease 2010, eq. 12 and section 5.2; section 6.2 for epsilon and the start.
    """

    gain: Gain | Metric = "exp2"
    epsilon: float = 1.0
    grades: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("gain", "epsilon", "grades"):
            object.__setattr__(self, name, plain(getattr(self, name)))
        check_number("ExpectedGain", "epsilon", self.epsilon, "above 0.5 and at most 1", lambda value: 0.5 < value <= 1)
        if list(self.grades) != sorted(set(self.grades)) or len(self.grades) == 1:
            raise InvalidParameterError(f"ExpectedGain: grades={self.grades} must be two or more, ascending")
        if isinstance(self.gain, Metric) or self.grades:
            gains_of(self.gain, np.array(self.grades or (0.0, 1.0)))
        else:
            check_gain("ExpectedGain", self.gain)

    @cached_property
    def gains(self) -> F64:
        """The gain of each grade."""
        return gains_of(self.gain, np.array(self.grades, np.float64))

    def bind(self, judgments: Judgments) -> Self:
        """Return the function with the grades that occur in the judgments, unless its grades are given."""
        if self.grades:
            return self
        counts = np.bincount(judgments.document_levels, minlength=judgments.n_levels)
        seen = judgments.levels[1:][counts[1:] > 0]
        if seen.size < 2:
            found = f"all have grade {seen[0]:g}" if seen.size else "none is judged"
            raise InvalidDataError(f"documents of two grades or more are needed to tell grades apart; {found}")
        return replace(self, grades=tuple(seen.tolist()))

    def variants(self) -> tuple[ScoringFunction, ...]:
        """Return the function with each of :data:`EPSILONS`."""
        return tuple(replace(self, epsilon=epsilon) for epsilon in EPSILONS)

    def n_outputs(self) -> int:
        """Return the number of grades."""
        return len(self.grades)

    def combine(self, outputs: F64) -> tuple[F64, F64]:
        """Return the expected gains, probabilities above epsilon taken for 1, and their derivatives P_j (G_j - h)."""
        from rankmax._kernels.losses.expected_gain_slopes import expected_gain

        scores, slopes = np.empty(outputs.shape[1]), np.empty_like(outputs)
        expected_gain(np.ascontiguousarray(outputs), self.gains, float(self.epsilon), scores, slopes)
        return scores, slopes

    def start(self, linear: F64) -> F64:
        r"""Return :math:`w_j = c_j w` with small c, increasing in the gain, and no intercepts.

        The expectation then increases in w^T x, as its derivative is the covariance of c and G. All grades are about
        equally probable: larger weights, or the grades' true shares, would put many probabilities above epsilon, where
        the slopes are 0, and a descent would stop at its start.
        """
        gains = self.gains
        span = float(np.ptp(gains)) or 1.0
        rows = np.outer(_START * (2 * (gains - gains.min()) / span - 1), linear)
        if self.intercept:
            rows[:, -1] = 0.0
        return rows

    def model(
        self,
        weights: F64,
        intercepts: F64,
        feature_names: tuple[str, ...],
        normalization: Normalization,
        metric: str,
    ) -> ExpectedGainModel:
        """Return a model of expected gain."""
        grades = np.array(self.grades)
        return ExpectedGainModel(grades, self.gains, weights, intercepts, feature_names, normalization, metric)
