"""Users who stop: looks and likelihood as by enumeration, unbiased gains, and parameters that are recovered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.cascade import page_visits
from rankmax.data.click_log import ClickLog
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.evaluation.click_cascade import _Cells, fit_cascade
from rankmax.evaluation.click_estimates import cascade_gains, click_gains

ATTRACTIVE = {"a": 0.7, "b": 0.2, "c": 0.5, "d": 0.05}
PAGES = ("abcd", "dbca", "cab", "bd")
AFTER, OTHERWISE = np.array([0.3, 0.5, 0.2, 0.6]), 0.9


def expected_log(
    attractive: dict[str, float], pages: tuple[str, ...], after_click: np.ndarray, otherwise: float
) -> tuple[ClickLog, list[tuple[float, np.ndarray]]]:
    """Return all patterns of clicks, each as often as is expected, with the looks at each document."""
    rows, truth = [], []
    for page in pages:
        visits = page_visits([attractive[d] for d in page], after_click.tolist(), otherwise)
        for number, (clicks, chance, looked) in enumerate(visits):
            if chance > 0:
                truth.append((chance, looked / chance))
                rows += [(f"{page} {number}", "q", d, k + 1, clicks[k], chance) for k, d in enumerate(page)]
    return ClickLog.from_searches(rows), truth


def clicks_of(log: ClickLog) -> np.ndarray:
    return np.bincount(log.pairs, log.clicks, log.n_documents)


probabilities = st.floats(0.01, 0.99)


@given(
    st.lists(probabilities, min_size=4, max_size=4),
    st.lists(st.integers(0, 20).map(lambda n: n / 20), min_size=4, max_size=4),
    st.integers(0, 20).map(lambda n: n / 20),
    st.lists(st.permutations("abcd"), min_size=1, max_size=3, unique_by=tuple),
    st.integers(1, 4),
)
@settings(deadline=None)
def test_looks_and_likelihood_are_those_of_enumeration_and_gains_are_unbiased(
    attractive: list[float], after_click: list[float], otherwise: float, orders: list[list[str]], length: int
) -> None:
    """In expectation a document has as many clicks as looks times its probability, for users of any kind."""
    by_document, after = dict(zip("abcd", attractive, strict=True)), np.array(after_click)
    pages = tuple(dict.fromkeys("".join(order[:length]) for order in orders))
    log, truth = expected_log(by_document, pages, after, otherwise)
    cells = _Cells.of(log.searches)
    relevance = np.array([by_document[d] for d in log.document_ids])
    going_on = np.where(cells.clicked, after[cells.places], otherwise)
    looked = cells.looked(relevance[cells.pairs], going_on)
    found = [looked[cells.search == s] for s in range(len(log.searches))]  # by place, as slices follow each other
    for mine, (_, true) in zip(found, truth, strict=True):
        assert mine == pytest.approx(true, abs=1e-9)
    chances = np.exp(cells.log_likelihoods(relevance[cells.pairs], going_on))
    assert chances == pytest.approx([chance for chance, _ in truth], abs=1e-12)
    looks = np.bincount(cells.pairs, cells.counts * looked, log.n_documents)
    assert clicks_of(log) == pytest.approx(relevance * looks, abs=1e-12)


def test_expected_clicks_give_the_relevance_and_the_probabilities_of_going_on() -> None:
    log, _ = expected_log(ATTRACTIVE, PAGES, AFTER, OTHERWISE)
    given_them = cascade_gains(log, fit_cascade(log, (AFTER, OTHERWISE))).qrels.to_dict()["q"]
    assert given_them == pytest.approx(ATTRACTIVE, abs=1e-6)
    cascade = fit_cascade(log)
    assert cascade.after_click[:3] == pytest.approx(AFTER[:3], abs=1e-4)
    assert cascade.otherwise == pytest.approx(OTHERWISE, abs=1e-4)
    assert cascade_gains(log, cascade).qrels.to_dict()["q"] == pytest.approx(ATTRACTIVE, abs=1e-4)
    by_position = click_gains(log, np.array([1, 0.6, 0.3, 0.2])).qrels.to_dict()["q"]
    assert max(abs(by_position[d] - ATTRACTIVE[d]) for d in ATTRACTIVE) > 0.05


def test_clicks_that_another_follows_are_fewer_than_users_who_go_on() -> None:
    log, truth = expected_log(ATTRACTIVE, ("abcd",), AFTER, OTHERWISE)
    clicked = log.searches.clicked.reshape(-1, 4)
    followed = clicked[:, 1:].any(axis=1)[clicked[:, 0]]
    counts = np.array([chance for chance, _ in truth])[clicked[:, 0]]
    assert counts @ followed / counts.sum() < 0.7 * AFTER[0]


def test_of_users_who_stop_at_the_first_click_looks_are_known() -> None:
    """Documents count where nothing above them was clicked."""
    rng = np.random.default_rng(4)
    rows, looks, clicks = [], dict.fromkeys(ATTRACTIVE, 0), dict.fromkeys(ATTRACTIVE, 0)
    for s in range(300):
        stopped = False
        for k, d in enumerate(rng.permutation(list(ATTRACTIVE))):
            click = not stopped and rng.random() < ATTRACTIVE[d]
            looks[d] += not stopped
            clicks[d] += click
            rows.append((f"s{s}", "q", str(d), k + 1, bool(click), 1.0))
            stopped |= click
    log = ClickLog.from_searches(rows)
    found = cascade_gains(log, fit_cascade(log, (np.zeros(4), 1.0))).qrels.to_dict()["q"]
    assert found == pytest.approx({d: clicks[d] / looks[d] for d in ATTRACTIVE}, abs=1e-12)


def simulated(n: int, seed: int, n_queries: int = 3) -> list[tuple[str, str, str, int, bool, float]]:
    rng = np.random.default_rng(seed)
    rows = []
    for s in range(n):
        looking = True
        for k, d in enumerate(rng.permutation(list(ATTRACTIVE))):
            click = looking and rng.random() < ATTRACTIVE[d]
            rows.append((f"s{s}", f"q{s % n_queries}", str(d), k + 1, bool(click), 1.0))
            looking = looking and rng.random() < (AFTER[k] if click else OTHERWISE)
    return rows


def test_the_fit_is_the_maximum_of_the_likelihood() -> None:
    log = ClickLog.from_searches(simulated(400, seed=1))
    cascade, cells = fit_cascade(log), _Cells.of(log.searches)
    best = np.concatenate([clicks_of(log) / cascade.looks, cascade.after_click, [cascade.otherwise]])

    def likelihood(point: np.ndarray) -> float:
        relevance, after = point[: log.n_documents], point[log.n_documents : -1]
        going_on = np.where(cells.clicked, after[cells.places], point[-1])
        return float(log.searches.counts @ cells.log_likelihoods(relevance[cells.pairs], going_on))

    assert likelihood(best) == pytest.approx(log.searches.counts @ cascade.log_likelihoods)
    rng = np.random.default_rng(0)
    for _ in range(200):
        assert likelihood(np.clip(best + 0.02 * rng.normal(size=best.size), 0.001, 0.999)) < likelihood(best)


def test_order_repetition_and_number_of_searches_do_not_matter() -> None:
    rows = simulated(60, seed=2)
    gains = [
        cascade_gains(log, fit_cascade(log)).qrels.to_dict()
        for log in (
            ClickLog.from_searches(rows),
            ClickLog.from_searches([*rows[::-1], *rows]),
            ClickLog.from_searches([(*row[:5], 7.0) for row in rows]),
        )
    ]
    for other in gains[1:]:
        for query, documents in gains[0].items():
            assert other[query] == pytest.approx(documents, abs=1e-12)


def test_whoever_clicks_looks_so_that_no_gain_exceeds_1() -> None:
    log, _ = expected_log(ATTRACTIVE, ("cab",), np.zeros(3), 1.0)
    found = cascade_gains(log, fit_cascade(log, (np.zeros(3), 1.0)))
    assert found.propensities == pytest.approx([1, 0.5, 0.15])
    assert "users go on with probability 1, after a click at each position 0, 0, 0; they look at 1, 0.5, 0.15" in str(
        found
    )
    assert found.to_dict()["cascade"] == {"after_click": [0, 0, 0], "otherwise": 1}
    few = ClickLog.from_searches(simulated(20, seed=3))
    assert 0.9 < cascade_gains(few, fit_cascade(few)).qrels.grades.max() <= 1


def test_mistakes_are_named() -> None:
    with pytest.raises(IncompatibleError, match="add a column search with the id of each search"):
        fit_cascade(ClickLog.from_rows([("q", "a", 1, True, 1.0), ("q", "b", 2, False, 1.0)]))
    with pytest.raises(InvalidDataError, match="no clicked document was shown at several positions"):
        fit_cascade(ClickLog.from_searches([("s", "q", "a", 1, True, 1.0), ("s", "q", "b", 2, False, 1.0)]))
    with pytest.raises(InvalidDataError, match="the log has clicks only"):
        fit_cascade(ClickLog.from_searches([("s", "q", "a", 1, True, 1.0)]))
