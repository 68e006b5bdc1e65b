from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError
from rankmax.evaluation.evaluate import evaluate
from rankmax.lines.objective import LinearObjective
from rankmax.metrics import AP, parse


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
def test_a_climb_gives_what_it_says_and_never_goes_down(
    problem: tuple[RankingDataset, np.ndarray, np.ndarray], name: str
) -> None:
    data, w, direction = problem
    objective = LinearObjective(data, parse(name))
    start = objective.at(w)
    reached = objective.climb(start, direction)
    assert reached.value >= start.value
    assert reached.value == evaluate(data.scores(reached.weights), data, [name]).means[0]


@given(problem=problems(), name=st.sampled_from(["AP", "nDCG@3", "RR", "ERR@2", "P@1"]), data=st.data())
def test_no_other_point_of_the_line_is_better(
    problem: tuple[RankingDataset, np.ndarray, np.ndarray], name: str, data: st.DataObject
) -> None:
    dataset, w, direction = problem
    objective = LinearObjective(dataset, parse(name))
    start = objective.at(w)
    function = objective.step_function(start, direction)
    mu = data.draw(st.floats(-1e3, 1e3))
    # At a breakpoint itself documents tie, and their order in the data may be lucky.
    if np.abs(function.breakpoints - mu).min(initial=np.inf) > 1e-6 * max(1.0, abs(mu)):
        elsewhere = objective.at(w + mu * direction)
        assert elsewhere.value <= function.best().value + 1e-9


def test_bounds_are_kept() -> None:
    data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.5]], [1, 0], qid=[7, 7])
    objective = LinearObjective(data, parse("RR"))
    start = objective.at([1.0, 0.0])
    assert objective.climb(start, [0.0, 1.0], high=1.0) is start
    assert objective.climb(start, [0.0, 1.0], high=3.0).weights.tolist() == [1.0, 2.5]


def test_query_weights_count() -> None:
    data = RankingDataset.from_arrays([[1.0], [0.0], [0.0], [1.0]], [1, 0, 1, 0], qid=[1, 1, 2, 2])
    objective = LinearObjective(data, parse("RR"), query_weights=[3, 1])
    assert objective.at([1.0]).value == pytest.approx(0.75 + 0.25 * 0.5)
    assert objective.climb(objective.at([-1.0]), [1.0]).value == pytest.approx(0.875)


def test_weights_must_be_finite() -> None:
    data = RankingDataset.from_arrays([[1.0]], [1], qid=[1])
    with pytest.raises(InvalidDataError, match="finite"):
        LinearObjective(data, parse("RR")).at([np.nan])


@pytest.mark.parametrize("sparse", [False, True])
def test_many_points_have_the_values_of_each(sparse: bool) -> None:
    """Bit by bit, with weights and features of 0, ties, and query weights."""
    rng = np.random.default_rng(4)
    X, weights = rng.integers(-1, 2, (60, 3)) / 3, rng.integers(-2, 3, (40, 3)) / 7
    features = csc_array(X) if sparse else X
    data = RankingDataset.from_arrays(features, rng.integers(0, 3, 60), qid=np.repeat(np.arange(6), 10))
    objective = LinearObjective(data, AP(), query_weights=rng.random(6))
    assert objective.values(weights).tolist() == [objective.at(w).value for w in weights]
    assert objective.values(np.empty((0, 3))).size == 0


@pytest.mark.parametrize("weights", [[1.0, 2.0], [[1.0]], [[np.nan, 1.0]]])
def test_many_points_must_be_rows_of_finite_numbers(weights) -> None:
    objective = LinearObjective(planted_linear(2, 5, 2, seed=1).data, AP())
    with pytest.raises(InvalidDataError, match="rows of 2 finite numbers"):
        objective.values(weights)
