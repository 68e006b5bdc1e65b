"""Cross entropy where its value is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax

from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidParameterError
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy

GRADES = [0.0, 1.0, 3.0, 1.0]
JUDGMENTS = Judgments.from_grades(GRADES, [0, 4])


@given(alpha=st.floats(1e-3, 1e3), shift=st.floats(-1e3, 1e3))
def test_scores_that_are_the_target_lose_nothing(alpha: float, shift: float) -> None:
    value, gradient = CrossEntropy(alpha=alpha).value_and_gradient(alpha * np.array(GRADES) + shift, JUDGMENTS)
    assert value == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(gradient, 0, atol=1e-9)


def test_the_proportional_target_is_log_gain() -> None:
    judgments = Judgments.from_grades([1, 2, 3], [0, 3])
    value, gradient = ProportionalCrossEntropy().value_and_gradient(np.log([1.0, 2.0, 3.0]), judgments)
    assert value == pytest.approx(0, abs=1e-15)
    np.testing.assert_allclose(gradient, 0, atol=1e-15)


def test_with_one_relevant_document_the_proportional_loss_is_its_negative_log_probability() -> None:
    scores = np.array([0.3, -1.0, 2.0])
    value, _ = ProportionalCrossEntropy().value_and_gradient(scores, Judgments.from_grades([0, 2, 0], [0, 3]))
    assert value == pytest.approx(-log_softmax(scores)[1])


def test_a_large_alpha_asks_for_the_best_document_alone() -> None:
    scores = np.array([0.3, -1.0, 2.0, 0.0])
    value, _ = CrossEntropy(alpha=1e4).value_and_gradient(scores, JUDGMENTS)
    assert value == pytest.approx(-log_softmax(scores)[2])


@pytest.mark.parametrize("alpha", [0, -1.0, np.nan, np.inf, "2", True])
def test_alpha_is_positive(alpha: float) -> None:
    with pytest.raises(InvalidParameterError, match=r"CrossEntropy: alpha=.* must be a positive number"):
        CrossEntropy(alpha=alpha)
