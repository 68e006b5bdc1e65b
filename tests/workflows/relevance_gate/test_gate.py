"""The gate's rules, each on systems whose values are made for it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankmax.errors import IncompatibleError, UnknownNameError
from rankmax.metrics.registry import parse_metric
from rankmax.workflows.relevance_gate.findings import Finding, GateReport, Outcome
from rankmax.workflows.relevance_gate.gate import run_gate
from rankmax.workflows.relevance_gate.gate_rules import rules_of
from rankmax.workflows.relevance_gate.gate_systems import GateSystem

N = 60
QUERIES = tuple(f"q{n}" for n in range(N))
RNG = np.random.default_rng(0)
BEFORE = RNG.uniform(0.3, 0.7, N)
NOISE = RNG.normal(0, 0.05, N)
NOISE -= NOISE.mean()


def system(name: str, *rows: np.ndarray, **more: object) -> GateSystem:
    return GateSystem(name, None, QUERIES, np.array(rows), **more)  # type: ignore[arg-type]


def gate(after: np.ndarray | GateSystem, before: np.ndarray | GateSystem = BEFORE, **rules: object) -> GateReport:
    checked = rules_of({"metrics": ["nDCG@10"], **rules})
    baseline = before if isinstance(before, GateSystem) else system("old", before)
    candidate = after if isinstance(after, GateSystem) else system("new", after)
    halves = {"half=a": np.arange(N) < N // 2, "half=b": np.arange(N) >= N // 2, "tiny=x": np.arange(N) < 3}
    return run_gate(baseline, [candidate], checked.all_metrics, checked, segments=halves, topics={"q1": "red shoes"})


def only(report: GateReport, rule: str, subject: str = "") -> Finding:
    (found,) = [one for one in report.findings if one.rule == rule and one.subject.startswith(subject)]
    return found


def test_no_change_passes_and_a_drop_fails() -> None:
    same = gate(BEFORE + NOISE)
    assert (same.outcome, same.exit_status) == (Outcome.PASS, 0)
    worse = gate(BEFORE + NOISE - 0.05)
    assert (worse.outcome, worse.exit_status) == (Outcome.FAIL, 1)
    cells = {cell.segment: cell for cell in worse.cells}
    assert cells[None].difference == pytest.approx(-0.05)
    assert cells[None].corrected_p_value <= 0.001
    assert cells[None].power > 0.99
    assert 0 < cells[None].noticeable_drop < 0.03
    assert "max-T" in worse.method
    assert "3 comparisons" in worse.method  # all queries and two halves; three queries are too few to test


def test_a_drop_in_one_segment_is_seen_there() -> None:
    drop = np.where(np.arange(N) < N // 2, -0.06, 0.03)
    report = gate(BEFORE + NOISE + drop)
    failed = [one.subject for one in report.findings if one.outcome is Outcome.FAIL]
    assert failed == ["nDCG@10 in half=a"]


def test_too_few_queries_are_said_and_never_pass() -> None:
    report = gate(BEFORE + NOISE)
    tiny = next(one for one in report.findings if one.subject == "nDCG@10 in tiny=x")
    assert tiny.outcome is Outcome.WARNING
    assert "too few" in tiny.message
    few = [GateSystem(name, None, QUERIES[:4], BEFORE[np.newaxis, :4]) for name in ("old", "new")]
    rules = rules_of({})
    alone = run_gate(few[0], few[1:], rules.all_metrics, rules, segments={}, topics={})
    assert (alone.outcome, alone.exit_status) == (Outcome.UNKNOWN, 2)


def test_floors() -> None:
    floor = f"nDCG@10 >= {BEFORE.mean() - 0.001}"
    assert only(gate(BEFORE, floors=[floor]), "floor").outcome is Outcome.PASS
    assert only(gate(BEFORE - 0.002, floors=[floor]), "floor").outcome is Outcome.FAIL
    in_half = gate(BEFORE, floors=["nDCG@10 >= 0.99 in half=a"])
    assert only(in_half, "floor").subject == "nDCG@10 in half=a >= 0.99"
    with pytest.raises(UnknownNameError, match="half=c"):
        gate(BEFORE, floors=["nDCG@10 >= 0.9 in half=c"])


def test_a_margin_has_to_be_shown() -> None:
    shown = only(gate(BEFORE + NOISE, margins={"nDCG@10": 0.03}), "margin")
    assert shown.outcome is Outcome.PASS
    small = gate(BEFORE + NOISE, margins={"nDCG@10": 0.001})
    assert (only(small, "margin").outcome, small.exit_status) == (Outcome.UNKNOWN, 2)
    quantiles = 1.7507 + 0.8416  # of the normal distribution at 96% and 80%
    needed = math.ceil((quantiles * NOISE.std() / 0.001) ** 2)
    said = only(small, "margin").message
    assert int(said.split("about ")[1].split(" ")[0].replace(",", "")) == pytest.approx(needed, rel=0.001)
    assert only(gate(BEFORE + NOISE - 0.05, margins={"nDCG@10": 0.03}), "margin").outcome is Outcome.FAIL
    # worse without doubt, and by less than the margin
    slight = gate(BEFORE + NOISE / 10 - 0.01, margins={"nDCG@10": 0.02})
    assert only(slight, "margin").outcome is Outcome.PASS


def test_a_guardrail_fails_while_the_main_metric_gains() -> None:
    before = system("old", BEFORE, BEFORE)
    after = system("new", BEFORE + NOISE + 0.1, BEFORE + NOISE - 0.1)
    report = gate(after, before, guardrails=["R@100"])
    failed = {(one.rule, one.subject) for one in report.findings if one.outcome is Outcome.FAIL}
    assert ("guardrail", "R@100") in failed
    assert not any(rule == "significance" for rule, _ in failed)


def test_metrics_of_floors_alone_are_not_tested() -> None:
    both = system("new", BEFORE, BEFORE - 0.1), system("old", BEFORE, BEFORE)
    report = gate(both[0], both[1], floors=["AP >= 0.1"])
    assert report.outcome is Outcome.PASS
    assert all(math.isnan(cell.p_value) for cell in report.cells if cell.metric == "AP")


def test_a_drop_that_may_be_missing_judgments_alone_is_said_to_be_that() -> None:
    after = BEFORE + NOISE - 0.05
    unjudged = tuple((1.0, math.nan) for _ in QUERIES)
    top = tuple(("d1", "d2") for _ in QUERIES)
    explained = system("new", after, grades=unjudged, top=top, if_relevant=(after + 0.08)[np.newaxis])
    report = gate(explained)
    assert (report.outcome, report.exit_status) == (Outcome.UNKNOWN, 2)
    said = only(report, "significance", "nDCG@10 in half=a").message
    assert "missing judgments alone" in said
    assert "50.0% of the top documents are not judged" in said
    cell = report.cells[0]
    assert (cell.value, cell.if_relevant) == pytest.approx((after.mean(), after.mean() + 0.08))
    # too few unjudged documents to explain it
    partly = system("new", after, grades=unjudged, top=top, if_relevant=(after + 0.005)[np.newaxis])
    assert gate(partly).exit_status == 1
    floor = gate(explained, floors=[f"nDCG@10 >= {after.mean() + 0.05}"])
    assert only(floor, "floor").outcome is Outcome.UNKNOWN


def test_unjudged_documents_that_the_baseline_shows_too_explain_no_drop() -> None:
    after = BEFORE - 0.08
    grades = tuple((1.0, math.nan) for _ in QUERIES)
    top = tuple(("d1", "d2") for _ in QUERIES)
    candidate = system("new", after, grades=grades, top=top, if_relevant=(after + 0.08)[np.newaxis])
    same, other = (system("old", BEFORE, top=tuple(names for _ in QUERIES)) for names in (("d3", "d2"), ("d3", "d1")))
    assert gate(candidate, same).outcome is Outcome.FAIL
    assert gate(candidate, other).outcome is Outcome.UNKNOWN


def test_the_share_of_unjudged_documents() -> None:
    top = tuple(("d1", "d2", "d3", "d4") for _ in QUERIES)
    grades = tuple((1.0, 0.0, 2.0, math.nan) for _ in QUERIES)
    candidate = system("new", BEFORE, grades=grades, top=top, if_relevant=BEFORE[np.newaxis])
    assert only(gate(candidate, unjudged={"share": 0.25}), "unjudged").outcome is Outcome.PASS
    assert only(gate(candidate, unjudged={"share": 0.2}), "unjudged").outcome is Outcome.UNKNOWN


def test_latency() -> None:
    slow, quick = np.linspace(100, 200, N), np.linspace(50, 100, N)
    after, before = system("new", BEFORE, latencies=slow), system("old", BEFORE, latencies=quick)
    assert np.percentile(slow, 95) == pytest.approx(195, abs=1)
    for rule, outcome in (
        ({"p95": 196}, Outcome.PASS),
        ({"p95": 194}, Outcome.FAIL),
        ({"slowdown": 2.1}, Outcome.PASS),
        ({"slowdown": 1.9}, Outcome.FAIL),
    ):
        assert only(gate(after, before, latency=rule), "latency").outcome is outcome
    with pytest.raises(IncompatibleError, match="new carries no latency"):
        gate(system("new", BEFORE), before, latency={"p95": 100})


def test_queries_that_fell_most_come_with_their_rankings() -> None:
    drop = np.zeros(N)
    drop[[1, 7]] = -0.2, -0.3
    top = tuple((f"{query}-a", f"{query}-b") for query in QUERIES)
    grades = tuple((0.0, math.nan) for _ in QUERIES)
    report = gate(system("new", BEFORE + drop, top=top, grades=grades))
    assert [(one.query, one.text) for one in report.fallen] == [("q7", None), ("q1", "red shoes")]
    assert report.fallen[0].before is None
    assert [(one.id, one.grade) for one in report.fallen[0].after or ()] == [("q7-a", 0.0), ("q7-b", None)]


def test_candidates_are_corrected_together() -> None:
    rules = rules_of({})
    several = [system(f"new{n}", BEFORE + NOISE * (-1) ** n - 0.012) for n in range(4)]
    before, metrics = system("old", BEFORE), [parse_metric("nDCG@10")]
    alone = run_gate(before, several[:1], metrics, rules, segments={}, topics={})
    together = run_gate(before, several, metrics, rules, segments={}, topics={})
    assert alone.cells[0].p_value == together.cells[0].p_value
    assert alone.cells[0].corrected_p_value < together.cells[0].corrected_p_value
    assert set(together.power) == {"new0", "new1", "new2", "new3"}
