"""What optimizers ask of an objective."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar

from numpy.typing import ArrayLike, NDArray

from rankmax.arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.lines.step_function import Interval
from rankmax.metrics.base import Metric
from rankmax.spaces.base import Line

SAME = 1e-9
"""How far a recomputed value may be from the predicted one; no smaller gain is worth a move."""
_ATTEMPTS = 4  # intervals tried until the recomputed value is the predicted one

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Point:
    """Weights with the scores they give and the objective's value.

    Attributes
    ----------
    weights : array, shape (n_features,)
    scores : array, shape (n_documents,)
        Empty where documents lie with an engine.
    value : float
    """

    weights: F64
    scores: F64
    value: float


class Data(Protocol):
    """What has features of documents by query: a data set, or shards that lie with an engine."""

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
    """A metric over a data set as a function of weights, wherever the data lies.

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
    def at(self, weights: ArrayLike) -> Point:
        """Return the point of some weights, everything computed from them afresh.

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
    def climb(self, point: Point, direction: ArrayLike, *, low: float = -math.inf, high: float = math.inf) -> Point:
        """Return the best point on a line, in the middle of the widest best interval, or `point` if none is better.

        Parameters
        ----------
        point : Point
        direction : array-like, shape (n_features,)
        low, high : float
            low <= 0 <= high, possibly infinite.
        """

    def expect(self, directions: F64, line: Callable[[F64, F64], Line]) -> None:  # noqa: B027 - most need not know
        """Be told which directions will probably be climbed next.

        Parameters
        ----------
        directions : array of float64, shape (n_directions, n_features)
        line : callable
            Of the weights and a direction: the feasible line.
        """

    @abstractmethod
    def over_parts(
        self,
        function: Callable[..., _T],
        *shared: Any,
        each: Sequence[Any] | None = None,
        combine: Callable[[_T, _T], _T] | None = None,
    ) -> list[_T]:
        """Return what a function says of each :class:`~rankmax.lines.part.Part` of the data.

        Parameters
        ----------
        function : callable
            Of a part, `shared`, and its own of `each` where given; defined at the top level of a module.
        shared
            Small: weights, directions.
        each : sequence, optional
            One for each part.
        combine : callable, optional
            Makes one of two results, in any order: fewer than there are parts may then be returned.
        """

    @abstractmethod
    def by_part(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Return a number for each query as parts for :meth:`over_parts`.

        Parameters
        ----------
        values : array, shape (n_queries,)
        """

    @abstractmethod
    def sample(self, queries: I64) -> RankingDataset:
        """Return the data of some queries.

        Parameters
        ----------
        queries : array of int64
            Their numbers, ascending.
        """


def best_of_peaks(peaks: Iterator[Interval], point: Point, step: F64, at: Callable[[F64], Point]) -> Point:
    """Return the first peak that is found as it was predicted, else the best found, else `point`.

    Parameters
    ----------
    peaks : iterator of Interval
        Best first.
    point : Point
        Where the line starts.
    step : array of float64, shape (n_features,)
        Its direction.
    at : callable
        Evaluates weights.
    """
    best = point
    for interval in islice(peaks, _ATTEMPTS):
        if interval.value <= best.value + SAME:
            break
        for place in interval.places:
            moved = at(point.weights + place * step)
            if moved.value > best.value:
                best = moved
            if abs(moved.value - interval.value) <= SAME:
                return moved
    return best
