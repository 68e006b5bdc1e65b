"""Which noise, how many cycles, which penalty of the surrogate, and which average serve new queries best?

Data      The training part of the first of LETOR's folds (S1, S2 and S3) of some collections, in subfolders of --folder
          (the tests' folder of real data when left out): five-fold cross-validation, and samples of 25 to 200 of its
          queries, measured on the others. Validation and test parts are not read.
Baseline  The surrogate's minimum with a penalty of 0.001.
Prints    For each choice the difference to the baseline on new queries, in units of 0.0001, for each way to learn and
          on average; best first. "surrogate 40" has a penalty of 40 / n for n telling queries, "noise 0.8, 2 cycles"
          is the smoothed ascent from "surrogate 40", and "a + b" is the average of both, scaled to equal spread.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from few_queries import SIZES, samples
from harness import Results, edition, machine
from letor_collections import parser

from rankmax import RankingDataset, StructuralSVM
from rankmax._arrays import F64
from rankmax.data.splits import concatenate, k_folds
from rankmax.formats.letor import read_letor
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear_fit import fit_linear
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.optimizers.expected_metric_ascent import ExpectedMetricAscent
from rankmax.spaces import Euclidean

BASELINE = "surrogate 0.001"
PRIORS = (10, 20, 40, 80, 160)
RIDGES = (0.03, 0.1, 0.3, 1.0)
NOISES = (0.2, 0.4, 0.8, 1.6)
CYCLES = (1, 2, 4)


def candidates(data: RankingDataset, metric: str) -> dict[str, F64]:
    """Return the weights of each learner, scaled so that their scores have the same spread."""
    objective = LinearObjective(data, parse_metric(metric))
    bounds = zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True)
    n = sum(np.ptp(data.grades[a:b]) > 0 for a, b in bounds)

    def surrogate(ridge: float) -> F64:
        fits = [fit_linear(loss, data, ridge=ridge).weights for loss in (CrossEntropy(), ProportionalCrossEntropy())]
        return max(fits, key=lambda weights: objective.at(weights).value)

    found = {BASELINE: surrogate(0.001), "SVM-map": StructuralSVM("AP").fit_dataset(data).coef_}
    found |= {f"surrogate, penalty {ridge}": surrogate(ridge) for ridge in RIDGES}
    found |= {f"surrogate {prior}": surrogate(prior / n) for prior in PRIORS}
    for noise in NOISES:
        ascent = ExpectedMetricAscent(sigma=noise, n_cycles=max(CYCLES), tolerance=0.0).maximize(
            objective, Euclidean(), start=found["surrogate 40"], rng=np.random.default_rng(0)
        )
        for cycles in CYCLES:
            found[f"noise {noise}, {cycles} cycles"] = ascent.history[min(cycles, len(ascent.history) - 1)].weights
    return {name: weights / (objective.score_spread(weights) or 1.0) for name, weights in found.items()}


def averages(alone: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield the names of what is averaged."""
    yield from ((name,) for name in alone)
    for smoothed in (name for name in alone if name.startswith("noise")):
        for surrogate in (name for name in alone if name.startswith("surrogate")):
            yield surrogate, smoothed
        yield "SVM-map", smoothed
        yield "surrogate 40", "SVM-map", smoothed


def main() -> None:
    options = parser(__doc__, folds="1")
    options.add_argument("--samples", type=int, default=5)
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("expected_metric", fresh=arguments.fresh)
    values: dict[str, dict[str, list[float]]] = {}
    for collection in arguments.collections:
        data = concatenate([read_letor(arguments.folder / collection / f"S{i}.txt.gz") for i in (1, 2, 3)])
        ways = [("folds", fold.train, fold.test) for fold in k_folds(data, 5, seed=0, stratified=True)]
        for size in SIZES:
            ways += [
                (str(size), learned, new)
                for learned, _, new in samples(data, size, arguments.samples)
                if learned.size == size and new.size >= size // 2
            ]
        for metric in arguments.metrics:
            for number, (way, learned, new) in enumerate(ways):
                train, test = data.select(learned), data.select(new)
                weights = results.get(
                    f"{edition('rankmax')}, {collection}, {metric}, {number}",
                    lambda train=train, metric=metric: {
                        name: found.tolist() for name, found in candidates(train, metric).items()
                    },
                )
                alone = [name for name in weights if not name.endswith("seconds")]
                for names in averages(alone):
                    scores = test.scores(np.sum([weights[name] for name in names], axis=0))
                    value = np.nanmean(evaluate_metrics([parse_metric(metric)], scores, test.judgments)[0])
                    cell = values.setdefault(" + ".join(names), {}).setdefault(f"{collection} {metric} {way}", [])
                    cell.append(float(value))
    print_table(values)


def print_table(values: dict[str, dict[str, list[float]]]) -> None:
    ways = list(values[BASELINE])
    gains = {
        name: [10_000 * (np.mean(cells[way]) - np.mean(values[BASELINE][way])) for way in ways]
        for name, cells in values.items()
    }
    for column, way in enumerate(ways):
        print(f"{chr(ord('a') + column)}: {way}, {np.mean(values[BASELINE][way]):.4f} by the baseline")
    print(f"{'':44} {'mean':>6} " + " ".join(f"{chr(ord('a') + column):>5}" for column in range(len(ways))))
    for name in sorted(gains, key=lambda name: -np.mean(gains[name])):
        print(f"{name:44} {np.mean(gains[name]):6.1f} " + " ".join(f"{gain:5.0f}" for gain in gains[name]))


if __name__ == "__main__":
    main()
