"""The smoothed metric from sums over cells, against the exact one from all steps."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.line_search.smoothed_function import SmoothedFunction
from rankmax.line_search.smoothed_line import Smoothing, normal_cdf, smoothed_peak
from rankmax.metrics.registry import parse_metric


@pytest.fixture(scope="module")
def data() -> RankingDataset:
    return planted_linear(40, 12, 4, noise=1.0, seed=3).data


def _search(
    objective: LinearObjective, weights: F64, direction: F64, smoothing: Smoothing, **ends: float
) -> tuple[float, float, SmoothedFunction]:
    point = objective.at(weights)
    found, gain = objective.smoothed_search(point, direction, smoothing, **ends)
    exact = objective.step_function(point, direction, **ends).smoothed(smoothing.width)
    moved = float(np.dot(found.weights - point.weights, direction) / np.dot(direction, direction))
    return moved, gain, exact


@pytest.mark.parametrize("metric", ["AP", "nDCG@5", "ERR@5", "Bpref"])
@pytest.mark.parametrize("width", [0.05, 0.5, 2.0])
def test_finds_the_maximum_of_the_exact_smoothed_function(data: RankingDataset, metric: str, width: float) -> None:
    objective = LinearObjective(data, parse_metric(metric))
    rng = np.random.default_rng(0)
    for _ in range(3):
        weights, direction = rng.normal(size=(2, 4))
        moved, gain, exact = _search(objective, weights, direction, Smoothing(width, reach=8.0))
        at_start, at_found = exact([0.0, moved])
        assert gain == pytest.approx(at_found - at_start, abs=2e-5)
        inside = exact(np.linspace(-8, 8, 2001))
        assert at_found >= inside.max() - 2e-5


def test_ends_of_the_line_are_places_too(data: RankingDataset) -> None:
    objective = LinearObjective(data, parse_metric("AP"))
    weights = np.array([-1.0, 0.2, 0.1, 0.3])
    direction = np.eye(4)[0]
    moved, _, _ = _search(objective, weights, direction, Smoothing(1.0, reach=8.0), low=-1.0, high=0.05)
    assert moved in (pytest.approx(0.05), pytest.approx(-1.0))


def test_stays_where_nothing_is_better(data: RankingDataset) -> None:
    objective = LinearObjective(data, parse_metric("AP"))
    point = objective.at([1.0, 0.0, 0.0, 0.0])
    found, gain = objective.smoothed_search(point, [1.0, 0.0, 0.0, 0.0], Smoothing(0.1, reach=0.5))
    assert found is point
    assert gain == 0.0


def test_score_spread_is_the_deviation_within_queries(data: RankingDataset) -> None:
    weights = np.array([1.0, -2.0, 0.5, 3.0])
    scores = data.scores(weights)
    centered = [part - part.mean() for part in np.split(scores, data.query_offsets[1:-1])]
    assert LinearObjective(data, parse_metric("AP")).score_spread(weights) == pytest.approx(
        np.concatenate(centered).std(), rel=1e-12
    )


def test_normal_distribution_function() -> None:
    from scipy.special import ndtr

    x = np.linspace(-9, 9, 101).reshape(1, -1)
    np.testing.assert_allclose(normal_cdf(x), ndtr(x), rtol=1e-13)


def test_of_equal_values_the_start_is_kept() -> None:
    smoothing = Smoothing(1.0, reach=2.0)
    peak = smoothed_peak(np.ones(smoothing.places.size), smoothing, -np.inf, np.inf)
    assert (peak.place, peak.gain) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("width", "reach", "message"), [(0.0, 1.0, "is none"), (np.inf, 1.0, "is none"), (1e-9, 1.0, "too")]
)
def test_width_and_reach_are_checked(width: float, reach: float, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        Smoothing(width, reach)


def test_a_penalty_moves_the_maximum() -> None:
    plain = Smoothing(width=0.8, reach=2.0)
    values = -((plain.places - 1.0) ** 2)
    assert smoothed_peak(values, plain, -np.inf, np.inf).place == pytest.approx(1.0)
    charged = Smoothing(width=0.8, reach=2.0, slope=1.0, curvature=0.5)  # -(mu - 1)^2 - mu - mu^2 / 2
    peak = smoothed_peak(values, charged, -np.inf, np.inf)
    assert (peak.place, peak.gain) == (pytest.approx(1 / 3), pytest.approx(1 / 6))
