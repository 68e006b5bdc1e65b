"""Stated power: held to normal theory, and to how often the test itself rejects."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from rankmax.evaluation.joint_regression_test import joint_regression_test
from rankmax.evaluation.noticeable_drops import caught_share, noticeable_drops

LEVEL = 0.04


def caught(differences: np.ndarray, weights: np.ndarray | None, n_trials: int) -> np.ndarray:
    """How often the test rejects in each cell, on queries drawn again, and in any."""
    rng = np.random.default_rng(1)
    n = differences.shape[1]
    rejected = []
    for trial in range(n_trials):
        drawn = differences[:, rng.choice(n, n, p=weights)]
        rejected.append(joint_regression_test(drawn, n_flips=499, seed=trial).corrected_p_values <= LEVEL)
    return np.array([*np.mean(rejected, axis=0), np.mean(np.any(rejected, axis=1))])


def test_many_normal_differences_agree_with_theory() -> None:
    differences = np.random.default_rng(0).normal(0.01, 0.2, (1, 900))
    critical = joint_regression_test(differences).critical_value
    quantile = NormalDist().inv_cdf
    expected = (quantile(1 - LEVEL) + quantile(0.8)) * differences.std() / 30
    assert noticeable_drops(differences, critical)[0].drop == pytest.approx(expected, rel=0.06)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_changes_are_caught_as_often_as_stated(kind: str) -> None:
    rng = np.random.default_rng(4)
    differences = rng.normal(-0.03, 0.12, (3, 60))
    if kind == "sparse":
        differences = -np.abs(differences) * (rng.random(60) < 0.12)
    critical = joint_regression_test(differences).critical_value
    stated = [one.power for one in noticeable_drops(differences, critical)]
    stated.append(caught_share(differences, critical))
    assert np.abs(caught(differences, None, 600) - stated).max() < 0.07  # 3.5 standard deviations of 600 trials


def test_the_smallest_drop_is_caught_four_times_of_five() -> None:
    differences = np.random.default_rng(5).normal(0.0, 0.1, (2, 80))
    critical = joint_regression_test(differences).critical_value
    drop = noticeable_drops(differences, critical)[0].drop
    tilts = np.linspace(0, 20, 2001)
    weights = np.exp(-np.outer(tilts, differences[0]))
    weights /= weights.sum(axis=1, keepdims=True)
    tilted = weights[np.argmin(np.abs(weights @ differences[0] + drop))]
    assert caught(differences, tilted, 600)[0] == pytest.approx(0.8, abs=0.06)


def test_only_gains_are_mirrored_and_nothing_is_said_of_nothing() -> None:
    rose = np.abs(np.random.default_rng(6).normal(0.02, 0.05, (1, 50)))
    found = noticeable_drops(rose, 1.75)[0]
    assert found.mirrored
    assert 0 < found.drop < rose.mean()
    still = noticeable_drops(np.zeros((1, 50)), np.inf)[0]
    assert np.isnan(still.drop)
    assert still.power == 0


def test_too_few_queries_notice_nothing() -> None:
    differences = np.array([[-0.1, 0.1, -0.2]])
    critical = joint_regression_test(differences).critical_value
    assert critical == np.inf
    assert np.isnan(noticeable_drops(differences, critical)[0].drop)


def test_a_segment_is_judged_by_its_own_queries() -> None:
    rng = np.random.default_rng(7)
    row = rng.normal(0, 0.1, 200)
    segment = np.where(np.arange(200) < 50, row, np.nan)
    both = np.array([row, segment])
    critical = joint_regression_test(both).critical_value
    whole, part = noticeable_drops(both, critical)
    assert part.drop == pytest.approx(2 * whole.drop, rel=0.3)  # a quarter of the queries
