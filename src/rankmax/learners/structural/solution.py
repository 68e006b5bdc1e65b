"""What solving Optimisation Problem 1 gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rankmax.arrays import F64


@dataclass(frozen=True, eq=False)
class Solution:
    r"""Weights, and how near to the best possible they are known to be.

    Attributes
    ----------
    weights : array of float64, shape (n_weights,)
    objective : float
        :math:`\frac12 \lVert w \rVert^2 + \frac{C}{n} \sum_q \xi_q`, with the slacks of all rankings, not only of those
        in the working set.
    gap : float
        The objective less a lower bound of every objective: by at most so much could other weights be better.
    slack : float
        :math:`\frac{1}{n} \sum_q \xi_q`, an upper bound of the mean loss (Proposition 1).
    n_iterations : int
        Searches for the most violated constraints of all queries.
    n_constraints : int
        In the working set at the end.
    stopped_by : str
        "converged", or what ended it early: "iterations", "precision" (the solver of quadratic programs cannot tell
        the constraints apart any more) or "interrupted".
    """

    weights: F64
    objective: float
    gap: float
    slack: float
    n_iterations: int
    n_constraints: int
    stopped_by: str = "converged"


SolutionCallback = Callable[[Solution], None]
"""Told the best so far, after each iteration. An error it raises ends it; KeyboardInterrupt keeps the best so far."""
