"""Additive models: sums of curves and of products of these, files, runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.curves import by_definition
from rankmax.data.dataset import RankingDataset
from rankmax.engines.export_target import Destination
from rankmax.engines.registry import TARGETS
from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError
from rankmax.models import LinearModel, Provenance, TrainingRecord, load_model
from rankmax.models.additive_model import AdditiveModel, Product
from rankmax.models.curve import Curve
from rankmax.preprocessing import Normalization, ReciprocalRank, RetrievedMinMax, ZScore

AGE = Curve([0.0, 10.0, 40.0], [1.0, 0.5, -0.25], absent=-0.125, deviations=[0.1, 0.0, 0.2], weight=-0.02)
STEPS = Curve([1.0, 2.5], [-1.0, 0.0, 3.0], "constant", absent=7.0)
MODEL = AdditiveModel(
    (AGE, STEPS, Curve([], [0.0], "constant")),
    ("age", "clicks", "größe"),
    (Product("clicks", "age", -0.5),),
    metric="nDCG@10",
    provenance=Provenance(learner="Someone's", seed=1),
    training=TrainingRecord(value=0.5, bag_values=(0.1, 0.2)),
)


@pytest.mark.parametrize("normalization", [Normalization.named("none"), ZScore(), RetrievedMinMax(), ReciprocalRank()])
def test_scores_are_sums_of_curves_and_products_after_normalization(normalization: Normalization) -> None:
    rng = np.random.default_rng(1)
    X = np.where(rng.random((40, 3)) < 0.3, 0.0, rng.normal(10, 10, (40, 3)))
    ids = [f"d{i}" for i in rng.permutation(40)]
    data = RankingDataset.from_arrays(
        X, np.zeros(40), qid=np.repeat([1, 2], 20), feature_names=["clicks", "other", "age"], document_ids=ids
    )
    model = AdditiveModel(MODEL.curves, MODEL.feature_names, MODEL.products, normalization)
    normalized = normalization.apply(data).features
    expected = []
    for raw, row in zip(X, normalized, strict=True):
        retrieved = isinstance(normalization, RetrievedMinMax | ReciprocalRank)
        seen = [float("nan") if retrieved and r == 0 else x for r, x in zip(raw.tolist(), row.tolist(), strict=True)]
        age, clicks = by_definition(AGE, seen[2]), by_definition(STEPS, seen[0])
        expected.append(age + clicks + clicks * age * -0.5)
    assert model.scores(data.select_features(["age", "clicks"])).tolist() == expected


def test_nan_is_no_value_whatever_the_normalization() -> None:
    X = np.asfortranarray([[np.nan, 2.0], [5.0, 2.5], [5.0, 9.0]])
    judged = RankingDataset.from_arrays(np.zeros((3, 2)), [0, 0, 0], qid=[1, 1, 1])
    data = RankingDataset(X, ("age", "clicks"), judged.judgments)
    assert MODEL.scores(data).tolist() == [-0.125, 0.75, 0.75 + 3.0 - 0.5 * 0.75 * 3.0]
    assert AdditiveModel((AGE,), ("age",), normalization=ZScore()).scores(data).tolist() == [-0.125, 1.0, 1.0]


def test_features_without_effect_need_not_be_in_the_data() -> None:
    data = RankingDataset.from_arrays([[1.0]], [0], qid=[1], feature_names=["clicks"])
    assert AdditiveModel((STEPS, Curve([0.0], [0.0])), ("clicks", "age")).scores(data).tolist() == [-1.0]
    with pytest.raises(InvalidDataError, match="lacks 1 of 2 features: age"):
        MODEL.scores(data)


def test_everything_comes_back_from_a_file(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "model.json")
    back = load_model(tmp_path / "model.json")
    assert isinstance(back, AdditiveModel)
    assert back.to_json() == MODEL.to_json()
    assert back.products == MODEL.products
    assert back.training == MODEL.training
    for one, other in zip(back.curves, MODEL.curves, strict=True):
        assert one.knots.tobytes() == other.knots.tobytes()
        assert one.values.tobytes() == other.values.tobytes()
        assert (one.kind, one.absent, one.weight) == (other.kind, other.absent, other.weight)
    assert back.curve("age").deviations.tolist() == [0.1, 0.0, 0.2]


def test_a_feature_is_one_line_of_the_file_and_strings_stay_as_they_are() -> None:
    names = ("[\n 1.0,\n 2.0]", '}\n  {"', "a  b")
    curves = (Curve([0.0, 10.0], [1.0, 0.5]), STEPS, AGE)
    text = AdditiveModel(curves, names, metric="AP").to_json()
    lines = text.decode().splitlines()
    assert sum(line.startswith('    {"name": ') for line in lines) == len(names)
    age = '"knots": [0.0, 10.0, 40.0], "values": [1.0, 0.5, -0.25], "absent": -0.125, "deviations": [0.1, 0.0, 0.2], '
    assert '    {"name": "a  b", "kind": "linear", ' + age + '"weight": -0.02}' in lines
    assert AdditiveModel.from_json(text).feature_names == names


def test_it_shows_curves_and_products() -> None:
    shown = str(MODEL)
    assert "age" in shown
    assert "clicks * age" in shown
    assert "features without effect: 1" in shown


def test_runs_are_fused_with_a_value_for_documents_that_were_not_retrieved() -> None:
    fused = AdditiveModel(
        (Curve([0.0, 1.0], [0.0, 1.0], absent=-5.0), Curve([0.0, 1.0], [0.0, 2.0])),
        ("bm25", "e5"),
        normalization=RetrievedMinMax(),
    ).rank({"bm25": {"q": {"a": 3.0, "b": 1.0}}, "e5": {"q": {"b": 0.25, "c": 0.5}}})
    assert fused.to_dict() == {"q": {"a": 1.0, "b": 0.0, "c": -3.0}}


@pytest.mark.parametrize(
    ("names", "products", "message"),
    [
        (("a",), (), "2 curves for 1 feature names"),
        (("a", "a"), (), "a feature name occurs twice"),
        (("a", "b"), (Product("a", "a", 1.0),), "expected two different features"),
        (("a", "b"), (Product("a", "c", 1.0),), "expected two different features"),
        (("a", "b"), (Product("a", "b", np.nan),), "the weight of a product is nan"),
        (("a", "b"), (Product("a", "b", 1.0), Product("b", "a", 1.0)), "a product occurs twice"),
    ],
)
def test_what_is_no_model_is_refused(names: Any, products: Any, message: str) -> None:
    with pytest.raises(InvalidDataError, match=re.escape(message)):
        AdditiveModel((AGE, STEPS), names, products)


def test_a_file_with_a_bad_curve_names_file_and_feature() -> None:
    content = json.loads(MODEL.to_json())
    content["features"][0]["knots"] = [3.0, 2.0, 1.0]
    with pytest.raises(DataFormatError, match=r"model\.json: .*feature 'age': knots must ascend"):
        AdditiveModel.from_json(json.dumps(content).encode(), source="model.json")


@pytest.mark.parametrize("target", ["qdrant", "opensearch-hybrid"])
def test_weighted_sums_refuse_curves(target: str) -> None:
    with pytest.raises(IncompatibleError, match="cannot compute curves"):
        TARGETS.load(target).export(MODEL, Destination())


def test_a_linear_model_is_an_additive_one_between_the_outer_knots() -> None:
    data = RankingDataset.from_arrays(np.random.default_rng(2).random((9, 2)), np.zeros(9), qid=np.arange(9) % 2)
    line = AdditiveModel((Curve([0.0, 1.0], [0.0, 0.5]), Curve([0.0, 1.0], [0.0, -2.0])), ("f1", "f2"))
    np.testing.assert_allclose(line.scores(data), LinearModel([0.5, -2.0], ("f1", "f2")).scores(data), atol=1e-15)
