"""Timing two ways of doing one thing, fairly.

Machines are noisy, so the two sides are warmed up, run in turns, and compared by the median of the paired ratios.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ratio:
    """How many times faster `ours` is than `theirs`."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median over the paired repeats."""
        return statistics.median(self._paired)

    @property
    def spread(self) -> tuple[float, float]:
        """Smallest and largest paired ratio."""
        return min(self._paired), max(self._paired)

    @property
    def _paired(self) -> list[float]:
        return [theirs / ours for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    def __str__(self) -> str:
        low, high = self.spread
        return (
            f"{self.median:.1f}x [{low:.1f}, {high:.1f}]   "
            f"ours {format_seconds(statistics.median(self.ours))}, "
            f"theirs {format_seconds(statistics.median(self.theirs))}"
        )


def compare(ours: Callable[[], Any], theirs: Callable[[], Any], *, repeats: int = 5, warm_up: bool = True) -> Ratio:
    """Run both in turns, after one unmeasured round each."""
    if warm_up:
        ours()
        theirs()
    times = [(seconds(ours), seconds(theirs)) for _ in range(repeats)]
    return Ratio(tuple(t[0] for t in times), tuple(t[1] for t in times))


def seconds(action: Callable[[], Any]) -> float:
    """Run once and return the wall time."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def median_seconds(action: Callable[[], Any], *, repeats: int = 5) -> float:
    """Median wall time after one unmeasured run."""
    action()
    return statistics.median(seconds(action) for _ in range(repeats))


def format_seconds(value: float) -> str:
    """Format a duration with a fitting unit."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def machine() -> str:
    """One line on what the figures were measured on."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def report(name: str, **figures: Any) -> None:
    """Print one result, and append it to the JSON-lines file that RANKMAX_BENCH_OUT names, if any."""
    print(f"{name}: " + "; ".join(f"{key} {value}" for key, value in figures.items()), flush=True)
    if path := os.environ.get("RANKMAX_BENCH_OUT"):
        with open(path, "a") as file:
            file.write(json.dumps({"benchmark": name, "machine": machine(), **{k: str(v) for k, v in figures.items()}}))
            file.write("\n")
