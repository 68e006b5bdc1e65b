"""Coordinate ascent."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankmax._arrays import F64
from rankmax.errors import InvalidParameterError
from rankmax.optimizers.optimizer import AscentState, Budget, Optimizer, require_tolerance
from rankmax.spaces.parameter_space import ParameterSpace


@dataclass(frozen=True)
class CoordinateAscent(Optimizer):
    """Search one weight at a time, each along its whole line, until a cycle gains nothing.

    Parameters
    ----------
    shuffled : bool
        Whether to take the weights in a new random order in every cycle instead of in their own order.
    tolerance : float
        Largest gain of a cycle that ends the ascent.
    min_entry_gain : float
        Gain that another value must exceed for a weight of 0 to change, so that from weights that are mostly 0 only few
        features enter, each with a real gain.
    budget : Budget
        Limits that stop the ascent early; by default none.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
    >>> from rankmax.metrics import AP
    >>> from rankmax.spaces import Euclidean
    >>> objective = LinearObjective(planted_linear(20, 10, 3, seed=1).data, AP())
    >>> ascent = CoordinateAscent().maximize(objective, Euclidean(), start=np.ones(3), rng=np.random.default_rng(0))
    >>> ascent.value > 0.95, ascent.stopped_by
    (True, 'converged')
    >>> CoordinateAscent(min_entry_gain=0.1).maximize(
    ...     objective, Euclidean(), start=[1.0, 0.0, 0.0], rng=np.random.default_rng(0)
    ... ).weights.round(2)
    array([1.  , 2.12, 0.  ])

    References
    ----------
    Metzler & Croft 2007, section 2.3.2; Morgan et al. 2004, section 3.3, for the exact lines.
    """

    shuffled: bool = False
    tolerance: float = 1e-6
    min_entry_gain: float = 0.0
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        require_tolerance(self.tolerance)
        if not self.min_entry_gain >= 0:
            raise InvalidParameterError(f"min_entry_gain is {self.min_entry_gain}; give a nonnegative number")

    def ascend(self, state: AscentState, rng: np.random.Generator) -> None:
        """Ascend in cycles over the coordinates."""
        axes = np.eye(state.objective.n_features)
        gain = np.inf
        while gain > self.tolerance:
            cycle = rng.permutation(axes) if self.shuffled else axes
            state.expect(cycle)
            gain = sum(self._along(state, axis) for axis in cycle)

    def _along(self, state: AscentState, axis: F64) -> float:
        found = state.best_along(axis)
        gain = found.value - state.point.value
        if gain <= self.min_entry_gain and _leaves_zero(state.space, state.point.weights, found.weights):
            return 0.0
        return state.move(found)


def _leaves_zero(space: ParameterSpace, before: F64, after: F64) -> bool:
    return bool(((space.restore(before) == 0) & (space.restore(after) != 0)).any())
