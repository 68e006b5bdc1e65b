"""How many judgments does a tuning's decision take, if `rankmax judge-next` chooses the documents to judge?

Question   Judgments are hidden, then revealed in batches. From which number of judgments on is the decision that of all
           judgments, and stays it? The decision is the recommended fusion (up to its weights) and the verdict's word.
Data       DL19 and text collections: sets of two to four systems, all judgments known. A document without a judgment
           is judged not relevant. Both ways begin with the first document of each system.
Baseline   Pooling to depth 2, 3, ... 20 over the same systems.

    python benchmarks/judge_next.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from decision_problems import systems

from rankmax.data.runs import Qrels, Run
from rankmax.fusion.signals import signals_of_runs
from rankmax.metrics import nDCG
from rankmax.workflows.tuning.next_judgments import next_judgments
from rankmax.workflows.tuning.tuning import tune_systems
from rankmax.workflows.tuning.tuning_result import SystemTuning

KINDS = ("DL19", "cisi", "npl", "cranfield", "cacm", "docstrings")
DEPTHS = range(1, 21)
STEPS = 20  # batches of judgments up to the size of the pool at depth 10
Grades = dict[str, dict[str, int]]


def tuned(runs: dict[str, Run], grades: Grades) -> SystemTuning:
    metric = nDCG(cutoff=10)
    return tune_systems(signals_of_runs(runs, Qrels.from_dict(grades)).counted_by([metric]), [metric], n_repeats=1)


def decision(tuning: SystemTuning) -> tuple[str, str]:
    return tuning.verdict.word, tuning.recommended_row.label


def pool(runs: dict[str, Run], truth: Grades, depth: int) -> Grades:
    """Return the judgments of the first documents of each run."""
    judged: Grades = {}
    for run in runs.values():
        for query, documents in run.to_dict().items():
            if query in truth:
                first = sorted(documents, key=lambda d: (documents[d], d), reverse=True)[:depth]
                judged.setdefault(query, {}).update({d: truth[query].get(d, 0) for d in first})
    return judged


def pooled(runs: dict[str, Run], truth: Grades) -> Iterator[tuple[int, tuple[str, str]]]:
    for depth in DEPTHS:
        judged = pool(runs, truth, depth)
        yield size(judged), decision(tuned(runs, judged))


def chosen(runs: dict[str, Run], truth: Grades) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield the number of judgments and the decision, as judge-next chooses batch after batch."""
    judged = pool(runs, truth, DEPTHS[0])
    batch = math.ceil((size(pool(runs, truth, 10)) - size(judged)) / STEPS)
    for _ in range(STEPS + 1):
        tuning = tuned(runs, judged)
        yield size(judged), decision(tuning)
        found, _ = next_judgments(tuning)
        for one in found[:batch]:
            judged[one.query][one.document] = truth[one.query].get(one.document, 0)
        if not found:
            return


def size(judged: Grades) -> int:
    return sum(map(len, judged.values()))


def settled(steps: list[tuple[int, tuple[str, str]]], final: tuple[str, str]) -> float:
    """Return the number of judgments from which on the decision stays the final one; infinite if it does not."""
    needed = math.inf
    for n, one in reversed(steps):
        if one != final:
            break
        needed = n
    return needed


def problems(root: Path, kind: str, repeats: int) -> Iterator[tuple[dict[str, Run], Grades]]:
    qrels, runs = systems(root, kind)
    for repeat in range(repeats):
        rng = np.random.default_rng(repeat)
        names = rng.permutation(sorted(runs))[: 2 + repeat % 3]
        some = {name: runs[name] for name in names}
        known = set.intersection(*(set(run.query_ids) for run in some.values()))
        yield some, {query: grades for query, grades in qrels.to_dict().items() if query in known}


def main() -> None:
    """Print a line for each collection."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--repeats", type=int, default=12, help="sets of systems for each kind of data")
    parser.add_argument("--kinds", nargs="*", default=KINDS)
    arguments = parser.parse_args()
    ways: tuple[Callable[[dict[str, Run], Grades], Iterator[tuple[int, tuple[str, str]]]], ...] = (pooled, chosen)
    print("judgments until the decision is that of all judgments, and stays; medians")
    print("data         pooling   judge-next   ratio   at most half   reached by pooling, judge-next, of")
    every: list[tuple[float, ...]] = []
    for kind in arguments.kinds:
        rows = []
        for some, truth in problems(arguments.data, kind, arguments.repeats):
            final = decision(tuned(some, truth))
            rows.append(tuple(settled(list(way(some, truth)), final) for way in ways))
        every += rows
        print(line(kind, rows), flush=True)
    print(line("all", every))


def line(kind: str, rows: list[tuple[float, ...]]) -> str:
    by_pool, by_choice = np.array(rows).T
    told = np.isfinite(by_pool) | np.isfinite(by_choice)
    ratio = by_choice[told] / by_pool[told]  # 0 where only judge-next settles, infinite where only pooling does
    half = int((ratio <= 0.5).sum())
    return (
        f"{kind:10} {np.median(by_pool):9.0f} {np.median(by_choice):12.0f} {np.median(ratio):7.2f} "
        f"{half:8} of {told.sum():3} {np.isfinite(by_pool).sum():12}, {np.isfinite(by_choice).sum()}, {len(rows)}"
    )


if __name__ == "__main__":
    main()
