"""Choosing C."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.errors import InvalidParameterError
from rankmax.learners.learner import Learner
from rankmax.learners.pairwise.ranking_svm import RankingSVM
from rankmax.learners.pointwise.classification_svm import ClassificationSVM
from rankmax.learners.pointwise.maximum_entropy import MaximumEntropyRanker
from rankmax.learners.regularization_constants import C_GRID, DEFAULT_C, costs_to_try, select_C
from rankmax.learners.structural.solution import Solution
from rankmax.learners.structural.structural_svm import StructuralSVM

LEARNERS = (StructuralSVM, ClassificationSVM, RankingSVM, MaximumEntropyRanker)
X, GRADES, QID = [[0.0], [1.0], [3.0], [4.0]], [0, 1, 0, 1], [1, 1, 2, 2]


def solution(C: float, stopped_by: str = "converged") -> Solution:
    return Solution(np.array([C]), 0.0, 0.0, 0.0, 1, 1, stopped_by)


def test_takes_the_best_and_of_equals_the_smallest() -> None:
    best, path = select_C(solution, lambda w: -abs(np.log10(w[0]) - 0.5), [100.0, 10.0, 0.1, 1.0])
    assert [candidate.C for candidate in path] == [0.1, 1.0, 10.0, 100.0]
    assert best is path[1]


def test_an_interrupt_ends_it() -> None:
    best, path = select_C(lambda C: solution(C, "interrupted" if C == 1 else "converged"), lambda w: float(w[0]))
    assert [candidate.C for candidate in path] == [0.01, 0.1, 1.0]
    assert best.C == 1.0


def test_the_grid_is_wide() -> None:
    assert C_GRID[0] == 0.01
    assert C_GRID[-1] == 1e5
    assert np.allclose(np.diff(np.log10(C_GRID)), 1.0)


def test_one_number_is_tried_alone_and_several_from_the_smallest_on() -> None:
    assert costs_to_try("SVM", None, validated=False) == [DEFAULT_C]
    assert costs_to_try("SVM", None, validated=True) == list(C_GRID)
    assert costs_to_try("SVM", np.float32(0.5), validated=False) == [0.5]
    assert costs_to_try("SVM", np.array([10, 1, 10]), validated=True) == [1.0, 10.0]


@pytest.mark.parametrize("C", [0, -1.0, float("nan"), True, [], [1.0, 0.0], "high", ["1"], [None], -np.inf])
@pytest.mark.parametrize("learner", LEARNERS)
def test_c_must_be_positive(learner: type[Learner], C: object) -> None:
    with pytest.raises(InvalidParameterError, match=rf"{learner.__name__}: C=.* must be a positive number, or several"):
        learner(C=C).fit(X, GRADES, qid=QID)  # type: ignore[call-arg]


@pytest.mark.parametrize("learner", LEARNERS)
def test_several_values_of_c_need_validation_queries(learner: type[Learner]) -> None:
    with pytest.raises(InvalidParameterError, match=r"C=\[1\.0, 2\.0\] needs validation queries to select by"):
        learner(C=[1.0, 2.0]).fit(X, GRADES, qid=QID)  # type: ignore[call-arg]


@pytest.mark.parametrize("learner", [StructuralSVM, ClassificationSVM])
def test_margins_need_a_finite_c(learner: type[Learner]) -> None:
    with pytest.raises(InvalidParameterError, match="C=inf is infinite; give a finite one"):
        learner(C=float("inf")).fit(X, GRADES, qid=QID)  # type: ignore[call-arg]
