from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankmax.errors import InvalidDataError
from rankmax.spaces import canonical, cosine_distance, geodesic_distance, rank_equivalent

DIMENSION = 4
weights = arrays(np.float64, DIMENSION, elements=st.floats(-100, 100)).filter(lambda w: np.abs(w).max() > 1e-3)
nonnegative = weights.map(np.abs)
factors = st.floats(1e-6, 1e6)


class TestCanonical:
    @given(weights, factors)
    def test_positive_multiples_have_one(self, w, factor):
        assert np.abs(canonical(w)).sum() == pytest.approx(1)
        np.testing.assert_allclose(canonical(factor * w), canonical(w), rtol=1e-12, atol=1e-300)

    @pytest.mark.parametrize("size", [5e-324, 1e-200, 1e200, 1.7e308])
    def test_of_any_size(self, size):
        np.testing.assert_array_equal(canonical([size, -size]), [0.5, -0.5])

    def test_zero_has_none(self):
        with pytest.raises(InvalidDataError, match="all weights are zero"):
            canonical([0.0, 0.0])


class TestRankEquivalent:
    @given(weights, factors)
    def test_positive_multiples_are(self, w, factor):
        assert rank_equivalent(w, factor * w)
        assert not rank_equivalent(w, -factor * w)

    @given(weights, weights)
    def test_others_order_some_pair_of_documents_differently(self, u, v):
        """A difference of two documents that lies between both weights' half-spaces is the witness."""
        if not rank_equivalent(u, v, tolerance=1e-6):
            between = u / np.linalg.norm(u) - v / np.linalg.norm(v)
            assert u @ between > 0 > v @ between

    def test_zero_ranks_as_zero_alone(self):
        assert rank_equivalent([0, 0], [0, 0])
        assert not rank_equivalent([0, 0], [1, 0])
        assert not rank_equivalent([1, 0], [0, 0])

    def test_tolerance(self):
        assert rank_equivalent([1, 1], [1, 1 + 1e-10])
        assert not rank_equivalent([1, 1], [1, 1 + 1e-10], tolerance=1e-12)

    def test_lengths_must_agree(self):
        with pytest.raises(InvalidDataError, match="u has 1 weights and v has 2"):
            rank_equivalent([1], [1, 2])


class TestGeodesicDistance:
    @given(nonnegative, nonnegative)
    def test_is_the_papers_formula(self, u, v):
        theta, other = u / u.sum(), v / v.sum()
        expected = 2 * math.acos(min(1.0, float(np.sqrt(theta * other).sum())))
        assert geodesic_distance(u, v) == pytest.approx(expected, abs=1e-7)

    @given(nonnegative, nonnegative, nonnegative)
    def test_is_a_metric(self, u, v, w):
        assert 0 <= geodesic_distance(u, v) <= math.pi
        assert geodesic_distance(u, w) <= geodesic_distance(u, v) + geodesic_distance(v, w) + 1e-12

    @given(nonnegative, factors)
    def test_multiples_are_the_same_point(self, w, factor):
        assert geodesic_distance(w, factor * w) <= 1e-14

    def test_small_distances_are_exact(self):
        """Along p(t) = (sin^2 t, cos^2 t) the distance is 2 |t - s|; arccos would give 0 or noise here."""
        t, step = 0.7, 1e-10
        p, q = ([math.sin(x) ** 2, math.cos(x) ** 2] for x in (t, t + step))
        assert geodesic_distance(p, q) == pytest.approx(2 * step, rel=1e-5)

    def test_negative_weights_are_refused(self):
        with pytest.raises(InvalidDataError, match=r"v\[1\] is -3; negative weights"):
            geodesic_distance([1, 0], [1, -3])

    def test_zero_is_refused(self):
        with pytest.raises(InvalidDataError, match="all weights are zero"):
            geodesic_distance([1, 0], [0, 0])


class TestCosineDistance:
    @given(weights, weights)
    def test_is_one_minus_the_cosine(self, u, v):
        cosine = u @ v / (np.linalg.norm(u) * np.linalg.norm(v))
        assert cosine_distance(u, v) == pytest.approx(1 - cosine, abs=1e-12)
        assert 0 <= cosine_distance(u, v) <= 2

    @given(weights, factors)
    def test_multiples_are_together_and_opposites_apart(self, w, factor):
        assert cosine_distance(w, factor * w) <= 1e-28
        assert cosine_distance(w, -factor * w) == pytest.approx(2)

    def test_zero_is_refused(self):
        with pytest.raises(InvalidDataError, match="all weights are zero"):
            cosine_distance([0, 0], [1, 0])
