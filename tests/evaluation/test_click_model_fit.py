"""The likelihood tells users who look by position from users who stop."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.click_log import ClickLog
from rankmax.evaluation.click_cascade import fit_cascade
from rankmax.evaluation.click_model_fit import click_model_fit
from rankmax.evaluation.click_propensities import estimated_propensities, position_log_likelihoods


def simulated(users: str, seed: int) -> ClickLog:
    rng = np.random.default_rng(seed)
    rows = []
    for s in range(1500):
        looking = True
        for k, d in enumerate(rng.permutation(6)):
            looks = looking if users == "cascade" else rng.random() < 1 / (k + 1)
            click = looks and rng.random() < (0.6 if d < 2 else 0.1)
            rows.append((f"s{s}", f"q{s % 5}", f"d{d}", k + 1, bool(click), 1.0))
            looking = looking and rng.random() < (0.3 if click else 0.95)
    return ClickLog.from_searches(rows)


@pytest.mark.parametrize("users", ["position", "cascade"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_model_of_the_users_fits_better(users: str, seed: int) -> None:
    log = simulated(users, seed)
    fit = click_model_fit(log, estimated_propensities(log), fit_cascade(log))
    assert fit.better == users
    assert (fit.cascade > fit.position) == (users == "cascade")


def test_the_likelihood_of_positions_is_that_of_independent_clicks() -> None:
    rows = [("s1", "q", "a", 1, True, 3.0), ("s1", "q", "b", 2, False, 3.0), ("s2", "q", "a", 1, False, 1.0)]
    found = position_log_likelihoods(ClickLog.from_searches(rows), np.array([2.0, 1.0]))
    assert found == pytest.approx(np.log([0.75, 0.25]), abs=1e-5)
