"""How many training queries does each learner need?

Data      Random samples of 25 to 1,000 training queries of each of LETOR's folds, where it has as many, and a third as
          many of its validation queries (at least five); measured on all its test queries. Of more than half of the
          queries there is one sample. With --text, the features of text collections in five random folds
          (text_folds.py).
Learners  Of learners.py, which has the protocol: linear, additive, LightGBM's LambdaMART and CatBoost's YetiRank.
Prints    For each collection and metric the mean over test queries by number of training queries, averaged over
          samples, and the difference to the additive model with its 95% interval (paired over test queries). --plot
          draws the differences.

Rows are kept in benchmarks/results/learning_curves.csv, so that an interrupted run resumes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from harness import machine, markdown_table
from letor_collections import parser, read_folds
from text_folds import COLLECTIONS, text_folds

from learners import ADDITIVE, LEARNERS, LINEAR, Measurements, Row, gains, interval, mean_and_half
from rankmax._io.figures import BLUE, ORANGE, figure_file
from rankmax.data.splits import LetorFold

COMPARED = [LINEAR, ADDITIVE, "LightGBM LambdaMART", "CatBoost YetiRank"]
SIZES = [25, 50, 100, 200, 500, 1000]
COLORS = {LINEAR: ORANGE, ADDITIVE: BLUE, "LightGBM LambdaMART": "#009E73", "CatBoost YetiRank": "#D55E00"}
OTHER = "#7F7F7F"


def samples(fold: LetorFold, number: int, size: int, n_samples: int) -> Iterator[LetorFold]:
    """Yield the fold with random samples of its training and validation queries."""
    n_queries = fold.train.n_queries
    for sample in range(n_samples if 2 * size <= n_queries else int(size <= n_queries)):
        rng = np.random.default_rng([size, number, sample])
        train = np.sort(rng.permutation(n_queries)[:size])
        validation = np.sort(rng.permutation(fold.validation.n_queries)[: max(size // 3, 5)])
        yield LetorFold(fold.train.select(train), fold.validation.select(validation), fold.test)


def averaged(rows: list[Row]) -> Row:
    """Return the mean over samples of what was found, per test query."""
    values = [np.mean([getattr(row, name) for row in rows], axis=0) for name in ("train", "test", "seconds", "size")]
    return Row(*values)


Found = dict[str, dict[int, list[Row]]]
"""What each learner found by number of training queries, on each fold."""


def rows(collection: str, found: Found, sizes: list[int]) -> tuple[list[list[str]], list[list[str]]]:
    """Return lines of a table of means, and of one of differences to the additive model."""
    means, differences = [], []
    for learner, by_size in found.items():
        name = f"{collection}, {learner}"
        values = {size: np.concatenate([row.test for row in parts]).mean() for size, parts in by_size.items()}
        means.append([name, *(f"{values[size]:.4f}" if size in values else "" for size in sizes)])
        if learner != ADDITIVE and ADDITIVE in found:
            beside = {size: interval(gains(parts, found[ADDITIVE][size])) for size, parts in by_size.items()}
            differences.append([name, *(beside.get(size, "") for size in sizes)])
    return means, differences


def draw(path: Path, found: dict[tuple[str, str], Found]) -> None:
    """Draw each learner's difference to the additive model, and its interval, by number of training queries."""
    collections, metrics = (list(dict.fromkeys(names)) for names in zip(*found, strict=True))
    with figure_file(path, "drawing learning curves", size=(3.1 * len(collections), 2.7 * len(metrics))) as figure:
        axes = figure.subplots(len(metrics), len(collections), sharey=True, squeeze=False)
        for (collection, metric), learners in found.items():
            ax = axes[metrics.index(metric), collections.index(collection)]
            ax.axhline(0.0, color=BLUE, linewidth=1.5, label=ADDITIVE)
            for place, learner in enumerate(name for name in learners if name != ADDITIVE):
                parts = learners[learner]
                drawn = [mean_and_half(gains(parts[size], learners[ADDITIVE][size])) for size in parts]
                means, halves = zip(*drawn, strict=True)
                shifted = [size * 1.04 ** (place - 1) for size in parts]  # so that intervals do not cover each other
                color = COLORS.get(learner, OTHER)
                ax.errorbar(shifted, means, halves, color=color, marker="o", markersize=3, linewidth=1, label=learner)
            sizes = list(learners[ADDITIVE])
            ax.set_xscale("log")
            ax.set_xticks(sizes, [str(size) for size in sizes])
            ax.set_xticks([], minor=True)
            ax.set_title(f"{collection}, {metric}", fontsize="medium")
            ax.spines[["top", "right"]].set_visible(False)
        for ax in axes[-1]:
            ax.set_xlabel("training queries")
        for ax in axes[:, 0]:
            ax.set_ylabel("above additive")
        handles, names = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)


def main() -> None:
    options = parser(__doc__, folds="12345")
    options.add_argument("--learners", nargs="+", default=COMPARED, choices=LEARNERS)
    options.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="numbers of training queries")
    options.add_argument("--samples", type=int, default=3, help="of each fold")
    options.add_argument("--plot", type=Path, help="draw the differences to a .svg or .png file")
    options.add_argument("--text", action="store_true", help=f"features of {', '.join(COLLECTIONS)} instead of LETOR's")
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    measurements = Measurements("learning_curves", fresh=arguments.fresh)
    every: dict[tuple[str, str], Found] = {}
    tables: dict[str, tuple[list[list[str]], list[list[str]]]] = {metric: ([], []) for metric in arguments.metrics}
    for collection in COLLECTIONS if arguments.text else arguments.collections:
        if arguments.text:
            folds = {number: fold for number, fold in text_folds(collection).items() if number in arguments.folds}
        else:
            folds = read_folds(arguments.folder, collection, arguments.folds)
        for metric, (means, differences) in tables.items():
            found = every.setdefault((collection, metric), {})
            for size in arguments.sizes:
                for number, fold in folds.items():
                    drawn = list(samples(fold, number, size, arguments.samples))
                    for learner in arguments.learners if drawn else []:
                        parts = []
                        for i, sample in enumerate(drawn):
                            key = measurements.key(collection, number, sample, metric, learner, sample=i)
                            parts.append(measurements.measure(key, sample))
                        found.setdefault(learner, {}).setdefault(size, []).append(averaged(parts))
            lines = rows(collection, found, arguments.sizes)
            means += lines[0]
            differences += lines[1]
    header = ["training queries", *map(str, arguments.sizes)]
    for metric, (means, differences) in tables.items():
        print(f"\n{metric}\n\n{markdown_table(header, means)}")
        print(f"\n{metric}, above additive\n\n{markdown_table(header, differences)}")
    if arguments.plot:
        draw(arguments.plot, every)


if __name__ == "__main__":
    main()
