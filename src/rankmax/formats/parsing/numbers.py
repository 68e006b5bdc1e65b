"""Parsing of numbers in tables."""

from __future__ import annotations

import math


def finite_number(text: str) -> float:
    """Return the value of a text, or raise ValueError unless it is a finite decimal number.

    Surrounding blanks are ignored. Only Python reads ``1_000`` and the digits of other scripts as numbers; the author
    of such a cell meant something else.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> finite_number(" 2.5e3")
    2500.0
    >>> finite_number("1_000")
    Traceback (most recent call last):
    ValueError: not a finite number
    """
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError("not a finite number")
    return value
