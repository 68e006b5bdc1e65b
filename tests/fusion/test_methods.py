"""Fusions against sums written document by document (`benchmarks/tuning.py` compares them with ranx)."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.normalise import Unchanged
from rankmax.data.retrieved import L2, ReciprocalRank, RetrievedMinMax
from rankmax.data.synthetic import planted_linear
from rankmax.data.trec import Qrels, Run
from rankmax.fusion.methods import Learned, comb_mnz, equal_weights
from rankmax.fusion.search import LatticeSearch
from rankmax.fusion.signals import Signals, signals_of_runs
from rankmax.metrics import AP
from rankmax.metrics.evaluate import evaluate_metrics


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
def qrels() -> dict[str, dict[str, int]]:
    rng = np.random.default_rng(9)
    return {f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in range(10)} for q in range(8)}


@pytest.fixture(scope="module")
def signals(runs, qrels) -> Signals:
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

    def fused(normalise, times_count: bool) -> dict[str, dict[str, float]]:
        result: dict[str, dict[str, float]] = {}
        for query in signals.data.query_ids:
            lists = [normalise(run[query]) for run in runs.values()]
            documents = {d for one in lists for d in one}
            result[query] = {
                d: sum(one.get(d, 0.0) for one in lists) * (sum(d in one for one in lists) if times_count else 1)
                for d in documents
            }
        return result

    data = signals.data
    for ours, theirs in (
        (equal_weights(data, RetrievedMinMax(), [AP()]), fused(stretched, False)),
        (comb_mnz(data, RetrievedMinMax(), [AP()]), fused(stretched, True)),
        (equal_weights(data, ReciprocalRank(), [AP()]), fused(reciprocal, False)),
    ):
        np.testing.assert_allclose(ours.values, values_of(theirs, signals, AP()), atol=1e-12)


def test_the_normalisation_is_the_one_that_serves_unseen_queries() -> None:
    data = planted_linear(40, 10, 2, noise=0.2, seed=7).data
    spoilt = planted_linear(40, 10, 2, noise=50.0, seed=8).data  # stands for what a bad normalisation would make of it
    searches = {L2(): LatticeSearch(spoilt, [AP()]), Unchanged(): LatticeSearch(data, [AP()])}
    fusion = Learned("learned", searches).fit(np.arange(30))
    assert fusion.normalisation == Unchanged()
    np.testing.assert_array_equal(fusion.values, searches[Unchanged()].values(fusion.weights[None])[0])
