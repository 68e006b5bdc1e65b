"""The expected gain of documents under a multiclass logistic model, with its slopes by the model's linear functions."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax._kernels.compilation import njit
from rankmax._kernels.threads import in_threads, stretches

_WORTH_THREADS = 500_000  # exponentials; below that, waking threads costs more than they save on a busy machine
_BLOCK = 1024  # documents


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
    borders = stretches(scores.size, of=_BLOCK, threads=outputs.size >= _WORTH_THREADS)
    in_threads(_expect, borders, outputs, gains, epsilon, scores, slopes)


@njit(cache=True, nogil=True)
def _expect(first: int, stop: int, outputs: F64, gains: F64, epsilon: float, scores: F64, slopes: F64) -> None:
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
