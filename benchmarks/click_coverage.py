"""Do 95% intervals of estimates from clicks hold the DCG by the true relevance?

Question   Queries are drawn from a collection's, and clicks simulated for them as in benchmarks/click_models.py;
           sessions show the top 10 of a system. Do 95% intervals over these queries hold the mean of all queries, of
           one system (`rankmax evaluate --clicks`) and of its difference to another (`compare`)? How much is the mean
           estimate off? Propensities, or probabilities of going on, are estimated from each sample's clicks, or given.
Data       Text collections.
Baseline   The same queries with the true gains, whose intervals have no noise of clicks.

    python benchmarks/click_coverage.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from click_models import METRIC, click_chances, simulated, top_lists
from decision_problems import systems

from rankmax.data.click_log import ClickLog
from rankmax.data.judging import judge
from rankmax.data.runs import Qrels, Run
from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.evaluation.click_cascade import fit_cascade
from rankmax.evaluation.click_estimates import cascade_gains, click_gains
from rankmax.evaluation.click_propensities import estimated_propensities, power_propensities
from rankmax.evaluation.run_evaluation import evaluate_scores

PAIR = ("bm25", "lsi")
"""The system whose mean is estimated, and the one it is compared with."""


def per_query(run: Run, gains: Qrels) -> np.ndarray:
    judged = judge(run, gains)
    values = evaluate_scores(judged.scores, judged.judgments, [METRIC], compiled=False).values[0]
    by_query = dict(zip(judged.judgments.query_ids, values.tolist(), strict=True))
    return np.array([by_query[query] for query in gains.query_ids])


def holds(values: np.ndarray, truth: np.ndarray) -> list[bool]:
    """Return whether the intervals of the mean of the first system, and of the difference, hold the truth."""
    low, high = bootstrap_interval(np.array([values[0], values[0] - values[1]]), n_resamples=2000)
    wanted = np.array([truth[0], truth[0] - truth[1]])
    return ((low <= wanted) & (wanted <= high)).tolist()


def main() -> None:
    """Print a line for each collection and model of users."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--kinds", nargs="*", default=["cranfield", "npl", "cisi"])
    parser.add_argument("--users", nargs="*", default=["position", "cascade", "satisfied"])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--sessions", type=int, default=60)
    arguments = parser.parse_args()
    print(f"Coverage of 95% intervals: {arguments.queries} queries, {arguments.sessions} sessions each")
    for kind in arguments.kinds:
        qrels, runs = systems(arguments.data, kind)
        grades = {query: of for query, of in qrels.to_dict().items() if query in set(runs["bm25"].query_ids)}
        lists, pair = top_lists(runs), [runs[name] for name in PAIR]
        shown = [
            {query: {d: -float(k) for k, d in enumerate(page)} for query, page in lists[name].items()} for name in PAIR
        ]
        chances = click_chances(runs, grades)
        of_query = chances.to_dict()
        truth = np.array([per_query(run, chances).mean() for run in pair])
        for users in arguments.users:
            held, names, means = defaultdict(list), list(grades), defaultdict(list)
            for sample in range(arguments.samples):
                rng = np.random.default_rng(sample)
                drawn = {f"{i}": names[q] for i, q in enumerate(rng.integers(0, len(names), arguments.queries))}
                some = {new: grades[query] for new, query in drawn.items()}
                pages = {name: {new: of.get(query, []) for new, query in drawn.items()} for name, of in lists.items()}
                log, _ = simulated(pages, some, "all", users, arguments.sessions, rng)
                both = [Run.from_dict({new: of.get(query, {}) for new, query in drawn.items()}) for of in shown]
                known = Qrels.from_real_grades({new: of_query[query] for new, query in drawn.items()})
                for name, gains in {"true gains": known, **estimates(log, users)}.items():
                    values = np.array([per_query(run, gains) for run in both])
                    held[name].append(holds(values, truth))
                    means[name].append(values[0].mean())
            exact = np.mean(means["true gains"])
            for name, found in held.items():
                mean, difference = np.mean(found, axis=0)
                off = np.mean(means[name]) / exact - 1
                print(f"{kind:10} {users:9} {name:10}: mean {mean:.1%} ({off:+.1%} off), difference {difference:.1%}")
            sys.stdout.flush()


def estimates(log: ClickLog, users: str) -> dict[str, Qrels]:
    """Return gains by the model that fits the users, with estimated parameters and with the true ones."""
    if users == "position":
        found = {"estimated": estimated_propensities(log), "given": power_propensities(1, log.n_positions)}
        return {name: click_gains(log, theta).qrels for name, theta in found.items()}
    found = {"estimated": cascade_gains(log, fit_cascade(log)).qrels}
    if users == "cascade":
        found["given"] = cascade_gains(log, fit_cascade(log, (np.full(log.n_positions, 0.3), 0.95))).qrels
    return found


if __name__ == "__main__":
    main()
