"""What does one exact line search cost, in sorts, and how does it grow?

Data      MSLR-shaped: 120 documents per query, 5 grades, a dense random direction; then more queries, more documents
          per query, and directions along which few documents move.
Baseline  Sorting every query's documents once by score with numba's stable argsort, in parallel.
Asserts   The value found equals the metric recomputed at the chosen point, and the maximum of the whole step function.
Time      That of the processor, so that a busy machine does not matter; NUMBA_NUM_THREADS=1 spares it idle threads.
"""

from __future__ import annotations

import time

import numpy as np
from harness import Ratio, compare, machine, median_seconds, report
from numba import njit, prange

from rankmax.data.judgments import Judgments
from rankmax.line_search.metric_sweep import MetricSweep
from rankmax.metrics import parse_metric

DOCUMENTS = 120


@njit(parallel=True)
def sort_every_query(scores, documents, order):
    for q in prange(scores.size // documents):
        span = slice(q * documents, (q + 1) * documents)
        order[span] = np.argsort(-scores[span], kind="mergesort")


def problem(n_queries: int, documents: int = DOCUMENTS) -> tuple[np.ndarray, np.ndarray, Judgments]:
    rng = np.random.default_rng(0)
    n = n_queries * documents
    grades = rng.choice(5, n, p=[0.52, 0.32, 0.13, 0.02, 0.01])
    scores = rng.normal(size=n) + 0.3 * grades
    slopes = rng.normal(size=n) + 0.2 * grades
    return scores, slopes, Judgments.from_grades(grades, np.arange(n_queries + 1) * documents)


def in_sorts(name: str, n_queries: int, documents: int = DOCUMENTS, moving: float = 1.0) -> tuple[Ratio, float, float]:
    """Return the ratio, the seconds and the steps per query of one line."""
    metric = parse_metric(name)
    scores, slopes, judgments = problem(n_queries, documents)
    slopes = np.where(np.random.default_rng(1).random(slopes.size) < moving, slopes, 0.0)
    sweep = MetricSweep(metric, judgments)
    best = sweep.best(scores, slopes)
    whole = sweep.step_function(scores, slopes)
    assert best == whole.best()
    recomputed = metric.per_query(scores + best.middle * slopes, judgments).mean()
    np.testing.assert_allclose(best.value, recomputed, atol=1e-9)
    order = np.empty(scores.size, np.int64)
    ratio = compare(
        lambda: sweep.best(scores, slopes),
        lambda: sort_every_query(scores, documents, order),
        repeats=9,
        clock=time.process_time,
    )
    return ratio, float(np.median(ratio.ours)), whole.breakpoints.size / n_queries


def main() -> None:
    print(machine())
    for name in ("nDCG@10", "ERR@10", "AP", "nDCG"):
        ratio, _, steps = in_sorts(name, 4000 if "@" in name else 500)
        report(f"exact line, {name}", sorts=f"{1 / ratio.median:.2f}", steps_a_query=f"{steps:.0f}", ratio=ratio)
    for name in ("nDCG@10", "AP"):
        for moving in (1.0, 0.3, 0.1, 0.02):
            n_queries = 4000 if "@" in name else 500
            ratio, seconds, steps = in_sorts(name, n_queries, moving=moving)
            report(
                f"{name}, {moving:.0%} of the documents move",
                sorts=f"{1 / ratio.median:.2f}",
                us_a_query=f"{1e6 * seconds / n_queries:.2f}",
                steps_a_query=f"{steps:.0f}",
            )
    for name, queries in (("nDCG@10", 1000), ("AP", 100)):
        for factor in (1, 4, 16):
            scores, slopes, judgments = problem(queries * factor)
            sweep = MetricSweep(parse_metric(name), judgments)
            seconds = median_seconds(
                lambda s=sweep, a=scores, b=slopes: s.best(a, b), repeats=9, clock=time.process_time
            )
            report(
                f"{name}, {factor} times the queries",
                queries=queries * factor,
                ms=f"{1e3 * seconds:.1f}",
                us_a_query=f"{1e6 * seconds / queries / factor:.2f}",
            )
    for name, total in (("nDCG@10", 240_000), ("AP", 48_000)):
        for documents in (60, 120, 240, 480, 960):
            n_queries = total // documents
            ratio, seconds, steps = in_sorts(name, n_queries, documents)
            report(
                f"{name}, {documents} documents per query",
                sorts=f"{1 / ratio.median:.2f}",
                us_a_query=f"{1e6 * seconds / n_queries:.1f}",
                ns_a_document=f"{1e9 * seconds / total:.0f}",
                steps_a_query=f"{steps:.0f}",
            )


if __name__ == "__main__":
    main()
