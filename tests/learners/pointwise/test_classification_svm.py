"""Classification SVMs against libsvm, which solves the same problem another way."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_array
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from rankmax.data.splits import letor_folds
from rankmax.data.synthetic import planted_linear
from rankmax.errors import (
    ConvergenceWarning,
    IncompatibleError,
    InvalidDataError,
    InvalidParameterError,
    MissingDependencyError,
)
from rankmax.formats.letor import read_letor
from rankmax.learners.pointwise import classification_svm as classification
from rankmax.learners.pointwise.classification_svm import ClassificationSVM
from rankmax.preprocessing.binning import Binning
from rankmax.preprocessing.feature_normalization import Percentile
from rankmax.testing.learners import LearnerContract


class TestContract(LearnerContract):
    learners = (
        ClassificationSVM(C=1.0, tolerance=1e-6),
        ClassificationSVM(C=10.0, balance="costs", standardize=False, tolerance=1e-6),
        ClassificationSVM(C=1.0, normalization="percentile", tolerance=1e-6),
    )
    agreement = 0.85
    closeness = 1e-2  # liblinear stops where it is


class TestUndersampledContract(LearnerContract):
    learners = (ClassificationSVM(C=1.0, balance="undersample"),)
    agreement = 0.85
    closeness = 0.5  # other documents are drawn where rows come in another order


def problem(seed: int, n: int = 150) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 100.0, 0.01] + [0.0, 500.0, 3.0]
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, (standard @ [1.0, -0.5, 0.7] + rng.normal(size=n) > 1).astype(float), rng.integers(0, 5, n)


@pytest.mark.parametrize("balance", ["none", "costs"])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_equals_libsvm_but_for_the_penalty_on_the_intercept(balance: str, C: float) -> None:
    X, y, qid = problem(1)
    scaler = StandardScaler().fit(X)
    svm = SVC(C=C / len(y), kernel="linear", class_weight="balanced" if balance == "costs" else None, tol=1e-8)
    svm.fit(scaler.transform(X), y)
    learner = ClassificationSVM(C=C, balance=balance, tolerance=1e-6, max_iterations=100_000)  # type: ignore[arg-type]
    learner.fit(X, y, qid=qid)
    assert learner.stopped_by_ == "converged"
    np.testing.assert_allclose(learner.coef_ * scaler.scale_, svm.coef_[0], rtol=0.02, atol=0.01)
    distances = svm.decision_function(scaler.transform(X))
    assert np.abs(learner.predict(X) + learner.intercept_ - distances).max() < 0.03 * np.ptp(distances)


def test_as_they_are_features_keep_their_units() -> None:
    X, y, qid = problem(2)
    svm = SVC(C=1 / len(y), kernel="linear", tol=1e-8).fit(X, y)
    learner = ClassificationSVM(C=1.0, standardize=False, tolerance=1e-6, max_iterations=1_000_000).fit(X, y, qid=qid)
    np.testing.assert_allclose(learner.coef_, svm.coef_[0], rtol=0.05, atol=1e-4)


def test_sparse_is_nearly_dense() -> None:
    X, y, qid = problem(3)
    X = np.where(np.abs(X - X.mean(axis=0)) > X.std(axis=0), X - X.mean(axis=0), 0.0)
    dense, sparse = (
        ClassificationSVM(tolerance=1e-6, max_iterations=100_000).fit(form, y, qid=qid).coef_
        for form in (X, csc_array(X))
    )
    np.testing.assert_allclose(
        sparse, dense, rtol=0.03
    )  # only dense features are centered, so b is penalized otherwise


def test_percentiles_are_taken_within_queries() -> None:
    data = planted_linear(8, 20, 3, noise=0.1, seed=1).data
    within = ClassificationSVM(C=1.0, normalization="percentile").fit_dataset(data)
    np.testing.assert_array_equal(within.coef_, ClassificationSVM(C=1.0).fit_dataset(Percentile().apply(data)).coef_)


def test_too_few_iterations_are_reported() -> None:
    X, y, qid = problem(4)
    with pytest.warns(ConvergenceWarning, match="did not converge for C=10000"):
        learner = ClassificationSVM(C=1e4, max_iterations=2).fit(X, y, qid=qid)
    assert learner.stopped_by_ == "iterations"


@pytest.mark.filterwarnings("ignore::rankmax.errors.ConvergenceWarning")
def test_threads_do_not_draw_from_each_others_seeds() -> None:
    """Liblinear has one random generator in a process, and scikit-learn lets go of the interpreter while it draws."""
    data = planted_linear(20, 20, 100, noise=0.5, seed=1).data

    def weights(_: int) -> np.ndarray:
        return ClassificationSVM(C=100.0, max_iterations=50).fit_dataset(data).model_.weights

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(weights, range(8)))
    for other in found:
        np.testing.assert_array_equal(other, weights(0))


def test_queries_of_one_kind_are_skipped_only_where_balancing_leaves_them_out() -> None:
    X, y, qid = problem(5)
    y[qid == 2] = 0.0
    assert ClassificationSVM(C=1.0, balance="undersample").fit(X, y, qid=qid).skipped_queries_ == ("2",)
    assert ClassificationSVM(C=1.0).fit(X, y, qid=qid).skipped_queries_ == ()


def test_mistakes_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, qid = problem(6)
    with pytest.raises(InvalidDataError, match="all 1 features are constant"):
        ClassificationSVM().fit(np.ones((len(y), 1)), y, qid=qid)
    with pytest.raises(InvalidParameterError, match="max_iterations is 0"):
        ClassificationSVM(max_iterations=0).fit(X, y, qid=qid)
    with pytest.raises(InvalidDataError, match="set relevant_from"):
        ClassificationSVM(relevant_from=3).fit(X, y, qid=qid)
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with pytest.raises(MissingDependencyError, match=r"a classification SVM needs.*pip install 'rankmax\[svm\]'"):
        ClassificationSVM().fit(X, y, qid=qid)


def test_more_entries_than_liblinear_counts_are_refused() -> None:
    with pytest.raises(IncompatibleError, match="at most 2147483647 entries of sparse features, not 2147483648"):
        classification._for_liblinear(SimpleNamespace(nnz=2**31))


def test_costs_help_on_ohsumed(shared_data: Path) -> None:
    """As in Yue et al.'s tables, SVM-acc2 ranks no worse than SVM-acc; both far above chance (MAP 0.29)."""
    parts = [read_letor(shared_data / "letor" / "OHSUMED" / f"S{i}.txt.gz") for i in range(1, 6)]
    fold = next(iter(letor_folds(parts)))
    plain, costs = (
        ClassificationSVM(C=[0.1, 1.0, 10.0], balance=balance).fit_dataset(fold.train, validation=fold.validation)
        for balance in ("none", "costs")
    )
    assert costs.validation_value_ is not None
    assert plain.validation_value_ is not None
    assert costs.validation_value_ > plain.validation_value_ - 0.01 > 0.35


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("balance", ["none", "costs"])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_descent_on_codes_finds_what_liblinear_finds(standardize: bool, balance: Any, C: float) -> None:
    data = planted_linear(10, 25, 3, noise=1.0, seed=2).data
    binned = Binning.fit(data, n_thresholds=6).apply(data)
    shuffled = binned.select_features(list(reversed(binned.feature_names))[:-2])  # any columns, in any order
    for one in (binned, shuffled):
        settings = {"C": C, "balance": balance, "standardize": standardize, "tolerance": 1e-7, "max_iterations": 10**6}
        ours = ClassificationSVM(**settings).fit_dataset(one)
        theirs = ClassificationSVM(**settings).fit_dataset(replace(one, features=one.features.tocsc()))
        assert ours.stopped_by_ == theirs.stopped_by_ == "converged"
        np.testing.assert_allclose(ours.model_.weights, theirs.model_.weights, atol=1e-4 * np.abs(ours.coef_).max())
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-3)


def test_descent_on_codes_ends_after_its_passes() -> None:
    data = planted_linear(10, 25, 3, noise=1.0, seed=2).data
    binned = Binning.fit(data, n_thresholds=6).apply(data)
    stopped = ClassificationSVM(C=1e4, max_iterations=3).fit_dataset(binned)
    assert stopped.stopped_by_ == "iterations"
    again = ClassificationSVM(C=1e4, max_iterations=3).fit_dataset(binned)
    assert np.array_equal(stopped.coef_, again.coef_)
    other = ClassificationSVM(C=1e4, max_iterations=3, seed=1).fit_dataset(binned)
    assert not np.array_equal(stopped.coef_, other.coef_)
