from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rankmax.papers.registry import paper_named
from rankmax.papers.reports import Finding
from rankmax.papers.running import draw_exhibit
from rankmax.papers.store import StoredStudy


def growth(search: list[float], entropy: list[float]) -> dict[str, Any]:
    return {
        "topic": "301",
        "weight_search": search,
        "maximum_entropy": entropy,
        "ours": {"5": search[-1], "6": search[-1]},
        "test": {"weight_search": 0.3, "maximum_entropy": 0.3},
    }


def findings(*topics: dict[str, Any]) -> dict[str, str]:
    paper = paper_named("morgan2004")
    values = {f"topic {n}": topic for n, topic in enumerate(topics)}
    return {
        claim: finding.verdict
        for exhibit in paper.exhibits
        for claim, finding in paper.report(exhibit, values).findings.items()
    }


def test_claims_that_hold() -> None:
    topic = growth([0.2, 0.3, 0.4, 0.5, 0.6, 0.9], [0.2, 0.3, 0.25, 0.5, 0.5, 0.9])
    assert set(findings(topic, topic).values()) == {"holds"}
    one = findings(topic)
    assert one["small-queries"] == one["maximum-entropy-as-good"] == "inconclusive"


def test_claims_that_do_not_hold() -> None:
    topic = growth([0.2, 0.3, 0.4, 0.3, 0.3, 0.5], [0.2, 0.3, 0.4, 0.4, 0.5, 0.9])
    found = findings(topic, topic)
    assert found.pop("maximum-entropy-dips") == "inconclusive"  # that it sometimes does cannot be refuted
    assert set(found.values()) == {"does not hold"}


def test_numbers_of_terms_are_printed_as_in_the_paper() -> None:
    paper = paper_named("morgan2004")
    topic = growth([0.2, 0.3, 0.4, 0.5, 0.6, 0.9], [0.2, 0.3, 1.0, 1.0, 1.0, 1.0])
    ours, _, theirs = paper.report(paper.exhibit("table-1"), {"a": topic}).tables
    assert ours.rows[0][-2:] == [">6", "3"]
    assert len(theirs.rows) == 15
    assert theirs.rows[0] == ["301", "0.68", "0.67", "0.90", "0.90", ">20", ">20"]


def test_direction_of_claims_in_the_small_version(small_findings: Callable[[str], dict[str, Finding]]) -> None:
    found = small_findings("morgan2004")
    assert found["weight-search-never-falls"].verdict == "holds"
    assert "does not hold" not in {finding.verdict for finding in found.values()}


@pytest.mark.parametrize("name", ["figure-1", "figure-2", "figure-3"])
def test_figures_are_drawn(name: str, tmp_path: Path, small_study: Callable[[str, str], StoredStudy]) -> None:
    pytest.importorskip("matplotlib")
    paper = paper_named("morgan2004")
    (tmp_path / "morgan2004").mkdir()
    drawn = draw_exhibit(paper.exhibit(name), small_study("morgan2004", name), tmp_path, paper)
    assert drawn is not None
    assert drawn.read_bytes().startswith(b"<?xml")
