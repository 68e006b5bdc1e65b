"""What are machine judgments worth, and is what is said of them true?

Question   With 20 queries judged by people and many more by a machine: do 95% intervals hold, and are fusions tuned
           with both better on new queries than those tuned with people alone, or with the machine alone?
Data       Human judgments of text collections, TREC 2019 Deep Learning and LETOR (features as runs), hidden but for 20
           queries; machine judgments made from them by processes of stated kinds (MACHINES).
Baseline   `rankmax tune` and intervals with the 20 queries alone.

Standard errors of a collection are over sets of systems and queries, which share queries; those of all collections are
over the means of the collections.

    python benchmarks/machine_judgments.py --data ../shared/data
    python benchmarks/machine_judgments.py --samples 0 --kinds npl cisi --repeats 20
    python benchmarks/machine_judgments.py --samples 0 --systems 4 6
    python benchmarks/machine_judgments.py --samples 1000 --kinds
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from decision_problems import LETOR, letor_features, systems

from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.data.runs import Qrels, Run
from rankmax.evaluation.prediction_powered import prediction_powered
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.formats.letor import read_letor
from rankmax.fusion.candidates import weighted_sum
from rankmax.fusion.machine_signals import signals_with_machine
from rankmax.fusion.signals import Signals, signals_of_runs
from rankmax.metrics import AP, RR, P, nDCG
from rankmax.workflows.tuning.tuning import tune_systems

MACHINES = {  # share of relevant documents missed, of others called relevant, of those only among the first ten of bm25
    "good": (0.1, 0.005, 0.0),
    "harsh": (0.6, 0.0, 0.0),
    "lenient": (0.05, 0.05, 0.0),
    "noisy": (0.4, 0.03, 0.0),
    "lexical": (0.2, 0.005, 0.4),
    "random": (0.95, 0.05, 0.0),
}
DEVELOPMENT = ("cranfield", "docstrings", "cacm")
"""Collections on which the shrinkage of rankmax.fusion.machine_signals was chosen; the others are reported."""
REPORTED = ("npl", "cisi", "DL19", "OHSUMED", "MQ2007")
N_HUMAN = 20
SYSTEMS = (24, 39)
"""Features of LETOR whose intervals are counted: BM25 of the whole document, and a language model's score."""
MOST_QUERIES = 200


def machine_qrels(qrels: Qrels, runs: dict[str, Run], machine: str, rng: np.random.Generator) -> Qrels:
    """Return the grades that a machine gives to all documents that any run retrieved or people judged."""
    missed, invented, lexical = MACHINES[machine]
    truth, lists = qrels.to_dict(), {name: run.to_dict() for name, run in runs.items()}
    judged = {}
    for query, grades in truth.items():
        pool = dict.fromkeys([*grades, *(d for run in lists.values() for d in run.get(query, {}))])
        first = lists["bm25"].get(query, {})
        first_ten = set(sorted(first, key=first.__getitem__)[-10:])
        judged[query] = {}
        for document in pool:
            grade = grades.get(document, 0)
            wrong = lexical if lexical and document in first_ten else invented
            if grade > 0:
                judged[query][document] = 0 if rng.random() < missed else grade
            else:
                judged[query][document] = int(rng.random() < wrong)
    return Qrels.from_dict(judged)


def only(qrels: Qrels, queries: list[str]) -> Qrels:
    nested = qrels.to_dict()
    return Qrels.from_dict({query: nested[query] for query in queries})


@lru_cache
def judged_systems(root: Path, kind: str) -> tuple[Qrels, dict[str, Run]]:
    """Return judgments and runs, one of which is called bm25."""
    if kind not in LETOR:
        return systems(root, kind)
    signals = letor_features(root, kind, np.random.default_rng(0))
    data, ids = signals.data, [str(d) for d in range(signals.data.n_documents)]
    ends = data.query_offsets.tolist()
    chosen = range(min(MOST_QUERIES, data.n_queries))
    qrels = Qrels.from_dict(
        {
            f"q{q}": dict(zip(ids[ends[q] : ends[q + 1]], map(int, data.grades[ends[q] : ends[q + 1]]), strict=True))
            for q in chosen
        }
    )
    runs = {}
    for name in signals.names:
        column = data.column(signals.names.index(name)).tolist()
        lists = {
            f"q{q}": dict(zip(ids[ends[q] : ends[q + 1]], column[ends[q] : ends[q + 1]], strict=True)) for q in chosen
        }
        runs["bm25" if name == signals.names[-1] else name] = Run.from_dict(
            lists
        )  # the best feature, as the lexical one
    return qrels, runs


def transfer(root: Path, kind: str, repeat: int, sizes: Sequence[int]) -> dict[str, list[float]]:
    """Return for each machine the test values of what is recommended with people, with both, and with it alone."""
    qrels, runs = judged_systems(root, kind)
    metric = nDCG(cutoff=10)
    rng = np.random.default_rng(repeat)
    others = rng.permutation(sorted(set(runs) - {"bm25"}))
    names = ["bm25", *others[: rng.integers(sizes[0] - 1, sizes[-1])]]
    some = {name: runs[name] for name in names}
    retrieved = set.intersection(*(set(run.query_ids) for run in some.values()))
    known = [query for query in qrels.query_ids if query in retrieved]
    queries = [known[i] for i in rng.permutation(len(known))]
    n_tuned = max(len(queries) // 2, min(N_HUMAN + 10, 3 * len(queries) // 4))
    tuned, test = queries[:n_tuned], queries[n_tuned:]
    human, held_out = only(qrels, tuned[:N_HUMAN]), signals_of_runs(some, only(qrels, test))
    alone = followed(signals_of_runs(some, human), held_out, metric, repeat)
    found = {}
    for machine in MACHINES:
        drawn = np.random.default_rng([repeat, len(machine)])
        labels = only(machine_qrels(qrels, runs, machine, drawn), tuned)
        both, _ = signals_with_machine(some, human, labels, metric)
        with_machine = alone if both.machine is None else followed(both, held_out, metric, repeat)
        found[machine] = [alone, with_machine, followed(signals_of_runs(some, labels), held_out, metric, repeat)]
    return found


def followed(signals: Signals, held_out: Signals, metric: nDCG, seed: int) -> float:
    """Return the value, on other queries, of what a tuning recommends."""
    tuning = tune_systems(signals.counted_by([metric]), [metric], n_repeats=1, seed=seed)
    fusion = tuning.recommended
    return float(weighted_sum(held_out.data, fusion.normalization, fusion.weights, [metric]).values.mean())


@lru_cache
def parts(root: Path, collection: str) -> list[RankingDataset]:
    return [read_letor(root / "letor" / collection / f"S{part}.txt.gz") for part in range(1, 6)]


def coverage(root: Path, collection: str, machine: str, samples: int) -> list[tuple[str, float, float, float]]:
    """Return how often intervals hold the truth of all queries, with and without the machine, and its worth.

    For each metric the mean of a system, and the mean difference to another one.
    """
    rng = np.random.default_rng(0)
    missed, invented, lexical = MACHINES[machine]
    metrics = [nDCG(cutoff=10), AP(), RR(), P(cutoff=5)]
    human, labeled = [], []
    for data in parts(root, collection):
        wrong = np.full(data.n_documents, 5 * invented)
        if lexical:
            for first, end in zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True):
                wrong[first + np.argsort(-data.column(SYSTEMS[0])[first:end], kind="stable")[:10]] = lexical
        u = rng.random(data.n_documents)
        grades = np.where(data.grades > 0, np.where(u < missed, 0, data.grades), u < wrong)
        by_machine = Judgments.from_grades(grades, data.query_offsets)
        scores = [data.column(column) for column in SYSTEMS]
        human.append([evaluate_scores(one, data, metrics).values for one in scores])
        labeled.append([evaluate_scores(one, by_machine, metrics).values for one in scores])
    h, m = np.concatenate(human, axis=-1), np.concatenate(labeled, axis=-1)
    rows = []
    for k, metric in enumerate(metrics):
        for name, values, labels in (
            (metric.name, h[0, k], m[0, k]),
            (f"{metric.name} difference", h[0, k] - h[1, k], m[0, k] - m[1, k]),
        ):
            rows.append((name, *coverage_of_mean(values, labels, samples, rng)))
    return rows


def coverage_of_mean(by_people: np.ndarray, by_machine: np.ndarray, samples: int, rng: np.random.Generator):
    held = np.zeros((samples, 2))
    worth = np.zeros(samples)
    for sample in range(samples):
        drawn = rng.integers(0, by_people.size, N_HUMAN + 300)
        known = np.where(np.arange(drawn.size) < N_HUMAN, by_people[drawn], np.nan)
        found = prediction_powered(known, by_machine[drawn])
        alone = prediction_powered(known, by_machine[drawn], weight=0.0)
        held[sample] = [low <= by_people.mean() <= high for low, high in (found.interval, alone.interval)]
        worth[sample] = found.worth
    return (*held.mean(axis=0).tolist(), float(worth.mean()))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--repeats", type=int, default=12, help="transfers for each kind of data and machine")
    parser.add_argument("--samples", type=int, default=2000, help="samples of queries for each coverage")
    parser.add_argument("--kinds", nargs="*", default=[*DEVELOPMENT, *REPORTED])
    parser.add_argument("--systems", type=int, nargs="+", default=[2, 3], help="numbers of systems, least and most")
    parser.add_argument(
        "--store",
        type=Path,
        default=Path(__file__).parent / "results" / "machine_judgments.jsonl",
        help="results as they come",
    )
    arguments = parser.parse_args()
    arguments.store.parent.mkdir(exist_ok=True)
    print(f"Coverage of 95% intervals, {N_HUMAN} queries judged by people and 300 more by a machine")
    print("collection machine  metric              with machine   people alone   worth")
    for collection in ("MQ2008", "OHSUMED") if arguments.samples else ():
        for machine in MACHINES:
            for metric, powered, alone, worth in coverage(arguments.data, collection, machine, arguments.samples):
                print(
                    f"{collection:10} {machine:8} {metric:19} {powered:12.1%} {alone:14.1%} {worth:+10.1f}", flush=True
                )
    if not arguments.kinds:
        return
    print("\nnDCG@10 on test queries of what tuning recommends; differences to people alone, in thousandths")
    print("data       machine    people alone   with machine       machine alone")
    stored = {}
    if arguments.store.exists():
        stored = {tuple(key): row for key, row in map(json.loads, arguments.store.read_text().splitlines())}
    first, last = arguments.systems[0], arguments.systems[-1]
    every: dict[str, list[np.ndarray]] = {}
    for kind in arguments.kinds:
        sets = []
        for repeat in range(arguments.repeats):
            key = (kind, first, last, repeat)
            if key not in stored:
                stored[key] = transfer(arguments.data, kind, repeat, (first, last))
                with arguments.store.open("a") as file:
                    file.write(json.dumps([key, stored[key]]) + "\n")
            sets.append(stored[key])
        for machine in MACHINES:
            values = np.array([one[machine] for one in sets])
            every.setdefault(machine, []).append(values)
            print(line(kind, machine, values), flush=True)
        print(line(kind, "all", np.mean([every[machine][-1] for machine in MACHINES], axis=0)))  # these share sets
    for machine, of_kinds in every.items():
        print(line("all", machine, np.array([values.mean(axis=0) for values in of_kinds])))
    means = [
        np.mean([values.mean(axis=0) for values in by_machine], axis=0)
        for by_machine in zip(*every.values(), strict=True)
    ]
    print(line("all", "all", np.array(means)))


def line(kind: str, machine: str, values: np.ndarray) -> str:
    gains = 1000 * (values[:, 1:] - values[:, :1])
    errors = gains.std(axis=0, ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else np.full(2, np.nan)
    shown = "   ".join(f"{mean:+6.1f} ± {error:4.1f}" for mean, error in zip(gains.mean(axis=0), errors, strict=True))
    return f"{kind:10} {machine:8} {values[:, 0].mean():12.4f}      {shown}"


if __name__ == "__main__":
    main()
