"""Coordinate ascent."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankmax.optimizers.base import Budget, Climber, Optimizer, require_tolerance


@dataclass(frozen=True)
class CoordinateAscent(Optimizer):
    """Search one weight after the other, each along its whole line, until a cycle gains nothing.

    Parameters
    ----------
    shuffled : bool
        Take the weights in a new random order in every cycle, instead of one after the other.
    tolerance : float
        A cycle that gains no more than this is the last.
    budget : Budget

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.lines.objective import LinearObjective
    >>> from rankmax.metrics import AP
    >>> from rankmax.spaces import Euclidean
    >>> objective = LinearObjective(planted_linear(20, 10, 3, seed=1).data, AP())
    >>> ascent = CoordinateAscent().maximize(objective, Euclidean(), start=np.ones(3), rng=np.random.default_rng(0))
    >>> ascent.value > 0.95, ascent.stopped_by
    (True, 'converged')

    References
    ----------
    Metzler & Croft 2007, section 2.3.2; Morgan et al. 2004, section 3.3, for the exact lines.
    """

    shuffled: bool = False
    tolerance: float = 1e-6
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        require_tolerance(self.tolerance)

    def ascend(self, climber: Climber, rng: np.random.Generator) -> None:
        """Climb in cycles over the coordinates."""
        axes = np.eye(climber.objective.n_features)
        gain = np.inf
        while gain > self.tolerance:
            order = rng.permutation(len(axes)) if self.shuffled else np.arange(len(axes))
            gain = sum(climber.along(axes[j]) for j in order)
