"""How well do the learned weights rank new queries?

Data      The five standard folds of LETOR collections, in subfolders of --folder (the tests' folder of real data when
          left out) with S1.txt.gz ... S5.txt.gz. Only training parts are learned from; validation parts are not used.
Baseline  Least squares on the grades, LETOR's "Regression".
Prints    Mean over the folds of the training and the test metric, and of the seconds of fitting.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Callable
from pathlib import Path

from harness import machine, report, seconds

from rankmax import LeastSquaresRanker, LinearRanker, RankingDataset, evaluate
from rankmax.data.letor import read_letor
from rankmax.data.splits import letor_folds
from rankmax.learners.base import LinearLearner

SHARED = Path(__file__).parents[2] / "shared" / "data"


def result(make: Callable[[], LinearLearner], parts: list[RankingDataset], metric: str) -> dict[str, str]:
    train, test, times = [], [], []
    for fold in letor_folds(parts):
        learner = make()
        times.append(seconds(lambda fold=fold, learner=learner: learner.fit_dataset(fold.train)))
        for data, values in ((fold.train, train), (fold.test, test)):
            values.append(evaluate(learner.model_.scores(data), data, [metric]).means[0])
    means = (f"{statistics.mean(values):.4f}" for values in (train, test))
    return {**dict(zip(("train", "test"), means, strict=True)), "seconds": f"{statistics.median(times):.2f}"}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--folder", type=Path, default=Path(os.environ.get("RANKMAX_DATA", SHARED)) / "letor")
    options.add_argument("--collections", nargs="*", default=["MQ2007", "MQ2008", "OHSUMED"])
    options.add_argument("--metrics", nargs="*", default=["nDCG@10", "AP"])
    options.add_argument("--restarts", type=int, default=1)
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    for collection in arguments.collections:
        parts = [read_letor(arguments.folder / collection / f"S{i}.txt.gz") for i in range(1, 6)]
        for metric in arguments.metrics:
            learners = {
                "least squares": LeastSquaresRanker,
                "direct": lambda metric=metric: LinearRanker(metric, n_restarts=arguments.restarts),
            }
            for name, make in learners.items():
                report(f"{collection}, {metric}, {name}", **result(make, parts, metric))


if __name__ == "__main__":
    main()
