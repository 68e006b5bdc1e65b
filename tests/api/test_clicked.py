"""Clicks judge runs: the estimate has the values of the true relevance, and ranks systems by it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankmax
from rankmax.api.clicked import judged_by_clicks
from rankmax.api.progress import Progress
from rankmax.data.click_log import ClickLog
from rankmax.data.runs import Qrels
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError
from rankmax.metrics import DCG


class Notes(Progress):
    def __init__(self) -> None:
        self.messages: list[str] = []

    def note(self, message: str) -> None:
        self.messages.append(message)


RNG = np.random.default_rng(5)
TRUTH = {f"q{q}": {f"d{d}": float(RNG.choice([0.1, 0.3, 0.8])) for d in range(8)} for q in range(25)}


def run(noise: float) -> dict:
    return {q: {d: grade + float(RNG.normal(0, noise)) for d, grade in of.items()} for q, of in TRUTH.items()}


RUNS = {"good": run(0.1), "fair": run(0.4), "bad": run(2.0)}


def expected_clicks() -> ClickLog:
    rows = []
    for q, of in TRUTH.items():
        for shift in range(4):
            for k, d in enumerate(np.roll(sorted(of), shift)):
                clicks = 50 * of[d] / (k + 1)
                rows += [(q, str(d), k + 1, True, clicks), (q, str(d), k + 1, False, 50 - clicks)]
    return ClickLog.from_rows(rows)


@pytest.mark.parametrize("propensities", ["estimated", "1/rank^1", "1/rank", 1 / np.arange(1, 9)])
def test_expected_clicks_give_the_true_values(propensities: object) -> None:
    by_clicks = rankmax.evaluate(None, RUNS, clicks=expected_clicks(), propensities=propensities)
    truth = rankmax.evaluate(Qrels.from_real_grades(TRUTH), RUNS, "DCG@10")
    for name in RUNS:
        assert by_clicks.means[name]["DCG@10"] == pytest.approx(truth.means[name]["DCG@10"], rel=0.02)


def test_runs_are_compared_and_tuned_by_clicks() -> None:
    compared = rankmax.compare(None, RUNS, clicks=expected_clicks(), baseline="bad")
    assert [row.corrected_p_value < 0.05 for row in compared.by_metric["DCG@10"].rows] == [True, True]
    tuning = rankmax.tune({name: RUNS[name] for name in ("good", "bad")}, clicks=expected_clicks(), repeats=1)
    assert tuning.summary["metrics"][0] == "DCG@10"
    assert tuning.result.learned_fusion.weights[0] > tuning.result.learned_fusion.weights[1]


def searches_of_users_who_stop(n: int = 400) -> ClickLog:
    rng = np.random.default_rng(3)
    rows = []
    for q, of in TRUTH.items():
        for s in range(n):
            looking = True
            for k, d in enumerate(sorted(of, key=lambda d: of[d] + rng.normal(0, 0.3), reverse=True)):
                click = looking and rng.random() < of[d]
                rows.append((f"s{s}", q, d, k + 1, bool(click), 1.0))
                looking = looking and rng.random() < (0.3 if click else 0.95)
    return ClickLog.from_searches(rows)


def test_users_who_stop_are_a_cascade_and_not_positions() -> None:
    log, notes = searches_of_users_who_stop(), Notes()
    truth = rankmax.evaluate(Qrels.from_real_grades(TRUTH), RUNS, "DCG@10").means
    cascade = rankmax.evaluate(None, RUNS, clicks=log, click_model="cascade").means
    position = rankmax.evaluate(None, RUNS, clicks=log, click_model="position", progress=notes).means
    for name in RUNS:
        assert cascade[name]["DCG@10"] == pytest.approx(truth[name]["DCG@10"], rel=0.02)
        assert position[name]["DCG@10"] != pytest.approx(truth[name]["DCG@10"], rel=0.02)
    assert "the clicks fit the other model of users better: --click-model cascade" in notes.messages[-1]
    told = Notes()
    judged_by_clicks(log, [DCG()], click_model="cascade", progress=told)
    assert len(told.messages) == 1
    assert "users go on with probability 0.96, after a click at each position 0.3, 0.3, 0.29" in told.messages[0]
    assert rankmax.compare(None, RUNS, clicks=log, click_model="cascade", baseline="bad").evaluation.means == cascade
    tuning = rankmax.tune({"good": RUNS["good"], "bad": RUNS["bad"]}, clicks=log, click_model="cascade", repeats=1)
    assert tuning.result.learned_fusion.weights[0] > tuning.result.learned_fusion.weights[1]


def test_the_model_is_the_one_that_fits_better_unless_one_is_given() -> None:
    log, notes = searches_of_users_who_stop(100), Notes()
    chosen = judged_by_clicks(log, [DCG()], progress=notes)
    assert chosen.qrels.to_dict() == judged_by_clicks(log, [DCG()], click_model="cascade").qrels.to_dict()
    assert notes.messages[-1].startswith("the clicks fit users who stop better than positions (mean log likelihood")
    for given in ({"propensities": "1/rank^1"}, {"clip": 0.1}):
        told = Notes()
        assert judged_by_clicks(log, [DCG()], progress=told, **given).cascade is None
        assert "--click-model cascade" in told.messages[-1]
    rng, rows = np.random.default_rng(4), []
    for q, of in TRUTH.items():
        for s in range(100):
            order = rng.permutation(sorted(of))
            rows += [(f"s{s}", q, str(d), k, bool(rng.random() < of[d] / k), 1.0) for k, d in enumerate(order, 1)]
    told = Notes()
    assert judged_by_clicks(ClickLog.from_searches(rows), [DCG()], progress=told).cascade is None
    assert len(told.messages) == 1


def test_mistakes_with_a_cascade_are_named(tmp_path: Path) -> None:
    log = searches_of_users_who_stop(5)
    with pytest.raises(IncompatibleError, match="add a column search with the id of each search"):
        rankmax.evaluate(None, RUNS, clicks=expected_clicks(), click_model="cascade")
    with pytest.raises(InvalidParameterError, match="click_model is 'pbm'; expected 'auto', 'position' or 'cascade'"):
        judged_by_clicks(log, [DCG()], click_model="pbm")
    with pytest.raises(IncompatibleError, match="none is clipped"):
        judged_by_clicks(log, [DCG()], click_model="cascade", clip=0.1)
    for bad in ("randomized", "1/rank^1", "ctr"):
        with pytest.raises(InvalidParameterError, match="a cascade takes estimated, or a file"):
            judged_by_clicks(log, [DCG()], click_model="cascade", propensities=bad)
    with pytest.raises(InvalidDataError, match="at 2 positions; documents were shown down to position 8"):
        judged_by_clicks(log, [DCG()], click_model="cascade", propensities=[0.3, 0.3])
    with pytest.raises(InvalidDataError, match="not a number from 0 to 1"):
        judged_by_clicks(log, [DCG()], click_model="cascade", propensities=[2.0] * 8)
    (tmp_path / "p.txt").write_text("0.3\n" * 8)
    found = judged_by_clicks(log, [DCG()], click_model="cascade", propensities=str(tmp_path / "p.txt"))
    assert (found.cascade.after_click.tolist(), found.cascade.otherwise) == ([0.3] * 8, 1.0)


def test_mistakes_are_named(tmp_path) -> None:
    log = expected_clicks()
    with pytest.raises(IncompatibleError, match="DCG with a linear gain, such as DCG@10, not nDCG@10"):
        rankmax.evaluate(None, RUNS, "nDCG@10", clicks=log)
    with pytest.raises(IncompatibleError, match="either judgments or clicks"):
        rankmax.evaluate({"q1": {"d1": 1}}, RUNS, "DCG@10", clicks=log)
    with pytest.raises(IncompatibleError, match="either judgments or clicks"):
        rankmax.tune(RUNS, {"q1": {"d1": 1}}, clicks=log)
    for bad in ("1/rank^x", "ctr", "1/rank^1.2.3"):
        with pytest.raises(InvalidParameterError, match="propensities"):
            judged_by_clicks(log, [DCG()], propensities=bad)
    with pytest.raises(InvalidParameterError, match="eta is 99; expected a number from 0 to 10"):
        judged_by_clicks(log, [DCG()], propensities="1/rank^99")
    (tmp_path / "p.txt").write_text("\n".join(str(1 / k) for k in range(1, 9)))
    found = judged_by_clicks(log, [DCG()], propensities=str(tmp_path / "p.txt"))
    assert found.qrels.to_dict()["q0"]["d0"] == pytest.approx(TRUTH["q0"]["d0"])
