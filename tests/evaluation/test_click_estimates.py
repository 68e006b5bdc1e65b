"""Gains from clicks: exact in expectation, and maximized exactly."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.click_log import ClickLog
from rankmax.data.judging import join_runs
from rankmax.data.runs import Run
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.evaluation.click_estimates import click_gains, clicks_over_expected
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import DCG

THETA = np.array([1.0, 0.6, 0.3, 0.1])


def expected_log(relevance: np.ndarray, positions: list[list[int]], n: float = 100.0) -> ClickLog:
    """Return the counts that a position-based model expects; each ranking is shown n times."""
    rows = []
    for order in positions:
        for k, d in enumerate(order):
            clicks = n * THETA[k] * relevance[d]
            rows += [("q1", f"d{d}", k + 1, True, clicks), ("q1", f"d{d}", k + 1, False, n - clicks)]
    return ClickLog.from_rows(rows)


@pytest.mark.parametrize("positions", [[[0, 1, 2, 3]], [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]], [[0, 1], [2, 3]]])
def test_expected_clicks_give_the_relevance(positions: list[list[int]]) -> None:
    relevance = np.array([0.2, 0.7, 0.05, 0.9])
    found = click_gains(expected_log(relevance, positions), THETA, clip=0.0).qrels.to_dict()["q1"]
    assert found == pytest.approx({f"d{d}": relevance[d] for d in range(4)})


def test_of_one_ranking_it_is_the_sum_of_inverse_propensities() -> None:
    log = expected_log(np.array([0.2, 0.7, 0.05, 0.9]), [[3, 1, 0, 2]])
    each = log.clicks / THETA[log.positions - 1] / 100
    assert click_gains(log, THETA).qrels.grades == pytest.approx(each)


def test_clipping_limits_the_weight_of_a_click_and_is_told() -> None:
    log = expected_log(np.array([0.2, 0.7, 0.05, 0.9]), [[0, 1, 2, 3]])
    found = click_gains(log, THETA, clip=0.2)
    assert found.qrels.to_dict()["q1"]["d3"] == pytest.approx(0.9 * 0.1 / 0.2)
    assert found.n_clipped == pytest.approx(9)
    assert "9 clicks have one below 0.2" in str(found)
    assert found.to_dict()["clip"] == 0.2


def test_the_line_search_maximizes_the_estimate_exactly() -> None:
    rng = np.random.default_rng(2)
    rows, runs = [], {name: {} for name in ("a", "b")}
    for q in range(12):
        for name in runs:
            runs[name][f"q{q}"] = {f"d{d}": float(rng.normal()) for d in range(6)}
        for k, d in enumerate(rng.permutation(6)[:4]):
            rows += [(f"q{q}", f"d{d}", k + 1, clicked, float(rng.integers(1, 9))) for clicked in (True, False)]
    qrels = click_gains(ClickLog.from_rows(rows), THETA).qrels
    data = join_runs({name: Run.from_dict(run) for name, run in runs.items()}, qrels, missing="zero")
    objective = LinearObjective(data, DCG(cutoff=3))
    start, direction = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    found = objective.line_search(objective.at(start), direction)
    grid = objective.values(start + np.linspace(-30, 30, 20001)[:, None] * direction)
    assert found.value == pytest.approx(grid.max(), abs=1e-12)
    assert found.value > objective.at(start).value


def test_clicks_over_expected_are_1_for_average_documents() -> None:
    log = expected_log(np.full(4, 0.4), [[0, 1, 2, 3], [1, 0, 3, 2]])
    assert clicks_over_expected(log).grades == pytest.approx(np.ones(4))
    unequal = clicks_over_expected(expected_log(np.array([0.2, 0.8]), [[0, 1], [1, 0]])).to_dict()["q1"]
    assert unequal == pytest.approx({"d0": 0.4, "d1": 1.6})


def test_mistakes_are_named() -> None:
    log = expected_log(np.array([0.2, 0.7]), [[0, 1]])
    with pytest.raises(InvalidDataError, match="propensities of 1 positions; documents were shown down to position 2"):
        click_gains(log, np.ones(1))
    with pytest.raises(InvalidDataError, match="not a positive number"):
        click_gains(log, np.array([1.0, 0.0]))
    with pytest.raises(InvalidParameterError, match="clip is 2"):
        click_gains(log, THETA, clip=2)
