"""What the optimizers share: budgets, history, and an ascent that always has its best point at hand."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64
from rankmax.errors import InvalidParameterError
from rankmax.lines.objective import LinearObjective, Point
from rankmax.spaces.base import ParameterSpace


@dataclass(frozen=True)
class Progress:
    """One entry of an ascent's history.

    Attributes
    ----------
    n_lines : int
        Lines searched so far.
    value : float
        Best value so far.
    seconds : float
        Since the ascent began.
    """

    n_lines: int
    value: float
    seconds: float


Callback = Callable[[Progress], None]
"""Called at the start and after every improvement."""


@dataclass(frozen=True, eq=False)
class Ascent:
    """What an optimizer returns.

    Attributes
    ----------
    weights : array, shape (n_features,)
    value : float
        Of the objective at the weights, computed from them.
    history : tuple of Progress
        From the start on, one entry for each improvement.
    n_lines : int
    stopped_by : str
        "converged", "lines", "seconds" or "interrupted".
    """

    weights: F64
    value: float
    history: tuple[Progress, ...]
    n_lines: int
    stopped_by: str


@dataclass(frozen=True)
class Budget:
    """When to stop before convergence.

    Attributes
    ----------
    lines : int, optional
        Most lines to search.
    seconds : float, optional
    """

    lines: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("lines", self.lines), ("seconds", self.seconds)):
            if value is not None and not value > 0:
                raise InvalidParameterError(f"a budget of {value} {name} leaves nothing to do; give a positive number")


class Climber:
    """The state of an ascent: where it stands, what it has spent.

    Parameters
    ----------
    objective : LinearObjective
    space : ParameterSpace
    start : array-like, shape (n_features,)
    budget : Budget
    callback : callable, optional
    """

    def __init__(
        self,
        objective: LinearObjective,
        space: ParameterSpace,
        start: ArrayLike,
        budget: Budget,
        callback: Callback | None,
    ) -> None:
        self.objective = objective
        self.space = space
        self.point = objective.at(space.project(np.asarray(start, np.float64)))
        self.n_lines = 0
        self._budget = budget
        self._callback = callback
        self._began = time.monotonic()
        self._history: list[Progress] = []

    def begin(self) -> None:
        """Record the start."""
        self._record()

    def along(self, direction: F64) -> float:
        """Go to the best point along a direction, within the space; return the gain."""
        self.check_budget()
        line = self.space.line(self.point.weights, direction)
        moved = self.objective.climb(self.point, line.direction, low=line.low, high=line.high)
        self.n_lines += 1
        return self.move(moved)

    def move(self, moved: Point) -> float:
        """Take a point if, after projection to the space, it is better; return the gain."""
        if moved.value <= self.point.value:
            return 0.0
        projected = self.space.project(moved.weights)
        if not np.array_equal(projected, moved.weights):
            moved = self.objective.at(projected)
        gain = moved.value - self.point.value
        if gain <= 0:
            return 0.0
        self.point = moved
        self._record()
        return gain

    def result(self, stopped_by: str) -> Ascent:
        """Return the ascent so far."""
        return Ascent(self.point.weights, self.point.value, tuple(self._history), self.n_lines, stopped_by)

    def check_budget(self) -> None:
        """End the ascent if the budget is spent; call before anything costly that is no line."""
        if self._budget.lines is not None and self.n_lines >= self._budget.lines:
            raise _BudgetSpentError("lines")
        if self._budget.seconds is not None and time.monotonic() - self._began >= self._budget.seconds:
            raise _BudgetSpentError("seconds")

    def _record(self) -> None:
        progress = Progress(self.n_lines, self.point.value, time.monotonic() - self._began)
        self._history.append(progress)
        if self._callback is not None:
            self._callback(progress)


def require_tolerance(tolerance: float) -> None:
    """Raise an error where no gain could ever be too small.

    Parameters
    ----------
    tolerance : float

    Examples
    --------
    >>> require_tolerance(-1.0)
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: a tolerance of -1.0 never ends an ascent; give a number from 0
    """
    if not tolerance >= 0:
        raise InvalidParameterError(f"a tolerance of {tolerance} never ends an ascent; give a number from 0")


class _BudgetSpentError(Exception):
    """The budget is used up."""


class Optimizer(ABC):
    """Base of the optimizers: a frozen set of parameters.

    Subclasses say how to climb in :meth:`ascend`; starting, stopping, budgets and interrupts are the same for all.
    """

    budget: Budget

    @abstractmethod
    def ascend(self, climber: Climber, rng: np.random.Generator) -> None:
        """Climb until nothing more is to be gained."""

    def maximize(
        self,
        objective: LinearObjective,
        space: ParameterSpace,
        *,
        start: ArrayLike,
        rng: np.random.Generator,
        callback: Callback | None = None,
    ) -> Ascent:
        """Climb from `start`; never ends below it, and an interrupt returns the best so far.

        Parameters
        ----------
        objective : LinearObjective
        space : ParameterSpace
        start : array-like, shape (n_features,)
            Projected to the space first.
        rng : Generator
        callback : callable, optional
        """
        climber = Climber(objective, space, start, self.budget, callback)
        try:
            climber.begin()
            self.ascend(climber, rng)
        except _BudgetSpentError as spent:
            return climber.result(str(spent))
        except KeyboardInterrupt:
            return climber.result("interrupted")
        return climber.result("converged")
