"""Sequential forward selection of features."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.errors import InvalidParameterError
from rankmax.optimizers.base import Budget, Climber, Optimizer, require_tolerance
from rankmax.optimizers.powell import Powell
from rankmax.spaces.base import ParameterSpace


@dataclass(frozen=True)
class ForwardSelection(Optimizer):
    """Begin with the best single feature, and add the one that gains most until none gains enough.

    Each round searches the whole line of every feature whose weight is 0, from the weights of those chosen so far,
    takes the best, and climbs along the chosen coordinates again until a cycle gains nothing.

    Only the places above the start are in the history, and where none is, the start is what comes back. To see the
    whole path, and choose the number of features on other queries, start from weights that are easily beaten, such as
    uniform ones.

    Parameters
    ----------
    max_features : int, optional
        No more are chosen; all may be when left out.
    min_gain : float
        A feature that gains no more than this is not added, and ends the ascent.
    tolerance : float
        A cycle over the chosen coordinates that gains no more than this is the last.
    budget : Budget

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.lines.objective import LinearObjective
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
            raise InvalidParameterError(f"min_gain is {self.min_gain}; give a number from 0")

    def ascend(self, climber: Climber, rng: np.random.Generator) -> None:
        """Climb by one feature after the other."""
        space, axes = climber.space, np.eye(climber.objective.n_features)
        singles = _single_features(space, axes)
        climber.jump(singles[np.argmax(climber.values(singles))])
        while True:
            chosen, _ = _chosen_and_others(climber)
            Powell(axes[chosen], tolerance=self.tolerance).ascend(climber, rng)
            chosen, others = _chosen_and_others(climber)
            if others.size == 0 or (self.max_features is not None and chosen.size >= self.max_features):
                return
            found = max((climber.best_along(axes[j]) for j in others), key=lambda place: place.value)
            if found.value - climber.point.value <= self.min_gain:
                return
            climber.move(found)


def _chosen_and_others(climber: Climber) -> tuple[I64, I64]:
    weights = climber.space.restore(climber.point.weights)
    return np.flatnonzero(weights), np.flatnonzero(weights == 0)


def _single_features(space: ParameterSpace, axes: F64) -> F64:
    """Return the points of the space at which only one feature has a weight, in favour of it or against it."""
    points = [space.project(sign * axis) for axis in axes for sign in (1.0, -1.0)]
    return np.array([point for point in points if np.count_nonzero(space.restore(point)) == 1])
