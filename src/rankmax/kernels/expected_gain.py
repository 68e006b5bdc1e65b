"""The expected gain of documents under a multiclass logistic model, with its slopes by the model's linear functions."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from rankmax.arrays import F64

_WORTH_THREADS = 500_000  # exponentials; below that, waking threads costs more than they save on a busy machine
_BLOCK = 1024  # documents


@njit(cache=True, parallel=True)
def expected_gain(outputs: F64, gains: F64, epsilon: float, scores: F64, slopes: F64) -> None:
    """Fill `scores` with sum_k p_k gain_k, p = softmax of each document's outputs, and `slopes` with its derivatives.

    A probability above epsilon counts as 1 and the others as 0: there the score is constant and its slopes are 0.

    Parameters
    ----------
    outputs : float64, (n_levels, n_documents)
    gains : float64, (n_levels,)
    epsilon : float
        With 1 no probability is rounded.
    scores : float64, (n_documents,)
    slopes : float64, (n_levels, n_documents)
        By output.
    """
    if outputs.size < _WORTH_THREADS:
        _expect(outputs, gains, epsilon, 0, scores.size, scores, slopes)
    else:
        for b in prange(-(-scores.size // _BLOCK)):
            _expect(outputs, gains, epsilon, b * _BLOCK, min((b + 1) * _BLOCK, scores.size), scores, slopes)


@njit(cache=True)
def _expect(outputs: F64, gains: F64, epsilon: float, first: int, stop: int, scores: F64, slopes: F64) -> None:
    n_levels = gains.size
    for i in range(first, stop):
        likeliest = 0
        for k in range(1, n_levels):
            if outputs[k, i] > outputs[likeliest, i]:
                likeliest = k
        total, mean = 0.0, 0.0
        for k in range(n_levels):
            slopes[k, i] = np.exp(outputs[k, i] - outputs[likeliest, i])
            total += slopes[k, i]
            mean += slopes[k, i] * gains[k]
        if 1.0 / total > epsilon:
            scores[i] = gains[likeliest]
            slopes[:, i] = 0.0
            continue
        mean /= total
        scores[i] = mean
        for k in range(n_levels):
            slopes[k, i] *= (gains[k] - mean) / total
