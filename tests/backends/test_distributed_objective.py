"""Values and line searches over shards have the bits of those over the joined data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rankmax.backends import distributed_lines as lines
from rankmax.backends.backend import Traffic
from rankmax.backends.distributed_dataset import DistributedDataset
from rankmax.backends.distributed_objective import DistributedObjective
from rankmax.backends.local import LocalBackend
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.formats.shards import Shards, write_shards
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.line_search.smoothed_line import Smoothing
from rankmax.metrics import from_function, parse_metric
from rankmax.optimizers.ascent import Budget
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.expected_metric_ascent import ExpectedMetricAscent
from rankmax.optimizers.iterated_ascent import IteratedAscent
from rankmax.optimizers.optimizer import Optimizer
from rankmax.optimizers.powell import Powell
from rankmax.spaces import Euclidean, ParameterSpace, Simplex


def over(shards: Shards, metric: str, **options: object) -> DistributedObjective:
    return DistributedObjective(DistributedDataset(LocalBackend(), shards), parse_metric(metric), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("n_shards", [1, 3, 11])
@pytest.mark.parametrize("metric", ["AP", "nDCG@5", "ERR@10"])
def test_values_and_line_searches_have_the_same_bits(
    n_shards: int, metric: str, data: RankingDataset, cut: Callable[[int], Shards]
) -> None:
    here, there = LinearObjective(data, parse_metric(metric)), over(cut(n_shards), metric)
    rng = np.random.default_rng(1)
    for weights, direction in zip(rng.normal(size=(4, 4)), [*np.eye(4)[:3], rng.normal(size=4)], strict=True):
        a, b = here.at(weights), there.at(weights)
        assert a.value == b.value
        best, same = here.line_search(a, direction), there.line_search(b, direction)
        assert (best.value, *best.weights) == (same.value, *same.weights)
        bounded, same = (
            here.line_search(a, direction, low=-0.1, high=2.0),
            there.line_search(b, direction, low=-0.1, high=2.0),
        )
        assert (bounded.value, *bounded.weights) == (same.value, *same.weights)
    points = rng.normal(size=(5, 4))
    np.testing.assert_array_equal(here.values(points), there.values(points))


@pytest.mark.parametrize("n_shards", [3, 11])
@pytest.mark.parametrize("metric", ["AP", "nDCG@5", "ERR@10"])
def test_smoothed_searches_have_the_same_bits(
    n_shards: int, metric: str, data: RankingDataset, cut: Callable[[int], Shards]
) -> None:
    here, there = LinearObjective(data, parse_metric(metric)), over(cut(n_shards), metric)
    rng = np.random.default_rng(1)
    for weights, direction in zip(rng.normal(size=(4, 4)), [*np.eye(4)[:3], rng.normal(size=4)], strict=True):
        assert here.score_spread(weights) == there.score_spread(weights)
        smoothing = Smoothing(0.3, reach=4.0)
        for ends in ({}, {"low": -0.1, "high": 2.0}):
            best, gain = here.smoothed_search(here.at(weights), direction, smoothing, **ends)
            same, its_gain = there.smoothed_search(there.at(weights), direction, smoothing, **ends)
            assert (gain, best.value, *best.weights) == (its_gain, same.value, *same.weights)


@pytest.mark.parametrize(
    ("optimizer", "space"),
    [
        (CoordinateAscent(shuffled=True), Euclidean()),
        (CoordinateAscent(), Simplex()),
        (ExpectedMetricAscent(), Euclidean()),
        (ExpectedMetricAscent(n_cycles=1), Simplex()),
        (Powell(conjugate=True), Euclidean()),
        (IteratedAscent(budget=Budget(lines=60)), Euclidean()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_ascents_go_the_same_way(
    optimizer: Optimizer, space: ParameterSpace, data: RankingDataset, cut: Callable[[int], Shards]
) -> None:
    weights = np.arange(data.n_queries) % 3.0
    here = LinearObjective(data, parse_metric("nDCG@5"), query_weights=weights)
    a, b = (
        optimizer.maximize(objective, space, start=np.ones(4), rng=np.random.default_rng(0))
        for objective in (here, over(cut(4), "nDCG@5", query_weights=weights))
    )
    assert (a.value, a.n_lines, *a.weights) == (b.value, b.n_lines, *b.weights)


def test_buckets_that_hold_too_much_are_divided(
    data: RankingDataset, cut: Callable[[int], Shards], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = LinearObjective(data, parse_metric("AP")), over(cut(3), "AP")
    start = np.array([1.0, 0.1, 0.1, 0.1])
    for most in (0, 1, 5):
        monkeypatch.setattr(lines, "_MOST_STEPS", most)
        for axis in np.eye(4):
            best, same = here.line_search(here.at(start), axis), there.line_search(there.at(start), axis)
            assert (best.value, *best.weights) == (same.value, *same.weights)


def test_a_line_that_cannot_gain_takes_one_round_and_several_go_together(
    data: RankingDataset, cut: Callable[[int], Shards]
) -> None:
    objective = over(cut(3), "AP")
    ascent = CoordinateAscent().maximize(objective, Euclidean(), start=np.ones(4), rng=np.random.default_rng(0))
    top = objective.at(ascent.weights)
    backend = objective.data.backend
    before = Traffic(**vars(backend.traffic))
    objective.expect(np.eye(4), Euclidean().line)
    for axis in np.eye(4):
        assert objective.line_search(top, axis) is top
    spent = backend.traffic - before
    assert spent.rounds < 3 * 4
    assert 0 < spent.sent < spent.received


def test_what_cannot_be_searched_is_refused(cut: Callable[[int], Shards]) -> None:
    dataset = DistributedDataset(LocalBackend(), cut(3))
    with pytest.raises(IncompatibleError, match="is not tabular, so a backend cannot do"):
        DistributedObjective(dataset, from_function(lambda grades: grades[0], name="first"))
    with pytest.raises(InvalidDataError, match="no query counts for AP"):
        DistributedObjective(dataset, parse_metric("AP"), query_weights=np.zeros(dataset.n_queries))
    objective = DistributedObjective(dataset, parse_metric("AP"))
    with pytest.raises(InvalidDataError, match="weights must be 4 finite numbers"):
        objective.at([1.0])
    with pytest.raises(InvalidDataError, match="weights must be rows of 4 finite numbers"):
        objective.values([1.0])
    with pytest.raises(InvalidDataError, match="must contain 0"):
        objective.line_search(objective.at(np.ones(4)), np.ones(4), low=1.0)


def test_a_tie_between_two_sides_that_are_worth_more_is_left(tmp_path: Path) -> None:
    data = RankingDataset.from_arrays([[0.0], [1.0], [-1.0]], [0, 1, 1], qid=[1, 1, 1])
    objective = over(write_shards([(data, 1)], tmp_path / "tied"), "P@1")
    start = objective.at([0.0])
    assert (start.value, objective.line_search(start, [1.0]).value) == (0.0, 1.0)
