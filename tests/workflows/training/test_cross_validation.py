"""Cross-validation against a loop by hand, and the same values wherever the data lies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankmax.backends.distributed_dataset import DistributedDataset
from rankmax.backends.local import LocalBackend
from rankmax.backends.training_data import LocalData
from rankmax.data.splits import k_folds
from rankmax.data.synthetic import planted_linear
from rankmax.formats.shards import write_shards
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.learners.pointwise.least_squares import LeastSquaresRanker
from rankmax.metrics import AP
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.training.cross_validation import cross_validate, default_folds, is_overfitted
from rankmax.workflows.training.training_job import TrainingJob

DATA = planted_linear(24, 8, 3, noise=1.0, seed=2).data
LOCAL = LocalData(DATA, Normalization.named("none"))


def test_each_query_is_ranked_by_what_others_taught() -> None:
    ticks: list[int] = []
    found = cross_validate(
        TrainingJob("least-squares", AP(), "none", {}), LOCAL, [AP()], n_folds=3, seed=5, tick=lambda: ticks.append(1)
    )
    for fold in k_folds(DATA, 3, seed=5):
        test = DATA.select(fold.test)
        scores = LeastSquaresRanker().fit_dataset(DATA.select(fold.train)).model_.scores(test)
        np.testing.assert_array_equal(found["AP"][fold.test], AP().per_query(scores, test.judgments))
    assert len(ticks) == 3
    assert found.query_ids == DATA.query_ids


def test_what_is_left_out_cannot_be_learned() -> None:
    """With judgments turned upside down, the queries left out are ranked no differently."""
    job = TrainingJob("direct", AP(), "none", {})
    (fold, _) = k_folds(DATA, 2, seed=0)
    weights = np.zeros(24)
    weights[fold.train] = 1.0
    turned = DATA.grades.copy()
    left_out = np.isin(DATA.judgments.query_of_document, fold.test)
    turned[left_out] = 2 - turned[left_out]
    other = type(DATA).from_arrays(DATA.features, turned, qid=DATA.judgments.query_of_document)
    a, b = (LinearRanker("AP").fit_dataset(data, query_weights=weights) for data in (DATA, other))
    np.testing.assert_array_equal(a.coef_, b.coef_)
    test = DATA.select(fold.test)
    found = cross_validate(job, LOCAL, [AP()], n_folds=2, seed=0)
    np.testing.assert_array_equal(found["AP"][fold.test], AP().per_query(a.model_.scores(test), test.judgments))


@pytest.mark.parametrize(
    ("learner", "options"),
    [("direct", {"n_restarts": 1, "checkpoint": "unused"}), ("expected-gain", {"loss": "cosine"})],
)
def test_shards_give_the_same_values(learner: str, options: dict[str, Any], tmp_path: Path) -> None:
    shards = write_shards([(DATA, 5)], tmp_path / "shards")
    job = TrainingJob(learner, AP(), "min-max", options)
    with LocalBackend() as backend:
        there = DistributedDataset.kept(backend, shards, Normalization.named("min-max"))
        found = cross_validate(job, there, [AP()], n_folds=3)
        assert len(backend.kept) == 1
    here = cross_validate(job, LocalData(DATA, Normalization.named("min-max")), [AP()], n_folds=3)
    np.testing.assert_array_equal(found.values, here.values)
    assert found.query_ids == here.query_ids


def test_only_short_trainings_are_cross_validated_unasked() -> None:
    large = planted_linear(600, 100, 9, seed=1).data
    few = DATA.select(np.arange(9))
    assert default_folds(TrainingJob("direct", AP(), "none", {}), LOCAL) == 5
    assert default_folds(TrainingJob("least-squares", AP(), "none", {}), LOCAL) == 5
    for job, data in [
        (TrainingJob("direct", AP(), "none", {}), LocalData(large, Normalization.named("none"))),
        (TrainingJob("direct", AP(), "none", {}), LocalData(few, Normalization.named("none"))),
        (TrainingJob("direct", AP(), "none", {"n_bags": 2000}), LOCAL),
        (TrainingJob("direct", AP(), "none", {"time_limit": 9.0}), LOCAL),
        (TrainingJob("direct", AP(), "none", {"checkpoint": "training.journal"}), LOCAL),
        (TrainingJob("direct", AP(), "none", {"n_jobs": 2}), LOCAL),
    ]:
        assert default_folds(job, data) == 0


def test_a_gap_is_overfitting_if_it_is_large_and_no_chance() -> None:
    held_out = np.array([0.4, 0.5, 0.6, 0.5])
    assert is_overfitted(held_out + 0.06, held_out)
    assert not is_overfitted(held_out + 0.04, held_out)  # below a tenth
    assert not is_overfitted(held_out + np.array([0.5, 0.0, 0.0, -0.1]), held_out)  # a single query
    assert not is_overfitted(held_out - 0.2, held_out)
    with_nan = np.append(held_out, np.nan)
    assert is_overfitted(with_nan + 0.06, with_nan)
    assert not is_overfitted(np.array([0.9]), np.array([0.1]))
