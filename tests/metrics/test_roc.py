"""ROC area against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from rankmax.data.judgments import Judgments
from rankmax.metrics import ROC


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 3, size=40)
    scores = rng.permutation(40).astype(np.float64)
    value = ROC(rel=2).per_query(scores, Judgments.from_grades(grades, [0, 40]))
    assert value == pytest.approx(roc_auc_score(grades >= 2, scores), abs=1e-12)


def test_only_candidates_count():
    judgments = Judgments.from_grades([0, 0, 1, 1], [0, 2, 4], unretrieved_grades=[1, 0], unretrieved_offsets=[0, 1, 2])
    assert ROC(no_relevant="one").per_query(np.zeros(4), judgments).tolist() == [1.0, 1.0]
    assert ROC().per_query(np.zeros(4), judgments).tolist() == [0.0, 1.0]
