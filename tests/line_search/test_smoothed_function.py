"""Smoothed step functions, against quadrature, a dense grid and the unsmoothed limit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from rankmax.errors import InvalidParameterError
from rankmax.line_search.step_function import StepFunction


def _random_steps(seed: int, n_steps: int = 12) -> StepFunction:
    rng = np.random.default_rng(seed)
    return StepFunction(np.sort(rng.normal(size=n_steps)), rng.random(n_steps + 1))


@pytest.mark.parametrize("sigma", [0.05, 0.4, 3.0])
def test_is_the_expectation_under_gaussian_noise(sigma: float) -> None:
    function = _random_steps(1)
    for mu in (-1.3, 0.0, 0.7):

        def density(e: float, mu: float = mu) -> float:
            return float(function(mu + sigma * e)) * np.exp(-e * e / 2) / np.sqrt(2 * np.pi)

        jumps = (function.breakpoints - mu) / sigma
        inside = jumps[np.abs(jumps) < 9]
        expected = quad(density, -9, 9, points=inside, limit=400)[0]
        assert float(function.smoothed(sigma)(mu)) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("sigma", [0.03, 0.3, 2.0])
@pytest.mark.parametrize("seed", range(5))
def test_maximum_is_that_of_a_dense_grid(sigma: float, seed: int) -> None:
    smooth = _random_steps(seed).smoothed(sigma)
    place, value = smooth.best()
    grid = smooth(np.linspace(-20, 20, 8001))
    assert value == float(smooth(place))
    assert grid.max() - 1e-12 <= value <= grid.max() + 1e-3


def test_maximum_keeps_to_the_domain() -> None:
    smooth = StepFunction(np.array([0.5]), np.array([0.0, 1.0]), low=-1.0, high=0.75).smoothed(0.2)
    assert smooth.best()[0] == 0.75


def test_without_width_it_is_the_exact_search() -> None:
    function = _random_steps(3)
    place, value = function.smoothed(1e-7).best()
    best = function.best()
    assert best.low < place < best.high
    assert value == pytest.approx(best.value, abs=1e-12)


def test_constant_function_stays_constant() -> None:
    assert StepFunction(np.empty(0), np.array([0.3])).smoothed(1.0).best() == (0.0, 0.3)


def test_width_must_be_positive() -> None:
    with pytest.raises(InvalidParameterError, match="sigma is 0"):
        _random_steps(0).smoothed(0)
