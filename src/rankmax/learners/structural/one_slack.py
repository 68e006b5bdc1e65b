"""The one-slack formulation: all queries share one slack, and a constraint is a ranking of every query."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankmax.arrays import F64
from rankmax.learners.structural.problem import CuttingPlane, MarginProblem
from rankmax.learners.structural.quadratic import WorkingSet
from rankmax.learners.structural.solution import Solution, SolutionCallback

_STEP = 0.1  # as in Franc & Sonnenburg 2008
_ROUNDS_IDLE = 50  # after which a constraint is dropped, as in Joachims, Finley & Yu 2009, or the search ends


def solve_one_slack(
    problem: MarginProblem,
    C: float,
    *,
    tolerance: float,
    max_iterations: int,
    working: WorkingSet | None = None,
    callback: SolutionCallback | None = None,
) -> Solution:
    r"""Solve Optimisation Problem 1 by cutting planes, with one slack for all queries.

    .. math:: \min_{w, \xi \ge 0} \frac12 \lVert w \rVert^2 + C \xi \quad \text{s.t. }
              \forall (\bar y_1, ..., \bar y_n):
              \frac{w^T}{n} \sum_q (\Psi(x_q, y_q) - \Psi(x_q, \bar y_q))
              \ge \frac{1}{n} \sum_q \Delta(y_q, \bar y_q) - \xi

    has the same optimum as the paper's n slacks, at which :math:`\xi = \frac{1}{n} \sum_q \xi_q`, and needs far fewer
    constraints. Each round adds the most violated one and solves the quadratic program over those found so far. The
    constraint is not looked for at that program's solution, which jumps about, but a tenth of the way there from the
    best weights so far: five times fewer rounds.

    Parameters
    ----------
    problem : MarginProblem
    C : float
    tolerance : float
        Stop when the gap is at most C times this.
    max_iterations : int
    working : WorkingSet, optional
        Constraints of earlier solutions, for another C, to start from; those found are added.
    callback : callable, optional

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.learners.structural.losses import structural_loss
    >>> problem = MarginProblem(planted_linear(20, 10, 3, seed=1).data, structural_loss("AP"))
    >>> solution = solve_one_slack(problem, 10.0, tolerance=1e-4, max_iterations=500)
    >>> solution.stopped_by, solution.gap <= 10 * 1e-4
    ('converged', True)

    References
    ----------
    Joachims, Finley & Yu 2009, Cutting-plane training of structural SVMs, Optimization Problem 4 and Algorithm 3.
    Franc & Sonnenburg 2008, Optimized cutting plane algorithm for support vector machines, for where to cut.
    """
    from threadpoolctl import threadpool_limits

    if working is None:
        working = WorkingSet(problem.n_weights, 1)
    restricted = working.solve(C)
    bound = restricted.bound
    best, plane = _evaluate(problem, C, restricted.weights)
    narrowest, narrowed = np.inf, 0
    stopped_by = "iterations"
    try:
        with threadpool_limits(1, "blas"):  # waking threads for such small matrices takes longer than they work
            for iteration in range(1, max_iterations + 1):
                gap = max(best.objective - bound, 0.0)
                best = replace(best, gap=gap, n_iterations=iteration, n_constraints=len(working))
                if callback is not None:
                    callback(best)
                if gap < narrowest:
                    narrowest, narrowed = gap, iteration
                if gap <= C * tolerance or iteration - narrowed == _ROUNDS_IDLE:
                    stopped_by = "converged" if gap <= C * tolerance else "precision"
                    break
                working.add(plane)
                restricted = working.solve(C)
                working.drop_idle(_ROUNDS_IDLE)
                bound = max(bound, restricted.bound)
                tried, plane = _evaluate(problem, C, best.weights + _STEP * (restricted.weights - best.weights))
                if tried.objective < best.objective:
                    best = tried
    except KeyboardInterrupt:
        stopped_by = "interrupted"
    return replace(best, stopped_by=stopped_by)


def _evaluate(problem: MarginProblem, C: float, weights: F64) -> tuple[Solution, CuttingPlane]:
    """Return weights with their objective, and the constraint that they violate most."""
    plane = problem.cut(weights)
    slack = max(plane.at(weights), 0.0)
    objective = float(weights @ weights) / 2 + C * slack
    return Solution(weights, objective, np.inf, slack, 0, 0), plane
