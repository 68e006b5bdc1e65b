"""The pairwise logistic loss where its value is known."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidParameterError
from rankmax.losses.pairwise_logistic import PairwiseLogistic


def test_equal_scores_lose_log_2_whatever_the_pairs() -> None:
    judgments = Judgments.from_grades([0, 1, 2, 0, 5, 5], [0, 4, 6])
    for weighted in (False, True):
        assert PairwiseLogistic(weighted=weighted).value_and_gradient(np.ones(6), judgments)[0] == pytest.approx(
            np.log(2)
        )


def test_weights_are_differences_of_gain() -> None:
    judgments = Judgments.from_grades([0, 1, 2], [0, 3])
    _, gradient = PairwiseLogistic(weighted=True, gain="exp2").value_and_gradient(np.zeros(3), judgments)
    np.testing.assert_allclose(gradient, np.array([1 + 3, 2 - 1, -2 - 3]) / 2 / (1 + 3 + 2))


def test_losses_far_too_small_for_log_of_one_plus_them_are_kept() -> None:
    value, _ = PairwiseLogistic().value_and_gradient(np.array([0.0, 60.0]), Judgments.from_grades([0, 1], [0, 2]))
    assert value == pytest.approx(np.exp(-60), rel=1e-12)


def test_weighted_is_true_or_false() -> None:
    with pytest.raises(InvalidParameterError, match="weighted='gain' must be True or False"):
        PairwiseLogistic(weighted="gain")  # type: ignore[arg-type]
