from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.line_search.fixed_steps import FixedSteps
from rankmax.line_search.golden_section import GoldenSection
from rankmax.line_search.sampling import InexactSearch, SampledLine

SEARCHES = [GoldenSection(), GoldenSection(n_places=0, n_sections=3), FixedSteps()]
INTERVALS = [(-math.inf, math.inf), (0.0, math.inf), (-0.5, 2.0), (-math.inf, 0.0), (0.0, 0.0)]
OFFSETS = np.array([0, 3, 3, 5])


def bumps(scores: np.ndarray) -> float:
    return float(np.sin(scores).sum())


@given(
    scores=st.lists(st.floats(-5, 5), min_size=5, max_size=5).map(np.array),
    slopes=st.lists(st.floats(-5, 5), min_size=5, max_size=5).map(np.array),
    search=st.sampled_from(SEARCHES),
    interval=st.sampled_from(INTERVALS),
)
def test_the_best_place_seen_is_taken_inside_the_interval(
    scores: np.ndarray, slopes: np.ndarray, search: InexactSearch, interval: tuple[float, float]
) -> None:
    low, high = interval
    seen: list[float] = []

    def value(at: np.ndarray) -> float:
        seen.append(bumps(at))
        return seen[-1]

    (peak,) = SampledLine(search, value, OFFSETS).peaks(scores, slopes, low=low, high=high)
    assert peak.value == max(seen) >= bumps(scores)
    assert peak.low == peak.high
    assert low <= peak.low <= high
    assert peak.value == bumps(scores + peak.low * slopes)


@pytest.mark.parametrize("search", SEARCHES)
def test_units_of_the_direction_do_not_matter(search: InexactSearch) -> None:
    rng = np.random.default_rng(1)
    scores, slopes = rng.normal(size=(2, 5))
    line = SampledLine(search, bumps, OFFSETS)
    (peak,) = line.peaks(scores, slopes)
    (stretched,) = line.peaks(scores, 1024 * slopes)
    assert stretched.low * 1024 == pytest.approx(peak.low)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_line_that_ranks_alike_everywhere_is_not_searched(search: InexactSearch) -> None:
    seen: list[np.ndarray] = []
    line = SampledLine(search, lambda scores: float(seen.append(scores) or 0.0), OFFSETS)  # type: ignore[func-returns-value]
    (peak,) = line.peaks(np.arange(5.0), np.array([2.0, 2.0, 2.0, 7.0, 7.0]))
    assert (peak.low, len(seen)) == (0.0, 1)


def test_equal_scores_are_left_by_any_step() -> None:
    (peak,) = SampledLine(FixedSteps(), lambda s: float(s[0] > s[1]), OFFSETS).peaks(np.zeros(5), np.arange(5.0))
    assert peak.low < 0
    assert peak.value == 1.0


def test_steps_are_not_known() -> None:
    with pytest.raises(IncompatibleError, match=r"GoldenSection\(.*leave line_search out"):
        SampledLine(GoldenSection(), bumps, OFFSETS).step_function(np.zeros(5), np.zeros(5))


def test_interval_must_hold_the_start() -> None:
    with pytest.raises(InvalidDataError, match="must contain 0"):
        list(SampledLine(GoldenSection(), bumps, OFFSETS).peaks(np.zeros(5), np.zeros(5), low=1.0))
