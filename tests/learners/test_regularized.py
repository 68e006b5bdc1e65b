"""How C is chosen, with a learner whose weights are C itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.errors import ConvergenceWarning
from rankmax.learners.regularization_constants import C_GRID, DEFAULT_C
from rankmax.learners.regularized import RegularizedLearner, RegularizedProblem, Solution, require_varying
from rankmax.models import LinearModel


class Tilted(RegularizedLearner):
    """Learns w = (1, C), so that C decides the ranking."""

    def __init__(
        self, C: float | Sequence[float] | None = None, metric: str = "RR", normalization: str = "none"
    ) -> None:
        self.C = C
        self.metric = metric
        self.normalization = normalization
        self.path: list[tuple[float, float | None]] = []

    def _problem(self, data: RankingDataset) -> RegularizedProblem:
        path = self.path

        class Problem(RegularizedProblem):
            skipped = np.ones(data.n_queries, np.bool_)

            def solve(self, C: float, near: Solution | None) -> Solution:
                path.append((C, None if near is None else float(near.weights[1])))
                return Solution(np.array([1.0, C]), "converged" if C < 1000 else "iterations", intercept=-C)

        return Problem()

    def get_params(self, deep: bool = True) -> dict[str, object]:
        return {"C": self.C, "metric": self.metric, "normalization": self.normalization}


TRAIN = RankingDataset.from_arrays([[1.0, 0.0], [0.0, 1.0]], [1, 0], qid=[7, 7])
# Right where 0.5 < C < 50.
VALIDATION = RankingDataset.from_arrays(
    [[1.0, 0.0], [0.0, 2.0], [50.0, 0.0], [0.0, 1.0]], [0, 1, 1, 0], qid=[1, 1, 2, 2], feature_names=["f1", "f2"]
)


def test_without_validation_queries_c_is_the_default() -> None:
    learner = Tilted().fit_dataset(TRAIN)
    assert (learner.C_, learner.validation_value_, learner.validation_values_) == (DEFAULT_C, None, {})
    assert learner.path == [(DEFAULT_C, None)]


def test_validation_queries_choose_the_smallest_of_the_best() -> None:
    learner = Tilted().fit_dataset(TRAIN, validation=VALIDATION)
    assert learner.C_ == 1.0
    assert learner.validation_value_ == 1.0
    assert learner.validation_values_ == {C: 1.0 if 0.5 < C < 50 else 0.75 for C in C_GRID}
    assert learner.coef_.tolist() == [1.0, 1.0]


def test_each_c_starts_from_the_last() -> None:
    learner = Tilted(C=[100.0, 0.1, 10]).fit_dataset(TRAIN, validation=VALIDATION)
    assert learner.path == [(0.1, None), (10.0, 0.1), (100.0, 10.0)]
    assert learner.C_ == 10.0


def test_validation_features_are_found_by_name() -> None:
    mirrored = VALIDATION.select_features(["f2", "f1"])
    assert Tilted().fit_dataset(TRAIN, validation=mirrored).validation_value_ == 1.0


def test_the_model_says_how_it_was_made() -> None:
    with pytest.warns(ConvergenceWarning, match="Tilted did not converge for C=5000"):
        learner = Tilted(C=[0.1, 5000.0]).fit_dataset(TRAIN, validation=VALIDATION.select([0]))
    model = LinearModel.from_json(learner.model_.to_json())
    assert model.provenance.parameters == {"C": 5000.0, "metric": "RR", "normalization": "none"}
    assert model.training is not None
    assert (model.training.stopped_by, learner.stopped_by_) == ("iterations", "iterations")
    assert (model.training.value, model.training.validation_value) == (0.5, 1.0)
    assert (learner.intercept_, learner.skipped_queries_) == (-5000.0, ("7",))


def test_score_is_the_mean_metric() -> None:
    learner = Tilted(C=1.0).fit_dataset(TRAIN)
    assert learner.score([[2.0, 0.0], [0.0, 1.0], [0.0, 3.0]], [0, 1, 1], qid=[1, 1, 2]) == 0.75


def test_some_feature_must_vary() -> None:
    require_varying(np.array([0.0, 1e-300]))
