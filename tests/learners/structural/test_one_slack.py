"""One slack for all queries: the optimum, and how the search ends."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.learners.structural import quadratic
from rankmax.learners.structural.loss_registry import structural_loss
from rankmax.learners.structural.margin_problem import CuttingPlane, MarginProblem
from rankmax.learners.structural.one_slack import OneSlackSolver
from rankmax.learners.structural.quadratic import WorkingSet
from rankmax.learners.structural.solution import Solution

PROBLEM = MarginProblem(planted_linear(12, 10, 4, noise=0.5, seed=2).data, structural_loss("AP"))


def solve(C: float, **limits: Any) -> Solution:
    return OneSlackSolver(PROBLEM, **limits).solve(C)


def objective(weights: np.ndarray, C: float) -> float:
    return float(weights @ weights) / 2 + C * PROBLEM.slack(weights)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0, 1e4])
def test_no_nearby_weights_are_better_than_the_gap_allows(C: float) -> None:
    found = solve(C, tolerance=1e-6, max_iterations=2000)
    assert found.stopped_by == "converged"
    assert found.gap <= 1e-6 * C
    assert found.objective == pytest.approx(objective(found.weights, C))
    assert found.slack == pytest.approx(PROBLEM.slack(found.weights))
    rng = np.random.default_rng(1)
    size = np.linalg.norm(found.weights)
    for distance in (1e-3, 1e-2, 0.1, 1.0):
        for direction in rng.normal(size=(20, PROBLEM.n_weights)):
            assert objective(found.weights + distance * size * direction, C) >= found.objective - found.gap - 1e-12


def test_loose_and_tight_searches_differ_by_the_gap_at_most() -> None:
    loose, tight = (solve(10.0, tolerance=t, max_iterations=2000) for t in (0.05, 1e-8))
    assert tight.n_iterations > loose.n_iterations
    assert 0 <= loose.objective - tight.objective <= loose.gap + 1e-9


def test_iterations_are_bounded() -> None:
    found = solve(1e4, tolerance=1e-9, max_iterations=5)
    assert (found.stopped_by, found.n_iterations) == ("iterations", 5)
    assert found.objective == pytest.approx(objective(found.weights, 1e4))
    assert found.gap > 1e-9 * 1e4


def test_constraints_of_another_c_save_searches() -> None:
    solver = OneSlackSolver(PROBLEM, tolerance=1e-4, max_iterations=1000)
    solver.solve(100.0)
    fresh, continued = solve(200.0, tolerance=1e-4, max_iterations=1000), solver.solve(200.0)
    assert continued.n_iterations < fresh.n_iterations
    assert continued.objective == pytest.approx(fresh.objective, abs=fresh.gap + continued.gap)
    assert solver.solve(200.0).n_iterations == 1


def test_reports_the_best_so_far() -> None:
    told: list[Solution] = []
    found = solve(10.0, tolerance=1e-4, max_iterations=500, callback=told.append)
    assert [report.n_iterations for report in told] == list(range(1, found.n_iterations + 1))
    objectives, gaps = [report.objective for report in told], [report.gap for report in told]
    assert objectives == sorted(objectives, reverse=True)
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] == found.gap


def test_an_interrupt_keeps_the_best_so_far() -> None:
    def interrupt(best: Solution) -> None:
        if best.n_iterations == 4:
            raise KeyboardInterrupt

    found = solve(100.0, tolerance=1e-6, max_iterations=500, callback=interrupt)
    assert (found.stopped_by, found.n_iterations) == ("interrupted", 4)
    assert found.objective == pytest.approx(objective(found.weights, 100.0))


def test_ends_where_the_solver_can_do_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkingSet, "add", lambda *plane: None)  # as if the constraint changed nothing
    found = solve(100.0, tolerance=1e-6, max_iterations=500)
    assert found.stopped_by == "precision"
    assert found.n_iterations < 100
    assert found.gap > 100.0 * 1e-6


def test_programs_that_are_not_solved_end_it_and_the_gap_stays_true(monkeypatch: pytest.MonkeyPatch) -> None:
    best = solve(100.0, tolerance=1e-6, max_iterations=500).objective
    real, n_solved = quadratic._minimize, 0

    def fails_after_three(*program: np.ndarray) -> Any:
        nonlocal n_solved
        n_solved += 1
        result = real(*program)
        return result if n_solved <= 3 else SimpleNamespace(x=np.full(result.x.size, np.nan), z_l=result.z_l * np.nan)

    monkeypatch.setattr(quadratic, "_minimize", fails_after_three)
    found = solve(100.0, tolerance=1e-6, max_iterations=500)
    assert found.stopped_by == "precision"
    assert found.objective == pytest.approx(objective(found.weights, 100.0))
    assert found.gap >= found.objective - best > 0


def test_long_idle_constraints_are_dropped() -> None:
    found = solve(1e5, tolerance=1e-7, max_iterations=5000)
    assert found.stopped_by == "converged"
    assert found.n_constraints < found.n_iterations - 1


def test_a_plane_that_is_flat_asks_for_nothing() -> None:
    working = WorkingSet(2, 1)
    working.add(CuttingPlane(np.zeros(2), 0.5))
    solved = working.solve(10.0)
    assert (solved.weights.tolist(), solved.bound) == ([0.0, 0.0], pytest.approx(5.0))
