"""Smooth losses of scores, one query at a time, with their gradients.

A query whose gains are all equal says nothing about the order of its documents: its value is NaN, its gradient 0.
Queries are independent and none is divided, so the number of threads does not change a bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.threads import in_threads, stretches

# Ten milliseconds of work; for less, waking threads costs more than they save where other programs run too.
_DOCUMENTS_WORTH_THREADS = 500_000
_PAIRS_WORTH_THREADS = 2_000_000
_NO_LENGTH = 1e-280  # scores so small that their direction is rounding


def listwise(
    loss: Callable[..., None], scores: F64, targets: F64, query_offsets: I64, values: F64, gradient: F64
) -> None:
    """Fill `values` (by query) and `gradient` (by document) of one of the losses of whole lists below.

    Parameters
    ----------
    loss : callable
        :func:`divergence`, :func:`cosine`, :func:`squared` or :func:`plackett_luce`.
    scores, targets : float64, (n_documents,)
    query_offsets : int64, (n_queries + 1,)
    values : float64, (n_queries,)
    gradient : float64, (n_documents,)
    """
    borders = stretches(values.size, threads=scores.size >= _DOCUMENTS_WORTH_THREADS)
    in_threads(loss, borders, scores, targets, query_offsets, values, gradient)


def pairwise_logistic(scores: F64, gains: F64, query_offsets: I64, weighted: bool, values: F64, gradient: F64) -> None:
    """Fill `values` (by query) and `gradient` (by document) of the mean logistic loss over pairs.

    Parameters
    ----------
    scores, gains : float64, (n_documents,)
    query_offsets : int64, (n_queries + 1,)
    weighted : bool
        Whether a pair weighs as much as its gains differ, instead of 1.
    values : float64, (n_queries,)
    gradient : float64, (n_documents,)
    """
    n_pairs = (np.diff(query_offsets) ** 2).sum()
    borders = stretches(values.size, threads=n_pairs >= _PAIRS_WORTH_THREADS)
    in_threads(_pairwise_logistic, borders, scores, gains, query_offsets, weighted, values, gradient)


@njit(cache=True, nogil=True)
def _pairwise_logistic(
    first: int, stop: int, scores: F64, gains: F64, query_offsets: I64, weighted: bool, values: F64, gradient: F64
) -> None:
    for q in range(first, stop):
        span = slice(query_offsets[q], query_offsets[q + 1])
        values[q] = _logistic(scores[span], gains[span], weighted, gradient[span])


@njit(cache=True, nogil=True)
def divergence(
    first: int, stop: int, scores: F64, targets: F64, query_offsets: I64, values: F64, gradient: F64
) -> None:
    """Take the divergence of softmax(scores) from softmax(targets); a target of minus infinity has probability 0."""
    for q in range(first, stop):
        span = slice(query_offsets[q], query_offsets[q + 1])
        values[q] = _divergence(scores[span], targets[span], gradient[span])


@njit(cache=True)
def _divergence(scores: F64, log_targets: F64, gradient: F64) -> float:
    """Return the sum of p (log p - log q) for p = softmax(log_targets), q = softmax(scores); its gradient is q - p."""
    if _all_equal(log_targets, gradient):
        return np.nan
    top_target, top_score = log_targets.max(), scores.max()
    target_sum, score_sum = 0.0, 0.0
    for i in range(scores.size):
        target_sum += np.exp(log_targets[i] - top_target)
        gradient[i] = np.exp(scores[i] - top_score)
        score_sum += gradient[i]
    shift = np.log(score_sum) - np.log(target_sum)
    value = 0.0
    for i in range(scores.size):
        p = np.exp(log_targets[i] - top_target) / target_sum
        if p > 0.0:  # 0 log 0 = 0
            value += p * ((log_targets[i] - top_target) - (scores[i] - top_score) + shift)
        gradient[i] = gradient[i] / score_sum - p
    return max(value, 0.0)  # rounding must not make a divergence negative


@njit(cache=True, nogil=True)
def cosine(first: int, stop: int, scores: F64, targets: F64, query_offsets: I64, values: F64, gradient: F64) -> None:
    """Take (1 - cos) / 2 of the angle between scores and targets."""
    for q in range(first, stop):
        span = slice(query_offsets[q], query_offsets[q + 1])
        values[q] = _cosine(scores[span], targets[span], gradient[span])


@njit(cache=True)
def _cosine(scores: F64, targets: F64, gradient: F64) -> float:
    """Return (1 - cos) / 2 of the angle between two vectors; 1/2, with gradient 0, where the scores are 0."""
    if _all_equal(targets, gradient):
        return np.nan
    unit, target_unit = np.abs(scores).max(), np.abs(targets).max()  # so that no square overflows
    if unit < _NO_LENGTH:
        return 0.5
    product, squares, target_squares = 0.0, 0.0, 0.0
    for i in range(scores.size):
        s, t = scores[i] / unit, targets[i] / target_unit
        product += s * t
        squares += s * s
        target_squares += t * t
    length, target_length = np.sqrt(squares), np.sqrt(target_squares)
    cosine = product / (length * target_length)
    for i in range(scores.size):
        s, t = scores[i] / unit, targets[i] / target_unit
        gradient[i] = 0.5 * (cosine * s / length - t / target_length) / length / unit
    distance: float = max(0.5 * (1.0 - cosine), 0.0)
    return distance


@njit(cache=True, nogil=True)
def squared(first: int, stop: int, scores: F64, targets: F64, query_offsets: I64, values: F64, gradient: F64) -> None:
    """Take the squared distance of scores and targets."""
    for q in range(first, stop):
        span = slice(query_offsets[q], query_offsets[q + 1])
        values[q] = _squared(scores[span], targets[span], gradient[span])


@njit(cache=True)
def _squared(scores: F64, targets: F64, gradient: F64) -> float:
    if _all_equal(targets, gradient):
        return np.nan
    value = 0.0
    for i in range(scores.size):
        residual = scores[i] - targets[i]
        value += residual * residual
        gradient[i] = 2.0 * residual
    return value


@njit(cache=True, nogil=True)
def plackett_luce(
    first: int, stop: int, scores: F64, targets: F64, query_offsets: I64, values: F64, gradient: F64
) -> None:
    """Take how improbable the order of the targets is."""
    for q in range(first, stop):
        span = slice(query_offsets[q], query_offsets[q + 1])
        values[q] = _plackett_luce(scores[span], targets[span], gradient[span])


@njit(cache=True)
def _plackett_luce(scores: F64, targets: F64, gradient: F64) -> float:
    """Return -log of the probability that documents come out by falling target, in any order among equals.

    A group of m equals with total weight e^L comes before the rest, of total weight e^rest, with a probability that
    Efron's formula approximates by m! times the product over j < m of e^score_j / (e^rest + (1 - j/m) e^L).
    """
    if _all_equal(targets, gradient):
        return np.nan
    n = scores.size
    order = np.argsort(targets)
    # By group, from the second lowest: where it ends, log sum_j 1/D_j and log sum_j (1 - j/m)/D_j for its divisors D.
    ends, log_all, log_own = np.empty(n, np.int64), np.empty(n), np.empty(n)
    value, rest, n_groups, first = 0.0, -np.inf, 0, 0
    while first < n:
        last, group = first, -np.inf
        while last < n and targets[order[last]] == targets[order[first]]:
            group = _log_add(group, scores[order[last]])
            last += 1
        m, all_shares, own_shares = last - first, -np.inf, -np.inf
        if first > 0:
            for j in range(m):
                log_left = np.log1p(-j / m)
                divisor = _log_add(rest, group + log_left)
                value += divisor - scores[order[first + j]]
                all_shares = _log_add(all_shares, -divisor)
                own_shares = _log_add(own_shares, log_left - divisor)
            value -= math.lgamma(m + 1.0)
        ends[n_groups], log_all[n_groups], log_own[n_groups] = last, all_shares, own_shares
        n_groups += 1
        rest = _log_add(rest, group)
        first = last
    above = -np.inf
    for g in range(n_groups - 1, -1, -1):
        shares = _log_add(above, log_own[g])
        for k in range(ends[g - 1] if g > 0 else 0, ends[g]):
            i = order[k]
            gradient[i] = np.exp(scores[i] + shares) - (1.0 if g > 0 else 0.0)
        above = _log_add(above, log_all[g])
    return max(value, 0.0)


@njit(cache=True)
def _log_add(a: float, b: float) -> float:
    """Return log(e^a + e^b)."""
    high, low = max(a, b), min(a, b)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@njit(cache=True)
def _logistic(scores: F64, gains: F64, weighted: bool, gradient: F64) -> float:
    """Return the weighted mean of log(1 + exp(s_j - s_i)) over the pairs with gain_i > gain_j."""
    if _all_equal(gains, gradient):
        return np.nan
    total, total_weight = 0.0, 0.0
    for i in range(scores.size):
        for j in range(scores.size):
            if gains[i] > gains[j]:
                weight = gains[i] - gains[j] if weighted else 1.0
                wrong = scores[j] - scores[i]
                small = np.exp(-abs(wrong))
                total += weight * (max(wrong, 0.0) + np.log1p(small))
                push = weight * (1.0 if wrong > 0.0 else small) / (1.0 + small)
                gradient[i] -= push
                gradient[j] += push
                total_weight += weight
    for i in range(scores.size):
        gradient[i] /= total_weight
    return total / total_weight


@njit(cache=True)
def _all_equal(targets: F64, gradient: F64) -> bool:
    """Set the gradient to 0, and return whether the targets say nothing about the order."""
    gradient[:] = 0.0
    for i in range(1, targets.size):  # noqa: SIM110 - numba compiles the loop, not any()
        if targets[i] != targets[0]:
            return False
    return True
