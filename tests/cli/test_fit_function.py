from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankmax.retrieval.features import parse_feature
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write an index whose relevant documents are the long ones, which only a small b ranks first."""
    texts = {f"long{n}": "wing " * (n + 2) + "flow " * 30 for n in range(3)}
    texts |= {f"short{n}": "wing heat" for n in range(5)}
    build_index([Document(i, {"text": text}) for i, text in texts.items()], tmp_path / "index")
    (tmp_path / "topics.tsv").write_text("q1\twing\nq2\twing\n")
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 long{n} 1\n" for q in ("q1", "q2") for n in range(3)))
    (tmp_path / "excluded.tsv").write_text("q1\tlong0\n")
    return tmp_path


def test_parameters_are_chosen_and_shown(rankmax, files: Path) -> None:
    done = rankmax("fit-function", "index", "--topics", "topics.tsv", "--qrels", "qrels.txt", "--json")
    assert done.status == 0
    found = json.loads(done.out)
    assert found["value"] == 1.0 > found["before"]["value"]
    assert parse_feature(found["function"]).name == found["function"]
    assert set(found["curves"]) == {"k1", "b"}
    shown = rankmax("fit-function", "index", "--topics", "topics.tsv", "--qrels", "qrels.txt")
    assert found["function"] in shown.out
    assert "1.0000 over 2 queries" in shown.out


def test_one_parameter_and_excluded_documents(rankmax, files: Path) -> None:
    options = ("--topics", "topics.tsv", "--qrels", "qrels.txt", "--exclude", "excluded.tsv", "--json")
    found = json.loads(rankmax("fit-function", "index", "bm25(k1=0.9)", "--parameter", "b", *options).out)
    assert found["function"].startswith("bm25(k1=0.9,b=")
    assert found["value"] == pytest.approx((2 / 3 + 1) / 2)  # of q1, one relevant document may not be found


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("boolean",), "nothing to tune"),
        (("bm25", "--parameter", "mu"), "unknown parameter of bm25 'mu'"),
        (("bm25", "--parameter", "depth"), "unknown parameter to choose 'depth'"),
        (("bm52",), "did you mean 'bm25'"),
        (("bm25:title",), "unknown field 'title'"),
    ],
)
def test_mistakes(rankmax, files: Path, arguments: tuple[str, ...], said: str) -> None:
    done = rankmax("fit-function", "index", *arguments, "--topics", "topics.tsv", "--qrels", "qrels.txt")
    assert done.status == 1
    assert said in done.err
