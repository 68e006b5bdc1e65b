"""Ask how fast the paired randomization test is, and the bootstrap intervals beside it.

Data: per-query values of two systems, seeded, 1,000 queries (and 4 and 16 times as many).
Baseline: scipy.stats.permutation_test (permutation_type="samples", vectorized) with the same number of permutations;
scipy.stats.bootstrap (BCa) of seven metrics at once with the same number of resamples.
Answers: p-values and interval ends must agree within Monte-Carlo error before anything is timed.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.stats
from harness import compare, format_seconds, machine, median_seconds, report

from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.evaluation.significance import randomization_test

N_QUERIES = 1_000
N_PERMUTATIONS = 100_000
N_RESAMPLES = 10_000


def two_systems(n_queries):
    rng = np.random.default_rng(n_queries)
    b = rng.beta(1, 2, n_queries)
    # A gain of one and a half standard errors, so that p is neither 0 nor 1.
    return b + rng.normal(0, 0.1, n_queries) + 1.5 * 0.1 / math.sqrt(n_queries), b


def seven_metrics(values):
    return np.array([np.abs(values) ** power for power in range(1, 8)])


def scipy_p_value(a, b):
    def mean_difference(x, y, axis):
        return np.mean(x - y, axis=axis)

    result = scipy.stats.permutation_test(
        (a, b),
        mean_difference,
        permutation_type="samples",
        n_resamples=N_PERMUTATIONS,
        batch=1000,  # the fastest of 50, 200, 1000, 5000 for 1,000 queries
        vectorized=True,
        rng=1,
    )
    return result.pvalue


def scipy_intervals(values):
    return scipy.stats.bootstrap((values,), np.mean, axis=-1, n_resamples=N_RESAMPLES, batch=100, rng=1)


def main():
    print(machine())
    a, b = two_systems(N_QUERIES)

    ours = randomization_test(a, b, n_permutations=N_PERMUTATIONS).p_value
    theirs = scipy_p_value(a, b)
    # scipy doubles the smaller tail: an upper bound of the standard error of the difference.
    error = 2 * math.sqrt(2 * (theirs / 2) * (1 - theirs / 2) / N_PERMUTATIONS)
    assert abs(ours - theirs) < 4 * error, (ours, theirs, error)
    ratio = compare(
        lambda: randomization_test(a, b, n_permutations=N_PERMUTATIONS), lambda: scipy_p_value(a, b), repeats=3
    )
    report(f"randomization {N_QUERIES} queries x {N_PERMUTATIONS}", p=f"{ours:.4f} and {theirs:.4f}", speed=ratio)

    values = seven_metrics(a)
    low, high = bootstrap_interval(values, n_resamples=N_RESAMPLES)
    oracle = scipy_intervals(values).confidence_interval
    tolerance = 0.3 * values.std(axis=1) / math.sqrt(N_QUERIES)
    assert (np.abs(low - oracle.low) < tolerance).all()
    assert (np.abs(high - oracle.high) < tolerance).all()
    ratio = compare(
        lambda: bootstrap_interval(values, n_resamples=N_RESAMPLES), lambda: scipy_intervals(values), repeats=3
    )
    report(f"bootstrap 7 metrics, {N_QUERIES} queries x {N_RESAMPLES}", speed=ratio)

    for factor in (1, 4, 16):
        a, b = two_systems(factor * N_QUERIES)
        values = seven_metrics(a)
        report(
            f"growth, {factor * N_QUERIES} queries",
            randomization=format_seconds(median_seconds(lambda a=a, b=b: randomization_test(a, b), repeats=3)),
            bootstrap=format_seconds(median_seconds(lambda a=a: bootstrap_interval(a), repeats=3)),
            bootstrap_of_7_metrics=format_seconds(median_seconds(lambda v=values: bootstrap_interval(v), repeats=3)),
        )
    a, b = two_systems(32)
    report("exact, 32 queries", time=format_seconds(median_seconds(lambda: randomization_test(a, b))))


if __name__ == "__main__":
    main()
