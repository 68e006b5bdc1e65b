from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankmax._kernels.cells.exact_signs import sign_of_difference

NUMBERS = st.one_of(
    st.integers(-4, 4).map(float),
    st.sampled_from([0.1, 0.2, 0.3, 1 / 3, 2 / 3, 1e-30, 1e30, 1 + 2.0**-52]),
    st.floats(-1e20, 1e20, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-60),
)


@given(st.integers(1, 5).flatmap(lambda d: st.tuples(*[st.lists(NUMBERS, min_size=d, max_size=d)] * 3)))
def test_agrees_with_fractions_however_small_the_difference(vectors: tuple[list[float], ...]) -> None:
    weights, a, b = vectors
    exact = sum(Fraction(w) * (Fraction(x) - Fraction(y)) for w, x, y in zip(weights, a, b, strict=True))
    found = sign_of_difference(np.array(weights), np.array(a), np.array(b), np.inf)
    assert found == (exact > 0) - (exact < 0)


def test_a_tie_that_floating_point_misses() -> None:
    weights, a, b = np.array([0.1, 0.2, -0.3]), np.ones(3), np.zeros(3)
    assert weights.sum() > 0  # rounded
    assert sign_of_difference(weights, a, b, 1e-15) == 1  # 0.1 + 0.2 > 0.3 as the numbers stand
    assert sign_of_difference(np.array([0.5, 0.25, -0.75]), a, b, 1e-15) == 0
