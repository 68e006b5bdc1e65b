"""How do the papers' ways of setting weights compare on new queries?

Data      LETOR's five folds of MQ2007, MQ2008 and OHSUMED: learned on the training queries, C and stopping chosen on
          the validation queries by AP, measured on the test queries.
Baseline  Direct maximization of AP (LinearRanker), or the method that --baseline names.
Others    SVM-map and SVM-roc (structural SVMs); SVM-acc and SVM-acc2, and the undersampled SVM of Nallapati, on the
          features as they are; SVM-acc3 and SVM-acc4 on 50 indicators a feature, of percentiles and of min-max scores
          within queries; the pairwise ranking SVM; maximum entropy. C is one of 0.01, 0.1, ..., 100,000.
Prints    For each collection the mean AP and nDCG@10 over the test queries of the folds, marked ▲ where better than
          the baseline and ▼ where worse (randomization test on these queries at level 0.05, corrected for the number
          of systems by Holm's method); and the median processor seconds of a fit, the choice of C included.

Results are kept in benchmarks/results, so that an interrupted run resumes; they are dropped when the source changes.
"""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Results, edition, format_seconds, machine, markdown_table
from letor_collections import parser, read_folds

from rankmax import LinearRanker, RankingDataset
from rankmax.data.splits import LetorFold
from rankmax.errors import ConvergenceWarning
from rankmax.evaluation.comparison import compare_systems
from rankmax.learners.pairwise.ranking_svm import RankingSVM
from rankmax.learners.pointwise.classification_svm import ClassificationSVM
from rankmax.learners.pointwise.maximum_entropy import MaximumEntropyRanker
from rankmax.learners.structural.structural_svm import StructuralSVM
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.preprocessing.binning import Binning

DIRECT = "direct maximization"
METRICS = ("AP", "nDCG(gain='exp2')@10")


def binned(learner: Any, fold: LetorFold, normalization: str) -> Any:
    """Learn from indicators of normalized features; the model scores the features themselves."""
    binning = Binning.fit(fold.train, spacing="even", region=(0, 1), normalization=normalization)
    return learner.fit_dataset(binning.apply(fold.train), validation=binning.apply(fold.validation))


def plain(learner: Any, fold: LetorFold) -> Any:
    return learner.fit_dataset(fold.train, validation=fold.validation)


# Over the documents, at most: a large C would go on for thousands. On fold 1 of MQ2007, ten times as many left the test
# AP of SVM-acc and SVM-acc2 as it was; over the five folds of MQ2008 and of OHSUMED they changed it by up to 0.002.
PASSES = 100
METHODS: dict[str, Callable[[LetorFold], Any]] = {
    DIRECT: lambda fold: plain(LinearRanker("AP", smoothing=0.0), fold),
    "SVM-map": lambda fold: plain(StructuralSVM("AP"), fold),
    "SVM-roc": lambda fold: plain(StructuralSVM("ROC", metric="AP"), fold),
    "SVM-acc": lambda fold: plain(ClassificationSVM(max_iterations=PASSES), fold),
    "SVM-acc2": lambda fold: plain(ClassificationSVM(balance="costs", max_iterations=PASSES), fold),
    "SVM-acc3": lambda fold: binned(ClassificationSVM(standardize=False, max_iterations=PASSES), fold, "percentile"),
    "SVM-acc4": lambda fold: binned(ClassificationSVM(standardize=False, max_iterations=PASSES), fold, "min-max"),
    "SVM, undersampled": lambda fold: plain(ClassificationSVM(balance="undersample", max_iterations=PASSES), fold),
    "ranking SVM": lambda fold: plain(RankingSVM(), fold),
    "maximum entropy": lambda fold: plain(MaximumEntropyRanker(), fold),
}


def measured(learner: Any, test: RankingDataset) -> dict[str, list[float]]:
    """Return each metric by test query."""
    values = evaluate_metrics([parse_metric(metric) for metric in METRICS], learner.model_.scores(test), test.judgments)
    return dict(zip(METRICS, values.tolist(), strict=True))


def main() -> None:
    options = parser(__doc__, folds="12345")
    options.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    options.add_argument("--baseline", default=DIRECT, choices=list(METHODS))
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    warnings.simplefilter("ignore", ConvergenceWarning)  # for the largest C
    results = Results("baselines", fresh=arguments.fresh)
    for collection in arguments.collections:
        folds = read_folds(arguments.folder, collection, arguments.folds)
        fits = {
            method: [
                results.get(
                    f"{collection}, fold {number}, {method}, {edition('rankmax')}",
                    lambda fold=fold, learn=METHODS[method]: measured(learn(fold), fold.test),
                )
                for number, fold in folds.items()
            ]
            for method in dict.fromkeys([arguments.baseline, *arguments.methods])
        }
        print(f"\n{collection}, test queries of folds {', '.join(map(str, folds))}\n")
        print(table(fits, arguments.baseline), flush=True)


def table(fits: dict[str, list[dict[str, Any]]], baseline: str) -> str:
    cells = {method: [method] for method in fits}
    for metric in METRICS:
        values = {method: np.concatenate([fit[metric] for fit in found]) for method, found in fits.items()}
        markers = {row.system: row.marker for row in compare_systems(values, baseline).rows}
        for method in fits:
            cells[method].append(f"{np.nanmean(values[method]):.4f}{markers.get(method, '')}")
    for method, found in fits.items():
        cells[method].append(format_seconds(statistics.median(fit["cpu_seconds"] for fit in found)))
    return markdown_table(["method", "AP", "nDCG@10", "processor time"], list(cells.values()))


if __name__ == "__main__":
    main()
