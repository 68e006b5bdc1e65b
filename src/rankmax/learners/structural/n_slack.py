"""The n-slack formulation and algorithm of the paper, with a slack per query, as a reference."""

from __future__ import annotations

from dataclasses import replace

from rankmax._io.interrupts import plain_interrupts
from rankmax.learners.structural.margin_problem import MarginProblem
from rankmax.learners.structural.quadratic import WorkingSet
from rankmax.learners.structural.solution import Solution, SolutionCallback

_INEXACT = 1.5  # times the promised gap: as the quadratic programs are solved to some accuracy only


def solve_n_slack(
    problem: MarginProblem,
    C: float,
    *,
    tolerance: float,
    max_iterations: int,
    callback: SolutionCallback | None = None,
) -> Solution:
    r"""Solve Optimization Problem 1 by Algorithm 1 of Yue et al. 2007.

    .. math:: \min_{w, \xi \ge 0} \frac12 \lVert w \rVert^2 + \frac{C}{n} \sum_q \xi_q \quad \text{s.t. }
              \forall q, y: w^T \Psi(x_q, y_q) \ge w^T \Psi(x_q, y) + \Delta(y_q, y) - \xi_q

    Query by query, the most violated constraint is added if it is violated by more than the tolerance, and the
    quadratic program is solved again. It stops when a round over the queries adds no constraint; the gap is then at
    most C times the tolerance, up to the accuracy of the quadratic programs. It is slow: use it as a check, or to
    follow the paper exactly.

    Parameters
    ----------
    problem : MarginProblem
    C : float
    tolerance : float
        The paper's epsilon.
    max_iterations : int
        Maximum number of rounds over the queries.
    callback : callable, optional

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.learners.structural.loss_registry import structural_loss
    >>> problem = MarginProblem(planted_linear(5, 8, 3, seed=1).data, structural_loss("AP"))
    >>> solution = solve_n_slack(problem, 10.0, tolerance=1e-3, max_iterations=100)
    >>> solution.stopped_by, solution.gap <= 10 * 1e-3
    ('converged', True)

    References
    ----------
    Yue, Finley, Radlinski & Joachims 2007, Algorithm 1 and Theorem 1.
    """
    from threadpoolctl import threadpool_limits

    queries = problem.by_query()
    budget = C / problem.n_queries
    working = WorkingSet(problem.n_weights, problem.n_queries)
    restricted = working.solve(budget)
    slack = problem.slack(restricted.weights)
    best = Solution(restricted.weights, C * slack, C * slack, slack, 0, 0, "iterations")
    try:
        with plain_interrupts(), threadpool_limits(1, "blas"):
            for iteration in range(1, max_iterations + 1):
                n_before = len(working)
                for q, query in enumerate(queries):
                    plane = query.cut(restricted.weights)
                    if plane.at(restricted.weights) > working.slack(restricted.weights, q) + tolerance:
                        working.add(plane, q)
                        restricted = working.solve(budget)
                weights, slack = restricted.weights, problem.slack(restricted.weights)
                objective = float(weights @ weights) / 2 + C * slack
                gap = max(objective - restricted.bound, 0.0)
                ended = "converged" if gap <= _INEXACT * C * tolerance else "precision"
                stopped_by = ended if len(working) == n_before else "iterations"
                best = Solution(weights, objective, gap, slack, iteration, len(working), stopped_by)
                if callback is not None:
                    callback(best)
                if len(working) == n_before:
                    break
    except KeyboardInterrupt:
        return replace(best, stopped_by="interrupted")
    return best
