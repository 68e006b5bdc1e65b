from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError
from rankmax.optimizers.faces import Box, faces
from rankmax.spaces import AugmentedSimplex, Euclidean, Simplex

BOUND = st.integers(-4, 4).map(float)


def holding(cells: list[np.ndarray], weights: np.ndarray) -> list[int]:
    """Return which open simplexes hold a positive multiple of some weights."""
    found = []
    for number, vertices in enumerate(cells):
        shares, *_ = np.linalg.lstsq(vertices.T, weights, rcond=None)
        if np.allclose(vertices.T @ shares, weights, atol=1e-9) and (shares > 1e-9).all():
            found.append(number)
    return found


@given(st.lists(st.tuples(BOUND, BOUND), min_size=1, max_size=3), st.integers(0, 2**20))
def test_every_ray_of_a_box_is_in_one_face(ends: list[tuple[float, float]], seed: int) -> None:
    low, high = np.sort(np.array(ends), axis=1).T
    if not (low.any() or high.any()):
        return
    cells = faces(Box(tuple(low), tuple(high)), low.size)
    rng = np.random.default_rng(seed)
    # Corners, points of sides and points inside: all kinds of faces.
    for shares in (rng.integers(0, 2, low.size), rng.integers(0, 3, low.size) / 2, rng.random(low.size)):
        weights = low + shares * (high - low)
        if weights.any():
            assert len(holding(cells, weights)) == 1
    assert all(((vertices >= low) & (vertices <= high)).all() for vertices in cells)


def test_boxes_around_0_are_the_other_spaces() -> None:
    rng = np.random.default_rng(1)
    for space, low in ((Simplex(), 0.0), (Euclidean(), -1.0)):
        cells = faces(Box((low,) * 3, (1.0,) * 3), 3)
        for _ in range(20):
            assert len(holding(cells, space.sample(3, rng))) == 1


def test_bounds_are_rounded_so_that_they_can_be_halved() -> None:
    box = Box((0.1, 0.0), (1 / 3, 5.0))
    assert np.allclose([*box.low, *box.high], [0.1, 0.0, 1 / 3, 5.0], atol=1e-8)
    assert all(bound * 2**27 == int(bound * 2**27) for bound in (*box.low, *box.high))


@given(st.integers(0, 2**20))
def test_multiples_of_what_a_box_holds_are_scaled(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.integers(-8, 8, 3) / 4
    box = Box(tuple(low), tuple(low + rng.integers(1, 9, 3) / 4))
    inside = low + rng.random(3) * (np.array(box.high) - low)
    projected = box.project(7 * inside)
    assert ((box.low <= projected) & (projected <= box.high)).all()
    assert np.allclose(projected / np.linalg.norm(projected), inside / np.linalg.norm(inside))


@pytest.mark.parametrize(
    ("low", "high", "complaint"),
    [
        ((1.0,), (0.0,), "lower and a higher"),
        ((0.0,), (1.0, 2.0), "for each weight"),
        ((0.0,), (0.0,), "all bounds are 0"),
        ((0.0, 1e-12), (1.0, 1.0), "too far apart"),
        ((0.0,), (1e300,), "none above"),
    ],
)
def test_boxes_that_hold_nothing_are_refused(low: tuple[float, ...], high: tuple[float, ...], complaint: str) -> None:
    with pytest.raises(InvalidParameterError, match=complaint):
        Box(low, high)


def test_what_has_no_faces_is_refused() -> None:
    with pytest.raises(InvalidDataError):
        Box((np.nan,), (1.0,))
    with pytest.raises(IncompatibleError, match="bounds for 1 weights, but there are 2"):
        faces(Box((0.0,), (1.0,)), 2)
    with pytest.raises(IncompatibleError, match="augmented-simplex"):
        faces(AugmentedSimplex(), 3)
