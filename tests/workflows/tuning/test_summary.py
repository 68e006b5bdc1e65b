"""The summary of a whole tuning is tested beside its page; here, what it says of rows and the verdict."""

from __future__ import annotations

import numpy as np

from rankmax.data.normalise import Unchanged
from rankmax.data.synthetic import planted_linear
from rankmax.fusion.signals import signals_of_features
from rankmax.metrics import AP, P
from rankmax.workflows.tuning.confidence import weight_confidence
from rankmax.workflows.tuning.summary import summarise
from rankmax.workflows.tuning.systems import tune_systems


def test_rows_have_every_metric() -> None:
    signals = signals_of_features(planted_linear(10, 5, 2, noise=1.0, seed=9).data)
    tuning = tune_systems(signals, [AP(), P(cutoff=1)], normalisations=[Unchanged()], n_repeats=1, n_folds=2)
    summary = summarise(tuning, weight_confidence(tuning.search, tuning.learned_fusion.weights))
    for told, row in zip(summary["rows"], tuning.rows, strict=True):
        assert told["means"] == {"AP": row.values[0].mean(), "P@1": row.values[1].mean()}
        assert told["gain"] == row.gain
    assert summary["verdict"]["text"] == str(tuning.verdict)
    assert summary["verdict"]["probability"] == tuning.verdict.gain.probability
    assert summary["current"] | {"weights": None} == {
        "label": "CombSUM",
        "assumed": True,
        "tuned_here": False,
        "normalisation": "min-max",
        "weights": None,
    }
    assert list(summary["weights"].values()) == tuning.recommended.weights.tolist()
    alone = max((row for row in tuning.rows if row.name in signals.names), key=lambda row: row.mean)
    several = np.count_nonzero(tuning.pick.fusion.weights) > 1
    assert summary["as_good_alone"] == (alone.label if several and alone.mean >= tuning.pick.mean else None)
    assert len(summary["trade_off"]) >= 1
    assert summary["trade_off"][0]["values"][0] >= summary["trade_off"][-1]["values"][0]
