"""The summary of a whole tuning is tested beside its page; here, what it says of rows and the verdict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.fusion.constraint import Constraint
from rankmax.fusion.signals import signals_of_features
from rankmax.metrics import AP, P, nDCG
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.workflows.tuning.confidence import weight_confidence
from rankmax.workflows.tuning.tuning import tune_systems
from rankmax.workflows.tuning.tuning_summary import summarize


def test_rows_have_every_metric() -> None:
    signals = signals_of_features(planted_linear(10, 5, 2, noise=1.0, seed=9).data)
    tuning = tune_systems(signals, [AP(), P(cutoff=1)], normalizations=[Unchanged()], n_repeats=1, n_folds=2)
    summary = summarize(tuning, weight_confidence(tuning.search, tuning.learned_fusion.weights))
    for told, row in zip(summary["rows"], tuning.rows, strict=True):
        assert told["means"] == {"AP": row.values[0].mean(), "P@1": row.values[1].mean()}
        assert told["gain"] == row.gain
    assert summary["verdict"]["text"] == str(tuning.verdict)
    assert summary["verdict"]["probability"] == tuning.verdict.gain.probability
    assert summary["current"] | {"weights": None} == {
        "label": "CombSUM",
        "assumed": True,
        "tuned_here": False,
        "normalization": "min-max",
        "weights": None,
    }
    assert list(summary["weights"].values()) == tuning.recommended.weights.tolist()
    alone = max((row for row in tuning.rows if row.name in signals.names), key=lambda row: row.mean)
    several = np.count_nonzero(tuning.pick.fusion.weights) > 1
    assert summary["as_good_alone"] == (alone.label if several and alone.mean >= tuning.pick.mean else None)
    assert len(summary["trade_off"]) >= 1
    assert summary["trade_off"][0]["values"][0] >= summary["trade_off"][-1]["values"][0]


@pytest.mark.parametrize(
    ("constraint", "second"), [(None, 1), (Constraint(P(cutoff=1), 0.2), 2), (Constraint(AP(), 0.1), 1)]
)
def test_the_trade_off_is_with_the_constrained_metric_and_has_the_best_weights(constraint, second: int) -> None:
    signals = signals_of_features(planted_linear(12, 8, 3, noise=2.0, seed=11).data)
    metrics = [AP(), nDCG(cutoff=3), P(cutoff=1)]
    tuning = tune_systems(signals, metrics, normalizations=[Unchanged()], constraint=constraint, n_repeats=1, n_folds=2)
    summary = summarize(tuning, weight_confidence(tuning.search, tuning.learned_fusion.weights))
    assert summary["trade_off_metrics"] == ["AP", metrics[second].name]
    assert summary["trade_off"][0]["values"][0] >= summary["best"]["value"] - 1e-12
    for point in summary["trade_off"]:
        scores = signals.data.scores(np.array(point["weights"]))
        values = evaluate_metrics([AP(), metrics[second]], scores, signals.data.judgments).mean(axis=1)
        np.testing.assert_allclose(point["values"], values, atol=1e-12)


@pytest.mark.parametrize(
    ("selected", "agreement", "agree"),
    [
        ({"pick": 7, "A": 9, "B": 9}, "selected in 7 of 25 folds; A in 9", False),
        ({"A": 9, "pick": 9, "B": 7}, "selected in 9 of 25 folds", False),
        ({"pick": 5, "A": 5}, "selected in 5 of 10 folds", True),
        ({"A": 10}, "selected in 0 of 10 folds; A in 10", False),
    ],
)
def test_folds_that_do_not_agree_are_told(selected: dict[str, int], agreement: str, agree: bool) -> None:
    signals = signals_of_features(planted_linear(10, 5, 2, noise=1.0, seed=9).data)
    tuning = tune_systems(signals, [AP()], normalizations=[Unchanged()], n_repeats=1, n_folds=2)
    label = tuning.pick.label
    counts = {label if name == "pick" else name: count for name, count in selected.items()}
    tuning = replace(tuning, selected={**tuning.selected, "pick": counts})
    summary = summarize(tuning, weight_confidence(tuning.search, tuning.learned_fusion.weights))
    assert (summary["pick"]["agreement"], summary["pick"]["folds_agree"]) == (agreement, agree)
