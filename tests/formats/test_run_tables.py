"""Tables hold the same runs and qrels as TREC's files do, and what is wrong with one is told with its line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.runs import Qrels, Run
from rankmax.errors import DataFormatError, RankmaxError
from rankmax.formats.trec import read_qrels, read_run, write_qrels, write_run

GRADES = {"q1": {"d7": 2, "d2": 0}, "q2": {"d7": -1}}
SCORES = {"q1": {"d7": 12.5, "d2": -0.25}, "q2": {"d7": 3.0}}


def rows(nested):
    return [(query, document, value) for query, documents in nested.items() for document, value in documents.items()]


def delimited(header, nested, delimiter):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([header, *rows(nested)])
    return text.getvalue().encode()


def json_lines(keys, nested):
    return "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows(nested)).encode()


def parquet(names, nested):
    columns = dict(zip(names, zip(*rows(nested), strict=True), strict=True))
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def contents(names, nested):
    return {
        "x.csv": delimited(names, nested, ","),
        "x.tsv": delimited(names, nested, "\t"),
        "x.txt": delimited(names, nested, " "),
        "x.jsonl": json_lines(names, nested),
        "x.parquet": parquet(names, nested),
    }


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["x.csv", "x.tsv", "x.txt", "x.jsonl", "x.parquet"])
@pytest.mark.parametrize(
    "names", [("query", "doc", "score"), ("query-id", "corpus-id", "score"), ("qid", "docno", "Score")]
)
def test_tables_are_known_by_their_content(tmp_path: Path, kind: str, names: tuple[str, ...], packed: bool) -> None:
    for nested, read in ((GRADES, read_qrels), (SCORES, read_run)):
        content = contents(names, nested)[kind]
        for name in (kind, "no-suffix"):
            (tmp_path / name).write_bytes(gzip.compress(content) if packed else content)
            assert read(tmp_path / name).to_dict() == nested


@pytest.mark.parametrize("grade", ["grade", "label", "relevance", "rel", "judgment", "judgement", "rating", "score"])
def test_names_of_grades(tmp_path: Path, grade: str) -> None:
    (tmp_path / "qrels").write_text(f"{grade},DOC_ID,Query ID\n1,d1,q1\n2.0,d2,q1\n")
    assert read_qrels(tmp_path / "qrels").to_dict() == {"q1": {"d1": 1, "d2": 2}}


def test_an_id_goes_before_a_text(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text('qid,query,docno,doc,rank,score\nq1,"wing, swept",d1,"a ""text""",1,9.5\n')
    assert read_run(tmp_path / "run.csv").to_dict() == {"q1": {"d1": 9.5}}


def test_a_header_above_lines_of_trec(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("query_id  iteration  doc_id  relevance\n\nq1  0  d1  1\n")
    assert read_qrels(tmp_path / "qrels").to_dict() == {"q1": {"d1": 1}}


def test_ids_of_whole_numbers(tmp_path: Path) -> None:
    (tmp_path / "run.parquet").write_bytes(parquet(("query", "doc", "score"), {1: {10: 2, 20: 1}}))
    assert read_run(tmp_path / "run.parquet").to_dict() == {"1": {"10": 2.0, "20": 1.0}}
    (tmp_path / "run.jsonl").write_text('{"query": 1, "doc": 10, "score": "2.5"}\n')
    assert read_run(tmp_path / "run.jsonl").to_dict() == {"1": {"10": 2.5}}


def test_a_byte_order_mark_and_windows_lines(tmp_path: Path) -> None:
    for name, text in (("q.csv", "query,doc,grade\r\nq1,d1,1\r\n"), ("q.jsonl", '{"qid":"q1","docno":"d1","rel":1}')):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
        assert read_qrels(tmp_path / name).to_dict() == {"q1": {"d1": 1}}


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    for text in ("query,doc,grade\nq1,d1,1\n", "q1 0 d1 1\n"):
        os.mkfifo(tmp_path / "pipe")
        writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(text,))
        writer.start()
        assert read_qrels(tmp_path / "pipe").to_dict() == {"q1": {"d1": 1}}
        writer.join()
        (tmp_path / "pipe").unlink()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("query,doc,score\nq1,d1,1\nq1,d2,x\n", 3, "score 'x' is not a finite number"),
        ("query,doc,score\nq1,d1,1_000\n", 2, "score '1_000' is not a finite number"),
        ("query,doc,score\nq1,d1,\u0661\n", 2, "is not a finite number"),
        ("query,doc,score\nq1,d1,nan\n", 2, "score 'nan' is not a finite number"),
        ("query,doc,score\nq1,d1,\n", 2, "document 'd1' has no score: fill it in, or leave the line out"),
        ("query,doc,score\nq1,d1,1\n\nq1,d1,2\n", 4, "document 'd1' occurs twice in query 'q1'"),
        ("query,doc,score\nq1,d1\n", 2, "2 columns, the first line has 3"),
        ("query,doc,score\nq1,d 1,1\n", 2, "document id 'd 1' must not be empty or contain blanks"),
        ("query,doc,score\n,d1,1\n", 2, "query id '' must not be empty"),
        ('query,doc,score\nq1,"d1,1\n', 2, "not CSV"),
        ("query,doc,score\n", None, "no line with a document"),
        ("query,doc,score,score\nq1,d1,1,2\n", 1, "several columns are named score"),
        (
            "query\tdoc\trank\nq1\td1\t1\n",
            1,
            "no column of scores: expected one called score, sim",
        ),
        ("q1,d1,0.5\nq1,d2,0.4\n", 1, "no column of queries: expected one called qid"),
        ('{"query": "q1", "doc": "d1", "score": 1}\n{"query": "q1"}\n', 2, "no column of documents"),
        ('{"query": "q1", "doc": "d1", "score": 1}\n{"query\n', 2, "not JSON"),
        ('{"query": "q1", "doc": "d1", "score": true}\n', 1, "score 'True' is not a finite number"),
        ('{"query": "q1", "doc": "d1", "score": 1' + "0" * 400 + "}\n", 1, "is not a finite number"),
        ('{"query": "q1", "doc": "\\ud800", "score": 1}\n', 1, "not Unicode text: a lone surrogate"),
        ('{"query": "q1", "doc": null, "score": 1}\n', 1, "the document is None; expected text or a whole number"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    path = tmp_path / "run.txt"
    path.write_text(text)
    with pytest.raises(DataFormatError) as caught:
        read_run(path)
    assert (caught.value.line, message in caught.value.reason) == (line, True), caught.value
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("grade", ["0.5", "one", "1e400", "9" * 30, "1_0"])
def test_grades_are_integers(tmp_path: Path, grade: str) -> None:
    (tmp_path / "qrels.csv").write_text(f"query,doc,grade\nq1,d1,{grade}\n")
    with pytest.raises(DataFormatError, match=r"qrels.csv:2: grade '.*' is (not an|an) integer"):
        read_qrels(tmp_path / "qrels.csv")


def test_damaged_and_foreign_parquet(tmp_path: Path) -> None:
    whole = parquet(("query", "doc", "score"), SCORES)
    (tmp_path / "run.parquet").write_bytes(whole[:-20])
    with pytest.raises(DataFormatError, match=r"run.parquet: not an intact Parquet file"):
        read_run(tmp_path / "run.parquet")
    (tmp_path / "run.parquet").write_bytes(parquet(("query", "text", "score"), SCORES))
    with pytest.raises(DataFormatError, match=r"run.parquet: no column of documents: .*found query, text, score"):
        read_run(tmp_path / "run.parquet")
    (tmp_path / "run.parquet").write_bytes(parquet(("query", "doc", "score"), {"q1": {None: 1.0}}))
    with pytest.raises(DataFormatError, match=r"run.parquet:1: the document is None"):
        read_run(tmp_path / "run.parquet")


ids = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=5)


@given(
    nested=st.dictionaries(ids, st.dictionaries(ids, st.floats(-1e9, 1e9), min_size=1), min_size=1),
    delimiter=st.sampled_from([",", "\t"]),
)
def test_any_run_is_read_as_it_was_written(tmp_path_factory, nested, delimiter) -> None:
    path = tmp_path_factory.mktemp("tables") / "run"
    path.write_bytes(delimited(("query", "doc", "score"), nested, delimiter))
    assert read_run(path).to_dict() == nested


@given(st.text("querydoc,score\t 0123.\n{}:\"'q1", max_size=60), st.sampled_from(["x.run", "x.csv", "x.jsonl"]))
def test_anything_is_a_table_or_a_mistake(tmp_path_factory, text: str, name: str) -> None:
    path = tmp_path_factory.mktemp("tables") / name
    path.write_text("query,doc,score\n" + text)
    try:
        run = read_run(path)
    except RankmaxError:
        return
    assert run.n_documents > 0


def test_files_of_trec_stay_what_they_are(tmp_path: Path) -> None:
    """Ids that are names of columns, commas and braces do not make a table."""
    for nested in ({"query": {"doc": 1}}, {"{": {"d,1": 2}}, {"a,b": {"{}": 1}}):
        write_qrels(Qrels.from_dict(nested), tmp_path / "qrels")
        assert read_qrels(tmp_path / "qrels").to_dict() == nested
        write_run(Run.from_dict(nested, tag="grade"), tmp_path / "run")
        assert read_run(tmp_path / "run").to_dict() == nested
