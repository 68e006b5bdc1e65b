"""Powell's method: line searches along a set of directions that need not be the axes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.optimizers.optimizer import AscentState, Budget, Optimizer, require_tolerance

_FLATTEST = 0.01  # least singular value of unit directions that still counts as spanning the same space


@dataclass(frozen=True)
class Powell(Optimizer):
    r"""Search each of a set of directions along its whole line, round-robin, until a cycle gains nothing.

    With ``conjugate=True`` the directions adapt to the path. After each cycle the displacement
    :math:`\pi_N - \pi_0` is searched, too, and replaces the direction that gained most, which is its largest
    component, so that a ridge between the axes is ascended in long steps. It does so only if the directions stay
    well apart (the smallest singular value of the unit directions is at least 0.01), as otherwise they would soon
    collapse into a subspace. When a cycle gains nothing, the given directions are restored, and only a cycle over those
    ends the ascent: at its result, no given direction leads to a gain.

    Parameters
    ----------
    directions : array-like, shape (n_directions, n_features), optional
        Directions to search; by default the axes, which is cyclic coordinate ascent.
    conjugate : bool
        Whether to replace directions by displacements.
    tolerance : float
        Largest gain of a cycle that counts as none.
    budget : Budget
        Limits that stop the ascent early; by default none.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
    >>> from rankmax.metrics import AP
    >>> from rankmax.spaces import Euclidean
    >>> objective = LinearObjective(planted_linear(20, 10, 2, noise=0.5, seed=1).data, AP())
    >>> optimizer = Powell([[1, 1], [1, -1]], conjugate=True)
    >>> ascent = optimizer.maximize(objective, Euclidean(), start=[1.0, 1.0], rng=np.random.default_rng(0))
    >>> ascent.value > objective.at([1.0, 1.0]).value, ascent.stopped_by
    (True, 'converged')

    References
    ----------
    Morgan et al. 2004, section 3.2; for replaced directions Press et al. 1992, the pages cited there.
    """

    directions: ArrayLike | None = None
    conjugate: bool = False
    tolerance: float = 1e-6
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        require_tolerance(self.tolerance)
        if self.directions is not None:
            object.__setattr__(self, "directions", _rows(self.directions))

    def ascend(self, state: AscentState, rng: np.random.Generator) -> None:
        """Ascend in cycles over the directions."""
        given = self._given(state.objective.n_features)
        directions = given
        while True:
            before = state.point.weights
            state.expect(directions)
            gains = [state.along(direction) for direction in directions]
            if sum(gains) <= self.tolerance:
                if directions is given:
                    return
                directions = given
            elif self.conjugate:
                displacement = state.point.weights - before
                state.along(displacement)
                directions = _replaced(directions, int(np.argmax(gains)), displacement)

    def _given(self, n_features: int) -> F64:
        if self.directions is None:
            return np.eye(n_features)
        directions = np.array(self.directions)
        if directions.shape[1] != n_features:
            raise IncompatibleError(
                f"the directions have {directions.shape[1]} numbers each; this problem has {n_features} weights"
            )
        return directions


def _replaced(directions: F64, gained_most: int, displacement: F64) -> F64:
    """Return the directions with one replaced, or unchanged if they would no longer span the same space."""
    replaced = directions.copy()
    replaced[gained_most] = displacement
    return replaced if _spread(replaced) >= min(_FLATTEST, _spread(directions)) else directions


def _spread(directions: F64) -> float:
    units = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    return float(np.linalg.svd(units, compute_uv=False)[-1])


def _rows(directions: ArrayLike) -> tuple[tuple[float, ...], ...]:
    """Return the directions as comparable, immutable values."""
    try:
        rows = np.array(directions, np.float64)
    except (TypeError, ValueError):
        raise InvalidParameterError("directions must be rows of numbers, all of the same length") from None
    if rows.ndim != 2 or rows.size == 0:
        raise InvalidParameterError(f"directions have shape {rows.shape}; expected (n_directions, n_features)")
    if not (np.isfinite(rows).all() and rows.any(axis=1).all()):
        raise InvalidParameterError("directions must be finite numbers, and none of them all zero")
    return tuple(map(tuple, rows.tolist()))
