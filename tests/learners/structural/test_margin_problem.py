"""The mean slack: its planes touch it and stay below it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.learners.structural.loss_registry import structural_loss
from rankmax.learners.structural.margin_problem import MarginProblem

DATA = planted_linear(12, 10, 4, noise=0.5, seed=2).data
LOSSES = ["AP", "ROC", "RR", "nDCG", "nDCG@3", "P@3", "accuracy"]


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_planes_touch_the_slack_and_stay_below_it(name: str, seed: int) -> None:
    problem = MarginProblem(DATA, structural_loss(name))
    rng = np.random.default_rng(seed)
    here, there = 3 * rng.normal(size=(2, problem.n_weights))
    assert problem.cut(here).at(here) == pytest.approx(problem.slack(here), abs=1e-9)
    assert problem.cut(here).at(there) <= problem.slack(there) + 1e-9


@pytest.mark.parametrize("name", LOSSES)
def test_slack_is_the_mean_of_the_queries_slacks(name: str) -> None:
    problem = MarginProblem(DATA, structural_loss(name))
    weights = np.random.default_rng(3).normal(size=problem.n_weights)
    assert problem.slack(weights) == pytest.approx(np.mean([query.slack(weights) for query in problem.by_query()]))


@pytest.mark.parametrize("name", ["AP", "accuracy"])
def test_sparse_features_make_the_same_planes(name: str) -> None:
    sparse = RankingDataset(csc_array(DATA.features), DATA.feature_names, DATA.judgments)
    dense_problem, sparse_problem = (MarginProblem(data, structural_loss(name)) for data in (DATA, sparse))
    weights = np.random.default_rng(5).normal(size=dense_problem.n_weights)
    expected, found = dense_problem.cut(weights), sparse_problem.cut(weights)
    np.testing.assert_allclose(found.normal, expected.normal, atol=1e-12)
    assert found.offset == expected.offset
