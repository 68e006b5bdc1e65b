"""SVM-map over an objective: against the structural SVM on standardized data, repeated queries, and other units."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries
from rankmax.data.synthetic import planted_linear
from rankmax.learners.direct.margin_fit import fit_margins_over
from rankmax.learners.structural.structural_svm import StructuralSVM
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, nDCG

DATA = planted_linear(20, 8, 3, noise=0.7, seed=3).data
X, GRADES, QID = np.asarray(DATA.features), DATA.grades, DATA.judgments.query_of_document


def scaled(weights: np.ndarray | None) -> np.ndarray:
    assert weights is not None
    found: np.ndarray = weights / np.linalg.norm(weights)
    return found


@pytest.mark.parametrize("metric", [AP(), AP(rel=2), nDCG() @ 3], ids=str)
def test_is_the_structural_svm_of_standardized_features(metric: AP | nDCG) -> None:
    spread = spread_within_queries(DATA)
    learner = StructuralSVM("AP", C=10.0, tolerance=1e-3, relevant_from=metric.rel if isinstance(metric, AP) else None)
    expected = learner.fit_dataset(RankingDataset.from_arrays(X / spread, GRADES, qid=QID)).coef_ / spread
    found = fit_margins_over(LinearObjective(DATA, metric))
    np.testing.assert_allclose(scaled(found), scaled(expected), rtol=1e-5)


def test_a_weight_repeats_a_query() -> None:
    counts = np.arange(20) % 3
    rows = np.concatenate([np.flatnonzero(q == QID) for q in np.repeat(np.arange(20), counts)])
    repeated = RankingDataset.from_arrays(X[rows], GRADES[rows], qid=np.repeat(np.arange(counts.sum()), 8))
    scale = spread_within_queries(DATA) / spread_within_queries(repeated)  # the weights do not change the units
    rescaled = RankingDataset.from_arrays(X[rows] * scale, GRADES[rows], qid=np.repeat(np.arange(counts.sum()), 8))
    found = fit_margins_over(LinearObjective(DATA, AP(), query_weights=counts.astype(np.float64)))
    expected = fit_margins_over(LinearObjective(rescaled, AP()))
    assert expected is not None
    np.testing.assert_allclose(scaled(found), scaled(expected * scale), atol=0.03)  # both stop within a tolerance


def test_units_of_features_do_not_matter() -> None:
    powers = np.array([8.0, 0.25, 64.0])
    found = fit_margins_over(LinearObjective(RankingDataset.from_arrays(X * powers, GRADES, qid=QID), AP()))
    assert found is not None
    np.testing.assert_array_equal(found * powers, fit_margins_over(LinearObjective(DATA, AP())))


def test_there_is_none_without_relevant_and_other_documents() -> None:
    graded = RankingDataset.from_arrays(X, GRADES + 1, qid=QID)
    assert fit_margins_over(LinearObjective(graded, nDCG())) is None


def test_an_interrupt_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rankmax.learners.structural.one_slack.WorkingSet.add", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fit_margins_over(LinearObjective(DATA, AP()))
