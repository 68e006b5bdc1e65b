"""Sequential forward selection of features."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.errors import InvalidParameterError
from rankmax.optimizers.optimizer import AscentState, Budget, Optimizer, require_tolerance
from rankmax.optimizers.powell import Powell
from rankmax.spaces.parameter_space import ParameterSpace


@dataclass(frozen=True)
class ForwardSelection(Optimizer):
    """Start with the best single feature, and add the one that gains most until none gains enough.

    Each round searches the whole line of every feature whose weight is 0, from the weights of those selected so far,
    adds the best, and ascends along the selected coordinates again until a cycle gains nothing.

    The history holds only points above the start; if there is none, the start is returned. To see the whole path, and
    select the number of features on other queries, start from weights that are easy to improve on, such as uniform
    ones.

    Parameters
    ----------
    max_features : int, optional
        Maximum number of features to select; by default all.
    min_gain : float
        A feature that gains no more than this is not added, and the ascent ends.
    tolerance : float
        Largest gain of a cycle over the selected coordinates that ends the cycles.
    budget : Budget
        Limits that stop the ascent early; by default none.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
    >>> from rankmax.metrics import AP
    >>> from rankmax.spaces import Euclidean
    >>> objective = LinearObjective(planted_linear(20, 10, 6, noise=0.3, seed=1).data, AP())
    >>> optimizer = ForwardSelection(max_features=3)
    >>> ascent = optimizer.maximize(objective, Euclidean(), start=np.ones(6), rng=np.random.default_rng(0))
    >>> int(np.count_nonzero(ascent.weights)), ascent.value > objective.at(np.ones(6)).value
    (3, True)

    References
    ----------
    Morgan et al. 2004, section 4, which adds terms to a query one after the other.
    """

    max_features: int | None = None
    min_gain: float = 1e-3
    tolerance: float = 1e-6
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        require_tolerance(self.tolerance)
        if self.max_features is not None and self.max_features < 1:
            raise InvalidParameterError(f"max_features is {self.max_features}; at least one feature is needed to rank")
        if not self.min_gain >= 0:
            raise InvalidParameterError(f"min_gain is {self.min_gain}; give a nonnegative number")

    def ascend(self, state: AscentState, rng: np.random.Generator) -> None:
        """Ascend by adding one feature at a time."""
        space, axes = state.space, np.eye(state.objective.n_features)
        singles = _single_features(space, axes)
        state.jump(singles[np.argmax(state.values(singles))])
        while True:
            chosen, _ = _chosen_and_others(state)
            Powell(axes[chosen], tolerance=self.tolerance).ascend(state, rng)
            chosen, others = _chosen_and_others(state)
            if others.size == 0 or (self.max_features is not None and chosen.size >= self.max_features):
                return
            found = max((state.best_along(axes[j]) for j in others), key=lambda place: place.value)
            if found.value - state.point.value <= self.min_gain:
                return
            state.move(found)


def _chosen_and_others(state: AscentState) -> tuple[I64, I64]:
    weights = state.space.restore(state.point.weights)
    return np.flatnonzero(weights), np.flatnonzero(weights == 0)


def _single_features(space: ParameterSpace, axes: F64) -> F64:
    """Return the points of the space at which only one feature has a weight, positive or negative."""
    points = [space.project(sign * axis) for axis in axes for sign in (1.0, -1.0)]
    return np.array([point for point in points if np.count_nonzero(space.restore(point)) == 1])
