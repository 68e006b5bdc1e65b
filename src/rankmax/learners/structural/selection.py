"""Choosing C by validation queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64
from rankmax.learners.structural.solution import Solution

C_GRID: tuple[float, ...] = tuple(float(f"1e{power}") for power in range(-2, 6))
"""What C is chosen from unless told otherwise."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A solution, and how good it is on the validation queries.

    Attributes
    ----------
    C : float
    solution : Solution
    validation_value : float
    """

    C: float
    solution: Solution
    validation_value: float


def select_C(  # noqa: N802 - the parameter's own name
    solve: Callable[[float], Solution], judge: Callable[[F64], float], grid: Sequence[float] = C_GRID
) -> tuple[Candidate, list[Candidate]]:
    """Solve for each C, from the smallest on, and return the best, and all of them.

    Of equally good ones the smallest C is taken: the widest margin. An interrupt ends with the best so far.

    Parameters
    ----------
    solve : callable
        Returns the solution for a C.
    judge : callable
        Returns how good weights are on the validation queries; higher is better.
    grid : sequence of float

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.learners.structural.losses import structural_loss
    >>> from rankmax.learners.structural.one_slack import OneSlackSolver
    >>> from rankmax.learners.structural.problem import MarginProblem
    >>> problem = MarginProblem(planted_linear(20, 10, 3, seed=1).data, structural_loss("AP"))
    >>> solver = OneSlackSolver(problem, tolerance=1e-4, max_iterations=500)
    >>> best, path = select_C(solver.solve, lambda w: -problem.slack(w), [0.1, 10.0, 1.0])
    >>> best.C, [candidate.C for candidate in path]
    (10.0, [0.1, 1.0, 10.0])

    References
    ----------
    Yue, Finley, Radlinski & Joachims 2007, section 5: a wide range of C, and the model that is best on the validation
    set.
    """
    path: list[Candidate] = []
    for C in sorted(grid):
        solution = solve(C)
        path.append(Candidate(C, solution, judge(solution.weights)))
        if solution.stopped_by == "interrupted":
            break
    return path[int(np.argmax([candidate.validation_value for candidate in path]))], path
