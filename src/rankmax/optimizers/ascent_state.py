"""The state of an ascent: the current point, the best point, and what was spent."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, readonly
from rankmax.line_search.objective import Objective, ScoredPoint
from rankmax.line_search.smoothed_line import Smoothing
from rankmax.optimizers.ascent import Ascent, Budget, Callback, Progress
from rankmax.optimizers.cancellation import Cancellation
from rankmax.optimizers.journal import Entry, Journal, Kind
from rankmax.spaces.parameter_space import ParameterSpace

_SCORES_IN_A_BLOCK = 2_000_000  # computed in a fraction of a second


class StoppedError(Exception):
    """Ends an ascent before it has converged; the message is what stopped it, such as "lines" or "seconds"."""


@dataclass(frozen=True, eq=False)
class Point:
    """A point without scores: weights with the objective's value.

    Attributes
    ----------
    weights : array, shape (n_features,)
    value : float
    """

    weights: F64
    value: float

    def __post_init__(self) -> None:
        if self.weights.flags.writeable:
            object.__setattr__(self, "weights", readonly(self.weights.copy()))


class AscentState:
    """State of an ascent: its current point, the best point so far, and the budget used.

    All costly work goes through this class, so that budgets count it and a journal can replay it.

    Parameters
    ----------
    objective : Objective
    space : ParameterSpace
    start : array-like, shape (n_features,)
    budget : Budget
    callback : callable, optional
        Called with a :class:`~rankmax.optimizers.ascent.Progress` at the start and after every improvement.
    journal : Journal, optional
    cancellation : Cancellation, optional

    Attributes
    ----------
    point : Point
        Current point of the ascent.
    best : Point
        Best point so far, the first of equals, or the last one accepted.
    n_lines, n_evaluations : int

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
    >>> from rankmax.metrics import AP
    >>> from rankmax.spaces import Euclidean
    >>> objective = LinearObjective(planted_linear(20, 10, 3, seed=1).data, AP())
    >>> state = AscentState(objective, Euclidean(), np.ones(3), Budget())
    >>> state.along(np.array([0.0, 1.0, 0.0])) > 0, state.jump(-state.point.weights) < 0
    (True, True)
    >>> state.point.value < state.best.value, state.n_lines, state.n_evaluations
    (True, 1, 1)
    """

    def __init__(
        self,
        objective: Objective,
        space: ParameterSpace,
        start: ArrayLike,
        budget: Budget,
        callback: Callback | None = None,
        journal: Journal | None = None,
        cancellation: Cancellation | None = None,
    ) -> None:
        self.objective = objective
        self.space = space
        self.n_lines = 0
        self.n_evaluations = 0
        self._budget = budget
        self._callback = callback
        self._journal = journal
        self._cancellation = cancellation
        self._began = time.monotonic()
        self._seconds = 0.0  # at the last answer
        self._history: list[Progress] = []
        self._scored_here: ScoredPoint | None = None
        self._scored_last: ScoredPoint | None = None
        self.point = self.best = self._evaluated("start", space.project(start))
        self._scored_here = self._scored_last

    def begin(self) -> None:
        """Record the start."""
        self._record()

    def along(self, direction: F64) -> float:
        """Move to the best point along a direction, within the space; return the gain."""
        return self.move(self.best_along(direction))

    def expect(self, directions: F64) -> None:
        """Announce the directions to be searched next unless a gain changes the plan, so that work can be batched."""
        self.objective.expect(directions, self.space.line)

    def best_along(self, direction: F64) -> Point:
        """Return the best point along a direction, within the space, without moving; `point` if none is better."""
        self.check_budget()
        answer = self._replay("line", direction)
        if answer is None:
            found = self._search(direction)
            improved = None if found is self.point else found.weights
            self._note("line", direction, np.array([found.value]), improved)
        elif answer.weights is None:
            found = self.point
        else:
            found = Point(np.array(answer.weights), answer.values[0])
        self.n_lines += 1
        return found

    def along_smoothed(self, direction: F64, width: float, reach: float) -> float:
        """Move to the highest point of the smoothed metric along a direction, within the space; return the gain in it.

        The metric itself may fall, so `best` stays what it was until :meth:`accept` is called.

        Parameters
        ----------
        direction : array, shape (n_features,)
        width, reach : float
            Standard deviation of the noise, and farthest place considered, as changes of the scores' spread.
        """
        self.check_budget()
        question = np.append(direction, [width, reach])
        answer = self._replay("line", question)
        if answer is None:
            found, gain = self._smoothed_search(direction, width, reach)
            moved = None if found is self.point else found.weights
            self._note("line", question, np.array([found.value, gain]), moved)
        elif answer.weights is None:
            found, gain = self.point, 0.0
        else:
            found, gain = Point(np.array(answer.weights), answer.values[0]), answer.values[1]
        self.n_lines += 1
        self._put_at(found)
        return gain

    def accept(self) -> None:
        """Make the current point the result so far, whatever its value."""
        if self.point is not self.best:
            self.best = self.point
            self._record()

    def move(self, place: Point) -> float:
        """Move to a point if, projected to the space, it is better than the current one; return the gain."""
        if place.value <= self.point.value:
            return 0.0
        projected = self.space.project(place.weights)
        if not np.array_equal(projected, place.weights):
            place = self._evaluated_within_budget(projected)
        gain = place.value - self.point.value
        if gain <= 0:
            return 0.0
        self._stand_at(place)
        return gain

    def jump(self, weights: ArrayLike) -> float:
        """Move to weights, projected to the space, whatever their value; return the gain, which may be negative."""
        before = self.point.value
        self._stand_at(self._evaluated_within_budget(self.space.project(weights)))
        return self.point.value - before

    def values(self, points: ArrayLike) -> F64:
        """Return the values at many points, shape (n_points, n_features); all of them are within the budget, or none.

        The current point stays the same; the points need not be in the space.
        """
        rows = np.asarray(points, np.float64)
        self._require_evaluations(len(rows))
        blocks = [rows[i : i + self.points_at_once] for i in range(0, len(rows), self.points_at_once)]
        return np.concatenate([np.empty(0), *map(self._block_values, blocks)])

    @property
    def points_at_once(self) -> int:
        """Number of points that :meth:`values` evaluates between two checks of the time, each block a journal entry."""
        return max(1, _SCORES_IN_A_BLOCK // self.objective.n_documents)

    def direction(self, compute: Callable[[F64], F64]) -> F64:
        """Return the direction that a function computes from the current weights, made feasible.

        At the boundary of the space, it is the direction to the projection of a point ahead, or 0 if there is none.
        """
        self.check_budget()
        answer = self._replay("direction", self.point.weights)
        if answer is not None:
            return np.array(answer.values)
        direction = self._feasible(compute(self.point.weights))
        self._note("direction", self.point.weights, direction)
        return direction

    def result(self, stopped_by: str) -> Ascent:
        """Return the ascent so far."""
        best = self.best
        return Ascent(best.weights, best.value, tuple(self._history), self.n_lines, self.n_evaluations, stopped_by)

    def check_budget(self) -> None:
        """End the ascent if its budget is spent or it was cancelled; call before costly work done elsewhere."""
        budget = self._budget
        if budget.lines is not None and self.n_lines >= budget.lines:
            raise StoppedError("lines")
        if budget.evaluations is not None and self.n_evaluations >= budget.evaluations:
            raise StoppedError("evaluations")
        if self._cancellation is not None and self._cancellation.reason is not None and not self._is_replaying:
            raise StoppedError(self._cancellation.reason)
        # The clock would not stop a resumed ascent at the same point, so the end of time is recorded as an answer, too.
        stop = None if self._journal is None else self._journal.replay_stop()
        if stop is not None:
            self._set_clock(stop.seconds)
        if budget.seconds is not None and self._elapsed() >= budget.seconds:
            if stop is None:
                self._note("stop", np.empty(0), np.empty(0))
            raise StoppedError("seconds")

    def _search(self, direction: F64) -> Point:
        here = self._point_here()
        line = self.space.line(here.weights, direction)
        found = self.objective.line_search(here, line.direction, low=line.low, high=line.high)
        projected = self.space.project(found.weights)
        if not np.array_equal(projected, found.weights):
            found = self.objective.at(projected)
        return self._place(found) if found.value > here.value else self.point

    def _smoothed_search(self, direction: F64, width: float, reach: float) -> tuple[Point, float]:
        here = self._point_here()
        line = self.space.line(here.weights, direction)
        spread = self._slope_spread(line.direction)
        if spread == 0:
            return self.point, 0.0
        smoothing = Smoothing(width / spread, reach / spread)
        found, gain = self.objective.smoothed_search(here, line.direction, smoothing, low=line.low, high=line.high)
        projected = self.space.project(found.weights)
        if not np.array_equal(projected, found.weights):
            found = self.objective.at(projected)
        return (self._place(found), gain) if gain > 0 else (self.point, 0.0)

    def _slope_spread(self, direction: F64) -> float:
        """Return the standard deviation within queries of the scores' slopes."""
        moving = np.flatnonzero(direction)
        if moving.size == 1:
            return float(np.abs(direction[moving[0]]) * self.objective.feature_spread[moving[0]])
        return self.objective.score_spread(direction)

    def _point_here(self) -> ScoredPoint:
        self._scored_here = self._scored_here or self.objective.at(self.point.weights)
        return self._scored_here

    def _feasible(self, direction: F64) -> F64:
        weights = self.point.weights
        if not direction.any() or self.space.line(weights, direction).high > 0:
            return direction
        ahead = weights + direction * (np.abs(weights).sum() / np.abs(direction).sum())
        return self.space.project(ahead) - weights

    def _evaluated_within_budget(self, weights: F64) -> Point:
        self._require_evaluations(1)
        place = self._evaluated("point", weights)
        self.n_evaluations += 1
        return place

    def _evaluated(self, kind: Kind, weights: F64) -> Point:
        answer = self._replay(kind, weights)
        if answer is not None:
            return Point(weights, answer.values[0])
        place = self._place(self.objective.at(weights))
        self._note(kind, weights, np.array([place.value]))
        return place

    def _block_values(self, points: F64) -> F64:
        self.check_budget()
        answer = self._replay("points", points)
        if answer is None:
            values = self.objective.values(points)
            self._note("points", points, values)
        else:
            values = np.array(answer.values)
        self.n_evaluations += len(points)
        return values

    def _place(self, point: ScoredPoint) -> Point:
        """Return a point without its scores, and remember them in case the ascent moves to it."""
        self._scored_last = point
        return Point(point.weights, point.value)

    def _put_at(self, place: Point) -> None:
        if place is not self.point:
            last = self._scored_last
            self._scored_here = last if last is not None and last.weights is place.weights else None
            self.point = place

    def _stand_at(self, place: Point) -> None:
        self._put_at(place)
        if place.value > self.best.value:
            self.best = place
            self._record()

    def _require_evaluations(self, number: int) -> None:
        self.check_budget()
        if self._budget.evaluations is not None and self.n_evaluations + number > self._budget.evaluations:
            raise StoppedError("evaluations")

    def _replay(self, kind: Kind, question: F64) -> Entry | None:
        answer = None if self._journal is None else self._journal.replay(kind, question)
        if answer is not None:
            self._set_clock(answer.seconds)
        return answer

    def _note(self, kind: Kind, question: F64, values: F64, weights: F64 | None = None) -> None:
        self._seconds = self._elapsed()
        if self._journal is not None:
            self._journal.record(kind, question, values, weights, seconds=self._seconds)

    def _set_clock(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = time.monotonic() - seconds

    @property
    def _is_replaying(self) -> bool:
        return self._journal is not None and self._journal.is_replaying

    def _elapsed(self) -> float:
        if self._is_replaying:
            return self._seconds
        return max(self._seconds, time.monotonic() - self._began)

    def _record(self) -> None:
        progress = Progress(self.n_lines, self.best.value, self._seconds, self.best.weights)
        self._history.append(progress)
        if self._callback is not None:
            self._callback(progress)
