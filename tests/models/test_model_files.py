"""A file's schema says what kind of model it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.errors import DataFormatError, IncompatibleError
from rankmax.models import LinearModel
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.model_files import load_any_model, load_model, model_from_json
from rankmax.models.varying_model import VaryingModel

LINEAR = LinearModel([1.5], ("bm25",))
EXPECTED_GAIN = ExpectedGainModel([0, 1], [0, 1], [[0.0], [1.0]], [0.0, 0.0], ("bm25",))
VARYING = VaryingModel("kind", None, ("what",), [[1.0]], [2.0], ("bm25",))


@pytest.mark.parametrize("model", [LINEAR, EXPECTED_GAIN], ids=["linear", "expected gain"])
def test_either_kind_is_read(model: LinearModel | ExpectedGainModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert type(loaded) is type(model)
    assert loaded.to_json() == model.to_json()
    assert load_any_model(tmp_path / "model.json").to_json() == model.to_json()


def test_weights_that_depend_on_the_query_are_read_where_they_can_be_used(tmp_path: Path) -> None:
    VARYING.save(tmp_path / "model.json")
    assert isinstance(load_any_model(tmp_path / "model.json"), VaryingModel)
    with pytest.raises(IncompatibleError, match=r"model\.json: the weights depend on 'kind' of the query; .*--topics"):
        load_model(tmp_path / "model.json")


def test_another_kind_is_refused_with_those_known(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(LINEAR.to_json().replace(b"linear-model", b"tree"))
    expected = "'rankmax/linear-model/1' or 'rankmax/expected-gain-model/1' or 'rankmax/varying-model/1'"
    with pytest.raises(DataFormatError, match=f"model.json: schema is 'rankmax/tree/1', expected {expected}"):
        load_model(path)


def test_a_newer_version_says_upgrade() -> None:
    with pytest.raises(DataFormatError, match="upgrade rankmax to use a newer model"):
        model_from_json(EXPECTED_GAIN.to_json().replace(b"model/1", b"model/9"))


def test_no_json() -> None:
    with pytest.raises(DataFormatError, match="<model>: not a rankmax model"):
        model_from_json(b"0 qid:3 1:0.5")
