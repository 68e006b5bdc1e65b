from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.metrics import AP
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.surface.metric_surface import metric_segment, metric_surface
from rankmax.workflows.surface.surface_lines import Held, SurfaceLines

DATA = planted_linear(15, 8, 5, noise=0.5, seed=3).data
NAMES = ("f4", "f1", "f2")
HELD = Held({"f3": -0.8, "f5": 0.5, "f1": 9.0, "f2": 0.0}, total=1.7)


def mean_with_held(shares: np.ndarray, normalization: str) -> float:
    """Mean of the metric from all five weights: total times the shares, and the others as they are held."""
    weight_of = {"f3": -0.8, "f5": 0.5} | dict(zip(NAMES, 1.7 * shares, strict=True))
    weights = [weight_of[name] for name in DATA.feature_names]
    scores = Normalization.named(normalization).apply(DATA).scores(weights)
    return float(evaluate_scores(scores, DATA, [AP()]).means[0])


@pytest.mark.parametrize("normalization", ["none", "min-max"])
def test_others_are_held_at_their_weights(normalization: str) -> None:
    surface = metric_surface(DATA, NAMES, AP(), normalization=normalization, held=HELD, resolution=3)
    for first, second in ((0.5, 0.2), (1 / 6, 0.4), (5 / 6, 0.05)):
        lines = SurfaceLines(DATA, NAMES, AP(), normalization=normalization, held=HELD)
        value = lines.exchange(first).function([second])[0]
        assert value == pytest.approx(mean_with_held(np.array([first, second, 1 - first - second]), normalization))
    assert surface.optimum.value == pytest.approx(mean_with_held(surface.optimum.weights, normalization))
    assert surface.optimum.weights.sum() == pytest.approx(1)
    assert (surface.values <= surface.optimum.value + 1e-9).all()
    without = metric_surface(DATA, NAMES, AP(), normalization=normalization, resolution=3)
    assert np.abs(surface.values - without.values).max() > 0.01


def test_no_exchange_of_two_weights_leads_on_from_the_optimum() -> None:
    surface = metric_surface(DATA, NAMES, AP(), held=HELD, resolution=5)
    best = surface.optimum
    rng = np.random.default_rng(1)
    for _ in range(100):
        i, j = rng.choice(3, 2, replace=False)
        moved = best.weights.copy()
        step = rng.uniform(-moved[i], moved[j])
        moved[i] += step
        moved[j] -= step
        assert mean_with_held(moved, "none") <= best.value + 1e-9


def test_two_weights_with_others_held() -> None:
    held = Held({"f3": -0.8, "f5": 0.5, "f2": 0.3}, total=1.4)
    segment = metric_segment(DATA, ("f4", "f1"), AP(), held=held)
    weights = [1.4 * 0.7, 0.3, -0.8, 1.4 * 0.3, 0.5]
    assert segment.function([0.3])[0] == pytest.approx(evaluate_scores(DATA.scores(weights), DATA, [AP()]).means[0])
    assert segment.optimum.value >= segment.function.values.max() - 1e-9


def test_what_makes_no_lines_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="sum to 0"):
        Held({}, 0.0)
    with pytest.raises(UnknownNameError, match="'f9'"):
        SurfaceLines(DATA, NAMES, AP(), held=Held({"f9": 1.0}, 1.0))
    with pytest.raises(InvalidParameterError, match="no line was searched"):
        SurfaceLines(DATA, NAMES, AP()).optimum()
