"""Do clicks rank systems as judgments do, if users look by position, as a cascade, or until they are satisfied?

Question   Clicks are simulated with the relevance that people judged. Kendall's tau between the order of systems by the
           estimate from clicks and by judgments (DCG@10); and the estimate's bias, the largest difference between a
           system's ratio of estimated to true DCG and the mean of these ratios, of which a common factor is no part.
           True is the DCG whose gains are the probabilities of a click by those who look. Does the likelihood tell
           which model the users follow?
Data       DL19 and text collections, six or nine systems. "all": sessions show the top 10 of a system drawn at random,
           as in an online comparison. "bm25": they show the top 10 of bm25, shuffled, and systems rank these documents
           again. A document is clicked by those who look at it with probability 0.05 + 0.85 grade / highest grade.
           Position-based users look at rank k with probability 1/k; cascade users look at the next document with
           probability 0.95, and with 0.3 after a click; satisfied ones go on with 0.95, but after a click only
           with 1 - 0.8 times the probability of that click, which neither model assumes. Several samples of users.
Baseline   Propensities by session (Vardasbi, de Rijke & Markov 2020): a click counts one over the product of the
           probabilities of going on above it. Click-through rates as gains; clicks over expected clicks (`rankmax
           data clicks --judgments`). "Without noise": inverse propensities of the expected clicks.

    python benchmarks/click_models.py --data ../shared/data
    python benchmarks/click_models.py --queries 10 --sessions 20 --samples 8  # does little tell the models apart?
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from decision_problems import systems
from scipy.stats import kendalltau

from rankmax.data.click_log import ClickLog
from rankmax.data.judging import judge
from rankmax.data.runs import Qrels, Run
from rankmax.errors import InvalidDataError
from rankmax.evaluation.click_cascade import Cascade, fit_cascade
from rankmax.evaluation.click_estimates import CLIP, cascade_gains, click_gains, click_grades
from rankmax.evaluation.click_model_fit import click_model_fit
from rankmax.evaluation.click_propensities import estimated_propensities, power_propensities, randomized_propensities
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.metrics import DCG

KINDS = ("DL19", "cranfield", "npl", "cisi", "docstrings")
METRIC = DCG(cutoff=10)
DEPTH = 10
Lists = dict[str, dict[str, list[str]]]


def top_lists(runs: dict[str, Run]) -> Lists:
    return {
        name: {
            query: sorted(documents, key=lambda d: (np.float32(documents[d]), d), reverse=True)[:DEPTH]  # as trec_eval
            for query, documents in run.to_dict().items()
        }
        for name, run in runs.items()
    }


def going_on(chances: np.ndarray, clicks: np.ndarray, model: str) -> np.ndarray:
    """Return the probabilities with which users who stop look at the next document."""
    after_click = 0.3 if model == "cascade" else 0.95 * (1 - 0.8 * chances)
    return np.where(clicks, after_click, 0.95)


def clicked(chances: np.ndarray, model: str, rng: np.random.Generator) -> np.ndarray:
    """Return which documents are clicked, for rows of click probabilities in the order in which they are shown."""
    clicks = rng.random(chances.shape) < chances
    looked = np.ones(chances.shape, np.bool_)
    if model == "position":
        looked = rng.random(chances.shape) < 1 / np.arange(1, chances.shape[1] + 1)
    else:
        for k in range(1, chances.shape[1]):
            on = going_on(chances[:, k - 1], clicks[:, k - 1], model)
            looked[:, k] = looked[:, k - 1] & (rng.random(len(chances)) < on)
    return clicks & looked


def expected(chances: np.ndarray, model: str) -> np.ndarray:
    """Return the probabilities of clicks."""
    if model == "position":
        return chances / np.arange(1, chances.shape[1] + 1)
    looked = np.ones(chances.shape)
    yes, no = np.ones(len(chances), np.bool_), np.zeros(len(chances), np.bool_)
    for k in range(1, chances.shape[1]):
        chance = chances[:, k - 1]
        on = chance * going_on(chance, yes, model) + (1 - chance) * going_on(chance, no, model)
        looked[:, k] = looked[:, k - 1] * on
    return chances * looked


def simulated(
    lists: Lists, truth: dict[str, dict[str, float]], shown: str, model: str, sessions: int, rng: np.random.Generator
) -> tuple[ClickLog, ClickLog]:
    """Return the clicks of so many sessions per query, and what is expected of them."""
    highest = max(grade for grades in truth.values() for grade in grades.values())
    rows, means = [], []
    for query, grades in truth.items():
        for name, page in pages(lists, query, shown, sessions, rng):
            chances = np.array([[0.05 + 0.85 * max(grades.get(d, 0), 0) / highest for d in row] for row in page])
            clicks, mean = clicked(chances, model, rng).tolist(), expected(chances, model).tolist()
            for number, (row, by_row, mean_of_row) in enumerate(zip(page, clicks, mean, strict=True)):
                for k, (d, c, m) in enumerate(zip(row, by_row, mean_of_row, strict=True), 1):
                    rows.append((f"{name} {number}", query, d, k, c, 1.0))
                    means += [(query, d, k, True, m), (query, d, k, False, 1 - m)]
    return ClickLog.from_searches(rows), ClickLog.from_rows(means)


def by_session(log: ClickLog, cascade: Cascade) -> Qrels:
    """Return the mean over sessions of a click over the product of the probabilities of going on above it."""
    pairs, positions, clicks, counts = log.searches.rows()
    on = np.where(clicks, cascade.after_click[positions - 1], cascade.otherwise)
    total = np.append(0, np.cumsum(np.log(np.maximum(on, 1e-9))))
    starts = np.repeat(log.searches.offsets[:-1], np.diff(log.searches.offsets))
    propensities = np.maximum(np.exp(total[:-1] - total[starts]), CLIP)
    gains = np.bincount(pairs, counts * clicks / propensities, log.n_documents)
    gains /= np.bincount(pairs, counts, log.n_documents)
    return Qrels(log.query_ids, log.query_offsets, log.document_ids, gains)


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


def estimates(log: ClickLog, means: ClickLog, shown: str) -> tuple[dict[str, Qrels], str]:
    """Return gains by each estimate, and which model fits better."""
    theta, cascade = estimated_propensities(log), fit_cascade(log)
    found = {
        "IPS given": click_gains(log, power_propensities(1, DEPTH)).qrels,
        "IPS estimated": click_gains(log, theta).qrels,
        "without noise": click_gains(means, estimated_propensities(means)).qrels,
        "cascade": cascade_gains(log, cascade).qrels,
        "by session": by_session(log, cascade),
        "COEC": click_grades(log),
        "clicks": click_gains(log, np.ones(DEPTH)).qrels,
    }
    if shown == "bm25":
        found["IPS shuffled"] = click_gains(log, randomized_propensities(log)).qrels
    return found, click_model_fit(log, theta, cascade).better or "neither"


def main() -> None:
    """Print a line for each collection, page and model of users."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sessions", type=int, default=400, help="sessions per query")
    parser.add_argument("--queries", type=int, help="queries of each sample, drawn at random (all)")
    parser.add_argument("--samples", type=int, default=3, help="samples of users")
    parser.add_argument("--kinds", nargs="*", default=KINDS)
    arguments = parser.parse_args()
    print("Mean of Kendall's tau with the order by judgments, and of the bias; the model that fits better")
    choices: dict[str, Counter[str]] = defaultdict(Counter)
    for kind in arguments.kinds:
        qrels, runs = systems(arguments.data, kind)
        truth = {query: grades for query, grades in qrels.to_dict().items() if query in set(runs["bm25"].query_ids)}
        lists = top_lists(runs)
        for shown in ("all", "bm25"):
            if shown == "bm25":
                runs = {name: restricted(run, lists["bm25"]) for name, run in runs.items()}
            by_judgments = values(runs, Qrels.from_dict(truth))
            true = values(runs, click_chances(runs, truth))
            for model in ("position", "cascade", "satisfied"):
                taus, biases, better = defaultdict(list), defaultdict(list), []
                for seed in range(arguments.samples):
                    rng = np.random.default_rng(seed)
                    searched = sample_of(truth, arguments.queries, rng)
                    log, means = simulated(lists, searched, shown, model, arguments.sessions, rng)
                    try:
                        found, fits = estimates(log, means, shown)
                    except InvalidDataError:  # too few clicks to link the positions
                        found, fits = {}, "refused"
                    better.append(fits)
                    choices[model][fits] += 1
                    for name, gains in found.items():
                        estimate = values(runs, gains)
                        taus[name].append(kendalltau(estimate, by_judgments)[0])
                        biases[name].append(np.abs(estimate / true / np.mean(estimate / true) - 1).max())
                cells = [f"{name} {np.mean(taus[name]):.2f} {np.mean(biases[name]):.1%}" for name in taus]
                print(f"{kind:10} {shown:4} {model:9}: {'; '.join(cells)}; fits: {', '.join(better)}", flush=True)
    for model, chosen in choices.items():
        print(f"users {model}: better fit {dict(chosen)}")


def sample_of(truth: dict[str, dict[str, float]], n_queries: int | None, rng: np.random.Generator):
    names = list(truth)
    return truth if n_queries is None else {names[i]: truth[names[i]] for i in rng.permutation(len(names))[:n_queries]}


if __name__ == "__main__":
    main()
