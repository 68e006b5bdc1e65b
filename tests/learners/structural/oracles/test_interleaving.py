"""What margins of interleavings look like."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.judgments import Judgments
from rankmax.learners.structural.loss_registry import structural_loss


@pytest.mark.parametrize("loss", ["AP", "ROC", "RR", "P@5", "nDCG", "nDCG@5"])
def test_relevant_documents_are_pulled_up_and_others_down(loss: str) -> None:
    rng = np.random.default_rng(8)
    grades = rng.choice(3, 400, p=[0.7, 0.2, 0.1])
    judgments = Judgments.from_grades(grades, np.arange(0, 401, 40))
    found = structural_loss(loss).oracle(judgments).most_violated(rng.normal(size=400))
    assert (found.margins[grades == 2] >= 0).all()
    assert (found.margins[grades == 0] <= 0).all()
    assert found.margins[grades == 2].max() > 0 > found.margins[grades == 0].min()
    np.testing.assert_allclose(np.add.reduceat(found.margins, judgments.query_offsets[:-1]), 0.0, atol=1e-12)


@pytest.mark.parametrize("loss", ["AP", "ROC", "RR", "P@5", "nDCG", "nDCG@5"])
def test_wide_enough_margins_violate_nothing(loss: str) -> None:
    grades = np.tile([2, 0, 1, 0, 0, 1, 0], 10)
    judgments = Judgments.from_grades(grades, np.arange(0, 71, 7))
    found = structural_loss(loss).oracle(judgments).most_violated(1000.0 * grades)
    assert not found.losses.any()
    assert not found.margins.any()
