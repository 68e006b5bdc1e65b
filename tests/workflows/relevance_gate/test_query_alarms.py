"""Alarms about single queries."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.errors import UnknownNameError
from rankmax.workflows.relevance_gate.findings import Outcome
from rankmax.workflows.relevance_gate.gate_systems import GateSystem
from rankmax.workflows.relevance_gate.query_alarms import fallen_to_zero, must_win_findings

OLD = GateSystem("old", None, ("q1", "q2", "q3"), np.array([[1.0, 0.5, 1.0], [1.0, 0.0, 0.2]]))
NEW = GateSystem("new", None, ("q1", "q2", "q3"), np.array([[0.0, 0.5, 1.0], [0.0, 0.3, 0.1]]))
METRICS = [(0, "RR"), (1, "AP")]


def test_must_win_queries_keep_their_value_or_reach_one() -> None:
    found = must_win_findings(OLD, NEW, 0, "RR", ["q1", "q2"])
    assert [(one.query, one.outcome) for one in found] == [("q1", Outcome.FAIL), ("q2", Outcome.PASS)]
    found = must_win_findings(OLD, NEW, 0, "RR", {"q2": 0.6, "q3": 1.0})
    assert [one.outcome for one in found] == [Outcome.FAIL, Outcome.PASS]
    with pytest.raises(UnknownNameError, match="'q9'"):
        list(must_win_findings(OLD, NEW, 0, "RR", ["q9"]))


def test_a_must_win_query_may_lack_judgments() -> None:
    judged = GateSystem("new", None, NEW.query_ids, NEW.values, if_relevant=np.array([[1.0, 1, 1], [1, 1, 1]]))
    (found,) = must_win_findings(OLD, judged, 0, "RR", ["q1"])
    assert found.outcome is Outcome.UNKNOWN
    assert "1.0000 if its unjudged documents are relevant" in found.message


def test_fallen_queries_are_warned_of_or_counted() -> None:
    (found,) = fallen_to_zero(OLD, NEW, METRICS, None)
    assert (found.query, found.outcome, found.message) == ("q1", Outcome.WARNING, "fell from 1 to 0 in RR, AP")
    assert next(fallen_to_zero(OLD, NEW, METRICS, 0)).outcome is Outcome.FAIL
    assert next(fallen_to_zero(OLD, NEW, METRICS, 1)).outcome is Outcome.PASS
    assert list(fallen_to_zero(OLD, OLD, METRICS, None)) == []


def test_many_fallen_queries_are_counted_and_some_listed() -> None:
    names = tuple(f"q{n}" for n in range(50))
    old, new = (GateSystem(name, None, names, np.full((1, 50), value)) for name, value in (("old", 1.0), ("new", 0.0)))
    found = list(fallen_to_zero(old, new, METRICS[:1], None))
    assert len(found) == 21
    assert found[-1].message == "50 queries fell from 1 to 0; the first 20 are listed"
