from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax._arrays import F64
from rankmax.errors import IncompatibleError, InvalidParameterError, UnknownNameError
from rankmax.metrics import AP
from rankmax.metrics.metric import Metric
from rankmax.retrieval.features import BM25, Boolean, Dirichlet, JelinekMercer
from rankmax.workflows.searching.feature_trials import Trials
from rankmax.workflows.searching.function_parameters import RANGES, ParameterRange, tune_function


class Landscape:
    """Stands for trials: three queries whose values are a function of the parameters."""

    def __init__(self, height: Callable[..., float]) -> None:
        self.height = height
        self.tried: list[object] = []

    def values(self, function: object, metric: Metric) -> F64:
        return self.height(function) + np.array([-0.1, 0.0, 0.1])

    def mean(self, function: object, metric: Metric) -> float:
        self.tried.append(function)
        return float(self.values(function, metric).mean())

    @property
    def trials(self) -> Trials:
        return cast(Trials, self)


@given(st.floats(2, 50_000))
def test_one_hill_is_ascended_to_its_top(top: float) -> None:
    landscape = Landscape(lambda f: -(math.log(f.mu / top) ** 2))
    tuning = tune_function(Dirichlet(), landscape.trials, AP())
    assert abs(math.log(cast(Dirichlet, tuning.best.function).mu / top)) < 0.35
    assert len(landscape.tried) < 20
    curve = tuning.curves["mu"]
    assert (np.diff(curve[:, 0]) > 0).all()
    assert curve[0, 0] == 1
    assert curve[-1, 0] == 100_000
    assert tuning.best.value == curve[:, 1].max() >= tuning.start.value
    assert tuning.standard_error == pytest.approx(0.1 / 3**0.5)


@given(st.floats(0.3, 3.7), st.floats(0.1, 0.9), st.floats(-0.9, 0.9))
def test_parameters_that_depend_on_each_other(k1: float, b: float, slant: float) -> None:
    def height(f: BM25) -> float:
        x, y = (f.k1 - k1) / 4, f.b - b
        return -(x * x + 2 * slant * x * y + y * y)

    tuning = tune_function(BM25(), Landscape(height).trials, AP())
    found = cast(BM25, tuning.best.function)
    assert tuning.best.value == pytest.approx(height(found))
    assert tuning.best.value > -0.02
    assert found.k3 == math.inf  # not tuned: repetitions count in full


def test_a_start_that_nothing_beats_is_kept() -> None:
    start = Dirichlet(mu=1234)
    tuning = tune_function(start, Landscape(lambda f: float(f == start)).trials, AP())
    assert tuning.best == tuning.start
    assert 1234 in tuning.curves["mu"][:, 0]


def test_named_parameters_within_given_ranges() -> None:
    landscape = Landscape(lambda f: f.k3)
    ranges = {"k3": ParameterRange(1, 8)}
    tuning = tune_function(BM25(k1=0.9, k3=2), landscape.trials, AP(), ranges=ranges)
    assert tuning.best.function == BM25(k1=0.9, k3=8)
    assert list(tuning.curves) == ["k3"]


def test_fields_stay() -> None:
    start = JelinekMercer(fields=("title",))
    tuning = tune_function(start, Landscape(lambda f: -f.background).trials, AP())
    assert tuning.best.function == replace(start, background=RANGES["background"].low)


def test_what_cannot_be_tuned() -> None:
    landscape = Landscape(lambda f: 0.0)
    with pytest.raises(IncompatibleError, match="nothing to tune"):
        tune_function(Boolean(), landscape.trials, AP())
    with pytest.raises(UnknownNameError, match="parameter of bm25"):
        tune_function(BM25(), landscape.trials, AP(), ranges={"mu": RANGES["mu"]})


@pytest.mark.parametrize(
    ("low", "high", "is_ratio"), [(1, 1, False), (2, 1, False), (0, 1, True), (0, math.inf, False)]
)
def test_no_range(low: float, high: float, is_ratio: bool) -> None:
    with pytest.raises(InvalidParameterError, match="range"):
        ParameterRange(low, high, is_ratio)


@given(st.floats(0, 1), st.booleans())
def test_places_stay_within_their_range(share: float, is_ratio: bool) -> None:
    within = ParameterRange(0.1, 1000, is_ratio)
    assert within.low <= within.at(share) <= within.high
    assert float(f"{within.at(share):.3g}") == within.at(share)
