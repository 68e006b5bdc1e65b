"""The paper's Algorithm 1: the same optimum, its bound on the constraints, and how it ends."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from oracles.separation import joint_coefficients
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.learners.structural.loss_registry import structural_loss
from rankmax.learners.structural.margin_problem import MarginProblem
from rankmax.learners.structural.n_slack import solve_n_slack
from rankmax.learners.structural.one_slack import OneSlackSolver
from rankmax.learners.structural.solution import Solution
from rankmax.preprocessing.binning import Binning

DATA = planted_linear(8, 6, 3, noise=0.5, seed=2).data


@pytest.mark.parametrize("loss", ["AP", "ROC", "accuracy", "nDCG", "RR", "P@3"])
@pytest.mark.parametrize("C", [0.3, 30.0])
def test_both_formulations_reach_the_same_objective(loss: str, C: float) -> None:
    problem = MarginProblem(DATA, structural_loss(loss))
    one = OneSlackSolver(problem, tolerance=1e-5, max_iterations=1000).solve(C)
    many = solve_n_slack(problem, C, tolerance=1e-5, max_iterations=200)
    assert one.stopped_by == many.stopped_by == "converged"
    assert many.gap <= C * 1.1e-5
    assert many.objective == pytest.approx(one.objective, abs=one.gap + many.gap)
    # Two points within the gaps of the minimum of a function that is 1-strongly convex.
    assert np.linalg.norm(one.weights - many.weights) <= 2 * np.sqrt(2 * max(one.gap, many.gap)) + 1e-9


@pytest.mark.parametrize("loss", ["AP", "ROC"])
def test_both_formulations_agree_on_binned_features_with_absent_values(loss: str) -> None:
    features = np.array(DATA.features)
    features[::5, 0] = np.nan
    data = replace(DATA, features=features)
    problem = MarginProblem(Binning.fit(data, n_thresholds=4).apply(data), structural_loss(loss))
    one = OneSlackSolver(problem, tolerance=1e-5, max_iterations=1000).solve(3.0)
    many = solve_n_slack(problem, 3.0, tolerance=1e-5, max_iterations=200)
    assert one.stopped_by == many.stopped_by == "converged"
    assert np.linalg.norm(one.weights - many.weights) <= 2 * np.sqrt(2 * max(one.gap, many.gap)) + 1e-9


@pytest.mark.parametrize(("C", "epsilon"), [(1.0, 0.1), (30.0, 0.05)])
def test_constraints_are_at_most_those_of_theorem_1(C: float, epsilon: float) -> None:
    problem = MarginProblem(DATA, structural_loss("AP"))
    found = solve_n_slack(problem, C, tolerance=epsilon, max_iterations=100)
    relevant = (DATA.grades >= 1).astype(float)
    longest = 0.0
    for first, stop in zip(DATA.query_offsets[:-1], DATA.query_offsets[1:], strict=True):
        gains = relevant[first:stop]
        places = np.array(list(permutations(range(stop - first))))
        true = np.argsort(np.argsort(-gains, kind="stable"))[None]
        differences = joint_coefficients(true, gains) - joint_coefficients(places, gains)
        longest = max(longest, np.linalg.norm(differences @ DATA.features[first:stop], axis=1).max())
    largest_loss = 1.0
    bound = max(2 * DATA.n_queries * largest_loss / epsilon, 8 * C * largest_loss * longest**2 / epsilon**2)
    assert 0 < found.n_constraints <= bound


def test_programs_that_are_not_solved_are_told_by_the_gap() -> None:
    X = DATA.features * [1.0, 1e7, 1e14]  # more than doubles can hold the squares of together
    data = RankingDataset.from_arrays(X, DATA.grades, qid=DATA.judgments.query_of_document)
    found = solve_n_slack(MarginProblem(data, structural_loss("AP")), 30.0, tolerance=1e-3, max_iterations=20)
    assert found.stopped_by != "converged"
    assert found.gap > 30.0 * 1e-3


def test_rounds_are_bounded_and_interrupts_keep_the_best() -> None:
    problem = MarginProblem(DATA, structural_loss("AP"))
    cut_short = solve_n_slack(problem, 30.0, tolerance=1e-5, max_iterations=1)
    assert (cut_short.stopped_by, cut_short.n_iterations) == ("iterations", 1)

    def interrupt(best: Solution) -> None:
        raise KeyboardInterrupt

    found = solve_n_slack(problem, 30.0, tolerance=1e-5, max_iterations=9, callback=interrupt)
    assert (found.stopped_by, found.objective) == ("interrupted", cut_short.objective)
