"""The unjudged documents in the results of evaluate, compare and tune."""

from __future__ import annotations

import pytest

import rankmax

QRELS = {f"q{i}": {"d1": 1, "d2": 0} for i in range(8)}
RUNS = {
    "bm25": {q: {"d1": 2.0, "d2": 1.0} for q in QRELS},
    "e5": {q: {"d3": 2.0, "d1": 1.0} for q in QRELS},
}


def test_evaluate_shows_share_and_bounds() -> None:
    evaluation = rankmax.evaluate(QRELS, RUNS, "RR")
    assert str(evaluation.unjudged["bm25"]["RR"]) == "0%"
    assert str(evaluation.unjudged["e5"]["RR"]) == "50%: 0.5000 to 1.0000"
    assert "50%: 0.5000 to 1.0000" in str(evaluation)
    (_, e5) = evaluation.to_dict()["systems"]
    assert e5["metrics"]["RR"]["unjudged"] == {"depth": 10, "share": 0.5, "lowest": 0.5, "highest": 1.0}


def test_compare_shows_them() -> None:
    comparison = rankmax.compare(QRELS, RUNS, "RR")
    assert "50%: 0.5000 to 1.0000" in str(comparison)
    assert comparison.to_dict()["RR"]["unjudged"]["e5"]["highest"] == 1.0


def test_nothing_is_shown_where_all_is_judged() -> None:
    assert "not judged" not in str(rankmax.evaluate(QRELS, {"bm25": RUNS["bm25"]}, "RR"))


def test_tune_has_them_for_pick_and_current() -> None:
    tuning = rankmax.tune(RUNS, QRELS, "RR", current="e5", repeats=1)
    found = tuning.to_dict()["unjudged"]
    assert found["current"]["share"] == pytest.approx(1 / 3)  # d2 follows, which e5 did not retrieve
    assert (found["current"]["lowest"], found["current"]["highest"]) == (0.5, 1.0)
    assert "of the top 10 of e5, RR 0.50 to 1.00" in str(tuning)


def test_machine_judgments_leave_no_such_bounds() -> None:
    machine = {**QRELS, **{f"m{i}": {"d1": 1} for i in range(4)}}
    runs = {name: {**run, **{f"m{i}": {"d1": 1.0} for i in range(4)}} for name, run in RUNS.items()}
    assert not rankmax.evaluate(QRELS, runs, "RR", machine_qrels=machine).unjudged
