"""How many judgments does a tuning's decision take, if `rankmax judge-next` chooses the documents to judge?

Question   Judgments are hidden, then revealed in batches. From which number of judgments on is the decision that of all
           judgments, and stays it? The decision is the recommended fusion (up to its weights) and the verdict's word.
Data       DL19 and text collections, at most 100 queries each: sets of two to four systems, all judgments known. A
           document without a judgment is judged not relevant. Both ways begin with the first document of each system.
Baseline   Pooling to depth 2, 3, ... 20 over the same systems. judge-next ends at the same number: 20 batches up to the
           size of the pool at depth 10, from there on batches twice as large.
Kept apart Sets with the decision of all judgments from the beginning, either way; and sets whose decision changes when
           a tenth of the relevant documents is forgotten at random, in any of five trials: neither way can settle them.

    python benchmarks/judge_next.py --data ../shared/data --kinds cisi npl cranfield DL19
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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
MOST_QUERIES = 100
TRIALS, FORGOTTEN = 5, 0.1
Grades = dict[str, dict[str, int]]
Decision = list[str]
Steps = list[tuple[int, Decision]]


class Outcome(NamedTuple):
    """What one set of systems took."""

    kind: str
    number: int
    systems: list[str]
    final: Decision
    clear: bool
    start: int
    pooling: float
    judge_next: float
    agreement: tuple[float, float]

    @property
    def told(self) -> bool:
        """Whether either way settles the decision, and it is not there from the beginning."""
        least, most = sorted((self.pooling, self.judge_next))
        return math.isfinite(least) and most > self.start


def tuned(runs: dict[str, Run], grades: Grades) -> SystemTuning:
    metric = nDCG(cutoff=10)
    return tune_systems(signals_of_runs(runs, Qrels.from_dict(grades)).counted_by([metric]), [metric])


def decision(tuning: SystemTuning) -> Decision:
    return [tuning.verdict.word, tuning.recommended_row.label]


def pool(runs: dict[str, Run], truth: Grades, depth: int) -> Grades:
    """Return the judgments of the first documents of each run."""
    judged: Grades = {}
    for run in runs.values():
        for query, documents in run.to_dict().items():
            if query in truth:
                first = sorted(documents, key=lambda d: (documents[d], d), reverse=True)[:depth]
                judged.setdefault(query, {}).update({d: truth[query].get(d, 0) for d in first})
    return judged


def pooled(runs: dict[str, Run], truth: Grades) -> Steps:
    pools = [pool(runs, truth, depth) for depth in DEPTHS]
    return [(size(judged), decision(tuned(runs, judged))) for judged in pools]


def chosen(runs: dict[str, Run], truth: Grades) -> Steps:
    """Return the number of judgments and the decision, as judge-next chooses batch after batch."""
    judged = pool(runs, truth, DEPTHS[0])
    usual, end = (size(pool(runs, truth, depth)) for depth in (10, DEPTHS[-1]))
    batch = math.ceil((usual - size(judged)) / STEPS)
    steps: Steps = []
    while True:
        tuning = tuned(runs, judged)
        steps.append((size(judged), decision(tuning)))
        if size(judged) >= end:
            return steps
        n = min(end - size(judged), batch if size(judged) < usual else 2 * batch)
        found, _ = next_judgments(tuning)
        if not found:
            return steps
        for one in found[:n]:
            judged[one.query][one.document] = truth[one.query].get(one.document, 0)


def is_clear(runs: dict[str, Run], truth: Grades, final: Decision) -> bool:
    rng = np.random.default_rng(0)
    for _ in range(TRIALS):
        kept = {q: {d: (g if rng.random() >= FORGOTTEN else 0) for d, g in of.items()} for q, of in truth.items()}
        if decision(tuned(runs, kept)) != final:
            return False
    return True


def size(judged: Grades) -> int:
    return sum(map(len, judged.values()))


def settled(steps: Steps, final: Decision) -> float:
    """Return the number of judgments from which on the decision stays the final one; infinite if it does not."""
    needed = math.inf
    for n, one in reversed(steps):
        if one != final:
            break
        needed = n
    return needed


def agreement(steps: Steps, final: Decision, sizes: np.ndarray) -> float:
    """Return the share of numbers of judgments at which the decision is the final one."""
    agrees = np.array([one == final for _, one in steps])
    return float(agrees[np.searchsorted([n for n, _ in steps], sizes, side="right") - 1].mean())


def problems(root: Path, kind: str, sets: range) -> Iterator[tuple[int, dict[str, Run], Grades]]:
    qrels, runs = systems(root, kind)
    grades = qrels.to_dict()
    for number in sets:
        names = np.random.default_rng(number).permutation(sorted(runs))[: 2 + number % 3]
        some = {str(name): runs[name] for name in names}
        known = sorted(set.intersection(set(grades), *(set(run.query_ids) for run in some.values())))
        kept = np.sort(np.random.default_rng(0).permutation(len(known))[:MOST_QUERIES])
        yield number, some, {known[i]: grades[known[i]] for i in kept}


def outcome(kind: str, number: int, runs: dict[str, Run], truth: Grades) -> Outcome:
    final = decision(tuned(runs, truth))
    by_pool, by_choice = pooled(runs, truth), chosen(runs, truth)
    start, usual = by_pool[0][0], by_pool[9][0]
    sizes = np.linspace(start, usual, 2 * STEPS + 1)
    return Outcome(
        kind,
        number,
        list(runs),
        final,
        is_clear(runs, truth, final),
        start,
        settled(by_pool, final),
        settled(by_choice, final),
        (agreement(by_pool, final, sizes), agreement(by_choice, final, sizes)),
    )


def main() -> None:
    """Print a line for each set, then one for each collection."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", type=int, nargs=2, default=(0, 6), metavar=("FIRST", "LAST"))
    parser.add_argument("--kinds", nargs="*", default=KINDS)
    arguments = parser.parse_args()
    every: list[Outcome] = []
    for kind in arguments.kinds:
        for problem in problems(arguments.data, kind, range(*arguments.sets)):
            every.append(outcome(kind, *problem))
            print(json.dumps(every[-1]._asdict()), flush=True)
    print("\njudgments until the decision is that of all judgments, and stays it; medians")
    print("data        pooling  judge-next  ratio  at most half  of clear ones  agreement")
    for kind in (*arguments.kinds, "all"):
        print(line(kind, [one for one in every if kind in (one.kind, "all")]))


def line(kind: str, found: list[Outcome]) -> str:
    told = [one for one in found if one.told]
    by_pool = np.array([one.pooling for one in told])
    by_choice = np.array([one.judge_next for one in told])
    ratio = by_choice / by_pool  # 0 where only judge-next settles, infinite where only pooling does
    clear = np.array([one.clear for one in told], np.bool_)
    before, now = np.mean([one.agreement for one in found], axis=0)
    median = np.median(np.stack([by_pool, by_choice, ratio]), axis=1) if told else np.full(3, np.nan)
    return (
        f"{kind:10} {median[0]:8.0f} {median[1]:11.0f} {median[2]:6.2f} "
        f"{(ratio <= 0.5).sum():6} of {len(told):3} {(ratio[clear] <= 0.5).sum():7} of {clear.sum():3} "
        f"{before:6.0%}, {now:.0%}"
    )


if __name__ == "__main__":
    main()
