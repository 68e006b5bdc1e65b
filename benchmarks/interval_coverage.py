"""Ask how often 95 % bootstrap intervals hold the true mean, plain percentile against BCa.

Data: seeded samples from distributions shaped like per-query metric values, 2,000 samples of each size.
Baseline: the percentile method on resamples of the same number; the true mean comes from the distribution.
"""

from __future__ import annotations

import numpy as np
from harness import report

from rankmax.evaluation.bootstrap import bootstrap_interval

N_SAMPLES = 2_000
N_RESAMPLES = 2_000


def reciprocal_ranks(rng, shape):
    ranks = rng.geometric(0.15, shape)
    return np.where(ranks <= 10, 1 / ranks, 0.0)


DISTRIBUTIONS = {
    "reciprocal ranks, cut at 10": (reciprocal_ranks, sum(0.15 * 0.85 ** (r - 1) / r for r in range(1, 11))),
    "AP-like, Beta(0.5, 1.5)": (lambda rng, shape: rng.beta(0.5, 1.5, shape), 0.25),
    "nDCG-like, Beta(3, 2)": (lambda rng, shape: rng.beta(3, 2, shape), 0.6),
    "success, 90 %": (lambda rng, shape: (rng.random(shape) < 0.9).astype(float), 0.9),
    "log-normal": (lambda rng, shape: rng.lognormal(0, 1, shape), np.exp(0.5)),
}


def percentile_interval(samples, rng):
    n_queries = samples.shape[1]
    counts = rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), size=N_RESAMPLES)
    return np.quantile(samples @ counts.T / n_queries, [0.025, 0.975], axis=1)


def main():
    rng = np.random.default_rng(0)
    for name, (draw, truth) in DISTRIBUTIONS.items():
        for n_queries in (20, 50, 200):
            samples = draw(rng, (N_SAMPLES, n_queries))
            figures = {}
            for method, (low, high) in {
                "percentile": percentile_interval(samples, rng),
                "BCa": bootstrap_interval(samples, n_resamples=N_RESAMPLES),
            }.items():
                # A mean that equals an end to the last digits is inside (success rates are multiples of 1/n).
                above, below = np.mean(low > truth + 1e-9), np.mean(high < truth - 1e-9)
                figures[method] = f"{1 - above - below:.3f} (missed {above:.3f} above, {below:.3f} below)"
            report(f"{name}, {n_queries} queries", **figures)


if __name__ == "__main__":
    main()
