"""Structural SVMs as learners: the contract, what they report, what they refuse, and the published row."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_array
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold

from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import letor_folds
from rankmax.data.synthetic import planted_linear
from rankmax.errors import (
    ConvergenceWarning,
    IncompatibleError,
    InvalidDataError,
    InvalidParameterError,
    UnknownNameError,
)
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.formats.letor import read_letor
from rankmax.learners.structural.solution import Solution
from rankmax.learners.structural.structural_svm import StructuralSVM
from rankmax.metrics import AP, nDCG
from rankmax.models import LinearModel
from rankmax.testing.learners import LearnerContract

NOISY = planted_linear(15, 10, 6, noise=0.7, seed=2).data


class TestContract(LearnerContract):
    learners = (
        StructuralSVM(),
        StructuralSVM("ROC", C=10.0, normalization="min-max"),
        StructuralSVM("accuracy"),
        StructuralSVM("RR", C=1000.0),
        StructuralSVM("nDCG"),
    )
    agreement = 0.8
    closeness = 0.05  # other rounding leads to another point within the tolerance


def test_reports_how_near_the_optimum_is() -> None:
    svm = StructuralSVM("AP", C=10.0, tolerance=1e-3).fit_dataset(NOISY)
    found = svm.solution_
    assert found.stopped_by == "converged"
    assert 0 <= found.gap <= 10.0 * 1e-3
    np.testing.assert_allclose(svm.coef_, found.weights, rtol=0, atol=1e-11)
    assert svm.value_ == evaluate_scores(svm.model_.scores(NOISY), NOISY, ["AP"]).means[0]
    assert 1 - svm.value_ <= found.slack  # Proposition 1
    record = LinearModel.from_json(svm.model_.to_json()).training
    assert record is not None
    assert record.margin is not None
    assert (record.margin.objective, record.margin.gap) == (found.objective, found.gap)
    assert (record.margin.loss, record.margin.C, record.margin.n_skipped_queries) == ("AP", 10.0, 0)
    assert (record.margin.n_iterations, record.margin.n_constraints) == (found.n_iterations, found.n_constraints)


def test_queries_of_one_kind_of_documents_are_skipped_and_counted() -> None:
    grades = NOISY.grades.copy()
    grades[:10], grades[20:30] = 0, 2
    X, qid = NOISY.features, NOISY.judgments.query_of_document
    svm = StructuralSVM("AP").fit(X, grades, qid=qid)
    assert svm.skipped_queries_ == ("0", "2")
    assert svm.model_.training is not None
    assert svm.model_.training.margin is not None
    assert svm.model_.training.margin.n_skipped_queries == 2
    telling = (qid != 0) & (qid != 2)
    without = StructuralSVM("AP").fit(X[telling], grades[telling], qid=qid[telling])
    np.testing.assert_array_equal(svm.coef_, without.coef_)


def test_formulations_agree() -> None:
    one, many = (
        StructuralSVM("AP", C=5.0, tolerance=1e-5, formulation=formulation).fit_dataset(NOISY)  # type: ignore[arg-type]
        for formulation in ("one-slack", "n-slack")
    )
    assert one.solution_.objective == pytest.approx(many.solution_.objective, abs=one.solution_.gap + 5e-5)


def test_a_search_that_ends_early_says_so() -> None:
    svm = StructuralSVM("AP", C=1e4, tolerance=1e-8, max_iterations=3)
    with pytest.warns(ConvergenceWarning, match=r"after 3 iterations.*above the optimum.*raise max_iterations"):
        svm.fit_dataset(NOISY)
    assert svm.solution_.stopped_by == "iterations"
    assert svm.model_.training is not None
    assert svm.model_.training.stopped_by == "iterations"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        StructuralSVM("AP").fit_dataset(NOISY)


def test_validation_queries_choose_c() -> None:
    validation = planted_linear(15, 10, 6, noise=0.7, seed=9).data
    svm = StructuralSVM("AP", C=[10.0, 0.01, 1000.0]).fit_dataset(NOISY, validation=validation)
    assert [candidate.C for candidate in svm.path_] == [0.01, 10.0, 1000.0]
    assert svm.validation_value_ == max(candidate.validation_value for candidate in svm.path_)
    assert svm.validation_value_ == evaluate_scores(svm.model_.scores(validation), validation, ["AP"]).means[0]
    alone = StructuralSVM("AP", C=svm.C_).fit_dataset(NOISY, validation=validation)
    assert [candidate.C for candidate in alone.path_] == [svm.C_]
    assert StructuralSVM("AP", C=svm.C_).fit_dataset(NOISY).path_ == []
    assert alone.solution_.objective == pytest.approx(
        svm.solution_.objective, abs=alone.solution_.gap + svm.solution_.gap
    )


def test_another_metric_than_the_loss_may_choose_c() -> None:
    validation = planted_linear(15, 10, 6, noise=0.7, seed=9).data
    svm = StructuralSVM("ROC", metric="P@1").fit_dataset(NOISY, validation=validation)
    assert svm.validation_value_ == evaluate_scores(svm.model_.scores(validation), validation, ["P@1"]).means[0]
    assert svm.value_ == evaluate_scores(svm.model_.scores(NOISY), NOISY, ["P@1"]).means[0]
    assert (svm.model_.metric, svm.model_.training.margin.loss) == ("P@1", "ROC")  # type: ignore[union-attr]
    alone = StructuralSVM("ROC", C=svm.C_).fit_dataset(NOISY)
    assert alone.model_.metric == "ROC"
    assert alone.solution_.objective == pytest.approx(svm.solution_.objective, abs=2 * svm.C_ * svm.tolerance)


def test_relevant_from_holds_for_the_metric_too() -> None:
    assert StructuralSVM("AP", relevant_from=2, metric="RR")._metric().name == "RR(rel=2)"


def test_c_is_chosen_from_a_wide_grid_unless_given() -> None:
    assert len(StructuralSVM().fit_dataset(NOISY, validation=NOISY).path_) == 8
    assert StructuralSVM().fit_dataset(NOISY).C_ == 100.0


def test_larger_c_fits_closer_and_weighs_more() -> None:
    fits = [StructuralSVM("AP", C=C).fit_dataset(NOISY).solution_ for C in (0.1, 10.0, 1000.0)]
    slacks, sizes = [fit.slack for fit in fits], [float(np.linalg.norm(fit.weights)) for fit in fits]
    assert slacks == sorted(slacks, reverse=True)
    assert sizes == sorted(sizes)


def test_an_interrupt_keeps_the_best_so_far() -> None:
    def interrupt(best: Solution) -> None:
        if best.n_iterations == 3:
            raise KeyboardInterrupt

    svm = StructuralSVM("AP").fit_dataset(NOISY, callback=interrupt)
    assert svm.model_.training is not None
    assert svm.model_.training.stopped_by == "interrupted"


def test_accuracy_has_a_threshold_that_is_no_weight() -> None:
    svm = StructuralSVM("accuracy", C=1000.0).fit_dataset(NOISY)
    assert svm.coef_.shape == (6,)
    assert svm.intercept_ != 0
    assert svm.model_.metric is None
    right = (svm.predict(NOISY.features) + svm.intercept_ > 0) == (NOISY.grades >= 1)
    assert right.mean() > 0.75
    assert StructuralSVM("AP").fit_dataset(NOISY).intercept_ == 0


def test_score_is_the_metric_of_the_loss() -> None:
    X, y, qid = NOISY.features, NOISY.grades, NOISY.judgments.query_of_document
    for loss, metric in (("nDCG@3", "nDCG@3"), ("accuracy", "AP"), (AP(rel=2), "AP(rel=2)")):
        svm = StructuralSVM(loss).fit_dataset(NOISY)  # type: ignore[arg-type]
        assert svm.score(X, y, qid=qid) == evaluate_scores(svm.model_.scores(NOISY), NOISY, [metric]).means[0]


def test_scikit_learn_can_clone_it_and_search_for_c() -> None:
    svm = StructuralSVM(nDCG() @ 3, C=2.0)
    assert clone(svm).get_params() == svm.get_params()
    X, y, qid = NOISY.features, NOISY.grades, NOISY.judgments.query_of_document
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(StructuralSVM(), {"C": [0.1, 10.0]}, cv=GroupKFold(3)).fit(X, y, qid=qid, groups=qid)
    assert search.best_params_["C"] in {0.1, 10.0}


def test_sparse_features_learn_the_same() -> None:
    sparse = RankingDataset(csc_array(NOISY.features), NOISY.feature_names, NOISY.judgments)
    dense_svm, sparse_svm = (StructuralSVM("AP", tolerance=1e-7).fit_dataset(data) for data in (NOISY, sparse))
    assert sparse_svm.solution_.objective == pytest.approx(dense_svm.solution_.objective, rel=1e-6)


def test_more_features_than_constraints() -> None:
    rng = np.random.default_rng(3)
    data = RankingDataset.from_arrays(rng.normal(size=(60, 500)), np.arange(60) % 3 == 0, qid=np.arange(60) // 10)
    svm = StructuralSVM("AP", C=1.0).fit_dataset(data)
    assert svm.solution_.stopped_by == "converged"
    assert svm.value_ == 1.0


@pytest.mark.parametrize("scale", [1e-9, 1e-150])
def test_tiny_features_still_rank(scale: float) -> None:
    X, y, qid = scale * NOISY.features, NOISY.grades, NOISY.judgments.query_of_document
    svm = StructuralSVM("AP").fit(X, y, qid=qid)  # so little slack can be gained that the objective stays the same
    assert svm.value_ == evaluate_scores(svm.model_.scores(svm._dataset(X, y, qid)), NOISY, ["AP"]).means[0]
    assert svm.value_ > evaluate_scores(np.zeros(NOISY.n_documents), NOISY, ["AP"]).means[0] + 0.1


def test_doubled_documents_and_one_query() -> None:
    X, y = np.repeat(NOISY.features[:10], 2, axis=0), np.repeat(NOISY.grades[:10], 2)
    svm = StructuralSVM("AP").fit(X, y, qid=np.zeros(20))
    assert svm.solution_.stopped_by == "converged"
    scores = svm.predict(X)
    np.testing.assert_array_equal(scores[::2], scores[1::2])


def test_constant_features_get_no_weight() -> None:
    X = np.column_stack([NOISY.features, np.full(NOISY.n_documents, 0.1), NOISY.judgments.query_of_document])
    svm = StructuralSVM("AP").fit(X, NOISY.grades, qid=NOISY.judgments.query_of_document)
    assert svm.coef_[6:].tolist() == [0.0, 0.0]
    with pytest.raises(InvalidDataError, match="no feature varies within any query"):
        StructuralSVM("AP").fit(X[:, 6:], NOISY.grades, qid=NOISY.judgments.query_of_document)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tolerance": 0}, "tolerance=0 must be a positive number"),
        ({"max_iterations": 0}, "max_iterations=0 must be a positive whole number"),
    ],
)
def test_parameters_out_of_range_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        StructuralSVM(**parameters).fit_dataset(NOISY)


def test_mistakes_are_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown formulation 'two-slack'"):
        StructuralSVM(formulation="two-slack").fit_dataset(NOISY)  # type: ignore[arg-type]
    with pytest.raises(IncompatibleError, match="ERR is no loss of a structural SVM"):
        StructuralSVM("ERR").fit_dataset(NOISY)
    X = [[1.0], [2.0], [3.0]]
    with pytest.raises(InvalidDataError, match="no query has both documents that AP counts as relevant and others"):
        StructuralSVM("AP").fit(X, [0, 0, 0], qid=[1, 1, 1])
    with pytest.raises(InvalidDataError, match="give relevant_from"):
        StructuralSVM("AP").fit(X, [0, 0.5, 1], qid=[1, 1, 1])
    assert StructuralSVM("AP", relevant_from=0.5).fit(X, [0, 0.5, 1], qid=[1, 1, 1]).value_ == 1.0


def test_reaches_the_published_row_on_ohsumed(shared_data: Path) -> None:
    """LETOR 3.0's released SVMMAP: MAP 0.4453 and NDCG@10 0.4319, means of five folds, C by the validation queries."""
    parts = [read_letor(shared_data / "letor" / "OHSUMED" / f"S{i}.txt.gz") for i in range(1, 6)]
    by_fold = []
    for fold in letor_folds(parts):
        svm = StructuralSVM("AP").fit_dataset(fold.train, validation=fold.validation)
        by_fold.append(evaluate_scores(svm.model_.scores(fold.test), fold.test, ["LetorAP", "LetorNDCG@10"]).means)
    assert (np.mean(by_fold, axis=0) >= np.array([0.4453, 0.4319]) - 0.003).all()
