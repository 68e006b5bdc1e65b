"""Rescoring against the sweep of the same metric with tables, and against brute force."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.line_search.golden_section import GoldenSection
from rankmax.line_search.metric_sweep import MetricSweep
from rankmax.line_search.rescored_line import RescoringSweep
from rankmax.line_search.sampling import SampledLine
from rankmax.metrics import Metric, from_function, parse_metric
from rankmax.metrics.evaluator import evaluate_metrics

INTERVALS = [(-math.inf, math.inf), (0.0, math.inf), (-0.5, 2.0), (-math.inf, 0.0)]


def dcg(grades: np.ndarray) -> float:
    return float((grades / np.log2(np.arange(2, grades.size + 2))).sum())


def reciprocal_rank(grades: np.ndarray) -> float:
    found = np.flatnonzero(grades > 0)
    return 1.0 / (1 + found[0]) if found.size else 0.0


TWINS = {
    "DCG": from_function(dcg, rel=1),
    "DCG@3": from_function(dcg, rel=1) @ 3,
    "DCG(no_relevant='skip')@1": from_function(dcg, rel=1, no_relevant="skip") @ 1,  # type: ignore[arg-type]
    "RR": from_function(reciprocal_rank, rel=1),
    "RR(no_relevant='one')": from_function(reciprocal_rank, rel=1, no_relevant="one"),  # type: ignore[arg-type]
}
"""Black boxes with the values of a metric that has tables."""


@st.composite
def lines(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, Judgments, np.ndarray]:
    """Draw lines with ties, parallels, duplicates and simultaneous crossings, and query weights."""
    sizes = [draw(st.integers(2, 12)), *draw(st.lists(st.integers(0, 12), max_size=2))]
    n = sum(sizes)
    number = draw(
        st.sampled_from(
            [
                st.integers(-3, 3).map(float),
                st.floats(-2, 2).map(lambda x: round(x, 6)),
                st.sampled_from([0.0, 1.0, 1e-9, 1e6, -1e6]),
            ]
        )
    )
    scores = np.array(draw(st.lists(number, min_size=n, max_size=n)))
    slopes = np.array(draw(st.lists(st.one_of(st.just(0.0), number), min_size=n, max_size=n)))
    grades = [1, *draw(st.lists(st.sampled_from([0, 0, 1, 2, np.nan]), min_size=n - 1, max_size=n - 1))]
    weights = [1.0, *draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=len(sizes) - 1, max_size=len(sizes) - 1))]
    return scores, slopes, Judgments.from_grades(grades, np.cumsum([0, *sizes])), np.array(weights)


def differences(scores: np.ndarray, slopes: np.ndarray, judgments: Judgments) -> tuple[np.ndarray, np.ndarray]:
    """Return the differences of scores and of slopes over all pairs within queries that are different lines."""
    leads, rises = [], []
    for first, stop in pairwise(judgments.query_offsets):
        i, j = np.triu_indices(stop - first, 1)
        leads.append(scores[first + i] - scores[first + j])
        rises.append(slopes[first + i] - slopes[first + j])
    lead, rise = np.concatenate(leads), np.concatenate(rises)
    different = (lead != 0) | (rise != 0)
    return lead[different], rise[different]


def clear_places(scores: np.ndarray, slopes: np.ndarray, judgments: Judgments, low: float, high: float) -> list[float]:
    """Return a place between all crossings, where rounding does not decide the order."""
    lead, rise = differences(scores, slopes, judgments)
    crossing = rise != 0
    ties = np.unique(-lead[crossing] / rise[crossing])
    edges = [max(low, -1e8), *ties[(ties > low) & (ties < high)], min(high, 1e8)]
    places = [0.5 * (left + right) for left, right in pairwise(edges)]
    size = [np.abs(scores).max() + abs(mu) * np.abs(slopes).max() for mu in places]
    return [mu for mu, s in zip(places, size, strict=True) if (np.abs(lead + mu * rise) > 1e-9 * s).all()]


@given(problem=lines(), name=st.sampled_from(list(TWINS)), interval=st.sampled_from(INTERVALS))
def test_equals_the_sweep_of_the_same_metric_with_tables(
    problem: tuple[np.ndarray, np.ndarray, Judgments, np.ndarray], name: str, interval: tuple[float, float]
) -> None:
    scores, slopes, judgments, weights = problem
    low, high = interval
    swept = MetricSweep(parse_metric(name), judgments, query_weights=weights)
    rescored = RescoringSweep(TWINS[name], judgments, query_weights=weights)
    expected = swept.step_function(scores, slopes, low=low, high=high)
    function = rescored.step_function(scores, slopes, low=low, high=high)
    places = clear_places(scores, slopes, judgments, low, high)
    np.testing.assert_allclose(function(places), expected(places), rtol=0, atol=1e-9)


@given(
    problem=lines(),
    metric=st.sampled_from([parse_metric("Bpref"), TWINS["DCG@3"]]),
    interval=st.sampled_from(INTERVALS),
)
def test_equals_rescoring_between_all_crossings(
    problem: tuple[np.ndarray, np.ndarray, Judgments, np.ndarray], metric: Metric, interval: tuple[float, float]
) -> None:
    scores, slopes, judgments, weights = problem
    low, high = interval
    search = RescoringSweep(metric, judgments, query_weights=weights)  # type: ignore[arg-type]
    function = search.step_function(scores, slopes, low=low, high=high)
    for mu in clear_places(scores, slopes, judgments, low, high):
        values = evaluate_metrics([metric], scores + mu * slopes, judgments, compiled=False)[0]
        assert function(mu) == pytest.approx(np.average(values, weights=weights), abs=1e-9)


@given(problem=lines())
def test_peaks_begin_with_the_best_and_go_down(
    problem: tuple[np.ndarray, np.ndarray, Judgments, np.ndarray],
) -> None:
    scores, slopes, judgments, weights = problem
    search = RescoringSweep(TWINS["DCG"], judgments, query_weights=weights)
    peaks = list(search.peaks(scores, slopes))
    assert peaks[0] == search.step_function(scores, slopes).best()
    values = [peak.value for peak in peaks[1:]]
    assert values == sorted(values, reverse=True)


def test_breakpoints_are_where_the_value_changes() -> None:
    """Documents of equal grade cross at 4/3, the relevant one overtakes the others at 2 and 4."""
    judgments = Judgments.from_grades([1, 0, 0], [0, 3])
    search = RescoringSweep(TWINS["RR"], judgments)
    function = search.step_function(np.array([0.0, 2.0, 1.0]), np.array([1.0, 0.0, 0.75]))
    np.testing.assert_array_equal(function.breakpoints, [2.0, 4.0])
    np.testing.assert_allclose(function.values, [1 / 3, 1 / 2, 1.0], rtol=1e-15)


def test_only_rankings_that_differ_above_the_cutoff_are_scored() -> None:
    rng = np.random.default_rng(0)
    judgments = Judgments.from_grades(rng.integers(0, 2, 60), [0, 60])
    calls = []

    def counted(grades: np.ndarray) -> float:
        calls.append(1)
        return dcg(grades)

    scores, slopes = rng.normal(size=(2, 60))
    numbers = []
    for metric in (from_function(counted), from_function(counted) @ 2):
        search = RescoringSweep(metric, judgments)
        calls.clear()
        search.step_function(scores, slopes)
        numbers.append(len(calls))
    assert numbers[1] < 0.2 * numbers[0]


@pytest.mark.parametrize(("cutoff", "most_documents"), [(None, 400), (10, 1), (10, 400)])
def test_lines_beyond_the_budget(cutoff: int | None, most_documents: int) -> None:
    """There are 84 crossings, too many to score and, for 1 document, to rank; 400 allow for ranking, not scoring."""
    rng = np.random.default_rng(0)
    judgments = Judgments.from_grades(rng.integers(0, 2, 20), [0, 20])
    scores, slopes = rng.normal(size=(2, 20))
    metric = from_function(dcg, cutoff=cutoff)
    alone = RescoringSweep(metric, judgments, most_documents=most_documents)
    with pytest.raises(IncompatibleError, match=r"too often .* cutoff or with tables"):
        alone.step_function(scores, slopes)
    with pytest.raises(IncompatibleError, match="too often"):
        alone.peaks(scores, slopes)
    otherwise = SampledLine(GoldenSection(), lambda s: metric.per_query(s, judgments)[0], judgments.query_offsets)
    left = RescoringSweep(metric, judgments, most_documents=most_documents, otherwise=otherwise)
    assert list(left.peaks(scores, slopes)) == list(otherwise.peaks(scores, slopes))


def test_a_short_interval_stays_within_the_budget() -> None:
    rng = np.random.default_rng(0)
    judgments = Judgments.from_grades(rng.integers(0, 2, 20), [0, 20])
    scores, slopes = rng.normal(size=(2, 20))
    search = RescoringSweep(from_function(dcg), judgments, most_documents=20)
    function = search.step_function(scores, slopes, low=-1e-9, high=1e-9)
    assert function.values == pytest.approx(from_function(dcg).per_query(scores, judgments))


def test_values_must_be_numbers() -> None:
    metric = from_function(lambda grades: np.inf if grades[0] else 0.0, name="lost")
    search = RescoringSweep(metric, Judgments.from_grades([0, 1], [0, 2], query_ids=["q7"]))
    with pytest.raises(InvalidDataError, match="inf for some ranking of query 'q7'"):
        search.step_function(np.array([1.0, 0.0]), np.array([0.0, 1.0]))


def test_interval_must_hold_the_start() -> None:
    search = RescoringSweep(TWINS["RR"], Judgments.from_grades([1], [0, 1]))
    with pytest.raises(InvalidDataError, match="must contain 0"):
        search.step_function(np.zeros(1), np.zeros(1), low=1.0)
