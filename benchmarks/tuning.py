"""Weights for several systems: how soon, and how good on queries that were not learned from?

Question   Is learning the weights of a weighted sum by `rankmax tune`'s search at least 20 times faster than ranx's
           optimize_fusion (wsum) and 10 times faster than Optuna, with no lower nDCG@10 on held-out queries?
           And how long does the whole command take, with all its cross-validation?
Data       Runs of TREC 2019 Deep Learning (43 queries) of two, three and four systems; MQ2008's first part as a log of
           46 features, for the command alone.
Baseline   All learn weights for min-max normalized scores from the same queries, twice 5-fold cross-validated:
           ranx's optimize_fusion; a grid of steps of 0.1 whose every point is fused and evaluated by ir-measures, as
           PyTerrier's GridScan does; Optuna's TPE with 200 trials, whose objective is our compiled evaluation.
           Before, ranx's fusions must rank as ours. 43 queries tell little of one set of systems (differences come with
           their standard errors over queries), so weights are also learned for every two and three of the six systems,
           beside the grid alone, which finds what ranx finds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import optuna
import ranx
from harness import compare, format_seconds, machine, markdown_table, report

from rankmax._arrays import F64, I64
from rankmax.data.splits import k_folds
from rankmax.formats.trec import read_qrels, read_run
from rankmax.fusion.candidates import equal_weights, weighted_sum
from rankmax.fusion.signals import Signals, signals_of_runs
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import nDCG
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.preprocessing.run_normalization import ReciprocalRank, RetrievedMinMax
from rankmax.spaces.lattice import simplex_lattice

METRIC = nDCG(cutoff=10)
SYSTEMS = (("bm25", "e5"), ("bm25", "splade", "e5"), ("bm25", "splade", "colbert", "e5"))
TRIALS = 200
Learner = Callable[[I64], F64]


class Problem:
    """Some runs of a folder, as every program wants them."""

    def __init__(self, folder: Path, names: tuple[str, ...]) -> None:
        self.names = names
        qrels = read_qrels(folder / "qrels.trec.gz")
        runs = {name: read_run(folder / f"{name}.run.gz") for name in names}
        self.signals: Signals = signals_of_runs(runs, qrels)
        self.queries = self.signals.data.query_ids
        self._qrels = {query: graded for query, graded in qrels.to_dict().items() if query in set(self.queries)}
        self._runs = {name: {q: run.to_dict()[q] for q in self.queries} for name, run in runs.items()}
        self.data = RetrievedMinMax().apply(self.signals.data)
        self.search = LatticeSearch(self.data, [METRIC])

    def ours(self, train: I64) -> F64:
        """Learn as `rankmax tune` does, the normalization and the table of values included."""
        data = RetrievedMinMax().apply(self.signals.data.select(train))
        return LatticeSearch(data, [METRIC]).fit(np.arange(train.size))

    def ranx(self, train: I64) -> F64:
        """Learn by ranx's optimize_fusion."""
        qrels, runs = self.for_ranx(train)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ranx.optimize_fusion(qrels, runs, norm="min-max", method="wsum", metric="ndcg@10")
        return np.array(found["weights"])

    def grid(self, train: I64) -> F64:
        """Fuse and evaluate at every point of a grid."""
        chosen = [self.queries[q] for q in train]
        qrels = {query: self._qrels[query] for query in chosen}
        normalized = [{query: _stretched(self._runs[name][query]) for query in chosen} for name in self.names]
        best, weights = -1.0, ()
        for units in product(range(11), repeat=len(self.names)):
            if sum(units) != 10:
                continue
            fused: dict[str, dict[str, float]] = {query: {} for query in chosen}
            for unit, run in zip(units, normalized, strict=True):
                for query, documents in run.items():
                    scores = fused[query]
                    for document, score in documents.items():
                        scores[document] = scores.get(document, 0.0) + unit / 10 * score
            value = ir_measures.calc_aggregate([ir_measures.nDCG @ 10], qrels, fused)[ir_measures.nDCG @ 10]
            if value > best:
                best, weights = value, units
        return np.array(weights) / 10

    def compiled_grid(self, train: I64) -> F64:
        """Return the best point of the same grid, by our evaluation."""
        points = simplex_lattice(len(self.names), 10) / 10
        return points[np.argmax(self.search.values(points)[:, 0, train].mean(axis=1))]

    def optuna(self, train: I64) -> F64:
        """Learn by Optuna, which is given our compiled evaluation."""
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        objective = LinearObjective(RetrievedMinMax().apply(self.signals.data.select(train)), METRIC)
        names = [f"w{j}" for j in range(len(self.names))]

        def value(trial: Any) -> float:
            return objective.at([trial.suggest_float(name, 0.0, 1.0) for name in names]).value

        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
        study.optimize(value, n_trials=TRIALS)
        return np.array([study.best_params[name] for name in names])

    def held_out(self, learn: Learner) -> F64:
        """Return nDCG@10 by query of weights learned from the other folds, averaged over two deals."""
        values = np.zeros(len(self.queries))
        for seed in range(2):
            for fold in k_folds(self.data, 5, seed=seed):
                values[fold.test] += self.search.values(learn(fold.train)[None])[0, 0, fold.test] / 2
        return values

    def for_ranx(self, train: I64) -> tuple[ranx.Qrels, list[ranx.Run]]:
        """Return qrels and runs of some queries."""
        chosen = [self.queries[q] for q in train]
        qrels = ranx.Qrels({query: self._qrels[query] for query in chosen})
        return qrels, [ranx.Run({query: run[query] for query in chosen}) for run in self._runs.values()]

    def check_fusions(self) -> None:
        """Assert that ranx's fusions rank as ours do."""
        _, runs = self.for_ranx(np.arange(len(self.queries)))
        data = self.signals.data
        same = equal_weights(len(self.names))
        ours = {
            ("min-max", "sum"): weighted_sum(data, RetrievedMinMax(), same, [METRIC]),
            (None, "rrf"): weighted_sum(data, ReciprocalRank(), same, [METRIC]),
        }
        assert data.document_ids is not None
        documents, query = data.document_ids.to_list(), data.judgments.query_of_document.tolist()
        for (norm, method), fusion in ours.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fused = ranx.fuse(runs=[ranx.Run(run.to_dict()) for run in runs], norm=norm, method=method).to_dict()
            scores = np.array([fused[self.queries[q]][d] for q, d in zip(query, documents, strict=True)])
            theirs = evaluate_metrics([METRIC], scores, data.judgments)[0]
            different = np.flatnonzero(np.abs(fusion.values[0] - theirs) > 1e-6)
            assert different.size <= 3, (
                method,
                different,
            )  # sums that are equal in one may be rounded apart in the other
            assert abs(fusion.values[0].mean() - theirs.mean()) < 2e-3, method


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--systems", type=int, nargs="+", default=[2, 3, 4], help="how many to fuse")
    parser.add_argument("--skip-command", action="store_true", help="do not time the command itself")
    arguments = parser.parse_args()
    root = Path(os.environ.get("RANKMAX_DATA") or Path(__file__).parents[2] / "shared" / "data")
    folder = root / "runs" / "dl19-passage"
    if not folder.is_dir():
        print(f"skipped: no {folder}; set RANKMAX_DATA")
        return
    print(machine())
    for names in SYSTEMS:
        if len(names) in arguments.systems:
            against_peers(Problem(folder, names), arguments.repeats)
    every_few(folder)
    if not arguments.skip_command:
        time_commands(root, folder)


def against_peers(problem: Problem, repeats: int) -> None:
    problem.check_fusions()
    everything = np.arange(len(problem.queries))
    ours = problem.held_out(problem.ours)
    rows = [["rankmax", f"{ours.mean():.4f}", "", "", ""]]
    assert np.array_equal(problem.compiled_grid(everything), problem.grid(everything))
    peers = {"ranx wsum": problem.ranx, "grid of 0.1": problem.grid, "Optuna": problem.optuna}
    for name, learn in peers.items():
        ratio = compare(partial(problem.ours, everything), partial(learn, everything), repeats=repeats)
        report(f"tuning {'+'.join(problem.names)} against {name}", faster=ratio)
        rows[0][3] = format_seconds(float(np.median(ratio.ours)))
        theirs = problem.held_out(learn)
        time_taken = format_seconds(float(np.median(ratio.theirs)))
        rows.append([name, f"{theirs.mean():.4f}", with_error(ours - theirs), time_taken, f"{ratio.median:.0f}x"])
    header = ["learned by", "held-out nDCG@10", "rankmax minus it", "time", "rankmax is faster by"]
    print(markdown_table(header, rows), flush=True)


def every_few(folder: Path) -> None:
    """Print how learned weights compare with the grid's, over all sets of two and three systems."""
    names = sorted(path.name.split(".")[0] for path in folder.glob("*.run.gz"))
    rows = []
    for size in (2, 3):
        problems = [Problem(folder, few) for few in combinations(names, size)]
        differences = [(p.held_out(p.ours) - p.held_out(p.compiled_grid)).mean() for p in problems]
        higher = sum(difference > 0 for difference in differences)
        rows.append([f"{size} of {len(names)}", str(len(problems)), with_error(np.array(differences)), str(higher)])
    print(markdown_table(["systems", "sets", "rankmax minus grid of 0.1", "higher in"], rows), flush=True)


def with_error(differences: F64) -> str:
    """Return a mean with its standard error."""
    return f"{differences.mean():+.4f} ± {differences.std(ddof=1) / differences.size**0.5:.4f}"


def time_commands(root: Path, folder: Path) -> None:
    """Time `rankmax tune` from start-up to answer, after one run that may compile."""
    program = "import sys; from rankmax.cli import main; sys.argv[0] = 'rankmax'; main()"
    runs = [str(folder / f"{name}.run.gz") for name in ("bm25", "e5")]
    log = root / "letor" / "MQ2008" / "S1.txt.gz"
    for what, arguments in (
        ("two systems, 43 queries", ["--qrels", str(folder / "qrels.trec.gz"), *runs]),
        ("MQ2008 S1, 46 features, 157 queries", [str(log)]),
    ):
        command = [sys.executable, "-c", program, "tune", *arguments, "-m", "nDCG@10"]
        times = []
        for _ in range(4):
            began = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times.append(time.perf_counter() - began)
        report(f"rankmax tune, {what}", seconds=format_seconds(float(np.median(times[1:]))))


def _stretched(scores: dict[str, float]) -> dict[str, float]:
    low, high = min(scores.values()), max(scores.values())
    return {document: (score - low) / ((high - low) or 1.0) for document, score in scores.items()}


if __name__ == "__main__":
    main()
