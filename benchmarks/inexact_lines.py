"""What do inexact line searches lose, and what does an exact line cost a metric without tables?

Data      Parts S1 to S3 of MQ2008 and OHSUMED in the tests' folder of real data, AP and nDCG@10 on these training
          queries.
Baseline  Coordinate ascent from uniform weights by exact lines.
Prints    Value, number of lines and CPU time for a line of coordinate ascent with each search (values are
          deterministic, so one run each); then CPU time for a line of such metrics stated as Python functions, over the
          first ten features, and how many of these lines were followed exactly.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from harness import report
from letor_collections import DATA

from rankmax.data.splits import concatenate
from rankmax.errors import IncompatibleError
from rankmax.formats.letor import read_letor
from rankmax.line_search.fixed_steps import FixedSteps
from rankmax.line_search.golden_section import GoldenSection
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import FunctionMetric, from_function, parse_metric
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.spaces import Euclidean

SEARCHES = (None, GoldenSection(), GoldenSection(n_places=0, n_sections=28), FixedSteps())


def average_precision(grades: np.ndarray) -> float:
    relevant = np.flatnonzero(grades > 0)
    return float((np.arange(1, relevant.size + 1) / (relevant + 1)).mean()) if relevant.size else 0.0


def dcg(grades: np.ndarray) -> float:
    return float((grades / np.log2(np.arange(2, grades.size + 2))).sum())


def main() -> None:
    for name in ("MQ2008", "OHSUMED"):
        folder = DATA / "letor" / name
        if not folder.is_dir():
            print(f"skipped: no folder {folder}")
            continue
        compare_searches(folder)


def compare_searches(folder: Path) -> None:
    data = concatenate([read_letor(folder / f"S{i}.txt.gz") for i in (1, 2, 3)])
    start = np.full(data.n_features, 1 / data.n_features)
    for metric in (parse_metric("AP"), parse_metric("nDCG@10")):
        for search in SEARCHES:
            objective = LinearObjective(data, metric, line_search=search)
            objective.line_search(objective.at(start), np.eye(data.n_features)[0])  # compiles
            began = time.process_time()
            ascent = CoordinateAscent().maximize(objective, Euclidean(), start=start, rng=np.random.default_rng(0))
            cost = (time.process_time() - began) / ascent.n_lines
            label = "exact" if search is None else str(search)
            report(
                f"{folder.name} {metric} {label}",
                value=f"{ascent.value:.4f}",
                lines=ascent.n_lines,
                cpu_ms=f"{1e3 * cost:.1f}",
            )
    for function in (from_function(average_precision), from_function(dcg) @ 10):
        time_function(LinearObjective(data, function), function, start, folder.name)


def time_function(objective: LinearObjective, metric: FunctionMetric, start: np.ndarray, name: str) -> None:
    point = objective.at(start)
    axes = np.eye(start.size)[:10]
    objective.line_search(point, axes[0])
    began = time.process_time()
    for axis in axes:
        objective.line_search(point, axis)
    cost = (time.process_time() - began) / len(axes)
    n_exact = 0
    for axis in axes:
        try:
            objective.step_function(point, axis)
            n_exact += 1
        except IncompatibleError:
            pass
    report(f"{name} function {metric}", cpu_ms=f"{1e3 * cost:.0f}", exact=f"{n_exact} of {len(axes)}")


if __name__ == "__main__":
    main()
