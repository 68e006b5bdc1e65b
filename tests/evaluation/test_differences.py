import numpy as np
import pytest

from rankmax.errors import InvalidDataError
from rankmax.evaluation.differences import WinCounts, cohens_d, count_wins, paired_differences


def test_differences_of_the_values():
    np.testing.assert_array_equal(paired_differences([1.0, 0.25, 0.5], [0.5, 0.5, 0.5]), [0.5, -0.25, 0.0])


def test_rounding_is_a_tie_and_a_small_difference_is_not():
    a = np.array([0.1 + 0.2, 12.0, 0.3 + 1e-9])
    b = np.array([0.3, 12.0 + 4e-15, 0.3])
    assert count_wins(paired_differences(a, b)) == WinCounts(wins=1, losses=0, ties=2)


def test_tiny_values_keep_their_differences():
    np.testing.assert_array_equal(paired_differences([2.0**-999, 0.0], [2.0**-1000, 0.0]), [2.0**-1000, 0.0])


def test_a_pair_with_nan_counts_nowhere():
    differences = paired_differences([np.nan, 0.5, 0.5, 0.1], [0.5, np.nan, 0.1, 0.5])
    np.testing.assert_array_equal(np.isnan(differences), [True, True, False, False])
    assert count_wins(differences) == WinCounts(wins=1, losses=1, ties=0)


def test_effect_size_is_the_mean_in_standard_deviations():
    differences = np.random.default_rng(0).normal(0.1, 0.3, 50)
    assert cohens_d(differences) == pytest.approx(differences.mean() / np.std(differences, ddof=1))
    assert cohens_d(np.append(differences, np.nan)) == cohens_d(differences)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [([0.0, 0.0], 0.0), ([0.2, 0.2], np.inf), ([-0.2, -0.2], -np.inf), ([0.3], np.nan), ([0.0], 0.0)],
)
def test_effect_size_without_spread(differences, expected):
    np.testing.assert_equal(cohens_d(differences), expected)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([0.1, 0.2], [0.1], "2 values against 1; paired systems need one value each for the same queries"),
        ([], [], "no query has a value for both systems"),
        ([np.nan, 0.1], [0.1, np.nan], "no query has a value for both systems"),
        ([0.1, -np.inf], [0.1, 0.1], r"a\[1\] is -inf; values must be finite, or NaN"),
        ([[0.1]], [0.1], r"the values of a have shape \(1, 1\)"),
        ([0.1], ["x"], "the values of b must be numbers"),
    ],
)
def test_bad_input(a, b, message):
    with pytest.raises(InvalidDataError, match=message):
        paired_differences(a, b)
