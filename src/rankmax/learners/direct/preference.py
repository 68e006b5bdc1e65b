"""How probable it is that one of two weight vectors ranks other queries better, as far as the training queries tell."""

from __future__ import annotations

import math

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.exact_sums import digits_of, rounded_rows
from rankmax.line_search.objective import Objective
from rankmax.line_search.query_subset import Part


def probability_better(objective: Objective, first: F64, second: F64) -> float:
    r"""Return the probability that the mean metric of `first` is above that of `second`, by the normal approximation.

    .. math:: \Phi\left(\frac{\sum_q a_q d_q}{\sqrt{\sum_q a_q^2 d_q^2}}\right)

    where :math:`d_q` is the difference of the metric for query q and :math:`a_q` the query's weight. Both sums are
    exact, so shards change no bit.

    Parameters
    ----------
    objective : Objective
    first, second : array of float64, shape (n_features,)

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
    >>> from rankmax.metrics import AP
    >>> problem = planted_linear(30, 10, 3, noise=0.1, seed=1)
    >>> objective = LinearObjective(problem.data, AP())
    >>> round(probability_better(objective, problem.weights, -problem.weights), 6)
    1.0
    >>> probability_better(objective, problem.weights, 2 * problem.weights)
    0.5
    """
    return probability_positive(difference_sums(objective, first, second))


def difference_sums(objective: Objective, first: F64, second: F64) -> I64:
    """Return the digits of the sum of weighted differences of the metric over queries, and of that of their squares.

    Those of disjoint sets of queries may be added, whichever weights were compared on each.

    Parameters
    ----------
    objective : Objective
    first, second : array of float64, shape (n_features,)
    """
    sums: I64 = np.sum(objective.over_parts(_sums, first, second, combine=np.add), axis=0)
    return sums


def probability_positive(sums: I64) -> float:
    """Return the probability that the mean of differences is positive, from their :func:`difference_sums`.

    Parameters
    ----------
    sums : array of int64
    """
    total, squares = rounded_rows(sums)
    return 0.5 * math.erfc(-total / math.sqrt(2 * squares)) if squares > 0 else 0.5


def _sums(part: Part, first: F64, second: F64) -> I64:
    difference = part.weighted_values(part.scores(first)) - part.weighted_values(part.scores(second))
    return np.array([digits_of(difference), digits_of(difference**2)])
