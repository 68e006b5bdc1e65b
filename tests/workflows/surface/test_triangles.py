from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.workflows.surface.triangles import SimplexCells

resolutions = st.integers(1, 12)


def area(corners: np.ndarray) -> np.ndarray:
    """Area of triangles as a share of the simplex: the determinant of their corners' weights."""
    return np.abs(np.linalg.det(corners))


@given(resolutions)
def test_cells_are_equal_triangles_that_fill_the_simplex(k: int) -> None:
    corners = SimplexCells(k).corners
    assert corners.shape == (k * k, 3, 3)
    np.testing.assert_allclose(area(corners), 1 / k**2, rtol=1e-9)
    np.testing.assert_allclose(corners.sum(axis=2), 1.0)
    assert corners.min() >= 0


@given(resolutions)
def test_points_lie_inside_their_own_cell_only(k: int) -> None:
    cells = SimplexCells(k)
    shares = np.linalg.solve(np.swapaxes(cells.corners, 1, 2)[None], cells.points[:, None, :, None])[..., 0]
    inside = (shares > 1e-9).all(axis=2)
    np.testing.assert_array_equal(inside, np.eye(k * k, dtype=bool))


@given(resolutions)
def test_stretches_are_where_the_middle_line_meets_the_cells(k: int) -> None:
    cells = SimplexCells(k)
    rows = np.round(cells.points[:, 0] * k - 0.5).astype(int)
    for row in range(k):
        points, corners = cells.points[rows == row], cells.corners[rows == row]
        edges = cells.stretches(row)
        np.testing.assert_allclose((edges[1:] + edges[:-1]) / 2, points[:, 1])
        assert edges[-1] == pytest.approx(1 - (row + 0.5) / k)
        for cell, low, high in zip(corners, edges[:-1], edges[1:], strict=True):
            # The middle line halves the two sides that join a corner of the upper border with one of the lower.
            halves = [(u + v) / 2 for u in cell for v in cell if u[0] > v[0] + 1e-9]
            np.testing.assert_allclose(sorted(half[1] for half in halves), [low, high], atol=1e-12)


@given(resolutions, st.data())
def test_outline_is_the_border_of_the_chosen_cells(k: int, data: st.DataObject) -> None:
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=k * k, max_size=k * k)))
    cells = SimplexCells(k)
    times: dict[frozenset[tuple[int, ...]], int] = {}
    for cell in np.round(cells.corners[chosen] * k).astype(int).tolist():
        for i in range(3):
            side = frozenset((tuple(cell[i]), tuple(cell[i - 1])))
            times[side] = times.get(side, 0) + 1
    expected = {side for side, n in times.items() if n == 1}
    found = [frozenset(map(tuple, side)) for side in np.round(cells.outline(chosen) * k).astype(int).tolist()]
    assert len(found) == len(expected)
    assert set(found) == expected
