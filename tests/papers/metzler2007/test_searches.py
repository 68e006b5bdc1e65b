from __future__ import annotations

from rankmax.papers.registry import paper_named


def test_means_over_starts_decide() -> None:
    paper = paper_named("metzler2007")

    def verdict(coordinate: list[float], steepest: list[float]) -> str:
        found = {
            name: {"values": values, "lines": 3, "evaluations": 2}
            for name, values in (("grid", [0.5]), ("coordinate ascent", coordinate), ("steepest ascent", steepest))
        }
        report = paper.report(paper.exhibit("optimizers"), {"a: optimizers": found, "b: optimizers": found})
        assert len(report.tables[0].rows) == 6
        return report.findings["coordinate-beats-steepest"].verdict

    assert verdict([0.5, 0.4], [0.5, 0.3]) == "holds"
    assert verdict([0.5, 0.2], [0.5, 0.3]) == "does not hold"
    assert verdict([0.5, 0.304], [0.5, 0.3]) == "does not hold"  # not far superior
