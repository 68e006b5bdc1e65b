"""By which rule should few validation queries change the weights of LinearRanker?

Data      The training part of the first of LETOR's folds (S1, S2 and S3) of some collections, in subfolders of --folder
          (the tests' folder of real data when left out): samples of 25 to 200 queries to learn from, with 10, 20 and 50
          more for validation, measured on the others. Samples are others than those of few_queries.py, which measures
          the rule in use. Validation and test parts are not read.
Baseline  The default without validation queries.
Prints    For each rule the metric on new queries minus the baseline's, in thousandths, with its standard error over
          samples: for each number of queries learned from the mean over metrics and collections, of all and of each.

The rules: the candidate with the highest mean on the validation queries; it, if it is above the default by some
standard errors of the mean difference; a share of the surrogate between the default's and the best one's, nearer to
the default's the larger the error; and the validation queries learned from as well, with the default's share, or with
one that was selected by them before.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from few_queries import SIZES, VALIDATED, samples, training_part
from harness import Results, edition, machine, markdown_table
from letor_collections import parser

from rankmax import RankingDataset
from rankmax._arrays import F64, I64
from rankmax.learners.direct.preference import probability_better
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear_fit import fit_linear
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.optimizers.expected_metric_ascent import ExpectedMetricAscent
from rankmax.spaces import Euclidean

SHARES = np.linspace(0, 1, 17)
DEFAULT, SURROGATE = 12, 16  # shares of 0.75 and 1
FIVE = np.arange(0, DEFAULT + 1, 3)  # 0 to 0.75
HALFWAY = SURROGATE + 1 + np.arange(FIVE.size)  # the same shares, the ascent stopped after one of two cycles
FIRST_SAMPLE = 100


def above(errors: float, among: I64 = FIVE, default: int = DEFAULT) -> Callable[[F64], int]:
    """Return the rule that takes the best share if it is better by that many standard errors."""

    def rule(values: F64) -> int:
        gain, error = gains(values, default)
        gain[gain <= errors * error] = 0.0
        best = among[np.argmax(gain[among])]
        return int(best) if gain[best] > 0 else default

    return rule


def twice(errors: float) -> Callable[[F64], int]:
    """Return the rule that selects a point of the ascent first, and then a share."""

    def rule(values: F64) -> int:
        point = above(errors, np.array([SURROGATE, HALFWAY[0], 0]), default=0)(values)
        if point == SURROGATE:
            return SURROGATE
        shares = HALFWAY if point else FIVE
        return above(errors, shares, default=int(shares[-1]))(values)

    return rule


def shrunken(values: F64) -> int:
    """Move from the default's share to the best one's by 1 - 1 / z^2, z the difference in standard errors."""
    gain, error = gains(values)
    best = int(np.argmax(gain[: SURROGATE + 1]))
    if gain[best] <= error[best]:
        return DEFAULT
    return round(DEFAULT + (best - DEFAULT) * (1 - (error[best] / gain[best]) ** 2))


def gains(values: F64, default: int = DEFAULT) -> tuple[F64, F64]:
    """Return each share's mean difference to the default on the validation queries, with its standard error."""
    difference = values - values[default]
    return difference.mean(axis=1), difference.std(axis=1, ddof=1) / math.sqrt(values.shape[1])


RULES: dict[str, tuple[Callable[[F64], int], bool]] = {
    "a point, then a share, above by 1 error": (twice(1.0), False),
    "a point, then a share, above by 2 errors": (twice(2.0), False),
    "highest of five shares": (above(0.0), False),
    "above by 0.5 errors": (above(0.5), False),
    "above by 1 error": (above(1.0), False),
    "above by 1.5 errors": (above(1.5), False),
    "above by 2 errors": (above(2.0), False),
    "above by 3 errors": (above(3.0), False),
    "of 17 shares to 1, above by 1 error": (above(1.0, np.arange(SURROGATE + 1)), False),
    "of 17 shares to 1, above by 2 errors": (above(2.0, np.arange(SURROGATE + 1)), False),
    "0.5 or 0.75, above by 1 error": (above(1.0, np.array([8, 12])), False),
    "0.5, 0.75 or 1, above by 1 error": (above(1.0, np.array([8, 12, 16])), False),
    "shrunken": (shrunken, False),
    "learned from as well": (lambda values: DEFAULT, True),
    "learned from as well, above by 1 error": (above(1.0), True),
    "learned from as well, above by 2 errors": (above(2.0), True),
}
"""A rule's choice among the shares by validation queries' values, and whether they are learned from afterwards."""


def ways(data: RankingDataset, metric: str) -> list[list[float]]:
    """Return the weights with each share of the surrogate, and with some of those halfway."""
    objective = LinearObjective(data, parse_metric(metric))

    def scaled(weights: F64) -> F64:
        return weights / (objective.score_spread(weights) or 1.0)

    first, second = (
        scaled(fit_linear(loss, data, ridge=40.0 / data.n_queries).weights)  # all sampled queries are informative
        for loss in (CrossEntropy(), ProportionalCrossEntropy())
    )
    better = probability_better(objective, first, second)
    surrogate = scaled(better * first + (1 - better) * second)
    ascent = ExpectedMetricAscent(sigma=0.5, n_cycles=2)
    path = ascent.maximize(objective, Euclidean(), start=surrogate, rng=np.random.default_rng(0)).history
    halfway, end = (scaled(path[i].weights) for i in (len(path) // 2, -1))
    return [
        (share * surrogate + (1 - share) * point).tolist()
        for point, shares in ((end, SHARES), (halfway, SHARES[FIVE]))
        for share in shares
    ]


def values(weights: list[list[float]], metric: str, data: RankingDataset) -> F64:
    """Return the metric of each query that counts, by share."""
    found = [evaluate_metrics([parse_metric(metric)], data.scores(np.array(w)), data.judgments)[0] for w in weights]
    by_share = np.array(found)
    return by_share[:, ~np.isnan(by_share[0])]


def measured(data: RankingDataset, metric: str, learned: I64, validated: I64, new: I64) -> dict[str, Any]:
    """Return the means on new queries by share, and the values of validation queries; so of both learned from."""
    alone = ways(data.select(learned), metric)
    found: dict[str, Any] = {
        "new": values(alone, metric, data.select(new)).mean(axis=1).tolist(),
        "validation": values(alone, metric, data.select(validated)).tolist(),
    }
    for n in (n for n in VALIDATED if n <= validated.size):
        both = ways(data.select(np.sort(np.concatenate([learned, validated[:n]]))), metric)
        found[f"both {n}"] = values(both, metric, data.select(new)).mean(axis=1).tolist()
    return found


def main() -> None:
    options = parser(__doc__, folds="1")
    options.add_argument("--samples", type=int, default=16)
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("validation_rules", fresh=arguments.fresh)
    cells: dict[tuple[int, str], dict[tuple[int, str], list[float]]] = {}
    for collection in arguments.collections:
        data = training_part(arguments.folder, collection)
        for metric in arguments.metrics:
            for size in SIZES:
                drawn = [
                    sample
                    for sample in samples(data, size, arguments.samples, first=FIRST_SAMPLE)
                    if sample[2].size >= size // 2
                ]
                found = results.get(
                    f"{edition('rankmax')}, {collection}, {metric}, {size}, {len(drawn)}",
                    lambda drawn=drawn, metric=metric, data=data: {
                        "samples": [measured(data, metric, *sample) for sample in drawn]
                    },
                )
                for one, (n, rule) in product(found["samples"], product(VALIDATED, RULES)):
                    if f"both {n}" in one:
                        choose, learns = RULES[rule]
                        chosen = choose(np.array(one["validation"])[:, :n])
                        gain = one[f"both {n}" if learns else "new"][chosen] - one["new"][DEFAULT]
                        row = cells.setdefault((n, rule), {})
                        row.setdefault((size, f"{collection} {metric}"), []).append(gain)
    for n in VALIDATED:
        print(f"\n{n} validation queries\n\n{table({rule: cells[n, rule] for rule in RULES})}\n", flush=True)


def table(rows: dict[str, dict[tuple[int, str], list[float]]]) -> str:
    sizes = sorted({size for row in rows.values() for size, _ in row})
    lines = []
    for rule, row in rows.items():
        line = [rule]
        for size in sizes:
            columns = [np.array(gain) for (s, _), gain in row.items() if s == size]
            errors = [column.std(ddof=1) / math.sqrt(column.size) for column in columns]
            mean, error = np.mean([c.mean() for c in columns]), math.sqrt(sum(e * e for e in errors)) / len(errors)
            line.append(f"{1000 * mean:+.1f} ± {1000 * error:.1f}")
        lines.append(line)
    return markdown_table(["rule", *map(str, sizes)], lines)


if __name__ == "__main__":
    main()
