"""Checking a certificate against the data, without the code that made it.

This is the definition written down: numpy and fractions, no kernels. It follows the cuts from face to face, sees that
the parts of every cell make it up, and bounds every leaf afresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmax.arrays import F64, I64
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.metrics.base import MetricTables, TabularMetric
from rankmax.workflows.certainty.certificate import Certificate

_LEAF, _OPEN = 254, 255
_ROUNDING = 1e-9  # of sums of metrics
_NEAR = 1e-12  # differences of scores below this share of the largest feature are computed exactly


@dataclass(frozen=True)
class Verification:
    """What checking a certificate found.

    Attributes
    ----------
    value : float
        The mean of the metric at the certificate's weights.
    bound : float
        The highest bound of a leaf: no weights are worth more.
    n_leaves : int
    """

    value: float
    bound: float
    n_leaves: int


def verify_certificate(
    certificate: Certificate, data: RankingDataset, *, callback: Callable[[float], None] | None = None
) -> Verification:
    """Check that the data give the value at the weights, and that no weights exceed the bound.

    Raises an InvalidDataError that says what is wrong, unless all is right.

    Parameters
    ----------
    certificate : Certificate
    data : RankingDataset
        What it was made for, before normalisation.
    callback : callable, optional
        Called with the share of the work done.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.workflows.certainty.proof import prove_optimum
    >>> data = planted_linear(10, 8, 3, noise=0.5, seed=1).data
    >>> verify_certificate(prove_optimum(data, metric="AP"), data).n_leaves > 3
    True
    """
    if data_hash(data) != certificate.data_hash:
        raise InvalidDataError("the certificate is for other data: the content differs from what was proven for")
    ranked = certificate.normalisation.apply(data.select_features(certificate.features))
    metric = certificate.metric
    if not isinstance(metric, TabularMetric):
        raise InvalidDataError(f"{metric} has no tables, so nothing can be proven of it")
    value = _exact_value(ranked, metric, certificate.weights)
    if abs(value - certificate.value) > _ROUNDING:
        raise InvalidDataError(
            f"the weights are worth {value:.9f}, not {certificate.value:.9f} as the certificate says"
        )
    walk = _Walk(_Pairs(ranked, metric), certificate.cuts, callback)
    bound, n_leaves = walk.over(_faces(certificate.space, len(certificate.features)))
    if bound > certificate.bound + _ROUNDING:
        raise InvalidDataError(
            f"a cell may hold weights worth {bound:.9f}, more than the bound {certificate.bound:.9f}"
        )
    return Verification(value, bound, n_leaves)


def _exact_value(data: RankingDataset, metric: TabularMetric, weights: F64) -> float:
    rows = zip(*(data.column(j).tolist() for j in range(data.n_features)), strict=True)
    scores = [_dot(weights.tolist(), row) for row in rows]
    places = np.empty(len(scores))
    places[sorted(range(len(scores)), key=lambda i: (-scores[i], i))] = -np.arange(len(scores))
    return float(np.nanmean(metric.per_query(places, data.judgments)))


def _dot(u: Iterable[float], v: Iterable[float]) -> Fraction:
    return sum((Fraction(a) * Fraction(b) for a, b in zip(u, v, strict=True)), Fraction())


def _faces(space: str, n_features: int) -> list[F64]:
    """Return the vertices of the faces in the order of the weights' signs, 0 before 1 before -1."""
    signs = {"simplex": (0, 1), "euclidean": (0, 1, -1)}.get(space)
    if signs is None:
        raise InvalidDataError(f"the certificate is for the space {space!r}; known are simplex and euclidean")
    return [
        np.array(
            [[float(sign) if i == j else 0.0 for j in range(n_features)] for i, sign in enumerate(pattern) if sign]
        )
        for pattern in product(signs, repeat=n_features)
        if any(pattern)
    ]


class _Cell(NamedTuple):
    vertices: F64
    pairs: I64  # that are not settled
    signs: NDArray[np.int8]  # (n_pairs, n_vertices)
    above: I64  # documents that are settled above each in each layer, (n_layers, n_documents)


class _Pairs:
    """Documents of different gain in one query, and the metric as a function of how many stand above each."""

    def __init__(self, data: RankingDataset, metric: TabularMetric) -> None:
        tables: MetricTables = metric.tables(data.judgments)
        gain = tables.gain[data.judgments.document_levels]
        self._levels = np.unique(gain[gain > 0])
        self._rises = np.diff(self._levels, prepend=0.0)
        self._gain = gain
        self._tables = tables
        self._query = data.judgments.query_of_document
        self._counted = ~np.isnan(tables.offset)
        self._features = np.column_stack([data.column(j) for j in range(data.n_features)]).astype(np.float64)
        listed = [_pairs(gain, *ends) for ends in zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True)]
        self.high, self.low = (np.concatenate([pair[i] for pair in listed]) for i in (0, 1))
        self._difference = self._features[self.high] - self._features[self.low]
        self._near = _NEAR * np.abs(self._features).max(initial=0.0)
        self._layers = [(gain[self.high] >= level) & (gain[self.low] < level) for level in self._levels]

    def signs_at(self, weights: F64, pairs: I64) -> NDArray[np.int8]:
        """Return 1, 0 or -1 where the first document of a pair is above, level with or below the second."""
        by_feature = self._difference[pairs]
        difference = by_feature @ weights
        signs: NDArray[np.int8] = np.sign(difference).astype(np.int8)
        differ = (by_feature[:, weights != 0] != 0).any(axis=1)  # as subtracting other numbers never gives 0
        signs[~differ] = 0
        for i in np.flatnonzero(differ & (np.abs(difference) <= self._near)):
            high, low = self._features[self.high[pairs[i]]], self._features[self.low[pairs[i]]]
            exact = _dot(weights.tolist(), high.tolist()) - _dot(weights.tolist(), low.tolist())
            signs[i] = (exact > 0) - (exact < 0)
        return signs

    def whole(self, vertices: F64) -> _Cell:
        """Return a cell with nothing known of it but its vertices."""
        pairs = np.arange(self.high.size)
        signs = np.column_stack([self.signs_at(vertex, pairs) for vertex in vertices])
        return self.settled(_Cell(vertices, pairs, signs, np.zeros((self._levels.size, self._gain.size), np.int64)))

    def settled(self, cell: _Cell) -> _Cell:
        """Return the cell with the pairs that its signs settle counted and left out."""
        up, down = (cell.signs > 0).any(axis=1), (cell.signs < 0).any(axis=1)
        earlier = self.low[cell.pairs] < self.high[cell.pairs]
        lost = cell.pairs[~up & (down | earlier)]
        above = cell.above
        if lost.size:
            more = [np.bincount(self.high[lost[within[lost]]], minlength=self._gain.size) for within in self._layers]
            above = above + np.array(more).reshape(above.shape)
        left = np.asarray(up & down)
        return _Cell(cell.vertices, cell.pairs[left], cell.signs[left], above)

    def bound(self, cell: _Cell) -> float:
        """Return the mean of the metric where no more documents stand above others than are settled to.

        Of a layer's documents, the one with the i-th fewest from below the layer above it, u_i, is at rank i + u_i.
        """
        tables = self._tables
        by_query = np.zeros(self._counted.size)
        for level, rise, above in zip(self._levels, self._rises, cell.above, strict=True):
            documents = np.flatnonzero(self._gain >= level)
            documents = documents[np.lexsort((above[documents], self._query[documents]))]
            query = self._query[documents]
            i = np.arange(query.size) - np.searchsorted(query, query)
            rank = i + above[documents]
            seen = rank < tables.cutoff[query]
            prefix = tables.prefix[np.minimum(i[seen], tables.prefix.size - 1)]
            worth = rise * tables.discount[rank[seen]] * prefix
            by_query += np.bincount(query[seen], weights=worth, minlength=by_query.size)
        values = tables.offset + tables.norm * by_query
        return float(values[self._counted].mean())


class _Walk:
    """Following the cuts of a certificate."""

    def __init__(self, pairs: _Pairs, cuts: bytes, callback: Callable[[float], None] | None) -> None:
        self._pairs = pairs
        self._cuts = cuts
        self._callback = callback

    def over(self, faces: list[F64]) -> tuple[float, int]:
        """Return the highest bound of a leaf and the number of leaves."""
        at, bounds = 0, []
        for vertices in faces:
            waiting = [self._pairs.whole(vertices)]
            while waiting:
                if at == len(self._cuts):
                    raise InvalidDataError("the cuts of the certificate end before the space is covered")
                cell, code = waiting.pop(), self._cuts[at]
                at += 1
                if code in (_LEAF, _OPEN):
                    bounds.append(self._pairs.bound(cell))
                    continue
                for part, is_leaf in reversed(self._parts(cell, code)):
                    if is_leaf:
                        bounds.append(self._pairs.bound(part))
                    else:
                        waiting.append(part)
                if self._callback is not None:
                    self._callback(at / len(self._cuts))
        if at < len(self._cuts):
            raise InvalidDataError("the cuts of the certificate go on after the space is covered")
        return max(bounds), len(bounds)

    def _parts(self, cell: _Cell, code: int) -> list[tuple[_Cell, bool]]:
        edges = list(combinations(range(len(cell.vertices)), 2))
        edge, leaves = divmod(code, 8)
        if edge >= len(edges):
            raise InvalidDataError(f"the certificate cuts edge {edge} of a cell that has {len(edges)} edges")
        a, b = edges[edge]
        ends = cell.vertices[[a, b]]
        middle = ends.mean(axis=0)
        if any(
            2 * Fraction(m) != Fraction(x) + Fraction(y) for m, x, y in zip(middle, *cell.vertices[[a, b]], strict=True)
        ):
            raise InvalidDataError("the certificate cuts an edge that is too short to be cut exactly")
        signs = self._pairs.signs_at(middle, cell.pairs)
        parts = []
        for number, replaced in enumerate((a, b, a)):
            vertices, looks = cell.vertices.copy(), cell.signs.copy()
            vertices[replaced], looks[:, replaced] = middle, signs
            if number == 2:
                vertices, looks = np.delete(vertices, b, axis=0), np.delete(looks, b, axis=1)
            part = self._pairs.settled(_Cell(vertices, cell.pairs, looks, cell.above))
            parts.append((part, bool(leaves >> number & 1)))
        return parts


def _pairs(gain: F64, first: int, end: int) -> tuple[I64, I64]:
    """Return the pairs of documents from first to end of which one gains more than the other."""
    high, low = np.nonzero(gain[first:end, None] > gain[None, first:end])
    return high + first, low + first
