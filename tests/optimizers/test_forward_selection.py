from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, nDCG
from rankmax.optimizers.forward_selection import ForwardSelection
from rankmax.spaces import AugmentedSimplex, Euclidean, Simplex

SPACES = (Euclidean(), Simplex(), AugmentedSimplex())


def ascend(optimizer, objective, space, start=None):
    start = space.start(objective.n_features) if start is None else start
    return optimizer.maximize(objective, space, start=start, rng=np.random.default_rng(0))


def n_chosen(space, weights) -> int:
    return int(np.count_nonzero(space.restore(weights)))


def worst_single(objective, space, n_features: int):
    """Return a start that is easily beaten."""
    points = [space.embed(sign * axis) for axis in np.eye(n_features) for sign in (1, -1)]
    return min(points, key=lambda point: objective.at(point).value)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_one_feature_is_the_best_one(space) -> None:
    data = planted_linear(20, 10, 5, noise=0.3, seed=2).data
    objective = LinearObjective(space.prepare(data), AP())
    start = worst_single(objective, space, 5)
    ascent = ascend(ForwardSelection(max_features=1), objective, space, start)
    plain = LinearObjective(data, AP())
    signs = (1,) if isinstance(space, Simplex) else (1, -1)
    assert n_chosen(space, ascent.weights) == 1
    assert ascent.value == max(plain.at(sign * axis).value for axis in np.eye(5) for sign in signs)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_the_second_feature_is_the_one_whose_line_is_highest(space) -> None:
    data = planted_linear(20, 10, 5, noise=0.3, seed=2).data
    objective = LinearObjective(space.prepare(data), AP())
    first = ascend(ForwardSelection(max_features=1), objective, space, worst_single(objective, space, 5))
    here = objective.at(first.weights)
    lines = [space.line(here.weights, axis) for axis in np.eye(objective.n_features)[:5]]
    best = max(objective.line_search(here, line.direction, low=line.low, high=line.high).value for line in lines)
    two = ascend(ForwardSelection(max_features=2), objective, space, worst_single(objective, space, 5))
    assert n_chosen(space, two.weights) == 2
    assert two.value >= best > first.value
    assert best in [progress.value for progress in two.history]


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_history_grows_by_one_feature_at_a_time(space) -> None:
    data = planted_linear(30, 10, 6, noise=0.3, seed=4).data
    objective = LinearObjective(space.prepare(data), nDCG() @ 5)
    ascent = ascend(ForwardSelection(min_gain=0.0), objective, space, worst_single(objective, space, 6))
    sizes = [n_chosen(space, progress.weights) for progress in ascent.history[1:]]
    assert sizes[0] == 1
    assert set(np.diff(sizes).tolist()) <= {0, 1}
    assert max(sizes) > 2


def test_only_the_features_that_count_are_chosen() -> None:
    """Noise is worth nothing to a ranking that two features decide."""
    problem = planted_linear(60, 12, 2, seed=5)
    noise = np.random.default_rng(0).normal(size=(problem.data.n_documents, 6))
    data = type(problem.data).from_arrays(
        np.hstack([problem.data.features, noise]),
        problem.data.grades,
        qid=np.repeat(np.arange(60), np.diff(problem.data.query_offsets)),
    )
    ascent = ascend(ForwardSelection(min_gain=0.01), LinearObjective(data, AP()), Euclidean())
    assert np.flatnonzero(ascent.weights).tolist() == [0, 1]
    assert ascent.value > 0.99


def test_a_larger_threshold_chooses_fewer() -> None:
    objective = LinearObjective(planted_linear(30, 10, 8, noise=0.5, seed=4).data, AP())
    start = worst_single(objective, Euclidean(), 8)
    sizes = [
        n_chosen(Euclidean(), ascend(ForwardSelection(min_gain=gain), objective, Euclidean(), start).weights)
        for gain in (0.0, 0.01, 0.05, 1.0)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1] == 1


def test_a_start_that_is_not_reached_comes_back() -> None:
    problem = planted_linear(30, 10, 6, seed=4)
    objective = LinearObjective(problem.data, AP())
    ascent = ascend(ForwardSelection(max_features=1), objective, Euclidean(), problem.weights)
    assert np.array_equal(ascent.weights, problem.weights)
    assert len(ascent.history) == 1
    assert ascent.stopped_by == "converged"


@pytest.mark.parametrize(
    "parameters", [{"max_features": 0}, {"min_gain": -1.0}, {"min_gain": np.nan}, {"tolerance": -1}]
)
def test_bad_parameters_are_refused(parameters) -> None:
    with pytest.raises(InvalidParameterError):
        ForwardSelection(**parameters)
