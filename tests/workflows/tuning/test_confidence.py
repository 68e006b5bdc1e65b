from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.fusion.constraint import ConstrainedSearch, Constraint
from rankmax.fusion.weight_search import AscentSearch, LatticeSearch
from rankmax.metrics import AP, ERR, P
from rankmax.metrics.metric import Metric
from rankmax.workflows.tuning.confidence import rounded_weights, weight_confidence


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6).filter(any), st.sampled_from([5, 10, 20]))
def test_rounded_weights_are_near_and_add_up_to_one(raw: list[float], denominator: int) -> None:
    weights = np.array(raw) / sum(raw)
    rounded = rounded_weights(weights, denominator)
    assert rounded.sum() == pytest.approx(1)
    assert np.abs(rounded - weights).max() < 1 / denominator + 1e-9
    np.testing.assert_allclose(rounded * denominator, np.rint(rounded * denominator), atol=1e-9)


def test_the_plateau_is_all_points_within_one_standard_error() -> None:
    search = LatticeSearch(planted_linear(20, 8, 3, noise=1.0, seed=2).data, [AP()])
    weights = search.fit(np.arange(20))
    found = weight_confidence(search, weights)
    means = search.table.mean(axis=1)
    assert found.optimum.value >= means.max() - 1e-9
    best = search.values(found.optimum.weights[None])[0, 0]
    assert found.optimum.value == pytest.approx(best.mean())
    assert found.optimum.standard_error == pytest.approx(best.std(ddof=1) / 20**0.5)
    inside = means >= found.optimum.value - found.optimum.standard_error - 1e-9
    assert found.plateau_share == pytest.approx(inside.mean())
    assert found.plateau is not None
    np.testing.assert_array_equal(found.plateau, search.points[inside])
    assert found.plateau_ranges is not None
    assert found.plateau_ranges.shape == (3, 2)
    assert search.values(found.rounded[None])[0, 0].mean() >= found.optimum.value - found.optimum.standard_error - 1e-9
    assert (found.intervals[:, 0] <= found.intervals[:, 1]).all()


def test_what_is_proven_is_never_below_any_weights() -> None:
    search = LatticeSearch(planted_linear(12, 8, 3, noise=1.0, seed=3).data, [AP()])
    found = weight_confidence(search, search.fit(np.arange(12)), holds_for="min-max")
    assert found.bound is not None
    assert found.bound >= search.table.mean(axis=1).max() - 1e-12
    assert found.bound == pytest.approx(found.optimum.value)
    none = f"no weights for these systems and min-max scores exceed {found.bound:.4f} on these queries"
    assert found.proven == f"{none} (gap 0.0000)"


def test_what_is_proven_says_that_it_does_not_need_the_constraint() -> None:
    data = planted_linear(12, 8, 2, noise=1.0, seed=3).data
    metrics = [AP(), P() @ 1]
    search = ConstrainedSearch(data, metrics, Constraint(metrics[1], 0.5))
    found = weight_confidence(search, search.fit(np.arange(12)))
    assert found.proven is not None
    assert found.proven.endswith("on these queries, with or without P@1>=0.5")


@pytest.mark.parametrize(("n_systems", "metric"), [(2, ERR()), (4, AP())])
def test_nothing_is_claimed_where_nothing_is_proven(n_systems: int, metric: Metric) -> None:
    search = LatticeSearch(planted_linear(8, 4, n_systems, noise=1.0, seed=2).data, [metric])
    found = weight_confidence(search, np.full(n_systems, 1 / n_systems))
    assert (found.bound, found.proven) == (None, None)


def test_weights_that_the_queries_pin_down_have_no_spread() -> None:
    rows, grades = [], []
    for _ in range(6):  # only equal weights put the relevant document first
        rows += [[0.6, 0.6], [1.0, 0.19], [0.19, 1.0]]
        grades += [1, 0, 0]
    sure = RankingDataset.from_arrays(rows, grades, qid=np.repeat(range(6), 3))
    search = LatticeSearch(sure, [AP()])
    found = weight_confidence(search, search.fit(np.arange(6)))
    assert found.spread == pytest.approx(0.0, abs=1e-6)
    assert found.rounded.tolist() == [0.5, 0.5]
    assert found.optimum.standard_error == 0.0


def test_many_weights_have_intervals_but_no_plateau() -> None:
    search = AscentSearch(planted_linear(8, 4, 7, noise=1.0, seed=2).data, [AP()])
    found = weight_confidence(search, np.full(7, 1 / 7))
    assert found.resampled.shape[1] == 7
    assert found.plateau is None
    assert found.plateau_share is None
    assert found.plateau_ranges is None
    assert found.rounded.sum() == pytest.approx(1)
