"""The two products of a linear model with indicators that are stored as codes (data/binned_matrix.py).

A document's score is a sum of table entries, one for each base feature. X^T g is found from the sums of g by code,
which are taken over each query's documents in one order, and then over queries exactly, as for dense features
(matrix_products.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.numerics.digit_sums import N_DIGITS, add_bits
from rankmax._kernels.threads import in_threads, stretches

_BLOCK = 4096  # documents: a block's scores stay in the first cache while the codes stream past
_WORTH_THREADS = 4_000_000  # codes; below that, waking threads costs more than they save on a busy machine


def sum_entries(codes: NDArray[np.unsignedinteger[Any]], tables: F64) -> F64:
    """Return the sum over base features of the entries at each document's codes, shape (n_outputs, n_documents).

    Parameters
    ----------
    codes : uint8 or uint16, (n_bases, n_documents)
    tables : float64, (n_outputs, n_bases, n_codes)
    """
    sums = np.empty((len(tables), codes.shape[1]))
    worth = codes.size * len(tables) >= _WORTH_THREADS
    in_threads(_sum_entries, stretches(-(-codes.shape[1] // _BLOCK), threads=worth), codes, tables, sums)
    return sums


def sum_by_code(codes: NDArray[np.unsignedinteger[Any]], gradients: F64, query_offsets: I64, n_codes: int) -> I64:
    """Return the digits of each base feature's sums of g by code, shape (n_outputs, n_bases, n_codes, N_DIGITS).

    Sums of code 0 stay empty, as no indicator needs them.

    Parameters
    ----------
    codes : uint8 or uint16, (n_bases, n_documents)
    gradients : float64, (n_outputs, n_documents)
    query_offsets : int64, (n_queries + 1,)
    n_codes : int
    """
    digits = np.zeros((len(gradients), len(codes), n_codes, N_DIGITS), np.int64)
    worth = codes.size * len(gradients) >= _WORTH_THREADS
    borders = stretches(len(codes), threads=worth)
    in_threads(_sum_by_code, borders, codes, np.ascontiguousarray(gradients), query_offsets, digits)
    return digits


@njit(cache=True, nogil=True)
def _sum_entries(first: int, stop: int, codes: NDArray[np.unsignedinteger[Any]], tables: F64, sums: F64) -> None:
    n_bases = codes.shape[0]
    for b in range(first, stop):
        start = b * _BLOCK
        end = min(start + _BLOCK, codes.shape[1])
        for k in range(tables.shape[0]):
            block = sums[k, start:end]
            block[:] = 0.0
            for f in range(0, n_bases - 1, 2):  # two at a time, which loads and stores half as often
                one, other = codes[f, start:end], codes[f + 1, start:end]
                of_one, of_other = tables[k, f], tables[k, f + 1]
                for i in range(block.size):
                    block[i] += of_one[one[i]] + of_other[other[i]]
            if n_bases % 2:
                last, of_last = codes[n_bases - 1, start:end], tables[k, n_bases - 1]
                for i in range(block.size):
                    block[i] += of_last[last[i]]


@njit(cache=True, nogil=True)
def _sum_by_code(
    first: int,
    stop: int,
    codes: NDArray[np.unsignedinteger[Any]],
    gradients: F64,
    query_offsets: I64,
    digits: I64,
) -> None:
    sums = np.zeros(digits.shape[2])
    bits = sums.view(np.int64)
    for f in range(first, stop):
        for k in range(gradients.shape[0]):
            for q in range(query_offsets.size - 1):
                for i in range(query_offsets[q], query_offsets[q + 1]):
                    code = codes[f, i]
                    if code:
                        sums[code] += gradients[k, i]
                for code in range(sums.size):
                    if sums[code] != 0.0:
                        add_bits(bits[code], digits[k, f, code])
                        sums[code] = 0.0
