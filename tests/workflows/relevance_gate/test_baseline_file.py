"""Baseline files: read as written, and refused with a reason where they are of something else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.errors import DataFormatError, IncompatibleError
from rankmax.metrics.registry import parse_metric
from rankmax.workflows.relevance_gate.baseline_file import is_baseline, read_baseline, write_baseline
from rankmax.workflows.relevance_gate.gate_systems import GateSystem

METRICS = [parse_metric("nDCG@10"), parse_metric("AP(rel=2)")]
QUERIES = ("q2", "q10", "q1")
DIGESTS = ("aa", "bb", "cc")
SYSTEM = GateSystem(
    "bm25\tplus",
    None,
    QUERIES,
    np.array([[0.1, 1 / 3, 1.0], [0.0, 0.25, float("nan")]]),
    (("d1", "d2"), ("d9",), ()),
    np.array([12.5, 7.0, 8.0]),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_baseline(tmp_path / "baseline.tsv", SYSTEM, DIGESTS, METRICS, "trec-eval")
    return tmp_path / "baseline.tsv"


def test_it_is_read_as_written(path: Path) -> None:
    assert is_baseline(path)
    stored = read_baseline(path)
    system = stored.as_system(QUERIES, DIGESTS, METRICS, "trec-eval", {"q2": {"d2": 1.0}})
    assert np.array_equal(system.values, SYSTEM.values, equal_nan=True)
    assert np.array_equal(system.latencies, SYSTEM.latencies)
    assert (system.name, system.top) == ("bm25 plus", SYSTEM.top)
    assert [(one.id, one.grade) for one in system.ranking(0, 10) or ()] == [("d1", None), ("d2", 1.0)]
    one = stored.as_system(QUERIES, DIGESTS, METRICS[1:], "trec-eval", {})
    assert np.array_equal(one.values, SYSTEM.values[1:], equal_nan=True)


def test_lines_are_those_of_queries_by_id(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert lines[:4] == [
        "# rankmax baseline 1",
        "# system bm25 plus",
        "# ties trec-eval",
        "query\tjudgments\tnDCG@10\tAP(rel=2)\tlatency_ms\ttop",
    ]
    assert [line.split("\t")[0] for line in lines[4:]] == ["q1", "q10", "q2"]
    assert read_baseline(path).lines == {"q1": 5, "q10": 6, "q2": 7}


@pytest.mark.parametrize(
    ("queries", "digests", "metrics", "ties", "said"),
    [
        (QUERIES, DIGESTS, ["P@5"], "trec-eval", r"baseline of nDCG@10, AP\(rel=2\), not of P@5"),
        (("x1",), ("aa",), ["nDCG@10"], "trec-eval", "baseline of another collection"),
        ((*QUERIES, "q3"), (*DIGESTS, "dd"), ["nDCG@10"], "trec-eval", r"lacks 1 query \(q3\)"),
        (QUERIES[:1], DIGESTS[:1], ["nDCG@10"], "trec-eval", r"has 2 queries \(q1, q10\) that the judgments lack"),
        (QUERIES, ("aa", "xx", "cc"), ["nDCG@10"], "trec-eval", r"other judgments of 1 query \(q10\)"),
        (QUERIES, DIGESTS, ["nDCG@10"], "document-order", "orders equal scores by trec-eval"),
    ],
)
def test_a_baseline_of_something_else_is_refused(path, queries, digests, metrics, ties, said) -> None:
    with pytest.raises(IncompatibleError, match=said):
        read_baseline(path).as_system(queries, digests, [parse_metric(name) for name in metrics], ties, {})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("baseline 1", "baseline 2", "format version '2', and this rankmax reads version 1"),
        ("# rankmax", "# other", "not a baseline"),
        ("# ties trec-eval\n", "", "not a complete baseline"),
        ("q10\t", "q1\t", ":6: query 'q1' occurs twice, first in line 5"),
        ("0.25", "much", ":6: 'much' is not a number"),
        ("0.25", "inf", ":6: 'inf' is not a number"),
        ("\td9", "", ":6: expected 6 columns, found 5"),
    ],
)
def test_damaged_files_are_named_with_the_line(path: Path, old: str, new: str, said: str) -> None:
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(DataFormatError, match=said):
        read_baseline(path)
