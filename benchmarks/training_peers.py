"""Which learner ranks new queries best, and what does it cost?

Data      LETOR's folds of MQ2007, MQ2008 and OHSUMED: learned from the training queries, measured on the test queries,
          for AP and for nDCG@10.
Learners  Of learners.py, which has the protocol: LinearRanker and AdditiveRanker with their defaults, the latter also
          with steps, trees of LightGBM, XGBoost and CatBoost, interpret's boosting machine, linear models of FastRank
          and CMA-ES. With --learners others, such as "exact, 10 starts" and "Optuna TPE", which reach higher values on
          training queries.
Prints    By collection and metric the mean over all test queries; the difference to the additive model with its 95%
          interval (paired over queries); the mean over training queries; and the mean processor time, and size of the
          model's file, of a fold. "all" is the mean over collections and metrics, each of the same weight, its
          interval from each query's mean over the metrics.

Rows are kept in benchmarks/results/training_peers.csv, so that an interrupted run resumes. Learners take turns fold by
fold.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from harness import format_seconds, machine, markdown_table
from letor_collections import parser, read_folds

from learners import ADDITIVE, LEARNERS, LINEAR, STEPS, Measurements, Row, gains, interval

COMPARED = [
    LINEAR,
    ADDITIVE,
    STEPS,
    "LightGBM LambdaMART",
    "LightGBM, best of six",
    "LightGBM, stumps",
    "XGBoost LambdaMART",
    "CatBoost YetiRank",
    "CatBoost StochasticRank",
    "interpret EBM",
    "FastRank",
    "CMA-ES",
]


Found = dict[int, Row]
"""What a learner found, by fold."""
Columns = dict[tuple[str, str], dict[str, Found]]
"""What all learners found, by collection and metric."""


def mean(found: Found) -> float:
    """Return the mean over all test queries."""
    return float(np.concatenate([row.test for row in found.values()]).mean())


def values(columns: Columns, learner: str, n_folds: int) -> list[str]:
    """Return the test value of each column, with the number of folds where some lack, and of all."""
    found = [rows.get(learner, {}) for rows in columns.values()]
    cells = [
        f"{mean(rows):.4f}{f' ({len(rows)} folds)' if len(rows) < n_folds else ''}" if rows else "" for rows in found
    ]
    complete = all(len(rows) == n_folds for rows in found)
    return [*cells, f"{np.mean([mean(rows) for rows in found]):.4f}" if complete else ""]


def differences(columns: Columns, learner: str, n_folds: int) -> list[str]:
    """Return what the learner is above the additive model in each column, on the folds that both have, and in all."""
    cells, by_collection = [], defaultdict(list)
    for (collection, _), rows in columns.items():
        found, additive = rows.get(learner, {}), rows.get(ADDITIVE, {})
        common = sorted(found.keys() & additive.keys())
        if learner == ADDITIVE or not common:
            cells.append("")
            continue
        own = gains([found[i] for i in common], [additive[i] for i in common])
        cells.append(interval(own))
        if len(common) == n_folds:
            by_collection[collection].append(own)
    complete = sum(map(len, by_collection.values())) == len(columns)
    return [*cells, interval(*(np.mean(own, axis=0) for own in by_collection.values())) if complete else ""]


def main() -> None:
    options = parser(__doc__, folds="12345")
    options.add_argument("--learners", nargs="+", default=COMPARED, choices=LEARNERS)
    options.add_argument("--stored", action="store_true", help="only print what the file has")
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    measurements = Measurements("training_peers", fresh=arguments.fresh)
    columns: Columns = {}
    for collection in arguments.collections:
        folds = read_folds(arguments.folder, collection, arguments.folds)
        columns |= {(collection, metric): {} for metric in arguments.metrics}
        for number, fold in folds.items():
            for learner in arguments.learners:
                for metric in arguments.metrics:
                    key = measurements.key(collection, number, fold, metric, learner)
                    if not arguments.stored or key in measurements:
                        found = columns[collection, metric].setdefault(learner, {})
                        found[number] = measurements.measure(key, fold)
    print_tables(columns, arguments.learners, len(arguments.folds))


def print_tables(columns: Columns, learners: list[str], n_folds: int) -> None:
    names = [" ".join(column) for column in columns]
    for title, cells in (("Test values", values), ("Above additive", differences)):
        rows = [[learner, *cells(columns, learner, n_folds)] for learner in learners]
        print(f"\n{title}\n\n{markdown_table(['', *names, 'all'], rows)}")
    for title, cell in (("Training values", training_value), ("Processor time and size", cost)):
        body = [[name, *(cell(rows[name]) if name in rows else "" for rows in columns.values())] for name in learners]
        print(f"\n{title}\n\n{markdown_table(['', *names], body)}")


def training_value(found: Found) -> str:
    return f"{np.mean([row.train for row in found.values()]):.4f}"


def cost(found: Found) -> str:
    seconds, size = (np.mean([getattr(row, name) for row in found.values()]) for name in ("seconds", "size"))
    return f"{format_seconds(seconds)}, {size / 1e3:,.0f} kB"


if __name__ == "__main__":
    main()
