"""Stacks of models: scores are the weighted sum of the members' scores, normalized within queries."""

from __future__ import annotations

import json

import numpy as np
import pytest

from oracles.tree_models import written
from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.engines.registry import export_model
from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError
from rankmax.models import LinearModel, StackedModel
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.curve import Curve
from rankmax.models.model_files import load_model, load_scoring_model
from rankmax.preprocessing.feature_normalization import MinMax, Normalization, Unchanged

NAMES = ("bm25", "age", "links", "clicks", "one")
TREES = written("lightgbm-named.txt").model
LINEAR = LinearModel([0.5, -1.0], ("bm25", "age"))
CURVE = AdditiveModel([Curve([-1.0, 1.0], [0.0, 1.0])], ("links",))


@pytest.fixture(scope="module")
def data() -> RankingDataset:
    X = np.random.default_rng(0).normal(size=(60, 5))
    return RankingDataset.from_arrays(X, np.zeros(60), qid=np.arange(60) // 10, feature_names=NAMES)


def stack(normalization: Normalization | None = None) -> StackedModel:
    return StackedModel((TREES, LINEAR, CURVE), ("t", "l", "c"), [2.0, 0.0, -0.5], normalization or Unchanged())


def min_max(scores: F64) -> F64:
    by_query = scores.reshape(6, 10)
    low, high = by_query.min(axis=1, keepdims=True), by_query.max(axis=1, keepdims=True)
    return ((by_query - low) / (high - low)).ravel()


def test_scores_are_a_weighted_sum(data: RankingDataset) -> None:
    trees, curve = TREES.scores(data), CURVE.scores(data)
    np.testing.assert_allclose(stack().scores(data), 2 * trees - 0.5 * curve, rtol=1e-14)
    expected = 2 * min_max(trees) - 0.5 * min_max(curve)
    np.testing.assert_allclose(stack(MinMax()).scores(data), expected, rtol=1e-12, atol=1e-12)


def test_files_hold_the_members(data: RankingDataset, tmp_path) -> None:
    stack(MinMax()).save(tmp_path / "stacked.json")
    read = load_scoring_model(tmp_path / "stacked.json")
    assert isinstance(read, StackedModel)
    assert read.to_json() == stack(MinMax()).to_json()
    np.testing.assert_array_equal(read.scores(data), stack(MinMax()).scores(data))
    with pytest.raises(IncompatibleError, match="a stack of models has no weights of features"):
        load_model(tmp_path / "stacked.json")


def test_what_is_wrong_is_said_with_the_file() -> None:
    content = json.loads(stack().to_json())
    content["models"][1]["model"]["schema"] = "rankmax/stacked-model/1"
    with pytest.raises(DataFormatError, match=r"stacked\.json: .*model 'l': schema is"):
        StackedModel.from_json(json.dumps(content).encode(), source="stacked.json")
    content["models"][1]["model"] = 3
    with pytest.raises(DataFormatError, match=r"stacked\.json: .*model 'l'"):
        StackedModel.from_json(json.dumps(content).encode(), source="stacked.json")
    with pytest.raises(InvalidDataError, match="2 models have 1 names"):
        StackedModel((LINEAR, CURVE), ("l",), [1.0])


def test_sums_of_trees_are_exported_as_one(data: RankingDataset) -> None:
    from rankmax.engines.tree_ensembles import merged

    other = written("lightgbm-named.txt").model.first(1)
    model = StackedModel((TREES, other, LINEAR), ("a", "b", "l"), [2.0, -1.0, 0.0])
    np.testing.assert_allclose(merged(model, "Solr").scores(data), model.scores(data), rtol=1e-12)
    assert export_model(model, "solr").requests
    with pytest.raises(IncompatibleError, match="'c' of the stack is no sum of trees"):
        export_model(stack(), "solr")
    with pytest.raises(IncompatibleError, match=r"cannot normalize the scores of the 3 models .* --normalize none"):
        export_model(stack(MinMax()), "opensearch-ltr")


def test_it_shows_its_weights() -> None:
    assert "normalization" in str(stack())
    assert list(stack().to_frame()["feature"]) == ["t", "l", "c"]
    assert {"bm25", "links"} <= set(stack().feature_names)
