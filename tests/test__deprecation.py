"""Names of version 0.1 keep working, and say the new name."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankmax
from rankmax import LinearModel, LinearRanker
from rankmax.models import load_model
from rankmax.preprocessing.feature_normalization import MinMax


def test_old_parameters_of_learners() -> None:
    with pytest.warns(DeprecationWarning, match="the parameter normalisation is now normalization"):
        learner = LinearRanker("AP", normalisation="min-max")
    assert learner.normalization == "min-max"
    with pytest.warns(DeprecationWarning, match="the parameter engine is now backend"):
        assert LinearRanker("AP", engine="local").backend == "local"
    with pytest.raises(TypeError, match="colour"):
        LinearRanker("AP", colour="red")


def test_old_function_name() -> None:
    with pytest.warns(DeprecationWarning, match="rankmax.parse is now rankmax.parse_metric"):
        assert rankmax.parse("AP") == rankmax.parse_metric("AP")


def test_models_with_the_old_key(tmp_path: Path) -> None:
    model = LinearModel([1.0, 2.0], ("a", "b"), MinMax())
    content = model.to_json()
    assert content.count(b'"normalization"') == 1
    (tmp_path / "old.json").write_bytes(content.replace(b"normalization", b"normalisation"))
    assert load_model(tmp_path / "old.json").to_json() == content
