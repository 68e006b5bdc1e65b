"""Which peak of a line is taken."""

from __future__ import annotations

import numpy as np

from rankmax.line_search.objective import ScoredPoint, best_of_peaks
from rankmax.line_search.step_function import Interval


def test_the_first_peak_that_is_as_predicted_is_taken_and_a_broken_one_is_not() -> None:
    start = ScoredPoint(np.zeros(1), np.empty(0), 0.1)
    peaks = [Interval(0.0, 1.0, 0.9), Interval(2.0, 4.0, 0.7), Interval(5.0, 6.0, 0.6)]

    def at(weights: np.ndarray) -> ScoredPoint:
        return ScoredPoint(weights, np.empty(0), 0.2 if weights[0] < 2 else 0.7)

    found = best_of_peaks(iter(peaks), start, np.ones(1), at)
    assert (found.weights[0], found.value) == (3.0, 0.7)
    assert best_of_peaks(iter([Interval(0.0, 1.0, 0.1)]), start, np.ones(1), at) is start
