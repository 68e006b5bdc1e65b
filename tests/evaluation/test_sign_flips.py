import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmax.evaluation import sign_flips
from rankmax.evaluation.sign_flips import extreme_shares, positive_sum_cdf


def every_sum(terms):
    """Sums under all sign patterns, in integers so that ties are exact."""
    return np.array([np.dot(signs, terms) for signs in itertools.product([1, -1], repeat=len(terms))])


tenths = st.lists(st.integers(-10, 10), min_size=1, max_size=9)


@settings(max_examples=60, deadline=None)
@given(tenths)
def test_enumeration_counts_every_flip_and_its_ties(integers):
    sums, own = every_sum(integers), sum(integers)
    terms = np.array([integers]) / 10.0
    one_sided, exact = extreme_shares(terms, two_sided=False, n_flips=1, seed=0)
    two_sided, _ = extreme_shares(terms, two_sided=True, n_flips=1, seed=0)
    assert exact.all()
    assert one_sided[0] == (sums >= own).mean()
    assert two_sided[0] == (np.abs(sums) >= abs(own)).mean()


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("n_terms", [33, 48, 100])
def test_sampling_agrees_with_counting_in_tenths(two_sided, n_terms):
    integers = np.random.default_rng(n_terms).integers(1, 11, n_terms)
    integers[: n_terms // 3] *= -1
    # The distribution of the sum by convolution: P(sum <= s) of the positive terms, over whole numbers.
    cdf = positive_sum_cdf(np.abs(integers))
    own = abs(integers.sum()) if two_sided else integers.sum()
    n_positive = (np.abs(integers).sum() - own) // 2  # symmetric: P(sum >= own) = P(sum <= -own)
    truth = cdf[n_positive] * (2 if two_sided else 1)
    n_flips = 200_000
    shares, exact = extreme_shares(integers[np.newaxis] / 10.0, two_sided=two_sided, n_flips=n_flips, seed=1)
    assert not exact.any()
    assert shares[0] == pytest.approx(truth, abs=4 * np.sqrt(truth * (1 - truth) / n_flips) + 2 / n_flips)


def large_terms(*positions):
    """Return terms whose sum is reached exactly by the flips that leave the signs at `positions`."""
    terms = np.full(48, -1e-6)
    terms[list(positions)] = 1.0
    return terms


def test_random_signs_are_fair_and_independent():
    single = np.array([large_terms(i) for i in range(48)])
    pairs = np.array([large_terms(i, (i + step) % 48) for i in range(48) for step in (1, 8, 16)])
    n_flips = 50_000  # a standard error of 0.0022 for 1/2, 0.0019 for 1/4
    np.testing.assert_allclose(extreme_shares(single, two_sided=False, n_flips=n_flips, seed=2)[0], 1 / 2, atol=0.011)
    np.testing.assert_allclose(extreme_shares(pairs, two_sided=False, n_flips=n_flips, seed=2)[0], 1 / 4, atol=0.01)


def test_a_row_does_not_depend_on_its_neighbors():
    terms = np.random.default_rng(3).normal(0.1, 1, (3, 70))
    terms[1, 5:] = 0  # enumerated between two that are sampled
    together, exact = extreme_shares(terms, two_sided=True, n_flips=20_000, seed=4)
    assert exact.tolist() == [False, True, False]
    for row in range(3):
        alone, _ = extreme_shares(terms[row : row + 1], two_sided=True, n_flips=20_000, seed=4)
        assert alone[0] == together[row]


def test_the_number_of_flips_is_exact_over_chunks():
    terms = np.ones((1, 40))
    n_flips = sign_flips._CHUNK + 7
    shares, _ = extreme_shares(terms, two_sided=False, n_flips=n_flips, seed=0)
    assert shares[0] == 1 / (n_flips + 1)  # only the own signs reach 40


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=9))
def test_distribution_of_positive_sums(integers):
    chosen = [sum(subset) for k in range(len(integers) + 1) for subset in itertools.combinations(integers, k)]
    expected = [np.mean(np.array(chosen) <= s) for s in range(sum(integers) + 1)]
    np.testing.assert_allclose(positive_sum_cdf(np.array(integers)), expected, rtol=1e-15)
