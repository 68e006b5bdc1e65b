"""How often does ``tune --by auto`` recommend weights that fit the query where nothing is to be gained?

Data      200 synthetic sets of 50 queries, 20 documents each: three systems, and grades that depend on the same weights
          for every query. Query features are those of the lists, and three columns of noise. And 200 sets from text:
          two or four systems of a collection, 50 of its queries at random, whose query features are those of other
          queries (a random permutation), so that what the features say has nothing to do with the query.
Baseline  5%, the most that is acceptable. For comparison, how often gating that is there is found: the same synthetic
          sets with weights that vary with the first column, by a half or by all of the weight of a system.
Prints    The share of sets with a recommendation, with its 95% interval (Clopper and Pearson).

The verdict is that of the command: nested cross-validation with 5 folds, 5 repeats, and a fit to all queries that
varies. The last is looked at first, as it is quick and rules out most sets.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from decision_problems import systems
from harness import Results, edition, machine, markdown_table
from query_weights import METRIC, SETS, TEXT
from scipy.stats import beta

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.fusion.linear_query_weights import QueryWeights
from rankmax.fusion.nested_cross_validation import LEARNED
from rankmax.fusion.signals import Signals, signals_of_features, signals_of_runs
from rankmax.fusion.standard_candidates import learned_candidates
from rankmax.preprocessing.query_features import QueryFeature, query_feature_values, usual_features
from rankmax.workflows.tuning.tuning import tune_systems

N_QUERIES = 50


def synthetic(strength: float, seed: int) -> tuple[Signals, QueryWeights]:
    """Return three systems whose first two trade weights by the first of three columns, as much as `strength` says."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(N_QUERIES, 3))
    X = rng.random((N_QUERIES, 20, 3))
    w = np.array([0.4, 0.4, 0.2]) + strength * np.clip(z[:, :1], -1, 1) * np.array([0.4, -0.4, 0.0])
    scores = (X * w[:, None, :]).sum(axis=2) + 0.1 * rng.normal(size=(N_QUERIES, 20))
    relevant = scores >= np.sort(scores, axis=1)[:, [-3]]
    data = RankingDataset.from_arrays(
        X.reshape(-1, 3), relevant.ravel().astype(int), qid=np.repeat(np.arange(N_QUERIES), 20)
    )
    signals = signals_of_features(data).counted_by([METRIC])
    return signals, _learner(signals, z)


def permuted(root: Path, seed: int) -> tuple[Signals, QueryWeights]:
    """Return systems of a text collection, with query features of other queries."""
    rng = np.random.default_rng(seed)
    kind = TEXT[seed % len(TEXT)]
    qrels, runs = systems(root, kind)
    names = SETS[kind][seed // len(TEXT) % 2]
    every = signals_of_runs({name: runs[name] for name in names}, qrels).counted_by([METRIC])
    signals = every.select(np.sort(rng.permutation(every.data.n_queries)[:N_QUERIES]))
    learner = _learner(signals, np.empty((signals.data.n_queries, 0)))
    return signals, QueryWeights(learner.features, learner.known[rng.permutation(signals.data.n_queries)], [METRIC])


def _learner(signals: Signals, columns: F64) -> QueryWeights:
    features = usual_features(signals.names)
    known = np.hstack([query_feature_values(features, signals.data, signals.names), columns])
    return QueryWeights(
        [*features, *(QueryFeature("column", f"c{k}") for k in range(columns.shape[1]))], known, [METRIC]
    )


def recommends(signals: Signals, learner: QueryWeights) -> bool:
    """Return whether the command would recommend weights by auto."""
    everything = np.arange(signals.data.n_queries)
    learned = [one for one in learned_candidates(signals, [METRIC]) if one.family == LEARNED]
    if all(learner.fit(everything, one).penalty is None for one in learned):
        return False  # whichever normalization is selected
    verdict = tune_systems(signals, [METRIC], by=learner).varying_verdict
    return verdict is not None and verdict.change


def cases(root: Path, n: int) -> dict[str, Iterator[tuple[Signals, QueryWeights]]]:
    """Return kinds of sets, of each of which there are n."""
    found = {
        "synthetic, no gating": (synthetic(0.0, seed) for seed in range(n)),
        "synthetic, half of a weight": (synthetic(0.5, seed) for seed in range(n // 4)),
        "synthetic, all of a weight": (synthetic(1.0, seed) for seed in range(n // 4)),
    }
    if (root / "text").is_dir():
        found["text, features of other queries"] = (permuted(root, seed) for seed in range(n))
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sets", type=int, default=200)
    options.add_argument("--fresh", action="store_true", help="measure again what is in benchmarks/results")
    arguments = options.parse_args()
    root = Path(os.environ.get("RANKMAX_DATA", ""))
    print(machine())
    results = Results("query_weight_nulls", fresh=arguments.fresh)
    rows = []
    for name, drawn in cases(root, arguments.sets).items():
        found = results.get(
            f"{edition('rankmax')}, {name}, {arguments.sets}",
            lambda drawn=drawn: {"recommended": [recommends(*one) for one in drawn]},
        )["recommended"]
        k, n = sum(found), len(found)
        low, high = beta.ppf(0.025, k, n - k + 1) if k else 0.0, beta.ppf(0.975, k + 1, n - k) if k < n else 1.0
        rows.append([name, str(n), str(k), f"{k / n:.1%} [{low:.1%}, {high:.1%}]"])
    print(markdown_table(["sets", "number", "recommended", "share"], rows))


if __name__ == "__main__":
    main()
