"""Is there a better place on a line, or a better line, than the highest expected metric along a coordinate?

Data      Samples of 50 and 100 queries of the training part of the first of LETOR's folds (S1, S2 and S3), in
          subfolders of --folder (the tests' folder of real data when left out); the part's other queries are new.
          Validation and test parts are not read.
Baseline  Two cycles over the coordinates, each weight moved to the maximum of the mean expected metric
          (sigma 0.5).
Prints    The metric on new queries minus the baseline's, in thousandths, with its standard error over samples: of the
          weights after two cycles, and of their average with the surrogate's (a quarter and three quarters).

Places: the highest lower bound of the mean gain over the start of the line (one standard error over queries below it,
as each query's steps are known); the mean of the best places for 20 bootstrap samples of the queries, of the expected
metric and of the metric itself. Lines: principal axes of the features within queries instead of coordinates; random
directions; the coordinates and the line toward the surrogate. All expectations are sums over a grid of a quarter of the
noise's width, the same for all rules.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from few_queries import read_parts, samples
from harness import Results, edition, machine, markdown_table
from letor_collections import parser

from rankmax import LinearRanker, RankingDataset
from rankmax._arrays import F64
from rankmax.backends.training_data import LocalData
from rankmax.learners.direct.weight_averaging import average_weights
from rankmax.metrics.evaluator import Evaluator, evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.preprocessing import Unchanged

SIGMA, N_CYCLES, REACH, SHARE = 0.5, 2, 8.0, 0.75
SIZES = (50, 100)
FINE = 4  # places per width of the noise
N_BOOTSTRAP = 20
BASELINE = "coordinates, mean"

Place = Callable[[F64, F64, F64], float]
"""Of a line's places, and the metric and the expected metric by place and query, the place to go to."""


def highest_mean(places: F64, values: F64, expected: F64) -> float:
    return float(places[np.argmax(expected.mean(axis=1))])


def highest_bound(places: F64, values: F64, expected: F64) -> float:
    gains = expected - expected[places.size // 2]
    return float(places[np.argmax(gains.mean(axis=1) - gains.std(axis=1) / np.sqrt(gains.shape[1]))])


def mean_of_best(places: F64, values: F64) -> float:
    """Return the mean of the best places for bootstrap samples of the queries."""
    n = values.shape[1]
    counts = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), N_BOOTSTRAP)
    return float(places[np.argmax(values @ counts.T, axis=0)].mean())


PLACES: dict[str, Place] = {
    BASELINE: highest_mean,
    "coordinates, lower bound": highest_bound,
    "coordinates, mean of bootstrap samples' best": lambda places, values, expected: mean_of_best(places, expected),
    "the same, of the metric itself": lambda places, values, expected: mean_of_best(places, values),
}
LINES = ("principal axes, mean", "random directions, mean", "coordinates and toward the surrogate, mean")


class Lines:
    """A data set and a metric along lines."""

    def __init__(self, data: RankingDataset, metric: str) -> None:
        X = by_feature(data)
        sizes = np.diff(data.query_offsets)
        means = np.add.reduceat(X, data.query_offsets[:-1], axis=1) / sizes
        self.columns = X - np.repeat(means, sizes, axis=1)  # a shift within a query changes no ranking
        self.evaluator = Evaluator([parse_metric(metric)], data.judgments)

    def spread(self, weights: F64) -> float:
        """Return the standard deviation of the scores within queries."""
        return float(np.std(weights @ self.columns))

    def moved(self, weights: F64, direction: F64, spread: float, place: Place) -> F64:
        """Return the weights at the chosen place of a line; spread is that of the scores, and the unit of places."""
        slope = self.spread(direction)
        if not slope:
            return weights
        width = SIGMA * spread / slope
        n = round(REACH / SIGMA * FINE)
        grid = np.arange(-n - 3 * FINE, n + 3 * FINE + 1) * width / FINE
        steps = np.column_stack([np.ones(grid.size), grid])
        values = self.evaluator.at_weights(np.array([weights @ self.columns, direction @ self.columns]), steps)[:, 0]
        values = values[:, ~np.isnan(values[0])]
        noise = np.exp(-0.5 * (np.arange(-3 * FINE, 3 * FINE + 1) / FINE) ** 2)
        windows = np.lib.stride_tricks.sliding_window_view(values, noise.size, axis=0)
        inner = slice(3 * FINE, -3 * FINE)
        mu = place(grid[inner], values[inner], windows @ (noise / noise.sum()))
        moved: F64 = weights + mu * direction
        return moved

    def axes(self, way: str, weights: F64, start: F64, rng: np.random.Generator) -> F64:
        """Return the directions of one cycle."""
        n = len(weights)
        if way.startswith("principal"):
            return np.linalg.eigh(self.columns @ self.columns.T)[1].T[::-1]
        if way.startswith("random"):
            scales = np.array([self.spread(axis) for axis in np.eye(n)])
            return rng.standard_normal((n, n)) / np.where(scales > 0, scales, np.inf)
        toward = start / self.spread(start) - weights / (self.spread(weights) or 1.0)
        return np.vstack([np.eye(n), toward]) if "toward" in way and toward.any() else np.eye(n)


def ascended(lines: Lines, start: F64, way: str) -> F64:
    rng, weights = np.random.default_rng(0), start
    for _ in range(N_CYCLES):
        spread = lines.spread(weights) or 1.0
        for direction in lines.axes(way, weights, start, rng):
            weights = lines.moved(weights, direction, spread, PLACES.get(way, highest_mean))
    return weights


def measured(learned: RankingDataset, new: RankingDataset, metric: str) -> dict[str, list[float]]:
    """Return the metric on new queries for each way: after the ascent, and averaged with the surrogate."""
    surrogate = LinearRanker(metric, shrinkage=1.0).fit_dataset(learned).model_
    lines, kept = Lines(learned, metric), LocalData(learned, Unchanged())
    found = {}
    for way in (*PLACES, *LINES):
        weights = ascended(lines, surrogate.weights, way)
        both = average_weights([weights, surrogate.weights], kept, shares=[1 - SHARE, SHARE])
        found[way] = [
            float(np.nanmean(evaluate_metrics([parse_metric(metric)], w @ by_feature(new), new.judgments)[0]))
            for w in (weights, both)
        ]
    return found


def by_feature(data: RankingDataset) -> F64:
    return np.ascontiguousarray(np.asarray(data.features, np.float64).T)


def main() -> None:
    """Print a row for each way."""
    options = parser(__doc__, folds="1")
    options.add_argument("--samples", type=int, default=8)
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("line_places", fresh=arguments.fresh)
    gains: dict[str, list[list[list[float]]]] = {way: [] for way in (*PLACES, *LINES)}
    for collection in arguments.collections:
        data = read_parts(arguments.folder / collection, 3)
        for metric in arguments.metrics:
            for size in SIZES:
                column: dict[str, list[list[float]]] = {way: [] for way in gains}
                for number, (learned, _, new) in enumerate(samples(data, size, arguments.samples, first=1000)):
                    rows = results.get(
                        f"{edition('rankmax')}, {collection}, {metric}, {size}, {number}",
                        lambda m=metric, q=learned, n=new: measured(data.select(q), data.select(n), m),  # noqa: B023
                    )
                    for way, found in column.items():
                        found.append(np.subtract(rows[way], rows[BASELINE]).tolist())
                for way, found in column.items():
                    gains[way] += [found] if found else []
    header = ["thousandths", "after the ascent", "averaged with the surrogate"]
    print(markdown_table(header, [[way, *cells(columns)] for way, columns in gains.items() if way != BASELINE]))


def cells(columns: list[list[list[float]]]) -> list[str]:
    """Return the mean over columns with the standard error of independent samples, of both weights."""
    arrays = [np.array(column) for column in columns]
    means = np.mean([array.mean(axis=0) for array in arrays], axis=0)
    errors = np.sqrt(sum(array.var(axis=0, ddof=1) / len(array) for array in arrays)) / len(arrays)
    return [f"{1000 * mean:+.1f} ± {1000 * error:.1f}" for mean, error in zip(means, errors, strict=True)]


if __name__ == "__main__":
    main()
