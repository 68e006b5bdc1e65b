"""Should noise, cycles, penalty or shrinkage of LinearRanker be others, or depend on the number of queries?

Data      The training part of the first of LETOR's folds (S1, S2 and S3) of some collections, in subfolders of --folder
          (the tests' folder of real data when left out): five-fold cross-validation, and samples of 25 to 200 of its
          queries, measured on the others. Validation and test parts are not read. Of text collections (--collections
          cranfield npl cisi) all queries.
Baseline  The default without its share of SVM-map: sigma 0.5, two cycles, penalty 40 / n for n telling queries, three
          quarters of the surrogate (the average of two minima, the share of each the probability that it is the better
          one).
Prints    For each rule the metric on new queries minus the default's, in thousandths, with its standard error (by
          cross-validation over queries, for samples over samples): for each metric, and the mean of both with the
          mean over collections. Each column is one number of queries of one collection.

The rules: other shares of the surrogate; noise that falls or rises with the root of n (0.5 at 200 queries), more or
fewer cycles with more queries, a penalty that falls with the root of n, or faster. The default was chosen by other
samples of the same queries.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from few_queries import SIZES, samples, training_part
from harness import Results, edition, machine, markdown_table
from letor_collections import parser

from rankmax import RankingDataset
from rankmax._arrays import F64, I64
from rankmax.data.splits import k_folds
from rankmax.learners.direct.preference import probability_better
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear_fit import fit_linear
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.optimizers.expected_metric_ascent import ExpectedMetricAscent
from rankmax.spaces import Euclidean


@dataclass(frozen=True)
class Settings:
    """What a rule says for some number of queries."""

    sigma: float = 0.5
    cycles: int = 2
    prior: float = 40.0
    shrinkage: float = 0.75


FIRST_SAMPLE = 100  # others than those of few_queries.py
DEFAULT = "default"
RULES: dict[str, Callable[[int], Settings]] = {
    DEFAULT: lambda n: Settings(),
    "surrogate alone": lambda n: Settings(shrinkage=1.0),
    "shrinkage 0.5": lambda n: Settings(shrinkage=0.5),
    "shrinkage falls: 0.75 below 200, then 0.5": lambda n: Settings(shrinkage=0.75 if n < 200 else 0.5),
    "sigma 1": lambda n: Settings(sigma=1.0),
    "noise falls: 0.5 (200 / n)^1/2": lambda n: Settings(sigma=0.5 * math.sqrt(200 / n)),
    "noise rises: 0.5 (n / 200)^1/2": lambda n: Settings(sigma=0.5 * math.sqrt(n / 200)),
    "cycles rise: 1 below 100, 4 from 400 on": lambda n: Settings(cycles=1 if n < 100 else 2 if n < 400 else 4),
    "cycles fall: 4 below 100, 1 from 400 on": lambda n: Settings(cycles=4 if n < 100 else 2 if n < 400 else 1),
    "penalty 2.8 / n^1/2": lambda n: Settings(prior=2.8 * math.sqrt(n)),
    "penalty 566 / n^3/2": lambda n: Settings(prior=566 / math.sqrt(n)),
}


class Learner:
    """The parts of all rules' weights, each computed once."""

    def __init__(self, data: RankingDataset, metric: str) -> None:
        self.data, self.metric = data, metric
        self._objective = LinearObjective(data, parse_metric(metric))
        grades = np.nan_to_num(data.grades)
        self.n = sum(np.ptp(grades[a:b]) > 0 for a, b in pairwise(data.query_offsets))

    def weights(self, said: Settings) -> F64:
        """Return the weights by some settings."""
        mixed = said.shrinkage * self._surrogate(said.prior)
        if said.shrinkage < 1:
            history = self._ascent(said.sigma, said.prior).history
            end = self._scaled(history[min(said.cycles, len(history) - 1)].weights)
            mixed = mixed + (1 - said.shrinkage) * end
        return mixed

    def _scaled(self, weights: F64) -> F64:
        return weights / (self._objective.score_spread(weights) or 1.0)

    @cache  # noqa: B019 - a learner lives as long as its sample
    def _surrogate(self, prior: float) -> F64:
        first, second = (
            self._scaled(fit_linear(loss, self.data, ridge=prior / self.n).weights)
            for loss in (CrossEntropy(), ProportionalCrossEntropy())
        )
        share = probability_better(self._objective, first, second)
        return self._scaled(share * first + (1 - share) * second)

    @cache  # noqa: B019
    def _ascent(self, sigma: float, prior: float) -> Any:
        return ExpectedMetricAscent(sigma=sigma, n_cycles=4).maximize(
            self._objective, Euclidean(), start=self._surrogate(prior), rng=np.random.default_rng(0)
        )


def weights_by_rule(data: RankingDataset, metric: str) -> dict[str, list[float]]:
    """Return the weights that each rule learns."""
    learner = Learner(data, metric)
    return {name: learner.weights(RULES[name](learner.n)).tolist() for name in RULES}


def gains(weights: dict[str, list[float]], metric: str, new: RankingDataset) -> dict[str, F64]:
    """Return each rule's value of each new query minus the default's."""
    values = {
        name: evaluate_metrics([parse_metric(metric)], new.scores(np.array(weights[name])), new.judgments)[0]
        for name in RULES
    }
    return {name: found - values[DEFAULT] for name, found in values.items()}


def column(
    results: Results, name: str, data: RankingDataset, metric: str, ways: list[tuple[I64, I64]], *, by_query: bool
) -> dict[str, F64]:
    """Return each rule's independent gains: of each query, or the mean of each sample."""
    found: dict[str, list[F64]] = {rule: [] for rule in RULES}
    for number, (learned, new) in enumerate(ways):
        weights = results.get(
            f"{edition('rankmax')}, {name}, {metric}, {number}, {', '.join(RULES)}",
            lambda learned=learned: weights_by_rule(data.select(learned), metric),
        )
        for rule, gain in gains(weights, metric, data.select(new)).items():
            found[rule].append(gain if by_query else np.array([np.nanmean(gain)]))
    return {rule: np.concatenate(parts) for rule, parts in found.items()}


def cell(gain: F64) -> tuple[float, float]:
    """Return the mean and its standard error, in thousandths."""
    kept = gain[~np.isnan(gain)]
    return 1000 * float(kept.mean()), 1000 * float(kept.std(ddof=1) / math.sqrt(kept.size))


def print_table(columns: dict[str, dict[str, F64]]) -> None:
    """Lay out columns, and the mean of all as independent."""
    rows = []
    for rule in RULES:
        if rule != DEFAULT:
            cells = [cell(column[rule]) for column in columns.values()]
            error = math.sqrt(sum(e * e for _, e in cells)) / len(cells)
            mean = sum(m for m, _ in cells) / len(cells)
            rows.append([rule, *(f"{m:+.1f} ± {e:.1f}" for m, e in [*cells, (mean, error)])])
    print(markdown_table(["rule", *columns, "mean"], rows), end="\n\n", flush=True)


def main() -> None:
    options = parser(__doc__, folds="1")
    options.add_argument("--samples", type=int, default=6)
    options.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    options.add_argument("--rules", nargs="+", default=list(RULES), choices=RULES)
    arguments = options.parse_args()
    for rule in RULES.keys() - {DEFAULT, *arguments.rules}:
        del RULES[rule]
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("query_count_rules", fresh=arguments.fresh)
    both: dict[str, list[dict[str, F64]]] = {}
    for metric in arguments.metrics:
        columns: dict[str, dict[str, F64]] = {}
        for collection in arguments.collections:
            data = training_part(arguments.folder, collection)
            folds = [(fold.train, fold.test) for fold in k_folds(data, 5, seed=0, stratified=True)]
            name = f"{collection}, folds"
            columns[name] = column(results, name, data, metric, folds, by_query=True)
            for size in arguments.sizes:
                ways = [
                    (learned, new)
                    for learned, _, new in samples(data, size, arguments.samples, first=FIRST_SAMPLE)
                    if new.size >= size // 2
                ]
                if ways:
                    name = f"{collection}, {size}"
                    columns[name] = column(results, name, data, metric, ways, by_query=False)
        print(f"\n{metric}\n")
        print_table(columns)
        for name, found in columns.items():
            both.setdefault(name, []).append(found)
    if len(arguments.metrics) > 1:
        print("\nMean of the metrics\n")
        print_table(
            {n: {rule: np.mean([c[rule] for c in found], axis=0) for rule in RULES} for n, found in both.items()}
        )


if __name__ == "__main__":
    main()
