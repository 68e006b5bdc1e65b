"""Gains of documents by grade."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from rankmax._arrays import F64
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidDataError, UnknownNameError
from rankmax.metrics.metric_parameters import check_table, format_value

Gain: TypeAlias = str | tuple[float, ...]
"""``"linear"``: the grade r itself; ``"exp2"``: 2^r - 1; or a table of gains for the grades 0, 1, 2, ..."""

_NAMED: dict[str, Callable[[F64], F64]] = {
    "linear": lambda grades: grades,
    "exp2": lambda grades: np.exp2(grades) - 1.0,
}


def check_gain(symbol: str, gain: Gain) -> None:
    """Raise unless `gain` is a known name or a table of nonnegative numbers."""
    if isinstance(gain, tuple):
        check_table(symbol, "gain", gain)
    elif gain not in _NAMED:
        raise UnknownNameError(f"gain of {symbol}", str(gain), [*_NAMED, "a table by grade"])


def gain_by_level(gain: Gain, judgments: Judgments) -> F64:
    """Return the gain of each level; negative grades and unjudged documents have gain 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([-1, 0, 1, 2], [0, 4])
    >>> gain_by_level("exp2", judgments), gain_by_level((0, 1, 10), judgments)
    (array([0., 0., 0., 1., 3.]), array([ 0.,  0.,  0.,  1., 10.]))
    """
    counted = judgments.levels >= 0
    gains = np.zeros(judgments.n_levels)
    if isinstance(gain, tuple):
        gains[counted] = _look_up(gain, judgments.levels[counted])
        return gains
    with np.errstate(over="ignore"):
        gains[counted] = _NAMED[gain](judgments.levels[counted])
    if np.isinf(gains).any():
        raise InvalidDataError(
            f"grade {format_value(float(judgments.levels[-1]))} is too high for the gain 2^grade - 1"
        )
    return gains


def _look_up(table: tuple[float, ...], grades: F64) -> F64:
    index = grades.astype(np.int64)
    if (broken := grades != index).any():
        raise InvalidDataError(
            f"grade {format_value(float(grades[broken][0]))} cannot be looked up in a table of gains by grade: "
            "such a table needs whole grades 0, 1, 2, ..."
        )
    if (outside := index >= len(table)).any():
        raise InvalidDataError(
            f"grade {int(index[outside][0])} has no gain: "
            f"the table {format_value(table)} ends at grade {len(table) - 1}"
        )
    return np.array(table, np.float64)[index]
