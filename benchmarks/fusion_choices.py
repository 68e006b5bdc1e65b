"""Which weights to take from a table of the metric over the simplex, for queries that are not in it?

Question  The best point of a table of some dozens of queries is noisy. Which choice does best on other queries: that
          point, the average over bootstrap samples, the middle of what is nearly as good, a smoothed table?
Data      Nothing that benchmarks/tuning.py reports on. Runs of five retrieval functions on four text collections; two,
          three and four features of LETOR's collections; systems of TREC 2019 Deep Learning other than its three rows.
          40 random queries to learn from (30 of TREC's 43), all others to measure on; repeated.
Baseline  The best point of a grid of steps of 0.1.
Prints    nDCG@10 on the other queries, by kind of data: the mean difference to the baseline, in thousandths, and its
          standard error over problems.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np
from harness import machine, markdown_table

from rankmax import RankingDataset
from rankmax._arrays import F64
from rankmax.data.splits import concatenate
from rankmax.formats.letor import read_letor
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_qrels, read_run
from rankmax.fusion.signals import signals_of_features, signals_of_runs
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.metrics import nDCG
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import read_documents
from rankmax.spaces.lattice import simplex_lattice
from rankmax.workflows.searching.topic_search import load_ranker, search_topics

METRIC = nDCG(cutoff=10)
FUNCTIONS = ("bm25", "bm25:title", "dirichlet", "tfidf", "sdm")
REPORTED = ({"bm25", "e5"}, {"bm25", "splade", "e5"}, {"bm25", "splade", "colbert", "e5"})
GRID = "grid of 0.1"
ALONE = "bagged, or a system alone"  # if that does better on the queries to learn from
_SAME = 1e-9
Choice = Callable[[F64, F64], F64]


def best(table: F64, points: F64) -> F64:
    """Return the mean of the best points."""
    means = table.mean(axis=1)
    return points[means >= means.max() - _SAME].mean(axis=0)


def equal(table: F64, points: F64) -> F64:
    """Return equal weights."""
    return np.full(points.shape[1], 1 / points.shape[1])


def maxima(table: F64, points: F64, n_samples: int = 50, size: float = 1.0) -> F64:
    """Return the best points for bootstrap samples, of another size than the queries if asked for."""
    n = table.shape[1]
    counts = np.random.default_rng(0).multinomial(round(size * n), np.full(n, 1 / n), size=n_samples)
    sums = counts.astype(float) @ table.T
    tops = (sums >= sums.max(axis=1, keepdims=True) - _SAME).astype(float)
    return tops @ points / tops.sum(axis=1, keepdims=True)


def bagged(table: F64, points: F64, n_samples: int = 50, size: float = 1.0) -> F64:
    """Return the mean of the best points for bootstrap samples."""
    return maxima(table, points, n_samples, size).mean(axis=0)


def median(table: F64, points: F64) -> F64:
    """Return the median of the best points for bootstrap samples."""
    middle = np.median(maxima(table, points), axis=0)
    return middle / middle.sum()


def near_best(table: F64, points: F64, within: float) -> F64:
    """Return the mean of the points whose paired difference to the best is within so many standard errors."""
    return points[_t(table) <= within].mean(axis=0)


def likely(table: F64, points: F64) -> F64:
    """Return the mean of all points, by the likelihood of their paired difference to the best being none."""
    return np.average(points, axis=0, weights=np.exp(-0.5 * _t(table) ** 2))


def smoothed(table: F64, points: F64, width: float) -> F64:
    """Return the best point of a table averaged over neighbors with a Gaussian."""
    return best(_kernel(points, width) @ table, points)


def _t(table: F64) -> F64:
    differences = table[np.argmax(table.mean(axis=1))] - table
    errors = differences.std(axis=1, ddof=1) / table.shape[1] ** 0.5
    return differences.mean(axis=1) / np.maximum(errors, 1e-12)


def _kernel(points: F64, width: float) -> F64:
    return _kernel_of(points.tobytes(), points.shape, width)


@lru_cache
def _kernel_of(content: bytes, shape: tuple[int, int], width: float) -> F64:
    points = np.frombuffer(content).reshape(shape)
    squares = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    kernel = np.exp(-0.5 * squares / width**2)
    return kernel / kernel.sum(axis=1, keepdims=True)


CHOICES: dict[str, Choice] = {
    "equal": equal,
    "best point": best,
    "bagged": bagged,
    "bagged, 200 samples": lambda table, points: bagged(table, points, 200),
    "bagged, half samples": lambda table, points: bagged(table, points, size=0.5),
    "bagged, double samples": lambda table, points: bagged(table, points, size=2.0),
    "median of bags": median,
    "bagged and best point": lambda table, points: (bagged(table, points) + best(table, points)) / 2,
    "bagged and equal": lambda table, points: (bagged(table, points) + equal(table, points)) / 2,
    "within 1/2 error": lambda table, points: near_best(table, points, 0.5),
    "within 1 error": lambda table, points: near_best(table, points, 1.0),
    "by likelihood": likely,
    "smoothed 0.05": lambda table, points: smoothed(table, points, 0.05),
    "smoothed 0.1": lambda table, points: smoothed(table, points, 0.1),
    "smoothed 0.2": lambda table, points: smoothed(table, points, 0.2),
    "smoothed 0.1, bagged": lambda table, points: bagged(_kernel(points, 0.1) @ table, points),
}


def text_problems(root: Path, sizes: list[int]) -> Iterator[tuple[str, RankingDataset]]:
    for folder in sorted((root / "text").iterdir()):
        nosource = folder / "qrels_nosource.trec.gz"
        qrels = read_qrels(nosource if nosource.exists() else folder / "qrels.trec.gz")
        topics = read_topics(folder / "queries.tsv.gz")
        with tempfile.TemporaryDirectory() as place:
            documents = read_documents(folder / "docs.jsonl.gz")
            index = build_index(documents, Path(place) / "index", analyzer=Analyzer(stemmer="porter2"))
            functions = [name for name in FUNCTIONS if index.n_occurrences("title") or not name.endswith(":title")]
            runs = {name: search_topics(index, topics, load_ranker(name), 100) for name in functions}
        for size in sizes:
            for names in combinations(runs, size):
                yield "text", signals_of_runs({name: runs[name] for name in names}, qrels).counted_by([METRIC]).data


def feature_problems(root: Path, sizes: list[int], n_problems: int) -> Iterator[tuple[str, RankingDataset]]:
    rng = np.random.default_rng(0)
    for name in ("MQ2007", "MQ2008", "OHSUMED"):
        parts = [read_letor(root / "letor" / name / f"S{i}.txt.gz") for i in range(1, 6)]
        data = signals_of_features(concatenate(parts)).counted_by([METRIC]).data
        data = data.select(np.sort(rng.permutation(data.n_queries)[:300]))
        alone = LatticeSearch(data.select_features(list(data.feature_names[:2])), [METRIC])._evaluator
        values = alone.at_weights(np.asarray(data.features).T, np.eye(data.n_features))[:, 0].mean(axis=1)
        good = [data.feature_names[j] for j in np.argsort(-values)[:20]]
        for size in sizes:
            for _ in range(n_problems):
                yield name, data.select_features(sorted(rng.choice(good, size, replace=False).tolist()))


def run_problems(root: Path, sizes: list[int]) -> Iterator[tuple[str, RankingDataset]]:
    folder = root / "runs" / "dl19-passage"
    qrels = read_qrels(folder / "qrels.trec.gz")
    runs = {path.name.split(".")[0]: read_run(path) for path in sorted(folder.glob("*.run.gz"))}
    for size in sizes:
        for names in combinations(runs, size):
            if set(names) not in REPORTED:
                yield "DL19", signals_of_runs({name: runs[name] for name in names}, qrels).data


def held_out(data: RankingDataset, n_repeats: int, n_known: int, rng: np.random.Generator) -> dict[str, float]:
    """Return the mean metric on other queries than those learned from, by choice."""
    search = LatticeSearch(data, [METRIC])
    grid = simplex_lattice(data.n_features, 10) / 10
    on_grid, alone = search.values(grid)[:, 0], np.eye(data.n_features)
    sums = dict.fromkeys([GRID, ALONE, *CHOICES], 0.0)
    for _ in range(n_repeats):
        order = rng.permutation(data.n_queries)
        known, others = order[:n_known], order[n_known:]
        tenths = grid[np.argmax(on_grid[:, known].mean(axis=1))]
        safe = np.vstack([search.fit(known), alone])
        safe = safe[np.argmax(search.values(safe)[:, 0, known].mean(axis=1))]
        learned = [choose(search.table[:, known], search.points) for choose in CHOICES.values()]
        weights = np.array([tenths, safe, *learned])
        for name, value in zip(sums, search.values(weights)[:, 0, others].mean(axis=1), strict=True):
            sums[name] += value / n_repeats
    return sums


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2, 3, 4], help="how many to fuse")
    parser.add_argument("--repeats", type=int, default=20, help="draws of the queries to learn from")
    parser.add_argument("--problems", type=int, default=6, help="sets of features for each collection and size")
    parser.add_argument("--normalize", default="retrieved-min-max", help="of the scores of runs")
    arguments = parser.parse_args()
    root = Path(os.environ.get("RANKMAX_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not root.is_dir():
        print(f"skipped: no {root}; set RANKMAX_DATA")
        return
    print(machine())
    rng = np.random.default_rng(1)
    found: dict[str, dict[str, list[float]]] = {}
    problems = (
        *text_problems(root, arguments.sizes),
        *run_problems(root, arguments.sizes),
        *feature_problems(root, arguments.sizes, arguments.problems),
    )
    for kind, data in problems:
        of_runs = kind in ("text", "DL19")
        normalized = Normalization.named(arguments.normalize if of_runs else "min-max").apply(data)
        n_known = min(40, int(0.7 * data.n_queries))
        values = held_out(normalized, arguments.repeats, n_known, rng)
        for key in (kind, f"{data.n_features} systems", "all"):
            for name, value in values.items():
                found.setdefault(key, {}).setdefault(name, []).append(1000 * (value - values[GRID]))
    kinds = sorted(found, key=lambda key: (key == "all", key.endswith("systems"), key))
    rows = [
        [
            name,
            *(
                f"{np.mean(found[k][name]):+.2f} ± {np.std(found[k][name]) / len(found[k][name]) ** 0.5:.2f}"
                for k in kinds
            ),
        ]
        for name in (GRID, ALONE, *CHOICES)
    ]
    print(markdown_table(["choice", *(f"{k} ({len(found[k]['equal'])})" for k in kinds)], rows))


if __name__ == "__main__":
    main()
