"""An ascent under way, which always has its best place at hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64, readonly
from rankmax.lines.base import Objective, Point
from rankmax.optimizers.ascent import Ascent, Budget, Callback, Progress
from rankmax.optimizers.journal import Entry, Journal, Kind
from rankmax.spaces.base import ParameterSpace

_SCORES_IN_A_BLOCK = 2_000_000  # a fraction of a second


class BudgetSpentError(Exception):
    """Ends an ascent whose budget is used up; the message says which part of it."""


@dataclass(frozen=True, eq=False)
class Place:
    """Weights with the objective's value there.

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


class Climber:
    """The state of an ascent: where it stands, the best place it has seen, what it has spent.

    Whatever is costly goes through here, so that budgets count it and a journal can answer instead.

    Parameters
    ----------
    objective : Objective
    space : ParameterSpace
    start : array-like, shape (n_features,)
    budget : Budget
    callback : callable, optional
    journal : Journal, optional

    Attributes
    ----------
    point : Place
        Where the ascent stands.
    best : Place
        The best place it has stood at, the first of equals.
    n_lines, n_evaluations : int

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.lines.objective import LinearObjective
    >>> from rankmax.metrics import AP
    >>> from rankmax.spaces import Euclidean
    >>> objective = LinearObjective(planted_linear(20, 10, 3, seed=1).data, AP())
    >>> climber = Climber(objective, Euclidean(), np.ones(3), Budget())
    >>> climber.along(np.array([0.0, 1.0, 0.0])) > 0, climber.jump(-climber.point.weights) < 0
    (True, True)
    >>> climber.point.value < climber.best.value, climber.n_lines, climber.n_evaluations
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
    ) -> None:
        self.objective = objective
        self.space = space
        self.n_lines = 0
        self.n_evaluations = 0
        self._budget = budget
        self._callback = callback
        self._journal = journal
        self._began = time.monotonic()
        self._seconds = 0.0  # until the last answer
        self._history: list[Progress] = []
        self._scored_here: Point | None = None
        self._scored_last: Point | None = None
        self.point = self.best = self._evaluated("start", space.project(start))
        self._scored_here = self._scored_last

    def begin(self) -> None:
        """Record the start."""
        self._record()

    def along(self, direction: F64) -> float:
        """Go to the best place along a direction, within the space; return the gain."""
        return self.move(self.best_along(direction))

    def expect(self, directions: F64) -> None:
        """Say which directions will be searched next unless a gain changes the plan, so that work can be joined."""
        self.objective.expect(directions, self.space.line)

    def best_along(self, direction: F64) -> Place:
        """Return the best place along a direction, within the space, without going there; `point` if none is better."""
        self.check_budget()
        answer = self._replay("line", direction)
        if answer is None:
            found = self._search(direction)
            improved = None if found is self.point else found.weights
            self._note("line", direction, np.array([found.value]), improved)
        elif answer.weights is None:
            found = self.point
        else:
            found = Place(np.array(answer.weights), answer.values[0])
        self.n_lines += 1
        return found

    def move(self, place: Place) -> float:
        """Go to a place if, projected to the space, it is better than where the ascent stands; return the gain."""
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
        """Go to weights, projected to the space, whatever their value; return the gain, which may be negative."""
        before = self.point.value
        self._stand_at(self._evaluated_within_budget(self.space.project(weights)))
        return self.point.value - before

    def values(self, points: ArrayLike) -> F64:
        """Return the values at many points, shape (n_points, n_features); all of them are within the budget, or none.

        The ascent stands where it stood; points need not be of the space.
        """
        rows = np.asarray(points, np.float64)
        self._require_evaluations(len(rows))
        blocks = [rows[i : i + self.points_at_once] for i in range(0, len(rows), self.points_at_once)]
        return np.concatenate([np.empty(0), *map(self._block_values, blocks)])

    @property
    def points_at_once(self) -> int:
        """How many points :meth:`values` evaluates between two looks at the clock, each an entry of the journal."""
        return max(1, _SCORES_IN_A_BLOCK // self.objective.n_documents)

    def direction(self, compute: Callable[[F64], F64]) -> F64:
        """Return the direction that a function finds from the weights here, made feasible.

        Where the space ends just here, it is the way to the projection of a point ahead; 0 where there is no way.
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
        """End the ascent if the budget is spent; call before anything costly that does not go through here."""
        budget = self._budget
        if budget.lines is not None and self.n_lines >= budget.lines:
            raise BudgetSpentError("lines")
        if budget.evaluations is not None and self.n_evaluations >= budget.evaluations:
            raise BudgetSpentError("evaluations")
        # A clock would not stop a resumed ascent at the same place, so that time was up is an answer too.
        stop = None if self._journal is None else self._journal.replay_stop()
        if stop is not None:
            self._set_clock(stop.seconds)
        if budget.seconds is not None and self._elapsed() >= budget.seconds:
            if stop is None:
                self._note("stop", np.empty(0), np.empty(0))
            raise BudgetSpentError("seconds")

    def _search(self, direction: F64) -> Place:
        here = self._point_here()
        line = self.space.line(here.weights, direction)
        found = self.objective.climb(here, line.direction, low=line.low, high=line.high)
        projected = self.space.project(found.weights)
        if not np.array_equal(projected, found.weights):
            found = self.objective.at(projected)
        return self._place(found) if found.value > here.value else self.point

    def _point_here(self) -> Point:
        self._scored_here = self._scored_here or self.objective.at(self.point.weights)
        return self._scored_here

    def _feasible(self, direction: F64) -> F64:
        weights = self.point.weights
        if not direction.any() or self.space.line(weights, direction).high > 0:
            return direction
        ahead = weights + direction * (np.abs(weights).sum() / np.abs(direction).sum())
        return self.space.project(ahead) - weights

    def _evaluated_within_budget(self, weights: F64) -> Place:
        self._require_evaluations(1)
        place = self._evaluated("point", weights)
        self.n_evaluations += 1
        return place

    def _evaluated(self, kind: Kind, weights: F64) -> Place:
        answer = self._replay(kind, weights)
        if answer is not None:
            return Place(weights, answer.values[0])
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

    def _place(self, point: Point) -> Place:
        """Return where a point is, and remember its scores in case the ascent goes there."""
        self._scored_last = point
        return Place(point.weights, point.value)

    def _stand_at(self, place: Place) -> None:
        last = self._scored_last
        self._scored_here = last if last is not None and last.weights is place.weights else None
        self.point = place
        if place.value > self.best.value:
            self.best = place
            self._record()

    def _require_evaluations(self, number: int) -> None:
        self.check_budget()
        if self._budget.evaluations is not None and self.n_evaluations + number > self._budget.evaluations:
            raise BudgetSpentError("evaluations")

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

    def _elapsed(self) -> float:
        if self._journal is not None and self._journal.is_replaying:
            return self._seconds
        return max(self._seconds, time.monotonic() - self._began)

    def _record(self) -> None:
        progress = Progress(self.n_lines, self.best.value, self._seconds, self.best.weights)
        self._history.append(progress)
        if self._callback is not None:
            self._callback(progress)
