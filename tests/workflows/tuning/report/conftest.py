"""Tunings of two to seven systems, each run once for all sections of the page."""

from __future__ import annotations

import pytest

from oracles.tuning_pages import Tuned, planted, tuned
from rankmax.preprocessing.feature_normalization import Unchanged


@pytest.fixture(scope="session", params=[2, 3, 4, 7])
def results(request: pytest.FixtureRequest) -> Tuned:
    """Return a tuning of so many systems, with given weights as what runs today."""
    return tuned(planted(request.param), normalizations=[Unchanged()], current="f1=0.5,f2=0.5")
