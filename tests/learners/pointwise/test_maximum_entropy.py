"""Maximum entropy against scikit-learn's logistic regression."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import ConvergenceWarning, InvalidDataError, InvalidParameterError
from rankmax.learners.pointwise.maximum_entropy import MaximumEntropyRanker
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import ZScore
from rankmax.testing.learners import LearnerContract


class TestContract(LearnerContract):
    learners = (
        MaximumEntropyRanker(C=1.0, tolerance=1e-7),
        MaximumEntropyRanker(C=100.0, balance="costs", relevant_from=2, tolerance=1e-7),
        MaximumEntropyRanker(normalization="min-max", tolerance=1e-7),
    )
    agreement = 0.85
    closeness = 1e-5


class TestUndersampledContract(LearnerContract):
    learners = (MaximumEntropyRanker(balance="undersample", C=10.0),)
    agreement = 0.85
    closeness = 0.3  # other documents are drawn where rows come in another order


def problem(seed: int, n: int = 120, p: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * [1.0, 100.0, 1e-3, 5.0] + [0.0, 1e3, 0.0, -7.0]
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (standard @ [1.0, -0.5, 0.7, 0.0] + rng.logistic(size=n) > 1).astype(float)
    return X, y, rng.integers(0, 5, n)


@settings(max_examples=15)
@example(1, 0.03125, True)  # the penalty alone curves by 32
@example(0, 0.01, False)
@given(st.integers(0, 1000), st.floats(0.01, 1e3), st.booleans())
def test_equals_logistic_regression_on_standardized_features(seed: int, C: float, balanced: bool) -> None:
    X, y, qid = problem(seed)
    scaler = StandardScaler().fit(X)
    reference = LogisticRegression(
        C=C / len(y),
        class_weight="balanced" if balanced else None,
        tol=1e-10,
        max_iter=10_000,
        solver="newton-cholesky",
    ).fit(scaler.transform(X), y)
    learner = MaximumEntropyRanker(C=C, balance="costs" if balanced else "none", tolerance=1e-7).fit(X, y, qid=qid)
    assert learner.stopped_by_ == "converged"
    np.testing.assert_allclose(learner.coef_ * scaler.scale_, reference.coef_[0], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(
        learner.predict(X) + learner.intercept_, reference.decision_function(scaler.transform(X)), rtol=1e-4, atol=1e-5
    )


def test_without_penalty_it_is_the_likelihood_alone() -> None:
    X, y, qid = problem(3)
    learner = MaximumEntropyRanker(C=math.inf, tolerance=1e-7).fit(X, y, qid=qid)
    probability = 1 / (1 + np.exp(-learner.predict(X) - learner.intercept_))
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    # At the maximum the model's expectation of every feature is the data's: hence the name.
    np.testing.assert_allclose(standard.T @ probability, standard.T @ y, atol=1e-4)
    assert probability.sum() == pytest.approx(y.sum(), abs=1e-4)
    assert learner.model_.provenance.parameters["C"] == "inf"
    assert LinearModel.from_json(learner.model_.to_json()).provenance == learner.model_.provenance


def test_separable_data_end_somewhere() -> None:
    X, y = np.arange(20.0)[:, None], (np.arange(20) >= 10).astype(float)
    learner = MaximumEntropyRanker(C=math.inf).fit(X, y, qid=np.zeros(20))
    assert learner.stopped_by_ == "converged"
    assert learner.value_ == 1.0
    assert np.isfinite(learner.coef_).all()


def test_sparse_equals_dense() -> None:
    X, y, qid = problem(4)
    X = np.where(np.abs(X) > 1, X, 0.0)
    dense = MaximumEntropyRanker(tolerance=1e-7).fit(X, y, qid=qid).coef_
    np.testing.assert_allclose(
        MaximumEntropyRanker(tolerance=1e-7).fit(csc_array(X), y, qid=qid).coef_, dense, rtol=1e-4
    )


def test_unjudged_documents_are_left_out() -> None:
    X, y, qid = problem(5)
    grades = np.where(np.arange(len(y)) % 3 == 0, np.nan, y)
    judged = ~np.isnan(grades)
    expected = MaximumEntropyRanker(tolerance=1e-7).fit(X[judged], y[judged], qid=qid[judged]).coef_
    np.testing.assert_allclose(MaximumEntropyRanker(tolerance=1e-7).fit(X, grades, qid=qid).coef_, expected, rtol=1e-5)


def test_repeated_rows_change_nothing() -> None:
    X, y, qid = problem(6)
    once = MaximumEntropyRanker(tolerance=1e-7).fit(X, y, qid=qid).coef_
    twice = MaximumEntropyRanker(tolerance=1e-7).fit(np.tile(X, (2, 1)), np.tile(y, 2), qid=np.tile(qid, 2)).coef_
    np.testing.assert_allclose(twice, once, rtol=1e-5)


def test_too_few_iterations_are_reported() -> None:
    X, y, qid = problem(7)
    with pytest.warns(ConvergenceWarning, match="did not converge for C=100; raise max_iterations"):
        learner = MaximumEntropyRanker(max_iterations=1).fit(X, y, qid=qid)
    assert learner.stopped_by_ == "iterations"
    assert learner.model_.training is not None
    assert learner.model_.training.stopped_by == "iterations"


def test_gey_standardizes_within_queries() -> None:
    data = planted_linear(10, 20, 3, noise=0.1, seed=1).data
    within = MaximumEntropyRanker(normalization="z-score").fit_dataset(data)
    before = MaximumEntropyRanker().fit_dataset(ZScore().apply(data))
    np.testing.assert_allclose(within.coef_, before.coef_)
    assert within.model_.normalization == ZScore()


def test_the_metric_counts_the_same_grades_as_relevant() -> None:
    data = planted_linear(10, 20, 3, noise=0.5, seed=2).data
    learner = MaximumEntropyRanker(relevant_from=2).fit_dataset(data)
    assert learner.model_.metric == "AP(rel=2)"
    assert learner.value_ != MaximumEntropyRanker(relevant_from=2, metric="nDCG@10").fit_dataset(data).value_


def test_mistakes_are_named() -> None:
    X, y, qid = problem(8)
    with pytest.raises(InvalidDataError, match="all 2 features are constant"):
        MaximumEntropyRanker().fit(np.ones((len(y), 2)), y, qid=qid)
    with pytest.raises(InvalidDataError, match=r"from grade 5 on.*grades go from 0 to 1: set relevant_from"):
        MaximumEntropyRanker(relevant_from=5).fit(X, y, qid=qid)
    with pytest.raises(InvalidParameterError, match="max_iterations=0"):
        MaximumEntropyRanker(max_iterations=0).fit(X, y, qid=qid)
    assert clone(MaximumEntropyRanker(relevant_from=2)).get_params()["relevant_from"] == 2
    one = RankingDataset.from_arrays(X, y, qid=np.zeros(len(y)))
    assert MaximumEntropyRanker().fit_dataset(one).value_ > 0.5
