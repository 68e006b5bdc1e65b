"""How long does it take to prove that no weights are better, and how often do searches find the best?

Data      DL19: runs of BM25, E5, SPLADE and ColBERT, the first two, three or four, min-max normalized, 43 queries with
          some 200 documents each. MQ2008: fold 1's training queries (471), features f25, f40, f39, f23. Docstrings of
          numpy and scipy, half of the queries: a language model, phrases, windows (Metzler & Croft 2007, Table 5), the
          first two or all three. All weights on the simplex; nDCG@10 with gains 2^grade - 1, AP, RR.
Baseline  None proves anything. Found beside the proven maximum: FastRank's coordinate ascent (5 restarts), a grid of
          step 0.1, 200 trials of Optuna, coordinate ascent by exact lines from 10 starts, and our default training.
Prints    Cells and seconds of processor time (of all threads) to prove the maximum up to 0.001, and exactly, or the
          gap left where time was up (what is known before comes from three ascents, timed beside it); seconds by the
          clock for the exact one; by how much each search misses the maximum.
          On parts of MQ2008 and DL19, how time grows with queries. At the end, how often each search found a proven
          maximum, and by how much it missed it on average and at most. First a certificate is verified independently.
Time      A proof ends after --seconds at the latest. With the default, five minutes in all.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import optuna
from harness import format_seconds, report
from peers import TARGETS, fastrank

from rankmax._arrays import F64
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import join_runs
from rankmax.data.splits import concatenate
from rankmax.datasets import docstrings
from rankmax.formats.letor import read_letor
from rankmax.formats.trec import read_qrels, read_run
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import parse_metric
from rankmax.optimizers.branch_and_bound import BranchAndBound
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.grid_search import GridSearch
from rankmax.optimizers.optimizer import Optimizer
from rankmax.optimizers.proof import Proof
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.features import BM25, Dirichlet
from rankmax.retrieval.index.builder import build_index
from rankmax.spaces import Simplex
from rankmax.workflows.demo.demo_models import families, training_data
from rankmax.workflows.demo.demonstration import split_by_text
from rankmax.workflows.proofs.proven_optimum import prove_optimum
from rankmax.workflows.proofs.verification import verify_certificate

SHARED = Path(__file__).parents[2] / "shared" / "data"
METRICS = {"nDCG@10": TARGETS["nDCG@10"].metric, "AP": "AP", "RR": "RR"}


def systems(folder: Path, n_features: int, *, n_queries: int | None = None) -> RankingDataset:
    """Return the runs of as many systems as features, for all queries or the first of them."""
    runs = {name: read_run(folder / f"{name}.run.gz") for name in ("bm25", "e5", "splade", "colbert")[:n_features]}
    joined = join_runs(runs, read_qrels(folder / "qrels.trec.gz"), missing="minimum")
    return Normalization.named("min-max").apply(joined).select(np.arange(joined.n_queries)[:n_queries])


def letor(folder: Path, n_features: int, *, n_queries: int | None = None) -> RankingDataset:
    """Return the training queries of fold 1, or the first of them."""
    whole = concatenate([read_letor(folder / f"S{i}.txt.gz") for i in (1, 2, 3)])
    return whole.select_features(["f25", "f40", "f39", "f23"][:n_features]).select(
        np.arange(whole.n_queries)[:n_queries]
    )


def proximity(n_features: int) -> RankingDataset:
    """Return the first of the papers' three features for half of the docstrings' queries."""
    collection = docstrings()
    topics, _ = split_by_text(collection.topics, seed=7)
    functions = Dirichlet(), BM25()
    with tempfile.TemporaryDirectory() as folder:
        analyzer = Analyzer(stop="english", stemmer="porter2")
        index = build_index(collection.documents, Path(folder) / "index", analyzer=analyzer)
        three = [family for family in families(index, *functions) if family.name == "proximity"]
        data = training_data(index, topics, collection, three, functions)
        return data.select_features(data.feature_names[:n_features])


def ascended(objective: LinearObjective, optimizer: Optimizer | None = None, n_restarts: int | None = None) -> F64:
    """Return the weights that a training on the simplex ends with."""
    ranker = LinearRanker(
        objective.metric, "simplex", n_restarts=n_restarts, shrinkage=0.0, smoothing=0.0, optimizer=optimizer
    )
    return ranker.fit_dataset(objective.data).coef_


def by_optuna(objective: LinearObjective, *, trials: int = 200) -> F64:
    """Return the best weights of a study."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    names = [f"w{j}" for j in range(objective.n_features)]
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(
        lambda trial: objective.at([trial.suggest_float(name, 0.0, 1.0) for name in names]).value, n_trials=trials
    )
    return np.array([study.best_params[name] for name in names])


def by_fastrank(objective: LinearObjective, metric: str) -> F64:
    """Return FastRank's weights; it wants all documents judged, so those that are not are said to be of grade 0."""
    data = objective.data
    judged = RankingDataset.from_arrays(
        data.features,
        np.nan_to_num(data.grades),
        qid=data.judgments.query_of_document,
        feature_names=data.feature_names,
    )
    return np.array(fastrank(judged, TARGETS[metric], seed=0)["weights"])


def searches(objective: LinearObjective, metric: str) -> dict[str, Callable[[], F64]]:
    """Return the ways to search, by name."""
    grid, start = GridSearch(step=0.1), np.ones(objective.n_features)
    rng = np.random.default_rng(0)
    found: dict[str, Callable[[], F64]] = {
        "grid": lambda: grid.maximize(objective, Simplex(), start=start, rng=rng).weights,
        "optuna": lambda: by_optuna(objective),
        "coordinate_ascent": lambda: ascended(objective, CoordinateAscent()),
        "default": lambda: ascended(objective),
    }
    if metric in TARGETS:
        found["fastrank"] = lambda: by_fastrank(objective, metric)
    return found


def timed(objective: LinearObjective, search: BranchAndBound, start: F64) -> tuple[Proof, str]:
    """Return a proof, and how much processor time it took, or what gap it left."""
    began = time.process_time()
    proof = search.prove(objective, start=start)
    took = f"{format_seconds(time.process_time() - began)} ({proof.n_cells:,} cells)"
    return proof, took if proof.stopped_by == "proven" else f"gap {proof.gap:.6f} after {took}"


def missed(objective: LinearObjective, weights: F64, proof: Proof) -> float:
    """Return how far below the best value known some weights are; NaN where they are outside the simplex."""
    if weights.min() < 0:
        return np.nan
    below = proof.value - objective.at(weights).value
    return 0.0 if abs(below) < SAME_VALUE else below


def examine(
    name: str, data: RankingDataset, metric: str, *, seconds: float, compare: bool, tally: dict[str, list[float]]
) -> None:
    objective = LinearObjective(data, parse_metric(METRICS[metric]))
    ascended(objective, n_restarts=1)  # compiles
    began = time.perf_counter()
    start = ascended(objective, n_restarts=3)
    ascending = time.perf_counter() - began
    _, to_a_thousandth = timed(objective, BranchAndBound(seconds=seconds, gap=1e-3), start)
    proof, to_0 = timed(objective, BranchAndBound(seconds=seconds), start)
    report(
        f"{name}, {data.n_features} features, {metric}",
        queries=data.n_queries,
        maximum=f"{proof.value:.6f}",
        gap=f"{proof.gap:.6f}",
        ascending=format_seconds(ascending),
        to_a_thousandth=to_a_thousandth,
        to_0=to_0,
        clock=format_seconds(proof.history[-1].seconds),
    )
    if compare:
        misses = {key: missed(objective, find(), proof) for key, find in searches(objective, metric).items()}
        report("  below the best value", **{key: f"{miss:.5f}" for key, miss in misses.items()})
        if proof.gap == 0:
            for key, miss in misses.items():
                tally[key].append(miss)


def summarize(tally: dict[str, list[float]]) -> None:
    for search, misses in tally.items():
        inside = np.array([miss for miss in misses if not np.isnan(miss)])
        report(
            f"{search} beside the proven maximum",
            found=f"{(inside == 0).sum()} of {len(misses)}",
            negative_weights=len(misses) - inside.size,
            missed_on_average=f"{inside.mean():.5f}",
            at_most=f"{inside.max():.5f}",
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sets", default="dl19,mq2008,docstrings,growth")
    options.add_argument("--features", default="2,3,4")
    options.add_argument("--seconds", type=float, default=60.0, help="That a proof may take.")
    options.add_argument("--no-peers", action="store_true", help="Only prove.")
    chosen = options.parse_args()
    shared = Path(os.environ.get("RANKMAX_DATA", SHARED))
    runs, mq2008 = shared / "runs" / "dl19-passage", shared / "letor" / "MQ2008"
    if not shared.is_dir():
        print(f"skipped: no folder {shared}")
        return
    numbers = [int(n) for n in chosen.features.split(",")]
    data = systems(runs, 3)
    certificate = prove_optimum(data)
    began = time.perf_counter()
    verified = verify_certificate(certificate, data)
    report("verified", leaves=verified.n_leaves, bound=verified.bound, seconds=round(time.perf_counter() - began, 2))
    problems: dict[str, list[Callable[[], RankingDataset]]] = {
        "dl19": [partial(systems, runs, n) for n in numbers],
        "mq2008": [partial(letor, mq2008, n) for n in numbers],
        "docstrings": [partial(proximity, n) for n in numbers if n <= 3],
        "growth": [
            *(partial(letor, mq2008, 3, n_queries=n) for n in (60, 120, 240)),
            *(partial(systems, runs, 3, n_queries=n) for n in (11, 22)),
        ],
    }
    tally: dict[str, list[float]] = defaultdict(list)
    for name in chosen.sets.split(","):
        for make in problems[name]:
            data = make()
            for metric in METRICS:
                compare = name != "growth" and not chosen.no_peers
                examine(name, data, metric, seconds=chosen.seconds, compare=compare, tally=tally)
    summarize(tally)


if __name__ == "__main__":
    main()
