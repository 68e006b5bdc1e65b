"""The ranking SVM against a classification of all difference vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array
from sklearn.svm import LinearSVC

from oracles.pairs import preferences
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries
from rankmax.data.judgments import Judgments
from rankmax.data.synthetic import planted_linear
from rankmax.errors import ConvergenceWarning, InvalidDataError
from rankmax.learners.pairwise.ranking_svm import RankingSVM, pairs_by_query
from rankmax.testing.learners import LearnerContract


class TestContract(LearnerContract):
    learners = (RankingSVM(C=1.0, tolerance=1e-7), RankingSVM(C=100.0, normalization="min-max", tolerance=1e-7))
    closeness = 1e-4


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)) * [1.0, 100.0, 1e-2]
    qid = rng.integers(0, 5, 60)
    return X + qid[:, None], rng.integers(0, 3, 60).astype(float), qid


@settings(max_examples=15)
@given(st.integers(0, 1000), st.floats(0.1, 100))
def test_equals_liblinear_on_all_differences(seed: int, C: float) -> None:
    X, grades, qid = problem(seed)
    grades[::7] = np.nan
    data = RankingDataset.from_arrays(X, grades, qid=qid)
    spread = spread_within_queries(data)
    better, worse = map(list, zip(*preferences(grades, qid), strict=True))
    differences = (X[better] - X[worse]) / spread
    signs = np.resize([1.0, -1.0], len(better))  # both classes, or liblinear refuses; the loss is symmetric
    svm = LinearSVC(
        C=C / len(better), loss="squared_hinge", dual=False, fit_intercept=False, tol=1e-10, max_iter=10_000
    )
    expected = svm.fit(differences * signs[:, None], signs).coef_[0]
    learner = RankingSVM(C=C, tolerance=1e-7).fit_dataset(data)
    assert learner.stopped_by_ == "converged"
    np.testing.assert_allclose(learner.coef_ * spread, expected, rtol=1e-3, atol=1e-5)


def test_sparse_equals_dense() -> None:
    X, grades, qid = problem(3)
    X = np.where(np.abs(X) > 1, X, 0.0)
    dense, sparse = (RankingSVM(tolerance=1e-7).fit(form, grades, qid=qid).coef_ for form in (X, csc_array(X)))
    np.testing.assert_allclose(sparse, dense, rtol=1e-4)


def test_queries_without_pairs_are_counted() -> None:
    X, grades, qid = problem(4)
    grades[qid == 1] = 2.0
    grades[qid == 2] = np.nan
    learner = RankingSVM().fit(X, grades, qid=qid)
    assert set(learner.skipped_queries_) == {"1", "2"}
    kept = np.isin(qid, [0, 3, 4])
    scale = spread_within_queries(RankingDataset.from_arrays(X, grades, qid=qid))
    alone_scale = spread_within_queries(RankingDataset.from_arrays(X[kept], grades[kept], qid=qid[kept]))
    assert (scale != alone_scale).all()  # so only nearly the same weights
    alone = RankingSVM().fit(X[kept], grades[kept], qid=qid[kept])
    assert np.corrcoef(alone.coef_ * scale, learner.coef_ * scale)[0, 1] > 0.9


def test_a_constant_within_each_query_gets_no_weight() -> None:
    X, grades, qid = problem(5)
    learner = RankingSVM().fit(np.column_stack([X, qid]), grades, qid=qid)
    assert learner.coef_[-1] == 0.0
    np.testing.assert_allclose(learner.coef_[:-1], RankingSVM().fit(X, grades, qid=qid).coef_, rtol=1e-4)


def test_validation_queries_choose_c() -> None:
    data = planted_linear(20, 10, 3, noise=0.5, seed=2).data
    learner = RankingSVM(C=[0.01, 1.0, 100.0]).fit_dataset(
        data.select(range(10)), validation=data.select(range(10, 20))
    )
    assert max(learner.validation_values_.values()) == learner.validation_values_[learner.C_]
    direct = RankingSVM(C=learner.C_).fit_dataset(data.select(range(10)))
    np.testing.assert_allclose(direct.coef_, learner.coef_, rtol=1e-3, atol=1e-4)  # whatever it started from


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, np.nan]), min_size=1, max_size=8))
def test_number_of_pairs(grades: list[float]) -> None:
    found = pairs_by_query(Judgments.from_grades(grades, [0, len(grades)]))
    assert found.tolist() == [len(preferences(np.array(grades), np.zeros(len(grades))))]


def test_mistakes_are_named() -> None:
    X, grades, qid = problem(6)
    with pytest.raises(InvalidDataError, match="no query has judged documents of different grades"):
        RankingSVM().fit(X, qid, qid=qid)
    with pytest.raises(InvalidDataError, match="all 1 features are constant"):
        RankingSVM().fit(qid[:, None], grades, qid=qid)
    with pytest.warns(ConvergenceWarning, match="RankingSVM did not converge for C=100"):
        assert RankingSVM(max_iterations=1).fit(X, grades, qid=qid).stopped_by_ == "iterations"
