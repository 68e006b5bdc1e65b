"""The paper's own examples, to the printed digits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.papers.registry import paper_named
from rankmax.papers.setup import Setup
from rankmax.papers.yue2007.toy_examples import best_accuracy

PAPER = paper_named("yue2007")


@pytest.mark.parametrize(
    ("models", "performance", "n_documents"), [("table-1", "table-2", 8), ("table-3", "table-4", 11)]
)
def test_values_are_those_printed(models: str, performance: str, n_documents: int, tmp_path: Path) -> None:
    exhibit = PAPER.exhibit(performance)
    values = {name: step({}) for name, step in exhibit.study.steps(Setup((), (), (), tmp_path))}
    report = PAPER.report(exhibit, values)
    ours, theirs = report.tables
    divided = [[name, f"{float(MAP) * 5 / 4:.2f}", other] for name, MAP, other in ours.rows]
    assert theirs.rows == (ours.rows if performance == "table-2" else divided)
    assert ("divided by 4" in next(iter(report.findings.values())).evidence) == (performance == "table-4")
    assert [finding.verdict for finding in report.findings.values()] == ["holds"]
    (table,) = PAPER.report(PAPER.exhibit(models), values).tables
    assert len(table.header) == 1 + n_documents
    assert table.rows[1][1] == str(n_documents)  # h1 ranks the first document highest


def test_best_accuracy_tries_every_threshold() -> None:
    assert best_accuracy(np.arange(3.0), np.zeros(3)) == 1
    assert best_accuracy(np.arange(3.0), np.array([1.0, 1.0, 0.0])) == pytest.approx(2 / 3)
