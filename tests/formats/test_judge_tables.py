"""Grades by several judges, as tables and as Quepid's books."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.errors import DataFormatError
from rankmax.formats.judge_tables import read_judge_ratings, read_opinions
from rankmax.formats.trec import read_qrels

EXPECTED = {"q1": {"d1": {"ann": 2.0, "bob": 1.0}, "d2": {"bob": 0.0}}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "query,doc,judge,grade\nq1,d1,ann,2\nq1,d1,bob,1\nq1,d2,bob,0\n"),
        ("a.tsv", "annotator\tquery-id\tcorpus-id\tscore\nann\tq1\td1\t2\nbob\tq1\td1\t1\nbob\tq1\td2\t0\n"),
        (
            "a.jsonl",
            '{"query": "q1", "doc": "d1", "judge": "ann", "grade": 2}\n'
            '{"query": "q1", "doc": "d1", "judge": "bob", "grade": 1}\n'
            '{"query": "q1", "doc": "d2", "judge": "bob", "grade": 0}\n',
        ),
        ("book.csv", "query,docid,ann,bob\nq1,d1,2,1\nq1,d2,,0\n"),
    ],
)
def test_tables_of_all_kinds_say_the_same(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert read_opinions(tmp_path / name) == EXPECTED
    assert read_judge_ratings(tmp_path / name).mean().to_dict() == {"q1": {"d1": 1.5, "d2": 0.0}}
    assert read_qrels(tmp_path / name).to_dict() == {"q1": {"d1": 1, "d2": 0}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,doc,grade\nq1,d1,1\n", "names no judges"),
        ("query,doc,judge,grade\nq1,d1,ann,1\nq1,d1,ann,2\n", "a.csv:3: judge 'ann' has two grades"),
        ("query,doc,judge,grade\nq1,d1,,1\n", "a.csv:2: a grade without a judge"),
        ("query,doc,judge,grade\nq1,d1,ann,good\n", "a.csv:2: rating 'good'"),
        ("query,doc,judge\nq1,d1,ann\n", "no column of grades"),
        ("query,docid,Ann,Ann\nstar wars,d1,1,2\n", "query 'star wars' is a text"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(DataFormatError) as caught:
        read_judge_ratings(tmp_path / "a.csv")
    assert message in str(caught.value)


def test_judges_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "book.csv").write_text("query,docid,Ann,Ann\nstar wars,d1,1,2\n")
    assert read_opinions(tmp_path / "book.csv") == {"star wars": {"d1": {"Ann (1)": 1.0, "Ann (2)": 2.0}}}
