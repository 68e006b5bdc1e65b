"""`rankmax.train`: the command's model, from every form of data."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import rankmax
from rankmax import write_letor
from rankmax.api.inputs import as_dataset
from rankmax.backends.training_data import LocalData
from rankmax.data.synthetic import planted_linear
from rankmax.errors import (
    IncompatibleError,
    InvalidDataError,
    InvalidParameterError,
    OverfittingWarning,
    UnknownNameError,
)
from rankmax.metrics import AP
from rankmax.preprocessing import Unchanged
from rankmax.workflows.training.cross_validation import cross_validate
from rankmax.workflows.training.training_job import TrainingJob

DATA = planted_linear(20, 8, 3, noise=0.3, seed=4).data
VALIDATION = planted_linear(10, 8, 3, noise=0.3, seed=5).data


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((), {}),
        (("--restarts", "2", "--seed", "3", "--space", "simplex"), {"n_restarts": 2, "seed": 3, "space": "simplex"}),
        (
            ("--learner", "least-squares", "--normalize", "min-max"),
            {"learner": "least-squares", "normalize": "min-max"},
        ),
        (("--learner", "surrogate", "--alpha", "0.5"), {"learner": "surrogate", "alpha": 0.5}),
        (("--learner", "ranking-svm", "--C", "1", "--C", "10"), {"learner": "ranking-svm", "C": [1.0, 10.0]}),
        (("--bins", "3", "--restarts", "1"), {"bins": 3, "n_restarts": 1}),
    ],
)
def test_the_function_gives_the_model_of_the_command(
    arguments: tuple[str, ...], options: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankmax.cli import main

    monkeypatch.chdir(tmp_path)
    write_letor(DATA, "train.txt")
    write_letor(VALIDATION, "vali.txt")
    given = ["train", "train.txt", "-o", "model.json", "-m", "AP", "--validation", "vali.txt", *arguments]
    monkeypatch.setattr(sys, "argv", ["rankmax", *given])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    model = rankmax.train("train.txt", "AP", validation="vali.txt", **options)
    np.testing.assert_array_equal(model.weights, rankmax.load("model.json").weights)
    assert model.feature_names == rankmax.load("model.json").feature_names


def test_an_interrupt_of_the_cross_validation_keeps_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless cross-validation was asked for."""

    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rankmax.workflows.training.model_training.cross_validate", interrupted)
    np.testing.assert_array_equal(rankmax.train(DATA, "AP").weights, rankmax.train(DATA, "AP", folds=0).weights)
    with pytest.raises(KeyboardInterrupt):
        rankmax.train(DATA, "AP", folds=3)


def test_a_model_knows_its_cross_validated_value_and_overfitting_is_told(recwarn: pytest.WarningsRecorder) -> None:
    """Features of pure chance can be learned by heart, and serve no other query."""
    rng = np.random.default_rng(3)
    chance = rng.normal(size=(20 * 8, 12)), rng.integers(0, 2, 160), np.repeat(np.arange(20), 8)
    options = {"smoothing": 0, "n_restarts": 1}
    with pytest.warns(OverfittingWarning, match="overfitting: AP is 0.* on the training queries, but 0.* cross-val"):
        learned = rankmax.train(chance, "AP", **options)
    record = learned.training
    assert record.cross_validated_value == pytest.approx(
        cross_validate(
            TrainingJob("direct", AP(), "none", options), LocalData(as_dataset(chance), Unchanged()), [AP()]
        ).means[0]
    )
    assert record.value > record.cross_validated_value + 0.1
    assert f"{record.cross_validated_value:.4f}" in repr(learned)
    recwarn.clear()
    without = rankmax.train(chance, "AP", folds=0, **options)
    assert (without.training.cross_validated_value, without.training.value) == (None, record.value)
    assert not recwarn.list


def test_every_form_of_data_gives_the_same_model(tmp_path: Path) -> None:
    from rankmax.formats.shards import write_shards

    write_letor(DATA, tmp_path / "train.txt")
    write_shards([(DATA, 3)], tmp_path / "shards")
    arrays = (np.array(DATA.features), DATA.grades, DATA.judgments.query_of_document)
    expected = rankmax.train(DATA, "AP", n_restarts=1).weights
    for data in (tmp_path / "train.txt", arrays, tmp_path / "shards"):
        np.testing.assert_array_equal(rankmax.train(data, "AP", n_restarts=1).weights, expected)


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        (DATA, {"learner": "drect"}, UnknownNameError, "unknown learner 'drect'; did you mean 'direct'"),
        (DATA, {"C": 1.0}, InvalidParameterError, "C is not for the learner direct; it is for structural-svm"),
        (DATA, {"restart": 1}, UnknownNameError, "option of the learner direct 'restart'; did you mean 'n_restarts'"),
        (DATA, {"metric": ["AP", "RR"]}, InvalidParameterError, "trained for one metric"),
        (7, {}, InvalidDataError, "int holds no features and grades"),
        (
            "some/shards",
            {"bins": 3, "memory": "1GB", "learner": "ranking-svm"},
            IncompatibleError,
            "ranking-svm needs all data in this process",
        ),
    ],
)
def test_mistakes_are_explained(data: object, options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rankmax.train(data, **options)


def test_a_learner_is_named_and_a_metric_is_one() -> None:
    with pytest.raises(InvalidParameterError, match="expected a name such as 'direct'"):
        rankmax.train(DATA, learner=rankmax.LinearRanker())
    with pytest.raises(InvalidParameterError, match="trained for one metric"):
        rankmax.train(DATA, ["AP", "RR"])
    with pytest.raises(InvalidParameterError, match="ridge is 'x'; expected a nonnegative number"):
        rankmax.train(DATA, learner="least-squares", ridge="x")
    with pytest.raises(InvalidParameterError, match="names of two or three features"):
        rankmax.surface(DATA, "f1")
