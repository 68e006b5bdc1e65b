"""Dual coordinate descent for a classification SVM on binned features, as liblinear does it on sparse ones.

An example's features are stretches of ones: for each base feature, the indicators of the thresholds that it passes. So
a score is a sum over short contiguous stretches of the weights, and a step adds a number to the same stretches.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64, U64
from rankmax._kernels.compilation import njit

_NEGLIGIBLE = 1e-12  # gradient at which liblinear leaves a variable alone


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})  # lets the sum be vectorized, in one fixed order
def _sum(values: F64) -> float:
    total = 0.0
    for i in range(values.size):
        total += values[i]
    return total


@njit(cache=True, nogil=True)
def _below(n: int, state: U64) -> int:
    """Return a random number below n (xorshift64*)."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return int((x * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(33)) % n


@njit(cache=True, nogil=True)
def descend_dual(
    offsets: I64,
    starts: I64,
    stops: I64,
    signs: F64,
    bounds: F64,
    squares: F64,
    intercept: float,
    tolerance: float,
    max_passes: int,
    state: U64,
    weights: F64,
) -> int:
    """Fill the weights, the last of which is the intercept's, and return the number of passes over the examples.

    Minimizes sum_i bounds_i max(0, 1 - signs_i w^T x_i) + |w / scale|^2 / 2 over examples, with shrinking.

    Parameters
    ----------
    offsets : int64, (n_examples + 1,)
        An example's stretches of ones are `offsets[i]:offsets[i + 1]`.
    starts, stops : int64, (n_stretches,)
        First and last + 1 of the columns of each stretch.
    signs : float64, (n_examples,)
        1 for relevant documents, -1 for others.
    bounds : float64, (n_examples,)
        Cost of an error on each example: the upper bound of its dual variable.
    squares : float64, (n_columns,)
        Squared scale of each column: 1 where it is not standardized.
    intercept : float
        Value of the constant feature.
    tolerance : float
        Largest difference of projected gradients at which to stop.
    max_passes : int
    state : uint64, (1,)
        Of the random numbers, not 0.
    weights : float64, (n_columns + 1,)
        Of the columns as they are, and of the constant feature; 0 at first.
    """
    n = signs.size
    diagonal = np.empty(n)
    for i in range(n):
        diagonal[i] = intercept * intercept
        for s in range(offsets[i], offsets[i + 1]):
            diagonal[i] += _sum(squares[starts[s] : stops[s]])
    alpha = np.zeros(n)
    order = np.arange(n)
    constant = squares.size
    n_active, n_passes = n, 0
    highest_old, lowest_old = np.inf, -np.inf
    while n_passes < max_passes:
        highest, lowest = -np.inf, np.inf
        for p in range(n_active):
            other = p + _below(n_active - p, state)
            order[p], order[other] = order[other], order[p]
        p = 0
        while p < n_active:
            i = order[p]
            score = intercept * weights[constant]
            for s in range(offsets[i], offsets[i + 1]):
                score += _sum(weights[starts[s] : stops[s]])
            gradient = signs[i] * score - 1.0
            projected = gradient
            if alpha[i] == 0.0:
                if gradient > highest_old:
                    n_active -= 1
                    order[p], order[n_active] = order[n_active], order[p]
                    continue
                projected = min(gradient, 0.0)
            elif alpha[i] == bounds[i]:
                if gradient < lowest_old:
                    n_active -= 1
                    order[p], order[n_active] = order[n_active], order[p]
                    continue
                projected = max(gradient, 0.0)
            highest, lowest = max(highest, projected), min(lowest, projected)
            if abs(projected) > _NEGLIGIBLE:
                before = alpha[i]
                alpha[i] = min(max(before - gradient / diagonal[i], 0.0), bounds[i])
                step = signs[i] * (alpha[i] - before)
                weights[constant] += intercept * step
                for s in range(offsets[i], offsets[i + 1]):
                    for j in range(starts[s], stops[s]):
                        weights[j] += step * squares[j]
            p += 1
        n_passes += 1
        if highest - lowest <= tolerance:
            if n_active == n:
                break
            n_active, highest_old, lowest_old = n, np.inf, -np.inf
            continue
        highest_old = highest if highest > 0.0 else np.inf
        lowest_old = lowest if lowest < 0.0 else -np.inf
    return n_passes
