"""Restricted quadratic programs: both forms against each other, against scipy, and the bound against everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from rankmax.learners.structural.margin_problem import CuttingPlane
from rankmax.learners.structural.quadratic import WorkingSet


def working_set(rng: np.random.Generator, n_planes: int, n_weights: int, n_groups: int) -> WorkingSet:
    working = WorkingSet(n_weights, n_groups)
    for t in range(n_planes):
        working.add(CuttingPlane(rng.normal(size=n_weights), float(rng.random())), t % n_groups)
    return working


def objective(working: WorkingSet, weights: np.ndarray, budget: float, n_groups: int) -> float:
    return float(weights @ weights) / 2 + budget * sum(working.slack(weights, g) for g in range(n_groups))


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 20), st.integers(1, 8), st.integers(1, 4), st.floats(0.01, 1e4))
def test_bound_is_reached_in_either_form(
    seed: int, n_planes: int, n_weights: int, n_groups: int, budget: float
) -> None:
    working = working_set(np.random.default_rng(seed), n_planes, n_weights, n_groups)
    solved = working.solve(budget)
    value = objective(working, solved.weights, budget, n_groups)
    assert solved.bound <= value + 1e-9 * budget
    assert value <= solved.bound + 1e-5 * (1 + budget)


def test_both_forms_agree() -> None:
    working = working_set(np.random.default_rng(1), 12, 12, 2)
    dual = working.solve(3.0)  # fewer constraints than unknowns
    shares = working._feasible(working._solve_primal(3.0))
    np.testing.assert_allclose(3.0 * working._normals.T @ shares, dual.weights, atol=1e-6)


def test_agrees_with_scipy() -> None:
    working = working_set(np.random.default_rng(2), 6, 3, 1)
    start = np.zeros(4)

    def slack_left(x: np.ndarray) -> np.ndarray:
        return np.append(x[3] - working._offsets + working._normals @ x[:3], x[3])

    found = minimize(
        lambda x: x[:3] @ x[:3] / 2 + 5 * x[3], start, constraints={"type": "ineq", "fun": slack_left}, tol=1e-12
    )
    np.testing.assert_allclose(working.solve(5.0).weights, found.x[:3], atol=1e-5)


def test_nothing_asked_for_nothing_weighed() -> None:
    solved = WorkingSet(3, 1).solve(1.0)
    assert (solved.weights.tolist(), solved.bound) == ([0.0, 0.0, 0.0], 0.0)


def test_what_has_long_been_idle_is_dropped() -> None:
    working = WorkingSet(1, 1)
    working.add(CuttingPlane(np.array([1.0]), 0.1))
    working.add(CuttingPlane(np.array([1.0]), 1.0))  # asks for more of the same
    for _ in range(3):
        working.solve(10.0)
        working.drop_idle(3)
    assert len(working) == 1
    assert working.solve(10.0).weights == pytest.approx([1.0], abs=1e-6)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale: float) -> None:
    rng = np.random.default_rng(4)
    normals = rng.normal(size=(8, 5))
    plain, scaled = WorkingSet(5, 1), WorkingSet(5, 1)
    for normal, offset in zip(normals, rng.random(8), strict=True):
        plain.add(CuttingPlane(normal, offset))
        scaled.add(CuttingPlane(scale * normal, offset))
    expected = plain.solve(10.0)
    found = scaled.solve(10.0 / scale**2)
    np.testing.assert_allclose(scale * found.weights, expected.weights, rtol=1e-4, atol=1e-6)
