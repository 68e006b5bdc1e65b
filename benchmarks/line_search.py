"""What does one exact line search cost, in sorts?

Data      MSLR-shaped: 120 documents a query, 5 grades, a dense random direction; growth in queries.
Baseline  Sorting every query's documents once by score with numba's stable argsort, in parallel.
Asserts   The value found equals the metric recomputed at the chosen point, and the maximum of the whole step function.
"""

from __future__ import annotations

import numpy as np
from harness import compare, machine, median_seconds, report
from numba import njit, prange

from rankmax.data.judgments import Judgments
from rankmax.lines.sweep import MetricSweep
from rankmax.metrics import parse

DOCUMENTS = 120


@njit(parallel=True)
def sort_every_query(scores, n_queries, order):
    for q in prange(n_queries):
        span = slice(q * DOCUMENTS, (q + 1) * DOCUMENTS)
        order[span] = np.argsort(-scores[span], kind="mergesort")


def problem(n_queries: int) -> tuple[np.ndarray, np.ndarray, Judgments]:
    rng = np.random.default_rng(0)
    n = n_queries * DOCUMENTS
    grades = rng.choice(5, n, p=[0.52, 0.32, 0.13, 0.02, 0.01])
    scores = rng.normal(size=n) + 0.3 * grades
    slopes = rng.normal(size=n) + 0.2 * grades
    return scores, slopes, Judgments.from_grades(grades, np.arange(n_queries + 1) * DOCUMENTS)


def main() -> None:
    print(machine())
    for name in ("nDCG@10", "ERR@10", "AP", "nDCG"):
        metric = parse(name)
        n_queries = 4000 if "@" in name else 500
        scores, slopes, judgments = problem(n_queries)
        sweep = MetricSweep(metric, judgments)
        best = sweep.best(scores, slopes)
        assert best == sweep.step_function(scores, slopes).best()
        recomputed = metric.per_query(scores + best.middle * slopes, judgments).mean()
        np.testing.assert_allclose(best.value, recomputed, atol=1e-9)
        order = np.empty(scores.size, np.int64)
        ratio = compare(
            lambda s=sweep, a=scores, b=slopes: s.best(a, b),
            lambda a=scores, q=n_queries, o=order: sort_every_query(a, q, o),
            repeats=7,
        )
        steps = sweep.step_function(scores, slopes).breakpoints.size
        report(
            f"exact line, {name}",
            sorts=f"{1 / ratio.median:.2f}",
            steps_a_query=f"{steps / n_queries:.0f}",
            ratio=ratio,
        )
    for factor in (1, 4, 16):
        scores, slopes, judgments = problem(1000 * factor)
        sweep = MetricSweep(parse("nDCG@10"), judgments)
        seconds = median_seconds(lambda s=sweep, a=scores, b=slopes: s.best(a, b))
        report(
            f"growth {factor}x",
            queries=1000 * factor,
            ms=f"{1e3 * seconds:.1f}",
            us_a_query=f"{1e6 * seconds / 1000 / factor:.2f}",
        )


if __name__ == "__main__":
    main()
