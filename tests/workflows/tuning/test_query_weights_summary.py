"""What moves the weights, and for which queries: the numbers are those of the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankmax
from rankmax.models.query_weights_model import QueryWeightsModel


def test_the_summary_says_what_moves_the_weights(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    runs: dict[str, dict[str, dict[str, float]]] = {"a": {}, "b": {}}
    qrels, topics = {}, {}
    for q in range(60):  # a is right for long queries, b for short ones
        x = rng.random((2, 20))
        long = q % 2
        runs["a"][f"q{q}"], runs["b"][f"q{q}"] = ({f"d{d}": float(v) for d, v in enumerate(row)} for row in x)
        best = set(np.argsort(-x[1 - long])[:3].tolist())
        qrels[f"q{q}"] = {f"d{d}": int(d in best) for d in range(20)}
        topics[f"q{q}"] = "one two three four five" if long else "one"
    tuning = rankmax.tune(
        runs, qrels, "AP", normalize="retrieved-min-max", by="auto", topics=topics, repeats=1, folds=3
    )
    varying = tuning.summary["varying"]
    assert varying["verdict"]["change"]
    first = varying["query_features"][0]
    assert (first["feature"], first["mean"], first["deviation"]) == ("length", 3.0, 2.0)
    assert first["change"]["a"] > 0 > first["change"]["b"]
    model = tuning.varying_model
    assert isinstance(model, QueryWeightsModel)
    signals = tuning.result.signals
    weights = model.weights_at(model.query_values(signals.data, {q: {"text": t} for q, t in topics.items()}))
    for one in varying["moved_queries"]:
        own = weights[signals.data.query_ids.index(one["query"])]
        assert list(one["weights"].values()) == pytest.approx(own / own.sum())
        assert one["because"] == one["contributions"][0]["feature"] == "length"
        for part in one["contributions"]:
            change = next(c for c in varying["query_features"] if c["feature"] == part["feature"])["change"]
            assert part["share"] * model.weights.sum() == pytest.approx(part["deviations"] * change[part["system"]])
            assert abs(change[part["system"]]) == max(map(abs, change.values()))
    moved = [one["moved"] for one in varying["moved_queries"]]
    assert moved == sorted(moved, reverse=True)
    assert "because of" in str(tuning)
    tuning.report(tmp_path / "tuning.html")
    assert '"contributions":[{' in (tmp_path / "tuning.html").read_text()
    ranked = model.rank(runs, topics=topics)
    assert rankmax.evaluate(qrels, {"auto": ranked}, ["AP"]).means["auto"]["AP"] > 0.8
