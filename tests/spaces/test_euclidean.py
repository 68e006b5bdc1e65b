from __future__ import annotations

import math

import numpy as np

from rankmax.spaces import Euclidean


def test_nothing_but_zero_is_moved():
    np.testing.assert_array_equal(Euclidean().project([3.0, 0.0, -1e200]), [3.0, 0.0, -1e200])
    np.testing.assert_array_equal(Euclidean().project([0.0, 0.0]), [0.5, 0.5])


def test_zero_is_no_point():
    assert not Euclidean().contains([0.0, 0.0])
    assert Euclidean().contains([0.0, -1e-300])


def test_lines_have_no_end():
    line = Euclidean().line([1.0, 2.0], [0.0, -3.0])
    assert (line.low, line.high) == (-math.inf, math.inf)


def test_samples_are_uniform_on_the_sphere():
    """Each coordinate of a uniform point of the sphere in three dimensions is uniform on [-1, 1] (Archimedes)."""
    from scipy.stats import kstest

    rng = np.random.default_rng(3)
    points = np.array([Euclidean().sample(3, rng) for _ in range(2000)])
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1)
    for coordinate in points.T:
        assert kstest(coordinate, "uniform", args=(-1, 2)).pvalue > 1e-3
