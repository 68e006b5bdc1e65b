from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from rankmax.engines.scikit_learn import ScoreTransformer
from rankmax.errors import InvalidDataError, UnknownNameError
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import MinMax
from rankmax.preprocessing.run_normalization import ReciprocalRank

MODEL = LinearModel([1.0, 10.0], ("bm25", "e5"))
X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 1.0]])


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_scores_as_a_column() -> None:
    transformer = ScoreTransformer(MODEL)
    check_is_fitted(transformer)
    np.testing.assert_allclose(transformer.fit(X).transform(X), [[21.0], [43.0], [15.0]])
    assert list(transformer.get_feature_names_out()) == ["score"]


def test_a_model_file_is_read_when_needed(tmp_path: Path) -> None:
    transformer = clone(ScoreTransformer(tmp_path / "model.json"))
    MODEL.save(tmp_path / "model.json")
    np.testing.assert_allclose(transformer.transform(X), [[21.0], [43.0], [15.0]])
    transformer.set_params(model=LinearModel([1.0, 0.0], ("bm25", "e5")))
    np.testing.assert_allclose(transformer.transform(X), [[1.0], [3.0], [5.0]])


def test_in_a_pipeline() -> None:
    pipeline = make_pipeline(StandardScaler(), ScoreTransformer(MODEL))
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(pipeline.fit_transform(X).ravel(), scaled @ [1.0, 10.0])


def test_beside_other_columns_with_their_names() -> None:
    frame = pd.DataFrame({"e5": X[:, 1], "bm25": X[:, 0], "clicks": [7.0, 8.0, 9.0]})
    joined = make_column_transformer(
        (ScoreTransformer(MODEL), ["bm25", "e5"]), ("passthrough", ["clicks"]), verbose_feature_names_out=False
    )
    np.testing.assert_allclose(joined.fit_transform(frame), [[21.0, 7.0], [43.0, 8.0], [15.0, 9.0]])
    assert list(joined.get_feature_names_out()) == ["score", "clicks"]
    shown = joined.set_output(transform="pandas").fit_transform(frame.set_index(pd.Index(["a", "b", "c"])))
    assert shown.to_dict("index")["b"] == {"score": 43.0, "clicks": 8.0}


def test_data_frames_of_scores() -> None:
    transformer = clone(ScoreTransformer(MODEL).set_output(transform="polars"))
    assert transformer.transform(X).to_dict(as_series=False) == {"score": [21.0, 43.0, 15.0]}
    with pytest.raises(UnknownNameError, match="unknown output 'arrow'"):
        transformer.set_output(transform="arrow")


def test_queries_are_routed(routing: None) -> None:
    pipeline = make_pipeline(StandardScaler(), ScoreTransformer(LinearModel([1.0, 0.0], ("bm25", "e5"), MinMax())))
    pipeline.fit(X)
    np.testing.assert_allclose(pipeline.transform(X, qid=[1, 2, 1]).ravel(), [0.0, 0.0, 1.0])


def test_nan_is_what_was_not_retrieved_and_zero_a_score() -> None:
    by_rank = ScoreTransformer(LinearModel([1.0, 1.0], ("bm25", "e5"), ReciprocalRank(k=0)))
    rows = [[3.0, 0.0], [np.nan, 1.0], [0.0, np.nan]]
    expected = [[1 + 1 / 2], [1.0], [1 / 2]]
    np.testing.assert_allclose(by_rank.transform(rows, qid=[1, 1, 1]), expected)
    frame = pd.DataFrame(rows, columns=["bm25", "e5"])[["e5", "bm25"]]
    np.testing.assert_allclose(by_rank.transform(frame, qid=[1, 1, 1]), expected)
    np.testing.assert_allclose(by_rank.transform(pl.DataFrame(frame), qid=[1, 1, 1]), expected)
    np.testing.assert_allclose(ScoreTransformer(MODEL).transform(rows), [[3.0], [10.0], [0.0]])
    with pytest.raises(InvalidDataError, match="features must be numbers"):
        by_rank.transform([["a", "b"]], qid=[1])
