"""Null distributions of sums whose terms have random signs, exact or sampled.

Under the null hypothesis of a paired test, the sign of each query's difference is a fair coin flip. Fisher's test sums
the differences under such signs, Wilcoxon's sums their ranks.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64, Bool

_ENUMERABLE = 32  # maximum of terms for which all flips are counted, from two halves of 2^16 sums
_CHUNK = 1 << 14  # random flips at a time: their sums share the cache with a table of 2^16 sums
_TIE = 1e-9  # relative to the sum of absolute terms: sums closer than this are equal up to rounding
_BYTE_SIGNS = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1)


def extreme_shares(terms: F64, *, two_sided: bool, n_flips: int, seed: int) -> tuple[F64, Bool]:
    """Return, for each row, the share of sign flips whose sum is at least the row's own (in absolute value).

    Parameters
    ----------
    terms : array of float64, shape (n_rows, n_terms)
    two_sided : bool
        Whether to compare absolute values of sums.
    n_flips : int
        Number of random flips for rows with more than 32 nonzero terms; the row's own signs count as one more.
    seed : int
        Random seed; all rows see the same random flips.

    Returns
    -------
    shares : array of float64, shape (n_rows,)
    exact : array of bool, shape (n_rows,)
        Whether all flips were counted.

    Examples
    --------
    >>> extreme_shares(np.array([[1.0, 2.0, 4.0], [1.0, -2.0, 0.0]]), two_sided=False, n_flips=1000, seed=0)
    (array([0.125, 0.75 ]), array([ True,  True]))
    """
    sums = terms.sum(axis=1)
    thresholds = (np.abs(sums) if two_sided else sums) - _TIE * np.abs(terms).sum(axis=1)
    exact = np.count_nonzero(terms, axis=1) <= _ENUMERABLE
    shares = np.empty(len(terms))
    for row in np.flatnonzero(exact):
        share = _enumerated_share(terms[row][terms[row] != 0], thresholds[row])
        shares[row] = min(1.0, 2 * share) if two_sided else share  # the distribution is symmetric
    if not exact.all():
        n_extreme = _count_sampled(terms[~exact], thresholds[~exact], two_sided, n_flips, seed)
        shares[~exact] = (n_extreme + 1) / (n_flips + 1)
    return shares, exact


def positive_sum_cdf(terms: I64) -> F64:
    """Return P(sum of the terms with positive sign <= s) for s = 0, 1, ..., sum of all; terms are positive integers.

    Examples
    --------
    >>> positive_sum_cdf(np.array([1, 2]))
    array([0.25, 0.5 , 0.75, 1.  ])
    """
    n_ways = np.zeros(int(terms.sum()) + 1)
    n_ways[0] = 1
    for term in terms.tolist():
        n_ways[term:] += n_ways[:-term].copy()
    return np.cumsum(n_ways) / 2.0**terms.size


def _enumerated_share(terms: F64, threshold: float) -> float:
    """Return the share of all 2^n flips whose sum reaches the threshold.

    A sum is one of the left half's plus one of the right half's: sorting one side and looking up the other
    counts 2^n flips at the cost of 2^(n/2).
    """
    middle = terms.size // 2
    left, right = np.sort(_signed_sums(terms[:middle])), np.sort(_signed_sums(terms[middle:]))
    n_below = int(np.searchsorted(left, threshold - right).sum())
    return 1.0 - n_below / 2.0**terms.size


def _signed_sums(terms: F64) -> F64:
    sums = np.zeros(1)
    for term in terms:
        sums = np.concatenate([sums - term, sums + term])
    return sums


def _count_sampled(terms: F64, thresholds: F64, two_sided: bool, n_flips: int, seed: int) -> I64:
    """Count, for each row, the random flips that reach its threshold.

    Sixteen terms are taken at a time: a table holds the sums of their 2^16 sign patterns and a random 16-bit number
    selects one, so a flip costs one addition per sixteen terms.
    """
    rng = np.random.default_rng(seed)
    n_rows, n_terms = terms.shape
    padded = np.pad(terms, ((0, 0), (0, -n_terms % 16)))
    n_extreme = np.zeros(n_rows, np.int64)
    for first in range(0, n_flips, _CHUNK):
        sums = np.zeros((n_rows, min(_CHUNK, n_flips - first)))
        for start in range(0, n_terms, 16):
            patterns = rng.integers(0, 1 << 16, sums.shape[1], dtype=np.uint16)
            high = padded[:, start : start + 8] @ _BYTE_SIGNS.T
            low = padded[:, start + 8 : start + 16] @ _BYTE_SIGNS.T
            for row in range(n_rows):
                sums[row] += np.add.outer(high[row], low[row]).ravel().take(patterns)
        extremity = np.abs(sums) if two_sided else sums
        n_extreme += np.count_nonzero(extremity >= thresholds[:, np.newaxis], axis=1)
    return n_extreme
