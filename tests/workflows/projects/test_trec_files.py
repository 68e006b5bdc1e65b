from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from rankmax.workflows.projects.trec_files import trec_kind, trec_kind_of_file


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b"q1 Q0 d1 1 0.5 bm25\n", "run"),
        (b"\n  \nq1\tQ0\td1\t0\t-1e-3\tx", "run"),
        (b"q1 Q0 d1 1 high bm25\n", None),
        (b"q1 Q0 d1 first 1.0 bm25\n", None),
        (b"q1 0 d1 2\nq1 0 d2 0\n", "qrels"),
        (b"q1 Q0 d1 -1\n", "qrels"),
        (b"q1 words of topic 4\n", None),
        (b"q1 wing number 4\n", None),  # a line of topics
        (b"2 qid:1 1:0.5 2:1\n", None),
        (b"", None),
        (b"\xff\xfe\x00", None),
    ],
)
def test_kinds_are_told_by_the_first_line(text: bytes, kind: str | None) -> None:
    assert trec_kind(text) == kind


def test_files_may_be_compressed_damaged_or_something_else(tmp_path: Path) -> None:
    run = b"q1 Q0 d1 1 0.5 bm25\n"
    contents = {"a.run.gz": gzip.compress(run), "b.run": run, "c.run.gz": gzip.compress(run)[:14], "d.json": run}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    kinds = {name: trec_kind_of_file(tmp_path / name) for name in [*contents, "gone.run"]}
    assert kinds == {"a.run.gz": "run", "b.run": "run", "c.run.gz": None, "d.json": None, "gone.run": None}
