"""Which way of training serves new queries best?

Data      The training part of the first of LETOR's folds (S1, S2 and S3) of some collections, in subfolders of --folder
          (the tests' folder of real data when left out). Its queries are dealt into five folds, each ranked by weights
          learned from the other four, and that several times: with few queries another deal can tell another story.
          Validation and test parts are not read.
Baseline  The surrogate's minimum with a weak penalty, where exact ascents begin.
Prints    For each choice the metric on the queries learned from and on new ones, the difference to the baseline on the
          latter with its standard error (over queries, each the mean of its deals), and processor seconds of training.
          Choices "held-out" give a fifth of the queries they have away, to choose by.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Results, edition, machine, markdown_table
from letor_collections import parser

from rankmax import LinearRanker, RankingDataset, StructuralSVM
from rankmax._arrays import F64, I64
from rankmax.data.splits import concatenate, k_folds, split_queries
from rankmax.formats.letor import read_letor
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.forward_selection import ForwardSelection

BASELINE = "surrogate, weak penalty"
CHOICES: dict[str, Callable[[str], Any]] = {
    BASELINE: lambda metric: LinearRanker(metric, n_restarts=1, smoothing=0.0, shrinkage=1.0),
    "default": LinearRanker,
    "surrogate": lambda metric: LinearRanker(metric, shrinkage=1.0),
    "no shrinkage": lambda metric: LinearRanker(metric, shrinkage=0.0),
    **{
        f"smoothing {smoothing}": lambda metric, smoothing=smoothing: LinearRanker(metric, smoothing=smoothing)
        for smoothing in (0.2, 0.8, 1.6)
    },
    "SVM-map": lambda metric: StructuralSVM("AP", metric=metric),
    "bag 20": lambda metric: LinearRanker(metric, n_bags=20),
    "held-out": LinearRanker,
    "simplex": lambda metric: LinearRanker(metric, space="simplex"),
    "exact": lambda metric: LinearRanker(metric, smoothing=0.0),
    "exact, no shrinkage": lambda metric: LinearRanker(metric, smoothing=0.0, shrinkage=0.0),
    "exact, 1 start": lambda metric: LinearRanker(metric, n_restarts=1, smoothing=0.0),
    "exact, bag 20": lambda metric: LinearRanker(metric, n_bags=20, smoothing=0.0),
    "coordinates": lambda metric: LinearRanker(metric, n_restarts=1, optimizer=CoordinateAscent()),
    "coordinates, no shrinkage": lambda metric: LinearRanker(
        metric, n_restarts=1, optimizer=CoordinateAscent(), shrinkage=0.0
    ),
    "forward selection": lambda metric: LinearRanker(metric, n_restarts=1, optimizer=ForwardSelection()),
}


def values(name: str, metric: str, known: RankingDataset, new: RankingDataset) -> dict[str, list[float | None]]:
    """Train, and return the metric of each known and each new query (None: left out)."""
    validation = None
    learned = known
    if name.endswith("held-out"):
        learn, hold = split_queries(known, [0.8, 0.2], seed=0, stratified=True)
        learned, validation = known.select(learn), known.select(hold)
    given = {} if validation is None else {"validation": validation}
    model = CHOICES[name](metric).fit_dataset(learned, **given).model_
    scored = {
        part: evaluate_metrics([parse_metric(metric)], model.scores(data), data.judgments)[0]
        for part, data in (("known", learned), ("new", new))
    }
    return {part: [None if np.isnan(v) else v for v in found.tolist()] for part, found in scored.items()}


def main() -> None:
    options = parser(__doc__, folds="12345")
    options.add_argument("--deals", type=int, default=3, help="times the queries are dealt into folds")
    options.add_argument("--choices", nargs="+", default=list(CHOICES), choices=CHOICES)
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("training_choices", fresh=arguments.fresh)
    for collection in arguments.collections:
        data = concatenate([read_letor(arguments.folder / collection / f"S{i}.txt.gz") for i in (1, 2, 3)])
        for metric in arguments.metrics:
            rows = {name: Row(data.n_queries) for name in dict.fromkeys([BASELINE, *arguments.choices])}
            for deal in range(arguments.deals):
                for number, fold in enumerate(k_folds(data, 5, seed=deal, stratified=True), 1):
                    if number not in arguments.folds:
                        continue
                    parts = data.select(fold.train), data.select(fold.test)
                    for name, row in rows.items():
                        found = results.get(
                            f"{edition('rankmax')}, {collection}, {metric}, {name}, deal {deal}, fold {number}",
                            lambda name=name, metric=metric, parts=parts: values(name, metric, *parts),
                        )
                        row.add(found, fold.test)
            print(f"\n{collection}, {metric}\n{table(rows)}\n", flush=True)


class Row:
    """One choice's results over folds and deals."""

    def __init__(self, n_queries: int) -> None:
        self.by_query: list[list[float]] = [[] for _ in range(n_queries)]
        self.known: list[float] = []
        self.cpu_seconds: list[float] = []

    def add(self, found: dict[str, Any], new_queries: I64) -> None:
        """Take one fold's values."""
        for query, value in zip(new_queries.tolist(), found["new"], strict=True):
            if value is not None:
                self.by_query[query].append(value)
        self.known.append(float(np.mean([v for v in found["known"] if v is not None])))
        self.cpu_seconds.append(found["cpu_seconds"])

    @property
    def new(self) -> F64:
        """Mean over deals for each query; NaN where it was never new, or is left out."""
        return np.array([np.mean(values) if values else np.nan for values in self.by_query])


def table(rows: dict[str, Row]) -> str:
    lines = []
    for name, row in rows.items():
        difference = row.new - rows[BASELINE].new
        error = np.nanstd(difference, ddof=1) / np.sqrt(np.count_nonzero(~np.isnan(difference)))
        lines.append(
            [
                name,
                f"{np.mean(row.known):.4f}",
                f"{np.nanmean(row.new):.4f}",
                f"{np.nanmean(difference):+.4f} ± {error:.4f}",
                f"{np.mean(row.cpu_seconds):.1f}",
            ]
        )
    return markdown_table(["choice", "known queries", "new queries", "to the baseline", "CPU s"], lines)


if __name__ == "__main__":
    main()
