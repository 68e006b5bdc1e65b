"""Reciprocal rank on longer lists than can be enumerated, against dynamic programming."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.judgments import Judgments
from rankmax.learners.structural.oracles.reciprocal_rank_oracle import ReciprocalRankOracle
from rankmax.learners.structural.oracles.tabular import TabularOracle
from rankmax.metrics import RR


@pytest.mark.parametrize("metric", [RR(), RR() @ 5, RR() @ 1, RR() @ 1000])
@pytest.mark.parametrize("scale", [0.1, 2.0, 50.0])
def test_agrees_with_dynamic_programming(metric: RR, scale: float) -> None:
    rng = np.random.default_rng(7)
    sizes = rng.integers(2, 80, 40)
    relevant = np.concatenate([np.append([0, 1], rng.random(n - 2) < 0.1) for n in sizes])
    judgments = Judgments.from_grades(relevant, np.append(0, np.cumsum(sizes)))
    scores = scale * (rng.normal(size=relevant.size) + 0.7 * relevant)
    found, expected = (
        oracle(metric, judgments).most_violated(scores).slacks(scores, judgments.query_offsets)
        for oracle in (ReciprocalRankOracle, TabularOracle)
    )
    np.testing.assert_allclose(found, expected, atol=1e-9)
