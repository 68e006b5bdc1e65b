from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankmax.papers.metzler2007.bag_of_words import BALANCED, DIRECT, LANGUAGE_MODEL, MODELS
from rankmax.papers.registry import paper_named
from rankmax.papers.reports import Finding, Report
from rankmax.papers.running import draw_exhibit
from rankmax.papers.store import StoredStudy
from rankmax.spaces.lattice import simplex_lattice

PAPER = paper_named("metzler2007")


def report(name: str, values: dict[str, Any]) -> Report:
    return PAPER.report(PAPER.exhibit(name), values)


def runs(p_values: dict[tuple[str, str], float]) -> dict[str, Any]:
    """Return one collection whose train and test runs have the same p-values, 0.5 where none is given."""
    part = {
        "means": dict(zip(MODELS, (0.1, 0.2, 0.26, 0.25, 0.25), strict=True)),
        "p_values": {a: {b: p_values.get((a, b), 0.5) for b in MODELS if b != a} for a in MODELS},
    }
    return {"cranfield": {"topics": {"train": 5, "test": 5}, "train": part, "test": part}}


def test_significance_decides_and_marks_table_3() -> None:
    found = report("table-3", runs({(DIRECT, BALANCED): 0.01, (LANGUAGE_MODEL, DIRECT): 0.01}))
    verdicts = {claim: finding.verdict for claim, finding in found.findings.items()}
    assert verdicts["direct-beats-svm"] == "holds"
    assert verdicts["direct-beats-language-model"] == "does not hold"
    row = next(row for row in found.tables[0].rows if row[0] == DIRECT)
    assert row[1:] == ["0.2500‡", "0.2500‡"]
    assert "significantly better on 2 and worse on 0" in found.findings["direct-beats-svm"].evidence


def trained(mean: float, p_value: float) -> dict[str, Any]:
    return {"weights": [1, 0, 0], "language_model": 0.2, "feature_based": mean, "p_value": p_value, "ours": mean}


def test_every_collection_must_gain_in_table_6() -> None:
    alike = {"terms_alone": 0.15, "feature_based": 0.25, "p_value": 0.01}
    values = {"a: weights": trained(0.22, 0.01), "b: weights": trained(0.22, 0.01)}
    values |= {"a: smoothing": alike, "b: smoothing": alike}
    assert report("table-6", values).findings["proximity-helps"].verdict == "holds"
    values["b: weights"] = trained(0.21, 0.2)
    found = report("table-6", values)
    assert found.findings["proximity-helps"].verdict == "inconclusive"  # +10% and +5% tell little of a third
    assert found.tables[0].rows[0][2:4] == ["0.2200†", "+10.0%"]
    assert found.tables[1].rows[0] == ["a", "0.2000", "0.1500", "0.2500†", "+25.0%"]
    assert found.findings["proximity-helps"].evidence.endswith("on 1 of 2, smoothed alike on 2")


@pytest.mark.parametrize(("elsewhere", "verdict"), [(0.199, "holds"), (0.15, "does not hold")])
def test_mean_loss_decides_whether_weights_transfer(elsewhere: float, verdict: str) -> None:
    values = {"a: weights": trained(0.2, 0.5), "b: weights": trained(0.4, 0.5)}
    values |= {"a: weights of b": elsewhere, "b: weights of a": 2 * elsewhere}
    found = report("table-7", values)
    assert found.findings["weights-transfer"].verdict == verdict
    assert found.tables[0].rows[0] == ["a", "0.2000", f"{2 * elsewhere:.4f}"]


def test_one_collection_says_nothing_of_transfer() -> None:
    assert report("table-7", {"a: weights": trained(0.2, 0.5)}).findings["weights-transfer"].verdict == "not tested"


def test_one_hill_is_nearly_concave() -> None:
    points = simplex_lattice(3, 8) / 8
    hill = (1 - ((points - 1 / 3) ** 2).sum(axis=1)).tolist()
    two = np.maximum(points[:, 0] ** 2, 0.8 * points[:, 1] ** 2).tolist()
    for surface, verdict in ((hill, "holds"), (two, "does not hold")):
        values = {f"{name}: weights": trained(0.2, 0.5) for name in "ab"}
        values |= {f"{name}: surface": surface for name in "ab"}
        assert report("figure-1", values).findings["nearly-concave"].verdict == verdict
        one = {name: value for name, value in values.items() if name.startswith("a")}
        assert report("figure-1", one).findings["nearly-concave"].verdict == "inconclusive"


def test_direction_of_claims_in_the_small_version(small_findings: Callable[[str], dict[str, Finding]]) -> None:
    found = small_findings("metzler2007")
    assert found["coordinate-beats-steepest"].verdict == "inconclusive"  # one collection
    assert "does not hold" not in {finding.verdict for finding in found.values()}


def test_the_figure_is_drawn(tmp_path: Path, small_study: Callable[[str, str], StoredStudy]) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "metzler2007").mkdir()
    drawn = draw_exhibit(PAPER.exhibit("figure-1"), small_study("metzler2007", "figure-1"), tmp_path, PAPER)
    assert drawn is not None
    assert drawn.read_bytes().startswith(b"<?xml")
