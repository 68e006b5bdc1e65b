from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rankmax.formats.registry import read_dataset

DOCUMENTS = [
    "id\ttitle\ttext",
    "d1\tFlutter\tthe flutter of swept wings",
    "d2\tLift\tlift of a swept wing",
    "d3\tHeat\theat transfer",
]


@pytest.fixture
def files(rankmax, tmp_path: Path) -> None:
    (tmp_path / "docs.tsv").write_text("\n".join(DOCUMENTS) + "\n")
    (tmp_path / "columns.csv").write_text("id,rank\nd1,0.5\nd2,0.25\n")
    (tmp_path / "topics.tsv").write_text("q1\tswept wing\nq2\theat\nq3\tlift\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d2 2\nq1 0 d3 0\nq2 0 d3 1\nq2 0 x 1\nq9 0 d1 1\n")
    (tmp_path / "excluded.tsv").write_text("q1\td1\n")
    (tmp_path / "bm25.run").write_text("q1 Q0 d1 1 2 a\nq1 Q0 d2 2 1 a\n")
    options = ["--stem", "porter2", "--columns", "columns.csv", "--column-default", -1]
    assert rankmax("index", "docs.tsv", "-o", "docs.index", *options).status == 0


ARGUMENTS = ["features", "docs.index", "--topics", "topics.tsv", "--qrels", "qrels.txt", "-o", "train.npz"]


@pytest.mark.usefixtures("files")
def test_judged_documents_by_default(rankmax, tmp_path: Path) -> None:
    done = rankmax(*ARGUMENTS, "--set", "proximity", "--feature", "column(rank)")
    assert done.status == 0
    assert [line.split(maxsplit=1) for line in done.out.splitlines() if line][:2] == [["train.npz"], ["queries", "2"]]
    assert done.err.splitlines() == [
        "note: 1 listed documents are not in the index, for instance 'x'; they have no features, and count as not "
        "retrieved where they were judged",
        "note: 1 judged queries have no text, for instance 'q9'; left out",
        "note: 1 queries have no judgments, for instance 'q3'; left out",
    ]
    data = read_dataset(tmp_path / "train.npz")
    assert data.feature_names == ("dirichlet(mu=10)", "ordered(mu=10)", "unordered(mu=10)", "column(rank)")
    assert data.document_ids is not None
    assert data.document_ids.to_list() == ["d2", "d3", "d3"]
    assert data.grades.tolist() == [2, 0, 1]
    assert data.column(3).tolist() == [0.25, -1, -1]


@pytest.mark.usefixtures("files")
def test_candidates_of_functions_and_runs(rankmax, tmp_path: Path) -> None:
    for sources, documents in (
        (["top:1"], ["d1", "d3"]),
        (["top:2", "--by", "coordination", "--by", "occurrences:title"], ["d1", "d2", "d3"]),
        (["bm25.run"], ["d1", "d2"]),
        (["bm25.run", "--candidates", "judged"], ["d1", "d2", "d3", "d3"]),
        (["bm25.run", "--candidates", "judged", "--exclude", "excluded.tsv"], ["d2", "d3", "d3"]),
        (["top:2", "--exclude", "excluded.tsv"], ["d2", "d3"]),
    ):
        done = rankmax(*ARGUMENTS, "--feature", "bm25", "--candidates", *sources)
        assert done.status == 0, done.err
        data = read_dataset(tmp_path / "train.npz")
        assert data.document_ids is not None
        assert data.document_ids.to_list() == documents


@pytest.mark.usefixtures("files")
def test_json_says_what_was_written(rankmax) -> None:
    done = rankmax(*ARGUMENTS, "--feature", "bm25", "--candidates", "bm25.run", "--json")
    assert json.loads(done.out) == {
        "output": "train.npz",
        "queries": 1,
        "documents": 2,
        "judged": 1,
        "not_judged": 1,
        "judged_but_no_candidates": 1,
        "not_in_index": 0,
        "features": ["bm25"],
    }


@pytest.mark.usefixtures("files")
def test_fields(rankmax, tmp_path: Path) -> None:
    assert rankmax(*ARGUMENTS, "--set", "gey", "--fields", "title", "--fields", "title+text").status == 0
    names = read_dataset(tmp_path / "train.npz").feature_names
    assert (len(names), names[0], names[-1]) == (12, "log-qtf:title", "log-collection-share:title+text")
    assert rankmax(*ARGUMENTS, "--set", "gey", "--per-field").status == 0
    scopes = {name.partition(":")[2] for name in read_dataset(tmp_path / "train.npz").feature_names}
    assert scopes == {"", "title", "text"}


@pytest.mark.usefixtures("files")
def test_processes_change_nothing(rankmax, tmp_path: Path) -> None:
    found = []
    for jobs in (1, 2):
        done = rankmax(*ARGUMENTS, "--set", "functions", "--set", "primitive", "--set", "columns", "--jobs", jobs)
        assert done.status == 0
        found.append(read_dataset(tmp_path / "train.npz").features)
    np.testing.assert_array_equal(*found)


@pytest.mark.usefixtures("files")
def test_other_formats(rankmax, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d2 2\nq1 0 d3 0\n")
    assert rankmax(*ARGUMENTS[:-1], "train.txt", "--feature", "bm25").status == 0
    assert read_dataset(tmp_path / "train.txt").grades.tolist() == [2, 0]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ([], 2, "no features: give a --set or a --feature"),
        (["--set", "nearness"], 2, "'nearness' is not one of"),
        (["--feature", "bm52"], 1, "unknown feature 'bm52'; did you mean 'bm25'"),
        (["--set", "gey", "--fields", "body"], 1, "unknown field 'body'"),
        (["--set", "gey", "--fields", "text", "--per-field"], 2, "--fields and --per-field exclude each other"),
        (["--set", "gey", "--candidates", "top:many"], 2, "--candidates top:many: write top:N"),
        (["--set", "gey", "--candidates", "top:0"], 2, "--candidates top:0: write top:N"),
        (["--set", "gey", "--candidates", "no.run"], 1, "no.run: no such file"),
        (["--set", "gey", "--candidates", "top:5", "--by", "bm52"], 1, "unknown feature 'bm52'"),
        (["--feature", "column(depth)"], 1, "unknown column 'depth'"),
        (["--set", "gey", "-o", "train.xls"], 1, "train.xls: the name tells no format"),
    ],
)
def test_mistakes_are_said_and_leave_nothing(
    rankmax, tmp_path: Path, options: list[str], status: int, message: str
) -> None:
    done = rankmax(*ARGUMENTS, *options)
    assert (done.status, message in done.err) == (status, True), done.err
    assert not (tmp_path / "train.npz").exists()


@pytest.mark.usefixtures("files")
def test_judged_candidates_need_judgments(rankmax) -> None:
    done = rankmax("features", "docs.index", "--topics", "topics.tsv", "-o", "train.npz", "--set", "gey")
    assert (done.status, "--candidates judged needs --qrels" in done.err) == (2, True)
    done = rankmax("features", "no.index", "--topics", "topics.tsv", "-o", "train.npz", "--set", "gey")
    assert (done.status, "no.index: not an index" in done.err) == (1, True)
