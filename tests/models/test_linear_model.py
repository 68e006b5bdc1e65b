"""Models: scores by name, JSON that keeps every bit, and files that are read or refused."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array

from rankmax._version import __version__
from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.models import LinearModel, Provenance, TrainingRecord
from rankmax.preprocessing.feature_normalization import MinMax, ZScore

MODEL = LinearModel(
    np.array([1.5, -0.25, 0.0]),
    ("bm25", "größe", "unused"),
    MinMax(),
    "nDCG@10",
    Provenance(
        learner="Someone's",
        parameters={"ridge": 0.1, "names": ["a"], "steps": 3, "fast": True, "start": None},
        seed=2**63,
        data_hash="blake2b:00",
        created="2026-01-01T00:00:00Z",
    ),
    TrainingRecord(
        value=0.1 + 0.2,
        validation_value=0.25,
        n_ascents=2,
        n_lines=7,
        stopped_by="seconds",
        curve=((0, 0.1), (7, 0.1 + 0.2)),
        bag_values=(0.5,),
    ),
)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20))
def test_weights_come_back_bit_by_bit(weights: list[float]) -> None:
    model = LinearModel(np.array(weights), tuple(map(str, range(len(weights)))))
    back = LinearModel.from_json(model.to_json())
    assert back.weights.tobytes() == model.weights.tobytes()


@given(st.lists(st.text(st.characters(codec="utf-8")), unique=True, max_size=5))
def test_names_come_back(names: list[str]) -> None:
    assert LinearModel.from_json(LinearModel(np.ones(len(names)), tuple(names)).to_json()).feature_names == tuple(names)


def test_everything_comes_back_from_a_file(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "model.json")
    back = LinearModel.load(tmp_path / "model.json")
    assert back.weights.tolist() == MODEL.weights.tolist()
    assert back.feature_names == MODEL.feature_names
    assert back.normalization == MinMax()
    assert back.metric == "nDCG@10"
    assert back.provenance == MODEL.provenance
    assert back.training == MODEL.training
    document = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    assert document["schema"] == "rankmax/linear-model/1"
    assert document["provenance"]["rankmax_version"] == __version__


def test_files_without_a_training_record_are_read() -> None:
    document = json.loads(MODEL.to_json())
    del document["training"]
    assert LinearModel.from_json(json.dumps(document).encode()).training is None
    assert b"training" not in replace(MODEL, training=None).to_json()


def test_scores_find_features_by_name_and_normalize() -> None:
    X = np.array([[9.0, 1.0, 4.0], [9.0, 3.0, 8.0], [9.0, 2.0, 0.0]])
    data = RankingDataset.from_arrays(X, [0, 0, 0], qid=[1, 1, 1], feature_names=["other", "größe", "bm25"])
    np.testing.assert_allclose(MODEL.scores(data), [1.5 * 0.5, 1.5 - 0.25, -0.125])
    plain = LinearModel(np.array([2.0]), ("bm25",))
    assert plain.scores(data).tolist() == [8.0, 16.0, 0.0]
    sparse = RankingDataset.from_arrays(csc_array(X), [0] * 3, qid=[1] * 3, feature_names=["other", "größe", "bm25"])
    assert plain.scores(sparse).tolist() == [8.0, 16.0, 0.0]
    assert LinearModel(np.zeros(1), ("absent",), ZScore()).scores(data).tolist() == [0.0, 0.0, 0.0]


def test_missing_features_are_named() -> None:
    data = RankingDataset.from_arrays([[1.0]], [0], qid=[1], feature_names=["bm25"])
    with pytest.raises(InvalidDataError, match="lacks 1 of 2 features: größe; it has bm25"):
        MODEL.scores(data)


@pytest.mark.parametrize(
    ("weights", "names", "message"),
    [
        ([1.0], ("a", "b"), r"shape \(1,\) for 2 feature names"),
        ([[1.0]], ("a",), r"shape \(1, 1\)"),
        ([1.0, np.nan], ("a", "b"), "weight of 'b' is nan"),
        ([np.inf], ("a",), "weight of 'a' is inf"),
        ([1.0, 2.0], ("a", "a"), "a feature name occurs twice"),
    ],
)
def test_impossible_models_are_refused(weights: Any, names: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        LinearModel(np.array(weights), names)


def test_weights_cannot_be_changed() -> None:
    given = np.array([1.0])
    model = LinearModel(given, ("a",))
    given[0] = 5.0
    assert model.weights.tolist() == [1.0]
    with pytest.raises(ValueError, match="read-only"):
        model.weights[0] = 2.0


def changed(**changes: Any) -> bytes:
    return json.dumps({**json.loads(MODEL.to_json()), **changes}).encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a rankmax model: "),
        (b"\xff\xfe", "not a rankmax model: "),
        (b"0 1:0.5 qid:3", "not a rankmax model: "),
        (b"[1, 2]", "Expected `object`, got `array`"),
        (b"{}", "missing required field `schema`"),
        (b"[" * 100_000, "not a rankmax model: "),
        (b'{"x":' * 100_000, "not a rankmax model: "),
        (changed(schema="rankmax/tree/1"), "schema is 'rankmax/tree/1', expected 'rankmax/linear-model/1'"),
        (changed(schema="rankmax/linear-model/²"), "expected 'rankmax/linear-model/1'"),
        (changed(schema="rankmax/linear-model/2"), "of another version .* upgrade rankmax"),
        (changed(extra=1), "unknown field `extra`"),
        (changed(metric=3), r"Expected `str \| null`, got `int` - at `\$.metric`"),
        (changed(features=[{"name": "a", "weight": None}]), "Expected `float`, got `null`"),
        (changed(features=[{"name": "a", "weight": "1"}]), "Expected `float`, got `str`"),
        (changed(features=[{"name": "a", "weight": float("nan")}]), "not a rankmax model: "),
        (changed(features=[{"name": "a", "weight": 1}] * 2), "a feature name occurs twice"),
        (changed(features=[]).replace(b"[]", b'[{"name": "a", "weight": 1e999}]'), "not a rankmax model: "),
        (changed(normalization={"name": "sigmoid"}), "unknown normalization 'sigmoid'"),
        (changed(normalization={"name": "min-max", "low": 1}), "no parameter 'low'"),
        (changed(provenance={"rankmax_version": "0.1.0", "secret": 1}), "unknown field `secret`"),
    ],
)
def test_files_that_are_no_model_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(DataFormatError, match=message) as raised:
        LinearModel.load(path)
    assert raised.value.path == str(path)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_mutated_files_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(MODEL.to_json())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "model.json"
    path.write_bytes(content[: data.draw(st.integers(len(content) - 20, len(content)))])
    with suppress(DataFormatError):
        LinearModel.load(path)


def test_reading_a_model_is_light(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "model.json")
    code = f"""
import sys
from rankmax.models import LinearModel
LinearModel.load({str(tmp_path / "model.json")!r})
print(sorted({{"numba", "scipy", "pandas", "pyarrow"}} & set(sys.modules)))
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
