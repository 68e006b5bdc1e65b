"""One test of many drops at once: paired differences in several metrics and segments, over the same queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64
from rankmax.errors import InvalidParameterError

_ENUMERABLE = 13  # maximum of queries that differ for which all sign flips are taken
_CHUNK = 1 << 10  # random flips at a time: their signs are the largest array
_TIE = 1e-9  # standardized sums closer than this are equal up to rounding


@dataclass(frozen=True, eq=False)
class JointRegressionTest:
    """Outcome of :func:`joint_regression_test`.

    Attributes
    ----------
    statistics : array of float64, shape (n_cells,)
        Standardized drop of each cell; 0 where nothing differs.
    p_values : array of float64, shape (n_cells,)
        P-value of each cell alone.
    corrected_p_values : array of float64, shape (n_cells,)
        P-values corrected for testing all cells.
    critical_value : float
        A statistic above it is significant; infinite where too few queries differ for any to be.
    exact : bool
        Whether all sign flips were taken, rather than random ones.
    """

    statistics: F64
    p_values: F64
    corrected_p_values: F64
    critical_value: float
    exact: bool


def joint_regression_test(
    differences: F64, *, level: float = 0.04, n_flips: int = 9_999, seed: int = 0
) -> JointRegressionTest:
    r"""Test whether any of several means fell, one-sided, with p-values corrected for their number.

    If candidate and baseline are exchangeable, a query's differences could equally have had the other sign, in all
    cells at once. Each cell c has the statistic

    .. math:: T_c = \frac{-\sum_q d_{cq}}{\sqrt{\sum_q d_{cq}^2}},

    whose denominator no flip changes. The corrected p-value is the share of the flips of whole queries whose largest
    statistic :math:`\max_c T_c` reaches the cell's own (the single-step max-T method of Westfall and Young). As flips
    keep the dependence between metrics, the probability of one false alarm or more is the level, and not far
    below it as with Bonferroni's or Holm's correction.

    Parameters
    ----------
    differences : array of float64, shape (n_cells, n_queries)
        Candidate minus baseline, by metric and segment; NaN where a query is not part of a cell. Each row from
        :func:`rankmax.evaluation.differences.paired_differences`.
    level : float
        Significance level of the corrected p-values.
    n_flips : int
        Number of random flips if more than 13 queries differ; the observed signs count as one more.
    seed : int
        Random seed.

    References
    ----------
    P. Westfall, S. Young: Resampling-Based Multiple Testing, 1993, section 2.3; M. Smucker, J. Allan, B. Carterette:
    A comparison of statistical significance tests for information retrieval evaluation, CIKM 2007.

    Examples
    --------
    >>> fell = np.array([[-0.1, -0.2, -0.3, -0.1, -0.4, 0.0], [0.0, -0.1, 0.1, 0.0, -0.2, 0.1]])
    >>> result = joint_regression_test(fell)
    >>> result.p_values, result.corrected_p_values
    (array([0.03125, 0.5    ]), array([0.03125, 0.59375]))
    """
    if not 0 < level < 1:
        raise InvalidParameterError(f"level is {level}; it must be above 0 and below 1, such as 0.04")
    if n_flips < 1:
        raise InvalidParameterError(f"n_flips is {n_flips}; it must be at least 1")
    terms = _standardized(np.nan_to_num(differences))
    terms = terms[:, terms.any(axis=0)]
    statistics = terms.sum(axis=1)
    n_cells, n_moved = terms.shape
    exact = n_moved <= _ENUMERABLE
    total = 2**n_moved if exact else n_flips + 1
    n_reached = np.zeros((2, n_cells))
    largest = []
    for signs in _every_flip(n_moved) if exact else _random_flips(n_moved, n_flips, seed):
        sums = signs @ terms.T
        highest = sums.max(axis=1)
        n_reached[0] += np.count_nonzero(sums >= statistics - _TIE, axis=0)
        n_reached[1] += np.count_nonzero(highest[:, np.newaxis] >= statistics - _TIE, axis=0)
        largest.append(highest)
    if not exact:
        n_reached += 1  # the observed signs
    alone, corrected = n_reached / total
    n_rejecting = int(level * total + _TIE)
    ordered = np.sort(np.concatenate(largest))[::-1]
    critical = float(ordered[n_rejecting - (not exact)]) if n_rejecting else np.inf
    return JointRegressionTest(statistics, alone, corrected, critical, exact)


def _standardized(differences: F64) -> F64:
    norms = np.sqrt((differences**2).sum(axis=1, keepdims=True))
    scaled: F64 = -differences / np.where(norms > 0, norms, 1.0)
    return scaled


def _every_flip(n: int) -> Iterator[F64]:
    bits = (np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1
    signs: F64 = 1.0 - 2.0 * bits.astype(np.float64)
    yield signs


def _random_flips(n: int, n_flips: int, seed: int) -> Iterator[F64]:
    rng = np.random.default_rng(seed)
    for first in range(0, n_flips, _CHUNK):
        shape = (min(_CHUNK, n_flips - first), -(-n // 8))
        drawn = np.unpackbits(rng.integers(0, 256, shape, dtype=np.uint8), axis=1)[:, :n]
        signs: F64 = 1.0 - 2.0 * drawn.astype(np.float64)
        yield signs
