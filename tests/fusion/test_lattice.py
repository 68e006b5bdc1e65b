from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest

from rankmax.fusion.lattice import lattice_resolution, simplex_lattice


@pytest.mark.parametrize(("n_weights", "resolution"), [(1, 3), (2, 5), (3, 4), (5, 3)])
def test_the_lattice_is_all_multiples_that_add_up_to_one(n_weights: int, resolution: int) -> None:
    expected = [x for x in product(range(resolution + 1), repeat=n_weights) if sum(x) == resolution]
    np.testing.assert_allclose(simplex_lattice(n_weights, resolution) * resolution, expected, atol=1e-12)


@pytest.mark.parametrize("n_weights", [2, 3, 4, 5, 6])
def test_the_corners_and_not_too_many_points_are_in_it(n_weights: int) -> None:
    resolution = lattice_resolution(n_weights)
    points = simplex_lattice(n_weights, resolution)
    assert len(points) == comb(resolution + n_weights - 1, n_weights - 1) <= 500
    assert {tuple(row) for row in np.eye(n_weights)} <= {tuple(row) for row in points}
