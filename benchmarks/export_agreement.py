"""Ask how often an engine's own arithmetic ranks real documents otherwise than the model that was exported to it.

Data: the systems and judgments of TREC 2019 Deep Learning, passages, in the folder that RANKMAX_DATA names
(runs/dl19-passage); random weights, the same for all engines.
Baseline: the model's own scores in double precision.
Answers: the engine's scores are recomputed from the exported text alone, in single precision where it uses that
(tests/oracles/engines.py). Prints the share of queries ranked alike in the first ten and in all places, ties aside,
and by how much, of the query's highest score, two documents differ at most that the engine swaps.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from harness import markdown_table

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from oracles.engines import Columns, hybrid_scores, plugin_scores, python_scores, retriever_scores, sql_scores
from rankmax import LinearModel, RankingDataset, export, join_runs, read_qrels, read_run
from rankmax.preprocessing.feature_normalization import Normalization

CASES: list[tuple[str, str, Callable[[str, Columns], list[float]]]] = [
    ("elasticsearch-ltr", "none", plugin_scores),
    ("elasticsearch-retriever", "elasticsearch-min-max", retriever_scores),
    ("elasticsearch-retriever", "l2", retriever_scores),
    ("elasticsearch-retriever", "reciprocal-rank", retriever_scores),
    ("opensearch-hybrid", "opensearch-min-max", hybrid_scores),
    ("opensearch-hybrid", "opensearch-z-score", hybrid_scores),
    ("opensearch-hybrid", "l2", hybrid_scores),
    ("opensearch-hybrid", "reciprocal-rank", hybrid_scores),
    ("python", "retrieved-z-score", python_scores),
    ("sql", "retrieved-z-score", sql_scores),
]
DEPTH = 100  # documents of each system, as many as the exported requests ask for
SYSTEMS = 5  # OpenSearch has no more clauses


def main() -> None:
    folder = Path(os.environ.get("RANKMAX_DATA", "")) / "runs" / "dl19-passage"
    if not folder.is_dir():
        print("skipped: RANKMAX_DATA names no folder with runs/dl19-passage")
        return
    paths = sorted(path for path in folder.iterdir() if "qrels" not in path.name and path.suffix != ".md")[:SYSTEMS]
    qrels = read_qrels(next(path for path in folder.iterdir() if "qrels" in path.name))
    runs = {path.name.split(".")[0]: read_run(path) for path in paths}
    data = shallow(join_runs(runs, qrels, missing="zero"))
    weights = np.random.default_rng(0).dirichlet(np.ones(len(runs)))
    rows = []
    for target, normalization, scored in CASES:
        model = LinearModel(weights, data.feature_names, Normalization.named(normalization))
        text, expected = export(model, target).text, model.scores(data)
        outcomes = []
        for begin, end in zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True):
            columns = {name: data.column(j)[begin:end].tolist() for j, name in enumerate(data.feature_names)}
            outcomes.append(compared(expected[begin:end], np.array(scored(text, columns))))
        first_ten, everywhere, swapped = zip(*outcomes, strict=True)
        rows.append(
            [target, normalization, f"{np.mean(first_ten):.1%}", f"{np.mean(everywhere):.1%}", f"{max(swapped):.1e}"]
        )
    print(f"{len(runs)} systems, {data.n_queries} queries, {data.n_documents} documents\n")
    print(markdown_table(["target", "normalization", "first ten alike", "all alike", "largest swap"], rows))


def shallow(data: RankingDataset) -> RankingDataset:
    """Return the data with only the best documents of each system; 0 for the others."""
    features = np.array(data.features)
    for begin, end in zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True):
        for column in features[begin:end].T:
            below = np.argsort(-np.where(column == 0, -np.inf, column), kind="stable")[DEPTH:]
            column[below] = 0.0
    kept = features.any(axis=1)
    queries = np.repeat(data.query_ids, np.diff(data.query_offsets))
    grades = np.nan_to_num(data.grades)
    return RankingDataset.from_arrays(features[kept], grades[kept], qid=queries[kept], feature_names=data.feature_names)


def compared(expected: np.ndarray, found: np.ndarray) -> tuple[bool, bool, float]:
    """Return whether the first ten and all places hold documents with the same scores, and the largest gap swapped."""
    ours, theirs = np.sort(expected)[::-1], expected[np.argsort(-found, kind="stable")]
    best_from_here_down = np.maximum.accumulate(theirs[::-1])[::-1]
    swapped = float((best_from_here_down - theirs).max() / np.abs(expected).max())
    return bool(np.array_equal(ours[:10], theirs[:10])), bool(np.array_equal(ours, theirs)), swapped


if __name__ == "__main__":
    main()
