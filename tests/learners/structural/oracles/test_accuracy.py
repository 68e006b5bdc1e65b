"""Accuracy: a classification SVM, as scikit-learn's liblinear finds it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from rankmax.data.judgments import Judgments
from rankmax.data.synthetic import planted_linear
from rankmax.learners.structural.oracles.accuracy import AccuracyOracle
from rankmax.learners.structural.structural_svm import StructuralSVM
from rankmax.metrics import AP


def test_slack_is_the_mean_hinge_loss_of_documents() -> None:
    rng = np.random.default_rng(2)
    relevant = rng.integers(0, 2, 40)
    scores = 2 * rng.normal(size=40)
    judgments = Judgments.from_grades(relevant, [0, 10, 40])
    found = AccuracyOracle(AP(), judgments).most_violated(scores)
    hinge = np.maximum(0.0, 1 - (2 * relevant - 1) * scores)
    assert found.slacks(scores, judgments.query_offsets) == pytest.approx([hinge[:10].mean(), hinge[10:].mean()])


@pytest.mark.parametrize("C", [0.1, 5.0])
def test_learns_what_liblinear_learns(C: float) -> None:
    data = planted_linear(12, 15, 4, noise=0.5, seed=3).data
    ours = StructuralSVM("accuracy", C=C, tolerance=1e-8).fit_dataset(data)
    theirs = LinearSVC(C=C / data.n_documents, loss="hinge", tol=1e-9, max_iter=1_000_000)
    theirs.fit(data.features, data.grades >= 1)
    np.testing.assert_allclose(ours.coef_, theirs.coef_[0], atol=2e-3 * np.abs(theirs.coef_).max())
    assert ours.intercept_ == pytest.approx(theirs.intercept_[0], abs=2e-3)
