"""Facts of all queries from those of parts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from rankmax.data.judgments import Judgments
from rankmax.line_search.sweep_facts import SweepFacts
from rankmax.metrics import parse_metric


@pytest.mark.parametrize("metric", ["AP", "nDCG(gain='exp2')@3", "ERR@5", "AP(no_relevant='skip')"])
def test_parts_make_the_whole(metric: str) -> None:
    rng = np.random.default_rng(0)
    offsets = np.cumsum([0, *rng.integers(1, 12, 20)])
    judgments = Judgments.from_grades(rng.integers(0, 4, offsets[-1]), offsets)
    weights = rng.random(20)
    whole = SweepFacts.of(parse_metric(metric), judgments, weights)
    borders = [0, 3, 4, 20]
    parts = [
        SweepFacts.of(parse_metric(metric), judgments.select(np.arange(a, b)), weights[a:b])
        for a, b in pairwise(borders)
    ]
    joined = SweepFacts.of_all(parts[::-1])
    assert (joined.total_weight, joined.mean_offset) == (whole.total_weight, whole.mean_offset)
    assert joined.units_in_one == whole.units_in_one
    np.testing.assert_array_equal(joined.gains, whole.gains)
    assert joined.value(12345) == whole.value(12345)
