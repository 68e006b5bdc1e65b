"""Propensities are recovered from clicks that a position-based model made."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.click_log import ClickLog
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.evaluation.click_propensities import estimated_propensities, power_propensities, randomized_propensities

THETA = 1 / np.arange(1, 7) ** 0.8


def simulated(shuffled: bool, n_queries: int = 60, n_sessions: int = 200) -> ClickLog:
    rng = np.random.default_rng(1)
    rows = []
    for q in range(n_queries):
        relevance = rng.choice([0.05, 0.2, 0.7], 6)
        for _ in range(n_sessions):
            order = rng.permutation(6) if shuffled else np.argsort(-relevance - rng.normal(0, 0.3, 6))
            for k, d in enumerate(order):
                rows.append((f"q{q}", f"d{d}", k + 1, bool(rng.random() < THETA[k] * relevance[d]), 1.0))
    return ClickLog.from_rows(rows)


def test_estimation_recovers_the_propensities_of_results_by_relevance() -> None:
    log = simulated(shuffled=False)
    assert estimated_propensities(log) == pytest.approx(THETA, rel=0.1)
    with pytest.raises(AssertionError):  # what relevance does to click-through rates, the estimate takes out
        assert randomized_propensities(log) == pytest.approx(THETA, rel=0.1)


def test_rates_of_shuffled_results_are_propensities() -> None:
    log = simulated(shuffled=True)
    assert randomized_propensities(log) == pytest.approx(THETA, rel=0.1)
    assert estimated_propensities(log) == pytest.approx(THETA, rel=0.1)


def test_few_clicks_per_document_cause_no_bias() -> None:
    """With the binomial likelihood of all relevances, the last positions would be overrated."""
    assert estimated_propensities(simulated(shuffled=True, n_queries=1500, n_sessions=5)) == pytest.approx(
        THETA, rel=0.1
    )


def test_positions_without_clicks_or_documents_have_a_propensity() -> None:
    rows = [("q", "ab"[d], k, c, n) for d in (0, 1) for k in (1, 2) for c, n in ((True, 6 // k), (False, 9))]
    log = ClickLog.from_rows([*rows, ("q", "a", 5, False, 10)])
    theta = estimated_propensities(log)
    assert theta[0] == 1
    assert theta[2] == theta[3] == theta[1]
    assert 0 < theta[4] < 0.2


def test_positions_that_share_no_document_are_refused() -> None:
    rows = [("q1", f"d{k}", k, clicked, 5.0) for k in (1, 2) for clicked in (True, False)]
    with pytest.raises(InvalidDataError, match="both at position 2 and at one linked to the first"):
        estimated_propensities(ClickLog.from_rows(rows))


def test_mistakes_are_named() -> None:
    with pytest.raises(InvalidParameterError, match="eta is -1"):
        power_propensities(-1, 3)
    with pytest.raises(InvalidDataError, match="no clicks at position 2"):
        randomized_propensities(ClickLog.from_rows([("q", "a", 1, True, 1.0), ("q", "b", 2, False, 1.0)]))
