from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.formats.trec import read_qrels, read_run
from rankmax.fusion.constraint import ConstrainedSearch, Constraint
from rankmax.fusion.signals import signals_of_runs
from rankmax.fusion.weight_search import AscentSearch, LatticeSearch
from rankmax.metrics import AP, ERR, P, nDCG
from rankmax.metrics.metric import Metric
from rankmax.preprocessing.run_normalization import RetrievedMinMax
from rankmax.workflows.tuning.training_optimum import best_weights, interior_points


def best_value(data: RankingDataset, metric: Metric) -> float:
    search = LatticeSearch(data, [metric])
    return best_weights(search, search.fit(np.arange(data.n_queries)))[0].value


@settings(max_examples=5, deadline=None)
@given(
    n_systems=st.integers(2, 4),
    seed=st.integers(0, 1000),
    metric=st.sampled_from([AP(), nDCG() @ 3, ERR()]),
)
@example(n_systems=4, seed=287, metric=ERR())
def test_more_systems_are_never_worse_than_fewer(n_systems: int, seed: int, metric: Metric) -> None:
    data = planted_linear(10, 8, n_systems, noise=1.5, seed=seed).data
    whole = best_value(data, metric)
    for size in range(1, n_systems):
        for names in combinations(data.feature_names, size):
            part = data.select_features(names)
            least = (
                best_value(part, metric)
                if size > 1
                else LatticeSearch(data, [metric])
                .values(np.eye(n_systems)[[data.feature_names.index(names[0])]])[0, 0]
                .mean()
            )
            assert whole >= least - 1e-12


def test_four_systems_of_which_three_are_better_than_a_lattice_sees(shared_data: Path) -> None:
    folder = shared_data / "runs" / "dl19-passage"
    runs = {name: read_run(folder / f"{name}.run.gz") for name in ("bm25", "splade", "e5", "monot5")}
    metric = nDCG() @ 10
    signals = signals_of_runs(runs, read_qrels(folder / "qrels.trec.gz")).counted_by([metric])
    data = RetrievedMinMax().apply(signals.data)
    assert best_value(data, metric) >= best_value(data.select_features(("bm25", "splade", "e5")), metric) - 1e-12


@pytest.mark.parametrize("n_systems", [2, 3, 4])
def test_nothing_that_was_seen_is_better(n_systems: int) -> None:
    data = planted_linear(15, 8, n_systems, noise=1.5, seed=n_systems).data
    search = LatticeSearch(data, [AP()])
    seen = np.random.default_rng(1).dirichlet(np.ones(n_systems), size=50)
    optimum, bound = best_weights(search, *seen)
    assert optimum.value >= search.values(seen)[:, 0].mean(axis=1).max()
    assert optimum.value >= search.table.mean(axis=1).max()
    assert optimum.value == search.values(optimum.weights[None])[0, 0].mean()
    assert optimum.weights.sum() == pytest.approx(1)
    assert (bound is None) == (n_systems > 3)


def test_many_systems_are_no_worse_than_each_alone() -> None:
    data = planted_linear(10, 6, 7, noise=1.0, seed=2).data
    search = AscentSearch(data, [AP()])
    equal = np.full(7, 1 / 7)
    optimum, bound = best_weights(search, equal)
    assert optimum.value >= search.values(np.array([*np.eye(7), equal]))[:, 0].mean(axis=1).max()
    assert bound is None


def test_a_constraint_is_kept() -> None:
    data = planted_linear(30, 10, 3, noise=2.0, seed=4).data
    metrics = [AP(), P() @ 1]
    free = LatticeSearch(data, metrics)
    unbound, _ = best_weights(free)
    second = free.tables[:, 1].mean(axis=1)
    least = float(second.max())
    assert free.values(unbound.weights[None])[0, 1].mean() < least  # else this tests nothing
    bound_search = ConstrainedSearch(data, metrics, Constraint(metrics[1], least))
    optimum, bound = best_weights(bound_search)
    assert free.values(optimum.weights[None])[0, 1].mean() >= least - 1e-9
    assert optimum.value >= free.table.mean(axis=1)[second >= least - 1e-9].max()
    assert optimum.value < unbound.value
    assert bound == pytest.approx(unbound.value)


def test_a_constraint_that_nothing_meets_gives_what_comes_nearest() -> None:
    data = planted_linear(30, 10, 2, noise=2.0, seed=1).data
    metrics = [AP(), P() @ 1]
    search = ConstrainedSearch(data, metrics, Constraint(metrics[1], 1.5))
    optimum, _ = best_weights(search)
    assert search.values(optimum.weights[None])[0, 1].mean() >= search.tables[:, 1].mean(axis=1).max() - 1e-9


@pytest.mark.parametrize("n_weights", [1, 2, 3, 4, 5, 6])
def test_points_lie_inside_the_simplex(n_weights: int) -> None:
    points = interior_points(n_weights)
    assert (points > 0).all()
    assert len(points) <= 500
    np.testing.assert_allclose(points.sum(axis=1), 1)
