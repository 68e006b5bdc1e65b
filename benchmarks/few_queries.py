"""How well do weights learned from few queries rank others, and do validation queries help?

Data      LETOR's collections in subfolders of --folder (the tests' folder of real data when left out): random samples
          of 25 to 200 queries of the training part of the first fold (S1, S2 and S3) are learned from, and its other
          two parts are the new queries: no setting was chosen by them. Text collections in ../text with 22 features of
          100 candidates by BM25: samples of all queries, and the others are new.
Baseline  The surrogate's minimum with a weak penalty, where exact ascents begin; SVM-map.
Prints    The default minus each other learner on new queries, by number of queries learned from, in thousandths, with
          its standard error over samples. In rows "+ 10" the default chooses with 10 more queries for validation, and
          in rows "all 10 more" it learns from these as well; both minus the default without them.
"""

from __future__ import annotations

import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from harness import Results, edition, machine, markdown_table
from letor_collections import NAMES, parser
from training_choices import BASELINE, CHOICES

from rankmax import RankingDataset
from rankmax._arrays import I64
from rankmax.data.splits import concatenate
from rankmax.formats.letor import read_letor
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_qrels
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.extraction.candidate_pools import top_candidates
from rankmax.retrieval.extraction.extraction import extract
from rankmax.retrieval.features import BM25, choose_features
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import read_documents

SIZES = (25, 50, 100, 200)
LEARNERS = (BASELINE, "SVM-map", "surrogate", "default")
VALIDATED = (10, 20, 50)
TEXTS = ("cranfield", "npl", "cisi")


def samples(
    data: RankingDataset, size: int, n_samples: int, *, first: int = 0, share_new: float = 0.5
) -> list[tuple[I64, I64, I64]]:
    """Return queries to learn from, to validate with, and new ones; the first two have documents of several grades.

    At least a share of such queries that are not learned from is new. Where they are too few, there are no samples.
    """
    grades = np.nan_to_num(data.grades)
    bounds = zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True)
    telling = np.flatnonzero([np.ptp(grades[a:b]) > 0 for a, b in bounds])
    n_validated = min(max(VALIDATED), int((telling.size - size) * (1 - share_new)))
    found = []
    for number in range(first, first + n_samples) if n_validated >= 0 else ():
        drawn = np.random.default_rng([size, number]).permutation(telling)
        learned, validated = drawn[:size], drawn[size : size + n_validated]
        new = np.setdiff1d(np.arange(data.n_queries), drawn[: size + n_validated])
        found.append((np.sort(learned), validated, new))
    return found


def read_text(folder: Path) -> RankingDataset:
    """Return the judged queries of a text collection, with features of their best documents by BM25."""
    topics, qrels = read_topics(folder / "queries.tsv.gz"), read_qrels(folder / "qrels.trec.gz")
    with TemporaryDirectory() as place:
        analyzer = Analyzer(stop="english", stemmer="porter2")
        index = build_index(read_documents(folder / "docs.jsonl.gz"), Path(place, "index"), analyzer=analyzer)
        features = choose_features(index, sets=["functions", "bag-of-words", "gey"])
        return extract(index, topics, top_candidates(index, topics, [BM25()], 100), features, qrels=qrels)


def training_part(folder: Path, collection: str) -> RankingDataset:
    """Return the queries that samples are drawn from."""
    return read_text(folder.parent / "text" / collection) if collection in TEXTS else read_parts(folder / collection, 3)


def new_part(folder: Path, collection: str) -> RankingDataset | None:
    """Return the new queries; None: those that are not drawn are new."""
    return None if collection in TEXTS else read_parts(folder / collection, 2, first=4)


def read_parts(folder: Path, n: int, *, first: int = 1) -> RankingDataset:
    """Return some of LETOR's five parts of a collection."""
    return concatenate([read_letor(folder / f"S{i}.txt.gz") for i in range(first, first + n)])


def value(name: str, metric: str, learned: RankingDataset, new: RankingDataset, **given: Any) -> dict[str, float]:
    """Return the metric on new queries."""
    model = CHOICES[name](metric).fit_dataset(learned, **given).model_
    return {"new": float(np.nanmean(evaluate_metrics([parse_metric(metric)], model.scores(new), new.judgments)[0]))}


def measured(
    results: Results, key: str, metric: str, data: RankingDataset, sample: Any, validated_by: list[int]
) -> dict[str, float]:
    """Return the metric on new queries by row of the tables."""
    learned, validated, new = sample
    rows: dict[str, tuple[str, I64, dict[str, I64]]] = {name: (name, learned, {}) for name in LEARNERS}
    for n in validated_by:
        if n <= validated.size:
            more = np.sort(validated[:n])
            rows[f"+ {n}"] = ("default", learned, {"validation": more})
            rows[f"all {n} more"] = ("default", np.sort(np.concatenate([learned, more])), {})
    found = {}
    for row, (name, queries, given) in rows.items():
        selected = {role: data.select(chosen) for role, chosen in given.items()}
        found[row] = results.get(
            f"{edition('rankmax')}, {key}, {row}",
            lambda name=name, queries=queries, given=selected: value(name, metric, data.select(queries), new, **given),
        )["new"]
    return found


def main() -> None:
    options = parser(__doc__, folds="1")
    options.set_defaults(collections=(*NAMES, *TEXTS))
    options.add_argument("--samples", type=int, default=10)
    options.add_argument("--validated", nargs="*", type=int, default=VALIDATED, help="none: learners alone")
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("few_queries", fresh=arguments.fresh)
    rows: dict[str, dict[str, dict[int, list[float]]]] = {}
    for collection in arguments.collections:
        data, others = training_part(arguments.folder, collection), new_part(arguments.folder, collection)
        for metric in arguments.metrics:
            for size in SIZES:
                drawn = samples(data, size, arguments.samples, share_new=0.5 if others is None else 0.0)
                for number, (learned, validated, left) in enumerate(drawn):
                    sample = (learned, validated, data.select(left) if others is None else others)
                    key = f"{collection}, {metric}, {size}, {number}"
                    for row, found in measured(results, key, metric, data, sample, arguments.validated).items():
                        column = rows.setdefault(row, {}).setdefault(f"{collection} {metric}", {})
                        column.setdefault(size, []).append(found)
    print(f"\n{table(rows)}")


def table(rows: dict[str, dict[str, dict[int, list[float]]]]) -> str:
    """Lay out the differences between the default and each row, and their means over the columns of all collections."""
    lines = []
    for row, columns in rows.items():
        if row == "default":
            continue
        sign = 1 if row in LEARNERS else -1
        gains = {
            (name, size): sign * np.subtract(rows["default"][name][size], values)
            for name, by_size in columns.items()
            for size, values in by_size.items()
        }
        label = f"default minus {row}" if row in LEARNERS else row
        for name in columns:
            lines.append([label, name, *(cell([gains[name, s]] if (name, s) in gains else []) for s in SIZES)])
        lines.append([label, "mean", *(cell([gain for (_, s), gain in gains.items() if s == size]) for size in SIZES)])
    return markdown_table(["", "", *map(str, SIZES)], lines)


def cell(columns: list[np.ndarray]) -> str:
    """Return the mean of columns in thousandths, with the standard error of independent ones."""
    if not columns:
        return ""
    error = math.sqrt(sum(gain.var(ddof=1) / gain.size for gain in columns)) / len(columns)
    return f"{1000 * np.mean([gain.mean() for gain in columns]):+.1f} ± {1000 * error:.1f}"


if __name__ == "__main__":
    main()
