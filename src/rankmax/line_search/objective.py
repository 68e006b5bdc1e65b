"""The interface between optimizers and objectives."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmax._arrays import F64, I64
from rankmax._numerics.exact_sums import rounded
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.data.dataset import RankingDataset
from rankmax.data.query_segments import QuerySegments
from rankmax.line_search.query_subset import Part
from rankmax.line_search.smoothed_line import Smoothing
from rankmax.line_search.step_function import Interval
from rankmax.metrics.metric import Metric
from rankmax.spaces.parameter_space import Line

_ATTEMPTS = 4  # intervals tried until the recomputed value equals the predicted one

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class ScoredPoint:
    """Weights with their scores and the objective's value.

    Attributes
    ----------
    weights : array, shape (n_features,)
    scores : array, shape (n_documents,)
        Scores of the documents; empty for distributed data.
    value : float
    """

    weights: F64
    scores: F64
    value: float


class Data(Protocol):
    """Features of documents by query: a data set, or shards distributed over a backend."""

    @property
    def n_features(self) -> int:
        """Number of features."""

    @property
    def n_documents(self) -> int:
        """Number of documents over all queries."""

    @property
    def n_queries(self) -> int:
        """Number of queries."""


class Objective(ABC):
    """A metric over local or distributed data as a function of weights.

    Attributes
    ----------
    data : Data
    metric : Metric
    """

    data: Data
    metric: Metric

    @property
    def n_features(self) -> int:
        """Number of weights."""
        return self.data.n_features

    @property
    def n_documents(self) -> int:
        """Number of documents over all queries."""
        return self.data.n_documents

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return self.data.n_queries

    @property
    @abstractmethod
    def documents_by_part(self) -> tuple[int, ...]:
        """Number of documents of each part of the data."""

    @property
    @abstractmethod
    def feature_spread(self) -> F64:
        """Each feature's standard deviation within queries."""

    @abstractmethod
    def at(self, weights: ArrayLike) -> ScoredPoint:
        """Return the point of given weights, with everything computed from them.

        Parameters
        ----------
        weights : array-like, shape (n_features,)
        """

    @abstractmethod
    def values(self, weights: ArrayLike) -> F64:
        """Return the value at each of many weights; the same bits as :meth:`at` gives one by one.

        Parameters
        ----------
        weights : array-like, shape (n_points, n_features)
        """

    @abstractmethod
    def line_search(
        self, point: ScoredPoint, direction: ArrayLike, *, low: float = -math.inf, high: float = math.inf
    ) -> ScoredPoint:
        """Return the best point on a line, in the middle of the widest best interval, or `point` if none is better.

        Parameters
        ----------
        point : ScoredPoint
        direction : array-like, shape (n_features,)
        low, high : float
            Ends of the interval, with low <= 0 <= high; they may be infinite.
        """

    @abstractmethod
    def smoothed_search(
        self,
        point: ScoredPoint,
        direction: ArrayLike,
        smoothing: Smoothing,
        *,
        low: float = -math.inf,
        high: float = math.inf,
    ) -> tuple[ScoredPoint, float]:
        """Return the point on a line with the highest smoothed value, and the gain in it over `point`.

        The point's own value is the metric's, without smoothing, which may be lower than that of `point`.

        Parameters
        ----------
        point, direction, low, high
            As in :meth:`line_search`.
        smoothing : Smoothing
        """

    def score_spread(self, weights: F64) -> float:
        """Return the standard deviation of scores within queries.

        Parameters
        ----------
        weights : array of float64, shape (n_features,)
        """
        squares = np.sum(self.over_parts(_score_squares, weights, combine=np.add), axis=0)
        return float(np.sqrt(rounded(squares) / max(self.n_documents, 1)))

    def expect(self, directions: F64, line: Callable[[F64, F64], Line]) -> None:  # noqa: B027 - most need not know
        """Announce the directions that will probably be searched next.

        Parameters
        ----------
        directions : array of float64, shape (n_directions, n_features)
        line : callable
            Returns the feasible line for weights and a direction.
        """

    @abstractmethod
    def over_parts(
        self,
        function: Callable[..., _T],
        *shared: Any,
        each: Sequence[Any] | None = None,
        combine: Callable[[_T, _T], _T] | None = None,
    ) -> list[_T]:
        """Return a function's result for each :class:`~rankmax.line_search.query_subset.Part` of the data.

        Parameters
        ----------
        function : callable
            Called with a part, `shared`, and the part's own item of `each` if given; must be defined at the top level
            of a module.
        shared
            Small argument for all parts, such as weights or directions.
        each : sequence, optional
            One item per part.
        combine : callable, optional
            Merges two results into one, in any order; fewer results than parts may then be returned.
        """

    @abstractmethod
    def by_part(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Split values by query into parts for :meth:`over_parts`.

        Parameters
        ----------
        values : array, shape (n_queries,)
        """

    @abstractmethod
    def sample(self, queries: I64) -> RankingDataset:
        """Return the data of the given queries.

        Parameters
        ----------
        queries : array of int64
            Query numbers, ascending.
        """


def best_of_peaks(
    peaks: Iterator[Interval], point: ScoredPoint, step: F64, at: Callable[[F64], ScoredPoint]
) -> ScoredPoint:
    """Return the first peak whose value is as predicted, else the best found, else `point`.

    Parameters
    ----------
    peaks : iterator of Interval
        Intervals, best first.
    point : ScoredPoint
        Start of the line.
    step : array of float64, shape (n_features,)
        Direction of the line.
    at : callable
        Returns the point of given weights.
    """
    best = point
    for interval in islice(peaks, _ATTEMPTS):
        if interval.value <= best.value + SAME_VALUE:
            break
        for place in interval.places:
            moved = at(point.weights + place * step)
            if moved.value > best.value:
                best = moved
            if abs(moved.value - interval.value) <= SAME_VALUE:
                return moved
    return best


def _score_squares(part: Part, weights: F64) -> I64:
    return part.kept(_query_segments).squares(part.scores(weights))


def _query_segments(part: Part) -> QuerySegments:
    return QuerySegments(part.data.query_offsets)
