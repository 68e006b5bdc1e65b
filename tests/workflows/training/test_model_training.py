"""Training on shards as on a data set, and its refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.backends.local import LocalBackend
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.formats.shards import write_shards
from rankmax.metrics import parse_metric
from rankmax.workflows.training.model_training import run_training
from rankmax.workflows.training.training_job import TrainingJob


def test_means_are_those_of_an_evaluation_and_the_data_is_read_once(tmp_path: Path) -> None:
    data = planted_linear(30, 8, 3, noise=1.0, seed=2).data
    shards = write_shards([(data, 4)], tmp_path / "shards")
    metrics = [parse_metric(name) for name in ("AP", "nDCG@3", "RR(no_relevant='skip')", "Bpref")]
    options = {"n_restarts": 1, "shrinkage": 0.0}
    with LocalBackend() as backend:
        run = run_training(TrainingJob("direct", metrics[0], "none", options), shards, metrics, backend=backend)
        assert len(backend.kept) == 1
    model = run.ranker.model_
    np.testing.assert_array_equal(
        run.evaluations["training"].values, evaluate_scores(model.scores(data), data, metrics).values
    )
    assert run.evaluations["training"].means[0] == model.training.value
    assert backend.traffic.rounds > 10


def test_other_learners_are_refused(tmp_path: Path) -> None:
    shards = write_shards([(planted_linear(3, 4, 2, seed=2).data, 1)], tmp_path / "shards")
    job = TrainingJob("least-squares", parse_metric("AP"), "none", {})
    with pytest.raises(IncompatibleError, match="the learner least-squares needs all data in this process"):
        run_training(job, shards, [], backend=LocalBackend())
