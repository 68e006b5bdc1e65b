"""What does SVM-map cost, to a proven gap, and how well does it rank new queries?

Data      LETOR's MQ2007, MQ2008 and OHSUMED; synthetic scores of 120 documents per query; and a binned problem as in
          Yue et al. 2007: 53 retrieval functions with 50 thresholds each, 2,650 binary features, stored sparse.
Baseline  FastRank's coordinate ascent for AP (settings in peers.py) on the folds of MQ2008, in turns with ours at
          C = 10 and a gap of 0.001 C. (The original C program took 0.17 of FastRank's time.) For the search for the
          most violated constraints: sorting every query's documents once by numba's stable argsort, in parallel. For
          test results: the published row of SVMMAP.
Asserts   Every gap that is reported; both formulations' objectives on a small problem; that the constraints found are
          as violated as those of dynamic programming.
Prints    Ratios with their spread, of wall and of processor time (of all threads; the fairer one while other programs
          run); seconds, iterations and constraints to the gap, and the most memory a fit allocates beside the data;
          their growth with queries, documents per query, features and C; the time of a quadratic program by its number
          of constraints; five-fold test results with C chosen by the validation queries.

Compiled beforehand. FastRank's fits take a minute for each fold on two cores.
"""

from __future__ import annotations

import resource
import statistics
import time
import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
from harness import compare, format_seconds, machine, markdown_table, report
from letor_collections import parser, read_folds
from numba import njit, prange
from peers import TARGETS, fastrank
from scipy.sparse import csc_array

from rankmax import RankingDataset
from rankmax._arrays import F64
from rankmax.data.judgments import Judgments
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.learners.structural.loss_registry import structural_loss
from rankmax.learners.structural.margin_problem import CuttingPlane
from rankmax.learners.structural.oracles.tabular import TabularOracle
from rankmax.learners.structural.quadratic import WorkingSet
from rankmax.learners.structural.structural_svm import StructuralSVM
from rankmax.metrics.registry import parse_metric

C, TOLERANCE = 10.0, 1e-3
DOCUMENTS = 120
PUBLISHED = {"OHSUMED": (0.4453, 0.4319)}
QUALITY_LOSSES = ["AP", "ROC", "accuracy", "nDCG(gain='exp2')", "RR"]


@njit(parallel=True)
def sort_every_query(scores, documents, order):
    for q in prange(scores.size // documents):
        span = slice(q * documents, (q + 1) * documents)
        order[span] = np.argsort(-scores[span], kind="mergesort")


def fit(data: RankingDataset, **parameters: float) -> StructuralSVM:
    svm = StructuralSVM("AP", **{"C": C, "tolerance": TOLERANCE, **parameters}).fit_dataset(data)
    assert svm.solution_.stopped_by == "converged"
    assert svm.solution_.gap <= svm.C_ * svm.tolerance
    return svm


def spent(action: Callable[[], object]) -> tuple[float, float]:
    """Return the wall and the processor seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - wall, time.process_time() - processor


def beside_fastrank(folds: dict[int, object]) -> None:
    """Train both in turns, fold by fold."""
    ratios = []
    for number, fold in folds.items():
        data = fold.train
        svm = fit(data)  # compiles, and warms up
        before = spent(lambda data=data: fit(data))
        theirs = fastrank(data, TARGETS["AP"], seed=0)
        after = spent(lambda data=data: fit(data))
        wall, processor = map(statistics.mean, zip(before, after, strict=True))  # on both sides of theirs
        ratios.append((wall / theirs["seconds"], processor / theirs["cpu_seconds"]))
        report(
            f"MQ2008 fold {number}, training",
            ours=format_seconds(wall),
            fastrank=format_seconds(theirs["seconds"]),
            wall_ratio=f"{ratios[-1][0]:.4f}",
            processor_ratio=f"{ratios[-1][1]:.4f}",
            ap=f"{svm.value_:.4f}",
            fastrank_ap=f"{evaluate_scores(data.scores(np.array(theirs['weights'])), data, ['AP']).means[0]:.4f}",
            iterations=svm.solution_.n_iterations,
        )
    for kind, shares in zip(("wall", "processor"), zip(*ratios, strict=True), strict=True):
        report(
            f"MQ2008, share of FastRank's {kind} time",
            median=f"{statistics.median(shares):.4f}",
            largest=f"{max(shares):.4f}",
        )


def binned_problem(
    n_queries: int = 50, documents: int = 200, functions: int = 53, thresholds: int = 50
) -> RankingDataset:
    """Return 1[f(d) > k] for 50 quantiles k of each of 53 functions, of which some tell more than others."""
    rng = np.random.default_rng(0)
    n = n_queries * documents
    utility = rng.normal(size=n)
    scores = utility[:, None] * rng.uniform(0, 1, functions) + rng.normal(size=(n, functions))
    cuts = np.quantile(scores, np.linspace(0, 1, thresholds + 2)[1:-1], axis=0)
    features = csc_array(np.concatenate([scores > cut for cut in cuts], axis=1).astype(np.float64))
    relevant = utility + 0.5 * rng.normal(size=n) > 1.5
    return RankingDataset.from_arrays(features, relevant, qid=np.arange(n) // documents)


def to_the_gap(name: str, data: RankingDataset, **parameters: float) -> None:
    svm = fit(data, **parameters)  # compiles, and warms up
    times = [spent(lambda: fit(data, **parameters)) for _ in range(3)]
    wall, processor = map(statistics.median, zip(*times, strict=True))
    tracemalloc.start()
    fit(data, **parameters)
    allocated = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    report(
        name,
        seconds=format_seconds(wall),
        processor=format_seconds(processor),
        iterations=svm.solution_.n_iterations,
        constraints=svm.solution_.n_constraints,
        gap=f"{svm.solution_.gap / svm.C_:.2g} C",
        objective=f"{svm.solution_.objective:.5f}",
        ap=f"{svm.value_:.4f}",
        allocated=f"{allocated / 1e6:.1f} MB",
        data=f"{size(data) / 1e6:.1f} MB",
    )


def size(data: RankingDataset) -> int:
    """Return the bytes of the features."""
    features = data.features
    parts = [features] if isinstance(features, np.ndarray) else [features.data, features.indices, features.indptr]
    return sum(part.nbytes for part in parts)


def quadratic_programs() -> None:
    """Time the restricted program by its number of constraints, in the dual and, beyond the features, in the primal."""
    rng = np.random.default_rng(2)
    for n_weights in (50, 2650):
        for n_constraints in (10, 40, 160, 640):
            working = WorkingSet(n_weights, n_groups=1)
            for normal in rng.normal(1, 1, (n_constraints, n_weights)) / n_weights:
                working.add(CuttingPlane(normal, float(rng.random())))
            processor = statistics.median(spent(partial(working.solve, C))[1] for _ in range(9))
            report(
                f"quadratic program, {n_weights} weights, {n_constraints} constraints",
                processor=format_seconds(processor),
            )


def assert_formulations_agree(data: RankingDataset) -> None:
    small = data.select(np.arange(20))
    one, many = (
        fit(small, formulation=formulation, tolerance=1e-4).solution_ for formulation in ("one-slack", "n-slack")
    )
    assert abs(one.objective - many.objective) <= one.gap + many.gap
    report("one slack and n slacks, 20 queries", objectives=f"{one.objective:.6f} and {many.objective:.6f}")


def graded_scores(n_queries: int, documents: int) -> tuple[F64, Judgments]:
    rng = np.random.default_rng(0)
    n = n_queries * documents
    grades = rng.choice(5, n, p=[0.52, 0.32, 0.13, 0.02, 0.01])
    return rng.normal(size=n) + 0.3 * grades, Judgments.from_grades(grades, np.arange(n_queries + 1) * documents)


def search_in_sorts(name: str, n_queries: int, documents: int = DOCUMENTS) -> None:
    """Compare one search for the most violated constraints of all queries with one sort of all documents."""
    scores, judgments = graded_scores(n_queries, documents)
    oracle = structural_loss(name).oracle(judgments)
    if isinstance(oracle, TabularOracle) and oracle.kind == "DISCOUNTED" and documents <= DOCUMENTS:
        planned = TabularOracle(parse_metric(name), judgments)
        planned.kind = "TOP"
        slacks = [found.most_violated(scores).slacks(scores, judgments.query_offsets) for found in (oracle, planned)]
        np.testing.assert_allclose(*slacks, atol=1e-9)
    order = np.empty(scores.size, np.int64)
    ratio = compare(lambda: oracle.most_violated(scores), lambda: sort_every_query(scores, documents, order), repeats=9)
    report(
        f"most violated constraints, {name}, {n_queries} queries of {documents} documents",
        sorts=f"{1 / ratio.median:.2f}",
        us_a_query=f"{1e6 * statistics.median(ratio.ours) / n_queries:.2f}",
        ns_a_document=f"{1e9 * statistics.median(ratio.ours) / scores.size:.1f}",
    )


def planted(n_queries: int, documents: int, n_features: int) -> RankingDataset:
    rng = np.random.default_rng(1)
    n = n_queries * documents
    X = rng.normal(size=(n, n_features))
    relevant = X @ rng.normal(size=n_features) / np.sqrt(n_features) + rng.normal(size=n) > 1.3
    return RankingDataset.from_arrays(X, relevant, qid=np.arange(n) // documents, copy=False)


def quality(collection: str, folds: dict[int, object]) -> None:
    """Print test results, C chosen by the validation queries; each loss's own metric is what chooses."""
    rows = []
    for loss in QUALITY_LOSSES:
        began, means = time.perf_counter(), []
        for fold in folds.values():
            svm = StructuralSVM(loss).fit_dataset(fold.train, validation=fold.validation)
            means.append(evaluate_scores(svm.model_.scores(fold.test), fold.test, ["LetorAP", "LetorNDCG@10"]).means)
        spent = (time.perf_counter() - began) / len(folds)
        rows.append([f"ours, {loss}", *(f"{value:.4f}" for value in np.mean(means, axis=0)), format_seconds(spent)])
    if collection in PUBLISHED and len(folds) == 5:
        rows.append(["SVMMAP, published", *(f"{value:.4f}" for value in PUBLISHED[collection]), ""])
    print(f"\n{collection}, test queries of folds {', '.join(map(str, folds))}\n")
    print(markdown_table(["loss", "MAP", "NDCG@10", "time, eight C"], rows), end="\n\n", flush=True)


PARTS = ("search", "gap", "growth", "fastrank", "quality")


def main() -> None:
    options = parser(__doc__, folds="12345")
    options.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS)
    arguments = options.parse_args()
    print(machine())
    if "search" in arguments.parts:
        for name in ("AP", "ROC", "RR", "nDCG", "nDCG@10", "P@10", "accuracy"):
            search_in_sorts(name, 2000)
        for documents in (30, 120, 480, 1920):
            search_in_sorts("AP", 240_000 // documents, documents)
        for n_queries in (500, 2000, 8000):
            search_in_sorts("AP", n_queries)
    if "gap" in arguments.parts:
        binned = binned_problem()
        to_the_gap(f"binned, {binned.n_features} features, C = {C:g}", binned)
        if arguments.folder.is_dir():
            train = read_folds(arguments.folder, "MQ2007", [1])[1].train
            assert_formulations_agree(train)
            for cost in (1.0, 10.0, 100.0, 1000.0):
                to_the_gap(f"MQ2007 fold 1, C = {cost:g}", train, C=cost)
    if "growth" in arguments.parts:
        for n_queries in (250, 1000, 4000):
            to_the_gap(f"{n_queries} queries of 40 documents, 50 features", planted(n_queries, 40, 50))
        for documents in (40, 160, 640):
            to_the_gap(f"250 queries of {documents} documents, 50 features", planted(250, documents, 50))
        for n_features in (50, 200, 800):
            to_the_gap(f"250 queries of 40 documents, {n_features} features", planted(250, 40, n_features))
        for cost in (10.0, 1000.0, 100_000.0):
            to_the_gap(f"250 queries of 40 documents, 50 features, C = {cost:g}", planted(250, 40, 50), C=cost)
        quadratic_programs()
        report("most memory of the process so far", MB=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    if "fastrank" in arguments.parts:
        beside_fastrank(read_folds(arguments.folder, "MQ2008", arguments.folds))
    if "quality" in arguments.parts:
        for collection in arguments.collections:
            quality(collection, read_folds(arguments.folder, collection, arguments.folds))


if __name__ == "__main__":
    main()
