"""What does a full cycle of coordinate ascent cost on data of MSLR-WEB30K's size, in time and memory?

Data      Synthetic with that shape: 19,000 queries, 2.3 million documents x 136 features, float32 as stored; and 1/16
          and 1/4 of the queries, for growth. Each size runs in a process of its own.
Baseline  The feature matrix (memory), and one read of it to score every document (time).
Prints    Seconds of 136 exact lines of nDCG@10 from uniform weights, also as multiples of scoring once; the most memory
          the process ever took, as a multiple of the matrix, and what the interpreter with everything imported and
          compiled had taken before there was data.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
from harness import format_seconds, machine, median_seconds, report, seconds

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import mslr_like
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics.registry import parse_metric
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.optimizer import Ascent, Budget
from rankmax.spaces import Euclidean


@dataclass(frozen=True)
class Cycle:
    """What one size took; bytes are the most memory that the process had taken by then."""

    n_documents: int
    matrix_bytes: int
    seconds: float
    scoring_seconds: float
    bytes_without_data: int
    bytes_with_data: int
    bytes_after_cycle: int
    values: tuple[float, float]


def measure(n_queries: int, metric: str) -> Cycle:
    cycle(mslr_like(100, seed=1), metric)  # compiles, also what only larger data needs
    without_data = most_bytes()
    data = mslr_like(n_queries, seed=1)
    with_data = most_bytes()
    ascent: list[Ascent] = []
    spent = seconds(lambda: ascent.append(cycle(data, metric)))
    after_cycle = most_bytes()
    ones = np.ones(data.n_features)
    return Cycle(
        n_documents=data.n_documents,
        matrix_bytes=data.features.nbytes,
        seconds=spent,
        scoring_seconds=median_seconds(lambda: data.scores(ones), repeats=3),
        bytes_without_data=without_data,
        bytes_with_data=with_data,
        bytes_after_cycle=after_cycle,
        values=(ascent[0].history[0].value, ascent[0].value),
    )


def cycle(data: RankingDataset, metric: str) -> Ascent:
    """Search one line along every feature."""
    space = Euclidean()
    optimizer = CoordinateAscent(budget=Budget(lines=data.n_features))
    objective = LinearObjective(data, parse_metric(metric))
    return optimizer.maximize(objective, space, start=space.start(data.n_features), rng=np.random.default_rng(0))


def most_bytes() -> int:
    """Return the most resident memory this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--queries", type=int, default=19_000)
    options.add_argument("--shares", type=int, nargs="+", default=[16, 4, 1], help="sizes, as divisors of --queries")
    options.add_argument("--metric", default="nDCG@10")
    arguments = options.parse_args()
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    print(machine())
    for share in arguments.shares:
        n_queries = arguments.queries // share
        if available < 2 * n_queries * 120 * 136 * 4:
            print(f"skipped: {n_queries} queries need more than the {available / 1e9:.1f} GB of memory that are free")
            continue
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
            found = process.submit(measure, n_queries, arguments.metric).result()
        report(
            f"{arguments.metric}, {n_queries} queries, {found.n_documents} documents",
            cycle=format_seconds(found.seconds),
            line_per_document=format_seconds(found.seconds / 136 / found.n_documents),
            line_in_scorings=f"{found.seconds / 136 / found.scoring_seconds:.2f}",
            matrix=f"{found.matrix_bytes / 1e9:.2f} GB",
            peak=f"{found.bytes_after_cycle / found.matrix_bytes:.2f} matrices",
            with_data=f"{found.bytes_with_data / found.matrix_bytes:.2f} matrices",
            without_data=f"{found.bytes_without_data / 1e9:.2f} GB",
            value=f"{found.values[0]:.4f} to {found.values[1]:.4f}",
        )


if __name__ == "__main__":
    main()
