"""Paired significance tests of two systems over queries, and Holm's correction for multiple tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, I64
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.evaluation.differences import paired_differences
from rankmax.evaluation.sign_flips import extreme_shares, positive_sum_cdf

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
TestName: TypeAlias = Literal["randomization", "t", "wilcoxon"]

_WILCOXON_EXACT = 50  # maximum of queries for which the null distribution is enumerated, as in scipy
_WILCOXON_EXACT_WITH_TIES = 13


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Outcome of a paired test of systems a and b.

    Attributes
    ----------
    name : "randomization", "t", "wilcoxon" or "prediction-powered"
    statistic : float
        Mean difference, Student's t, or the sum of signed ranks; NaN if undefined.
    p_value : float
        Probability of a statistic at least as extreme when the two systems are exchangeable.
    alternative : "two-sided", "greater" or "less"
        Claim about a compared with b.
    n_queries : int
        Number of pairs: queries with a value for both systems.
    exact : bool
        Whether the p-value comes from the complete null distribution, neither sampled nor approximated.
    """

    name: TestName | Literal["prediction-powered"]
    statistic: float
    p_value: float
    alternative: Alternative
    n_queries: int
    exact: bool


def randomization_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    n_permutations: int = 100_000,
    seed: int = 0,
    alternative: Alternative = "two-sided",
) -> PairedTest:
    r"""Fisher's paired randomization test of the mean difference.

    If the systems are exchangeable, each query's difference :math:`d_q = a_q - b_q` could equally have had the
    other sign. The p-value is the share of the :math:`2^n` sign flips whose mean is at least as extreme as the
    observed one. With at most 32 queries that differ, all flips are counted. Otherwise N random ones are drawn and

    .. math:: p = \frac{1 + \#\{k : |\sum_q s_{kq} d_q| \ge |\sum_q d_q|\}}{1 + N},

    which also counts the observed one, so that p is never 0 and the test never rejects too often.

    Parameters
    ----------
    a, b : array-like, shape (n_queries,)
        Values of two systems on the same queries; pairs with NaN are skipped.
    n_permutations : int
        Number N of random flips if there are too many to count them all.
    seed : int
        Random seed.
    alternative : {"two-sided", "greater", "less"}
        "greater" claims that a is better.

    References
    ----------
    M. Smucker, J. Allan, B. Carterette: A comparison of statistical significance tests for information retrieval
    evaluation, CIKM 2007. Used by Yang et al. 2010, section 6.1.

    Examples
    --------
    >>> result = randomization_test([0.5, 0.7, 0.9, 0.4], [0.4, 0.5, 0.6, 0.5])
    >>> print(f"{result.statistic:.3f} {result.p_value} {result.exact}")  # 6 of 16 flips
    0.125 0.375 True
    """
    differences = paired_differences(a, b)[np.newaxis]
    return paired_tests("randomization", differences, alternative, n_permutations=n_permutations, seed=seed)[0]


def t_test(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> PairedTest:
    r"""Student's paired t-test, one- or two-tailed.

    .. math:: t = \frac{\bar{d}}{s_d / \sqrt{n}}, \qquad s_d^2 = \frac{1}{n - 1} \sum_q (d_q - \bar{d})^2,

    compared with Student's distribution with n - 1 degrees of freedom. For identical systems or a single query t is
    undefined: the statistic is NaN and p is 1, as there is no evidence against chance. A constant difference makes t
    infinite.

    Parameters
    ----------
    a, b : array-like, shape (n_queries,)
        Values of two systems on the same queries; pairs with NaN are skipped.
    alternative : {"two-sided", "greater", "less"}
        "greater" claims that a is better; it is the one-tailed test of Metzler & Croft 2007, table 3.

    Examples
    --------
    >>> result = t_test([0.5, 0.7, 0.9, 0.4], [0.4, 0.5, 0.6, 0.5], alternative="greater")
    >>> print(f"{result.statistic:.4f} {result.p_value:.4f}")
    1.4639 0.1197
    """
    return paired_tests("t", paired_differences(a, b)[np.newaxis], alternative)[0]


def wilcoxon_test(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> PairedTest:
    r"""Wilcoxon's signed-rank test.

    Differences of 0 are dropped, the n others ranked by size (equal ones share their mean rank), and
    :math:`W^+` is the sum of the ranks of the positive ones. Its null distribution is enumerated up to 50 queries
    without equal or zero differences, and up to 13 with them. Beyond that, it is taken as normal with

    .. math:: \mu = \frac{n (n + 1)}{4}, \qquad
              \sigma^2 = \frac{n (n + 1) (2 n + 1)}{24} - \sum_t \frac{t^3 - t}{48}

    over the groups of t equal differences. These are the choices of ``scipy.stats.wilcoxon``.

    Parameters
    ----------
    a, b : array-like, shape (n_queries,)
        Values of two systems on the same queries; pairs with NaN are skipped.
    alternative : {"two-sided", "greater", "less"}
        "greater" claims that a is better. The statistic is the smaller rank sum when two-sided, else W+.

    References
    ----------
    F. Wilcoxon: Individual comparisons by ranking methods, Biometrics Bulletin 1(6), 1945. Used, two-tailed, by
    Yue et al. 2007, section 5.1.

    Examples
    --------
    >>> result = wilcoxon_test([0.5, 0.7, 0.9, 0.4], [0.4, 0.5, 0.5, 0.45])
    >>> result.statistic, result.p_value  # only the fourth query, of rank 1, speaks for b
    (1.0, 0.25)
    """
    return paired_tests("wilcoxon", paired_differences(a, b)[np.newaxis], alternative)[0]


def paired_tests(
    name: TestName,
    differences: F64,
    alternative: Alternative = "two-sided",
    *,
    n_permutations: int = 100_000,
    seed: int = 0,
) -> list[PairedTest]:
    """Test several rows of differences at once; the random flips are drawn once for all of them.

    Parameters
    ----------
    name : {"randomization", "t", "wilcoxon"}
    differences : array of float64, shape (n_comparisons, n_queries)
        Each row from :func:`rankmax.evaluation.differences.paired_differences`. A row's result does not depend
        on the other rows.
    alternative : {"two-sided", "greater", "less"}
    n_permutations, seed : int
        Number of permutations and random seed of the randomization test.

    Examples
    --------
    >>> results = paired_tests("randomization", np.array([[0.1, 0.2, 0.3], [0.1, -0.1, 0.0]]))
    >>> [result.p_value for result in results]
    [0.25, 1.0]
    """
    if alternative not in get_args(Alternative):
        raise UnknownNameError("alternative", alternative, get_args(Alternative))
    if name not in get_args(TestName):
        raise UnknownNameError("significance test", name, get_args(TestName))
    if name == "randomization":
        return _randomization(differences, alternative, n_permutations, seed)
    test = _student if name == "t" else _wilcoxon
    return [test(row[~np.isnan(row)], alternative) for row in differences]


def holm(p_values: ArrayLike) -> F64:
    r"""Correct p-values for testing m hypotheses at once (Holm's step-down method).

    With :math:`p_{(1)} \le \dots \le p_{(m)}`, the corrected value of the i-th is
    :math:`\max_{j \le i} \min(1, (m - j + 1) p_{(j)})`. If those below a level are called significant, the probability
    of even one false claim is at most that level; no independence is assumed, and the correction is never worse than
    Bonferroni's :math:`m p`.

    Parameters
    ----------
    p_values : array-like, shape (m,)
        Uncorrected p-values of m comparisons.

    References
    ----------
    S. Holm: A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise InvalidDataError("p_values must be a list of numbers from 0 to 1")
    order = np.argsort(p, kind="stable")
    corrected = np.empty_like(p)
    corrected[order] = np.maximum.accumulate(np.minimum(1.0, p[order] * np.arange(p.size, 0, -1)))
    return corrected


def _randomization(differences: F64, alternative: Alternative, n_permutations: int, seed: int) -> list[PairedTest]:
    if n_permutations < 1:
        raise InvalidParameterError(f"n_permutations is {n_permutations}; it must be at least 1")
    # A query that is left out adds 0 to every sum, so every row sees the same flips, whatever the others leave out.
    terms = np.nan_to_num(-differences if alternative == "less" else differences)
    p_values, exact = extreme_shares(terms, two_sided=alternative == "two-sided", n_flips=n_permutations, seed=seed)
    n_queries = np.count_nonzero(~np.isnan(differences), axis=1)
    means = np.nansum(differences, axis=1) / n_queries
    return [
        PairedTest("randomization", *row[:2], alternative, *row[2:])
        for row in zip(means.tolist(), p_values.tolist(), n_queries.tolist(), exact.tolist(), strict=True)
    ]


def _student(differences: F64, alternative: Alternative) -> PairedTest:
    from scipy.special import stdtr

    n = differences.size
    mean = float(differences.mean())
    if n == 1 or not differences.any():
        return PairedTest("t", math.nan, 1.0, alternative, n, False)
    if np.ptp(differences) == 0:
        t = math.copysign(math.inf, mean)
    else:
        t = mean / (float(differences.std(ddof=1)) / math.sqrt(n))
    p = tail_probability(lambda x: float(stdtr(n - 1, x)), t, alternative)
    return PairedTest("t", t, p, alternative, n, False)


def _wilcoxon(differences: F64, alternative: Alternative) -> PairedTest:
    moved = differences[differences != 0]
    if moved.size == 0:
        return PairedTest("wilcoxon", 0.0, 1.0, alternative, differences.size, True)
    doubled_ranks, group_sizes = _doubled_ranks(np.abs(moved))
    n, total = moved.size, int(doubled_ranks.sum())
    doubled = int(doubled_ranks[moved > 0].sum())
    distinct = group_sizes.size == differences.size  # neither ties nor zeros
    exact = differences.size <= (_WILCOXON_EXACT if distinct else _WILCOXON_EXACT_WITH_TIES)
    if exact:
        cdf = positive_sum_cdf(doubled_ranks)
        less, greater = float(cdf[doubled]), float(cdf[total - doubled])  # the distribution is symmetric
        p = {"less": less, "greater": greater, "two-sided": min(1.0, 2 * min(less, greater))}[alternative]
    else:
        variance = n * (n + 1) * (2 * n + 1) / 24 - float((group_sizes**3 - group_sizes).sum()) / 48
        z = (doubled - total / 2) / 2 / math.sqrt(variance)
        p = tail_probability(lambda x: math.erfc(-x / math.sqrt(2)) / 2, z, alternative)
    statistic = (min(doubled, total - doubled) if alternative == "two-sided" else doubled) / 2
    return PairedTest("wilcoxon", statistic, p, alternative, differences.size, exact)


def _doubled_ranks(sizes: F64) -> tuple[I64, I64]:
    """Return twice the rank of each size, the mean rank for equal sizes, and the sizes of the groups."""
    # 0.3 - 0.2 and 0.2 - 0.1 are the same size: ranks must not depend on rounding.
    rounded = np.round(sizes / sizes.max(), 10)
    _, group, group_sizes = np.unique(rounded, return_inverse=True, return_counts=True)
    return (2 * np.cumsum(group_sizes) - group_sizes + 1)[group], group_sizes


def tail_probability(cdf: Callable[[float], float], x: float, alternative: Alternative) -> float:
    """Return the p-value of a statistic whose null distribution is symmetric about 0."""
    return {"less": cdf(x), "greater": cdf(-x), "two-sided": min(1.0, 2 * cdf(-abs(x)))}[alternative]
