"""Gains chosen by the metric itself, against all gains of a grid."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError
from rankmax.learners.surrogate.gain_polish import polish_gains
from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker
from rankmax.metrics import AP, ERR, nDCG
from rankmax.metrics.metric import Metric
from rankmax.optimizers.iterated_ascent import IteratedAscent

DATA = planted_linear(25, 12, 3, noise=0.8, seed=3, n_grades=4).data
MODEL = SurrogateRanker("cosine").fit_dataset(DATA).model_


@pytest.mark.parametrize("metric", [AP(), nDCG() @ 5, ERR() @ 10], ids=str)
def test_no_gain_is_lost_and_the_rest_is_kept(metric: Metric) -> None:
    polished = polish_gains(MODEL, DATA, metric)  # type: ignore[arg-type]
    before, after = (metric.per_query(model.scores(DATA), DATA.judgments).mean() for model in (MODEL, polished))
    assert after >= before
    np.testing.assert_array_equal(polished.probabilities(DATA), MODEL.probabilities(DATA))  # type: ignore[attr-defined]


def test_near_the_best_gains_of_a_grid() -> None:
    polished = polish_gains(MODEL, DATA, AP(), optimizer=IteratedAscent())  # type: ignore[arg-type]
    shares = MODEL.probabilities(DATA)  # type: ignore[attr-defined]
    grid = product([0.0], np.linspace(-2, 2, 5), np.linspace(-2, 2, 5), np.linspace(0.5, 3, 4))
    best = max(AP().per_query(shares @ np.array(gains), DATA.judgments).mean() for gains in grid)
    assert AP().per_query(polished.scores(DATA), DATA.judgments).mean() >= best - 0.005


def test_data_without_the_features_is_refused() -> None:
    with pytest.raises(InvalidDataError, match="lacks"):
        polish_gains(MODEL, planted_linear(3, 4, 2, seed=1).data, AP())  # type: ignore[arg-type]
