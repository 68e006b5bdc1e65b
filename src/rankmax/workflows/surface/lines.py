"""The exact lines that a metric surface is made of, each followed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rankmax.arrays import F64, Bool
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.lines.base import Point
from rankmax.lines.objective import LinearObjective
from rankmax.lines.step_function import StepFunction
from rankmax.metrics.base import Metric
from rankmax.metrics.evaluate import evaluate_metrics
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.spaces.simplex import Simplex
from rankmax.workflows.surface.cells import SimplexCells

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


@dataclass(frozen=True)
class Held:
    r"""Weights that other features keep while those of a surface vary.

    With others held, the size of the varying weights matters, not only their shares. So a point :math:`\theta` of the
    simplex stands for the weights :math:`s \theta`.

    Attributes
    ----------
    weights : mapping of str to float
        Of other features.
    total : float
        s, what the weights of the surface's features add up to.
    """

    weights: Mapping[str, float]
    total: float

    def __post_init__(self) -> None:
        if not self.total > 0:
            raise InvalidParameterError(f"the varying weights add up to {self.total}; expected a positive number")


class SurfaceLines:
    """A metric along lines of the simplex of two or three weights.

    Parameters
    ----------
    data : RankingDataset
    features : sequence of str
    metric : Metric
    normalisation : Normalisation or its name
    held : Held, optional

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.metrics import AP
    >>> data = planted_linear(30, 10, 4, noise=0.5, seed=1).data
    >>> lines = SurfaceLines(data, ["f1", "f3", "f4"], AP(), held=Held({"f2": 0.5}, total=1.0))
    >>> lines.row_values(SimplexCells(3), row=2).size
    1
    >>> lines.exchange(0.5).function.best().value <= lines.optimum().value
    True
    """

    def __init__(
        self,
        data: RankingDataset,
        features: Sequence[str],
        metric: Metric,
        *,
        normalisation: str | Normalisation = "none",
        held: Held | None = None,
    ) -> None:
        if len(set(features)) != len(features):
            raise InvalidParameterError(f"each feature may be given once, not {', '.join(features)}")
        others = [name for name in held.weights if name not in features and held.weights[name]] if held else []
        for name in (*features, *others):
            if name not in data.feature_names:
                raise UnknownNameError("feature", name, data.feature_names)
        self._n_features = len(features)
        varying = Normalisation.named(normalisation).apply(data.select_features([*features, *others]))
        if held is not None and others:
            varying = _with_sum(varying, len(features), np.array([held.weights[o] for o in others]) / held.total)
        self._tail = [1.0] * (varying.n_features - len(features))
        self._objective = LinearObjective(varying, metric)
        self._highest: tuple[float, tuple[float, ...]] | None = None

    def require(self, n_features: int) -> None:
        """Raise unless the simplex is of so many weights.

        Parameters
        ----------
        n_features : int
        """
        if self._n_features != n_features:
            raise InvalidParameterError(f"{self._n_features} features given where {n_features} are needed")

    def exchange(self, *first: float) -> Exchange:
        """Return the line on which the last two features share what the first one, if there is one, leaves.

        Parameters
        ----------
        first : float
            Its weight, where there are three.
        """
        line = Exchange(self._objective, first, self._tail)
        if self._highest is None or line.best.value > self._highest[0]:
            self._highest = line.best.value, first  # the line itself holds a score of every document: too much to keep
        return line

    def row_values(self, cells: SimplexCells, row: int) -> F64:
        """Return the means over the cells of a row, along its middle line.

        Parameters
        ----------
        cells : SimplexCells
        row : int
        """
        return _means(self.exchange((row + 0.5) / cells.resolution).function, cells.stretches(row))

    def optimum(self) -> Optimum:
        """Climb on from the best place of all lines followed so far, until no line leads up."""
        if self._highest is None:
            raise InvalidParameterError("no line was followed yet, so there is nowhere to climb on from")
        best = self._climb(self.exchange(*self._highest[1]).peak())
        scores = self._objective.data.scores(best.weights)
        by_query = evaluate_metrics([self._objective.metric], scores, self._objective.data.judgments)[0]
        counted = by_query[~np.isnan(by_query)]
        spread = float(counted.std(ddof=1)) if counted.size > 1 else 0.0
        return Optimum(best.weights[: self._n_features], best.value, spread / counted.size**0.5)

    def _climb(self, start: Point) -> Point:
        if not self._tail:
            rng = np.random.default_rng(0)  # cycles in a fixed order draw nothing from it
            ascent = CoordinateAscent().maximize(self._objective, Simplex(), start=start.weights, rng=rng)
            return self._objective.at(ascent.weights)
        # One weight alone must not grow here: the sum of the varying ones is fixed, so they are exchanged in pairs.
        while True:
            best = start
            for i, j in combinations(range(self._n_features), 2):
                along = np.zeros(start.weights.size)
                along[[i, j]] = 1.0, -1.0
                best = self._objective.climb(best, along, low=-best.weights[i], high=best.weights[j])
            if best.value <= start.value + _SAME:
                return best
            start = best


class Exchange:
    """A line on which two features share a weight.

    Parameters
    ----------
    objective : LinearObjective
    first, tail : sequences of float
        Weights of the features before and after these two.

    Attributes
    ----------
    function : StepFunction
        Of the weight of the first of the two.
    best : Interval
    """

    def __init__(self, objective: LinearObjective, first: Sequence[float], tail: Sequence[float]) -> None:
        self._objective = objective
        self._half = (1 - sum(first)) / 2
        self._middle = objective.at([*first, self._half, self._half, *tail])
        self._along = np.array([*np.zeros(len(first)), 1.0, -1.0, *np.zeros(len(tail))])
        function = objective.step_function(self._middle, self._along, low=-self._half, high=self._half)
        shifted = (function.breakpoints + self._half).clip(0, 2 * self._half)
        self.function = StepFunction(shifted, function.values, 0.0, 2 * self._half)
        self.best = self.function.best()

    def peak(self) -> Point:
        """Return the middle of the best interval, or where rounding breaks its value, the next best place."""
        middle = self._objective.at(self._middle.weights + (self.best.middle - self._half) * self._along)
        if abs(middle.value - self.best.value) <= _SAME:
            return middle
        return self._objective.climb(self._middle, self._along, low=-self._half, high=self._half)


def _with_sum(data: RankingDataset, n_kept: int, weights: F64) -> RankingDataset:
    """Replace the features after the first ones by one: their weighted sum."""
    total = data.scores([*np.zeros(n_kept), *weights])
    columns = np.column_stack([*(data.column(j) for j in range(n_kept)), total])
    return RankingDataset(columns, (*data.feature_names[:n_kept], "held"), data.judgments)


def _means(function: StepFunction, edges: F64) -> F64:
    """Return the mean of a step function between each two neighbours of ascending edges."""
    widths = np.diff(function.edges)
    integral = np.interp(edges, function.edges, np.concatenate([[0.0], np.cumsum(function.values * widths)]))
    means: F64 = np.diff(integral) / np.diff(edges)
    return means.clip(function.values.min(), function.values.max())
