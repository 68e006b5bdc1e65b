"""A user's compiled function is applied to each query's grades alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from rankmax._kernels.metrics.user_function import apply_compiled


@njit
def weighted(grades):
    total = 0.0
    for i in range(grades.size):
        total += grades[i] * (i + 1)
    return total


@given(st.lists(st.lists(st.integers(-2, 4), max_size=6), max_size=6))
def test_equals_a_python_loop(queries):
    offsets = np.cumsum([0, *map(len, queries)]).astype(np.int64)
    grades = np.array([grade for query in queries for grade in query], np.float64)
    values = apply_compiled(weighted, grades, offsets[:-1], offsets[1:])
    expected = [sum(grade * rank for rank, grade in enumerate(query, 1)) for query in queries]
    assert values.tolist() == expected
