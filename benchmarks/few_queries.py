"""How well do weights learned from few queries rank others, and do validation queries help?

Data      The training part of the first of LETOR's folds (S1, S2 and S3) of some collections, in subfolders of --folder
          (the tests' folder of real data when left out). Random samples of 25 to 200 queries are learned from, and
          all others, apart from those given away for validation, are new. Validation and test parts are not read.
Baseline  The surrogate's minimum with a weak penalty, where exact ascents begin; SVM-map.
Prints    For each number of queries the mean metric on new ones over the samples, and each choice's difference to the
          baseline with its standard error over samples. Rows "+ 10" have the default choose with 10 more queries for
          validation, and the difference is to the default without them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from harness import Results, edition, machine, markdown_table
from letor_collections import parser
from training_choices import BASELINE, CHOICES

from rankmax import RankingDataset
from rankmax.data.splits import concatenate
from rankmax.formats.letor import read_letor
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric

SIZES = (25, 50, 100, 200)
LEARNERS = (BASELINE, "SVM-map", "surrogate", "default")
VALIDATED = (10, 20, 50)


def samples(data: RankingDataset, size: int, n_samples: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return queries to learn from, to validate with, and new ones; the first two have documents of several grades."""
    bounds = zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True)
    telling = np.flatnonzero([np.ptp(data.grades[a:b]) > 0 for a, b in bounds])
    found = []
    for number in range(n_samples):
        drawn = np.random.default_rng([size, number]).permutation(telling)
        n_validated = min(max(VALIDATED), (telling.size - size) // 2)
        learned, validated = drawn[:size], drawn[size : size + n_validated]
        new = np.setdiff1d(np.arange(data.n_queries), drawn[: size + n_validated])
        found.append((np.sort(learned), validated, new))
    return found


def value(name: str, metric: str, learned: RankingDataset, new: RankingDataset, **given: Any) -> dict[str, float]:
    """Return the metric on new queries."""
    model = CHOICES[name](metric).fit_dataset(learned, **given).model_
    return {"new": float(np.nanmean(evaluate_metrics([parse_metric(metric)], model.scores(new), new.judgments)[0]))}


def main() -> None:
    options = parser(__doc__, folds="1")
    options.add_argument("--samples", type=int, default=10)
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("few_queries", fresh=arguments.fresh)
    for collection in arguments.collections:
        data = concatenate([read_letor(arguments.folder / collection / f"S{i}.txt.gz") for i in (1, 2, 3)])
        for metric in arguments.metrics:
            cells: dict[str, dict[int, list[float]]] = {}
            for size in SIZES:
                for number, (learned, validated, new) in enumerate(samples(data, size, arguments.samples)):
                    if learned.size < size or new.size < size // 2:
                        continue
                    parts = data.select(learned), data.select(new)
                    rows = {name: (name, None) for name in LEARNERS}
                    rows |= {f"+ {n}": ("default", n) for n in VALIDATED if n <= validated.size}
                    for row, (name, n) in rows.items():
                        given = {} if n is None else {"validation": data.select(np.sort(validated[:n]))}
                        found = results.get(
                            f"{edition('rankmax')}, {collection}, {metric}, {row}, {size}, {number}",
                            lambda name=name, given=given, parts=parts, metric=metric: value(
                                name, metric, *parts, **given
                            ),
                        )
                        cells.setdefault(row, {}).setdefault(size, []).append(found["new"])
            print(f"\n{collection}, {metric}\n{table(cells)}\n", flush=True)


def table(cells: dict[str, dict[int, list[float]]]) -> str:
    sizes = list(cells[BASELINE])
    rows = [[BASELINE, *(f"{np.mean(cells[BASELINE][size]):.4f}" for size in sizes)]]
    for row, by_size in cells.items():
        reference = cells["default"] if row.startswith("+") else cells[BASELINE]
        if row != BASELINE:
            rows.append([row, *(difference(by_size[s], reference[s]) if s in by_size else "" for s in sizes)])
    return markdown_table(["learned from", *map(str, sizes)], rows)


def difference(values: list[float], reference: list[float]) -> str:
    gains = np.subtract(values, reference)
    return f"{gains.mean():+.4f} ± {gains.std(ddof=1) / np.sqrt(gains.size):.4f}"


if __name__ == "__main__":
    main()
