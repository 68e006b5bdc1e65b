from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.metrics import AP, NoRelevant, parse_metric

JUDGMENTS = Judgments.from_grades([1, 0, 0, 1, 0, 0], [0, 2, 4, 6], query_ids=["a", "b", "c"])
SCORES = [2.0, 1.0, 2.0, 1.0, 2.0, 1.0]


def test_means_and_values() -> None:
    evaluation = evaluate_scores(SCORES, JUDGMENTS, ["RR", AP()])
    assert evaluation.query_ids == ("a", "b", "c")
    np.testing.assert_array_equal(evaluation["RR"], [1.0, 0.5, 0.0])
    np.testing.assert_array_equal(evaluation[AP()], evaluation["AP"])
    np.testing.assert_allclose(evaluation.means, [0.5, 0.5])


def test_queries_left_out_do_not_count() -> None:
    evaluation = evaluate_scores(SCORES, JUDGMENTS, [parse_metric("RR(no_relevant='skip')"), parse_metric("RR")])
    np.testing.assert_array_equal(evaluation.n_counted, [2, 3])
    np.testing.assert_allclose(evaluation.means, [0.75, 0.5])


def test_no_query_counts() -> None:
    nothing = Judgments.from_grades([0, 0], [0, 2])
    evaluation = evaluate_scores([1.0, 2.0], nothing, [AP(no_relevant=NoRelevant.SKIP)])
    assert np.isnan(evaluation.means).all()
    assert np.isnan(evaluation.intervals()).all()


def test_intervals_are_the_bootstraps() -> None:
    rng = np.random.default_rng(0)
    data = RankingDataset.from_arrays(rng.normal(size=(300, 1)), rng.integers(0, 2, 300), qid=np.arange(300) // 10)
    evaluation = evaluate_scores(data.scores([1.0]), data, ["AP", "RR"])
    low, high = bootstrap_interval(evaluation.values, confidence=0.9, seed=4)
    np.testing.assert_array_equal(evaluation.intervals(confidence=0.9, seed=4), np.transpose([low, high]))
    assert (evaluation.intervals()[:, 0] < evaluation.means).all()
    assert (evaluation.means < evaluation.intervals()[:, 1]).all()


@pytest.mark.parametrize("compiled", [True, False])
def test_compiled_or_not_is_the_same(compiled: bool) -> None:
    np.testing.assert_array_equal(
        evaluate_scores(SCORES, JUDGMENTS, ["nDCG@1", "ERR"], compiled=compiled).values,
        evaluate_scores(SCORES, JUDGMENTS, ["nDCG@1", "ERR"]).values,
    )
