"""How often is the maximum proven exactly where features are small whole numbers and documents tie?

Data      Made up, by seed: 5, 12 or 30 queries of 2 to 16 documents, 2 to 4 features of whole numbers from 0 to 5 (or
          to 1, 2, 3), grades from 0 to 3 (or 0 and 1) that follow the features loosely; in half of the problems every
          fourth document has the features of another of its query, and a grade of its own. Six metrics, nonnegative
          weights and weights of any sign.
Baseline  None: others prove nothing. --json keeps what became of each problem, to compare two versions.
Prints    By number of features: the share proven exactly, what ended the search, the median and the longest time, the
          largest gap. With --verify, every certificate is checked by `verify_certificate`.
Time      A proof ends after --seconds at the latest; 300 problems take about a minute, with --verify two.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path

import numpy as np
from harness import report

from rankmax.data.dataset import RankingDataset
from rankmax.workflows.proofs.certificate import Certificate
from rankmax.workflows.proofs.proven_optimum import prove_optimum
from rankmax.workflows.proofs.verification import verify_certificate

METRICS = ("nDCG@10", "nDCG(gain='exp2')@10", "nDCG@3", "AP", "RR", "P@5")


def tied_problem(seed: int, n_features: int) -> RankingDataset:
    """Return a problem of small whole numbers, in which many documents tie.

    Parameters
    ----------
    seed : int
    n_features : int
    """
    rng = np.random.default_rng([seed, n_features])
    sizes = rng.integers(2, 17, rng.choice([5, 12, 30]))
    qid = np.repeat(np.arange(sizes.size), sizes)
    features = rng.integers(0, rng.choice([2, 3, 4, 6, 6, 6]), (qid.size, n_features)).astype(np.float64)
    if rng.random() < 0.5:
        for document in range(0, qid.size, 4):
            features[document] = features[rng.choice(np.flatnonzero(qid == qid[document]))]
    hidden = features @ rng.random(n_features) + rng.normal(scale=rng.choice([0.5, 2.0]), size=qid.size)
    n_grades = int(rng.choice([2, 4]))
    grades = np.digitize(hidden, np.quantile(hidden, np.linspace(0.4, 0.95, n_grades - 1)))
    return RankingDataset.from_arrays(features, grades, qid=qid)


def settings(seed: int) -> tuple[str, str]:
    """Return the metric and the space of a problem."""
    return METRICS[seed % len(METRICS)], "euclidean" if seed % 4 == 3 else "simplex"


def examine(seed: int, n_features: int, *, seconds: float, verify: bool) -> dict[str, object]:
    """Return how the proof of one problem ended."""
    data, (metric, space) = tied_problem(seed, n_features), settings(seed)
    began = time.perf_counter()
    certificate: Certificate = prove_optimum(data, metric=metric, space=space, seconds=seconds)
    took = time.perf_counter() - began
    checked = 0.0
    if verify:
        began = time.perf_counter()
        verify_certificate(certificate, data)
        checked = time.perf_counter() - began
    return {
        "seed": seed,
        "features": n_features,
        "metric": metric,
        "space": space,
        "stopped_by": certificate.stopped_by,
        "gap": certificate.gap,
        "value": certificate.value,
        "seconds": took,
        "verified_in": checked,
        "cuts": len(certificate.cuts),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--problems", type=int, default=100, help="For each number of features.")
    options.add_argument("--first", type=int, default=0, help="The first seed.")
    options.add_argument("--features", default="2,3,4")
    options.add_argument("--seconds", type=float, default=10.0, help="That a proof may take.")
    options.add_argument("--verify", action="store_true", help="Check every certificate.")
    options.add_argument("--json", type=Path, help="File for what became of each problem.")
    chosen = options.parse_args()
    found = []
    for n_features in map(int, chosen.features.split(",")):
        seeds = range(chosen.first, chosen.first + chosen.problems)
        here = [examine(seed, n_features, seconds=chosen.seconds, verify=chosen.verify) for seed in seeds]
        took = np.array([one["seconds"] for one in here])
        report(
            f"{n_features} features",
            problems=len(here),
            proven=f"{np.mean([one['gap'] == 0 for one in here]):.1%}",
            stopped_by=dict(Counter(str(one["stopped_by"]) for one in here)),
            median=f"{np.median(took):.3f} s",
            longest=f"{took.max():.1f} s",
            largest_gap=f"{max(float(str(one['gap'])) for one in here):.5f}",
            longest_check=f"{max(float(str(one['verified_in'])) for one in here):.1f} s",
        )
        found.extend(here)
    report("all", problems=len(found), proven=f"{np.mean([one['gap'] == 0 for one in found]):.2%}")
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
