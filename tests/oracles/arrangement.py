"""The maximum of a metric over the weights of two or three features, by trying every face of the arrangement.

Rankings change only on the lines on which two documents of a query tie. In exact fractions, every point where two of
these lines (or sides of the simplex) meet, a point between each two neighbors on a line, and a point close to it on
either side are one place on every face of the arrangement.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from rankmax.data.dataset import RankingDataset
from rankmax.metrics.metric import Metric

Vector = tuple[Fraction, ...]


def best_value(data: RankingDataset, metric: Metric) -> float:
    """Return the largest mean of a metric over all nonnegative weights that add up to 1."""
    places = _on_segment(data) if data.n_features == 2 else _on_triangle(data)
    return max(exact_value(data, metric, weights) for weights in places)


def exact_value(data: RankingDataset, metric: Metric, weights: Vector) -> float:
    """Return the mean of a metric, scores compared as fractions and ties in the order of documents."""
    scores = [_dot(weights, row) for row in _rows(data)]
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    places = np.empty(len(scores))
    places[order] = -np.arange(len(scores))
    return float(np.nanmean(metric.per_query(places, data.judgments)))


def _on_segment(data: RankingDataset) -> Iterator[Vector]:
    ties = {line[1] / (line[1] - line[0]) for line in _ties(data) if line[0] != line[1]}
    points = sorted({Fraction(0), Fraction(1), *(t for t in ties if 0 < t < 1)})
    for t in [*points, *((a + b) / 2 for a, b in pairwise(points))]:
        yield t, 1 - t


def _on_triangle(data: RankingDataset) -> Iterator[Vector]:
    sides = [tuple(Fraction(int(i == j)) for j in range(3)) for i in range(3)]
    lines = _distinct([*sides, *_ties(data)])
    yield (Fraction(1, 3),) * 3
    for line in lines:
        points = sorted({p for other in lines if other != line for p in _meeting(line, other)})
        yield from points
        for middle in [tuple((a + b) / 2 for a, b in zip(p, q, strict=True)) for p, q in pairwise(points)]:
            yield middle
            yield from _beside(middle, line, lines)


def _beside(point: Vector, line: Vector, lines: list[Vector]) -> Iterator[Vector]:
    """Yield points so near to one on a line, on both sides of it, that no other line passes between."""
    across = next(d for d in _directions() if _dot(line, d) != 0)
    reach = [
        abs(_dot(other, point) / _dot(other, across)) / 2
        for other in lines
        if _dot(other, across) != 0 and _dot(other, point) != 0
    ]
    for step in (min(reach), -min(reach)):
        moved = tuple(p + step * a for p, a in zip(point, across, strict=True))
        if min(moved) >= 0:
            yield moved


def _directions() -> list[Vector]:
    return [tuple(map(Fraction, d)) for d in ((1, -1, 0), (0, 1, -1), (1, 0, -1))]


def _meeting(a: Vector, b: Vector) -> Iterator[Vector]:
    """Yield the point of the simplex where two lines meet, if there is one."""
    crossed = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    total = sum(crossed)
    if total != 0:
        point = tuple(x / total for x in crossed)
        if min(point) >= 0:
            yield point


def _distinct(lines: list[Vector]) -> list[Vector]:
    """Return the lines scaled so that each occurs once, those that pass through all or none of the plane left out."""
    scaled = set()
    for line in lines:
        first = next((x for x in line if x != 0), None)
        if first is not None and len(set(line)) > 1:
            scaled.add(tuple(x / first for x in line))
    return sorted(scaled)


def _ties(data: RankingDataset) -> list[Vector]:
    rows = _rows(data)
    offsets = data.query_offsets.tolist()
    return [
        tuple(a - b for a, b in zip(rows[i], rows[j], strict=True))
        for first, end in pairwise(offsets)
        for i, j in combinations(range(first, end), 2)
    ]


def _rows(data: RankingDataset) -> list[Vector]:
    columns = [data.column(j).tolist() for j in range(data.n_features)]
    return [tuple(map(Fraction, row)) for row in zip(*columns, strict=True)]


def _dot(u: Vector, v: Vector) -> Fraction:
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction())
