"""Base class of optimizers, including user-defined ones."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from rankmax._io.interrupts import plain_interrupts
from rankmax.errors import InvalidParameterError
from rankmax.line_search.objective import Objective
from rankmax.optimizers.ascent import Ascent, Budget, Callback, Progress
from rankmax.optimizers.ascent_state import AscentState, Point, StoppedError
from rankmax.optimizers.cancellation import Cancellation
from rankmax.optimizers.journal import Journal
from rankmax.spaces.parameter_space import ParameterSpace

__all__ = ["Ascent", "AscentState", "Budget", "Callback", "Optimizer", "Point", "Progress", "require_tolerance"]


def require_tolerance(tolerance: float) -> None:
    """Raise an error if no gain could ever be too small.

    Parameters
    ----------
    tolerance : float

    Examples
    --------
    >>> require_tolerance(-1.0)
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: a tolerance of -1.0 never ends an ascent; give a nonnegative number
    """
    if not tolerance >= 0:
        raise InvalidParameterError(f"a tolerance of {tolerance} never ends an ascent; give a nonnegative number")


class Optimizer(ABC):
    """Base of the optimizers: a frozen set of parameters.

    Subclasses define :meth:`ascend`; starting, stopping, budgets and interrupts are the same for all.
    """

    budget: Budget

    @abstractmethod
    def ascend(self, state: AscentState, rng: np.random.Generator) -> None:
        """Ascend until there is nothing more to gain."""

    def maximize(
        self,
        objective: Objective,
        space: ParameterSpace,
        *,
        start: ArrayLike,
        rng: np.random.Generator,
        callback: Callback | None = None,
        journal: Journal | None = None,
        cancellation: Cancellation | None = None,
    ) -> Ascent:
        """Ascend from `start` and never end below it, unless smoothed; return the best so far on an interrupt.

        With the journal of an ascent that was stopped (same objective, space, start and state of `rng`) it continues
        from that point, and ends with the same bits as if it had never been stopped. Replayed work costs next to
        nothing, is reported to the callback with its recorded seconds, and counts toward the budget.

        Parameters
        ----------
        objective : Objective
        space : ParameterSpace
        start : array-like, shape (n_features,)
            Initial weights, which are first projected to the space.
        rng : Generator
            Source of random numbers.
        callback : callable, optional
            Called with a :class:`~rankmax.optimizers.ascent.Progress` at the start and after every improvement.
        journal : Journal, optional
            Journal to resume from and to add to; complete at the end, and after an interrupt.
        cancellation : Cancellation, optional
            Ends the ascent early; it can be resumed from its journal.
        """
        try:
            state = AscentState(objective, space, start, self.budget, callback, journal, cancellation)
            return self._ascent(state, rng)
        finally:
            if journal is not None:
                journal.flush()

    def _ascent(self, state: AscentState, rng: np.random.Generator) -> Ascent:
        try:
            with plain_interrupts():
                state.begin()
                self.ascend(state, rng)
        except StoppedError as stopped:
            return state.result(str(stopped))
        except KeyboardInterrupt:
            return state.result("interrupted")
        return state.result("converged")
