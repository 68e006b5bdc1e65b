"""The two products of a linear model: scores X w, and X^T g, where g is a gradient by document.

Documents are taken in blocks of a fixed size, whatever the number of threads, so that this does not change a bit (with
BLAS it may). The features are read as they are stored, so float32 costs neither a copy nor precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from rankmax.arrays import F64

_BLOCK = 2048  # documents: a block's scores stay in the first cache while the columns stream past
_WORTH_THREADS = 4_000_000  # products; below that, waking threads costs more than they save on a busy machine


def n_blocks(n_documents: int) -> int:
    """Return how many blocks hold so many documents."""
    return -(-n_documents // _BLOCK)


@njit(cache=True, parallel=True)
def times_weights(columns: NDArray[np.floating[Any]], weights: F64, scores: F64) -> None:
    """Fill `scores` with X w.

    Parameters
    ----------
    columns : float32 or float64, (n_features, n_documents)
        X transposed, one feature in each row.
    weights : float64, (n_features,)
    scores : float64, (n_documents,)
    """
    if columns.size < _WORTH_THREADS:
        times_weights_here(columns, weights, scores)
    else:
        for b in prange(-(-scores.size // _BLOCK)):
            _add_columns(columns, b * _BLOCK, weights, scores)


@njit(cache=True)
def times_weights_here(columns: NDArray[np.floating[Any]], weights: F64, scores: F64) -> None:
    """Fill `scores` with X w, the same bits, in the thread that asks."""
    for b in range(-(-scores.size // _BLOCK)):
        _add_columns(columns, b * _BLOCK, weights, scores)


@njit(cache=True, parallel=True)
def transposed_times(columns: NDArray[np.floating[Any]], gradient: F64, parts: F64) -> None:
    """Fill `parts` with X^T g of each block of documents; they sum to X^T g.

    Parameters
    ----------
    columns : float32 or float64, (n_features, n_documents)
        X transposed, one feature in each row.
    gradient : float64, (n_documents,)
    parts : float64, (n_blocks(n_documents), n_features)
    """
    if columns.size < _WORTH_THREADS:
        for b in range(parts.shape[0]):
            _dot_columns(columns, b * _BLOCK, gradient, parts[b])
    else:
        for b in prange(parts.shape[0]):
            _dot_columns(columns, b * _BLOCK, gradient, parts[b])


@njit(cache=True, parallel=True)
def times_matrix(columns: NDArray[np.floating[Any]], weights: F64, outputs: F64) -> None:
    """Fill each row of `outputs` with X w for a row w of `weights`; a block of features is read for all rows at once.

    Parameters
    ----------
    columns : float32 or float64, (n_features, n_documents)
        X transposed, one feature in each row.
    weights : float64, (n_outputs, n_features)
    outputs : float64, (n_outputs, n_documents)
    """
    if columns.size * weights.shape[0] < _WORTH_THREADS:
        for b in range(-(-outputs.shape[1] // _BLOCK)):
            for k in range(weights.shape[0]):
                _add_columns(columns, b * _BLOCK, weights[k], outputs[k])
    else:
        for b in prange(-(-outputs.shape[1] // _BLOCK)):
            for k in range(weights.shape[0]):
                _add_columns(columns, b * _BLOCK, weights[k], outputs[k])


@njit(cache=True, parallel=True)
def transposed_times_rows(columns: NDArray[np.floating[Any]], gradients: F64, parts: F64) -> None:
    """Fill `parts` with X^T g of each block of documents and each row g of `gradients`; blocks sum to X^T g.

    Parameters
    ----------
    columns : float32 or float64, (n_features, n_documents)
        X transposed, one feature in each row.
    gradients : float64, (n_outputs, n_documents)
    parts : float64, (n_blocks(n_documents), n_outputs, n_features)
    """
    if columns.size * gradients.shape[0] < _WORTH_THREADS:
        for b in range(parts.shape[0]):
            for k in range(gradients.shape[0]):
                _dot_columns(columns, b * _BLOCK, gradients[k], parts[b, k])
    else:
        for b in prange(parts.shape[0]):
            for k in range(gradients.shape[0]):
                _dot_columns(columns, b * _BLOCK, gradients[k], parts[b, k])


@njit(cache=True)
def _add_columns(columns: NDArray[np.floating[Any]], first: int, weights: F64, scores: F64) -> None:
    block = scores[first : first + _BLOCK]
    block[:] = 0.0
    for j in range(weights.size):
        if weights[j] == 0.0:
            continue
        column = columns[j, first : first + _BLOCK]
        for i in range(block.size):
            block[i] += weights[j] * column[i]


@njit(cache=True, fastmath={"reassoc", "contract"})  # lets the sum be vectorised, in one fixed order
def _dot_columns(columns: NDArray[np.floating[Any]], first: int, gradient: F64, part: F64) -> None:
    block = gradient[first : first + _BLOCK]
    for j in range(part.size):
        column = columns[j, first : first + _BLOCK]
        total = 0.0
        for i in range(block.size):
            total += block[i] * column[i]
        part[j] = total
