"""Model files of LightGBM, XGBoost and CatBoost score as the libraries do, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.tree_models import FILES, NAMES, written
from rankmax.models.tree_ensemble_model import tree_model


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_that_the_library_wrote_down(name: str) -> None:
    found = written(name)
    scores = found.model.scores(found.data)
    if name == "lightgbm-forest.txt":  # a mean: ours is multiplied by 1/n, the library's divided by n
        np.testing.assert_allclose(scores, found.scores, rtol=1e-15)
    else:
        np.testing.assert_array_equal(scores, found.scores)
    assert len(set(scores.tolist())) > 5


def lightgbm_scores(path: Path, X: Any) -> Any:
    lightgbm = pytest.importorskip("lightgbm")
    return lightgbm.Booster(model_file=str(path)).predict(X)


def xgboost_scores(path: Path, X: Any) -> Any:
    xgboost = pytest.importorskip("xgboost")
    return xgboost.Booster(model_file=str(path)).predict(xgboost.DMatrix(X), output_margin=True)


def catboost_scores(path: Path, X: Any) -> Any:
    catboost = pytest.importorskip("catboost")
    model = catboost.CatBoost()
    model.load_model(str(path), format="json")
    return model.predict(X, prediction_type="RawFormulaVal")


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_of_the_library_where_it_is_installed(name: str) -> None:
    library = {"lightgbm": lightgbm_scores, "xgboost": xgboost_scores, "catboost": catboost_scores}
    found = written(name)
    expected = library[name.partition("-")[0].partition(".")[0]](FILES / name, np.asarray(found.data.features))
    np.testing.assert_allclose(found.model.scores(found.data), expected, rtol=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_written_as_it_was_read(name: str) -> None:
    found = written(name)
    again = type(found.model).from_json(found.model.to_json())
    assert again.to_json() == found.model.to_json()
    np.testing.assert_array_equal(again.scores(found.data), found.model.scores(found.data))


def test_names_of_features_are_read_where_a_file_has_them() -> None:
    named = written("lightgbm-named.txt").model
    assert named.columns is None
    assert set(named.feature_names) <= {"bm25", "age", "links", "clicks", "one"}
    numbered = written("lightgbm.txt").model
    assert numbered.n_columns == 5
    assert [f"f{column + 1}" for column in numbered.columns or ()] == list(numbered.feature_names)


def test_windows_line_ends_change_nothing() -> None:
    content = (FILES / "lightgbm.txt").read_bytes()
    read = tree_model(content.replace(b"\n", b"\r\n"), "model.txt")
    assert read.to_json() == tree_model(content, "model.txt").to_json()


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("lightgbm-3.3.txt", "v3"),
        ("lightgbm.txt", "v4"),
        ("xgboost-1.7.json", "1.7.6"),
        ("xgboost-2.1.json", "2.1.4"),
        ("xgboost.json", "3.2.0"),
        ("catboost.json", "1.2.10"),
    ],
)
def test_tested_versions_are_shown_without_a_note(name: str, version: str) -> None:
    facts = written(name).model.size_facts()
    assert (facts["  version"], facts.get("untested")) == (version, None)


def test_another_major_version_is_shown_as_untested() -> None:
    content = (FILES / "xgboost.json").read_bytes().replace(b'"version":[3,2,0]', b'"version":[4,0,0]')
    assert "tested are 1.7, 2.1, 3.2" in tree_model(content, "model.json").size_facts()["untested"]
