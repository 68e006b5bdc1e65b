"""Both ways down against scipy's test functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from rankmax._arrays import F64
from rankmax.errors import IncompatibleError, InvalidParameterError, UnknownNameError
from rankmax.losses.descent import Descent, minimize

both = pytest.mark.parametrize("method", ["lbfgs", "gradient-descent"])


def valley(x: F64) -> tuple[float, F64]:
    return float(rosen(x)), rosen_der(x)


@both
def test_finds_the_bottom_of_a_narrow_valley(method: Descent) -> None:
    found = minimize(valley, np.array([-1.0, 1.0]), method=method, max_iterations=20_000, tolerance=1e-6)
    assert found.converged
    np.testing.assert_allclose(found.parameters, 1, atol=1e-5)
    assert found.value == valley(found.parameters)[0]


@both
def test_says_when_it_was_stopped_early(method: Descent) -> None:
    found = minimize(valley, np.array([-1.0, 1.0]), method=method, max_iterations=3, tolerance=1e-9)
    assert (found.n_iterations, found.converged) == (3, False)
    assert found.value < valley(np.array([-1.0, 1.0]))[0]


@both
def test_starting_at_the_bottom_stays_there(method: Descent) -> None:
    found = minimize(valley, np.ones(2), method=method)
    assert (found.n_iterations, found.converged, found.value) == (0, True, 0.0)


@both
def test_nothing_to_choose(method: Descent) -> None:
    assert minimize(lambda x: (7.0, x), np.empty(0), method=method).value == 7.0


def test_a_gradient_that_lies_ends_the_descent() -> None:
    found = minimize(lambda x: (float(x @ x), -2 * x), np.ones(2), method="gradient-descent")
    assert (found.n_iterations, found.converged) == (0, False)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"method": "newton"}, UnknownNameError, "unknown way of descent 'newton'"),
        ({"max_iterations": 0}, InvalidParameterError, "max_iterations=0 must be a positive whole number"),
        ({"tolerance": -1.0}, InvalidParameterError, "tolerance=-1 must be a nonnegative number"),
    ],
)
def test_wrong_parameters(wrong: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        minimize(valley, np.ones(2), **wrong)


def test_bounds_hold_and_a_slope_against_one_is_no_reason_to_go_on() -> None:
    def bowl(x: np.ndarray) -> tuple[float, np.ndarray]:
        away = x - np.array([-1.0, 2.0])
        return float(away @ away), 2 * away

    found = minimize(bowl, np.ones(2), bounds=(np.zeros(2), np.full(2, np.inf)), tolerance=1e-6)
    np.testing.assert_allclose(found.parameters, [0.0, 2.0], atol=1e-6)
    assert found.converged
    with pytest.raises(IncompatibleError, match="has no bounds"):
        minimize(bowl, np.ones(2), bounds=(np.zeros(2), np.ones(2)), method="gradient-descent")
