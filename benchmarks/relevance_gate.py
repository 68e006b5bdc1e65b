"""Does `rankmax check` cry wolf, does it sleep, and how long does it take?

Question  How often does the gate fail where nothing is worse? Are seeded regressions caught as often as it says? How
          long does one check of files take?
Data      TREC 2019 Deep Learning (43 queries, six systems), Cranfield (225, nine) and the docstrings that come with
          the package (200, nine), in five metrics; for the time, made files of 1,000 queries x 100 documents.
Baseline  A level of 4%, and the stated power. An A/A comparison is a pair of real systems whose values are swapped at
          random, query by query: neither is better then, and differences are as large as between real systems.
Prints    Rates of false alarms over 4,000 comparisons, in all metrics and also by segment; rates of caught
          regressions beside the stated power, over draws of as many queries from the collection; how often drops of
          the stated smallest size are caught; seconds of a check in a process of its own.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np
from decision_problems import systems
from harness import machine, markdown_table, seconds
from scipy.optimize import brentq

from rankmax import LinearModel
from rankmax.data.judging import judge
from rankmax.data.runs import Qrels, Run
from rankmax.evaluation.joint_regression_test import joint_regression_test
from rankmax.evaluation.noticeable_drops import caught_share, noticeable_drops
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.preprocessing.feature_normalization import Normalization

METRICS = ("nDCG@10", "AP", "P@10", "RR", "R@100")
LEVEL = 0.04
COLLECTIONS = {
    "DL19": ("splade", "bm25", "e5"),
    "cranfield": ("bm25", "lsi", "chars"),
    "docstrings": ("bm25", "sdm", "lsi"),
}
"""Systems of the fusion that is made worse."""


class Collection:
    """Judged queries of a collection, with the values of its systems."""

    def __init__(self, root: Path, kind: str) -> None:
        qrels, self.runs = systems(root, kind)
        ranked = set.union(*(set(run.query_ids) for run in self.runs.values()))
        self.qrels = Qrels.from_dict({query: row for query, row in qrels.to_dict().items() if query in ranked})
        self.systems = {name: self.values(run) for name, run in self.runs.items()}
        self.fused = {name: self.runs[name] for name in COLLECTIONS[kind]}

    def values(self, run: Run) -> np.ndarray:
        """Values of a run by metric and query."""
        judged = judge(run, self.qrels)
        return evaluate_scores(judged.scores, judged.judgments, METRICS, ties="trec-eval").values

    def fusion(self, weights: np.ndarray) -> np.ndarray:
        """Values of the fusion with some weights."""
        normalization = Normalization.from_dict({"name": "retrieved-min-max"})
        return self.values(LinearModel(weights, tuple(self.fused), normalization).rank(self.fused))

    def without_best(self) -> np.ndarray:
        """Values of the fused system after its highest relevant document is gone."""
        base = next(iter(self.fused.values()))
        grades, cut = self.qrels.to_dict(), {}
        for query, scores in base.to_dict().items():
            ranked = sorted(scores, key=lambda d, scores=scores: (scores[d], d), reverse=True)
            best = next((d for d in ranked if grades.get(query, {}).get(d, 0) > 0), None)
            cut[query] = {d: score for d, score in scores.items() if d != best} or {"none": 0.0}
        return self.values(Run.from_dict(cut))


def is_caught(differences: np.ndarray, seed: int, n_flips: int = 999) -> np.ndarray:
    tested = joint_regression_test(differences, level=LEVEL, n_flips=n_flips, seed=seed)
    return tested.corrected_p_values <= LEVEL


def false_alarms(collection: Collection, n_comparisons: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """Rates over A/A comparisons: all metrics, also by segment, and with means made equal instead of swapped values."""
    pairs = list(combinations(collection.systems, 2))
    alarms = np.zeros(3)
    for number in range(n_comparisons):
        a, b = pairs[rng.integers(len(pairs))]
        differences = clean(collection.systems[a] - collection.systems[b])
        n_queries = differences.shape[1]
        swapped = differences * rng.choice([-1.0, 1.0], n_queries)
        segment = rng.integers(0, 3, n_queries)
        by_segment = np.concatenate([swapped, *(np.where(segment == one, swapped, np.nan) for one in range(3))])
        equal = differences - differences.mean(axis=1, keepdims=True)
        redrawn = equal[:, rng.integers(0, n_queries, n_queries)]
        alarms += [is_caught(one, number).any() for one in (swapped, by_segment, redrawn)]
    return tuple(alarms / n_comparisons)


def regressions(collection: Collection, rng: np.random.Generator) -> dict[str, list[np.ndarray]]:
    """Differences of seeded regressions, several of each kind."""
    base, cut = next(iter(collection.fused)), collection.without_best()
    n_queries, n_systems = len(collection.qrels.query_ids), len(collection.fused)
    lost = []
    for _ in range(20):
        hit = rng.permutation(n_queries) < round(0.1 * n_queries)
        lost.append(np.where(hit, cut - collection.systems[base], 0.0))
    before = collection.fusion(np.ones(n_systems))
    perturbed = [collection.fusion(np.exp(rng.normal(0, 1, n_systems))) - before for _ in range(20)]
    dropped = [collection.fusion(1.0 - np.eye(n_systems)[j]) - before for j in range(n_systems)]
    kinds = {"10% lose their best document": lost, "weights perturbed": perturbed, "one system dropped": dropped}
    return {kind: [clean(one) for one in found] for kind, found in kinds.items()}


def caught(found: list[np.ndarray], n_trials: int, rng: np.random.Generator) -> dict[str, float]:
    """Rates of regressions that are caught, beside those that are stated: by any metric, and by the main one."""
    stated, rates, main_stated, main_rates = [], [], [], []
    for differences in found:
        n_queries = differences.shape[1]
        critical = joint_regression_test(differences, level=LEVEL).critical_value
        stated.append(caught_share(differences, critical, level=LEVEL))
        main_stated.append(noticeable_drops(differences, critical, level=LEVEL)[0].power)
        draws = [differences[:, rng.integers(0, n_queries, n_queries)] for _ in range(n_trials // len(found))]
        outcomes = np.array([is_caught(draw, number) for number, draw in enumerate(draws)])
        rates.append(outcomes.any(axis=1).mean())
        main_rates.append(outcomes[:, 0].mean())
    return {
        "stated": float(np.mean(stated)),
        "caught": float(np.mean(rates)),
        "stated, nDCG@10": float(np.mean(main_stated)),
        "caught, nDCG@10": float(np.mean(main_rates)),
    }


def smallest_drops(found: list[np.ndarray], n_trials: int, rng: np.random.Generator) -> float:
    """Rate at which drops of the stated smallest size are caught, in the main metric."""
    rates = []
    for differences in found:
        main, n_queries = differences[0], differences.shape[1]
        critical = joint_regression_test(differences, level=LEVEL).critical_value
        drop = noticeable_drops(differences, critical, level=LEVEL)[0].drop
        if not 0 < drop < 0.9 * -main.min():
            continue

        def weights(tilt: float, main: np.ndarray = main) -> np.ndarray:
            exponents = -tilt * main
            return (raised := np.exp(exponents - exponents.max())) / raised.sum()

        most = 600 / np.abs(main).max()
        tilt = brentq(lambda t, w=weights, m=main, d=drop: w(t) @ m + d, -most, most)
        for number in range(n_trials // len(found)):
            drawn = rng.choice(n_queries, n_queries, p=weights(tilt))
            rates.append(is_caught(differences[:, drawn], number)[0])
    return float(np.mean(rates)) if rates else float("nan")


def clean(differences: np.ndarray) -> np.ndarray:
    return np.where(np.abs(differences) <= 1e-12, 0.0, differences)


def time_of_a_check(repeats: int) -> list[tuple[float, float]]:
    """Wall and processor seconds of `rankmax check` on files, in a process of its own."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        lines = {"qrels.txt": [], "old.run": [], "new.run": []}
        for q in range(1_000):
            lines["qrels.txt"] += [f"q{q} 0 d{q}-{d} {rng.integers(0, 3)}\n" for d in range(0, 150, 2)]
            for name in ("old.run", "new.run"):
                chosen = rng.permutation(150)[:100]
                lines[name] += [f"q{q} Q0 d{q}-{d} {r} {200 - r}.5 {name}\n" for r, d in enumerate(chosen)]
        for name, text in lines.items():
            (place / name).write_text("".join(text))
        command = [sys.executable, "-m", "rankmax", "check", "--qrels", "qrels.txt", "--baseline", "old.run"]
        command += ["--candidate", "new.run", *(word for metric in METRICS for word in ("-m", metric))]
        times = []
        for _ in range(repeats):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            wall = seconds(lambda: subprocess.run(command, cwd=place, stdout=subprocess.DEVNULL, check=False))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append((wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
        return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=4_000, help="A/A comparisons of each collection")
    parser.add_argument("--trials", type=int, default=1_000, help="draws of each kind of regression and collection")
    parser.add_argument("--collections", nargs="*", choices=list(COLLECTIONS), default=list(COLLECTIONS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only-time", action="store_true", help="measure the time alone")
    options = parser.parse_args()
    print(machine())
    times = time_of_a_check(5)
    wall, processor = (sorted(column)[len(times) // 2] for column in zip(*times, strict=True))
    print(f"one check, 1,000 queries x 100 documents x 5 metrics: {wall:.2f} s, {processor:.2f} s of processor time")
    if options.only_time:
        return
    root = Path(os.environ.get("RANKMAX_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not root.is_dir():
        print(f"skipped: no {root}; set RANKMAX_DATA")
        return
    alarms, powers = [], []
    for kind in options.collections:
        collection = Collection(root, kind)
        rng = np.random.default_rng(options.seed)
        rates = false_alarms(collection, options.comparisons, rng)
        alarms.append([kind, str(len(collection.qrels.query_ids)), *(f"{100 * rate:.1f}%" for rate in rates)])
        for name, found in regressions(collection, rng).items():
            measured = caught(found, options.trials, rng)
            row = [kind, name, *(f"{100 * value:.1f}%" for value in measured.values())]
            powers.append([*row, f"{100 * smallest_drops(found, options.trials, rng):.1f}%"])
            print("  ", *powers[-1], flush=True)
    print(f"\nFalse alarms in {options.comparisons:,} comparisons of equally good systems, level {100 * LEVEL:g}%\n")
    print(markdown_table(["collection", "queries", "swapped", "swapped, 3 segments", "equal means"], alarms))
    print(f"\nSeeded regressions, {options.trials:,} draws of queries each\n")
    names = ["stated", "caught", "stated, nDCG@10", "caught, nDCG@10", "smallest drop (80%)"]
    print(markdown_table(["collection", "regression", *names], powers))


if __name__ == "__main__":
    main()
