from __future__ import annotations

import numpy as np
import pytest

from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.spaces.vectors import require_features, tamed, weight_vector, weight_vectors


def test_the_result_is_a_copy():
    w = np.array([1.0, 2.0])
    assert weight_vector(w) is not w


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([1.0, np.nan], r"weights\[1\] is nan"),
        ([-np.inf], r"weights\[0\] is -inf"),
        ([[1.0]], r"shape \(1, 1\)"),
        ([], r"shape \(0,\)"),
        (3.0, r"shape \(\)"),
        (["much"], "must be numbers"),
        ([[1], [2, 3]], "must be numbers"),
    ],
)
def test_what_is_no_vector_is_named(values, reason):
    with pytest.raises(InvalidDataError, match=reason):
        weight_vector(values)


def test_lengths_that_differ_are_named():
    with pytest.raises(InvalidDataError, match="w has 2 weights and direction has 1"):
        weight_vectors([1, 2], [1], names=("w", "direction"))


def test_too_few_features_are_named():
    with pytest.raises(InvalidParameterError, match="n_features is 1; it must be at least 2"):
        require_features(1, at_least=2)


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-5, 1.0, 1e300, 1.7e308])
def test_taming_rounds_nothing(size):
    w = np.array([size, -size, size / 2])
    scaled = tamed(w)
    assert 0.5 <= np.abs(scaled).max() < 1
    exponent = np.frexp(size)[1]
    assert np.array_equal(np.ldexp(scaled, exponent), w)
