"""The metric over all weights has the pick and the current weights where they belong."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.tuning_pages import Tuned, planted, tuned
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.metrics import AP
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.workflows.tuning.report.landscape_data import landscape_data


def test_as_many_charts_as_pairs_or_one_triangle(results: Tuned) -> None:
    tuning, confidence = results
    drawn, n = landscape_data(tuning, confidence), len(tuning.signals.names)
    if n > 6:
        assert drawn is None
        return
    assert drawn is not None
    assert len(drawn["exchanges"]) == {2: 1, 3: 0, 4: 6}[n]
    assert (drawn["surface"] is None) == (n != 3)
    if n == 3:
        assert drawn["surface"]["plateauShare"] == confidence.plateau_share
    pick = tuning.pick.fusion.weights
    marks = {mark["label"]: mark for mark in drawn["marks"]}
    assert ("pick" in marks) == (tuning.pick.fusion.normalization == tuning.learned.normalization)
    if "pick" in marks:
        assert marks["pick"]["weights"] == pytest.approx((pick / pick.sum()).tolist())
    for chart in drawn["exchanges"]:
        assert {mark["kind"] for mark in chart["marks"]} >= {mark["kind"] for mark in drawn["marks"][:1]}
        assert all(0 <= mark["at"] <= chart["total"] + 1e-12 for mark in chart["marks"])


def test_a_chart_holds_the_metric_of_its_weights() -> None:
    tuning, confidence = tuned(planted(2), normalizations=[Unchanged()], current="none:f1=1,f2=3")
    drawn = landscape_data(tuning, confidence)
    assert drawn is not None
    (chart,) = drawn["exchanges"]
    data, steps = tuning.signals.data, chart["steps"]
    for low, high, least, most in zip(steps["edges"], steps["edges"][1:], steps["lows"], steps["highs"], strict=False):
        if high - low < 1e-5:  # edges are rounded
            continue
        middle = (low + high) / 2
        scores = np.asarray(data.features) @ [middle, 1 - middle]
        value = evaluate_scores(scores, data.judgments, [AP()]).means[0]
        assert least - 1e-6 <= value <= most + 1e-6


def test_given_weights_of_the_same_scores_are_on_the_triangle() -> None:
    tuning, confidence = tuned(planted(3), normalizations=[Unchanged()], current="none:f1=1,f2=2,f3=1")
    drawn = landscape_data(tuning, confidence)
    assert drawn is not None
    (current,) = [mark for mark in drawn["marks"] if mark["label"] == "current"]
    assert current["weights"] == pytest.approx([0.25, 0.5, 0.25])
    assert current["value"] == pytest.approx(tuning.current_row.mean)
    assert drawn["absent"] == []


def test_weights_for_other_scores_are_said_to_be_absent() -> None:
    tuning, confidence = tuned(planted(3), normalizations=[Unchanged()], current="min-max:f1=1,f2=2,f3=1")
    drawn = landscape_data(tuning, confidence)
    assert drawn is not None
    assert [one.split(" (")[0] for one in drawn["absent"]] == ["the current one"]
