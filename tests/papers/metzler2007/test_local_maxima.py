from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.papers.metzler2007.local_maxima import local_maxima
from rankmax.spaces.lattice import simplex_lattice


@given(st.integers(2, 8), st.tuples(*[st.floats(0, 1)] * 3))
def test_concave_surfaces_have_one_maximum(n_steps: int, top: tuple[float, float, float]) -> None:
    points = simplex_lattice(3, n_steps) / n_steps
    surface = 10.0 - np.linalg.norm(points - np.array(top), axis=1)
    found = local_maxima(surface.round(12))
    assert found.best == surface.round(12).max()
    assert found.n_maxima >= 1
    assert found.share_near_best > 0


def test_one_peak_is_reached_from_everywhere() -> None:
    points = simplex_lattice(3, 10) / 10
    surface = 1.0 - ((points - [0.6, 0.3, 0.1]) ** 2).sum(axis=1)
    assert (local_maxima(surface).n_maxima, local_maxima(surface).share_near_best) == (1, 1.0)


def test_two_peaks_are_counted_and_the_lower_one_traps() -> None:
    points = simplex_lattice(3, 10)
    surface = np.maximum(np.where(points[:, 0] >= 7, points[:, 0], 0), np.where(points[:, 1] >= 7, points[:, 1] / 2, 0))
    found = local_maxima(surface / 10)
    assert found.n_maxima == 2  # the plateau at 0 lies beside both
    assert 0 < found.share_near_best < 1


@pytest.mark.parametrize("n_steps", [1, 2, 5])
def test_a_plateau_is_one_maximum(n_steps: int) -> None:
    assert local_maxima(np.full(len(simplex_lattice(3, n_steps)), 0.5)).n_maxima == 1
