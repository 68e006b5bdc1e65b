from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankmax.engines.pyterrier
from rankmax.engines.pyterrier import pyterrier_transformer
from rankmax.errors import InvalidDataError, MissingDependencyError
from rankmax.models import AdditiveModel, LinearModel
from rankmax.models.curve import Curve
from rankmax.preprocessing.feature_normalization import MinMax
from rankmax.preprocessing.run_normalization import ReciprocalRank

MODEL = LinearModel([1.0, 0.0, 10.0], ("bm25", "unused", "e5"), MinMax())


@pytest.fixture
def pt() -> Any:
    return pytest.importorskip("pyterrier")


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "qid": ["q1", "q2", "q1", "q2"],
            "query": ["one", "two", "one", "two"],
            "docno": ["d1", "d1", "d2", "d3"],
            "score": [9.0, 8.0, 7.0, 6.0],
            "rank": [0, 0, 1, 1],
            "bm25": [1.0, 5.0, 3.0, 9.0],
            "e5": [0.5, 0.9, 0.2, 0.1],
        }
    )


def ranked(results: pd.DataFrame) -> dict[tuple[str, str], tuple[float, int]]:
    return {(row.qid, row.docno): (row.score, row.rank) for row in results.itertuples()}


EXPECTED = {("q1", "d1"): (10.0, 0), ("q1", "d2"): (1.0, 1), ("q2", "d1"): (10.0, 0), ("q2", "d3"): (1.0, 1)}


def test_features_by_place_in_a_pipeline(pt: Any, frame: pd.DataFrame) -> None:
    rows = np.column_stack([frame["bm25"], np.zeros(4), frame["e5"]])
    source = pt.Transformer.from_df(frame.drop(columns=["bm25", "e5"]).assign(features=list(rows)), uniform=True)
    rerank = pyterrier_transformer(MODEL)
    assert isinstance(rerank, pt.Transformer)
    assert ranked((source >> rerank)(frame[["qid", "query"]])) == EXPECTED


def test_features_by_name(pt: Any, frame: pd.DataFrame) -> None:
    before = frame.copy()
    assert ranked(pyterrier_transformer(MODEL)(frame)) == EXPECTED
    pd.testing.assert_frame_equal(frame, before)


def test_documents_that_a_system_lacks(pt: Any, frame: pd.DataFrame) -> None:
    model = LinearModel([1.0, 1.0], ("bm25", "e5"), ReciprocalRank(k=0))
    by_name = frame.assign(bm25=[np.nan, 5.0, 0.0, np.nan], e5=[0.0, 0.9, np.nan, 0.1])
    scores = {key: score for key, (score, _) in ranked(pyterrier_transformer(model)(by_name)).items()}
    assert scores == {("q1", "d1"): 1.0, ("q1", "d2"): 1.0, ("q2", "d1"): 2.0, ("q2", "d3"): 0.5}
    rows = np.column_stack([[0.0, 5.0, 3.0, 0.0], [0.2, 0.9, 0.0, 0.1]])  # as the operator ** fills them
    by_place = frame.drop(columns=["bm25", "e5"]).assign(features=list(rows))
    assert ranked(pyterrier_transformer(model)(by_place)) == ranked(pyterrier_transformer(model)(by_name))


def test_binned_features_by_the_name_of_what_is_binned(pt: Any, frame: pd.DataFrame) -> None:
    results = pyterrier_transformer(LinearModel([1.0], ("bm25>4",)))(frame)
    assert {key: score for key, (score, _) in ranked(results).items()} == {
        ("q1", "d1"): 0.0,
        ("q1", "d2"): 0.0,
        ("q2", "d1"): 1.0,
        ("q2", "d3"): 1.0,
    }


def test_no_results(pt: Any, frame: pd.DataFrame) -> None:
    assert len(pyterrier_transformer(MODEL)(frame[:0])) == 0
    assert "rank" in pt.inspect.transformer_outputs(pyterrier_transformer(MODEL), list(frame.columns))


def test_a_frame_that_lacks_features_is_refused(pt: Any, frame: pd.DataFrame) -> None:
    with pytest.raises(pt.validate.InputValidationError, match="e5"):
        pyterrier_transformer(MODEL)(frame.drop(columns="e5"))
    ragged = frame.assign(features=[np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(2)])
    with pytest.raises(InvalidDataError, match="different numbers of features"):
        pyterrier_transformer(MODEL)(ragged)


def test_without_pyterrier(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "pyterrier":
            raise ImportError(name)
        return imported(name, *rest)

    rankmax.engines.pyterrier._transformer_class.cache_clear()
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingDependencyError, match=r"pip install 'rankmax\[pyterrier\]'"):
        pyterrier_transformer(MODEL)


def test_curves_by_name(pt: Any, frame: pd.DataFrame) -> None:
    model = AdditiveModel([Curve([0.0, 10.0], [0.0, 1.0]), Curve([], [0.0], "constant")], ("bm25", "unused"))
    assert ranked(pyterrier_transformer(model)(frame))["q2", "d3"] == (0.9, 0)
