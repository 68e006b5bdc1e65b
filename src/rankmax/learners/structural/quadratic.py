"""The restricted quadratic programs: Optimization Problem 1 over a working set of constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax.learners.structural.margin_problem import CuttingPlane

if TYPE_CHECKING:
    import piqp

_ACTIVE = 1e-9  # share of its budget that a constraint's multiplier takes at least when the constraint is active


@dataclass(frozen=True, eq=False)
class Restricted:
    """The solution over a working set.

    Attributes
    ----------
    weights : array of float64, shape (n_weights,)
    bound : float
        Lower bound of the objective over all weights, whatever the remaining constraints are: the value of a feasible
        point of the dual, up to rounding.
    """

    weights: F64
    bound: float


class WorkingSet:
    r"""Working set of constraints, and the best weights for them.

    .. math:: \min_{w, \xi \ge 0} \frac12 \lVert w \rVert^2 + B \sum_g \xi_g
              \quad \text{s.t. } a_t^T w \ge d_t - \xi_{g(t)}

    With one group and B = C that is the one-slack formulation, with a group for each query and B = C/n the paper's.
    While there are fewer constraints than weights the dual is solved,

    .. math:: \max_{\alpha \ge 0} d^T \alpha - \frac12 \lVert A^T \alpha \rVert^2
              \quad \text{s.t. } \sum_{g(t) = g} \alpha_t \le B,

    and beyond that the primal. Either way the weights are :math:`A^T \alpha`, from multipliers made feasible, so that
    the dual's value is a lower bound however exact the solver was.

    Parameters
    ----------
    n_weights, n_groups : int

    Examples
    --------
    >>> working = WorkingSet(n_weights=1, n_groups=1)
    >>> working.add(CuttingPlane(np.array([2.0]), 1.0))
    >>> solved = working.solve(budget=10.0)  # w is as small as 2 w >= 1 allows
    >>> solved.weights.round(6), round(solved.bound, 6)
    (array([0.5]), 0.125)
    """

    def __init__(self, n_weights: int, n_groups: int) -> None:
        self._n_groups = n_groups
        self._normals = np.empty((0, n_weights))
        self._offsets = np.empty(0)
        self._groups = np.empty(0, np.int64)
        self._gram = np.empty((0, 0))
        self._idle = np.empty(0, np.int64)

    def __len__(self) -> int:
        return self._offsets.size

    def add(self, plane: CuttingPlane, group: int = 0) -> None:
        """Add a constraint.

        Parameters
        ----------
        plane : CuttingPlane
        group : int
            The group whose slack it bounds.
        """
        products = self._normals @ plane.normal
        self._gram = np.block([[self._gram, products[:, None]], [products[None], plane.normal @ plane.normal]])
        self._normals = np.vstack([self._normals, plane.normal])
        self._offsets = np.append(self._offsets, plane.offset)
        self._groups = np.append(self._groups, group)
        self._idle = np.append(self._idle, 0)

    def slack(self, weights: F64, group: int = 0) -> float:
        """Return the slack that the constraints of a group require at the given weights.

        Parameters
        ----------
        weights : array of float64, shape (n_weights,)
        group : int
        """
        own = self._groups == group
        return float((self._offsets[own] - self._normals[own] @ weights).max(initial=0.0))

    def solve(self, budget: float) -> Restricted:
        """Return the best weights for the constraints.

        Parameters
        ----------
        budget : float
            B, the cost of a unit of a group's slack.
        """
        if not len(self):
            return Restricted(np.zeros(self._normals.shape[1]), 0.0)
        dual = len(self) < self._normals.shape[1] + self._n_groups
        shares = self._solve_dual(budget) if dual else self._solve_primal(budget)
        shares = self._feasible(shares)
        self._idle = np.where(shares > _ACTIVE, 0, self._idle + 1)
        multipliers = budget * shares
        weights = self._normals.T @ multipliers
        return Restricted(weights, float(multipliers @ self._offsets - weights @ weights / 2))

    def drop_idle(self, rounds: int) -> None:
        """Drop the constraints that have not been active in the last solutions.

        Parameters
        ----------
        rounds : int
        """
        kept: Bool = self._idle < rounds
        if not kept.all():
            self._normals, self._offsets = self._normals[kept], self._offsets[kept]
            self._groups, self._idle = self._groups[kept], self._idle[kept]
            self._gram = self._gram[np.ix_(kept, kept)]

    def _solve_dual(self, budget: float) -> F64:
        """Return multipliers as shares of the budget: the problem is divided by it, in units of the loss."""
        used, membership = np.unique(self._groups, return_inverse=True)
        sums = np.zeros((used.size, len(self)), order="F")
        sums[membership, np.arange(len(self))] = 1.0
        at_most = np.full(used.size, -np.inf), np.ones(used.size)
        result = _minimize(budget * self._gram, -self._offsets, sums, *at_most, np.zeros(len(self)))
        return np.array(result.x)

    def _solve_primal(self, budget: float) -> F64:
        """Return the multipliers of the primal, whose weights are in units of the budget's root."""
        n_constraints, n_weights = self._normals.shape
        used, membership = np.unique(self._groups, return_inverse=True)
        n = n_weights + used.size
        quadratic = np.zeros((n, n), order="F")
        quadratic[range(n_weights), range(n_weights)] = 1.0
        linear = np.append(np.zeros(n_weights), np.ones(used.size))
        constraints = np.zeros((n_constraints, n), order="F")
        constraints[:, :n_weights] = np.sqrt(budget) * self._normals
        constraints[np.arange(n_constraints), n_weights + membership] = 1.0
        lower = np.append(np.full(n_weights, -np.inf), np.zeros(used.size))
        result = _minimize(quadratic, linear, constraints, self._offsets, np.full(n_constraints, np.inf), lower)
        return np.array(result.z_l)

    def _feasible(self, shares: F64) -> F64:
        """Return nearby shares that are nonnegative and sum to at most 1 in each group."""
        clipped = np.maximum(np.nan_to_num(shares), 0.0)
        sums = np.bincount(self._groups, weights=clipped, minlength=self._n_groups)
        return clipped / np.maximum(sums, 1.0)[self._groups]


def _minimize(quadratic: F64, linear: F64, rows: F64, rows_from: F64, rows_to: F64, lower: F64) -> piqp.Result:
    """Minimize x^T P x / 2 + c^T x subject to rows_from <= G x <= rows_to and lower <= x."""
    from piqp import DenseSolver

    solver = DenseSolver()
    solver.setup(np.asfortranarray(quadratic), linear, G=rows, h_l=rows_from, h_u=rows_to, x_l=lower)
    solver.solve()
    return solver.result
