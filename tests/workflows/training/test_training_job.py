from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import UnknownNameError
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.learners.pointwise.least_squares import LeastSquaresRanker
from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker
from rankmax.metrics import AP
from rankmax.workflows.training.training_job import TrainingJob

DATA, VALIDATION = (planted_linear(15, 8, 3, noise=0.5, seed=seed).data for seed in (1, 2))


def test_direct_maximization_tells_of_itself_and_keeps_a_journal(tmp_path: Path) -> None:
    told: list[object] = []
    options = {"n_restarts": 1, "seed": 4, "checkpoint": str(tmp_path / "journal")}
    model = TrainingJob("direct", AP(), "min-max", options).fit(DATA, VALIDATION, callback=told.append).model_
    expected = LinearRanker(AP(), n_restarts=1, seed=4, normalization="min-max")
    assert model.to_json() == expected.fit_dataset(DATA, validation=VALIDATION).model_.to_json()
    assert told
    assert (tmp_path / "journal").exists()


def test_other_learners_take_validation_only_where_they_choose() -> None:
    squares = TrainingJob("least-squares", AP(), "none", {"ridge": 1.0}).fit(DATA, VALIDATION).model_
    assert squares.to_json() == LeastSquaresRanker(ridge=1.0).fit_dataset(DATA).model_.to_json()
    smooth = TrainingJob("surrogate", AP(), "none", {"ridge": 0.1}).fit(DATA, VALIDATION).model_
    expected = SurrogateRanker(scoring="linear", metric=AP(), ridge=0.1).fit_dataset(DATA, validation=VALIDATION)
    assert smooth.to_json() == expected.model_.to_json()


def test_an_unknown_learner_is_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown learner 'direkt'; did you mean 'direct'"):
        TrainingJob("direkt", AP(), "none", {}).fit(DATA)
