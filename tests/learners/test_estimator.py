"""Learners among scikit-learn's tools: cloning, routing of query ids, grids and pipelines."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from rankmax.data.synthetic import planted_linear
from rankmax.errors import DividedQueriesWarning, NotFittedError, UnknownNameError
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.learners.pointwise.least_squares import LeastSquaresRanker
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture(scope="module")
def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    data = planted_linear(24, 8, 3, noise=0.5, seed=4).data
    return np.array(data.features), data.grades, np.array(data.judgments.query_of_document)


@pytest.mark.usefixtures("routing")
def test_query_ids_reach_every_fold_of_a_grid_search(arrays: tuple[np.ndarray, ...]) -> None:
    X, y, qid = arrays
    grid = {"space": ["euclidean", "simplex"], "n_restarts": [1, 2]}
    search = GridSearchCV(LinearRanker("AP"), grid, cv=GroupKFold(3)).fit(X, y, qid=qid, groups=qid)
    assert search.best_params_["space"] == "euclidean"
    fold = next(GroupKFold(3).split(X, y, groups=qid))
    alone = LinearRanker("AP", n_restarts=1).fit(X[fold[0]], y[fold[0]], qid=qid[fold[0]])
    expected = alone.score(X[fold[1]], y[fold[1]], qid=qid[fold[1]])
    assert search.cv_results_["split0_test_score"][0] == pytest.approx(expected)


@pytest.mark.usefixtures("routing")
def test_in_a_pipeline(arrays: tuple[np.ndarray, ...]) -> None:
    X, y, qid = arrays
    units = X * [1.0, 1e3, 1e-3]
    pipeline = make_pipeline(StandardScaler(), LinearRanker("AP", n_restarts=1)).fit(units, y, qid=qid)
    alone = LinearRanker("AP", n_restarts=1).fit(StandardScaler().fit_transform(units), y, qid=qid)
    assert pipeline.score(units, y, qid=qid) == alone.value_
    scores = cross_val_score(pipeline, units, y, cv=GroupKFold(3), params={"qid": qid, "groups": qid})
    assert (scores > 0.5).all()


@pytest.mark.usefixtures("routing")
def test_requests_can_be_changed_and_survive_cloning(arrays: tuple[np.ndarray, ...]) -> None:
    X, y, qid = arrays
    ranker = LinearRanker("AP", n_restarts=1).set_fit_request(qid="topic").set_score_request(qid="topic")
    pipeline = clone(make_pipeline(StandardScaler(), ranker.set_predict_request(qid=False)))
    assert pipeline.fit(X, y, topic=qid).score(X, y, topic=qid) > 0.5
    with pytest.raises(TypeError):
        pipeline.fit(X, y, qid=qid)
    with pytest.raises(UnknownNameError, match=r"argument of LeastSquaresRanker.fit 'query_weights'"):
        LeastSquaresRanker().set_fit_request(query_weights=True)


@pytest.mark.usefixtures("routing")
def test_weights_by_query_id_hold_in_every_fold(arrays: tuple[np.ndarray, ...]) -> None:
    X, y, qid = arrays
    weights = {int(query): 1.0 + query for query in np.unique(qid)}
    params = {"qid": qid, "groups": qid, "query_weights": weights}
    assert len(cross_val_score(LinearRanker("AP", n_restarts=1), X, y, cv=GroupKFold(3), params=params)) == 3


def test_score_is_the_mean_metric_in_any_order_of_rows(arrays: tuple[np.ndarray, ...]) -> None:
    X, y, qid = arrays
    ranker = LinearRanker("nDCG@3", n_restarts=1).fit(X, y, qid=qid)
    data = planted_linear(24, 8, 3, noise=0.5, seed=4).data
    values = evaluate_metrics([parse_metric("nDCG@3")], ranker.predict(X), data.judgments)[0]
    assert ranker.score(X, y, qid=qid) == pytest.approx(np.nanmean(values)) == pytest.approx(ranker.value_)
    order = np.random.default_rng(1).permutation(len(X))
    assert ranker.score(X[order], y[order], qid=qid[order]) == pytest.approx(ranker.value_)


def test_what_fitting_sets(arrays: tuple[np.ndarray, ...]) -> None:
    import pandas as pd

    X, y, qid = arrays
    ranker = LinearRanker("AP", n_restarts=1)
    for name in ("coef_", "n_features_in_", "feature_names_in_"):
        assert not hasattr(ranker, name)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        check_is_fitted(ranker)
    with pytest.raises(NotFittedError, match="LinearRanker has learned nothing yet"):
        ranker.score(X, y, qid=qid)
    ranker.fit(pd.DataFrame(X, columns=["bm25", "age", "clicks"]), y, qid=qid)
    check_is_fitted(ranker)
    assert (ranker.n_features_in_, ranker.feature_names_in_.tolist()) == (3, ["bm25", "age", "clicks"])


def test_clones_are_equal_and_unfitted(arrays: tuple[np.ndarray, ...]) -> None:
    X, y, qid = arrays
    ranker = LinearRanker("AP", n_restarts=2, n_bags=3, seed=3).fit(X, y, qid=qid)
    twin = clone(ranker)
    assert twin.get_params() == ranker.get_params()
    assert not hasattr(twin, "model_")


def test_rankmax_needs_no_scikit_learn() -> None:
    code = """
import sys
import warnings
sys.modules["sklearn"] = None
from rankmax import LinearRanker
ranker = LinearRanker("AP", n_restarts=1).fit([[1.0], [2.0]], [0, 1], qid=[1, 1])
print(ranker.get_params()["metric"], ranker.score([[1.0], [2.0]], [0, 1], qid=[1, 1]))
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["AP", "1.0"]


def test_a_split_of_rows_instead_of_queries_is_warned_of(routing: None, arrays: Any) -> None:
    X, y, qid = arrays
    with pytest.warns(DividedQueriesWarning, match="GroupKFold"):
        cross_val_score(LeastSquaresRanker(), X, y, cv=KFold(3, shuffle=True, random_state=0), params={"qid": qid})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_val_score(LeastSquaresRanker(), X, y, cv=GroupKFold(3), params={"qid": qid, "groups": qid})
        ranker = LeastSquaresRanker().fit(X, y, qid=qid)
        ranker.score(X, y, qid=qid)
        ranker.score(X[qid < 5], y[qid < 5], qid=qid[qid < 5])
