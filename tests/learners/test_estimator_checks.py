"""scikit-learn's own checks of estimators, over every learner, as far as they apply to rankers.

The checks know no queries, so each learner is wrapped: ten rows in a row are a query.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

import rankmax
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError

LEARNERS: dict[str, dict[str, Any]] = {
    "LinearRanker": {"n_restarts": 1},
    "StructuralSVM": {},
    "SurrogateRanker": {},
    "RankingSVM": {},
    "ClassificationSVM": {},
    "MaximumEntropyRanker": {},
    "LeastSquaresRanker": {},
    "PlugInRanker": {"classifier": LogisticRegression()},
}

NOT_APPLICABLE = {
    "check_dtype_object": "a feature that is no number raises InvalidDataError, which is a ValueError, not a TypeError",
}
TWO_GRADES = "documents of two grades in a query are needed to learn a ranking, and the check's data has none"
RELEVANCE = "relevant documents and nonrelevant ones are both needed; the check's lowest grade is above 0"
OF_SOME = {
    "check_positive_only_tag_during_fit": ("LinearRanker RankingSVM StructuralSVM SurrogateRanker", TWO_GRADES),
    "check_fit2d_1sample": (
        "LinearRanker RankingSVM ClassificationSVM MaximumEntropyRanker StructuralSVM SurrogateRanker PlugInRanker",
        "one document cannot be ranked: " + TWO_GRADES,
    ),
    "check_estimators_dtypes": ("ClassificationSVM MaximumEntropyRanker StructuralSVM", RELEVANCE),
    "check_fit2d_1feature": ("ClassificationSVM MaximumEntropyRanker StructuralSVM", RELEVANCE),
}


def _queries(X: Any) -> np.ndarray:
    return np.arange(X.shape[0] if hasattr(X, "shape") else len(X)) // 10


def _with_queries(name: str) -> type:
    learner = getattr(rankmax, name)

    def fit(self: Any, X: Any, y: Any) -> Any:
        return learner.fit(self, X, y, qid=_queries(X))

    members: dict[str, Any] = {"fit": fit, "__init__": learner.__init__, "__module__": __name__}
    if hasattr(learner, "score"):
        members["score"] = lambda self, X, y: learner.score(self, X, y, qid=_queries(X))
    return type(f"Grouped{name}", (learner,), members)


for _name in LEARNERS:
    globals()[f"Grouped{_name}"] = _with_queries(_name)  # in the module, so that pickle finds them


@pytest.mark.parametrize("name", LEARNERS)
def test_every_check_passes_that_applies(name: str) -> None:
    learner = globals()[f"Grouped{name}"](**LEARNERS[name])
    expected = {*NOT_APPLICABLE, *(check for check, (names, _) in OF_SOME.items() if name in names.split())}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(learner, on_fail=None, on_skip=None)
    failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert {check: error for check, error in failed.items() if check not in expected} == {}
    assert expected - set(failed) == set(), "these pass; take them off the list"
    assert sum(result["status"] == "passed" for result in results) >= 30


@pytest.mark.parametrize("name", [name for name in LEARNERS if name not in ("LeastSquaresRanker", "PlugInRanker")])
def test_validation_queries_are_a_data_set_or_arrays(name: str) -> None:
    train, held = (planted_linear(12, 8, 3, noise=0.4, seed=seed).data for seed in (1, 2))
    learner = getattr(rankmax, name)(**LEARNERS[name])
    arrays = [(np.array(data.features), data.grades, data.judgments.query_of_document) for data in (train, held)]
    (X, y, qid), validation = arrays
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_arrays = clone(learner).fit(X, y, qid=qid, validation=validation)
        by_data = clone(learner).fit(X, y, qid=qid, validation=held)
        directly = clone(learner).fit_dataset(train, validation=held)
    np.testing.assert_array_equal(by_arrays.predict(X, qid=qid), by_data.predict(X, qid=qid))
    np.testing.assert_array_equal(by_arrays.predict(X, qid=qid), directly.predict(X, qid=qid))
    with pytest.raises(InvalidDataError, match="expected a RankingDataset or a tuple"):
        clone(learner).fit(X, y, qid=qid, validation=X)
