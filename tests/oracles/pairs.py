"""Pairs of documents, listed one by one."""

from __future__ import annotations

import numpy as np


def preferences(grades: np.ndarray, qid: np.ndarray) -> list[tuple[int, int]]:
    """Return all pairs of rows of one query of which the first has the higher grade; NaN is not compared."""
    n = len(grades)
    return [(i, j) for i in range(n) for j in range(n) if qid[i] == qid[j] and grades[i] > grades[j]]
