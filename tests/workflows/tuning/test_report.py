"""The page and the summary tell what was found, and load nothing."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from rankmax.data.normalise import Unchanged
from rankmax.data.synthetic import planted_linear
from rankmax.fusion.constraint import Constraint
from rankmax.fusion.signals import signals_of_features
from rankmax.fusion.varying import QueryColumn
from rankmax.metrics import AP, P
from rankmax.workflows.tuning.confidence import WeightConfidence, weight_confidence
from rankmax.workflows.tuning.report import write_report
from rankmax.workflows.tuning.summary import summarise
from rankmax.workflows.tuning.systems import SystemTuning, tune_systems


def tuned(n_systems: int, n_queries: int = 12, **options) -> tuple[SystemTuning, WeightConfidence]:
    data = planted_linear(n_queries, 6, n_systems, noise=1.0, seed=3).data
    tuning = tune_systems(signals_of_features(data), [AP()], n_repeats=1, n_folds=2, **options)
    return tuning, weight_confidence(tuning.search, tuning.fusion.weights)


@pytest.fixture(scope="module", params=[2, 3, 7])
def results(request: pytest.FixtureRequest) -> tuple[SystemTuning, WeightConfidence]:
    return tuned(request.param, normalisations=[Unchanged()])


def test_the_page_loads_nothing_and_shows_every_method(tmp_path: Path, results) -> None:
    tuning, confidence = results
    n_systems = len(tuning.signals.names)
    write_report(tuning, confidence, tmp_path / "tuning.html")
    page = (tmp_path / "tuning.html").read_text()
    for loading in (r"<(script|img|iframe|link)[^>]*(src|href)=(?![\"']?data:)", r"@import", r"url\(", r"fetch\("):
        assert not re.search(loading, page), loading
    assert "{{" not in page
    for result in tuning.methods:
        assert f"<td>{result.name}</td><td>{result.mean:.4f}</td>" in page
    assert ("<h2>The plateau</h2>" in page) == (n_systems <= 6)
    assert ("<iframe" in page) == (n_systems == 3)


def test_constraints_and_groups_have_their_sections(tmp_path: Path) -> None:
    options = {"constraint": Constraint(P(cutoff=1), 0.4), "by": QueryColumn.of("<kind>", ["a", "b"] * 6)}
    tuning, confidence = tuned(2, **options)
    write_report(tuning, confidence, tmp_path / "tuning.html")
    page = (tmp_path / "tuning.html").read_text()
    assert "<h2>AP against P@1</h2>" in page
    assert "The weights were to keep P@1&gt;=0.4." in page
    assert "<h2>Weights by &lt;kind&gt;</h2>" in page
    summary = summarise(tuning, confidence)
    assert summary["constraint"]["value"] == pytest.approx(
        tuning.search.values(tuning.fusion.weights[None])[0, 1].mean()
    )
    assert [row["values"][0] for row in summary["trade_off"]] == sorted(
        (row["values"][0] for row in summary["trade_off"]), reverse=True
    )
    assert set(summary["varying"]["weights"]) == {"a", "b"}
    assert msgspec.json.decode(msgspec.json.encode(summary))["metrics"] == ["AP", "P@1"]


def test_the_summary_tells_as_much_as_there_is(results) -> None:
    tuning, confidence = results
    summary = summarise(tuning, confidence)
    assert (summary["plateau_share"] is None) == (len(tuning.signals.names) > 6)
    assert "trade_off" not in summary
    assert summary["methods"][0]["p_value"] is None
    assert sum(summary["weights"].values()) == pytest.approx(1)
    assert summary["advice"]["text"] == str(tuning.verdict)
