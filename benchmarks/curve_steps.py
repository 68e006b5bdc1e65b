"""How many steps does a curve need as a tree, and where, so that an engine ranks as the model does?

Data      LETOR's first folds of MQ2007, MQ2008 and OHSUMED: additive models of the training queries for AP and nDCG@10,
          and the first ten documents of validation queries, whose labels are not used.
Baseline  As many steps of one height for all curves, or at quantiles of the training data's values, each at the mean of
          the curve over the documents in it.
Ours      Steps of equal height for each curve, as exports have them (`stepped` of rankmax.engines.curves).
Prints    Queries whose first ten documents are others or in another order, by the number of steps of a curve, and in
          parentheses queries of which they are others; by how much the mean of the metric changes with the number that
          exports have; and the size of the export for the Learning to Rank plugin. The same of curves that are learned
          as steps, between scores and what plugins compute: values of steps added up in single precision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from harness import machine, markdown_table
from letor_collections import parser, read_folds

from rankmax import AdditiveRanker, RankingDataset
from rankmax._arrays import F64
from rankmax.engines.curves import N_STEPS, stepped
from rankmax.engines.registry import export_model
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.curve import Curve
from rankmax.preprocessing.thresholds import quantile_thresholds

METRICS = {"AP": "AP", "nDCG@10": "nDCG(gain=exp2)@10"}
SIZES = (32, 128, 512, 2048)

Steps = Callable[[AdditiveModel, RankingDataset, int], list[Curve]]


def _of_each_curve(model: AdditiveModel, train: RankingDataset, n_steps: int) -> list[Curve]:
    return [stepped(curve, n_steps) for curve in model.curves]


def _of_all_curves(model: AdditiveModel, train: RankingDataset, n_steps: int) -> list[Curve]:
    rises = np.array([np.abs(np.diff(curve.values)).sum() for curve in model.curves])
    shares = np.maximum(1, np.ceil(rises / rises.sum() * n_steps * len(model.used))).astype(int)
    return [stepped(curve, share) for curve, share in zip(model.curves, shares.tolist(), strict=True)]


def _at_quantiles(model: AdditiveModel, train: RankingDataset, n_steps: int) -> list[Curve]:
    found = []
    for name, curve in zip(model.feature_names, model.curves, strict=True):
        values, counts = np.unique(train.column(train.feature_names.index(name)), return_counts=True)
        thresholds = quantile_thresholds(values, counts, n_steps)
        bins = np.searchsorted(thresholds, values)
        totals, documents = (np.bincount(bins, weights) for weights in (curve.at(values) * counts, counts))
        found.append(Curve(thresholds, totals / documents, "constant", curve.absent))
    return found


WAYS: dict[str, Steps] = {
    "equal height for each curve": _of_each_curve,
    "one height for all curves": _of_all_curves,
    "quantiles of the values": _at_quantiles,
}


def changed(exact: F64, found: F64, data: RankingDataset) -> tuple[int, int]:
    """Return the number of queries with another first ten documents, in another order or others; ties aside."""
    order, others = 0, 0
    for begin, end in zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True):
        ours = np.sort(exact[begin:end])[::-1][:10]
        theirs = exact[begin:end][np.argsort(-found[begin:end], kind="stable")][:10]
        order += not np.array_equal(ours, theirs)
        others += not np.array_equal(ours, np.sort(theirs)[::-1])
    return order, others


def in_single_precision(model: AdditiveModel, data: RankingDataset) -> F64:
    """Return the scores as engines compute them from trees."""
    columns = (data.column(data.feature_names.index(name)).astype(np.float32) for name in model.feature_names)
    found = np.zeros(data.n_documents, np.float32)
    for curve, column in zip(model.curves, columns, strict=True):
        found += curve.at(column).astype(np.float32)
    return found.astype(np.float64)


def main() -> None:
    arguments = parser(__doc__, folds="1").parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    rows = []
    for collection in arguments.collections:
        for fold in read_folds(arguments.folder, collection, arguments.folds).values():
            for name in arguments.metrics:
                metric, held_out = parse_metric(METRICS[name]), fold.validation
                model = AdditiveRanker(metric).fit_dataset(fold.train).model_
                exact = model.scores(held_out)
                before = evaluate_metrics([metric], exact, held_out.judgments)[0]
                for way, steps in WAYS.items():
                    cells, change = [], 0.0
                    for size in SIZES:
                        scores = replace(model, curves=tuple(steps(model, fold.train, size))).scores(held_out)
                        order, others = changed(exact, scores, held_out)
                        cells.append(f"{order} ({others})")
                        if size == N_STEPS:
                            after = evaluate_metrics([metric], scores, held_out.judgments)[0]
                            change = float(np.nanmean(after) - np.nanmean(before))
                    rows.append([f"{collection}, {name}, {held_out.n_queries} queries", way, *cells, f"{change:+.5f}"])
                learned = AdditiveRanker(metric, curves="steps").fit_dataset(fold.train).model_
                order, others = changed(learned.scores(held_out), in_single_precision(learned, held_out), held_out)
                sizes = [len(export_model(one, "opensearch-ltr").requests[0].json) / 1e6 for one in (model, learned)]
                print(f"{collection}, {name}: {sizes[0]:.1f} MB for the plugin", flush=True)
                n_steps = sum(curve.values.size for curve in learned.curves) / max(len(learned.used), 1)
                print(f"  learned as {n_steps:.0f} steps a curve: {order} ({others}), {sizes[1]:.1f} MB", flush=True)
    header = ["", "steps of", *map(str, SIZES), f"change of the mean with {N_STEPS}"]
    print(markdown_table(header, rows))


if __name__ == "__main__":
    main()
