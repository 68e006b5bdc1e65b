"""The best value of a metric between the crossings of a line, by definition: fractions, every pair of documents."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from oracles.arrangement import exact_value
from rankmax.data.dataset import RankingDataset
from rankmax.metrics.metric import Metric


def crossings(data: RankingDataset, weights: np.ndarray, direction: np.ndarray) -> list[Fraction]:
    """Return where along weights + mu * direction any two documents of a query tie, whatever their grades."""
    scores, slopes = ([_dot(row, along) for row in _rows(data)] for along in (weights, direction))
    return sorted(
        {
            (scores[i] - scores[j]) / (slopes[j] - slopes[i])
            for first, end in pairwise(data.query_offsets.tolist())
            for i, j in combinations(range(first, end), 2)
            if slopes[i] != slopes[j]
        }
    )


def best_between_crossings(
    data: RankingDataset, metric: Metric, weights: np.ndarray, direction: np.ndarray, low: float, high: float
) -> float:
    """Return the largest mean of a metric for low < mu < high, places left out where documents tie by chance."""
    inside = [mu for mu in crossings(data, weights, direction) if low < mu < high]
    first, last = inside[0] if inside else Fraction(0), inside[-1] if inside else Fraction(0)
    ends = [
        Fraction(low) if np.isfinite(low) else first - 1,
        *inside,
        Fraction(high) if np.isfinite(high) else last + 1,
    ]
    w, d = ([Fraction(x) for x in vector.tolist()] for vector in (weights, direction))
    return max(
        exact_value(data, metric, tuple(x + (a + b) / 2 * y for x, y in zip(w, d, strict=True)))
        for a, b in pairwise(ends)
        if a < b
    )


def _rows(data: RankingDataset) -> list[tuple[Fraction, ...]]:
    columns = [data.column(j).tolist() for j in range(data.n_features)]
    return [tuple(map(Fraction, row)) for row in zip(*columns, strict=True)]


def _dot(row: tuple[Fraction, ...], weights: np.ndarray) -> Fraction:
    return sum((x * Fraction(w) for x, w in zip(row, weights.tolist(), strict=True)), Fraction())
