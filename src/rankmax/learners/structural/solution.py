"""Solutions of Optimization Problem 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rankmax._arrays import F64


@dataclass(frozen=True, eq=False)
class Solution:
    r"""Weights with their objective and a bound on the distance from the optimum.

    Attributes
    ----------
    weights : array of float64, shape (n_weights,)
    objective : float
        :math:`\frac12 \lVert w \rVert^2 + \frac{C}{n} \sum_q \xi_q`, with the slacks of all rankings, not only of those
        in the working set.
    gap : float
        The objective minus a lower bound of the optimum: no weights are better by more than this.
    slack : float
        :math:`\frac{1}{n} \sum_q \xi_q`, an upper bound of the mean loss (Proposition 1).
    n_iterations : int
        Number of searches for the most violated constraints of all queries.
    n_constraints : int
        Number of constraints in the final working set.
    stopped_by : str
        "converged", or the reason for stopping early: "iterations", "precision" (the solver of quadratic programs can
        no longer distinguish the constraints) or "interrupted".
    """

    weights: F64
    objective: float
    gap: float
    slack: float
    n_iterations: int
    n_constraints: int
    stopped_by: str = "converged"


SolutionCallback = Callable[[Solution], None]
"""Receives the best solution after each iteration. Errors end the search; KeyboardInterrupt keeps the best so far."""
