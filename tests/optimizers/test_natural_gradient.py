"""What makes a direction natural: it does not depend on how the features are written down."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, ERR, from_function, nDCG
from rankmax.optimizers.natural_gradient import NaturalGradient, _ideal_sums


def test_ideal_sums_are_those_of_the_best_order():
    discount = 1 / np.log2(np.arange(5) + 2.0)
    judgments = Judgments.from_grades([0, 3, 1, 0, 2], [0, 3, 3, 5])
    sums = _ideal_sums(judgments.grades, judgments, discount, np.array([2, 5, 1]))
    np.testing.assert_allclose(sums, [3 + 1 / np.log2(3), 0, 2])


def features_and_grades(n_features=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, n_features))
    grades = np.clip(np.round(X @ np.linspace(1, 2, n_features) * 0.4 + rng.normal(size=400)), 0, 3)
    return X, grades


def gradient_of(X, grades, metric=None, **weights):
    data = RankingDataset.from_arrays(X, grades, qid=np.arange(400) // 20)
    return NaturalGradient(LinearObjective(data, metric or nDCG() @ 10, **weights))


def change_of_scores(X, weights):
    change = np.asarray(X @ weights)
    return change / np.linalg.norm(change)


def test_does_not_depend_on_units_or_on_which_of_equivalent_features_are_weighted():
    X, grades = features_and_grades()
    here = np.ones(4)
    plain = change_of_scores(X, gradient_of(X, grades)(here, width=0.3))
    units, mixing = (
        np.array([1e-6, 1, 1e3, 7]),
        np.array([[1, 0.9, 0, 0], [0, 1, 0.5, 0], [0, 0, 1, 0], [0.3, 0, 0, 1]]),
    )
    for other, there in (
        (X * units, here / units),
        (X @ mixing, np.linalg.solve(mixing, here)),
        (np.column_stack([X, X[:, 0], X[:, 0]]), np.append(here, [0, 0])),
    ):
        same = change_of_scores(other, gradient_of(other, grades)(there, width=0.3))
        assert plain @ same > 0.9999  # but for the ridge


@pytest.mark.parametrize(
    "metric",
    [AP(), nDCG() @ 5, ERR() @ 10, from_function(lambda grades: float(grades[0]), name="top")],
    ids=["AP", "nDCG@5", "ERR@10", "a function"],
)
def test_leads_up_for_every_metric(metric):
    X, grades = features_and_grades(seed=3)
    data = RankingDataset.from_arrays(X, grades, qid=np.arange(400) // 20)
    objective = LinearObjective(data, metric)
    start = objective.at([1.0, -1.0, 1.0, -1.0])
    direction = NaturalGradient(objective)(start.weights, width=1.0)
    assert objective.line_search(start, direction, low=0.0).value > start.value


def test_constant_features_stay_and_sparse_features_are_like_dense_ones():
    X, grades = features_and_grades()
    X[:, 2] = 5.0
    X[X < 0] = 0.0
    here = np.array([1.0, 1.0, 0.0, 0.0])
    dense = gradient_of(X, grades)(here, width=0.3)
    sparse = gradient_of(csc_array(X), grades)(here, width=0.3)
    assert dense[2] == 0
    np.testing.assert_allclose(dense, sparse, rtol=1e-9)


def test_only_the_queries_that_count_push():
    X, grades = features_and_grades()
    here = np.ones(4)
    half = np.arange(20) % 2.0
    as_weights = gradient_of(X, grades, query_weights=half)(here, width=0.3)
    asked_for = gradient_of(X, grades)(here, width=0.3, queries=half)
    np.testing.assert_allclose(as_weights, asked_for, rtol=1e-12)
    assert not np.allclose(asked_for, gradient_of(X, grades)(here, width=0.3))


def test_random_weights_have_the_size_asked_for_in_the_scores():
    X, grades = features_and_grades()
    gradient = gradient_of(X * [1, 10, 100, 1000], grades)
    rng = np.random.default_rng(1)
    weights = [gradient.random(0.7, rng) for _ in range(200)]
    np.testing.assert_allclose([gradient.spread(w) for w in weights], 0.7)
    shares = np.var(np.array(weights) * [1, 10, 100, 1000], axis=0)
    assert shares.max() < 2 * shares.min()  # no feature is shaken more than another


def test_many_features_each_count_for_themselves():
    X, grades = features_and_grades(n_features=501)
    direction = gradient_of(X, grades)(np.ones(501), width=0.3)
    assert np.isfinite(direction).all()
    assert direction.all()


def test_zero_scores_have_a_direction_too():
    X, grades = features_and_grades()
    assert gradient_of(X, grades)(np.zeros(4), width=0.3).all()
