"""Choosing C."""

from __future__ import annotations

import numpy as np

from rankmax.learners.structural.selection import C_GRID, select_C
from rankmax.learners.structural.solution import Solution


def solution(C: float, stopped_by: str = "converged") -> Solution:
    return Solution(np.array([C]), 0.0, 0.0, 0.0, 1, 1, stopped_by)


def test_takes_the_best_and_of_equals_the_smallest() -> None:
    best, path = select_C(solution, lambda w: -abs(np.log10(w[0]) - 0.5), [100.0, 10.0, 0.1, 1.0])
    assert [candidate.C for candidate in path] == [0.1, 1.0, 10.0, 100.0]
    assert best is path[1]


def test_an_interrupt_ends_it() -> None:
    best, path = select_C(lambda C: solution(C, "interrupted" if C == 1 else "converged"), lambda w: float(w[0]))
    assert [candidate.C for candidate in path] == [0.01, 0.1, 1.0]
    assert best.C == 1.0


def test_the_grid_is_wide() -> None:
    assert C_GRID[0] == 0.01
    assert C_GRID[-1] == 1e5
    assert np.allclose(np.diff(np.log10(C_GRID)), 1.0)
