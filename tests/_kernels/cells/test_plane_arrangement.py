"""The most that a cell is worth, beside that of every face of the arrangement in it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.arrangement import best_value
from rankmax.data.dataset import RankingDataset
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, RR, nDCG
from rankmax.metrics.metric import TabularMetric
from rankmax.optimizers.layered import LayeredObjective, layered_objective
from rankmax.workflows.proofs.cell_values import Pairs

NOTHING = -(1 << 60)


def bounded(problem: LayeredObjective, vertices: np.ndarray, known: int = NOTHING) -> tuple[int, bool, np.ndarray]:
    from rankmax._kernels.cells.cell_stack import Scratch
    from rankmax._kernels.cells.plane_arrangement import bound_by_arrangement

    cell, weights = problem.settled_cell(vertices), np.zeros(vertices.shape[1])
    scratch = Scratch(*(np.zeros(256, kind) for kind in (np.int8, np.int32, np.int32, np.int64, np.float64, np.int64)))
    return *bound_by_arrangement(problem.metric, cell, known, scratch, weights), weights


@given(
    st.integers(0, 2**20),
    st.sampled_from([AP(), nDCG(cutoff=2), RR()]),
    st.sampled_from([2, 3, 6]),
    st.integers(2, 3),
)
@settings(max_examples=40)
def test_is_the_best_of_all_faces(seed: int, metric: TabularMetric, n_values: int, n_features: int) -> None:
    rng = np.random.default_rng(seed)
    features = rng.integers(0, n_values, (8, n_features)).astype(np.float64)
    grades, qid = rng.integers(0, 3, 8), np.repeat([1, 2], 4)
    # Weights in a simplex with vertices V are V^T t, t on the simplex: there the features are V x, exactly.
    vertices = (rng.integers(0, 30, n_features) + np.eye(n_features) * rng.integers(1, 64)) / 64
    data = RankingDataset.from_arrays(features, grades, qid=qid)
    problem, pairs = layered_objective(LinearObjective(data, metric)), Pairs(data, metric)
    inside = RankingDataset.from_arrays(features @ vertices.T, grades, qid=qid)
    sides = (np.delete(vertices, v, axis=0) for v in range(n_features))
    bound, is_found, weights = bounded(problem, vertices)
    everywhere = [bound, *(bounded(problem, side)[0] for side in sides), *(problem.at(v) for v in vertices)]
    assert problem.value(max(everywhere)) == pytest.approx(best_value(inside, metric), abs=1e-9)
    assert is_found
    assert problem.at(weights) == bound
    value = problem.value(bound)
    assert pairs.bound_by_planes(pairs.whole(vertices), value + 1e-9) <= value + 1e-9
    assert pairs.bound_by_planes(pairs.whole(vertices), value - 1e-6) == pytest.approx(value, abs=1e-9)
    assert bounded(problem, vertices, known=bound)[:2] == (bound, False)


def test_features_that_are_no_small_whole_numbers_are_left_alone() -> None:
    data = RankingDataset.from_arrays(np.random.default_rng(1).normal(size=(8, 3)), [1, 0] * 4, qid=[1] * 8)
    problem = layered_objective(LinearObjective(data, AP()))
    assert problem.metric.multiple == 0.0
    assert bounded(problem, np.eye(3))[:2] == (problem.settled_cell(np.eye(3)).bound[0], False)


@pytest.mark.parametrize(
    ("factor", "multiple"), [(1.0, 1.0), (0.25, 4.0), (2.0**-23, 2.0**23), (2.0**-24, 0.0), (0.1, 0.0)]
)
def test_fractions_of_powers_of_two_are_whole_numbers_too(factor: float, multiple: float) -> None:
    data = RankingDataset.from_arrays(np.array([[1.0], [3.0]]) * factor, [1, 0], qid=[1, 1])
    assert layered_objective(LinearObjective(data, AP())).metric.multiple == multiple
