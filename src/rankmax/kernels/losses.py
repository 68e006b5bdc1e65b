"""Smooth losses of scores, one query at a time, with their gradients.

A query whose gains are all equal says nothing about the order of its documents: its value is NaN, its gradient 0.
Queries are independent and none is divided, so the number of threads does not change a bit.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from rankmax.arrays import F64, I64

# Ten milliseconds of work; for less, waking threads costs more than they save where other programs run too.
_DOCUMENTS_WORTH_THREADS = 500_000
_PAIRS_WORTH_THREADS = 2_000_000


@njit(cache=True, parallel=True)
def cross_entropy(scores: F64, log_targets: F64, query_offsets: I64, values: F64, gradient: F64) -> None:
    """Fill `values` (by query) and `gradient` (by document) of the divergence of softmax(scores) from the target.

    Parameters
    ----------
    scores : float64, (n_documents,)
    log_targets : float64, (n_documents,)
        The target is softmax(log_targets); minus infinity stands for probability 0.
    query_offsets : int64, (n_queries + 1,)
    values : float64, (n_queries,)
    gradient : float64, (n_documents,)
    """
    if scores.size < _DOCUMENTS_WORTH_THREADS:
        for q in range(values.size):
            span = slice(query_offsets[q], query_offsets[q + 1])
            values[q] = _divergence(scores[span], log_targets[span], gradient[span])
    else:
        for q in prange(values.size):
            span = slice(query_offsets[q], query_offsets[q + 1])
            values[q] = _divergence(scores[span], log_targets[span], gradient[span])


@njit(cache=True, parallel=True)
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
    n_pairs = 0
    for q in range(values.size):
        n_pairs += (query_offsets[q + 1] - query_offsets[q]) ** 2
    if n_pairs < _PAIRS_WORTH_THREADS:
        for q in range(values.size):
            span = slice(query_offsets[q], query_offsets[q + 1])
            values[q] = _logistic(scores[span], gains[span], weighted, gradient[span])
    else:
        for q in prange(values.size):
            span = slice(query_offsets[q], query_offsets[q + 1])
            values[q] = _logistic(scores[span], gains[span], weighted, gradient[span])


@njit(cache=True)
def _divergence(scores: F64, log_targets: F64, gradient: F64) -> float:
    """Return the sum of p (log p - log q) for p = softmax(log_targets), q = softmax(scores); its gradient is q - p."""
    gradient[:] = 0.0
    if _all_equal(log_targets):
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


@njit(cache=True)
def _logistic(scores: F64, gains: F64, weighted: bool, gradient: F64) -> float:
    """Return the weighted mean of log(1 + exp(s_j - s_i)) over the pairs with gain_i > gain_j."""
    gradient[:] = 0.0
    if _all_equal(gains):
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
def _all_equal(values: F64) -> bool:
    return values.size == 0 or values.min() == values.max()
