"""Which choices of AdditiveRanker rank new queries best, beside the linear model, and what do sweeps over knots add?

Data      For development only: the training parts (S1 to S3) of LETOR's first folds; features of Cranfield, CACM and of
          every third docstring of numpy and scipy (text_folds.py). Samples of 25 to 600 queries are learned from, and
          up to 400 others are new. No test part, nor NPL or CISI, is read.
Baseline  LinearRanker with its defaults.
Ours      One smoothness for all; smoothness by five-fold cross-validation within the sample, the best one or one that
          is better than 100 by one or two standard errors (two is the default); and, with 100, the convex fit alone,
          half of it instead of three quarters, values at knots swept as well, fewer knots afterwards, and steps instead
          of straight lines.
Prints    For each choice the metric on new queries minus the linear model's, in thousandths: the mean over collections,
          samples and both metrics by the number of queries, and over all, with its standard error over columns, which
          are a collection and a number of queries each; and the lowest column.

Without some knots a curve differs by up to 0.003 from what it was; the share of the knots that are left is printed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from harness import Results, edition, machine, markdown_table
from letor_collections import NAMES, parser
from text_folds import text_data

from rankmax import AdditiveRanker, LinearRanker, RankingDataset
from rankmax._arrays import F64
from rankmax.data.splits import concatenate
from rankmax.formats.letor import read_letor
from rankmax.learners.additive.curve_training import DEFAULT_SMOOTHNESS, SMOOTHNESSES, CurveTraining
from rankmax.learners.additive.knot_basis import KnotBasis
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.curve import Curve
from rankmax.preprocessing import Unchanged

METRICS = {"AP": "AP", "nDCG@10": "nDCG(gain='exp2')@10"}
TEXTS = ("cranfield", "cacm", "docstrings")
SIZES = (25, 50, 100, 200, 600)
STEP_KNOTS = (16, 32, 64, 128)
_MOST_NEW = 400
_TOLERANCE = 0.003  # of a curve's value, where scores have the standard deviation 1


def smoothness_by_errors(values: F64, errors: float) -> float:
    """Return the best smoothness of those that are better than the default by some standard errors, or the default."""
    gains = (values - values[SMOOTHNESSES.index(DEFAULT_SMOOTHNESS)])[:, ~np.isnan(values[0])]
    if gains.shape[1] < 2:
        return DEFAULT_SMOOTHNESS
    means, error = gains.mean(axis=1), gains.std(axis=1, ddof=1) / np.sqrt(gains.shape[1])
    best = int(np.argmax(np.where(means > errors * error, means, 0.0)))
    return SMOOTHNESSES[best] if means[best] > errors * error[best] else DEFAULT_SMOOTHNESS


def with_fewer_knots(curve: Curve) -> Curve:
    """Return the curve without knots that it still passes within the tolerance, left out one after the other."""
    if curve.kind == "constant":
        return curve
    kept = list(range(curve.knots.size))
    for knot in range(1, curve.knots.size - 1):
        rest = [k for k in kept if k != knot]
        moved = np.interp(curve.knots, curve.knots[rest], curve.values[rest])
        if np.abs(moved - curve.values).max() <= _TOLERANCE:
            kept = rest
    return replace(curve, knots=curve.knots[kept], values=curve.values[kept], deviations=None)


def measured(train: RankingDataset, new: RankingDataset, metric: str) -> dict[str, Any]:
    """Return the mean over new queries by choice, and the share of knots that are left."""

    def mean(model: Any) -> float:
        return float(np.nanmean(evaluate_metrics([parse_metric(metric)], model.scores(new), new.judgments)[0]))

    def additive(**given: Any) -> AdditiveModel:
        return AdditiveRanker(metric, **{"smoothness": DEFAULT_SMOOTHNESS, **given}).fit_dataset(train).model_

    basis = KnotBasis.of(train, Unchanged(), 16)
    training = CurveTraining(
        basis, parse_metric(metric), np.ones(train.n_queries), np.zeros(train.n_features), 0.0, 1.0
    )
    held_out = training.held_out_values(SMOOTHNESSES, 0)
    models = {smoothness: additive(smoothness=smoothness) for smoothness in SMOOTHNESSES}
    means = {smoothness: mean(model) for smoothness, model in models.items()}
    default = models[DEFAULT_SMOOTHNESS]
    fewer = replace(default, curves=[with_fewer_knots(curve) for curve in default.curves])
    knots = [sum(curve.knots.size for curve in model.curves) for model in (fewer, default)]
    return {
        "linear": mean(LinearRanker(metric).fit_dataset(train).model_),
        "choices": {
            **{f"smoothness {smoothness:g}": value for smoothness, value in means.items()},
            **{
                f"smoothness by cross-validation{told}": means[smoothness_by_errors(held_out, errors)]
                for errors, told in ((0.0, ""), (1.0, ", 1 error"), (2.0, ", 2 errors (default)"))
            },
            "100, convex fit alone": mean(additive(smoothing=0.0)),
            "100, half of it": mean(additive(shrinkage=0.5)),
            "100, knots swept": mean(additive(sweep_knots=True)),
            "100, fewer knots": mean(fewer),
            **{f"100, steps on {n} knots": mean(additive(curves="steps", n_knots=n)) for n in STEP_KNOTS},
        },
        "knots": knots[0] / knots[1],
    }


def main() -> None:
    options = parser(__doc__, folds="1")
    options.set_defaults(collections=[*NAMES, *TEXTS])
    options.add_argument("--samples", type=int, default=2)
    options.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("curve_choices", fresh=arguments.fresh)
    columns: dict[tuple[str, int], list[dict[str, float]]] = {}
    left = []
    for collection in arguments.collections:
        if collection in TEXTS:
            data = text_data(collection)
        else:
            data = concatenate([read_letor(arguments.folder / collection / f"S{i}.txt.gz") for i in (1, 2, 3)])
        for size in (size for size in arguments.sizes if 3 * size <= 2 * data.n_queries):
            for sample in range(arguments.samples):
                drawn = np.random.default_rng([size, sample]).permutation(data.n_queries)
                train, new = (np.sort(part) for part in (drawn[:size], drawn[size : size + _MOST_NEW]))
                for metric in arguments.metrics:
                    found = results.get(
                        f"{edition('rankmax')}, {collection}, {size}, {sample}, {metric}",
                        lambda train=train, new=new, metric=metric, data=data: measured(
                            data.select(train), data.select(new), METRICS[metric]
                        ),
                    )
                    gains = {name: 1000 * (value - found["linear"]) for name, value in found["choices"].items()}
                    columns.setdefault((collection, size), []).append(gains)
                    left.append(found["knots"])
    rows = []
    for name in next(iter(columns.values()))[0]:
        cells = {column: float(np.mean([gains[name] for gains in found])) for column, found in columns.items()}
        by_size = [[cell for (_, n), cell in cells.items() if n == size] for size in arguments.sizes]
        every = np.array(list(cells.values()))
        shown = [f"{np.mean(own):+.1f}" if own else "" for own in by_size]
        error = every.std(ddof=1) / np.sqrt(every.size) if every.size > 1 else np.nan
        rows.append([name, *shown, f"{every.mean():+.1f} ± {error:.1f}", f"{every.min():+.1f}"])
    print(f"\n{markdown_table(['', *map(str, arguments.sizes), 'all', 'lowest'], rows)}")
    print(f"\nknots left by the last: {np.mean(left):.0%}")


if __name__ == "__main__":
    main()
