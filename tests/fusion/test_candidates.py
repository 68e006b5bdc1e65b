"""Fusions against sums written document by document (`benchmarks/tuning.py` compares them with ranx)."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.runs import Qrels, Run
from rankmax.data.synthetic import planted_linear
from rankmax.fusion.candidates import LearnedWeights, equal_weights, weighted_sum
from rankmax.fusion.decision import Prior
from rankmax.fusion.signals import Signals, signals_of_runs
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.metrics import AP
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.preprocessing.run_normalization import ReciprocalRank, RetrievedMinMax


@pytest.fixture(scope="module")
def runs() -> dict[str, dict[str, dict[str, float]]]:
    """Return two systems that retrieved five of ten documents for eight queries, each its own."""
    rng = np.random.default_rng(8)
    return {
        name: {
            f"q{q}": {f"d{d}": float(rng.normal(size=1)[0]) * scale for d in rng.choice(10, 5, replace=False)}
            for q in range(8)
        }
        for name, scale in (("a", 1.0), ("b", 30.0))
    }


@pytest.fixture(scope="module")
def signals(runs) -> Signals:
    rng = np.random.default_rng(9)
    qrels = {f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in range(10)} for q in range(8)}
    return signals_of_runs({name: Run.from_dict(run) for name, run in runs.items()}, Qrels.from_dict(qrels))


def values_of(fused: dict[str, dict[str, float]], signals: Signals, metric) -> np.ndarray:
    assert signals.data.document_ids is not None
    ids, query = signals.data.document_ids.to_list(), signals.data.judgments.query_of_document
    scores = [fused[signals.data.query_ids[q]][d] for q, d in zip(query, ids, strict=True)]
    return evaluate_metrics([metric], np.array(scores), signals.data.judgments)


def test_fusions_are_the_sums_that_their_papers_give(runs, signals: Signals) -> None:
    def stretched(scores: dict[str, float]) -> dict[str, float]:
        low, high = min(scores.values()), max(scores.values())
        return {d: (s - low) / (high - low) for d, s in scores.items()}

    def reciprocal(scores: dict[str, float]) -> dict[str, float]:
        return {d: 1 / (60 + 1 + sum(t > s for t in scores.values())) for d, s in scores.items()}

    def fused(normalize, weights: np.ndarray) -> dict[str, dict[str, float]]:
        result: dict[str, dict[str, float]] = {}
        for query in signals.data.query_ids:
            lists = [normalize(run[query]) for run in runs.values()]
            documents = {d for one in lists for d in one}
            result[query] = {
                d: sum(w * one.get(d, 0.0) for w, one in zip(weights, lists, strict=True)) for d in documents
            }
        return result

    for weights in (equal_weights(2), np.array([0.3, 0.7])):
        for normalization, oracle in ((RetrievedMinMax(), stretched), (ReciprocalRank(), reciprocal)):
            ours = weighted_sum(signals.data, normalization, weights, [AP()])
            np.testing.assert_allclose(ours.values, values_of(fused(oracle, weights), signals, AP()), atol=1e-12)


def test_learned_weights_are_those_of_the_search_for_each_set_of_queries() -> None:
    search = LatticeSearch(planted_linear(30, 10, 3, noise=1.0, seed=2).data, [AP()])
    learned = LearnedWeights("learned", "learned weights", RetrievedMinMax(), search, Prior(0.0, 1.0), seed=4)
    sets = [np.arange(20), np.arange(10, 30)]
    for queries, fusion in zip(sets, learned.fit(sets), strict=True):
        np.testing.assert_array_equal(fusion.weights, search.fit(queries, seed=4))
        np.testing.assert_array_equal(fusion.values, search.values(fusion.weights[None])[0])
