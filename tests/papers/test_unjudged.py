from __future__ import annotations

import numpy as np

from rankmax.data.judging import join_runs
from rankmax.data.runs import Qrels, Run
from rankmax.metrics import AP
from rankmax.papers.unjudged import unjudged_as_not_relevant


def test_values_of_metrics_stay_as_they_are() -> None:
    run = Run.from_dict({"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}})
    data = join_runs({"run": run}, Qrels.from_dict({"q1": {"d2": 1, "d9": 1}}), missing="minimum")
    graded = unjudged_as_not_relevant(data)
    np.testing.assert_array_equal(graded.grades, [0, 1, 0])
    scores = data.column(0)
    assert AP().per_query(scores, graded.judgments) == AP().per_query(scores, data.judgments) == 0.25
