"""With 20 queries judged by people, what do the labels of a machine add to a training?

Question   Weights of features are learned (`rankmax train --machine-qrels`, default options) from 20 queries that
           people judged, and from these with a machine's labels of them and others. Which ranks new queries better?
Data       Three parts of a collection to train, at most 300 queries of which a machine judges all, and another part to
           test, by human judgments; all five folds. Machines as in benchmarks/machine_judgments.py; the lexical one
           favors the best feature. LETOR is reported; cranfield, docstrings and cacm were for development.
Baseline   The 20 queries alone; the machine alone.

Standard errors are over the test parts (five for each collection), whose queries are disjoint; repeats share them.

    python benchmarks/machine_training.py
    python benchmarks/machine_training.py --collections cranfield docstrings cacm
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from letor_collections import DATA, NAMES, read_folds
from machine_judgments import MACHINES, N_HUMAN
from text_folds import text_folds

from rankmax import LinearRanker, RankingDataset
from rankmax.data.ids import Ids
from rankmax.data.judgments import Judgments
from rankmax.data.runs import Qrels
from rankmax.metrics import nDCG
from rankmax.workflows.training.judged_training_data import graded_by, graded_by_people_and_machine

METRIC = nDCG(cutoff=10)
MOST_QUERIES = 300


def machine_grades(data: RankingDataset, machine: str, lexical_scores: np.ndarray, rng: np.random.Generator):
    """Return the grades that a machine gives."""
    missed, invented, lexical = MACHINES[machine]
    wrong = np.full(data.n_documents, invented)
    if lexical:
        for first, end in zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True):
            wrong[first + np.argsort(-lexical_scores[first:end], kind="stable")[:10]] = lexical
    drawn = rng.random(data.n_documents)
    return np.where(data.grades > 0, np.where(drawn < missed, 0, data.grades), drawn < wrong)


def qrels(data: RankingDataset, grades: np.ndarray, queries: np.ndarray) -> Qrels:
    ids, ends = list(data.document_ids), data.query_offsets.tolist()
    return Qrels.from_dict(
        {
            data.query_ids[q]: dict(
                zip(ids[ends[q] : ends[q + 1]], grades[ends[q] : ends[q + 1]].astype(int).tolist(), strict=True)
            )
            for q in queries.tolist()
        }
    )


def values(training: RankingDataset, test: RankingDataset, seed: list[int]) -> Iterator[tuple[str, list[float]]]:
    """Yield for each machine the values by people alone, by both kinds of judgments, and by the machine alone."""
    rng = np.random.default_rng(seed)
    data = training.select(np.sort(rng.permutation(training.n_queries)[:MOST_QUERIES]))
    ids = [f"d{i}" for i in range(data.n_documents)]
    judgments = Judgments.from_grades(
        data.grades, data.query_offsets, query_ids=data.query_ids, document_ids=Ids.from_strings(ids)
    )
    data = replace(data, judgments=judgments)
    every = np.arange(data.n_queries)
    human = qrels(data, data.grades, np.sort(rng.permutation(every)[:N_HUMAN]))
    alone = [METRIC.per_query(data.scores(one), data.judgments).mean() for one in np.eye(data.n_features)]
    lexical_scores = data.column(int(np.argmax(alone)))

    def value(judged: RankingDataset) -> float:
        model = LinearRanker(METRIC).fit_dataset(judged).model_
        return float(METRIC.per_query(model.scores(test), test.judgments).mean())

    by_people = value(graded_by(data, human))
    for number, machine in enumerate(MACHINES):
        grades = machine_grades(data, machine, lexical_scores, np.random.default_rng([*seed, number]))
        labels = qrels(data, grades, every)
        both, _ = graded_by_people_and_machine(data, human, labels, METRIC)
        yield machine, [by_people, value(both), value(graded_by(data, labels))]


def main() -> None:
    """Print a line for each collection and machine; results are stored as they come."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--collections", nargs="+", default=NAMES)
    parser.add_argument("--repeats", type=int, default=4, help="choices of 20 queries for each fold")
    parser.add_argument("--store", type=Path, default=Path(__file__).parent / "results" / "machine_training.jsonl")
    arguments = parser.parse_args()
    arguments.store.parent.mkdir(exist_ok=True)
    found = {}
    if arguments.store.exists():
        found = {tuple(key): row for key, row in map(json.loads, arguments.store.read_text().splitlines())}
    for collection in arguments.collections:
        folds = (
            read_folds(DATA / "letor", collection, [1, 2, 3, 4, 5]) if collection in NAMES else text_folds(collection)
        )
        for repeat in range(arguments.repeats):
            for number, fold in folds.items():
                if (collection, number, repeat) not in found:
                    row = dict(values(fold.train, fold.test, [number, repeat]))
                    found[collection, number, repeat] = row
                    with arguments.store.open("a") as file:
                        file.write(json.dumps([[collection, number, repeat], row]) + "\n")
    print("nDCG@10 on test queries: gains over 20 queries judged by people, in thousandths")
    for chosen in dict.fromkeys([*((c,) for c in arguments.collections), tuple(arguments.collections)]):
        for machines in [*([m] for m in MACHINES), list(MACHINES)]:
            print(line(found, chosen, machines))


def line(found: dict, collections: tuple[str, ...], machines: list[str]) -> str:
    parts = defaultdict(list)
    for (collection, number, _), row in found.items():
        if collection in collections:
            parts[collection, number] += [row[machine] for machine in machines]
    means = np.array([np.mean(rows, axis=0) for rows in parts.values()])
    shown = [f"{'+'.join(collections):23} {machines[0] if len(machines) == 1 else 'all':8} {means[:, 0].mean():.4f}"]
    for name, gains in (
        ("both", means[:, 1] - means[:, 0]),
        ("machine", means[:, 2] - means[:, 0]),
        ("both over machine", means[:, 1] - means[:, 2]),
    ):
        error = gains.std(ddof=1) / np.sqrt(gains.size)
        shown.append(f"{name} {1000 * gains.mean():+6.1f} ± {1000 * error:4.1f}")
    return "   ".join(shown)


if __name__ == "__main__":
    main()
