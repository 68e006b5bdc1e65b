"""Exact values of a metric over all nonnegative weights of two or three features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmax._arrays import F64, Bool, readonly
from rankmax._result_views import Block, Facts, ResultView, as_frame, axes_for
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidParameterError
from rankmax.line_search.step_function import StepFunction
from rankmax.metrics.metric import Metric
from rankmax.optimizers.survey import Survey
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.surface.surface_lines import Held, Optimum, SurfaceLines
from rankmax.workflows.surface.triangles import SimplexCells

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RESOLUTIONS = (2, 300)


@dataclass(frozen=True, eq=False, repr=False)
class MetricSurface(ResultView):
    """A metric over the simplex of three weights.

    It shows itself as facts, also in a notebook; :meth:`plot` draws it.

    Attributes
    ----------
    features : tuple of str
    metric : Metric
    cells : SimplexCells
    values : array, shape (n_cells,)
        Exact mean of the metric over each cell's segment of its row's middle line.
    optimum : Optimum
        The best weights found; no cell's value is larger.
    proof : Survey, optional
        Proven parts on the plateau and below it; see
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
        """Weights at the middle of each cell's segment, shape (n_cells, 3)."""
        return self.cells.points

    @property
    def plateau(self) -> Bool:
        """Whether each cell is at most one standard error below the optimum; not necessarily connected."""
        return self.optimum.reaches(self.values)

    @property
    def plateau_share(self) -> float:
        """Share of the simplex that the plateau covers."""
        return float(self.plateau.mean())

    @property
    def blocks(self) -> list[Block]:
        """The best weights, and how many others are within one standard error of them."""
        facts = _facts(self)
        if self.proof is not None:
            shares = f"{self.proof.at_least:.1%} to {self.proof.at_most:.1%}"
            facts["proven"] = f"{shares} of all weights are within one standard error"
        return [Facts(facts)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON."""
        proven = {} if self.proof is None else {"proven_share": [self.proof.at_least, self.proof.at_most]}
        return {
            **_described(self),
            "resolution": self.cells.resolution,
            "weights": self.points.tolist(),
            **proven,
            "values": self.values.tolist(),
            "plateau": self.plateau.tolist(),
        }

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of :meth:`rows`."""
        return (*self.features, "value", "plateau")

    def rows(self) -> list[tuple[float, ...]]:
        """Return the weights, the value, and 1 on the plateau, of every cell."""
        columns = (*self.points.T.tolist(), self.values.tolist(), self.plateau.astype(int).tolist())
        return list(zip(*columns, strict=True))

    def to_frame(self) -> Any:
        """Return a pandas data frame, with a row for each cell."""
        return as_frame(self.columns, self.rows())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the surface as a triangle, and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        """
        from rankmax.workflows.surface.surface_plots import draw_surface

        ax = axes_for(ax)
        draw_surface(ax, self)
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.02), frameon=False, fontsize=9)
        return ax


@dataclass(frozen=True, eq=False, repr=False)
class MetricSegment(ResultView):
    """A metric over the simplex of two weights, which is a segment.

    It shows itself as facts, also in a notebook; :meth:`plot` draws it.

    Attributes
    ----------
    features : tuple of str
    metric : Metric
    function : StepFunction
        Mean of the metric for every weight of the first feature from 0 to 1; the second has the rest.
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

    @property
    def blocks(self) -> list[Block]:
        """The best weights, and how many others are within one standard error of them."""
        return [Facts(_facts(self))]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON."""
        steps = {"breakpoints": self.function.breakpoints.tolist(), "values": self.function.values.tolist()}
        return {**_described(self), **steps}

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of :meth:`rows`."""
        return ("low", "high", "value")

    def rows(self) -> list[tuple[float, ...]]:
        """Return the ends and the value of every interval of the first feature's weight."""
        return list(self.function.rows())

    def to_frame(self) -> Any:
        """Return a pandas data frame, with a row for each interval of the first feature's weight."""
        return as_frame(self.columns, self.rows())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the metric as a function of the first feature's weight, and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        """
        from rankmax.line_search.step_plots import draw_steps

        ax = axes_for(ax)
        draw_steps(ax, self.function, None, (self.features[0], self.metric.name))
        return ax


def _facts(found: MetricSurface | MetricSegment) -> dict[str, str]:
    best = found.optimum
    return {
        "metric": found.metric.name,
        "best value": f"{best.value:.6f}",
        **{f"  {name}": f"{weight:.6f}" for name, weight in zip(found.features, best.weights, strict=True)},
        "standard error": f"{best.standard_error:.6f}",
        "plateau": f"{found.plateau_share:.1%} of all weights are within one standard error of the best",
    }


def _described(found: MetricSurface | MetricSegment) -> dict[str, Any]:
    best = found.optimum
    return {
        "features": found.features,
        "metric": found.metric.name,
        "optimum": {"weights": best.weights.tolist(), "value": best.value, "standard_error": best.standard_error},
        "plateau_share": found.plateau_share,
    }


def metric_surface(
    data: RankingDataset,
    features: Sequence[str],
    metric: Metric,
    *,
    normalization: str | Normalization = "none",
    held: Held | None = None,
    resolution: int = 64,
    callback: Callable[[], None] | None = None,
) -> MetricSurface:
    r"""Return a metric over the simplex of the weights of three features.

    Every row of cells is one exact line search along its middle: the step function between the two faces of the
    simplex, averaged over each cell. K rows give K^2 cells, and no peak on a row is missed, however narrow. The
    optimum is found by coordinate ascent from the best interval of all rows, until no line search improves it. So it
    is a maximum along lines; a better one between two rows far from it is possible.

    Parameters
    ----------
    data : RankingDataset
    features : sequence of str
        Three names; the first is the corner at the top of the picture.
    metric : Metric
        Metric to show. Rows are exact for tabular metrics and for ERR, else as exact as LinearObjective makes them.
    normalization : Normalization or its name
        Normalization of the features within each query, before weighting. Without one, features of different ranges
        squeeze the interesting part into a corner.
    held : Held, optional
        Fixed weights of other features; by default those have weight 0.
    resolution : int
        K, the number of rows; 2 to 300.
    callback : callable, optional
        Called after every row.

    Examples
    --------
    >>> from rankmax.data import planted_linear
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
            f"resolution is {resolution}; expected a number of rows from {_RESOLUTIONS[0]} to {_RESOLUTIONS[1]}"
        )
    lines = SurfaceLines(data, features, metric, normalization=normalization, held=held)
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
    normalization: str | Normalization = "none",
    held: Held | None = None,
) -> MetricSegment:
    """Return a metric, exact everywhere, over the simplex of the weights of two features.

    Parameters
    ----------
    data, features, metric, normalization, held
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
    lines = SurfaceLines(data, features, metric, normalization=normalization, held=held)
    lines.require(2)
    function = lines.exchange().function
    return MetricSegment(tuple(features), metric, function, lines.optimum())
