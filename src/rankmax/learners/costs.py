"""C, what errors cost beside large weights: which values to try, and how validation queries choose among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from rankmax.arrays import F64
from rankmax.errors import InvalidParameterError

C_GRID: tuple[float, ...] = tuple(float(f"1e{power}") for power in range(-2, 6))
"""What validation queries choose C from unless told otherwise."""

DEFAULT_C = 100.0
"""C where neither it nor validation queries are given."""


class Solved(Protocol):
    """Weights for one C, and what ended the search for them."""

    @property
    def weights(self) -> F64:
        """What is learned."""

    @property
    def stopped_by(self) -> str:
        """What ended the search: "interrupted", or anything else."""


_SolutionT = TypeVar("_SolutionT", bound=Solved)


@dataclass(frozen=True, eq=False)
class Candidate(Generic[_SolutionT]):
    """A solution, and how good it is on the validation queries.

    Attributes
    ----------
    C : float
    solution : Solved
    validation_value : float
    """

    C: float
    solution: _SolutionT
    validation_value: float


def costs_to_try(
    learner: str, C: float | Sequence[float] | None, *, validated: bool, finite: bool = True
) -> list[float]:
    """Return each C to solve for, from the smallest on.

    Parameters
    ----------
    learner : str
        Whose parameter it is, for errors.
    C : float or sequence of float, optional
        As a user gave it.
    validated : bool
        Whether there are validation queries to choose by.
    finite : bool
        Whether C may not be infinite.

    Examples
    --------
    >>> costs_to_try("RankingSVM", None, validated=False), costs_to_try("RankingSVM", [10, 0.1], validated=True)
    ([100.0], [0.1, 10.0])
    """
    given = (C_GRID if validated else DEFAULT_C) if C is None else C
    values = [given] if isinstance(given, str) or not hasattr(given, "__iter__") else list(given)
    if not values or not all(_is_positive(value) for value in values):
        raise InvalidParameterError(f"{learner}: C={C!r} must be a positive number, or several to choose among")
    if finite and any(math.isinf(value) for value in values):
        raise InvalidParameterError(f"{learner}: C={C!r} is infinite; give a finite one, such as 100000")
    if len(values) > 1 and not validated:
        raise InvalidParameterError(f"{learner}: C={C!r} needs validation queries to choose by; give them, or one C")
    return sorted({float(value) for value in values})


def select_C(  # noqa: N802 - the parameter's own name
    solve: Callable[[float], _SolutionT], judge: Callable[[F64], float], grid: Sequence[float] = C_GRID
) -> tuple[Candidate[_SolutionT], list[Candidate[_SolutionT]]]:
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
    path: list[Candidate[_SolutionT]] = []
    for C in sorted(grid):
        solution = solve(C)
        path.append(Candidate(C, solution, judge(solution.weights)))
        if solution.stopped_by == "interrupted":
            break
    return path[int(np.argmax([candidate.validation_value for candidate in path]))], path


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(value > 0)
