from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rankmax.papers.registry import paper_named
from rankmax.papers.reports import Finding
from rankmax.papers.running import draw_exhibit
from rankmax.papers.store import StoredStudy
from rankmax.papers.yang2010.study import EXPECTED, LINEAR, LOSSES, MEASURED, WAYS, direct_name, step_name

PAPER = paper_named("yang2010")


def values(expected: float, p_value: float) -> dict[str, Any]:
    case = {LINEAR: 0.4, EXPECTED: expected, "p_value": p_value}
    cases = {step_name("OHSUMED", way, loss): dict.fromkeys(MEASURED, case) for way in WAYS for loss in LOSSES}
    return {**cases, direct_name("OHSUMED"): dict.fromkeys(MEASURED, 0.45)}


CASES = {name: found for name, found in values(0.5, 0.01).items() if name != direct_name("OHSUMED")}


@pytest.mark.parametrize(
    ("expected", "p_value", "counts", "verdicts"),
    [
        (0.5, 0.01, ["9", "0", "0"], ["holds", "inconclusive"]),  # none of 9 may be three in ten
        (0.401, 0.2, ["0", "9", "0"], ["holds", "inconclusive"]),
        (0.3, 0.01, ["0", "0", "9"], ["does not hold", "does not hold"]),
        (0.1, 0.01, ["0", "0", "9"], ["not tested", "not tested"]),  # collapsed
    ],
)
def test_cases_are_counted(expected: float, p_value: float, counts: list[str], verdicts: list[str]) -> None:
    report = PAPER.report(PAPER.exhibit("table-1"), values(expected, p_value))
    assert [row[1] for row in report.tables[0].rows[:3]] == counts
    assert report.tables[0].rows[-1] == ["Avg. change", *[f"{expected / 0.4 - 1:+.1%}"] * 2]
    assert [report.findings[claim].verdict for claim in ("improves", "low-risk")] == verdicts


def test_metrics_that_are_0_change_nothing() -> None:
    found = {
        name: by_metric | {"NDCG@10": {LINEAR: 0.0, EXPECTED: 0.0, "p_value": 1.0}} for name, by_metric in CASES.items()
    }
    assert PAPER.report(PAPER.exhibit("table-1"), found).tables[0].rows[-1][1] == "+16.7%"


def test_all_values_are_listed_with_markers_and_our_default() -> None:
    (table,) = PAPER.report(PAPER.exhibit("figure-1"), values(0.5, 0.01)).tables
    assert len(table.rows) == len(WAYS) * len(LOSSES) * 2 + 1
    assert table.rows[1][3:] == [EXPECTED, *["0.5000 ▲"] * 4]
    assert table.rows[-1][1:] == ["ours: rankmax's default", "none", LINEAR, *["0.4500"] * 4]


def test_low_risk_in_the_small_version(small_findings: Callable[[str], dict[str, Finding]]) -> None:
    found = small_findings("yang2010")
    assert found["low-risk"].verdict in {"holds", "inconclusive"}
    assert "does not hold" not in {finding.verdict for finding in found.values()}


def test_bars_are_drawn(tmp_path: Path, small_study: Callable[[str, str], StoredStudy]) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "yang2010").mkdir()
    drawn = draw_exhibit(PAPER.exhibit("figure-1"), small_study("yang2010", "figure-1"), tmp_path, PAPER)
    assert drawn is not None
    assert drawn.read_bytes().startswith(b"<?xml")
