"""Steepest ascent."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankmax._arrays import F64
from rankmax.errors import InvalidParameterError
from rankmax.optimizers.optimizer import AscentState, Budget, Optimizer, require_tolerance


@dataclass(frozen=True)
class SteepestAscent(Optimizer):
    r"""Search the whole line along the gradient, estimated by finite differences, until one gains nothing.

    .. math:: g_i = \frac{E(w + b_i e_i) - E(w - a_i e_i)}{a_i + b_i}, \qquad a_i, b_i \le h \|w\|_1

    The metric is constant near w, so h must be wide enough for documents to swap. If the space ends before
    :math:`w - h e_i`, the difference is taken up to its end, and that weight is not lowered, since the line would end
    at once, before any other weight has moved.

    Every gradient costs 2 evaluations per weight.

    Parameters
    ----------
    step : float
        Step h relative to the sum of the absolute weights, as their scale means nothing to a ranking; on the simplex
        that sum is 1.
    tolerance : float
        Largest gain of a line search that ends the ascent.
    budget : Budget
        Limits that stop the ascent early; by default none.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
    >>> from rankmax.metrics import AP
    >>> from rankmax.spaces import Euclidean
    >>> objective = LinearObjective(planted_linear(20, 10, 3, seed=1).data, AP())
    >>> ascent = SteepestAscent().maximize(objective, Euclidean(), start=np.ones(3), rng=np.random.default_rng(0))
    >>> ascent.value > 0.95, ascent.stopped_by
    (True, 'converged')

    References
    ----------
    Metzler 2005, section 4.3, which takes one-sided differences.
    """

    step: float = 0.03
    tolerance: float = 1e-6
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        require_tolerance(self.tolerance)
        if not 0 < self.step < np.inf:
            raise InvalidParameterError(f"step is {self.step}; differences need a positive number")

    def ascend(self, state: AscentState, rng: np.random.Generator) -> None:
        """Ascend along one estimated gradient after another."""
        gain = np.inf
        while gain > self.tolerance:
            h = self.step * np.abs(state.point.weights).sum()
            gradient = _gradient(state, h)
            if not gradient.any():
                return
            w = state.point.weights
            projected = state.space.project(w + h / np.abs(gradient).max() * gradient)
            if np.array_equal(projected, w):
                return
            gain = state.along(projected - w)


def _gradient(state: AscentState, h: float) -> F64:
    w = state.point.weights
    axes = np.eye(w.size)
    lines = [state.space.line(w, axis) for axis in axes]
    low = np.array([max(line.low, -h) for line in lines])
    high = np.array([min(line.high, h) for line in lines])
    below, above = np.split(state.values(np.concatenate([w + low[:, None] * axes, w + high[:, None] * axes])), 2)
    slopes = (above - below) / (high - low)
    has_room = np.where(slopes > 0, high == h, low == -h)
    return np.where(has_room, slopes, 0.0)
