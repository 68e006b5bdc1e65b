from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.line_search.fixed_steps import FixedSteps
from rankmax.line_search.golden_section import GoldenSection
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.line_search.rescored_line import RescoringSweep
from rankmax.line_search.sampling import InexactSearch
from rankmax.metrics import AP, Metric, NoRelevant, from_function, parse_metric


@st.composite
def problems(draw: st.DrawFn) -> tuple[RankingDataset, np.ndarray, np.ndarray]:
    """Draw data with many ties and features of very different magnitudes, a point and a direction."""
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 4))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, d)) if draw(st.booleans()) else rng.normal(size=(n, d))
    X = X * np.array([1.0, 1e-6, 1e6, 1.0])[:d]
    data = RankingDataset.from_arrays(X, rng.integers(0, 3, n), qid=rng.integers(0, 3, n))
    direction = np.eye(d)[draw(st.integers(0, d - 1))] if draw(st.booleans()) else rng.normal(size=d)
    return data, rng.normal(size=d), direction


@given(problem=problems(), name=st.sampled_from(["AP", "nDCG@3", "RR", "ERR@2", "P@1"]))
def test_a_line_search_gives_what_it_says_and_never_goes_down(
    problem: tuple[RankingDataset, np.ndarray, np.ndarray], name: str
) -> None:
    data, w, direction = problem
    objective = LinearObjective(data, parse_metric(name))
    start = objective.at(w)
    reached = objective.line_search(start, direction)
    assert reached.value >= start.value
    assert reached.value == evaluate_scores(data.scores(reached.weights), data, [name]).means[0]


@given(problem=problems(), name=st.sampled_from(["AP", "nDCG@3", "RR", "ERR@2", "P@1"]), data=st.data())
def test_no_other_point_of_the_line_is_better(
    problem: tuple[RankingDataset, np.ndarray, np.ndarray], name: str, data: st.DataObject
) -> None:
    dataset, w, direction = problem
    objective = LinearObjective(dataset, parse_metric(name))
    start = objective.at(w)
    function = objective.step_function(start, direction)
    mu = data.draw(st.floats(-1e3, 1e3))
    # At a breakpoint itself documents tie, and their order in the data may be lucky.
    if np.abs(function.breakpoints - mu).min(initial=np.inf) > 1e-6 * max(1.0, abs(mu)):
        elsewhere = objective.at(w + mu * direction)
        assert elsewhere.value <= function.best().value + 1e-9


def test_bounds_are_kept() -> None:
    data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.5]], [1, 0], qid=[7, 7])
    objective = LinearObjective(data, parse_metric("RR"))
    start = objective.at([1.0, 0.0])
    assert objective.line_search(start, [0.0, 1.0], high=1.0) is start
    assert objective.line_search(start, [0.0, 1.0], high=3.0).weights.tolist() == [1.0, 2.5]


def test_query_weights_count() -> None:
    data = RankingDataset.from_arrays([[1.0], [0.0], [0.0], [1.0]], [1, 0, 1, 0], qid=[1, 1, 2, 2])
    objective = LinearObjective(data, parse_metric("RR"), query_weights=[3, 1])
    assert objective.at([1.0]).value == pytest.approx(0.75 + 0.25 * 0.5)
    assert objective.line_search(objective.at([-1.0]), [1.0]).value == pytest.approx(0.875)


def first_relevant(grades: np.ndarray) -> float:
    found = np.flatnonzero(grades > 0)
    return 1.0 / (1 + found[0]) if found.size else 0.0


BLACK_BOX = from_function(first_relevant, name="first")
SEARCHES = [None, GoldenSection(), FixedSteps()]


@given(
    problem=problems(),
    metric=st.sampled_from(
        [parse_metric("AP"), parse_metric("ERR@2"), parse_metric("Bpref"), BLACK_BOX, BLACK_BOX @ 2]
    ),
    search=st.sampled_from(SEARCHES),
    interval=st.sampled_from([(-np.inf, np.inf), (0.0, 1.0), (-np.inf, 0.5)]),
)
def test_every_metric_gains_by_every_search(
    problem: tuple[RankingDataset, np.ndarray, np.ndarray],
    metric: Metric,
    search: InexactSearch | None,
    interval: tuple[float, float],
) -> None:
    """With query weights; never down, within the interval, and to the value of the weights that it returns."""
    data, w, direction = problem
    weights = np.arange(1.0, data.n_queries + 1)
    objective = LinearObjective(data, metric, query_weights=weights, line_search=search)
    start = objective.at(w)
    reached = objective.line_search(start, direction, low=interval[0], high=interval[1])
    assert reached.value >= start.value
    expected = np.average(metric.per_query(data.scores(reached.weights), data.judgments), weights=weights)
    assert reached.value == pytest.approx(expected)
    j = int(np.argmax(np.abs(direction)))
    mu = (reached.weights[j] - w[j]) / direction[j]
    assert interval[0] - 1e-9 <= mu <= interval[1] + 1e-9


@given(problem=problems())
def test_a_black_box_gains_where_its_tables_do(problem: tuple[RankingDataset, np.ndarray, np.ndarray]) -> None:
    data, w, direction = problem
    weights = np.arange(1.0, data.n_queries + 1)
    with_tables = LinearObjective(data, parse_metric("RR"), query_weights=weights)
    black_box = LinearObjective(data, BLACK_BOX, query_weights=weights)
    start = black_box.at(w)
    assert start.value == pytest.approx(with_tables.at(w).value)
    best = black_box.step_function(start, direction).best()
    assert best.value == pytest.approx(with_tables.step_function(start, direction).best().value)


@pytest.mark.parametrize("search", [GoldenSection(), FixedSteps()])
def test_inexact_searches_know_no_steps(search: InexactSearch) -> None:
    objective = LinearObjective(planted_linear(2, 5, 2, seed=1).data, AP(), line_search=search)
    with pytest.raises(IncompatibleError, match="leave line_search out"):
        objective.step_function(objective.at([1.0, 0.0]), [0.0, 1.0])


def test_a_line_beyond_the_budget_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    data = planted_linear(5, 20, 2, noise=0.5, seed=1).data
    monkeypatch.setattr(
        "rankmax.line_search.linear_objective.RescoringSweep", partial(RescoringSweep, most_documents=10)
    )
    automatic = LinearObjective(data, BLACK_BOX)
    sampled = LinearObjective(data, BLACK_BOX, line_search=GoldenSection())
    start = sampled.at([-1.0, 0.1])
    reached = automatic.line_search(start, [1.0, 0.0])
    assert reached.value > start.value
    assert reached.weights.tolist() == sampled.line_search(start, [1.0, 0.0]).weights.tolist()
    with pytest.raises(IncompatibleError, match="too often"):
        automatic.step_function(start, [1.0, 0.0])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "2 finite numbers"),
        ([-1.0, 1.0], "2 finite numbers"),
        ([0.0, 0.0], "no query counts for first"),
    ],
)
def test_bad_query_weights(weights: list[float], message: str) -> None:
    data = RankingDataset.from_arrays([[1.0], [0.0]], [1, 1], qid=[1, 2])
    with pytest.raises(InvalidDataError, match=message):
        LinearObjective(data, BLACK_BOX, query_weights=weights)


def test_queries_left_out_do_not_count() -> None:
    data = RankingDataset.from_arrays([[0.0], [1.0], [1.0]], [1, 0, 0], qid=[1, 1, 2])
    metric = from_function(first_relevant, rel=1, no_relevant=NoRelevant.SKIP)
    objective = LinearObjective(data, metric, query_weights=[2, 3])
    assert objective.at([1.0]).value == 0.5
    assert objective.values([[1.0], [-1.0]]).tolist() == [0.5, 1.0]
    assert objective.line_search(objective.at([1.0]), [1.0]).value == 1.0


def test_a_metric_must_not_become_nan() -> None:
    data = RankingDataset.from_arrays([[0.0], [1.0]], [1, 0], qid=["q7", "q7"])
    metric = from_function(lambda grades: np.nan if grades[0] == 0 else 1.0, name="lost")
    with pytest.raises(InvalidDataError, match="lost is NaN for some ranking of query 'q7'"):
        LinearObjective(data, metric).at([1.0])


def test_weights_must_be_finite() -> None:
    data = RankingDataset.from_arrays([[1.0]], [1], qid=[1])
    with pytest.raises(InvalidDataError, match="finite"):
        LinearObjective(data, parse_metric("RR")).at([np.nan])


@pytest.mark.parametrize("metric", [AP(), BLACK_BOX], ids=str)
@pytest.mark.parametrize("kind", [np.asarray, np.float32, csc_array])
def test_many_points_have_the_values_of_each(
    kind: Callable[[np.ndarray], Any], metric: Metric, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bit by bit, in blocks, with weights and features of 0, ties, and query weights."""
    monkeypatch.setattr("rankmax.line_search.query_subset._VALUES_IN_A_BLOCK", 100)
    rng = np.random.default_rng(4)
    X, weights = rng.integers(-1, 2, (60, 3)) / 3, rng.integers(-2, 3, (40, 3)) / 7
    data = RankingDataset.from_arrays(kind(X), rng.integers(0, 3, 60), qid=np.repeat(np.arange(6), 10))
    objective = LinearObjective(data, metric, query_weights=rng.random(6))
    assert objective.at(weights[0]).scores.tolist() == data.scores(weights[0]).tolist()
    assert objective.values(weights).tolist() == [objective.at(w).value for w in weights]
    assert objective.values(np.empty((0, 3))).size == 0


@pytest.mark.parametrize("weights", [[1.0, 2.0], [[1.0]], [[np.nan, 1.0]]])
def test_many_points_must_be_rows_of_finite_numbers(weights) -> None:
    objective = LinearObjective(planted_linear(2, 5, 2, seed=1).data, AP())
    with pytest.raises(InvalidDataError, match="rows of 2 finite numbers"):
        objective.values(weights)
