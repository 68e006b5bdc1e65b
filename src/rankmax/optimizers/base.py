"""What the optimizers share, and what an optimizer of one's own is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from rankmax.errors import InvalidParameterError
from rankmax.interrupts import plain_interrupts
from rankmax.lines.base import Objective
from rankmax.optimizers.ascent import Ascent, Budget, Callback, Progress
from rankmax.optimizers.climber import BudgetSpentError, Climber, Place
from rankmax.optimizers.journal import Journal
from rankmax.spaces.base import ParameterSpace

__all__ = ["Ascent", "Budget", "Callback", "Climber", "Optimizer", "Place", "Progress", "require_tolerance"]


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
        objective: Objective,
        space: ParameterSpace,
        *,
        start: ArrayLike,
        rng: np.random.Generator,
        callback: Callback | None = None,
        journal: Journal | None = None,
    ) -> Ascent:
        """Climb from `start`; never ends below it, and an interrupt returns the best so far.

        With the journal of an ascent that was stopped (same objective, space, start and state of `rng`) it goes on from
        where that was, and ends with the same bits as if it had never been stopped. What is replayed costs next to
        nothing, is seen by the callback with its recorded seconds, and counts for the budget.

        Parameters
        ----------
        objective : Objective
        space : ParameterSpace
        start : array-like, shape (n_features,)
            Projected to the space first.
        rng : Generator
        callback : callable, optional
        journal : Journal, optional
            Complete at the end, and after an interrupt.
        """
        try:
            climber = Climber(objective, space, start, self.budget, callback, journal)
            return self._climb(climber, rng)
        finally:
            if journal is not None:
                journal.flush()

    def _climb(self, climber: Climber, rng: np.random.Generator) -> Ascent:
        try:
            with plain_interrupts():
                climber.begin()
                self.ascend(climber, rng)
        except BudgetSpentError as spent:
            return climber.result(str(spent))
        except KeyboardInterrupt:
            return climber.result("interrupted")
        return climber.result("converged")
