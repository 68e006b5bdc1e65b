"""The exact line searches that make up a metric surface, each done once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax._numerics.standard_error import standard_error
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.line_search.objective import ScoredPoint
from rankmax.line_search.step_function import StepFunction
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.spaces.simplex import Simplex
from rankmax.workflows.surface.triangles import SimplexCells


@dataclass(frozen=True, eq=False)
class Optimum:
    r"""The best weights found, with the standard error of their mean.

    Attributes
    ----------
    weights : array, shape (n_features,)
        A point of the simplex.
    value : float
        Mean of the metric at the weights.
    standard_error : float
        Standard error of that mean: the standard deviation over the n queries that count, divided by :math:`\sqrt n`.
    """

    weights: F64
    value: float
    standard_error: float

    def reaches(self, values: F64) -> Bool:
        """Return whether each value is at most one standard error below the optimum's.

        Parameters
        ----------
        values : array

        Examples
        --------
        >>> Optimum(np.array([0.5, 0.5]), 0.48, 0.01).reaches(np.array([0.475, 0.465]))
        array([ True, False])
        """
        return values >= self.value - self.standard_error - SAME_VALUE


@dataclass(frozen=True)
class Held:
    r"""Fixed weights of other features, while those of a surface vary.

    With fixed weights, the size of the varying weights matters, not only their shares. So a point :math:`\theta` of
    the simplex represents the weights :math:`s \theta`.

    Attributes
    ----------
    weights : mapping of str to float
        Weights of the other features.
    total : float
        s, the sum of the weights of the surface's features.
    """

    weights: Mapping[str, float]
    total: float

    def __post_init__(self) -> None:
        if not self.total > 0:
            raise InvalidParameterError(f"the varying weights sum to {self.total}; expected a positive number")


class SurfaceLines:
    """A metric along lines of the simplex of two or three weights.

    Parameters
    ----------
    data : RankingDataset
    features : sequence of str
    metric : Metric
    normalization : Normalization or its name
    held : Held, optional

    Examples
    --------
    >>> from rankmax.data import planted_linear
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
        normalization: str | Normalization = "none",
        held: Held | None = None,
    ) -> None:
        if len(set(features)) != len(features):
            raise InvalidParameterError(f"each feature may be given once, not {', '.join(features)}")
        others = [name for name in held.weights if name not in features and held.weights[name]] if held else []
        for name in (*features, *others):
            if name not in data.feature_names:
                raise UnknownNameError("feature", name, data.feature_names)
        self._n_features = len(features)
        varying = Normalization.named(normalization).apply(data.select_features([*features, *others]))
        if held is not None and others:
            varying = _with_sum(varying, len(features), np.array([held.weights[o] for o in others]) / held.total)
        self._tail = [1.0] * (varying.n_features - len(features))
        self._objective = LinearObjective(varying, metric)
        self._highest: tuple[float, tuple[float, ...]] | None = None

    def require(self, n_features: int) -> None:
        """Raise unless the simplex has the given number of weights.

        Parameters
        ----------
        n_features : int
        """
        if self._n_features != n_features:
            raise InvalidParameterError(f"{self._n_features} features given where {n_features} are needed")

    def exchange(self, *first: float) -> Exchange:
        """Return the line on which the last two features share the weight that the first, if any, leaves.

        Parameters
        ----------
        first : float
            Weight of the first of three features.
        """
        line = Exchange(self._objective, first, self._tail)
        if self._highest is None or line.best.value > self._highest[0]:
            value = line.peak().value  # an interval that rounding made promises more than any of its points has
            if self._highest is None or value > self._highest[0]:
                self._highest = value, first  # the line itself holds a score per document: too large to keep
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
        """Return the end of an ascent from the best point of all lines searched so far."""
        if self._highest is None:
            raise InvalidParameterError("no line was searched yet, so there is no point to start an ascent from")
        best = self._ascend(self.exchange(*self._highest[1]).peak())
        scores = self._objective.data.scores(best.weights)
        by_query = evaluate_metrics([self._objective.metric], scores, self._objective.data.judgments)[0]
        return Optimum(best.weights[: self._n_features], best.value, standard_error(by_query))

    def _ascend(self, start: ScoredPoint) -> ScoredPoint:
        if not self._tail:
            rng = np.random.default_rng(0)  # unused by cycles in a fixed order
            ascent = CoordinateAscent().maximize(self._objective, Simplex(), start=start.weights, rng=rng)
            return self._objective.at(ascent.weights)
        # One weight alone must not grow: the sum of the varying ones is fixed, so they are exchanged in pairs.
        while True:
            best = start
            for i, j in combinations(range(self._n_features), 2):
                along = np.zeros(start.weights.size)
                along[[i, j]] = 1.0, -1.0
                best = self._objective.line_search(best, along, low=-best.weights[i], high=best.weights[j])
            if best.value <= start.value + SAME_VALUE:
                return best
            start = best


class Exchange:
    """A line on which two features share a weight.

    Parameters
    ----------
    objective : LinearObjective
    first, tail : sequences of float
        Weights of the features before and after the two.

    Attributes
    ----------
    function : StepFunction
        Metric as a function of the weight of the first of the two.
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

    def peak(self) -> ScoredPoint:
        """Return the middle of the best interval, or the next best point where rounding changes its value."""
        middle = self._objective.at(self._middle.weights + (self.best.middle - self._half) * self._along)
        if abs(middle.value - self.best.value) <= SAME_VALUE:
            return middle
        return self._objective.line_search(self._middle, self._along, low=-self._half, high=self._half)


def _with_sum(data: RankingDataset, n_kept: int, weights: F64) -> RankingDataset:
    """Return the data with all features after the first ones replaced by their weighted sum."""
    total = data.scores([*np.zeros(n_kept), *weights])
    columns = np.column_stack([*(data.column(j) for j in range(n_kept)), total])
    return RankingDataset(columns, (*data.feature_names[:n_kept], "held"), data.judgments)


def _means(function: StepFunction, edges: F64) -> F64:
    """Return the mean of a step function between consecutive edges."""
    widths = np.diff(function.edges)
    integral = np.interp(edges, function.edges, np.concatenate([[0.0], np.cumsum(function.values * widths)]))
    means: F64 = np.diff(integral) / np.diff(edges)
    return means.clip(function.values.min(), function.values.max())
