"""A metric on a data set as a sum of layers, from which bounds over cells of weights are computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics.metric import Metric, MetricTables, TabularMetric

if TYPE_CHECKING:
    from rankmax._kernels.cells.cell_stack import Cells
    from rankmax._kernels.cells.layered_metric import LayeredMetric

_TAME = (1e-100, 1e100)  # magnitudes whose products neither underflow nor overflow
_UNITS = 50  # bits after the binary point
_WHOLE = 24  # bits of features that are small integers, up to a factor


class LayeredObjective(NamedTuple):
    """A metric on a data set for the kernels of cells, and the meaning of its units.

    Attributes
    ----------
    metric : LayeredMetric
    n_pairs : int
        Number of pairs of documents of different gain in one query, over all queries.
    scale, offset : float
        Conversion from units: the mean of the metric is units / scale + offset.
    """

    metric: LayeredMetric
    n_pairs: int
    scale: float
    offset: float

    def value(self, units: float) -> float:
        """Convert a number of units to a value of the metric."""
        return units / self.scale + self.offset

    def at(self, weights: F64) -> int:
        """Return the value at given weights in units: a point is a cell in which every order is settled."""
        factor = min(0, 1 - math.frexp(float(np.abs(weights).sum()))[1])  # a power of two: nothing is rounded
        return int(self.settled_cell(np.ldexp(weights, factor)[None]).bound[0])

    def settled_cell(self, vertices: F64) -> Cells:
        """Return the cell with some vertices, shape (n_vertices, n_features): what it leaves open, and its bound."""
        from rankmax._kernels.cells.bounds import settle_cell
        from rankmax._kernels.cells.cell_stack import room_for_cells

        n_vertices, n_features = vertices.shape
        n_pairs = self.n_pairs if n_vertices > 1 else 0
        n_counts = self.metric.high.size * self.metric.rises.size
        cell = room_for_cells(1, n_features, n_pairs, self.metric.unit.size, n_counts)
        cell.vertices[0, :n_vertices] = vertices
        cell.n_vertices[0] = n_vertices
        settle_cell(self.metric, cell)
        return cell


def largest_weights(cells: Sequence[F64]) -> float:
    """Return the largest sum of absolute weights in the given cells, but at least 2.

    Parameters
    ----------
    cells : sequence of array
        Vertices of each cell.

    Examples
    --------
    >>> largest_weights([np.eye(2), np.array([[4.0, -1.0]])])
    5.0
    """
    return max(2.0, *(float(np.abs(vertices).sum(axis=1).max()) for vertices in cells))


def layered_objective(objective: LinearObjective, *, largest: float = 2.0) -> LayeredObjective:
    """Bring an objective into the form that bounds are computed from, or say why there are none.

    Bounds need a metric that is a sum of layers (one gain if it has a prefix) and that never values a higher rank less,
    and features without overflow and underflow.

    Parameters
    ----------
    objective : LinearObjective
    largest : float
        Largest sum of absolute weights, in cells and elsewhere.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.5], [0.5, 0.5]], [1, 0, 0], qid=[7, 7, 7])
    >>> layered_objective(LinearObjective(data, RR())).n_pairs
    2
    """
    from rankmax._kernels.cells.layered_metric import LayeredMetric

    metric, data = objective.metric, objective.data
    judgments = data.judgments
    if not isinstance(metric, TabularMetric):
        raise IncompatibleError(
            f"{metric} has no tables, so it cannot be bounded; take a metric with tables, such as nDCG, AP, RR or P"
        )
    tables = metric.tables(judgments)
    _require_bounds(metric, tables, judgments.documents_by_query)
    weights = objective.query_weights / objective.query_weights.sum()
    counted = weights != 0
    norm = np.where(counted, tables.norm, 0.0) * weights
    gains, classes = np.unique(np.append(tables.gain[judgments.document_levels], 0.0), return_inverse=True)
    classes = classes[:-1].astype(np.int64)
    high = np.flatnonzero(classes > 0).astype(np.int64)
    offsets = np.array(judgments.query_offsets)
    high_offsets = np.searchsorted(high, offsets).astype(np.int64)
    place = np.zeros(data.n_documents, np.int64)
    place[high] = np.arange(high.size) - np.repeat(high_offsets[:-1], np.diff(high_offsets))
    rows = _rows(data)
    scale = _units_in_one(norm, tables)
    for_kernels = LayeredMetric(
        rows=rows,
        query_offsets=offsets,
        classes=classes,
        high_offsets=high_offsets,
        high=high,
        place=place,
        tolerance=_tolerance(rows, offsets, largest),
        rises=np.diff(gains),
        discount=np.array(tables.discount, np.float64),
        prefix=np.array(tables.prefix, np.float64),
        unit=norm * scale,
        cutoff=np.array(tables.cutoff, np.int64),
        multiple=0.0 if (weights < 0).any() else _multiple(rows),  # arrangements count open pairs as won
    )
    offset = float((weights * np.where(counted, tables.offset, 0.0)).sum())
    return LayeredObjective(for_kernels, _n_pairs(offsets, classes), scale, offset)


def _require_bounds(metric: Metric, tables: MetricTables, documents_by_query: I64) -> None:
    if (tables.gain < 0).any() or (tables.prefix < 0).any():
        raise IncompatibleError(f"{metric} has negative gains or prefixes; bounds need nonnegative ones")
    if tables.prefix.size > 1 and np.unique(tables.gain[tables.gain > 0]).size > 1:
        raise IncompatibleError(f"{metric} has a prefix and several gains; bounds need one gain, or no prefix")
    for direction in (1.0, -1.0):
        queries = np.flatnonzero(direction * tables.norm > 0)
        depth = int(tables.cutoff[queries].max(initial=0))
        worth = direction * tables.discount[:depth]
        ends_below_zero = worth.size > 0 and worth[-1] < 0 and (tables.cutoff < documents_by_query)[queries].any()
        if (np.diff(worth) > 0).any() or ends_below_zero:
            raise IncompatibleError(f"{metric} values some rank more than a higher one, so best ranks do not bound it")


def _rows(data: RankingDataset) -> F64:
    rows = np.empty((data.n_documents, data.n_features))
    for j in range(data.n_features):
        rows[:, j] = data.column(j)
    sizes = np.abs(rows[rows != 0])
    if sizes.size and not (_TAME[0] <= sizes.min() and sizes.max() <= _TAME[1]):
        raise IncompatibleError(
            f"features have magnitudes from {sizes.min():g} to {sizes.max():g}; exact arithmetic needs them from "
            f"{_TAME[0]:g} to {_TAME[1]:g}: scale or normalize them"
        )
    return rows


def _multiple(rows: F64) -> float:
    """Return the least power of two that makes all features small integers, or 0 if there is none."""
    for exponent in range(_WHOLE):
        scaled = np.ldexp(rows, exponent)
        if np.abs(scaled).max(initial=0.0) >= 2.0**_WHOLE:
            return 0.0
        if (scaled == np.rint(scaled)).all():
            return 2.0**exponent
    return 0.0


def _tolerance(rows: F64, query_offsets: I64, weight: float) -> F64:
    """Return, by query, a bound on the rounding error of w^T a - w^T b if absolute weights add up to `weight`.

    A sum of d products has an error of at most d 2^-53 times the sum of their absolute values, to first order.
    """
    largest = np.append(np.abs(rows).max(axis=1, initial=0.0), 0.0)
    by_query = np.maximum.reduceat(largest, query_offsets[:-1]) if query_offsets.size > 1 else largest[:0]
    empty = np.diff(query_offsets) == 0
    tolerance: F64 = np.where(empty, 0.0, by_query) * 4 * weight * (rows.shape[1] + 2) * 2.0**-53
    return tolerance


def _units_in_one(norm: F64, tables: MetricTables) -> float:
    """Return a power of two such that the largest possible sum stays far below 2^63."""
    largest = tables.gain.max(initial=0.0) * np.abs(tables.discount).sum() * tables.prefix.max(initial=1.0)
    return 2.0 ** min(_UNITS, 60 - math.ceil(math.log2(max(float(np.abs(norm).sum() * largest), 1.0))))


def _n_pairs(query_offsets: I64, classes: I64) -> int:
    n_pairs = 0
    for first, end in pairwise(query_offsets):
        sizes = np.bincount(classes[first:end])
        n_pairs += (int(sizes.sum()) ** 2 - int((sizes**2).sum())) // 2
    return n_pairs
