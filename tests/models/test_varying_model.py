"""Weights that depend on the query: by number, by group, in files."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.models import Provenance
from rankmax.models.varying_model import VaryingModel
from rankmax.preprocessing.run_normalization import ReciprocalRank

NAMES = ("bm25", "e5")
BY_NUMBER = VaryingModel("length", (1.0, 5.0), (), [[1.0, 0.0], [0.0, 2.0]], [0.5, 0.5], NAMES, ReciprocalRank(k=2.0))
BY_GROUP = VaryingModel(
    "kind",
    None,
    ("what", "who"),
    [[1.0, 0.0], [0.25, 0.75]],
    [0.5, 0.5],
    NAMES,
    metric="AP",
    provenance=Provenance(seed=3),
)


@pytest.fixture
def data() -> RankingDataset:
    rng = np.random.default_rng(3)
    X = rng.random((12, 3))
    return RankingDataset.from_arrays(
        X, np.zeros(12), qid=np.repeat(["a", "b", "c"], 4), feature_names=["e5", "x", "bm25"]
    )


@pytest.mark.parametrize(
    ("model", "values"),
    [(BY_NUMBER, {"a": "0", "b": "2", "c": "5"}), (BY_GROUP, {"a": "who", "b": "what", "c": "where"})],
    ids=["number", "group"],
)
def test_each_query_is_scored_by_its_own_linear_model(
    model: VaryingModel, values: dict[str, str], data: RankingDataset
) -> None:
    expected = [model.at(values[query]).scores(data.select(np.array([q]))) for q, query in enumerate(data.query_ids)]
    np.testing.assert_allclose(model.scores(data, values), np.concatenate(expected), atol=1e-12)
    loaded = VaryingModel.from_json(model.to_json())
    np.testing.assert_array_equal(loaded.scores(data, values), model.scores(data, values))
    assert loaded.to_json() == model.to_json()


def test_weights_between_and_beyond_the_numbers() -> None:
    assert [BY_NUMBER.weights_at(t).tolist() for t in ("-3", "1", "2", "5", "1e300")] == [
        [1.0, 0.0],
        [1.0, 0.0],
        [0.75, 0.5],
        [0.0, 2.0],
        [0.0, 2.0],
    ]


def test_a_group_without_weights_has_those_of_all_others() -> None:
    assert BY_GROUP.weights_at("when").tolist() == [0.5, 0.5]


@pytest.mark.parametrize("value", ["long", "", "nan", "inf", "1_000", "\u0663"])
def test_what_is_no_number_is_refused(value: str) -> None:
    with pytest.raises(InvalidDataError, match=f"length is {value!r}; expected a finite number"):
        BY_NUMBER.at(value)


def test_a_query_without_a_value_is_named(data: RankingDataset) -> None:
    with pytest.raises(InvalidDataError, match="there is no kind for 2 queries, such as 'b'"):
        BY_GROUP.scores(data, {"a": "who"})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((1.0, 5.0), ("what",), [[1.0]], [1.0], ("bm25",)), "either by number or by group"),
        ((None, (), [[1.0]], [1.0], ("bm25",)), "either by number or by group"),
        (((5.0, 5.0), (), [[1.0], [1.0]], [1.0], ("bm25",)), "expected a lower and a higher one"),
        ((None, ("what",), [[1.0], [2.0]], [1.0], ("bm25",)), "weights must be finite numbers of shape (1, 1)"),
        ((None, ("what",), [[1.0]], [np.nan], ("bm25",)), "otherwise must be finite numbers"),
        ((None, ("what",), [[1.0, 1.0]], [1.0, 1.0], ("bm25", "bm25")), "occurs twice"),
    ],
)
def test_what_is_no_model_is_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(InvalidDataError, match=re.escape(message)):
        VaryingModel("kind", *arguments)


@pytest.mark.parametrize("weights", [[0.5], [0.5, 1.0, 2.0], []])
def test_a_file_with_ragged_weights_is_refused_by_name(weights: list[float]) -> None:
    content = json.loads(BY_GROUP.to_json())
    content["features"][0]["weights"] = weights
    with pytest.raises(DataFormatError, match=r"model\.json: .*a feature does not have 2 weights"):
        VaryingModel.from_json(json.dumps(content).encode(), source="model.json")
    content["features"] = []
    assert VaryingModel.from_json(json.dumps(content).encode()).weights.shape == (2, 0)
