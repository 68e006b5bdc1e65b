"""Rank discounts of gains."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from rankmax._arrays import F64
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.metrics.metric_parameters import check_table, format_value

Discount: TypeAlias = str | tuple[float, ...]
"""``"log2"``: 1 / log2(1 + r); ``"jk"``: 1, 1, then 1 / log2(r), Järvelin and Kekäläinen's with base 2; or a table
of discounts for the ranks 1, 2, 3, ...; documents ranked below its end count nothing."""

_NAMED: dict[str, Callable[[F64], F64]] = {
    "log2": lambda ranks: 1.0 / np.log2(1.0 + ranks),
    "jk": lambda ranks: 1.0 / np.maximum(1.0, np.log2(ranks)),
}


def check_discount(symbol: str, discount: Discount) -> None:
    """Raise unless `discount` is a known name or a nonincreasing table."""
    if isinstance(discount, tuple):
        check_table(symbol, "discount", discount)
        if any(after > before for before, after in pairwise(discount)):
            raise InvalidParameterError(
                f"{symbol}: discount={format_value(discount)} increases; a lower rank must not count for more"
            )
    elif discount not in _NAMED:
        raise UnknownNameError(f"discount of {symbol}", str(discount), [*_NAMED, "a table by rank"])


def discount_by_rank(discount: Discount, ranks: F64) -> F64:
    """Return the discount of the ranks 1, 2, ...

    Examples
    --------
    >>> ranks = np.arange(1.0, 5.0)
    >>> discount_by_rank("jk", ranks), discount_by_rank((1, 0.5), ranks)
    (array([1.       , 1.       , 0.63092975, 0.5      ]), array([1. , 0.5, 0. , 0. ]))
    """
    if isinstance(discount, tuple):
        table = np.zeros(ranks.size)
        table[: len(discount)] = discount[: ranks.size]
        return table
    return _NAMED[discount](ranks)
