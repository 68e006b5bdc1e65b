"""Timing two ways of doing one thing, fairly.

Machines are noisy, so the two sides are warmed up, run in turns, and compared by the median of the paired ratios.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import rankmax
from rankmax._io.files import atomic_writer

Clock = Callable[[], float]


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


def compare(
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    *,
    repeats: int = 5,
    warm_up: bool = True,
    clock: Clock = time.perf_counter,
) -> Ratio:
    """Run both in turns, after one unmeasured round each."""
    if warm_up:
        ours()
        theirs()
    times = [(seconds(ours, clock), seconds(theirs, clock)) for _ in range(repeats)]
    return Ratio(tuple(t[0] for t in times), tuple(t[1] for t in times))


def seconds(action: Callable[[], Any], clock: Clock = time.perf_counter) -> float:
    """Run once and return the wall time, or the time of another clock."""
    start = clock()
    action()
    return clock() - start


def median_seconds(action: Callable[[], Any], *, repeats: int = 5, clock: Clock = time.perf_counter) -> float:
    """Median time after one unmeasured run."""
    action()
    return statistics.median(seconds(action, clock) for _ in range(repeats))


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


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a table whose columns line up in plain text too."""
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join(f"| {' | '.join(c.ljust(w) for c, w in zip(line, widths, strict=True))} |" for line in lines)


@cache
def edition(package: str) -> str:
    """Return a package's name and version; of rankmax, a hash of its source, so that no figure outlives a change."""
    if package != "rankmax":
        return f"{package} {version(package)}"
    source = hashlib.sha256()
    root = Path(rankmax.__file__).parent
    for path in sorted(root.rglob("*.py")):
        source.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return f"rankmax {source.hexdigest()[:12]}"


class Results:
    """Results of a benchmark that takes long, by name, in a JSON file of benchmarks/results: a second run resumes.

    Times are part of the results, so a run for the record begins with a fresh file.
    """

    def __init__(self, name: str, *, fresh: bool = False) -> None:
        self._path = Path(__file__).parent / "results" / f"{name}.json"
        self._path.parent.mkdir(exist_ok=True)
        kept = not fresh and self._path.exists()
        self._results: dict[str, Any] = json.loads(self._path.read_bytes()) if kept else {}

    def get(self, name: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the stored result, or compute and store it, with the seconds and processor seconds it took."""
        if name not in self._results:
            wall, processor = time.perf_counter(), time.process_time()
            result = compute()
            spent = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - processor}
            self._results[name] = {**spent, **result}
            with atomic_writer(self._path) as file:
                file.write(json.dumps(self._results, indent=1).encode())
            print(f"  {name}: {format_seconds(self._results[name]['seconds'])}", flush=True)
        result: dict[str, Any] = self._results[name]
        return result
