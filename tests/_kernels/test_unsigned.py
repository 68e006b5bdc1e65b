"""Indices without a check of their sign."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.unsigned import unsigned


@njit
def _reversed_sum(values: F64, places: I64) -> float:
    total = 0.0
    for i in range(places.size):
        total = 0.5 * total + values[unsigned(values.size - 1 - places[i])]
    return total


def test_finished_indices_choose_the_same_elements_in_kernels_and_without() -> None:
    values, places = np.arange(7.0), np.array([6, 0, 3, 1])
    expected = 0.0
    for place in places:
        expected = 0.5 * expected + values[::-1][place]
    assert _reversed_sum(values, places) == _reversed_sum.py_func(values, places) == expected
