from __future__ import annotations

import sys
from typing import NamedTuple

import numba
import numpy as np

from rankmax._kernels.borrowed import borrowed


class Inner(NamedTuple):
    values: np.ndarray


class Outer(NamedTuple):
    inner: Inner
    table: np.ndarray
    n: int


@numba.njit
def scale(record: Outer, factor: float) -> float:
    record = borrowed(record)
    total = 0.0
    for i in range(record.n):
        record.inner.values[i] *= factor
        total += record.inner.values[i] * record.table[i, 1]
    return total


@numba.njit
def scale_own(n: int, factor: float) -> float:
    return scale(Outer(Inner(np.ones(n)), np.ones((n, 2)), n), factor)


def test_a_kernel_reads_and_writes_what_it_borrows() -> None:
    values, table = np.arange(5.0), np.arange(10.0).reshape(5, 2)
    record = Outer(Inner(values), table, 5)
    references = [sys.getrefcount(array) for array in (values, table)]
    assert scale(record, 2.0) == (2.0 * np.arange(5.0)) @ table[:, 1]
    assert values.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert [sys.getrefcount(array) for array in (values, table)] == references


def test_arrays_of_a_kernel_live_while_they_are_borrowed() -> None:
    assert [scale_own(n, 3.0) for n in (1, 1000, 100_000)] == [3.0, 3000.0, 300_000.0]


def test_python_gets_the_same_record() -> None:
    record = Inner(np.ones(2))
    assert borrowed(record) is record
