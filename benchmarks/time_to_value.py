"""How much sooner than FastRank's coordinate ascent do we reach the training metric at which it stops?

Data      The training queries of fold 1 of LETOR's MQ2007, MQ2008 and OHSUMED; AP, and nDCG@10 with gains 2^grade - 1.
Baseline  FastRank's coordinate ascent with its defaults (peers.py), 5 restarts on all cores; its own value agrees with
          ours where ties and gains are taken as it takes them, which is asserted.
Ours      LinearRanker with 5 restarts, without shrinkage, in one process, compiled beforehand. The clock starts
          before the surrogate's fit and stops at the first point at least as good as FastRank's best, both by our
          evaluator.
Prints    For each collection and metric the median ratio over seeds (both programs get the same), its range, and by how
          much our final value is higher. FastRank takes minutes, so its results are kept in benchmarks/results.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from harness import Ratio, Results, edition, machine, report
from letor_collections import parser, read_folds
from peers import TARGETS, Target, stored_fastrank

from rankmax import LinearRanker, RankingDataset


def ascend(data: RankingDataset, target: Target, goal: float, seed: int, restarts: int) -> dict[str, Any]:
    """Return the seconds until the goal was reached, and where the ascent ended."""
    began = time.perf_counter()
    reached = [math.inf]

    def watch(progress: Any) -> None:
        if progress.value >= goal and math.isinf(reached[0]):
            reached[0] = time.perf_counter() - began

    ranker = LinearRanker(target.metric, n_restarts=restarts, shrinkage=0.0, smoothing=0.0, seed=seed)
    ranker.fit_dataset(data, callback=watch)
    return {"reached": reached[0], "value": ranker.value_}


def main() -> None:
    options = parser(__doc__, folds="1")
    options.add_argument("--restarts", type=int, default=5, help="of ours")
    options.add_argument("--seeds", type=int, default=3)
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    peers, results = Results("peers"), Results("time_to_value", fresh=arguments.fresh)
    for collection in arguments.collections:
        for number, fold in read_folds(arguments.folder, collection, arguments.folds).items():
            data = fold.train
            for metric in arguments.metrics:
                target, name = TARGETS[metric], f"{collection}, fold {number}, {metric}"
                ascend(data.select(np.arange(10)), target, 0.0, 0, 1)  # compiles
                ours, theirs, gains, totals = [], [], [], []
                for seed in range(arguments.seeds):
                    peer = stored_fastrank(peers, name, data, target, seed=seed)
                    goal = target.value(data.scores(np.array(peer["weights"])), data)
                    fit = results.get(
                        f"{name}, {arguments.restarts} restarts, seed {seed}, {edition('rankmax')}",
                        lambda d=data, t=target, g=goal, s=seed: ascend(d, t, g, s, arguments.restarts),
                    )
                    theirs.append(peer["seconds"])
                    ours.append(fit["reached"])
                    gains.append(fit["value"] - goal)
                    totals.append(fit["seconds"])
                ratio = Ratio(tuple(ours), tuple(theirs))
                report(
                    name,
                    speed=ratio,
                    kept="yes" if ratio.median >= 30 and min(gains) >= 0 else "NO",
                    gain=f"{min(gains):+.4f} to {max(gains):+.4f}",
                    all_of_ours=f"{np.median(totals):.2f} s",
                )


if __name__ == "__main__":
    main()
