import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.evaluation.bootstrap import bootstrap_interval


def reciprocal_ranks(rng, shape):
    ranks = rng.geometric(0.15, shape)
    return np.where(ranks <= 10, 1 / ranks, 0.0)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("n_queries", [12, 43, 300])
def test_agrees_with_scipy_within_monte_carlo_error(confidence, n_queries):
    values = reciprocal_ranks(np.random.default_rng(n_queries), n_queries)
    low, high = bootstrap_interval(values, confidence=confidence, n_resamples=40_000)
    oracle = scipy.stats.bootstrap(
        (values,), np.mean, confidence_level=confidence, n_resamples=40_000, batch=2000, method="BCa", rng=1
    )
    # Of 40,000 resamples an end is uncertain by about 0.025 standard errors of the mean (at 0.99; less below).
    tolerance = 0.15 * values.std() / np.sqrt(n_queries)
    assert low == pytest.approx(oracle.confidence_interval.low, abs=tolerance)
    assert high == pytest.approx(oracle.confidence_interval.high, abs=tolerance)


def test_covers_the_true_mean_of_skewed_values_as_often_as_it_says():
    rng = np.random.default_rng(5)
    truth = reciprocal_ranks(rng, 2_000_000).mean()
    samples = reciprocal_ranks(rng, (1500, 50))
    low, high = bootstrap_interval(samples, confidence=0.9, n_resamples=1000)
    too_high, too_low = (low > truth).mean(), (high < truth).mean()
    # 1500 trials: a standard error of 0.006 about each tail's 0.05; the percentile method misses by more.
    assert too_high == pytest.approx(0.05, abs=0.02)
    assert too_low == pytest.approx(0.05, abs=0.02)


@settings(max_examples=30, deadline=None)
@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=8),
        elements=st.one_of(st.floats(0, 1), st.just(np.nan)),
    ),
    st.integers(0, 5),
)
def test_each_metric_is_on_its_own_and_nan_is_left_out(values, seed):
    low, high = bootstrap_interval(values, n_resamples=200, seed=seed)
    for row, row_low, row_high in zip(values, low, high, strict=True):
        kept = row[~np.isnan(row)]
        np.testing.assert_allclose(
            (row_low, row_high), bootstrap_interval(kept, n_resamples=200, seed=seed), rtol=1e-12, atol=1e-15
        )
        if kept.size:
            assert kept.min() - 1e-12 <= row_low <= row_high <= kept.max() + 1e-12


def test_scaling_and_shifting_the_values_does_so_to_the_interval():
    values = reciprocal_ranks(np.random.default_rng(1), 60)
    interval = np.array(bootstrap_interval(values))
    np.testing.assert_allclose(bootstrap_interval(3 * values + 2), 3 * interval + 2, rtol=1e-9)
    np.testing.assert_allclose(bootstrap_interval(-values), -interval[::-1], atol=0.01)


def test_the_seed_decides():
    values = np.random.default_rng(2).random(40)
    assert bootstrap_interval(values, seed=3) == bootstrap_interval(values, seed=3)
    assert bootstrap_interval(values, seed=3) != bootstrap_interval(values, seed=4)


@pytest.mark.parametrize("values", [[0.4], [0.1] * 7, [0.0, 0.0]])
def test_values_without_spread_give_a_point(values):
    low, high = bootstrap_interval(values)
    assert low == high == pytest.approx(values[0])


def test_no_value_gives_nan():
    assert np.isnan(bootstrap_interval([np.nan, np.nan])).all()
    assert np.isnan(bootstrap_interval([])).all()


def test_confidence_near_one_reaches_the_extremes():
    values = np.array([0.0] * 9 + [1.0])
    low, high = bootstrap_interval(values, confidence=1 - 1e-12, n_resamples=500)
    assert low == 0.0
    assert high > 0.3


@pytest.mark.parametrize(
    ("values", "options", "error", "message"),
    [
        (np.zeros((2, 2, 2)), {}, InvalidDataError, r"shape \(2, 2, 2\); expected \(n_queries,\) or"),
        ([0.1, np.inf], {}, InvalidDataError, "infinite"),
        ([0.1], {"confidence": 95}, InvalidParameterError, "confidence is 95; it must be above 0 and below 1"),
        ([0.1], {"n_resamples": 0}, InvalidParameterError, "n_resamples is 0; it must be at least 1"),
    ],
)
def test_bad_input(values, options, error, message):
    with pytest.raises(error, match=message):
        bootstrap_interval(values, **options)


def test_draws_that_were_kept_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(3).random((2, 70))
    kept = [bootstrap_interval(values, seed=5) for _ in range(2)]
    monkeypatch.setattr("rankmax.evaluation.bootstrap._KEPT", 0)
    drawn_again = bootstrap_interval(values, seed=5)
    assert np.array_equal(kept, [drawn_again, drawn_again])
