from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import parse_metric
from rankmax.optimizers.layered import LayeredObjective, layered_objective

METRICS = ("nDCG@3", "nDCG", "AP", "AP@2", "RR", "P@2", "ROC", "Rprec", "RBP", "Success@1", "LetorNDCG@5")


def problem(
    metric: str, seed: int, *, n_features: int = 3, coarse: bool = False
) -> tuple[LinearObjective, LayeredObjective]:
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 3, (24, n_features)).astype(float) if coarse else rng.normal(size=(24, n_features))
    data = RankingDataset.from_arrays(features, rng.integers(0, 3, 24), qid=np.repeat([1, 2, 3], 8))
    objective = LinearObjective(data, parse_metric(metric))
    return objective, layered_objective(objective)


def bound(metric: LayeredObjective, vertices: np.ndarray) -> float:
    return metric.value(int(metric.settled_cell(np.ascontiguousarray(vertices)).bound[0]))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("coarse", [False, True])
def test_the_bound_of_a_point_is_its_value(metric: str, coarse: bool) -> None:
    objective, bounded = problem(metric, 1, coarse=coarse)
    points = np.concatenate([np.eye(3), np.full((1, 3), 0.25), np.random.default_rng(0).dirichlet(np.ones(3), 5)])
    values = [bound(bounded, point[None]) for point in points]
    assert values == pytest.approx(objective.values(points), abs=1e-12)


@given(st.sampled_from(METRICS), st.integers(0, 2**16), st.booleans(), st.integers(1, 4), st.floats(0.01, 1.0))
def test_no_weights_in_a_cell_are_worth_more(metric: str, seed: int, coarse: bool, n: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    objective, bounded = problem(metric, seed, n_features=n, coarse=coarse)
    vertices = (1 - size) * rng.dirichlet(np.ones(n)) + size * rng.dirichlet(np.ones(n), n)
    inside = rng.dirichlet(np.ones(n), 20) @ vertices
    assert bound(bounded, vertices) >= objective.values(inside).max() - 1e-12


@given(st.sampled_from(METRICS), st.integers(0, 2**16), st.booleans())
def test_parts_are_worth_no_more_than_the_whole(metric: str, seed: int, coarse: bool) -> None:
    rng = np.random.default_rng(seed)
    _, bounded = problem(metric, seed, coarse=coarse)
    cell = rng.dirichlet(np.ones(3), 3)
    smaller = cell.copy()
    smaller[rng.integers(3)] = cell.mean(axis=0)
    assert bound(bounded, smaller) <= bound(bounded, cell) + 1e-12
