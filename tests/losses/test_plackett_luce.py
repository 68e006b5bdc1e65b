"""The Plackett-Luce likelihood against the sum over all orders."""

from __future__ import annotations

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.losses import probability_of_order
from rankmax.data.judgments import Judgments
from rankmax.losses.plackett_luce import PlackettLuce


def probability_of_falling(scores: list[float], grades: list[float]) -> float:
    """Return the probability of all orders in which no grade stands above a higher one."""
    orders = permutations(range(len(scores)))
    return sum(
        probability_of_order([scores[i] for i in order])
        for order in orders
        if all(grades[a] >= grades[b] for a, b in pairwise(order))
    )


def loss(scores: list[float], grades: list[float]) -> float:
    return PlackettLuce().value_and_gradient(np.array(scores), Judgments.from_grades(grades, [0, len(grades)]))[0]


@given(scores=st.lists(st.floats(-4, 4), min_size=5, max_size=5), grades=st.permutations([0.0, 1.0, 2.0, 3.0, 7.0]))
def test_exact_where_grades_differ(scores: list[float], grades: list[float]) -> None:
    assert loss(scores, grades) == pytest.approx(-math.log(probability_of_falling(scores, grades)))


@given(
    by_grade=st.tuples(*[st.floats(-3, 3)] * 3),
    low=st.lists(st.floats(-3, 3), min_size=2, max_size=2),
    grades=st.permutations([1.0, 1.0, 2.0, 2.0]),
)
def test_exact_where_equals_have_equal_scores_and_the_lowest_any(
    by_grade: tuple[float, ...], low: list[float], grades: list[float]
) -> None:
    scores = [by_grade[int(grade)] for grade in grades] + low
    grades = [*grades, 0.0, 0.0]
    assert loss(scores, grades) == pytest.approx(-math.log(probability_of_falling(scores, grades)))


@given(scores=st.lists(st.floats(-0.5, 0.5), min_size=5, max_size=5))
def test_near_the_sum_over_orders_where_equals_differ(scores: list[float]) -> None:
    grades = [2.0, 2.0, 2.0, 0.0, 0.0]
    assert loss(scores, grades) == pytest.approx(-math.log(probability_of_falling(scores, grades)), abs=0.2)


def test_how_equals_stand_in_the_file_does_not_matter() -> None:
    assert loss([0.3, 1.0, -2.0, 0.5], [1, 1, 0, 0]) == pytest.approx(loss([1.0, 0.3, 0.5, -2.0], [1, 1, 0, 0]))


def test_only_the_order_of_gains_matters() -> None:
    scores, judgments = np.array([0.1, 0.7, 0.2]), Judgments.from_grades([2, 1, 0], [0, 3])
    values = {PlackettLuce(gain=gain).value_and_gradient(scores, judgments)[0] for gain in ("linear", "exp2")}
    assert len(values) == 1
