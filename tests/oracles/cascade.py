"""A cascade model of clicks by enumeration of all that users may do on a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np


def page_visits(
    attractive: Sequence[float], after_click: Sequence[float], otherwise: float
) -> Iterator[tuple[tuple[bool, ...], float, np.ndarray]]:
    """Yield each pattern of clicks, its probability, and the probability that also each document was looked at."""
    n = len(attractive)
    for clicks in product([False, True], repeat=n):
        total, looked = 0.0, np.zeros(n)
        for last in range(n):  # the last document that is looked at
            if any(clicks[last + 1 :]):
                continue
            chance = 1.0
            for k in range(last + 1):
                on = after_click[k] if clicks[k] else otherwise
                chance *= attractive[k] if clicks[k] else 1 - attractive[k]
                chance *= on if k < last else 1 - on if k < n - 1 else 1.0
            total += chance
            looked[: last + 1] += chance
        yield clicks, total, looked
