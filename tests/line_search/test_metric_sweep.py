"""The sweep against re-sorting and re-evaluating everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.line_search import metric_sweep as sweep_module
from rankmax.line_search.metric_sweep import MetricSweep
from rankmax.metrics import from_function, parse_metric
from rankmax.metrics.evaluator import evaluate_metrics

METRICS = [
    "AP",
    "AP(rel=2)@4",
    "nDCG",
    "nDCG(gain='exp2')@3",
    "nDCG@1",
    "RR",
    "RR@2",
    "P@2",
    "R@5",
    "Success@1",
    "Rprec",
    "ERR",
    "ERR@3",
    "RBP(p=0.7)",
    "ROC",
    "DCG@2",
    "Judged@2",
    "Tables(gain=[0,1,2],discount=[1,0.5,0.25,0.1],prefix=[1,0.5])",
]
INTERVALS = [(-math.inf, math.inf), (0.0, math.inf), (-1.0, math.inf), (-0.5, 2.0), (-math.inf, 0.0)]


@st.composite
def lines(draw: st.DrawFn, most: int = 30) -> tuple[np.ndarray, np.ndarray, Judgments]:
    """Draw lines with ties, parallels, duplicates and simultaneous crossings: small integers make all of them."""
    sizes = draw(st.lists(st.integers(0, most), min_size=1, max_size=3))
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
    grades = draw(st.lists(st.sampled_from([0, 0, 1, 2, np.nan]), min_size=n, max_size=n))
    return scores, slopes, Judgments.from_grades(grades, np.cumsum([0, *sizes]))


def mean(metric: object, scores: np.ndarray, judgments: Judgments) -> float:
    values = evaluate_metrics([metric], scores, judgments, compiled=False)[0]  # type: ignore[list-item]
    return float(np.nanmean(values))


def crossings(scores: np.ndarray, slopes: np.ndarray, judgments: Judgments) -> np.ndarray:
    """Every mu at which two documents of one query tie."""
    found = []
    for first, stop in zip(judgments.query_offsets[:-1], judgments.query_offsets[1:], strict=True):
        a, b = scores[first:stop], slopes[first:stop]
        with np.errstate(divide="ignore", invalid="ignore"):
            mu = -(a[:, None] - a[None, :]) / (b[:, None] - b[None, :])
        found.append(mu[np.isfinite(mu)])
    return np.unique(np.concatenate(found))


def rounding_decides(mu: float, scores: np.ndarray, slopes: np.ndarray, judgments: Judgments) -> bool:
    """Whether different lines of one query come so close at mu that floating point may order them either way."""
    for first, stop in zip(judgments.query_offsets[:-1], judgments.query_offsets[1:], strict=True):
        a, b = scores[first:stop], slopes[first:stop]
        lead, rise = a[:, None] - a[None, :], b[:, None] - b[None, :]
        different = (lead != 0) | (rise != 0)
        size = np.abs(a).max(initial=0.0) + abs(mu) * np.abs(b).max(initial=0.0)
        if (np.abs(lead + mu * rise)[different] < 1e-9 * size).any():
            return True
    return False


@given(problem=lines(), name=st.sampled_from(METRICS), interval=st.sampled_from(INTERVALS))
def test_equals_rescoring_between_all_crossings(
    problem: tuple[np.ndarray, np.ndarray, Judgments], name: str, interval: tuple[float, float]
) -> None:
    scores, slopes, judgments = problem
    metric = parse_metric(name)
    low, high = interval
    function = MetricSweep(metric, judgments).step_function(scores, slopes, low=low, high=high)
    ties = crossings(scores, slopes, judgments)
    ties = ties[(ties > low) & (ties < high)]
    edges = np.concatenate([[max(low, -1e8)], ties, [min(high, 1e8)]])
    for left, right in pairwise(edges):
        mu = 0.5 * (left + right)
        if not rounding_decides(mu, scores, slopes, judgments):
            assert function(mu) == pytest.approx(mean(metric, scores + mu * slopes, judgments), abs=1e-9)


@given(problem=lines(), name=st.sampled_from(METRICS))
def test_breakpoints_are_crossings(problem: tuple[np.ndarray, np.ndarray, Judgments], name: str) -> None:
    scores, slopes, judgments = problem
    function = MetricSweep(parse_metric(name), judgments).step_function(scores, slopes)
    ties = crossings(scores, slopes, judgments)
    for mu in function.breakpoints:
        assert np.abs(ties - mu).min() <= 1e-9 * max(1.0, abs(mu))


@given(problem=lines(), name=st.sampled_from(METRICS), interval=st.sampled_from(INTERVALS))
def test_buckets_find_the_same_maximum(
    problem: tuple[np.ndarray, np.ndarray, Judgments], name: str, interval: tuple[float, float]
) -> None:
    scores, slopes, judgments = problem
    sweep = MetricSweep(parse_metric(name), judgments)
    low, high = interval
    expected = sweep.step_function(scores, slopes, low=low, high=high).best()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep_module, "_STEPS_OF_A_GROUP", 4)  # several groups
        patch.setattr(sweep_module, "N_BUCKETS", 8)
        found = sweep.best(scores, slopes, low=low, high=high)
    assert found.value == expected.value
    assert found.width == pytest.approx(expected.width)


@given(problem=lines(most=12), name=st.sampled_from(METRICS), place=st.floats(-0.5, 2.0))
def test_values_by_query_are_those_of_rescoring(
    problem: tuple[np.ndarray, np.ndarray, Judgments], name: str, place: float
) -> None:
    scores, slopes, judgments = problem
    places = np.sort([place, -0.4142135623, 0.5772156649, 1.6180339887])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep_module, "_QUERIES_OF_A_BLOCK", 2)
        found = MetricSweep(parse_metric(name), judgments).values_by_query(scores, slopes, places, low=-0.5, high=2.0)
    for mu, values in zip(places, found, strict=True):
        if not rounding_decides(mu, scores, slopes, judgments):
            expected = evaluate_metrics([parse_metric(name)], scores + mu * slopes, judgments, compiled=False)[0]
            np.testing.assert_allclose(values, expected, atol=1e-9)


def test_many_steps_need_more_room() -> None:
    rng = np.random.default_rng(0)
    judgments = Judgments.from_grades(rng.integers(0, 2, 3000), np.arange(0, 3001, 1000))
    scores, slopes = rng.normal(size=3000), rng.normal(size=3000)
    sweep = MetricSweep(parse_metric("AP"), judgments)
    function = sweep.step_function(scores, slopes)
    assert function.breakpoints.size > 32 * 1024
    best = sweep.best(scores, slopes)
    assert best == function.best()
    assert mean(parse_metric("AP"), scores + best.middle * slopes, judgments) == pytest.approx(best.value, abs=1e-9)
    by_query = sweep.values_by_query(scores, slopes, np.array([best.middle]))
    assert by_query.mean() == pytest.approx(best.value, abs=1e-9)


def rescored(metric: object, scores: np.ndarray, slopes: np.ndarray, judgments: Judgments) -> None:
    """Assert that the step function is right between some hundred crossings."""
    function = MetricSweep(metric, judgments).step_function(scores, slopes)  # type: ignore[arg-type]
    ties = crossings(scores, slopes, judgments)
    middles = np.concatenate(
        [[ties[0] - 1.0], 0.5 * (ties[1:] + ties[:-1])[:: max(1, ties.size // 200)], [ties[-1] + 1]]
    )
    for mu in middles:
        if not rounding_decides(mu, scores, slopes, judgments):
            assert function(mu) == pytest.approx(mean(metric, scores + mu * slopes, judgments), abs=1e-9)


@pytest.mark.parametrize("name", ["AP", "nDCG", "nDCG@10", "ERR"])
def test_few_documents_move(name: str) -> None:
    rng = np.random.default_rng(1)
    judgments = Judgments.from_grades(rng.integers(0, 4, 300), [0, 50, 150, 300])
    slopes = np.where(rng.random(300) < 0.05, rng.normal(size=300), 0.25)
    rescored(parse_metric(name), rng.normal(size=300), slopes, judgments)


def test_nearly_every_gain_is_another() -> None:
    rng = np.random.default_rng(2)
    judgments = Judgments.from_grades(rng.random(200), [0, 80, 200])
    rescored(parse_metric("nDCG"), rng.normal(size=200), rng.normal(size=200), judgments)


def test_the_largest_value_may_be_made_of_rounding() -> None:
    """All four queries gain between two neighboring numbers only, which a border of buckets divides."""
    from rankmax._kernels.lines.event_sorting import find_buckets

    def bucket(mu: float) -> int:
        found = np.empty(1, np.int32)
        find_buckets(np.array([mu]), 3.0, 8, found)
        return int(found[0])

    below, above = 3.0, 4.0
    while np.nextafter(below, 4.0) < above:
        middle = 0.5 * (below + above)
        below, above = (middle, above) if bucket(middle) == bucket(below) else (below, middle)
    assert bucket(below) < bucket(above)
    judgments = Judgments.from_grades([0, 1, 0, 1, 0, 1, 0, 1, 0], [0, 3, 5, 7, 9])
    scores = np.array([below, 0.0, -above, 0.0, 1.0, 0.0, 2.0, 0.0, 3.0])  # the last three gain from 1, 2 and 3
    slopes = np.array([0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    sweep = MetricSweep(parse_metric("Success@1"), judgments)
    function = sweep.step_function(scores, slopes)
    assert function.values.max() == 1.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep_module, "N_BUCKETS", 8)
        best = sweep.best(scores, slopes)
    assert best == function.best()
    assert best.value == 0.75


def test_query_weights() -> None:
    judgments = Judgments.from_grades([1, 0, 1, 0], [0, 2, 4])
    scores, slopes = np.array([0.0, 1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0, 1.0])
    function = MetricSweep(parse_metric("RR"), judgments, query_weights=np.array([3.0, 1.0])).step_function(
        scores, slopes
    )
    np.testing.assert_allclose(function.breakpoints, [1.0])
    np.testing.assert_allclose(function.values, [0.75 * 0.5 + 0.25, 0.75 + 0.25 * 0.5])


def test_queries_left_out_do_not_count() -> None:
    judgments = Judgments.from_grades([1, 0, 0, 0], [0, 2, 4])
    function = MetricSweep(parse_metric("RR(no_relevant='skip')"), judgments).step_function(np.zeros(4), np.arange(4.0))
    assert set(function.values) == {0.5, 1.0}


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1.0], "2 finite numbers"), ([-1.0, 1.0], "2 finite numbers"), ([0.0, 0.0], "no query counts")],
)
def test_bad_query_weights(weights: list[float], message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        MetricSweep(parse_metric("RR"), Judgments.from_grades([1, 1], [0, 1, 2]), query_weights=np.array(weights))


def test_interval_must_hold_the_start() -> None:
    with pytest.raises(InvalidDataError, match="must contain 0"):
        MetricSweep(parse_metric("RR"), Judgments.from_grades([1], [0, 1])).best(np.zeros(1), np.zeros(1), low=1.0)


def test_a_metric_without_tables_is_refused() -> None:
    metric = from_function(lambda grades: grades[0], name="first")
    with pytest.raises(IncompatibleError, match="from_tables"):
        MetricSweep(metric, Judgments.from_grades([1], [0, 1]))


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "ERR@5"])
def test_same_bits_for_any_number_of_threads(name: str, use_threads: Callable[[int], None]) -> None:
    rng = np.random.default_rng(0)
    judgments = Judgments.from_grades(rng.integers(0, 3, 6000), np.arange(0, 6001, 60))
    scores, slopes = rng.normal(size=(2, 6000))
    found = set()
    for n_threads in (1, 3):
        use_threads(n_threads)
        function = MetricSweep(parse_metric(name), judgments).step_function(scores, slopes)
        found.add((function.breakpoints.tobytes(), function.values.tobytes()))
    assert len(found) == 1
