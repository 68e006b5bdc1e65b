"""ROC area: pairs that decide for themselves."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.judgments import Judgments
from rankmax.learners.structural.oracles.roc_area_oracle import ROCAreaOracle
from rankmax.metrics import ROC


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
def test_slack_is_the_mean_hinge_loss_of_pairs(scale: float) -> None:
    rng = np.random.default_rng(1)
    relevant = rng.random(300) < 0.2
    scores = scale * (rng.normal(size=300) + relevant)
    judgments = Judgments.from_grades(relevant, [0, 300])
    found = ROCAreaOracle(ROC(), judgments).most_violated(scores)
    differences = scores[relevant][:, None] - scores[~relevant]
    hinge = np.maximum(0.0, 1 - 2 * differences).mean()
    assert found.slacks(scores, judgments.query_offsets)[0] == pytest.approx(hinge)
    assert found.losses[0] == pytest.approx((differences < 0.5).mean())
