"""Do clicks rank systems as judgments do, if users behave as a position-based or as a cascade model?

Question   Clicks are simulated with the relevance that people judged. Kendall's tau between the order of systems by the
           estimate from clicks and by judgments (DCG@10); and the estimate's bias, the largest difference between a
           system's ratio of estimated to true DCG and the mean of these ratios, of which a common factor is no part.
           True is the DCG whose gains are the probabilities of a click by those who look.
Data       DL19 and text collections, six or nine systems. "all": sessions show the top 10 of a system drawn at random,
           as in an online comparison. "bm25": they show the top 10 of bm25, shuffled, and systems rank these documents
           again. A document is clicked by those who look at it with probability 0.05 + 0.85 grade / highest grade.
           Position-based users look at rank k with probability 1/k; cascade users look at the next document with
           probability 0.95, and with 0.3 after a click.
Baseline   Click-through rates as gains; clicks over expected clicks (`rankmax data clicks --judgments`).

    python benchmarks/click_models.py --data ../shared/data
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from decision_problems import systems
from scipy.stats import kendalltau

from rankmax.data.click_log import ClickLog
from rankmax.data.judging import judge
from rankmax.data.runs import Qrels, Run
from rankmax.evaluation.click_estimates import click_gains, click_grades
from rankmax.evaluation.click_propensities import em_propensities, power_propensities, randomized_propensities
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.metrics import DCG

KINDS = ("DL19", "cranfield", "npl", "cisi", "docstrings")
METRIC = DCG(cutoff=10)
DEPTH = 10
Lists = dict[str, dict[str, list[str]]]


def top_lists(runs: dict[str, Run]) -> Lists:
    return {
        name: {
            query: sorted(documents, key=lambda d: (documents[d], d), reverse=True)[:DEPTH]
            for query, documents in run.to_dict().items()
        }
        for name, run in runs.items()
    }


def clicked(chances: np.ndarray, model: str, rng: np.random.Generator) -> np.ndarray:
    """Return which documents are clicked, for rows of click probabilities in the order in which they are shown."""
    clicks = rng.random(chances.shape) < chances
    looked = np.ones(chances.shape, np.bool_)
    if model == "position":
        looked = rng.random(chances.shape) < 1 / np.arange(1, chances.shape[1] + 1)
    else:
        for k in range(1, chances.shape[1]):
            going_on = np.where(clicks[:, k - 1] & looked[:, k - 1], 0.3, 0.95)
            looked[:, k] = looked[:, k - 1] & (rng.random(len(chances)) < going_on)
    return clicks & looked


def simulated(
    lists: Lists, truth: dict[str, dict[str, float]], shown: str, model: str, sessions: int, rng: np.random.Generator
) -> ClickLog:
    """Return the clicks of so many sessions per query."""
    highest = max(grade for grades in truth.values() for grade in grades.values())
    rows = []
    for query, grades in truth.items():
        for _, page in pages(lists, query, shown, sessions, rng):
            chances = np.array([[0.05 + 0.85 * max(grades.get(d, 0), 0) / highest for d in row] for row in page])
            for row, clicks in zip(page, clicked(chances, model, rng).tolist(), strict=True):
                rows += [(query, d, k, c, 1.0) for k, (d, c) in enumerate(zip(row, clicks, strict=True), 1)]
    return ClickLog.from_rows(rows)


def click_chances(runs: dict[str, Run], truth: dict[str, dict[str, float]]) -> Qrels:
    """Return the probability of a click by those who look, for all documents of the runs."""
    highest = max(grade for grades in truth.values() for grade in grades.values())
    found: dict[str, dict[str, float]] = {query: {} for query in truth}
    for run in runs.values():
        for query, documents in run.to_dict().items():
            if query in truth:
                grades = truth[query]
                found[query].update({d: 0.05 + 0.85 * max(grades.get(d, 0), 0) / highest for d in documents})
    return Qrels.from_real_grades(found)


def pages(lists: Lists, query: str, shown: str, sessions: int, rng: np.random.Generator):
    """Yield a system, and the pages that it shows, all of one length."""
    names = list(lists) if shown == "all" else [shown]
    for name, n in zip(names, rng.multinomial(sessions, np.full(len(names), 1 / len(names))), strict=True):
        page = lists[name].get(query, [])
        if page and n:
            yield name, [page if shown == "all" else [page[i] for i in rng.permutation(len(page))] for _ in range(n)]


def restricted(run: Run, pages: dict[str, list[str]]) -> Run:
    """Return a run of the documents on the pages alone; those that it lacks come last."""
    nested = run.to_dict()
    lists = {}
    for query, page in pages.items():
        scores = nested.get(query, {})
        least = min(scores.values(), default=0.0)
        lists[query] = {d: scores.get(d, least - 1 - k) for k, d in enumerate(sorted(page))}
    return Run.from_dict(lists)


def values(runs: dict[str, Run], qrels: Qrels) -> np.ndarray:
    found = []
    for run in runs.values():
        judged = judge(run, qrels)
        found.append(float(evaluate_scores(judged.scores, judged.judgments, [METRIC], compiled=False).means[0]))
    return np.array(found)


def main() -> None:
    """Print a line for each collection, page and model of users."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sessions", type=int, default=400, help="sessions per query")
    parser.add_argument("--kinds", nargs="*", default=KINDS)
    arguments = parser.parse_args()
    print("Kendall's tau with the order by judgments; bias (%) of the estimate by EM")
    print("data       shown  users      IPS (given)   IPS (EM)   IPS (shuffled)   COEC   click-through   bias")
    for kind in arguments.kinds:
        qrels, runs = systems(arguments.data, kind)
        truth = {query: grades for query, grades in qrels.to_dict().items() if query in set(runs["bm25"].query_ids)}
        lists = top_lists(runs)
        for shown in ("all", "bm25"):
            if shown == "bm25":
                runs = {name: restricted(run, lists["bm25"]) for name, run in runs.items()}
            by_judgments = values(runs, Qrels.from_dict(truth))
            chances = click_chances(runs, truth)
            for model in ("position", "cascade"):
                rng = np.random.default_rng(0)
                log = simulated(lists, truth, shown, model, arguments.sessions, rng)
                em = values(runs, click_gains(log, em_propensities(log)).qrels)
                shuffled = click_gains(log, randomized_propensities(log)).qrels if shown == "bm25" else None
                estimates = [
                    values(runs, click_gains(log, power_propensities(1, DEPTH)).qrels),
                    em,
                    None if shuffled is None else values(runs, shuffled),
                    values(runs, click_grades(log)),
                    values(runs, click_gains(log, np.ones(DEPTH)).qrels),
                ]
                taus = ["    -" if e is None else f"{kendalltau(e, by_judgments)[0]:5.2f}" for e in estimates]
                ratio = em / values(runs, chances)
                bias = float(np.abs(ratio / ratio.mean() - 1).max())
                print(f"{kind:10} {shown:6} {model:9} " + "      ".join(taus) + f"     {bias:6.1%}", flush=True)


if __name__ == "__main__":
    main()
