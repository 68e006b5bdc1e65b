"""Ascents along gradients."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.formats.letor import read_letor
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, nDCG
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.smoothed_ascent import SmoothedAscent
from rankmax.spaces import Euclidean, Simplex


def test_finds_planted_weights_from_the_opposite():
    problem = planted_linear(40, 20, 5, seed=2)
    objective = LinearObjective(problem.data, nDCG() @ 10)
    ascent = SmoothedAscent().maximize(objective, Euclidean(), start=-problem.weights, rng=np.random.default_rng(0))
    assert ascent.value > 0.999


def test_leaves_the_edge_of_the_simplex():
    problem = planted_linear(40, 20, 5, seed=2)
    objective = LinearObjective(problem.data, AP())
    corner = np.eye(5)[np.argmin(problem.weights)]
    ascent = SmoothedAscent().maximize(objective, Simplex(), start=corner, rng=np.random.default_rng(0))
    assert ascent.value > objective.at(corner).value + 0.01
    assert Simplex().contains(ascent.weights)


def test_needs_fewer_lines_than_coordinates_for_correlated_features(shared_data):
    data = read_letor(shared_data / "letor" / "MQ2008" / "S1.txt.gz")
    objective = LinearObjective(data, nDCG() @ 10)
    start = np.ones(data.n_features)
    rng = np.random.default_rng(0)
    along_axes = CoordinateAscent().maximize(objective, Euclidean(), start=start, rng=rng)
    smoothed = SmoothedAscent().maximize(objective, Euclidean(), start=start, rng=rng)
    reached = next(p.n_lines for p in smoothed.history if p.value >= along_axes.value)
    assert reached < along_axes.n_lines / 4


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"widths": ()}, "at least one"), ({"widths": (0.1, 0.0)}, "positive"), ({"patience": -1}, "nonnegative")],
)
def test_wrong_parameters(wrong, message):
    with pytest.raises(InvalidParameterError, match=message):
        SmoothedAscent(**wrong)
