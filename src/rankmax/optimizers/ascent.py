"""What an ascent may spend, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from rankmax.arrays import F64
from rankmax.errors import InvalidParameterError


@dataclass(frozen=True, eq=False)
class Progress:
    """One entry of an ascent's history.

    Attributes
    ----------
    n_lines : int
        Lines searched so far.
    value : float
        Best value so far.
    seconds : float
        Since the ascent began, as they were recorded where it is resumed from a journal.
    weights : array, shape (n_features,)
        The best so far.
    """

    n_lines: int
    value: float
    seconds: float
    weights: F64


Callback = Callable[[Progress], None]
"""Called at the start and after every improvement on the best."""


@dataclass(frozen=True, eq=False)
class Ascent:
    """What an optimizer returns.

    Attributes
    ----------
    weights : array, shape (n_features,)
    value : float
        Of the objective at the weights, computed from them.
    history : tuple of Progress
        From the start on, one entry for each improvement.
    n_lines : int
    n_evaluations : int
        Of points that lie on no searched line, the start not counted.
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
    """When to stop before convergence. What a resumed ascent takes from its journal counts too.

    Attributes
    ----------
    lines : int, optional
        Most lines to search.
    seconds : float, optional
    evaluations : int, optional
        Most points to evaluate outside lines.
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
