"""Line searches from weights at which documents tie reach the best value that lies between any two crossings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.lines import best_between_crossings, crossings
from rankmax.data.dataset import RankingDataset
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import from_function, parse_metric
from rankmax.metrics.metric import Metric
from rankmax.models import LinearModel
from rankmax.workflows.weight_profile import profile_weight

FIRST = from_function(lambda grades: float(grades[0]) if len(grades) else 0.0, name="first")
METRICS = [
    parse_metric("P@1"),
    parse_metric("AP"),
    parse_metric("nDCG@2"),
    parse_metric("RR"),
    parse_metric("ERR@2"),
    parse_metric("Bpref"),
    FIRST,
]
INTERVALS = [(-np.inf, np.inf), (0.0, 1.0), (-np.inf, 0.5), (-2.0, np.inf), (0.0, np.inf)]


@st.composite
def tied_starts(draw: st.DrawFn) -> tuple[RankingDataset, np.ndarray, np.ndarray]:
    """Draw data of few whole numbers, weights at which documents tie, and a direction."""
    n, d = draw(st.integers(2, 14)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    features, grades, qid = rng.integers(-2, 3, (n, d)), rng.integers(0, 3, n), rng.integers(0, 3, n)
    if draw(st.booleans()):  # mirrored documents: both sides of a tie at 0 are equal
        features, grades, qid = np.vstack([features, -features]), np.tile(grades, 2), np.tile(qid, 2)
    data = RankingDataset.from_arrays(features.astype(np.float64), grades, qid=qid)
    direction = rng.integers(-2, 3, d).astype(np.float64)
    start = rng.integers(-2, 3, d) * draw(st.sampled_from([0.0, 1.0]))
    ties = [mu for mu in crossings(data, start, direction) if mu.denominator in (1, 2, 4)]
    if ties and draw(st.booleans()):  # stand on a crossing of the line itself
        start = start + float(draw(st.sampled_from(ties))) * direction
    return data, start, direction


@given(problem=tied_starts(), metric=st.sampled_from(METRICS), interval=st.sampled_from(INTERVALS))
@settings(max_examples=150)
def test_the_best_value_between_crossings_is_reached(
    problem: tuple[RankingDataset, np.ndarray, np.ndarray], metric: Metric, interval: tuple[float, float]
) -> None:
    data, weights, direction = problem
    best = best_between_crossings(data, metric, weights, direction, *interval)
    objective = LinearObjective(data, metric)
    start = objective.at(weights)
    reached = objective.line_search(start, direction, low=interval[0], high=interval[1])
    assert reached.value == pytest.approx(max(start.value, best), abs=1e-9)
    assert reached.value == evaluate_scores(data.scores(reached.weights), data, [metric]).means[0]


# Both sides of the tie at 0 are worth 1, the tie itself 0. In the second, that is so for mu > -2 alone.
BOTH_SIDES = RankingDataset.from_arrays([[0.0], [1.0], [-1.0]], [0, 1, 1], qid=[1, 1, 1])
FAR_SIDE = RankingDataset.from_arrays(
    [[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [1.0, 3.0]], [0, 1, 1, 0, 1], qid=[1, 1, 1, 2, 2]
)


@pytest.mark.parametrize(
    ("data", "start", "direction"),
    [(BOTH_SIDES, [0.0], [1.0]), (BOTH_SIDES, [0.0], [-1e-9]), (FAR_SIDE, [0.0, 1.0], [1.0, 0.0])],
    ids=["whole line", "small direction", "half line"],
)
def test_the_start_is_a_tie_between_two_sides_that_are_worth_more(
    data: RankingDataset, start: list[float], direction: list[float]
) -> None:
    objective = LinearObjective(data, parse_metric("P@1"))
    assert objective.at(start).value < 1.0
    reached = objective.line_search(objective.at(start), direction)
    assert reached.value == objective.at(reached.weights).value == 1.0


def test_a_profile_names_a_weight_that_is_worth_what_it_says() -> None:
    profile = profile_weight(LinearModel(np.array([0.0]), ("f1",)), BOTH_SIDES, "f1", parse_metric("P@1"))
    assert (profile.value, profile.best.value, profile.best.middle) == (0.0, 1.0, 0.0)
    assert LinearObjective(BOTH_SIDES, parse_metric("P@1")).at([profile.best_weight]).value == 1.0
