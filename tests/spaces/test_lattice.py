from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.spaces.lattice import lattice_blocks, lattice_size, segment_points, simplex_lattice


@given(n_weights=st.integers(1, 4), n_steps=st.integers(1, 6), n_points=st.integers(1, 50))
def test_all_whole_numbers_that_add_up_in_blocks(n_weights: int, n_steps: int, n_points: int) -> None:
    expected = [list(k) for k in product(range(n_steps + 1), repeat=n_weights) if sum(k) == n_steps]
    blocks = list(lattice_blocks(n_weights, n_steps, n_points))
    assert {len(block) for block in blocks[:-1]} <= {n_points}
    assert np.vstack(blocks).tolist() == simplex_lattice(n_weights, n_steps).tolist() == expected
    assert lattice_size(n_weights, n_steps) == len(expected)


@pytest.mark.parametrize("n_cells", [1, 2, 7, 200])
def test_the_segment_has_a_point_in_every_cell_and_no_favorite(n_cells: int) -> None:
    points = segment_points(n_cells)
    np.testing.assert_array_equal(np.floor(points[:, 0] * n_cells), np.arange(n_cells))
    np.testing.assert_allclose(points.sum(axis=1), 1)
    if n_cells % 2 == 0:
        np.testing.assert_allclose(points[::-1, ::-1], points)
