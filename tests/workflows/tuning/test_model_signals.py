"""Models as signals: tuned by their scores, refused on their training data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmax as rm
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.formats.registry import write_dataset
from rankmax.metrics import AP
from rankmax.models import LinearModel, Provenance, StackedModel, TreeEnsembleModel
from rankmax.models.trees.structure import Tree
from rankmax.models.varying_model import VaryingModel
from rankmax.workflows.tuning.model_signals import NOT_HELD_OUT, signals_of_models

GOOD, BAD = LinearModel([0.3, 0.7, 0.0], ("f1", "f2", "f3")), LinearModel([1.0], ("f3",))


@pytest.fixture(scope="module")
def data() -> RankingDataset:
    return planted_linear(30, 10, 3, noise=0.3, seed=4).data


def test_signals_are_the_scores(data: RankingDataset) -> None:
    signals = signals_of_models(data, {"good": GOOD, "bad": BAD})
    np.testing.assert_array_equal(signals.data.column(0), GOOD.scores(data))
    assert signals.names == ("good", "bad")
    assert signals.warnings == (NOT_HELD_OUT,)


def test_tune_returns_a_stack_that_ranks_data(data: RankingDataset, tmp_path: Path) -> None:
    tuning = rm.tune(data, metric="AP", models={"good": GOOD, "bad": BAD}, repeats=1)
    assert isinstance(tuning.model, StackedModel)
    assert NOT_HELD_OUT in tuning.notes
    of_stack, *alone = (evaluate_scores(one.scores(data), data, [AP()]).means[0] for one in (tuning.model, GOOD, BAD))
    assert of_stack >= max(alone) - 0.01
    tuning.save(tmp_path / "stacked.json")
    loaded: Any = rm.load(tmp_path / "stacked.json")
    fused = replace(data, features=np.c_[GOOD.scores(data), BAD.scores(data)], feature_names=("good", "bad"))
    np.testing.assert_allclose(loaded.scores(data), tuning.model.fusion.scores(fused))
    assert rm.rank(tuning, data).n_queries == 30


def test_the_training_data_of_a_model_is_refused(data: RankingDataset) -> None:
    from rankmax.data.content_hash import data_hash

    seen = replace(BAD, provenance=Provenance(data_hash=data_hash(data)))
    with pytest.raises(InvalidDataError, match=r"bad was trained on the documents of vali\.txt: .* tune on queries"):
        signals_of_models(data, {"good": GOOD, "bad": seen}, source="vali.txt")
    left = float((data.column(0) <= 0.5).sum())
    stump = Tree([0], [0.5], [~0], [~1], [0.0, 1.0], [True], [2], [left, data.n_documents - left])
    with pytest.raises(InvalidDataError, match="trees was trained on"):
        signals_of_models(data, {"good": GOOD, "trees": TreeEnsembleModel((stump,), ("f1",))})


def test_a_trained_model_is_recognized_on_its_training_file(data: RankingDataset, tmp_path: Path) -> None:
    write_dataset(data, tmp_path / "train.txt")
    model = rm.train(tmp_path / "train.txt", "AP")
    with pytest.raises(InvalidDataError, match="was trained on the documents"):
        rm.tune(tmp_path / "train.txt", metric="AP", models={"own": model, "bad": BAD})


def test_what_cannot_be_stacked_is_refused(data: RankingDataset) -> None:
    varying = VaryingModel("kind", None, ("what",), [[0.5]], [1.0], ("f1",))
    stacked = StackedModel((GOOD, BAD), ("a", "b"), [1.0, 1.0])
    for other, expected in ((varying, "is a VaryingModel"), (stacked, "is a stack of models")):
        with pytest.raises(IncompatibleError, match=expected):
            signals_of_models(data, {"good": GOOD, "other": other})
    with pytest.raises(IncompatibleError, match="give two models or more"):
        signals_of_models(data, {"good": GOOD})
    with pytest.raises(InvalidDataError, match="flat gives all documents the same score"):
        signals_of_models(data, {"good": GOOD, "bad": BAD, "flat": LinearModel([0.0], ("f1",))})
    with pytest.raises(IncompatibleError, match="leave out engine"):
        rm.tune(data, models={"good": GOOD, "bad": BAD}, engine="solr")
    with pytest.raises(IncompatibleError, match="give one data file"):
        rm.tune(["a.run", "b.run"], models={"good": GOOD, "bad": BAD})
