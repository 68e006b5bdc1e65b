"""Ticks of an axis."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankmax.workflows.tuning.report.axes import round_ticks


@given(low=st.floats(-10, 10), span=st.floats(1e-4, 20))
def test_ticks_are_round_distinct_and_inside(low: float, span: float) -> None:
    ticks = round_ticks(low, low + span)
    assert 3 <= len(ticks) <= 8
    assert len(set(ticks)) == len(ticks)
    numbers = np.array([float(tick) for tick in ticks])
    assert numbers.min() >= low - 1e-6 * span
    assert numbers.max() <= low + span * (1 + 1e-6)
    np.testing.assert_allclose(np.diff(numbers), numbers[1] - numbers[0], rtol=1e-6)
