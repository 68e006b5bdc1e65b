"""Models of expected gain: probabilities by definition, JSON that keeps every bit, files that are read or refused."""

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
from scipy.special import softmax

from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.models import LinearModel, Provenance, TrainingRecord
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.preprocessing.feature_normalization import MinMax

MODEL = ExpectedGainModel(
    np.array([0.0, 1.0, 3.5]),
    np.array([0.0, 1.0, 7.0]),
    np.array([[0.1 + 0.2, 0.0, -2.0], [1e-300, 0.0, 3.0], [-7.0, 0.0, 1 / 3]]),
    np.array([0.5, -0.5, 2**0.5]),
    ("bm25", "unused", "größe"),
    MinMax(),
    "nDCG@10",
    Provenance(learner="Someone's", parameters={"ridge": 0.1}, seed=3),
    TrainingRecord(value=0.5, validation_value=0.25),
)
PLAIN = replace(MODEL, normalization=LinearModel(np.zeros(0), ()).normalization)
X = np.array([[9.0, 1.0, 4.0], [9.0, 3.0, 8.0], [9.0, 2.0, 0.0]])
DATA = RankingDataset.from_arrays(X, [0, 0, 0], qid=[1, 1, 1], feature_names=["other", "größe", "bm25"])


def test_probabilities_are_a_softmax_and_scores_their_mean_gain() -> None:
    logits = X[:, [2, 1]] @ PLAIN.weights[:, [0, 2]].T + PLAIN.intercepts
    np.testing.assert_allclose(PLAIN.probabilities(DATA), softmax(logits, axis=1), rtol=1e-12)
    np.testing.assert_allclose(PLAIN.scores(DATA), softmax(logits, axis=1) @ [0.0, 1.0, 7.0], rtol=1e-12)


def test_features_are_normalized_within_queries() -> None:
    normalized = RankingDataset.from_arrays(
        [[0.5, 0.0], [1.0, 1.0], [0.0, 0.5]], [0, 0, 0], qid=[1, 1, 1], feature_names=["bm25", "größe"]
    )
    np.testing.assert_allclose(MODEL.scores(DATA), PLAIN.scores(normalized), rtol=1e-12)


def test_a_common_vector_changes_nothing() -> None:
    moved = replace(PLAIN, weights=PLAIN.weights + np.array([5.0, 0.0, -3.0]), intercepts=PLAIN.intercepts + 7)
    np.testing.assert_allclose(moved.probabilities(DATA), PLAIN.probabilities(DATA), rtol=1e-9)


def test_probabilities_can_be_features() -> None:
    features = MODEL.grade_features(DATA)
    assert features.feature_names == ("P(grade=0)", "P(grade=1)", "P(grade=3.5)")
    np.testing.assert_allclose(features.scores(MODEL.gains), MODEL.scores(DATA), rtol=1e-12)
    assert features.query_ids == DATA.query_ids


def test_huge_weights_make_sure_probabilities() -> None:
    model = replace(PLAIN, weights=PLAIN.weights * 1e200)
    assert set(model.probabilities(DATA).ravel().tolist()) == {0.0, 1.0}


def test_missing_features_are_named() -> None:
    with pytest.raises(InvalidDataError, match="lacks 1 of 2 features: größe; it has bm25"):
        MODEL.scores(RankingDataset.from_arrays([[1.0]], [0], qid=[1], feature_names=["bm25"]))


def test_json_keeps_every_bit(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "model.json")
    back = ExpectedGainModel.load(tmp_path / "model.json")
    for name in ("grades", "gains", "weights", "intercepts"):
        assert getattr(back, name).tolist() == getattr(MODEL, name).tolist()
    assert (back.feature_names, back.normalization, back.metric) == (MODEL.feature_names, MinMax(), "nDCG@10")
    assert (back.provenance, back.training) == (MODEL.provenance, MODEL.training)
    assert back.scores(DATA).tolist() == MODEL.scores(DATA).tolist()
    assert json.loads(MODEL.to_json())["schema"] == "rankmax/expected-gain-model/1"


def test_a_model_without_features_is_kept() -> None:
    model = ExpectedGainModel([0, 1], [0, 1], np.zeros((2, 0)), [0.0, 1.0], ())
    assert ExpectedGainModel.from_json(model.to_json()).weights.shape == (2, 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gains": [0.0, 1.0]}, r"gains have shape \(2,\); expected \(3,\)"),
        ({"weights": np.zeros((3, 2))}, r"weights have shape \(3, 2\); expected \(3, 3\) for 3 grades and 3 features"),
        ({"intercepts": [0.0, np.inf, 0.0]}, "intercepts must be finite"),
        ({"grades": [0.0, 2.0, 1.0]}, "two or more, ascending"),
        ({"feature_names": ("a", "a", "b")}, "a feature name occurs twice"),
    ],
)
def test_impossible_models_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        replace(MODEL, **changes)


def test_one_grade_is_no_model() -> None:
    with pytest.raises(InvalidDataError, match="two or more"):
        ExpectedGainModel([1], [1], [[0.0]], [0.0], ("a",))


def test_arrays_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        MODEL.weights[0, 0] = 2.0


def changed(**changes: Any) -> bytes:
    return json.dumps({**json.loads(MODEL.to_json()), **changes}).encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a rankmax model: "),
        (b"\xff\xfe", "not a rankmax model: "),
        (b"[" * 100_000, "not a rankmax model: "),
        (b"{}", "missing required field `schema`"),
        (LinearModel([1.0], ("a",)).to_json(), "schema is 'rankmax/linear-model/1', expected 'rankmax/expected-gain"),
        (changed(schema="rankmax/expected-gain-model/2"), "of another version .* upgrade rankmax"),
        (changed(extra=1), "unknown field `extra`"),
        (changed(features=[{"name": "a", "weights": [1.0]}]), "a feature does not have 3 weights"),
        (changed(levels=[]), "a feature does not have 0 weights"),
        (changed(levels=[], features=[]), "two or more, ascending"),
        (changed(levels=[{"grade": 1, "gain": None, "intercept": 0}]), "Expected `float`, got `null`"),
        (changed(normalization={"name": "sigmoid"}), "unknown normalization 'sigmoid'"),
    ],
)
def test_files_that_are_no_model_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(DataFormatError, match=message) as raised:
        ExpectedGainModel.load(path)
    assert raised.value.path == str(path)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_mutated_files_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(MODEL.to_json())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(DataFormatError):
        ExpectedGainModel.from_json(bytes(content[: data.draw(st.integers(len(content) - 20, len(content)))]))


def test_reading_and_scoring_is_light(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "model.json")
    code = f"""
import sys
from rankmax.models.model_files import load_model
load_model({str(tmp_path / "model.json")!r})
print(sorted({{"numba", "scipy", "pandas", "pyarrow"}} & set(sys.modules)))
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
