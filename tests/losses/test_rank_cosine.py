"""The cosine loss where its value is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.judgments import Judgments
from rankmax.losses.rank_cosine import Cosine

GRADES = [0.0, 1.0, 3.0, 1.0]
JUDGMENTS = Judgments.from_grades(GRADES, [0, 4])


@given(factor=st.floats(1e-250, 1e250))
def test_a_multiple_of_the_gains_loses_nothing_and_of_their_negative_everything(factor: float) -> None:
    assert Cosine().value_and_gradient(factor * np.array(GRADES), JUDGMENTS)[0] == pytest.approx(0, abs=1e-15)
    assert Cosine().value_and_gradient(-factor * np.array(GRADES), JUDGMENTS)[0] == pytest.approx(1)


def test_a_right_angle_loses_one_half() -> None:
    assert Cosine().value_and_gradient(np.array([5.0, 1.0, 0.0, -1.0]), JUDGMENTS)[0] == 0.5


@given(scores=st.lists(st.floats(-9, 9), min_size=4, max_size=4), factor=st.floats(0.1, 10))
def test_only_the_direction_of_scores_matters(scores: list[float], factor: float) -> None:
    here, there = (Cosine().value_and_gradient(np.array(scores) * by, JUDGMENTS) for by in (1.0, factor))
    assert there[0] == pytest.approx(here[0], abs=1e-12)
    assert float(here[1] @ scores) == pytest.approx(0, abs=1e-9)


def test_no_scores_are_a_right_angle_without_a_gradient() -> None:
    value, gradient = Cosine().value_and_gradient(np.zeros(4), JUDGMENTS)
    assert (value, gradient.tolist()) == (0.5, [0, 0, 0, 0])


@pytest.mark.parametrize("grade", [0.0, 2.0])
def test_a_query_of_equal_grades_has_no_part_in_it(grade: float) -> None:
    judgments = Judgments.from_grades([*GRADES, grade, grade], [0, 4, 6])
    scores = np.array([0.3, 0.1, 0.9, 0.0, 5.0, -5.0])
    value, gradient = Cosine().value_and_gradient(scores, judgments)
    assert value == Cosine().value_and_gradient(scores[:4], JUDGMENTS)[0]
    assert gradient[4:].tolist() == [0, 0]
