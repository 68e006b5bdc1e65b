from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import polars as pl
import pytest

from rankmax.data.runs import Qrels, Run
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.formats.interchange import as_qrels, as_run
from rankmax.formats.trec import read_qrels, read_run

SCORES = {"q1": {"d1": 0.5, "d2": 1.5}, "q2": {"d1": 2.0}}
GRADES = {"q1": {"d1": 0, "d2": 2}, "q2": {"d1": 1}}
ROWS = [(query, document, score) for query, found in SCORES.items() for document, score in found.items()]


@pytest.mark.parametrize("names", [("query_id", "doc_id"), ("qid", "docno"), ("q_id", "doc_id")])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames(frame: Any, names: tuple[str, str]) -> None:
    columns = dict(zip((*names, "score"), zip(*ROWS, strict=True), strict=True))
    assert as_run(frame({**columns, "rank": [0, 1, 0]})).to_dict() == SCORES


def test_iterables_of_ir_measures() -> None:
    assert as_run(ir_measures.ScoredDoc(*row) for row in ROWS).to_dict() == SCORES
    judged = [ir_measures.Qrel(query, d, grade) for query, found in GRADES.items() for d, grade in found.items()]
    assert as_qrels(judged).to_dict() == GRADES


def test_what_ir_measures_reads_of_what_we_hold() -> None:
    run, qrels = as_run(SCORES), as_qrels(GRADES)
    mean = ir_measures.calc_aggregate([ir_measures.nDCG], qrels.to_dict(), run.to_dict())
    assert mean[ir_measures.nDCG] == pytest.approx(1.0)


def test_pyterrier_frames() -> None:
    frame = pd.DataFrame({"qid": ["q1", "q1", "q2"], "docno": ["d1", "d2", "d1"], "label": [0, 2, 1]})
    assert as_qrels(frame).to_dict() == GRADES


def test_ranx(tmp_path: Path) -> None:
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    run, qrels = ranx.Run(SCORES, name="bm25"), ranx.Qrels(GRADES)
    assert (as_run(run).to_dict(), as_run(run).tag) == (SCORES, "bm25")
    assert as_qrels(qrels).to_dict() == GRADES
    assert as_run(run.to_dataframe()).to_dict() == SCORES
    run.save(str(tmp_path / "run.json"))
    qrels.save(str(tmp_path / "qrels.json"))
    assert read_run(tmp_path / "run.json").to_dict() == SCORES
    assert read_qrels(tmp_path / "qrels.json").to_dict() == GRADES


def test_our_own_stay_as_they_are() -> None:
    run, qrels = Run.from_dict(SCORES, tag="mine"), Qrels.from_dict(GRADES)
    assert as_run(run) is run
    assert as_qrels(qrels) is qrels
    assert as_run(SCORES, tag="other").tag == "other"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (pd.DataFrame({"qid": ["q"], "score": [1.0]}), "the run has no doc_id"),
        ([("q", "d", 1.0)], "the run has no query_id"),
        (7, "int holds no run"),
        ([ir_measures.ScoredDoc("q", "d", 1.0)] * 2, "document 'd' occurs twice in query 'q'"),
        ({"q": {"d": "high"}}, "score 'high'"),
    ],
)
def test_what_holds_no_run(source: Any, reason: str) -> None:
    with pytest.raises(InvalidDataError, match=reason):
        as_run(source)


def test_json_files(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps(SCORES))
    (tmp_path / "qrels.json.gz").write_bytes(gzip.compress(json.dumps(GRADES).encode()))
    assert read_run(tmp_path / "run.json").to_dict() == SCORES
    assert read_qrels(tmp_path / "qrels.json.gz").to_dict() == GRADES


NO_RUNS = ["", "[]", '{"q": 1}', '{"q": {"d": null}}', '{"q": {"d": "1"}}', "{}", '{"q 1": {"d": 1}}']


@pytest.mark.parametrize("content", NO_RUNS)
def test_json_files_that_hold_no_run(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(DataFormatError, match=r"run\.json: "):
        read_run(tmp_path / "run.json")


def test_grades_are_whole_numbers(tmp_path: Path) -> None:
    (tmp_path / "qrels.json").write_text('{"q": {"d": 0.5}}')
    with pytest.raises(DataFormatError, match="not an integer"):
        read_qrels(tmp_path / "qrels.json")


@pytest.mark.parametrize("systems", [["bm25.run"], {"bm25": "bm25.run"}, {"bm25": SCORES}, [Run.from_dict(SCORES)]])
def test_runs_in_place_of_the_qrels_are_named(systems) -> None:
    with pytest.raises(InvalidDataError, match=r"several runs stand where the qrels belong: .*systems=\.\.\., qrels="):
        as_qrels(systems)
