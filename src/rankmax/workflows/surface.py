"""A metric over all nonnegative weights of two or three features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64, Bool, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.lines.objective import LinearObjective, Point
from rankmax.lines.step_function import StepFunction
from rankmax.metrics.base import Metric
from rankmax.metrics.evaluate import evaluate_metrics
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.spaces.simplex import Simplex
from rankmax.workflows.simplex_cells import SimplexCells

_RESOLUTIONS = (2, 300)
_SAME = 1e-9  # values that differ by less are the same, rounded differently


@dataclass(frozen=True, eq=False)
class Optimum:
    r"""The best weights found, and how well the queries tell them from others.

    Attributes
    ----------
    weights : array, shape (n_features,)
        A point of the simplex.
    value : float
        Mean of the metric there, computed from the weights.
    standard_error : float
        Of that mean: the standard deviation over the n queries that count, divided by :math:`\sqrt n`.
    """

    weights: F64
    value: float
    standard_error: float

    def reaches(self, values: F64) -> Bool:
        """Return which values are at most one standard error below the optimum's.

        Parameters
        ----------
        values : array

        Examples
        --------
        >>> Optimum(np.array([0.5, 0.5]), 0.48, 0.01).reaches(np.array([0.475, 0.465]))
        array([ True, False])
        """
        return values >= self.value - self.standard_error - _SAME


@dataclass(frozen=True, eq=False)
class MetricSurface:
    """A metric over the simplex of three weights.

    Attributes
    ----------
    features : tuple of str
    metric : Metric
    cells : SimplexCells
    values : array, shape (n_cells,)
        The exact mean of the metric over the stretch of each cell that the middle line of its row crosses.
    optimum : Optimum
        No cell's value is larger.
    """

    features: tuple[str, ...]
    metric: Metric
    cells: SimplexCells
    values: F64
    optimum: Optimum

    @property
    def points(self) -> F64:
        """Weights in the middle of each cell's stretch, shape (n_cells, 3)."""
        return self.cells.points

    @property
    def plateau(self) -> Bool:
        """Which cells are at most one standard error below the optimum; not necessarily connected."""
        return self.optimum.reaches(self.values)

    @property
    def plateau_share(self) -> float:
        """Share of the simplex that the plateau covers."""
        return float(self.plateau.mean())


@dataclass(frozen=True, eq=False)
class MetricSegment:
    """A metric over the simplex of two weights, a segment.

    Attributes
    ----------
    features : tuple of str
    metric : Metric
    function : StepFunction
        The mean of the metric for every weight of the first feature from 0 to 1; the second has the rest.
    optimum : Optimum
    """

    features: tuple[str, ...]
    metric: Metric
    function: StepFunction
    optimum: Optimum

    @property
    def plateau_share(self) -> float:
        """Share of the segment that is at most one standard error below the optimum."""
        return float(np.diff(self.function.edges)[self.optimum.reaches(self.function.values)].sum())


def metric_surface(
    data: RankingDataset,
    features: Sequence[str],
    metric: Metric,
    *,
    normalisation: str | Normalisation = "none",
    resolution: int = 64,
    callback: Callable[[], None] | None = None,
) -> MetricSurface:
    r"""Return a metric over the simplex of the weights of three features.

    Every row of cells is one exact line search along its middle: the step function between the two faces of the
    simplex, averaged over each cell. K rows give K^2 cells, and no peak on a row is missed, however narrow. The
    optimum is the best interval of all rows, from which coordinate ascent climbs on until no line leads up. So it is
    a maximum along lines; a better one between two rows far from it is possible.

    Parameters
    ----------
    data : RankingDataset
    features : sequence of str
        Three names; the first is the corner at the top of the picture.
    metric : Metric
        Rows are exact for metrics with tables and for ERR; else as exact as LinearObjective makes them.
    normalisation : Normalisation or its name
        Of the features within each query, before. Where they have different ranges, all that matters is
        squeezed into a corner without it.
    resolution : int
        K, the number of rows; 2 to 300.
    callback : callable, optional
        Called after every row.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.metrics import AP
    >>> data = planted_linear(30, 10, 4, noise=0.5, seed=1).data
    >>> surface = metric_surface(data, ["f1", "f3", "f4"], AP(), resolution=20)
    >>> surface.points.shape, surface.values.shape
    ((400, 3), (400,))
    >>> bool((surface.values <= surface.optimum.value).all()), 0 < surface.plateau_share < 1
    (True, True)

    References
    ----------
    Metzler & Croft 2007, Figure 1. The plateau is the region that the one-standard-error rule of Breiman, Friedman,
    Olshen & Stone 1984, section 3.4.3, cannot tell from the optimum.
    """
    if not _RESOLUTIONS[0] <= resolution <= _RESOLUTIONS[1]:
        raise InvalidParameterError(
            f"resolution is {resolution}; give a number of rows from {_RESOLUTIONS[0]} to {_RESOLUTIONS[1]}"
        )
    objective = _objective(data, features, 3, metric, normalisation)
    cells = SimplexCells(resolution)
    first_weights = (np.arange(resolution) + 0.5) / resolution
    values, peaks = [], []
    for row, first in enumerate(first_weights):
        line = _Exchange(objective, first)
        values.append(_means(line.function, cells.stretches(row)))
        peaks.append(line.best.value)
        if callback is not None:
            callback()
    highest = _Exchange(objective, first_weights[np.argmax(peaks)])
    optimum = _optimum(objective, highest.peak())
    return MetricSurface(tuple(features), metric, cells, readonly(np.concatenate(values)), optimum)


def metric_segment(
    data: RankingDataset, features: Sequence[str], metric: Metric, *, normalisation: str | Normalisation = "none"
) -> MetricSegment:
    """Return a metric over the simplex of the weights of two features, exact everywhere.

    Parameters
    ----------
    data, features, metric, normalisation
        As in :func:`metric_surface`, but with two names.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.5]], [1, 0], qid=[7, 7], feature_names=["a", "b"])
    >>> segment = metric_segment(data, ["a", "b"], RR())
    >>> segment.function.breakpoints.round(4), segment.function.values
    (array([0.3333]), array([1. , 0.5]))
    >>> segment.optimum.weights.round(4)
    array([0.1667, 0.8333])
    """
    objective = _objective(data, features, 2, metric, normalisation)
    line = _Exchange(objective)
    return MetricSegment(tuple(features), metric, line.function, _optimum(objective, line.peak()))


class _Exchange:
    """The line on which the last two features share what the first one, if there is one, leaves of the weight 1."""

    def __init__(self, objective: LinearObjective, *first: float) -> None:
        self._objective = objective
        self._half = (1 - sum(first)) / 2
        self._middle = objective.at([*first, self._half, self._half])
        self._along = np.array([*np.zeros(len(first)), 1.0, -1.0])
        function = objective.step_function(self._middle, self._along, low=-self._half, high=self._half)
        shifted = (function.breakpoints + self._half).clip(0, 2 * self._half)
        self.function = StepFunction(shifted, function.values, 0.0, 2 * self._half)  # of the last weight but one
        self.best = self.function.best()

    def peak(self) -> Point:
        """Return the middle of the best interval, or where rounding breaks its value, the next best place."""
        middle = self._objective.at(self._middle.weights + (self.best.middle - self._half) * self._along)
        if abs(middle.value - self.best.value) <= _SAME:
            return middle
        return self._objective.climb(self._middle, self._along, low=-self._half, high=self._half)


def _objective(
    data: RankingDataset, features: Sequence[str], n_wanted: int, metric: Metric, normalisation: str | Normalisation
) -> LinearObjective:
    if len(features) != n_wanted:
        raise InvalidParameterError(f"{len(features)} features given where {n_wanted} are needed")
    if len(set(features)) != len(features):
        raise InvalidParameterError(f"each feature may be given once, not {', '.join(features)}")
    for name in features:
        if name not in data.feature_names:
            raise UnknownNameError("feature", name, data.feature_names)
    return LinearObjective(Normalisation.named(normalisation).apply(data.select_features(features)), metric)


def _means(function: StepFunction, edges: F64) -> F64:
    """Return the mean of a step function between each two neighbours of ascending edges."""
    widths = np.diff(function.edges)
    integral = np.interp(edges, function.edges, np.concatenate([[0.0], np.cumsum(function.values * widths)]))
    means: F64 = np.diff(integral) / np.diff(edges)
    return means.clip(function.values.min(), function.values.max())


def _optimum(objective: LinearObjective, start: Point) -> Optimum:
    """Climb on from a point, and measure how the metric varies over queries where that ends."""
    rng = np.random.default_rng(0)  # cycles in a fixed order draw nothing from it
    ascent = CoordinateAscent().maximize(objective, Simplex(), start=start.weights, rng=rng)
    scores = objective.data.scores(ascent.weights)
    by_query = evaluate_metrics([objective.metric], scores, objective.data.judgments)[0]
    counted = by_query[~np.isnan(by_query)]
    spread = float(counted.std(ddof=1)) if counted.size > 1 else 0.0
    return Optimum(ascent.weights, ascent.value, spread / counted.size**0.5)
