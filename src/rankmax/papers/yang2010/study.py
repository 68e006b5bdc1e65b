"""Three losses, each with linear scores and with expected gain: the study behind Table 1 and Figure 1."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from rankmax._arrays import F64
from rankmax.data.splits import LetorFold
from rankmax.evaluation.significance import randomization_test
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.learners.surrogate.scoring.expected_gain_scoring import EPSILONS, ExpectedGain
from rankmax.learners.surrogate.scoring.linear_scoring import LinearScore
from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.papers.papers import Step, Study
from rankmax.papers.setup import Setup
from rankmax.papers.yang2010.folds import FoldedCollection, folded_collections

METRICS = ("NDCG@1", "NDCG@5", "NDCG@10")
LOSSES = ("cosine", "cross-entropy", "squared")
LINEAR, EXPECTED = "linear", "expected gain"
PAPERS, OURS = "as in the paper", "ours"
DIRECT = "ours: rankmax's default"
MEASURED = {**{metric: f"Letor{metric}" for metric in METRICS}, "MAP": "LetorAP"}
_CHOSEN_BY = "LetorNDCG@10"  # section 6.1

_WITHOUT_INTERCEPT: dict[str, Any] = {
    LINEAR: LinearScore(intercept=False),
    EXPECTED: [ExpectedGain(epsilon=epsilon, intercept=False) for epsilon in EPSILONS],
}
_WITH_INTERCEPT: dict[str, Any] = {LINEAR: "linear", EXPECTED: "expected-gain"}
WAYS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    PAPERS: (_WITHOUT_INTERCEPT, {"ridge": 0.0, "optimizer": "gradient-descent"}),
    OURS: (_WITH_INTERCEPT, {}),
}
"""Scoring functions and minimization of losses, by variant: plain descent, or L-BFGS with a penalty."""


def _settings(setup: Setup) -> dict[str, Any]:
    return {
        "collections": {one.name: one.fingerprint for one in folded_collections(setup)},
        "losses": list(_losses(setup)),
        "folds": _n_folds(setup),
    }


def _losses(setup: Setup) -> tuple[str, ...]:
    return ("cosine", "squared") if setup.small else LOSSES  # cross entropy has eight parameter values to try


def _n_folds(setup: Setup) -> int:
    return 2 if setup.small else 5


def step_name(collection: str, way: str, loss: str) -> str:
    """Return the name of the step that compares the two scoring functions."""
    return f"{collection}, {way}, {loss}"


def direct_name(collection: str) -> str:
    """Return the name of the step that maximizes the metric itself."""
    return f"{collection}, {DIRECT}"


def _steps(setup: Setup) -> Iterator[tuple[str, Step]]:
    for collection in folded_collections(setup):
        for way in WAYS:
            for loss in _losses(setup):
                name = step_name(collection.name, way, loss)
                yield name, partial(_compare, collection, way, loss, _n_folds(setup))
        yield direct_name(collection.name), partial(_maximize, collection, _n_folds(setup), setup.seed)


FOLDS = Study("folds", _settings, _steps, "LETOR data, or the embedded collection")
"""The study behind Table 1 and Figure 1."""


def _compare(collection: FoldedCollection, way: str, loss: str, n_folds: int, _: object) -> dict[str, Any]:
    """Return each metric's mean over the folds' test queries, for both scoring functions, and the p-value."""
    scorings, parameters = WAYS[way]
    folds = list(collection.folds())[:n_folds]
    values = {
        name: [_test_values(loss, scoring, fold, parameters) for fold in folds] for name, scoring in scorings.items()
    }
    return {
        metric: {
            **{name: round(float(np.mean([part[i].mean() for part in parts])), 6) for name, parts in values.items()},
            "p_value": _p_value(*(np.concatenate([part[i] for part in values[name]]) for name in (EXPECTED, LINEAR))),
        }
        for i, metric in enumerate(MEASURED)
    }


def _maximize(collection: FoldedCollection, n_folds: int, seed: int, _: object) -> dict[str, float]:
    """Return each metric's mean over the folds' test queries, for linear scores that maximize NDCG@10 itself."""
    folds = list(collection.folds())[:n_folds]
    parts = [_learned(LinearRanker(_CHOSEN_BY, smoothing=0.0, seed=seed), fold) for fold in folds]
    return {metric: round(float(np.mean([part[i].mean() for part in parts])), 6) for i, metric in enumerate(MEASURED)}


def _test_values(loss: str, scoring: Any, fold: LetorFold, parameters: dict[str, Any]) -> F64:
    return _learned(SurrogateRanker(loss, scoring, _CHOSEN_BY, **parameters), fold)


def _learned(ranker: SurrogateRanker | LinearRanker, fold: LetorFold) -> F64:
    ranker.fit_dataset(fold.train, validation=fold.validation)
    metrics = [parse_metric(name) for name in MEASURED.values()]
    return evaluate_metrics(metrics, ranker.model_.scores(fold.test), fold.test.judgments)


def _p_value(expected: F64, linear: F64) -> float:
    return round(randomization_test(expected, linear).p_value, 6)
