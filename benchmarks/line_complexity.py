"""Is a line O(M^2 log M) for a query of M documents in the worst case, and how far below that is real data?

Morgan, Greiff and Henderson (2004) bound their exhaustive line search by all M (M - 1) / 2 crossings, sorted.

Data      The worst case: documents of two grades in turn, all lines touching a parabola, so that every two of them
          cross at another mu; AP. Then every single feature as the direction, from least squares' weights, on LETOR
          collections in subfolders of --folder (the tests' folder of real data when left out) with S1.txt.gz.
Prints    Worst case: time over M^2 log2 M, which does not grow if the bound holds. Real data: steps as a share of all
          M (M - 1) / 2 crossings.
Asserts   In the worst case, every crossing of two documents of different grade is a step; and the last value found is
          the metric recomputed from the scores there.
"""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path

import numpy as np
from harness import machine, median_seconds, report

from rankmax import LeastSquaresRanker
from rankmax.data.judgments import Judgments
from rankmax.formats.letor import read_letor
from rankmax.line_search.metric_sweep import MetricSweep
from rankmax.metrics import parse_metric

SHARED = Path(__file__).parents[2] / "shared" / "data"


def worst_case(n_documents: int) -> None:
    # Tangents of a parabola: those at s and t cross at mu = (s + t) / 2, and random s give no two sums alike.
    touching = np.sort(np.random.default_rng(0).random(n_documents))
    slopes, scores = 2.0 * touching, -(touching**2)
    judgments = Judgments.from_grades(np.arange(n_documents) % 2, [0, n_documents])
    sweep = MetricSweep(parse_metric("AP"), judgments)
    function = sweep.step_function(scores, slopes)
    crossings = (n_documents // 2) * (n_documents - n_documents // 2)
    assert function.breakpoints.size >= 0.9999 * crossings  # up to sums that rounding makes equal
    np.testing.assert_allclose(function.values[-1], parse_metric("AP").per_query(slopes, judgments)[0], atol=1e-9)
    seconds = median_seconds(lambda: sweep.best(scores, slopes))
    bound = n_documents**2 * math.log2(n_documents)
    report(
        f"worst case, M = {n_documents}",
        steps=function.breakpoints.size,
        ms=f"{1e3 * seconds:.2f}",
        ns_over_m2_log2_m=f"{1e9 * seconds / bound:.2f}",
        ns_over_m2=f"{1e9 * seconds / n_documents**2:.2f}",
    )


def real_data(collection: Path) -> None:
    data = read_letor(collection / "S1.txt.gz")
    scores = LeastSquaresRanker().fit_dataset(data).model_.scores(data)
    by_query = data.judgments.documents_by_query
    all_crossings = float((by_query * (by_query - 1.0) / 2.0).sum())
    for name in ("AP", "nDCG", "nDCG@10", "ERR@10"):
        sweep = MetricSweep(parse_metric(name), data.judgments)
        steps = [sweep.step_function(scores, data.column(j)).breakpoints.size for j in range(data.n_features)]
        report(
            f"{collection.name}, {name}",
            documents_a_query=f"{by_query.mean():.0f}",
            steps_a_query=f"{np.mean(steps) / data.n_queries:.1f}",
            share_of_all_crossings=f"{np.mean(steps) / all_crossings:.2%}",
            largest_share=f"{np.max(steps) / all_crossings:.2%}",
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--folder", type=Path, default=Path(os.environ.get("RANKMAX_DATA", SHARED)) / "letor")
    folder = options.parse_args().folder
    print(machine())
    for n_documents in (100, 200, 400, 800, 1600, 3200):
        worst_case(n_documents)
    for collection in ("MQ2007", "MQ2008", "OHSUMED"):
        if (folder / collection).is_dir():
            real_data(folder / collection)
        else:
            print(f"skipped: no folder {folder / collection}")


if __name__ == "__main__":
    main()
