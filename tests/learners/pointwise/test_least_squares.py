"""Least squares against numpy's and scikit-learn's, and against LETOR's published row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array, random_array
from sklearn.base import clone
from sklearn.linear_model import Ridge

from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import letor_folds
from rankmax.data.synthetic import mslr_like
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError
from rankmax.formats.letor import read_letor
from rankmax.learners.pointwise import least_squares
from rankmax.learners.pointwise.least_squares import LeastSquaresRanker
from rankmax.metrics.registry import parse_metric
from rankmax.preprocessing.feature_normalization import MinMax
from rankmax.testing.learners import LearnerContract


class TestContract(LearnerContract):
    learners = (
        LeastSquaresRanker(),
        LeastSquaresRanker(ridge=0.5),
        LeastSquaresRanker(normalization="min-max"),
        LeastSquaresRanker(ridge=1e-3, normalization=MinMax()),
    )
    agreement = 0.85


def problem(seed: int, n: int = 60, p: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(rng.normal(size=p) * 10, rng.lognormal(size=p), (n, p)), rng.integers(0, 5, n)


@given(st.integers(0, 1000))
def test_equals_numpy_lstsq_with_an_intercept(seed: int) -> None:
    X, y = problem(seed)
    expected = np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y, rcond=None)[0][:-1]
    np.testing.assert_allclose(LeastSquaresRanker().fit(X, y, qid=y).coef_, expected, rtol=1e-8, atol=1e-12)


@given(st.integers(0, 1000), st.floats(1e-6, 1e3))
def test_equals_sklearn_ridge(seed: int, ridge: float) -> None:
    X, y = problem(seed)
    expected = Ridge(alpha=ridge, solver="svd").fit(X, y).coef_
    np.testing.assert_allclose(LeastSquaresRanker(ridge).fit(X, y, qid=y).coef_, expected, rtol=1e-7, atol=1e-12)


def test_blocks_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    data = mslr_like(20, seed=2)
    X = np.column_stack([data.features, np.ones(data.n_documents)]).astype(np.float64)
    fitted = X @ np.linalg.lstsq(X, data.grades, rcond=None)[0]
    for block in (100, 1 << 20):
        monkeypatch.setattr(least_squares, "_BLOCK", block)
        scores = LeastSquaresRanker().fit_dataset(data).model_.scores(data)
        np.testing.assert_allclose(scores - scores.mean(), fitted - fitted.mean(), atol=1e-8)


def test_dependent_features_share_the_weight() -> None:
    X, y = problem(3)
    alone = LeastSquaresRanker().fit(X, y, qid=y).coef_
    doubled = LeastSquaresRanker().fit(np.column_stack([X, X]), y, qid=y).coef_
    np.testing.assert_allclose(doubled, np.tile(alone / 2, 2), rtol=1e-8)


def test_large_offsets_cost_no_precision() -> None:
    X, y = problem(4)
    shifted = LeastSquaresRanker().fit(np.round(X, 3) + 2.0**20, y, qid=y).coef_
    np.testing.assert_allclose(shifted, LeastSquaresRanker().fit(np.round(X, 3), y, qid=y).coef_, rtol=1e-6)


def test_unjudged_documents_are_left_out() -> None:
    X, y = problem(5)
    grades = np.where(np.arange(len(y)) % 3 == 0, np.nan, y)
    judged = ~np.isnan(grades)
    expected = LeastSquaresRanker().fit(X[judged], y[judged], qid=y[judged]).coef_
    np.testing.assert_allclose(LeastSquaresRanker().fit(X, grades, qid=y).coef_, expected, rtol=1e-12)


def test_sparse_equals_dense() -> None:
    X = random_array((80, 12), density=0.3, rng=np.random.default_rng(6), format="csc")
    y = np.arange(80) % 3
    dense = LeastSquaresRanker(ridge=0.1).fit(X.toarray(), y, qid=y).coef_
    np.testing.assert_allclose(LeastSquaresRanker(ridge=0.1).fit(X, y, qid=y).coef_, dense, rtol=1e-12)


def test_scikit_learn_can_clone_it() -> None:
    learner = LeastSquaresRanker(ridge=2.0, normalization="sum")
    assert clone(learner).get_params() == {"ridge": 2.0, "normalization": "sum"}
    assert repr(learner) == "LeastSquaresRanker(ridge=2.0, normalization='sum')"


def test_data_frames_are_matched_by_name() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = problem(7, p=2)
    frame = pandas.DataFrame(X, columns=["bm25", "clicks"])
    learner = LeastSquaresRanker().fit(frame, y, qid=y)
    np.testing.assert_array_equal(learner.predict(frame[["clicks", "bm25"]]), learner.predict(X))
    with pytest.raises(InvalidDataError, match=r"lacks 1 of 2 features: clicks; it has bm25"):
        learner.predict(frame[["bm25"]])


def test_provenance_says_how_it_was_made() -> None:
    X, y = problem(8)
    provenance = LeastSquaresRanker(normalization=MinMax()).fit(X, y, qid=y).model_.provenance
    assert provenance.learner == "LeastSquaresRanker"
    assert provenance.parameters == {"ridge": 0.0, "normalization": "min-max"}
    assert provenance.data_hash is not None


def test_mistakes_are_named() -> None:
    X, y = problem(9)
    with pytest.raises(InvalidParameterError, match="ridge is -1"):
        LeastSquaresRanker(ridge=-1).fit(X, y, qid=y)
    with pytest.raises(InvalidDataError, match="no document is judged"):
        LeastSquaresRanker().fit(X, np.full(len(y), np.nan), qid=y)
    with pytest.raises(IncompatibleError, match="give qid"):
        LeastSquaresRanker(normalization="z-score").fit(X, y, qid=y).predict(X)
    with pytest.raises(InvalidDataError, match="X has 4 features, but LinearModel is expecting 5"):
        LeastSquaresRanker().fit(X, y, qid=y).predict(X[:, 1:])
    wide = RankingDataset.from_arrays(csc_array((2, 10_001)), [0, 1], qid=[1, 1])
    with pytest.raises(IncompatibleError, match="10001 features"):
        LeastSquaresRanker().fit_dataset(wide)


def test_reproduces_the_published_regression_row_on_ohsumed(shared_data: Path) -> None:
    """LETOR 3.0's released results, mean of five folds; all five figures come out to their four digits."""
    published = {
        "LetorNDCG@1": 0.4456,
        "LetorNDCG@3": 0.4426,
        "LetorNDCG@5": 0.4278,
        "LetorNDCG@10": 0.4110,
        "LetorAP": 0.4220,
    }
    metrics = [parse_metric(name) for name in published]
    parts = [read_letor(shared_data / "letor" / "OHSUMED" / f"S{i}.txt.gz") for i in range(1, 6)]
    by_fold = []
    for fold in letor_folds(parts):
        scores = LeastSquaresRanker().fit_dataset(fold.train).model_.scores(fold.test)
        by_fold.append([metric.per_query(scores, fold.test.judgments).mean() for metric in metrics])
    assert np.mean(by_fold, axis=0).round(4).tolist() == list(published.values())
