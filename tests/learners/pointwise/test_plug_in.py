"""The plug-in estimator with classifiers of scikit-learn and LightGBM."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.learners.pointwise.plug_in import ClassifierModel, PlugInRanker
from rankmax.metrics import DCG
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.testing.learners import LearnerContract

DATA = planted_linear(20, 12, 3, noise=0.5, seed=1).data


class TestContract(LearnerContract):
    learners = (PlugInRanker(LogisticRegression(tol=1e-8)), PlugInRanker(LogisticRegression(), normalization="min-max"))
    agreement = 0.85
    closeness = 0.01


def test_logistic_regression_becomes_a_model_with_a_file() -> None:
    ranker = PlugInRanker(LogisticRegression()).fit_dataset(DATA)
    assert isinstance(ranker.model_, ExpectedGainModel)
    theirs = LogisticRegression().fit(DATA.features, DATA.grades).predict_proba(DATA.features)
    np.testing.assert_allclose(ranker.model_.probabilities(DATA), theirs, atol=1e-6)
    np.testing.assert_allclose(ranker.model_.scores(DATA), theirs @ [0, 1, 3], atol=1e-5)
    assert ranker.model_.provenance.parameters["classifier"] == "LogisticRegression()"


def test_two_grades() -> None:
    binary = planted_linear(20, 12, 3, noise=0.5, seed=1, n_grades=2).data
    ranker = PlugInRanker(LogisticRegression(), gain="linear").fit_dataset(binary)
    assert isinstance(ranker.model_, ExpectedGainModel)
    theirs = LogisticRegression().fit(binary.features, binary.grades).predict_proba(binary.features)[:, 1]
    np.testing.assert_allclose(ranker.model_.scores(binary), theirs, atol=1e-6)


@pytest.mark.parametrize("classifier", [GaussianNB(), OneVsRestClassifier(LogisticRegression())], ids=str)
def test_other_probabilities_are_asked_of_the_classifier(classifier) -> None:
    ranker = PlugInRanker(classifier, gain=DCG(gain="exp2")).fit_dataset(DATA)
    assert isinstance(ranker.model_, ClassifierModel)
    theirs = clone(classifier).fit(DATA.features, DATA.grades.astype(int)).predict_proba(DATA.features)
    np.testing.assert_allclose(ranker.predict(DATA.features), theirs @ [0, 1, 3], atol=1e-9)
    with pytest.raises(IncompatibleError, match="cannot be written as JSON"):
        ranker.model_.to_json()


def test_lightgbm_ranks() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    classifier = lightgbm.LGBMClassifier(n_estimators=20, num_leaves=4, verbose=-1, n_jobs=1)
    ranker = PlugInRanker(classifier).fit_dataset(DATA)
    qid = DATA.judgments.query_of_document
    assert ranker.score(DATA.features, DATA.grades, qid=qid) > 0.9


@pytest.mark.parametrize("classifier", [LinearSVC(), RidgeClassifier()], ids=str)
def test_without_probabilities_platt_scaling_makes_them(classifier) -> None:
    ranker = PlugInRanker(classifier).fit_dataset(DATA)
    shares = ranker.model_.probabilities(DATA)  # type: ignore[attr-defined]
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    qid = DATA.judgments.query_of_document
    assert ranker.score(DATA.features, DATA.grades, qid=qid) > 0.85
    again = PlugInRanker(classifier).fit_dataset(DATA)
    np.testing.assert_array_equal(again.predict(DATA.features), ranker.predict(DATA.features))


def test_the_given_classifier_is_left_alone() -> None:
    classifier = LogisticRegression()
    PlugInRanker(classifier).fit_dataset(DATA)
    assert not hasattr(classifier, "coef_")


def test_sparse_features_and_documents_that_nobody_judged() -> None:
    X, grades = np.array(DATA.features), DATA.grades.copy()
    grades[::7] = np.nan
    qid = DATA.judgments.query_of_document
    dense, sparse = (PlugInRanker(LogisticRegression(tol=1e-9)).fit(x, grades, qid=qid) for x in (X, csc_array(X)))
    known = ~np.isnan(grades)
    theirs = LogisticRegression(tol=1e-9).fit(X[known], grades[known].astype(int))
    np.testing.assert_allclose(dense.predict(X), theirs.predict_proba(X) @ [0, 1, 3], atol=1e-5)
    np.testing.assert_allclose(sparse.predict(csc_array(X)), dense.predict(X), atol=1e-5)


def test_what_is_no_classifier() -> None:
    with pytest.raises(IncompatibleError, match="it has no method fit"):
        PlugInRanker("logistic").fit_dataset(DATA)
    with pytest.raises(IncompatibleError, match="DummyRegressor has neither predict_proba nor decision_function"):
        PlugInRanker(DummyRegressor()).fit_dataset(DATA)


def test_data_that_cannot_be_learned_from() -> None:
    same = RankingDataset.from_arrays([[1.0], [2.0]], [1, 1], qid=[1, 1])
    with pytest.raises(InvalidDataError, match=r"two grades or more are needed.*all have grade 1"):
        PlugInRanker(LogisticRegression()).fit_dataset(same)
    unjudged = RankingDataset.from_arrays([[1.0], [2.0]], [np.nan, np.nan], qid=[1, 1])
    with pytest.raises(InvalidDataError, match="none is judged"):
        PlugInRanker(LogisticRegression()).fit_dataset(unjudged)
    one_query = RankingDataset.from_arrays([[1.0], [2.0]], [0, 1], qid=[1, 1])
    with pytest.raises(InvalidDataError, match="Platt scaling needs two queries or more"):
        PlugInRanker(LinearSVC()).fit_dataset(one_query)
