"""The regularization constant C: values to try, and selection by validation queries."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from rankmax._arrays import F64
from rankmax.errors import InvalidParameterError

C_GRID: tuple[float, ...] = tuple(float(f"1e{power}") for power in range(-2, 6))
"""Default values of C for validation queries to select from."""

DEFAULT_C = 100.0
"""Default C when there are no validation queries."""


class Solved(Protocol):
    """Weights for one C, and the reason why the search stopped."""

    @property
    def weights(self) -> F64:
        """The learned weights."""

    @property
    def stopped_by(self) -> str:
        """The reason why the search stopped: "interrupted", or anything else."""


_SolutionT = TypeVar("_SolutionT", bound=Solved)


@dataclass(frozen=True, eq=False)
class Candidate(Generic[_SolutionT]):
    """A solution and its metric value on the validation queries.

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
    """Return the values of C to try, in ascending order.

    Parameters
    ----------
    learner : str
        Name of the learner, for error messages.
    C : float or sequence of float, optional
        The user's value or values.
    validated : bool
        Whether there are validation queries to select by.
    finite : bool
        Whether C must be finite.

    Examples
    --------
    >>> costs_to_try("RankingSVM", None, validated=False), costs_to_try("RankingSVM", [10, 0.1], validated=True)
    ([100.0], [0.1, 10.0])
    """
    given = (C_GRID if validated else DEFAULT_C) if C is None else C
    values = [given] if isinstance(given, str) or not hasattr(given, "__iter__") else list(given)
    if not values or not all(_is_positive(value) for value in values):
        raise InvalidParameterError(f"{learner}: C={C!r} must be a positive number, or several to select from")
    if finite and any(math.isinf(value) for value in values):
        raise InvalidParameterError(f"{learner}: C={C!r} is infinite; give a finite one, such as 100000")
    if len(values) > 1 and not validated:
        raise InvalidParameterError(f"{learner}: C={C!r} needs validation queries to select by; give them, or one C")
    return sorted({float(value) for value in values})


def select_C(  # noqa: N802 - the parameter's own name
    solve: Callable[[float], _SolutionT], judge: Callable[[F64], float], grid: Sequence[float] = C_GRID
) -> tuple[Candidate[_SolutionT], list[Candidate[_SolutionT]]]:
    """Solve for each C in ascending order, and return the best candidate and all candidates.

    Ties go to the smallest C, which has the widest margin. An interrupt stops early with the best so far.

    Parameters
    ----------
    solve : callable
        Returns the solution for a C.
    judge : callable
        Returns the value of weights on the validation queries; higher is better.
    grid : sequence of float

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.learners.structural.loss_registry import structural_loss
    >>> from rankmax.learners.structural.one_slack import OneSlackSolver
    >>> from rankmax.learners.structural.margin_problem import MarginProblem
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
