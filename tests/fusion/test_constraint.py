"""Constrained weights and trade-offs against looking at every point."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidParameterError, RankmaxError
from rankmax.fusion.constraint import ConstrainedSearch, Constraint, trade_off
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.metrics import AP, P, nDCG
from rankmax.workflows.tuning.training_optimum import best_weights

METRICS = (nDCG(cutoff=5), AP(), P(cutoff=1))
QUERIES = np.arange(3, 20)


@pytest.fixture(scope="module")
def free() -> LatticeSearch:
    return LatticeSearch(planted_linear(20, 8, 3, noise=2.0, seed=11).data, METRICS)


def test_the_best_point_that_keeps_to_it_is_found(free: LatticeSearch) -> None:
    first, second = free.tables[:, 0, QUERIES].mean(axis=1), free.tables[:, 2, QUERIES].mean(axis=1)
    for least in np.quantile(second, [0.0, 0.5, 1.0]):
        bound = ConstrainedSearch(free.data, METRICS, Constraint(METRICS[2], float(least)))
        weights = bound.fit(QUERIES)
        values = bound.values(weights[None])[0][:, QUERIES].mean(axis=1)
        assert values[2] >= least - 1e-9
        assert values[0] == pytest.approx(first[second >= least - 1e-9].max())


def test_where_nothing_keeps_to_it_the_second_metric_is_maximized(free: LatticeSearch) -> None:
    bound = ConstrainedSearch(free.data, METRICS, Constraint(METRICS[2], 1.1))
    assert bound.values(bound.fit(QUERIES)[None])[0, 2, QUERIES].mean() == free.tables[:, 2, QUERIES].mean(axis=1).max()
    samples = bound.resampled(5)
    assert samples.shape == (5, 3)
    assert np.allclose(samples.sum(axis=1), 1)


@pytest.mark.parametrize("other", [1, 2])
def test_no_point_is_better_in_both_metrics_than_one_of_the_trade_off(free: LatticeSearch, other: int) -> None:
    curve = trade_off(free, other)
    means = free.tables.mean(axis=2)[:, [0, other]]
    dominated = [any((mean >= point).all() and (mean > point + 1e-9).any() for mean in means) for point in curve[:, :2]]
    assert not any(dominated)
    np.testing.assert_allclose(curve[0, 0], means[:, 0].max())
    np.testing.assert_allclose(curve[-1, 1], means[:, 1].max())
    values = free.values(np.ascontiguousarray(curve[:, 2:])).mean(axis=2)[:, [0, other]]
    np.testing.assert_allclose(values, curve[:, :2], atol=1e-12)


def test_weights_between_the_points_are_in_the_trade_off_where_they_are_better(free: LatticeSearch) -> None:
    optimum, _ = best_weights(free)
    assert optimum.value > free.table.mean(axis=1).max() + 1e-6
    curve = trade_off(free, 2, optimum.weights, np.array([1.0, 0.0, 0.0]))
    assert curve[0, 0] == pytest.approx(optimum.value)
    np.testing.assert_array_equal(curve[0, 2:], optimum.weights)
    assert (np.diff(curve[:, 0]) < 0).all()
    assert (np.diff(curve[:, 1]) > 0).all()
    assert curve[-1, 1] >= trade_off(free, 2)[-1, 1]


@pytest.mark.parametrize("text", ["P@1>=0.62", " P@1 >= 0.62 ", "P@1>=6.2e-1"])
def test_constraints_are_read(text: str) -> None:
    assert Constraint.parsed(text) == Constraint(P(cutoff=1), 0.62)


@pytest.mark.parametrize(
    ("text", "change", "written"),
    [
        ("P@1>=current", 0.0, "P@1>=current"),
        ("P@1 >= current - 0.01", -0.01, "P@1>=current-0.01"),
        ("P@1>=current+1e-3", 0.001, "P@1>=current+0.001"),
    ],
)
def test_constraints_may_be_relative(text: str, change: float, written: str) -> None:
    constraint = Constraint.parsed(text)
    assert constraint == Constraint(P(cutoff=1), change, relative=True)
    assert str(constraint) == written
    assert Constraint.parsed(str(constraint)) == constraint
    with pytest.raises(IncompatibleError, match="resolve it first"):
        constraint.is_met_by(0.5)
    absolute = constraint.resolved(0.5)
    assert absolute == Constraint(P(cutoff=1), 0.5 + change)
    assert absolute.resolved(0.9) == absolute
    assert absolute.is_met_by([0.5 + change, 0.49 + change]).tolist() == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "P@1>=currently",
        "P@1>=current*2",
        "P@1>=current-",
        "P@1>=current-x",
        "P@1",
        "P@1>0.5",
        "P@1>=high",
        ">=0.5",
        "P@1>=1.2.3",
        "P@1>=1e400",
        "P@1>=-1e400",
        "P@1>=current-1e400",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidParameterError, match=r"expected METRIC>=NUMBER, as P@1>=0\.62"):
        Constraint.parsed(text)
    with pytest.raises(RankmaxError, match="PP"):
        Constraint.parsed("PP@1>=0.5")
