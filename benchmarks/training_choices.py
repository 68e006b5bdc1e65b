"""Which way of training serves new queries best?

Data      The training part of the first of LETOR's folds (S1, S2 and S3) of some collections, in subfolders of --folder
          (the tests' folder of real data when left out). Its queries are dealt into five folds, each ranked by weights
          learned from the other four; validation and test parts are not read.
Baseline  One ascent from the surrogate's minimum, with the default optimizer.
Prints    For each choice the metric on the queries learned from and on new ones, the difference to the baseline on the
          latter with its standard error (paired by query), and processor seconds of training. Choices "held-out" give a
          fifth of the queries they have away, to choose by.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np
from harness import Results, edition, machine, markdown_table
from letor_collections import parser

from rankmax import LinearRanker, RankingDataset
from rankmax.data.letor import read_letor
from rankmax.data.splits import concatenate, k_folds, split_queries
from rankmax.metrics.evaluate import evaluate_metrics
from rankmax.metrics.parse import parse
from rankmax.optimizers.forward_selection import ForwardSelection

BASELINE = "1 start"
CHOICES: dict[str, Callable[[str], LinearRanker]] = {
    BASELINE: lambda metric: LinearRanker(metric, n_restarts=1),
    "10 starts": LinearRanker,
    "10 starts, held-out": LinearRanker,
    "bag 20": lambda metric: LinearRanker(metric, n_bags=20),
    "bag 20, held-out": lambda metric: LinearRanker(metric, n_bags=20),
    "1 start, simplex": lambda metric: LinearRanker(metric, n_restarts=1, space="simplex"),
    "bag 20, simplex": lambda metric: LinearRanker(metric, n_bags=20, space="simplex"),
    "forward selection": lambda metric: LinearRanker(metric, n_restarts=1, optimizer=ForwardSelection()),
    "forward selection, held-out": lambda metric: LinearRanker(metric, n_restarts=1, optimizer=ForwardSelection()),
    "bag 20, forward selection": lambda metric: LinearRanker(metric, n_bags=20, optimizer=ForwardSelection()),
}


def values(name: str, metric: str, known: RankingDataset, new: RankingDataset) -> dict[str, list[float | None]]:
    """Train, and return the metric of each known and each new query (None: left out)."""
    validation = None
    learned = known
    if name.endswith("held-out"):
        learn, hold = split_queries(known, [0.8, 0.2], seed=0, stratified=True)
        learned, validation = known.select(learn), known.select(hold)
    model = CHOICES[name](metric).fit_dataset(learned, validation=validation).model_
    scored = {
        part: evaluate_metrics([parse(metric)], model.scores(data), data.judgments)[0]
        for part, data in (("known", learned), ("new", new))
    }
    return {part: [None if np.isnan(v) else v for v in found.tolist()] for part, found in scored.items()}


def main() -> None:
    options = parser(__doc__, folds="12345")
    options.add_argument("--choices", nargs="+", default=list(CHOICES), choices=CHOICES)
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("training_choices", fresh=arguments.fresh)
    for collection in arguments.collections:
        data = concatenate([read_letor(arguments.folder / collection / f"S{i}.txt.gz") for i in (1, 2, 3)])
        seed = zlib.crc32(collection.encode())
        folds = [fold for i, fold in enumerate(k_folds(data, 5, seed=seed, stratified=True), 1) if i in arguments.folds]
        parts = [(data.select(fold.train), data.select(fold.test)) for fold in folds]
        for metric in arguments.metrics:
            by_choice = {
                name: [
                    results.get(
                        f"{edition('rankmax')}, {collection}, {metric}, {name}, fold {number}",
                        lambda name=name, metric=metric, part=part: values(name, metric, *part),
                    )
                    for number, part in zip(arguments.folds, parts, strict=True)
                ]
                for name in dict.fromkeys([BASELINE, *arguments.choices])
            }
            print(f"\n{collection}, {metric}\n{table(by_choice)}\n", flush=True)


def table(by_choice: dict[str, list[dict[str, list[float]]]]) -> str:
    def joined(name: str, part: str) -> np.ndarray:
        return np.array([v for fold in by_choice[name] for v in fold[part]], float)

    rows = []
    for name, folds in by_choice.items():
        new = joined(name, "new")
        difference = new - joined(BASELINE, "new")
        error = np.nanstd(difference, ddof=1) / np.sqrt(np.count_nonzero(~np.isnan(difference)))
        cpu = np.mean([fold["cpu_seconds"] for fold in folds])
        rows.append(
            [
                name,
                f"{np.nanmean(joined(name, 'known')):.4f}",
                f"{np.nanmean(new):.4f}",
                f"{np.nanmean(difference):+.4f} ± {error:.4f}",
                f"{cpu:.1f}",
            ]
        )
    return markdown_table(["choice", "known queries", "new queries", "to the baseline", "CPU s"], rows)


if __name__ == "__main__":
    main()
