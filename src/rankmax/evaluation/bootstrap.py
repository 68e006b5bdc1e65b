"""Bootstrap confidence intervals of means over queries."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, I64, U8, Bool
from rankmax._numerics.bootstrap_counts import blocks_of_counts
from rankmax.errors import InvalidDataError, InvalidParameterError

_KEPT = 1 << 25  # queries drawn in total, one byte each, up to which the draws are cached for the next interval


def bootstrap_interval(
    values: ArrayLike, *, confidence: float = 0.95, n_resamples: int = 10_000, seed: int = 0
) -> tuple[F64, F64]:
    r"""Return the bias-corrected and accelerated (BCa) bootstrap interval of a mean over queries.

    Queries are drawn with replacement, as many as there are, and their mean is taken; the ends of the interval
    are quantiles of these resampled means. The plain percentile method takes the quantiles at
    :math:`(1 \mp \text{confidence}) / 2`; BCa moves each level :math:`\Phi(z)` to

    .. math:: \Phi\left(z_0 + \frac{z_0 + z}{1 - a (z_0 + z)}\right), \qquad
              z_0 = \Phi^{-1}(P(\bar{x}^* < \bar{x})), \qquad
              a = \frac{\sum_q (x_q - \bar{x})^3}{6 (\sum_q (x_q - \bar{x})^2)^{3/2}},

    where resampled means equal to the mean count half. This corrects for the skewed values of ranking metrics, for
    which the percentile interval misses on one side far more often than on the other. For a mean the correction costs
    nothing.

    Parameters
    ----------
    values : array-like, shape (n_queries,) or (n_metrics, n_queries)
        Value of each query. NaN marks a query that is left out: only the others are resampled.
    confidence : float
        Probability, above 0 and below 1, that such intervals contain the true mean.
    n_resamples : int
        Number of resampled means.
    seed : int
        Random seed. A metric's interval does not depend on the other metrics.

    Returns
    -------
    low, high : arrays of float64, shape () or (n_metrics,)
        Ends of the interval; NaN for a metric without any value.

    References
    ----------
    B. Efron, R. Tibshirani: An Introduction to the Bootstrap, 1993, section 14.3.

    Examples
    --------
    >>> low, high = bootstrap_interval([0.2, 0.9, 0.4, 0.0, 0.7, 0.3])
    >>> print(f"{low:.2f} {high:.2f}")
    0.20 0.68
    >>> bootstrap_interval([[0.5, 0.5, 0.5], [1.0, 1.0, float("nan")]])
    (array([0.5, 1. ]), array([0.5, 1. ]))
    """
    samples = np.asarray(values, np.float64)
    if samples.ndim not in (1, 2):
        raise InvalidDataError(f"values have shape {samples.shape}; expected (n_queries,) or (n_metrics, n_queries)")
    if np.isinf(samples).any():
        raise InvalidDataError("values are infinite; a mean needs finite values, or NaN for queries to leave out")
    if not 0 < confidence < 1:
        raise InvalidParameterError(f"confidence is {confidence}; it must be above 0 and below 1, such as 0.95")
    if n_resamples < 1:
        raise InvalidParameterError(f"n_resamples is {n_resamples}; it must be at least 1")
    rows = np.atleast_2d(samples)
    ends = np.full((2, len(rows)), np.nan)
    for metrics, kept in _by_missing(np.isnan(rows)):
        population = rows[metrics][:, kept]
        means = _resampled_means(population, n_resamples, seed)
        for metric, sample, resampled in zip(metrics, population, means, strict=True):
            ends[:, metric] = _quantiles(resampled, _levels(sample, resampled, confidence))
    low, high = ends.reshape(2, *samples.shape[:-1])
    return low, high


def _by_missing(missing: Bool) -> list[tuple[list[int], Bool]]:
    """Group the metrics that leave out the same queries; return each group with the mask of its queries."""
    groups: dict[bytes, list[int]] = {}
    for metric, pattern in enumerate(missing):
        groups.setdefault(pattern.tobytes(), []).append(metric)
    return [(metrics, ~missing[metrics[0]]) for metrics in groups.values() if not missing[metrics[0]].all()]


def _quantiles(values: F64, levels: list[float]) -> F64:
    """Return linearly interpolated quantiles; np.quantile does the same but imports numpy.ma, which takes 15 ms."""
    positions = np.array(levels) * (values.size - 1)
    quantiles: F64 = np.interp(positions, np.arange(values.size), np.sort(values))
    return quantiles


def _resampled_means(population: F64, n_resamples: int, seed: int) -> F64:
    """Return means of shape (n_metrics, n_resamples): the number of draws of each query times its values."""
    n_metrics, n_queries = population.shape
    means: F64 = np.empty((n_metrics, n_resamples))
    few = n_queries * n_resamples <= _KEPT
    blocks: Iterable[U8 | I64] = (_kept_draws if few else blocks_of_counts)(n_queries, n_resamples, seed)
    first = 0
    for counts in blocks:
        means[:, first : first + len(counts)] = population @ counts.T.astype(np.float64)
        first += len(counts)
    means /= n_queries
    return means


@lru_cache(maxsize=2)
def _kept_draws(n_queries: int, n_resamples: int, seed: int) -> tuple[U8 | I64, ...]:
    """Return the draws, cached: they take ten times as long as their use, and do not depend on the values."""
    return tuple(blocks_of_counts(n_queries, n_resamples, seed))


def _levels(sample: F64, resampled: F64, confidence: float) -> list[float]:
    """Return the two levels at which BCa takes the quantiles of the resampled means."""
    from statistics import NormalDist  # not scipy: evaluating a run must not wait for its import

    deviations = sample - sample.mean()
    spread = math.sqrt((deviations**2).sum())
    if np.ptp(sample) == 0 or spread == 0:
        return [0.5, 0.5]
    normal = NormalDist()
    # Resampled means that equal the mean may differ from it by rounding in another order of summation.
    distance = resampled - sample.mean()
    tie = 1e-12 * np.abs(sample).max()
    below = (np.count_nonzero(distance < -tie) + np.count_nonzero(distance <= tie)) / (2 * resampled.size)
    half_step = 1 / (2 * resampled.size)
    bias = normal.inv_cdf(min(max(below, half_step), 1 - half_step))
    acceleration = float(((deviations / spread) ** 3).sum()) / 6
    levels = []
    for tail in ((1 - confidence) / 2, (1 + confidence) / 2):
        z = bias + normal.inv_cdf(tail)
        # Beyond the pole of the formula the level is its limit, 0 or 1.
        levels.append(normal.cdf(bias + z / max(1 - acceleration * z, 1e-300)))
    return levels
