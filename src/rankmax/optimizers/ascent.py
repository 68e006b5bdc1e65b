"""Budget, progress and result of an ascent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from rankmax._arrays import F64
from rankmax.errors import InvalidParameterError


@dataclass(frozen=True, eq=False)
class Progress:
    """One entry of an ascent's history.

    Attributes
    ----------
    n_lines : int
        Number of line searches so far.
    value : float
        Best value so far.
    seconds : float
        Time since the start of the ascent; for a resumed ascent, as recorded in its journal.
    weights : array, shape (n_features,)
        Best weights so far.
    """

    n_lines: int
    value: float
    seconds: float
    weights: F64


Callback = Callable[[Progress], None]
"""Called at the start and after every improvement on the best."""


@dataclass(frozen=True, eq=False)
class Ascent:
    """Result of an optimizer.

    Attributes
    ----------
    weights : array, shape (n_features,)
    value : float
        Value of the objective at the weights, computed from them.
    history : tuple of Progress
        One entry for the start and for each improvement.
    n_lines : int
    n_evaluations : int
        Number of points evaluated outside line searches, not counting the start.
    stopped_by : str
        "converged", "lines", "evaluations", "seconds" or "interrupted".
    """

    weights: F64
    value: float
    history: tuple[Progress, ...]
    n_lines: int
    n_evaluations: int
    stopped_by: str


@dataclass(frozen=True)
class Budget:
    """Limits of an ascent that stop it before convergence; work replayed from a journal counts, too.

    Attributes
    ----------
    lines : int, optional
        Maximum number of line searches.
    seconds : float, optional
        Time limit in seconds.
    evaluations : int, optional
        Maximum number of points evaluated outside line searches.
    """

    lines: int | None = None
    seconds: float | None = None
    evaluations: int | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not value > 0:
                raise InvalidParameterError(
                    f"a budget of {value} {field.name} leaves nothing to do; give a positive number"
                )
