"""The contract of learners lets a good one pass and catches bad ones."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.errors import RankmaxError
from rankmax.learners.declared_options import Option
from rankmax.learners.pointwise.least_squares import LeastSquaresRanker
from rankmax.testing.learners import LearnerContract


class TestGoodLearner(LearnerContract):
    learners = (LeastSquaresRanker(),)


class Backwards(LeastSquaresRanker):
    def predict(self, X: Any, *, qid: Any = None) -> F64:
        return -super().predict(X, qid=qid)


class Forgetful(LeastSquaresRanker):
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"ridge": float(f"{self.ridge + 0.5}"), "normalization": self.normalization}


class Careless(LeastSquaresRanker):
    def set_params(self, **parameters: Any) -> Self:
        return self


class Random(LeastSquaresRanker):
    def fit_dataset(self, data: RankingDataset) -> Self:
        self.noise = np.random.default_rng().standard_normal() * 1e-3
        return super().fit_dataset(data)

    def predict(self, X: Any, *, qid: Any = None) -> F64:
        return super().predict(X, qid=qid) + self.noise


class Positional(LeastSquaresRanker):
    def predict(self, X: Any, *, qid: Any = None) -> F64:
        scores = super().predict(X, qid=qid)
        return scores + 1e-9 * np.arange(scores.size)


class Destructive(LeastSquaresRanker):
    def fit(self, X: Any, y: Any, *, qid: Any) -> Self:
        super().fit(X, y, qid=qid)
        if X.flags.writeable:
            X[0, 0] += 1
        return self


class Gullible(LeastSquaresRanker):
    def fit(self, X: Any, y: Any, *, qid: Any) -> Self:
        try:
            return super().fit(X, y, qid=qid)
        except RankmaxError:
            return self

    def predict(self, X: Any, *, qid: Any = None) -> F64:
        return super().predict(X, qid=qid) if hasattr(self, "model_") else np.zeros(len(X))


class Undecided(Gullible):
    options = (Option("normalization", str, default="none", choices=("none", "z-score")),)


class Surprising(LeastSquaresRanker):
    def __init__(self, ridge: float = 1.0, normalization: str = "none") -> None:
        super().__init__(ridge, normalization)


class Silent(LeastSquaresRanker):
    def predict(self, X: Any, *, qid: Any = None) -> F64:
        return np.zeros(len(X))


class NameReader(LeastSquaresRanker):
    def predict(self, X: Any, *, qid: Any = None) -> F64:
        return super().predict(X, qid=qid) * len(str(np.asarray(qid)[0]))


class OrderReader(LeastSquaresRanker):
    def fit(self, X: Any, y: Any, *, qid: Any) -> Self:
        self.first = float(np.asarray(X)[0, 0])
        return super().fit(X, y, qid=qid)

    def predict(self, X: Any, *, qid: Any = None) -> F64:
        return super().predict(X, qid=qid) * (10 + self.first)


class Overflowing(LeastSquaresRanker):
    def predict(self, X: Any, *, qid: Any = None) -> F64:
        scores = super().predict(X, qid=qid)
        return np.where(np.shape(X)[1] > 5, np.inf, scores)


@pytest.mark.parametrize(
    ("learner", "test"),
    [
        (Backwards(), "test_learns_a_planted_problem"),
        (Backwards(), "test_model_scores_as_the_learner_and_survives_json"),
        (Forgetful(), "test_parameters_come_back"),
        (Careless(), "test_unknown_parameter_is_refused"),
        (Surprising(), "test_options_are_parameters_with_the_same_defaults"),
        (Undecided(), "test_values_that_an_option_does_not_allow_are_refused"),
        (Gullible(), "test_predicting_before_fitting_is_refused"),
        (Gullible(), "test_bad_data_is_refused"),
        (Destructive(), "test_fit_returns_the_learner_and_leaves_parameters_and_data_alone"),
        (Random(), "test_fitting_twice_gives_the_same_bits"),
        (Positional(), "test_scores_follow_the_rows"),
        (Silent(), "test_ranking_by_ties_alone_is_never_silent"),
        (NameReader(), "test_names_of_queries_do_not_matter"),
        (OrderReader(), "test_order_of_queries_hardly_matters"),
        (Overflowing(), "test_difficult_data_gives_finite_scores"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_bad_learners_are_caught(learner: Any, test: str) -> None:
    contract = LearnerContract()
    contract.learners = [learner]
    with pytest.raises(AssertionError):
        getattr(contract, test)()


def test_every_test_of_the_contract_has_caught_something() -> None:
    promised = {name for name in dir(LearnerContract) if name.startswith("test_")}
    marks = test_bad_learners_are_caught.pytestmark  # type: ignore[attr-defined]
    assert {test for _, test in marks[0].args[1]} == promised
