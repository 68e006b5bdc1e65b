from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.runs import Run
from rankmax.models import LinearModel
from rankmax.preprocessing.run_normalization import L2, ReciprocalRank
from rankmax.workflows.deployment.explanations import _first, hypotheses, predicted, used_part

RUNS = {
    name: Run.from_dict({"q1": {"a": 3.0, "b": 3.0, "c": 5.0}, "q2": {"d": 1.0}, "q3": {"c": 2.0, "a": 1.0}})
    for name in ("x", "y", "z")
}


def test_the_best_documents_of_a_run_in_the_order_of_the_engine() -> None:
    assert _first(RUNS["x"], 2).to_dict() == {"q1": {"c": 5.0, "a": 3.0}, "q2": {"d": 1.0}, "q3": {"c": 2.0, "a": 1.0}}


def test_ranks_of_equal_scores_are_those_of_the_engine() -> None:
    found = predicted(LinearModel([1.0], ("x",), ReciprocalRank(60)), {"x": RUNS["x"]})
    assert found["q1"] == pytest.approx({"c": 1 / 61, "a": 1 / 62, "b": 1 / 63})
    assert found["q3"] == pytest.approx({"c": 1 / 61, "a": 1 / 62})


@pytest.mark.parametrize(("weights", "swapped"), [([0.5, 0.3, 0.2], 5), ([0.5, 0.25, 0.25], 2), ([1.0, 1.0, 1.0], 0)])
def test_each_other_order_of_the_weights_is_considered_once(weights: list[float], swapped: int) -> None:
    found = [one.kind for one in hypotheses(LinearModel(np.array(weights), ("x", "y", "z"), L2()), RUNS, 100)]
    assert found.count("swapped weights") == swapped
    assert ("ignored weights" in found) == (swapped > 0)


def test_windows_are_smaller_than_depth_and_runs() -> None:
    model = used_part(LinearModel(np.array([0.5, 0.5, 0.0]), ("x", "y", "z"), L2()))
    windows = [one.text for one in hypotheses(model, RUNS, 100) if one.kind == "smaller window"]
    assert windows == [f"only the {n} best documents of each retriever are fused, not 100" for n in (2, 1)]
