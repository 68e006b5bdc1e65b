from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from rankmax.data.letor import read_letor
from rankmax.data.splits import letor_folds
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.evaluation.evaluate import evaluate
from rankmax.learners.linear_ranker import LinearRanker
from rankmax.metrics import AP, nDCG
from rankmax.models import LinearModel
from rankmax.optimizers.base import Budget
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.testing.learners import LearnerContract


class TestContract(LearnerContract):
    learners = (
        LinearRanker(n_restarts=1),
        LinearRanker("AP", n_restarts=1, normalisation="min-max"),
    )
    agreement = 0.85
    closeness = 0.2  # the middle of a plateau moves when rows do


@pytest.mark.parametrize("space", ["euclidean", "simplex", "augmented-simplex"])
def test_value_is_that_of_the_model_on_the_training_data(space: str) -> None:
    data = planted_linear(15, 10, 4, noise=0.7, seed=2).data
    ranker = LinearRanker(AP(), space=space, n_restarts=3).fit_dataset(data)
    assert evaluate(ranker.model_.scores(data), data, ["AP"]).means[0] == pytest.approx(ranker.value_, abs=1e-9)
    assert len(ranker.ascents_) == 3
    assert ranker.value_ == max(ascent.value for ascent in ranker.ascents_)


def test_negative_weights_need_another_space_than_the_simplex() -> None:
    problem = planted_linear(30, 12, 3, seed=8)
    assert (problem.weights < 0).any()
    values = {
        space: LinearRanker("AP", space=space, n_restarts=3).fit_dataset(problem.data).value_
        for space in ("euclidean", "simplex", "augmented-simplex")
    }
    assert values["simplex"] < values["euclidean"] - 0.01
    assert values["augmented-simplex"] == pytest.approx(values["euclidean"], abs=0.02)


def test_same_seed_same_model() -> None:
    data = planted_linear(15, 10, 4, noise=0.7, seed=2).data
    first, second = (LinearRanker("RR", n_restarts=4, seed=5).fit_dataset(data).model_ for _ in range(2))
    assert first.to_json() == second.to_json()


def test_provenance_names_every_parameter() -> None:
    data = planted_linear(8, 6, 2, seed=2).data
    optimizer = CoordinateAscent(budget=Budget(lines=5))
    ranker = LinearRanker(nDCG() @ 3, n_restarts=1, optimizer=optimizer).fit_dataset(data)
    assert all(ascent.n_lines <= 5 for ascent in ranker.ascents_)
    again = LinearModel.from_json(ranker.model_.to_json())
    assert again.metric == "nDCG@3"
    assert again.provenance.parameters["optimizer"] == repr(optimizer)
    assert again.provenance.parameters["space"] == "euclidean"


def test_scikit_learn_can_clone_it() -> None:
    ranker = LinearRanker("AP", n_restarts=2, seed=3)
    assert clone(ranker).get_params() == ranker.get_params()


def test_an_interrupt_keeps_the_best_so_far() -> None:
    def interrupt(progress: object) -> None:
        if progress.n_lines >= 2:  # type: ignore[attr-defined]
            raise KeyboardInterrupt

    data = planted_linear(15, 10, 6, noise=0.7, seed=2).data
    ranker = LinearRanker("AP", n_restarts=5).fit_dataset(data, callback=interrupt)
    assert ranker.ascents_[-1].stopped_by == "interrupted"
    assert ranker.model_.scores(data).shape == (150,)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("n_restarts", 0), ("n_restarts", 1.5), ("n_bags", -1), ("n_jobs", 0), ("seed", -1), ("time_limit", 0.0)],
)
def test_bad_parameters(parameter: str, value: float) -> None:
    data = planted_linear(3, 4, 2, seed=1).data
    with pytest.raises(InvalidParameterError, match=f"{parameter} is {value}; expected"):
        LinearRanker(**{parameter: value}).fit_dataset(data)


def test_beats_least_squares_on_the_metric_it_maximises(shared_data: Path) -> None:
    from rankmax.learners.least_squares import LeastSquaresRanker

    parts = [read_letor(shared_data / "letor" / "MQ2008" / f"S{i}.txt.gz") for i in range(1, 6)]
    train = next(iter(letor_folds(parts))).train
    direct = LinearRanker("nDCG@10", n_restarts=1).fit_dataset(train)
    baseline = LeastSquaresRanker().fit_dataset(train).model_
    assert direct.value_ > np.mean(evaluate(baseline.scores(train), train, ["nDCG@10"]).values) + 0.01
