"""The two products of a linear model: scores X w, and X^T g, where g is a gradient by document.

Documents are taken in blocks of a fixed size, whatever the number of threads, so that this does not change a bit (with
BLAS it may). The features are read as they are stored, so float32 costs neither a copy nor precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rankmax.arrays import F64, for_kernels
from rankmax.kernels.threads import in_threads, stretches

_BLOCK = 2048  # documents: a block's scores stay in the first cache while the columns stream past
_WORTH_THREADS = 4_000_000  # products; below that, waking threads costs more than they save on a busy machine


def n_blocks(n_documents: int) -> int:
    """Return how many blocks hold so many documents."""
    return -(-n_documents // _BLOCK)


def times_weights(columns: NDArray[np.floating[Any]], weights: F64, scores: F64) -> None:
    """Fill `scores` with X w.

    Parameters
    ----------
    columns : float32 or float64, (n_features, n_documents)
        X transposed, one feature in each row.
    weights : float64, (n_features,)
    scores : float64, (n_documents,)
    """
    times_matrix(columns, for_kernels(weights)[np.newaxis], scores[np.newaxis])


def times_matrix(columns: NDArray[np.floating[Any]], weights: F64, outputs: F64, *, threads: bool = True) -> None:
    """Fill each row of `outputs` with X w for the same row w of `weights`.

    Parameters
    ----------
    columns : float32 or float64, (n_features, n_documents)
        X transposed, one feature in each row.
    weights : float64, (n_outputs, n_features)
    outputs : float64, (n_outputs, n_documents)
    threads : bool
        Whether several may work on it, where it is worth while.
    """
    worth = threads and columns.size * len(weights) >= _WORTH_THREADS
    borders = stretches(n_blocks(outputs.shape[1]), threads=worth)
    in_threads(_add_columns, borders, columns, weights, outputs)


def transposed_times(columns: NDArray[np.floating[Any]], gradients: F64, parts: F64) -> None:
    """Fill `parts` with each block's share of X^T g for each row g of `gradients`; their sum is X^T g.

    Parameters
    ----------
    columns : float32 or float64, (n_features, n_documents)
        X transposed, one feature in each row.
    gradients : float64, (n_outputs, n_documents)
    parts : float64, (n_blocks(n_documents), n_outputs, n_features)
    """
    borders = stretches(len(parts), threads=columns.size * len(gradients) >= _WORTH_THREADS)
    in_threads(_dot_columns, borders, columns, gradients, parts)


@njit(cache=True, nogil=True)
def _add_columns(first: int, stop: int, columns: NDArray[np.floating[Any]], weights: F64, outputs: F64) -> None:
    for b in range(first, stop):
        for k in range(weights.shape[0]):
            block = outputs[k, b * _BLOCK : (b + 1) * _BLOCK]
            block[:] = 0.0
            for j in range(weights.shape[1]):
                if weights[k, j] == 0.0:
                    continue
                column = columns[j, b * _BLOCK : (b + 1) * _BLOCK]
                for i in range(block.size):
                    block[i] += weights[k, j] * column[i]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})  # lets the sum be vectorised, in one fixed order
def _dot_columns(first: int, stop: int, columns: NDArray[np.floating[Any]], gradients: F64, parts: F64) -> None:
    for b in range(first, stop):
        for k in range(gradients.shape[0]):
            block = gradients[k, b * _BLOCK : (b + 1) * _BLOCK]
            for j in range(columns.shape[0]):
                column = columns[j, b * _BLOCK : (b + 1) * _BLOCK]
                total = 0.0
                for i in range(block.size):
                    total += block[i] * column[i]
                parts[b, k, j] = total
