"""The standard error against its definition."""

from __future__ import annotations

from statistics import stdev

import numpy as np
import pytest

from rankmax._numerics.standard_error import standard_error


def test_is_its_definition() -> None:
    values = [0.1, 0.9, 0.4, 0.3]
    assert standard_error(np.array(values)) == pytest.approx(stdev(values) / 2, rel=1e-14)
    assert standard_error(np.array([*values, np.nan])) == standard_error(np.array(values))


@pytest.mark.parametrize("values", [[], [0.5], [np.nan, 0.5], [np.nan]])
def test_fewer_than_two_values_have_none(values: list[float]) -> None:
    assert standard_error(np.array(values)) == 0.0
