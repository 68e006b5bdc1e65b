from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.index.inverted_index import Index


@pytest.fixture
def documents(tmp_path: Path) -> str:
    rows = ["id\ttitle\ttext", "d1\tFlutter\tthe flutter of swept wings", "d2\tLift\tlift of a wing"]
    (tmp_path / "docs.tsv").write_text("\n".join(rows) + "\n")
    return "docs.tsv"


def test_it_says_what_the_index_holds(rankmax, documents: str, tmp_path: Path) -> None:
    done = rankmax("index", documents, "-o", "docs.index", "--stem", "porter2", "--stop", "english")
    assert (done.status, done.err) == (0, "")
    assert [line.split() for line in done.out.splitlines() if line] == [
        ["docs.index"],
        ["documents", "2"],
        ["terms", "4"],
        ["words", "in", "title", "2"],
        ["words", "in", "text", "5"],
        ["stop", "words", "english"],
        ["stemmer", "porter2"],
        ["size", "0.0", "MB"],
    ]
    assert Index.open(tmp_path / "docs.index").terms.to_list() == ["flutter", "lift", "swept", "wing"]


def test_options_reach_the_index(rankmax, documents: str, tmp_path: Path) -> None:
    (tmp_path / "stop.txt").write_text("wing\n")
    options = ["--stop", "stop.txt", "--field", "text", "--store", "title", "--memory", "2m", "--jobs", 1, "--json"]
    done = rankmax("index", documents, "-o", "docs.index", *options)
    shown = json.loads(done.out)
    index = Index.open(tmp_path / "docs.index")
    assert shown.pop("bytes") == sum(path.stat().st_size for path in (tmp_path / "docs.index").glob("*.bin"))
    assert shown == {
        "index": "docs.index",
        "documents": 2,
        "terms": 7,
        "words": {"text": 8},
        "stored": ["title"],
        "columns": [],
        "analyzer": index.analyzer.to_dict(),
    }
    assert index.analyzer == Analyzer(stop=("wing",))
    assert index.text(1) == {"title": "Lift"}


def test_an_index_is_replaced_on_request(rankmax, documents: str) -> None:
    assert rankmax("index", documents, "-o", "docs.index").status == 0
    again = rankmax("index", documents, "-o", "docs.index")
    assert (again.status, again.err) == (
        1,
        "Error: docs.index: exists already; choose another place, or replace it explicitly\n",
    )
    assert rankmax("index", documents, "-o", "docs.index", "--replace").status == 0


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--memory", "much"], 2, "'much' is not a size; write it as 512M or 2G"),
        (["--memory", "1K"], 1, "memory must be at least 1,048,576 bytes, not 1,024"),
        (["--stop", "french"], 1, "french: no such file"),
        (["--field", "body"], 1, "unknown field 'body'"),
        (["no-such.jsonl"], 1, "no-such.jsonl: no such file"),
        (["docs.tsv"], 1, "have the same id 'd1'"),
    ],
)
def test_mistakes_are_said_and_leave_nothing(
    rankmax, documents: str, tmp_path: Path, options: list[str], status: int, message: str
) -> None:
    done = rankmax("index", documents, "-o", "docs.index", *options)
    assert done.status == status
    assert message in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["docs.tsv"]
