"""Grid search over the simplex."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.optimizers.optimizer import AscentState, Budget, Optimizer, Point
from rankmax.spaces import AugmentedSimplex, ParameterSpace, Simplex
from rankmax.spaces.lattice import lattice_blocks, lattice_size
from rankmax.spaces.vectors import require_features

_FINEST = 1e-6


@dataclass(frozen=True)
class GridSearch(Optimizer):
    r"""Evaluate every point of the simplex whose weights are multiples of a step.

    .. math:: G = \{(k_1, \dots, k_d) / K : k_i \in \mathbb{N}_0, \sum_i k_i = K\}, \qquad
              |G| = \binom{K + d - 1}{d - 1}

    This is the only optimizer that approaches the global maximum as closely as desired, and only for a few features:
    check :meth:`n_points` first.

    Parameters
    ----------
    step : float
        Step 1/K for a whole number K.
    max_points : int
        Maximum number of points; a larger grid is refused before anything is evaluated.
    budget : Budget
        Limit of seconds or evaluations, as there are no line searches; it is spent in whole blocks of points.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
    >>> from rankmax.metrics import AP
    >>> objective = LinearObjective(planted_linear(20, 10, 3, seed=2).data, AP())
    >>> optimizer = GridSearch(step=0.25)
    >>> optimizer.n_points(3)
    15
    >>> optimizer.maximize(objective, Simplex(), start=np.ones(3), rng=np.random.default_rng(0)).weights
    array([1., 0., 0.])
    >>> GridSearch(step=0.05).maximize(
    ...     LinearObjective(planted_linear(5, 10, 46, seed=2).data, AP()),
    ...     Simplex(), start=np.ones(46), rng=np.random.default_rng(0))
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: ...

    References
    ----------
    Metzler 2005, section 4.1; Metzler & Croft 2007, section 2.3.1.
    """

    step: float = 0.1
    max_points: int = 100_000
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        if not _FINEST <= self.step <= 1 or not math.isclose(self.step * self.n_steps, 1.0, rel_tol=1e-9):
            raise InvalidParameterError(
                f"step is {self.step}; it must be 1/K for a whole number K up to a million, such as 0.1 or 1/3"
            )
        if self.max_points < 1:
            raise InvalidParameterError(f"max_points is {self.max_points}; a grid has at least one point")

    @property
    def n_steps(self) -> int:
        """Number K of steps from 0 to 1."""
        return round(1 / self.step)

    def n_points(self, n_features: int) -> int:
        """Return the number of points to evaluate for a number of features.

        Parameters
        ----------
        n_features : int
        """
        require_features(n_features)
        return lattice_size(n_features, self.n_steps)

    def ascend(self, state: AscentState, rng: np.random.Generator) -> None:
        """Evaluate the grid block by block, and move to the best point."""
        objective, space = state.objective, state.space
        self._require_feasible(space, objective.n_features)
        for block in lattice_blocks(objective.n_features, self.n_steps, state.points_at_once):
            grid = block / self.n_steps
            points = grid[[space.contains(point) for point in grid]]
            values = state.values(points)
            if values.size:
                best = int(np.argmax(values))
                state.move(Point(points[best], float(values[best])))

    def _require_feasible(self, space: ParameterSpace, n_features: int) -> None:
        if not isinstance(space, Simplex | AugmentedSimplex):
            raise IncompatibleError(
                f"a grid over the {space.name} space is infinite; choose the space simplex or augmented-simplex, "
                "or use CoordinateAscent"
            )
        if self.n_points(n_features) > self.max_points:
            raise InvalidParameterError(
                f"a grid of step 1/{self.n_steps} over {n_features} features has {self.n_points(n_features):,} points, "
                f"more than max_points = {self.max_points:,}; {self._coarser(n_features)}use CoordinateAscent"
            )

    def _coarser(self, n_features: int) -> str:
        fitting = 0
        while lattice_size(n_features, fitting + 1) <= self.max_points:
            fitting += 1
        if fitting == 0:
            return ""
        return f"take step=1/{fitting} with {lattice_size(n_features, fitting):,} points, or "
