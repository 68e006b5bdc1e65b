"""Metric parameters as plain values, for constructors and names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from math import isfinite
from typing import Any

import numpy as np

from rankmax.errors import InvalidParameterError


def plain(value: Any) -> Any:
    """Return numpy scalars and sequences as Python numbers and tuples, so that equal parameters compare equal.

    Examples
    --------
    >>> plain(np.array([0, 1, 3])), plain(np.int64(2)), plain("exp2")
    ((0, 1, 3), 2, 'exp2')
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    return tuple(map(plain, value)) if isinstance(value, list | tuple) else value


def format_value(value: object) -> str:
    """Format a parameter as a metric's name shows it and the parser reads it.

    Examples
    --------
    >>> format_value(2.0), format_value((0, 1.5)), format_value("exp2")
    ('2', '[0,1.5]', "'exp2'")
    """
    if isinstance(value, StrEnum):
        return repr(value.value)
    if isinstance(value, tuple):
        return f"[{','.join(map(format_value, value))}]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return repr(value)


def is_number(value: object) -> bool:
    """Return whether `value` is a finite real number; a truth value is not one."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:  # an integer of more than 308 digits
        return False


def check_number(
    symbol: str, parameter: str, value: object, allowed: str, is_allowed: Callable[[float], bool] = lambda _: True
) -> None:
    """Raise unless `value` is a finite number for which `is_allowed` holds; `allowed` describes those numbers."""
    if not (is_number(value) and is_allowed(value)):  # type: ignore[arg-type]
        raise InvalidParameterError(f"{symbol}: {parameter}={format_value(value)} must be {allowed}")


def check_table(symbol: str, parameter: str, table: Sequence[object]) -> None:
    """Raise unless `table` holds one or more finite, nonnegative numbers."""
    if not table or not all(is_number(value) and value >= 0 for value in table):  # type: ignore[operator]
        raise InvalidParameterError(
            f"{symbol}: {parameter}={format_value(tuple(table))} must hold one or more nonnegative numbers"
        )
