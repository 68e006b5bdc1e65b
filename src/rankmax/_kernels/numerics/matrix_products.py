"""The two products of a linear model: scores X w, and X^T g, where g is a gradient by document.

X^T g is a sum of products over each query's documents, in one order, and then over queries, exactly: neither threads
nor a way to share the queries among machines change a bit (with BLAS they may). The features are read as they are
stored, so float32 costs neither a copy nor precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64, for_kernels
from rankmax._kernels.compilation import njit
from rankmax._kernels.numerics.digit_sums import N_DIGITS, add_bits
from rankmax._kernels.threads import in_threads, stretches

_BLOCK = 2048  # documents: a block's scores stay in the first cache while the columns stream past
_TASKS = 16  # of X^T g for the threads: each has sums of its own, which take room
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


def transposed_times(
    columns: NDArray[np.floating[Any]], gradients: F64, query_offsets: I64, *, threads: bool = True
) -> I64:
    """Return the digits of X^T g for each row g of `gradients`, shape (n_outputs, n_features, N_DIGITS).

    Parameters
    ----------
    columns : float32 or float64, (n_features, n_documents)
        X transposed, one feature in each row.
    gradients : float64, (n_outputs, n_documents)
    query_offsets : int64, (n_queries + 1,)
    threads : bool
        Whether several may work on it, where it is worth while.
    """
    worth = threads and columns.size * len(gradients) >= _WORTH_THREADS
    cuts = np.linspace(0, columns.shape[1], _TASKS + 1)[1:-1] if worth else np.empty(0)
    tasks = np.unique([0, *np.searchsorted(query_offsets, cuts), query_offsets.size - 1]).astype(np.int64)
    parts = np.zeros((max(1, tasks.size - 1), len(gradients), len(columns), N_DIGITS), np.int64)
    in_threads(_dot_columns, range(tasks.size), columns, gradients, query_offsets, tasks, parts)
    digits: I64 = parts.sum(axis=0)
    return digits


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


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})  # lets the sum be vectorized, in one fixed order
def _dot(a: NDArray[np.floating[Any]], b: NDArray[np.floating[Any]]) -> float:
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@njit(cache=True, nogil=True)
def _dot_columns(
    first: int,
    stop: int,
    columns: NDArray[np.floating[Any]],
    gradients: F64,
    query_offsets: I64,
    tasks: I64,
    parts: I64,
) -> None:
    dot = np.empty(1)
    bits = dot.view(np.int64)
    for task in range(first, stop):
        q = tasks[task]
        while q < tasks[task + 1]:
            begin = q
            while q < tasks[task + 1] and (q == begin or query_offsets[q + 1] - query_offsets[begin] <= _BLOCK):
                q += 1
            for k in range(gradients.shape[0]):
                for j in range(columns.shape[0]):
                    for r in range(begin, q):
                        span = slice(query_offsets[r], query_offsets[r + 1])
                        dot[0] = _dot(gradients[k, span], columns[j, span])
                        add_bits(bits[0], parts[task, k, j])
