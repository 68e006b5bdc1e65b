from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankmax.errors import InvalidDataError
from rankmax.spaces import Simplex, cosine_distance, rank_equivalent

DIMENSION = 4
weights = arrays(np.float64, DIMENSION, elements=st.integers(-8, 8).map(float))
nonnegative = weights.map(np.abs).filter(np.any)
documents = arrays(np.float64, (6, DIMENSION), elements=st.integers(-8, 8).map(float))
directions = weights.filter(np.any)


@given(nonnegative, documents)
def test_reduction_theorem(w, X):
    """Metzler & Croft (2007), section 2.2.1: any nonnegative weights have a rank-equivalent point on the simplex."""
    theta = Simplex().project(w)
    assert Simplex().contains(theta)
    ours, theirs = (scores[:, None] - scores[None, :] for scores in (X @ w, X @ theta))
    np.testing.assert_array_equal(np.sign(ours), np.sign(np.where(np.abs(theirs) < 1e-9, 0, theirs)))


class TestProjection:
    def test_the_papers_example(self):
        np.testing.assert_array_equal(Simplex().project([1, 3]), [0.25, 0.75])
        np.testing.assert_array_equal(Simplex().project([2, 6]), [0.25, 0.75])

    def test_negative_weights_become_zero(self):
        np.testing.assert_array_equal(Simplex().project([1, -7, 3]), [0.25, 0, 0.75])

    @pytest.mark.parametrize("w", [[0.0, 0.0], [-1.0, -5.0], [0.0, -1.0]])
    def test_where_nothing_is_positive_the_result_is_uniform(self, w):
        np.testing.assert_array_equal(Simplex().project(w), [0.5, 0.5])

    @given(weights.filter(lambda w: w.max() > 0), nonnegative)
    def test_no_nonnegative_weights_are_at_a_smaller_angle(self, w, other):
        assert cosine_distance(w, Simplex().project(w)) <= cosine_distance(w, other) + 1e-12


class TestLine:
    @given(nonnegative, st.integers(0, DIMENSION - 1))
    def test_a_coordinate_runs_from_the_face_to_the_corner(self, w, j):
        direction = np.eye(DIMENSION)[j]
        line = Simplex().line(w, direction)
        assert (line.low, line.high) == (-w[j], math.inf)
        far = Simplex().project(w + 1e15 * direction)
        np.testing.assert_allclose(far, direction, atol=1e-12)

    @given(nonnegative, directions)
    def test_ends_where_the_first_weight_reaches_zero(self, w, direction):
        line = Simplex().line(w, direction)
        for end, outwards in ((line.low, -1), (line.high, 1)):
            if math.isfinite(end):
                assert (w + end * direction).min() == pytest.approx(0, abs=1e-12)
                assert (w + (end + 0.1 * outwards) * direction).min() < 0
            else:
                assert (w + 1e6 * outwards * direction).min() >= 0

    @given(nonnegative, directions)
    def test_multiples_have_the_same_line_at_another_scale(self, w, direction):
        short, long = Simplex().line(w, direction), Simplex().line(4 * w, direction)
        assert (4 * short.low, 4 * short.high) == (long.low, long.high)

    def test_zero_has_a_plus_sign(self):
        line = Simplex().line([0.0, 1.0], [1.0, 0.0])
        assert math.copysign(1, line.low) == 1

    def test_a_distant_end_is_infinite(self):
        assert Simplex().line([1.0, 0.0], [-5e-324, 1.0]).high == math.inf

    def test_negative_weights_are_refused(self):
        with pytest.raises(InvalidDataError, match=r"w\[1\] is -0.5; .* project first"):
            Simplex().line([1.5, -0.5], [1, 0])


def test_sums_may_be_rounded():
    assert Simplex().contains(np.full(3, 1 / 3) + 1e-12)
    assert not Simplex().contains([0.5, 0.6])
    assert not Simplex().contains([1.5, -0.5])
    assert not Simplex().contains([1e308, 1e308])


def test_negative_weights_have_no_canonical_form():
    with pytest.raises(InvalidDataError, match=r"weights\[0\] is -1"):
        Simplex().canonical([-1, 2])


def test_samples_are_uniform():
    """The smallest share of three uniform ones exceeds s with probability (1 - 3 s)^2."""
    from scipy.stats import kstest

    rng = np.random.default_rng(3)
    smallest = np.array([Simplex().sample(3, rng).min() for _ in range(2000)])
    assert kstest(smallest, lambda s: 1 - np.clip(1 - 3 * s, 0, 1) ** 2).pvalue > 1e-3


def test_one_feature_has_one_point():
    assert Simplex().start(1) == Simplex().sample(1, np.random.default_rng(1)) == Simplex().project([7.0]) == 1
    assert rank_equivalent(Simplex().project([-7.0]), [1.0])
