"""Slices have the metric's value at every weight that a pair of features can share."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError
from rankmax.metrics import parse_metric
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.workflows.surface.slices import metric_slices

DATA = planted_linear(15, 8, 4, noise=0.7, seed=5).data


@pytest.mark.parametrize("metric", ["AP", "nDCG@5", "ERR"])
def test_values_are_the_metrics_own(metric: str) -> None:
    weights = np.array([0.1, 0.4, 0.3, 0.2])
    slices = metric_slices(DATA, weights, parse_metric(metric))
    rng = np.random.default_rng(2)
    for (i, j), one in zip(combinations(range(4), 2), slices, strict=True):
        both = weights[i] + weights[j]
        assert one.features == (DATA.feature_names[i], DATA.feature_names[j])
        assert one.at == weights[i]
        assert (one.function.low, one.function.high) == pytest.approx((0, both))
        for share in [weights[i] / both, *rng.random(20)]:
            moved = weights.copy()
            moved[[i, j]] = share * both, (1 - share) * both
            scores = np.asarray(DATA.features) @ moved
            expected = evaluate_metrics([parse_metric(metric)], scores, DATA.judgments)[0].mean()
            step = np.searchsorted(one.function.breakpoints, share * both)
            assert one.function.values[step] == pytest.approx(expected, abs=1e-9)


def test_features_without_weight_have_nothing_to_trade() -> None:
    slices = metric_slices(DATA, [0.5, 0.0, 0.5, 0.0], parse_metric("AP"))
    assert [one.features for one in slices] == [
        ("f1", "f2"),
        ("f1", "f3"),
        ("f1", "f4"),
        ("f2", "f3"),
        ("f3", "f4"),
    ]


def test_negative_weights_are_refused() -> None:
    with pytest.raises(InvalidDataError, match="nonnegative"):
        metric_slices(DATA, [0.5, -0.1, 0.5, 0.1], parse_metric("AP"))
