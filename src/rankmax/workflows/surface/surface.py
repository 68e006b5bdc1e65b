"""A metric over all nonnegative weights of two or three features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64, Bool, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.errors import InvalidParameterError
from rankmax.lines.step_function import StepFunction
from rankmax.metrics.base import Metric
from rankmax.optimizers.survey import Survey
from rankmax.workflows.surface.cells import SimplexCells
from rankmax.workflows.surface.lines import Held, Optimum, SurfaceLines

_RESOLUTIONS = (2, 300)


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
    proof : Survey, optional
        Where weights are proven to be as good as the plateau, and where not; see
        :func:`~rankmax.workflows.surface.proven.with_proof`.
    """

    features: tuple[str, ...]
    metric: Metric
    cells: SimplexCells
    values: F64
    optimum: Optimum
    proof: Survey | None = None

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
    held: Held | None = None,
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
    held : Held, optional
        Weights that other features keep; else those have none.
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
    lines = SurfaceLines(data, features, metric, normalisation=normalisation, held=held)
    lines.require(3)
    cells = SimplexCells(resolution)
    values = []
    for row in range(resolution):
        values.append(lines.row_values(cells, row))
        if callback is not None:
            callback()
    return MetricSurface(tuple(features), metric, cells, readonly(np.concatenate(values)), lines.optimum())


def metric_segment(
    data: RankingDataset,
    features: Sequence[str],
    metric: Metric,
    *,
    normalisation: str | Normalisation = "none",
    held: Held | None = None,
) -> MetricSegment:
    """Return a metric over the simplex of the weights of two features, exact everywhere.

    Parameters
    ----------
    data, features, metric, normalisation, held
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
    lines = SurfaceLines(data, features, metric, normalisation=normalisation, held=held)
    lines.require(2)
    function = lines.exchange().function
    return MetricSegment(tuple(features), metric, function, lines.optimum())
