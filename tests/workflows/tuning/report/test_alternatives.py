"""Constraints and groups of queries have sections of their own."""

from __future__ import annotations

from pathlib import Path

from oracles.tuning_pages import Reader, page_of, planted, tuned
from rankmax.fusion.constraint import Constraint
from rankmax.fusion.varying_weights import QueryColumn
from rankmax.metrics import P
from rankmax.workflows.tuning.tuning_summary import summarize


def test_constraints_and_groups_have_their_sections(tmp_path: Path) -> None:
    options = {"constraint": Constraint(P(cutoff=1), 0.4), "by": QueryColumn.of("<kind>", ["a", "b"] * 6)}
    tuning, confidence = tuned(planted(2), **options)
    page, summary = page_of(tuning, confidence, tmp_path), summarize(tuning, confidence)
    assert "<h2>AP against P@1 <span" in page
    assert "Constraint P@1&gt;=0.4: " in page
    assert f"{summary['constraint']['held_out']:.4f} held out" in page
    assert "<h2>Weights by &lt;kind&gt; <span" in page
    seen = Reader(page)
    for point in summary["trade_off"]:
        assert [f"{value:.4f}" for value in point["values"]] in [row[:2] for row in seen.rows]
    varying = summary["varying"]
    assert ["by <kind>", f"{varying['means']['AP']:.4f}"] in [row[:2] for row in seen.rows]
    for name in tuning.signals.names:
        shown = [name, *(f"{weights[name]:.3f}" for weights in varying["weights"].values())]
        assert shown in seen.rows
