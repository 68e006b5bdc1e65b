"""One ascent of a training: its starts, its samples of queries, its seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankmax.backends.training_data import LocalData
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError
from rankmax.learners.direct.direct_training import AscentId, Training
from rankmax.learners.query_samples import weights_by_query
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear_fit import fit_linear
from rankmax.metrics import AP, RR
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.optimizer import Budget
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.spaces import Euclidean, Simplex


def training(data: RankingDataset, **changes: Any) -> Training:
    parameters: dict[str, Any] = {
        "normalization": Normalization.named("none"),
        "metric": AP(),
        "space": Euclidean(),
        "optimizer": CoordinateAscent(budget=Budget(lines=8)),
        "query_weights": np.ones(data.n_queries),
        "seed": 3,
    }
    return Training(data=LocalData(data, Normalization.named("none")), **{**parameters, **changes})


@pytest.fixture(scope="module")
def data() -> RankingDataset:
    return planted_linear(12, 8, 4, noise=0.5, seed=5).data


def test_the_first_start_is_the_better_surrogate_then_uniform_then_samples(data: RankingDataset) -> None:
    this = training(data)
    starts = [this.ascend(AscentId(start)).history[0] for start in range(4)]
    fits = [fit_linear(loss, data).weights for loss in (CrossEntropy(), ProportionalCrossEntropy())]
    objective = this.objective(np.ones(12))
    assert starts[0].value == max(objective.at(w).value for w in fits)
    assert starts[1].weights.tolist() == [0.25] * 4
    assert not np.array_equal(starts[2].weights, starts[3].weights)


def test_an_ascent_depends_on_its_numbers_and_the_seed_alone(data: RankingDataset) -> None:
    shuffled = CoordinateAscent(shuffled=True, budget=Budget(lines=8))
    this = training(data, optimizer=shuffled)
    late = this.ascend(AscentId(3, bag=2)).weights
    assert training(data, optimizer=shuffled).ascend(AscentId(3, bag=2)).weights.tolist() == late.tolist()
    for other in (AscentId(3, bag=1), AscentId(3), AscentId(2, bag=2)):
        assert this.ascend(other).weights.tolist() != late.tolist()
    assert training(data, optimizer=shuffled, seed=4).ascend(AscentId(3, bag=2)).weights.tolist() != late.tolist()


def test_a_bag_ascends_on_its_own_sample(data: RankingDataset) -> None:
    this = training(data, query_weights=np.arange(12.0))
    counts = this.counts(1)
    assert counts.sum() == 11  # as many as can be drawn: the first has weight 0
    assert counts[0] == 0
    ascent = this.ascend(AscentId(0, bag=1))
    assert ascent.value == this.objective(counts * np.arange(12.0)).at(ascent.weights).value


def test_only_queries_that_tell_something_are_drawn() -> None:
    grades = [1, 0, 0, 0, 1, 1, 2, 0]
    data = RankingDataset.from_arrays(np.eye(8), grades, qid=[0, 0, 1, 1, 2, 2, 3, 3])
    assert training(data).telling.tolist() == [1, 0, 0, 1]
    assert training(data, metric=RR(rel=2, no_relevant="skip")).telling.tolist() == [0, 0, 0, 1]


def test_surrogates_are_projected_to_the_space(data: RankingDataset) -> None:
    ascent = training(data, space=Simplex()).ascend(AscentId(0))
    assert all(Simplex().contains(progress.weights) for progress in ascent.history)


def test_weights_come_by_position_or_by_id() -> None:
    data = LocalData(RankingDataset.from_arrays(np.eye(3), [0, 1, 0], qid=[7, 3, 7]), Unchanged())
    assert weights_by_query(None, data).tolist() == [1, 1]
    assert weights_by_query([5, 2], data).tolist() == weights_by_query({3: 2, 7: 5}, data).tolist() == [5, 2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({7: 1.0}, "lack 1 query of the data, such as '3'"),
        ([1.0], r"shape \(1,\); expected \(2,\), one for each query"),
        ([1.0, -1.0], "nonnegative finite numbers, not all 0"),
        ([1.0, np.inf], "nonnegative finite numbers"),
        ([0.0, 0.0], "not all 0"),
        (["a", "b"], "must be numbers"),
    ],
)
def test_bad_weights(given: Any, message: str) -> None:
    data = LocalData(RankingDataset.from_arrays(np.eye(3), [0, 1, 0], qid=[7, 3, 7]), Unchanged())
    with pytest.raises(InvalidDataError, match=message):
        weights_by_query(given, data)
