"""The bound of a cell of weights as it is defined, in numpy and fractions: slow and plain, to check the kernels by."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.metrics.metric import MetricTables, TabularMetric
from rankmax.workflows.proofs.polytopes import CUT, Point, most_inside, whole_numbers

_NEAR = 1e-12  # differences of scores below this share of the largest feature are computed exactly


def exact_dot(u: Iterable[float], v: Iterable[float]) -> Fraction:
    """Return a dot product without rounding.

    Parameters
    ----------
    u, v : iterables of float

    Examples
    --------
    >>> exact_dot([0.5, 2.0], [3.0, 0.25])
    Fraction(2, 1)
    """
    return sum((Fraction(a) * Fraction(b) for a, b in zip(u, v, strict=True)), Fraction())


class OpenCell(NamedTuple):
    """An open simplex of weights, with the pairs of documents whose order is settled in it.

    Attributes
    ----------
    vertices : array, shape (n_vertices, n_features)
    pairs : array of int
        Pairs of documents that are not settled.
    signs : array of int, shape (n_pairs, n_vertices)
        At each vertex, 1, 0 or -1 where the first document of a pair is above, level with or below the second.
    above : array of int, shape (n_layers, n_documents)
        Number of documents of each layer that are settled above each document.
    """

    vertices: F64
    pairs: I64
    signs: NDArray[np.int8]
    above: I64


class Pairs:
    """Pairs of documents of different gain in one query, and the metric as a function of the ranks that they imply."""

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
        differ = (by_feature[:, weights != 0] != 0).any(axis=1)  # the difference of unequal numbers is never 0
        signs[~differ] = 0
        for i in np.flatnonzero(differ & (np.abs(difference) <= self._near)):
            high, low = self._features[self.high[pairs[i]]], self._features[self.low[pairs[i]]]
            exact = exact_dot(weights.tolist(), high.tolist()) - exact_dot(weights.tolist(), low.tolist())
            signs[i] = (exact > 0) - (exact < 0)
        return signs

    def whole(self, vertices: F64) -> OpenCell:
        """Return the cell of some vertices, with nothing settled yet."""
        pairs = np.arange(self.high.size)
        signs = np.column_stack([self.signs_at(vertex, pairs) for vertex in vertices])
        return self.settled(OpenCell(vertices, pairs, signs, np.zeros((self._levels.size, self._gain.size), np.int64)))

    def settled(self, cell: OpenCell) -> OpenCell:
        """Return the cell after counting and removing the pairs that its signs settle."""
        up, down = (cell.signs > 0).any(axis=1), (cell.signs < 0).any(axis=1)
        earlier = self.low[cell.pairs] < self.high[cell.pairs]
        lost = cell.pairs[~up & (down | earlier)]
        above = cell.above
        if lost.size:
            more = [np.bincount(self.high[lost[within[lost]]], minlength=self._gain.size) for within in self._layers]
            above = above + np.array(more).reshape(above.shape)
        left = np.asarray(up & down)
        return OpenCell(cell.vertices, cell.pairs[left], cell.signs[left], above)

    def bound(self, cell: OpenCell) -> float:
        """Return the mean of the metric if no documents rank above others except those that are settled.

        Of a layer's documents, the one with the i-th fewest lower-layer documents above it, u_i, is at rank i + u_i.
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

    def bound_by_planes(self, cell: OpenCell, enough: float) -> float:
        """Return the largest mean over the parts of the cell: before, on or behind each plane on which pairs tie.

        Parts whose bound is at most `enough` are not divided further; infinite where too many others remain.
        """
        listed: dict[Point, list[int]] = {}
        side = np.empty(cell.pairs.size, np.int8)
        for i in range(cell.pairs.size):
            plane = self._plane(cell, i)
            side[i] = next(1 if value > 0 else -1 for value in plane if value != 0)  # exists: the pair is not settled
            listed.setdefault(tuple(int(side[i]) * value for value in plane), []).append(i)
        planes = sorted(listed, key=lambda plane: -len(listed[plane]))  # those that settle most come first
        plane_of = np.empty(cell.pairs.size, np.int64)
        for k, plane in enumerate(planes):
            plane_of[listed[plane]] = k

        def worth(stands: tuple[int, ...]) -> float:
            of_pair = np.array(stands, np.int8)[plane_of]
            signs = np.where(of_pair == CUT, 1, side * of_pair), np.where(of_pair == CUT, -1, side * of_pair)
            return self.bound(self.settled(cell._replace(signs=np.column_stack(signs).astype(np.int8))))

        return most_inside(planes, worth, enough, len(cell.vertices))

    def _plane(self, cell: OpenCell, i: int) -> Point:
        """Return the score differences of a pair of documents at the vertices, up to a factor."""
        high, low = (self._features[of[cell.pairs[i]]].tolist() for of in (self.high, self.low))
        return whole_numbers([exact_dot(vertex, high) - exact_dot(vertex, low) for vertex in cell.vertices.tolist()])


def _pairs(gain: F64, first: int, end: int) -> tuple[I64, I64]:
    """Return the pairs of documents of different gain, from first to end."""
    high, low = np.nonzero(gain[first:end, None] > gain[None, first:end])
    return high + first, low + first
