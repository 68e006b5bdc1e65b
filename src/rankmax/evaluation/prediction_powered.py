r"""Prediction-powered estimates: a mean over queries by few human and many machine judgments.

Let h be a metric's value by human judgments, known for n queries, and m its value by machine judgments, known for these
and for N further ones. For any weight w,

.. math:: \hat\theta = \bar h + w \, (\bar m_{further} - \bar m_{both})

estimates the mean of h without bias, however wrong the machine is: the term that w multiplies has mean 0. Its variance

.. math:: \frac{\mathrm{Var}(h - w m)}{n} + \frac{w^2 \, \mathrm{Var}(m)}{N}

is least at w = Cov(h, m) / ((1 + n/N) Var(m)), which is 0 for a machine that judges at random.

References
----------
Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023, Prediction-powered inference; Angelopoulos, Duchi & Zrnic 2023,
PPI++: efficient prediction-powered inference (the weight).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, Bool
from rankmax._numerics.standard_error import standard_error
from rankmax.errors import InvalidDataError
from rankmax.evaluation.significance import Alternative, tail_probability

FEWEST = 5
"""Smallest number of queries with both kinds of judgments: with fewer, the weight is a guess."""

PRIOR_QUERIES = 20.0
"""Number of human-judged queries that the expectation counts for that a machine favors no ranking."""


@dataclass(frozen=True, slots=True)
class PredictionPowered:
    """A mean over queries, estimated from human and machine judgments.

    Attributes
    ----------
    mean : float
    error : float
        Standard error.
    interval : tuple of float
        Confidence interval of the mean.
    machine_weight : float
        Weight of the machine judgments, from 0 (ignored) to 1.
    human_mean, human_error : float
        Mean by human judgments alone, and its standard error.
    machine_mean : float
        Mean by machine judgments alone, over all queries.
    n_human, n_machine : int
        Number of queries judged by people, all of them by the machine as well; and by the machine alone.
    """

    mean: float
    error: float
    interval: tuple[float, float]
    machine_weight: float
    human_mean: float
    human_error: float
    machine_mean: float
    n_human: int
    n_machine: int

    @property
    def n_effective(self) -> float:
        """Number of human-judged queries that would give the same standard error by themselves."""
        if self.error == 0:
            return float(self.n_human)
        return max(self.n_human * (self.human_error / self.error) ** 2, float(self.n_human))

    @property
    def worth(self) -> float:
        """Number of further human-judged queries that the machine judgments are worth."""
        return self.n_effective - self.n_human

    def p_value(self, alternative: Alternative = "two-sided") -> float:
        """Return the p-value of a mean of 0, by Student's distribution.

        Parameters
        ----------
        alternative : {"two-sided", "greater", "less"}
        """
        if self.error == 0:
            return (
                1.0
                if self.mean == 0
                else tail_probability(_student_cdf(1), math.copysign(math.inf, self.mean), alternative)
            )
        return tail_probability(_student_cdf(_freedom(self.n_human)), self.mean / self.error, alternative)


def machine_weight(human: F64, machine: F64) -> float:
    """Return the weight of the machine judgments that minimizes the variance of estimates, from 0 to 1.

    Parameters
    ----------
    human : array, shape (n_queries,) or (n_estimates, n_queries)
        Values by human judgments, NaN for queries that people did not judge. Of several estimates, the sum of the
        variances is minimized.
    machine : array, the same shape
        Values by machine judgments.

    Examples
    --------
    >>> nan = float("nan")
    >>> machine_weight(np.array([0.0, 1.0, 0.5, nan, nan, nan]), np.array([0.0, 1.0, 0.5, 0.0, 1.0, 0.5]))
    0.5
    """
    rows, values = np.atleast_2d(human), np.atleast_2d(machine)
    both = ~np.isnan(rows[0])
    n, n_further = int(both.sum()), int((~both).sum())
    if n_further == 0:
        return 0.0
    h, m = rows[:, both], values[:, both]
    covariance = ((h - h.mean(axis=1, keepdims=True)) * (m - m.mean(axis=1, keepdims=True))).sum()
    variance = values.var(axis=1).sum()
    if variance == 0:
        return 0.0
    return float(min(max(covariance / n / variance / (1 + n / n_further), 0.0), 1.0))


def shrunken_weight(human: F64, machine: F64) -> float:
    r"""Return the weight of the machine judgments, less what may be chance.

    With few queries, a machine that judges at random gets a positive weight half of the time. The weight is multiplied
    by :math:`\max(0, 1 - s^2 / w^2)`, for its jackknife standard error s: positive-part shrinkage (James & Stein).

    Parameters
    ----------
    human, machine : arrays
        As in :func:`machine_weight`.

    Examples
    --------
    >>> nan = float("nan")
    >>> by_people = np.array([0.0, 1.0, 0.5, 0.25, 0.75, nan, nan, nan, nan, nan])
    >>> machine = np.array([0.0, 1.0, 0.5, 0.25, 0.75, 0.0, 1.0, 0.5, 0.25, 0.75])
    >>> round(shrunken_weight(by_people, machine), 2), round(shrunken_weight(by_people, np.roll(machine, 1)), 2)
    (0.43, 0.0)
    """
    rows, values = np.atleast_2d(human), np.atleast_2d(machine)
    both = np.flatnonzero(~np.isnan(rows[0]))
    weight = machine_weight(rows, values)
    if weight == 0:
        return 0.0
    without = np.array([machine_weight(np.delete(rows, q, axis=1), np.delete(values, q, axis=1)) for q in both])
    variance = float(((without - without.mean()) ** 2).sum()) * (both.size - 1) / both.size
    return weight * max(0.0, 1 - variance / weight**2)


def coefficients(judged_by_people: Bool, weight: float) -> tuple[F64, F64]:
    r"""Return what each query's human and machine values are multiplied by, so that their mean is the estimate.

    With n of all M queries judged by people, and :math:`\lambda = w M / (M - n)`, a query is worth
    :math:`\lambda m_q` without human judgments, and :math:`\lambda m_q + (h_q - \lambda m_q) M / n` with them.

    Parameters
    ----------
    judged_by_people : array of bool, shape (n_queries,)
    weight : float

    Examples
    --------
    >>> coefficients(np.array([True, False]), 0.5)
    (array([2., 0.]), array([-1.,  1.]))
    """
    n_queries, n = judged_by_people.size, int(judged_by_people.sum())
    share = weight * n_queries / (n_queries - n) if n < n_queries else 0.0
    from_human = np.where(judged_by_people, n_queries / n, 0.0)
    return from_human, share - share * from_human


def emphasis(judged_by_people: Bool) -> F64:
    r"""Return the weight of each query where something is learned or selected, rather than estimated.

    The correction of the machine is the mean of few queries, and mostly noise if there are 20. It counts
    :math:`n / (n + 20)`, as if 20 further queries had shown that the machine favors no ranking.

    Parameters
    ----------
    judged_by_people : array of bool, shape (n_queries,)

    Examples
    --------
    >>> emphasis(np.arange(25) < 20)[[0, 24]]
    array([0.5, 1. ])
    """
    n = int(judged_by_people.sum())
    return np.where(judged_by_people, n / (n + PRIOR_QUERIES), 1.0)


def prediction_powered(
    human: ArrayLike, machine: ArrayLike, *, confidence: float = 0.95, weight: float | None = None
) -> PredictionPowered:
    """Estimate the mean by human judgments, with machine judgments of the same and of further queries.

    Parameters
    ----------
    human : array-like, shape (n_queries,)
        Value of each query by human judgments; NaN for queries that people did not judge.
    machine : array-like, shape (n_queries,)
        Value of each query by machine judgments; queries without one are left out, if people did not judge them.
    confidence : float
        Confidence level of the interval.
    weight : float, optional
        Weight of the machine judgments; by default :func:`machine_weight`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.random(500)
    >>> machine = 0.8 * truth + 0.1 * rng.random(500)
    >>> human = np.where(np.arange(500) < 25, truth, np.nan)
    >>> found = prediction_powered(human, machine)
    >>> f"{found.human_mean:.3f} {found.mean:.3f} {truth.mean():.3f}, worth {found.worth:.0f} more queries"
    '0.509 0.502 0.492, worth 179 more queries'
    """
    by_people, by_machine = np.asarray(human, np.float64), np.asarray(machine, np.float64)
    lacking = int((np.isnan(by_machine) & ~np.isnan(by_people)).sum())
    if lacking:
        raise InvalidDataError(
            f"{lacking} of the queries that people judged have no machine judgments: let the machine judge them as "
            "well, because the comparison of both corrects the machine"
        )
    known = ~np.isnan(by_machine)
    by_people, by_machine = by_people[known], by_machine[known]
    both = ~np.isnan(by_people)
    n, n_further = int(both.sum()), int((~both).sum())
    require_enough(n)
    w = machine_weight(by_people, by_machine) if weight is None else weight
    h, m, further = by_people[both], by_machine[both], by_machine[~both]
    shift = float(further.mean() - m.mean()) if n_further else 0.0
    mean = float(h.mean()) + w * shift
    unseen = float(h.var(ddof=1)) / n  # the variance without a machine, as one more query might find it of no use
    variance = (n * _jackknife_variance(h, m, further, weight) + unseen) / (n + 1) if w else unseen
    if n_further > 1:
        variance += w**2 * float(further.var(ddof=1)) / n_further
    error = math.sqrt(variance)
    reach = error * _student_quantile(_freedom(n), (1 + confidence) / 2)
    return PredictionPowered(
        mean=mean,
        error=error,
        interval=(mean - reach, mean + reach),
        machine_weight=w,
        human_mean=float(h.mean()),
        human_error=standard_error(h),
        machine_mean=float(by_machine.mean()),
        n_human=n,
        n_machine=n_further,
    )


def require_enough(n: int) -> None:
    """Raise unless enough queries have both kinds of judgments.

    Parameters
    ----------
    n : int
        Number of queries with human and machine judgments.
    """
    if n < FEWEST:
        have = "query has" if n == 1 else "queries have"
        raise InvalidDataError(
            f"{n} {have} both human and machine judgments; at least {FEWEST} are needed to correct the machine"
        )


def _jackknife_variance(h: F64, m: F64, further: F64, weight: float | None) -> float:
    """Return the variance that the queries with both judgments contribute, by leaving out each of them in turn.

    The weight is fitted to these queries, so residuals understate the variance where few queries determine it.
    """
    n = h.size
    others_h, others_m = (h.sum() - h) / (n - 1), (m.sum() - m) / (n - 1)
    if weight is None:
        # sums of products about the mean, without query i
        spread = float(np.concatenate([m, further]).var())
        product = ((h - h.mean()) * (m - m.mean())).sum() - (h - h.mean()) * (m - m.mean()) * n / (n - 1)
        usable = further.size and spread > 0
        w = np.clip(product / (n - 1) / spread / (1 + (n - 1) / further.size), 0.0, 1.0) if usable else np.zeros(n)
    else:
        w = np.full(n, weight)
    estimates = others_h + w * ((further.mean() if further.size else 0.0) - others_m)
    return float(((estimates - estimates.mean()) ** 2).sum()) * (n - 1) / n


def _freedom(n: int) -> int:
    """Return the degrees of freedom of the residuals: a mean and a slope are fitted."""
    return n - 2


def _student_cdf(freedom: int) -> Callable[[float], float]:
    from scipy.special import stdtr

    return lambda x: float(stdtr(freedom, x))


def _student_quantile(freedom: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, level))
