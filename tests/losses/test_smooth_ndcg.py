"""The smooth nDCG near the metric, and on the way there."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.losses.smooth_ndcg import SmoothNDCG
from rankmax.metrics import nDCG

DATA = planted_linear(10, 15, 3, noise=0.5, seed=4).data
SCORES = DATA.features[:, 0] + 0.0


@pytest.mark.parametrize("cutoff", [1, 5, None])
def test_without_smoothing_it_is_one_minus_the_metric(cutoff: int | None) -> None:
    value, _ = SmoothNDCG(cutoff=cutoff, smoothing=1e-12).value_and_gradient(SCORES, DATA.judgments)
    metric = nDCG(gain="exp2", cutoff=cutoff).per_query(SCORES, DATA.judgments).mean()
    assert value == pytest.approx(1 - metric, abs=1e-9)


def test_with_endless_smoothing_every_order_is_as_good() -> None:
    values = [SmoothNDCG(smoothing=1e12).value_and_gradient(sign * SCORES, DATA.judgments)[0] for sign in (1, -1)]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_stages_halve_the_smoothing_down_to_its_own() -> None:
    loss = SmoothNDCG(smoothing=0.5, first_smoothing=4.0, cutoff=3)
    assert [stage.smoothing for stage in loss.stages()] == [4.0, 2.0, 1.0, 0.5]  # type: ignore[attr-defined]
    assert loss.stages()[-1] == loss
    assert SmoothNDCG(smoothing=8.0, first_smoothing=4.0).stages() == (SmoothNDCG(smoothing=8.0, first_smoothing=4.0),)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"smoothing": 0.0}, "smoothing=0 must be a positive number"),
        ({"first_smoothing": -1.0}, "first_smoothing=-1 must be a positive number"),
        ({"cutoff": 0}, "cutoff=0 must be a positive whole number or None"),
        ({"cutoff": 2.5}, "cutoff=2.5 must be a positive whole number or None"),
    ],
)
def test_wrong_parameters(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        SmoothNDCG(**wrong)  # type: ignore[arg-type]


def test_no_documents_at_all() -> None:
    values, gradient = SmoothNDCG().by_query(np.empty(0), np.empty(0), np.array([0, 0]))
    assert np.isnan(values).all()
    assert gradient.size == 0
