from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rankmax.formats.trec import read_run
from rankmax.models import LinearModel


@pytest.fixture
def index(rankmax, tmp_path: Path) -> str:
    rows = [
        "id\ttitle\ttext",
        "d1\tFlutter\tthe flutter of swept wings",
        "d2\tLift\tlift of a wing, and of a wing alone",
        "d3\tHeat\theat transfer",
    ]
    (tmp_path / "docs.tsv").write_text("\n".join(rows) + "\n")
    stored = ["--store", "title", "--store", "text"]
    assert (
        rankmax("index", "docs.tsv", "-o", "docs.index", "--stem", "porter2", "--stop", "english", *stored).status == 0
    )
    (tmp_path / "topics.tsv").write_text("q1\twings\nq2\tof the\nq3\theat flutter\n")
    return "docs.index"


def test_one_query_shows_titles_and_snippets(rankmax, index: str) -> None:
    done = rankmax("search", index, "Wing flutters")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split()[::2] == ["1", "d1"]
    assert lines[0].endswith("d1   Flutter")
    assert lines[1].strip() == "the flutter of swept wings"
    assert lines[2].split()[0::2] == ["2", "d2"]
    assert len(lines) == 4


def test_words_of_the_query_are_bold_in_a_terminal(rankmax, index: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click._compat.should_strip_ansi", lambda *_: False)
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_: False)
    done = rankmax("search", index, "wing")
    assert "of a \x1b[1mwing\x1b[0m, and of a \x1b[1mwing\x1b[0m alone" in done.out


def test_json_has_all_of_it(rankmax, index: str) -> None:
    done = rankmax("search", index, "wing flutters", "--depth", 1, "--model", "bm25(k1=0.9):text", "--json")
    answer = json.loads(done.out)
    [hit] = answer.pop("hits")
    assert answer == {"query": "wing flutters", "terms": ["wing", "flutter"]}
    assert hit.pop("score") > 0
    assert hit == {"rank": 1, "id": "d1", "title": "Flutter", "snippet": "the flutter of swept wings"}


def test_topics_become_a_run(rankmax, index: str, tmp_path: Path) -> None:
    done = rankmax("search", index, "--topics", "topics.tsv", "--depth", 1, "-o", "bm25.run", "--tag", "mine")
    assert (done.status, done.out) == (0, "")
    assert "note: no document was found for q2: only stop words" in done.err
    assert "note: wrote bm25.run: 3 queries, 2 documents" in done.err
    run = read_run(tmp_path / "bm25.run")
    assert ({q: list(found) for q, found in run.to_dict().items()}, run.tag) == ({"q1": ["d2"], "q3": ["d3"]}, "mine")
    again = rankmax("search", index, "--topics", "topics.tsv", "-o", "all.run", "--jobs", 2, "--json")
    assert json.loads(again.out) == {"run": "all.run", "queries": 3, "documents": 4}


def test_an_excluded_document_is_not_found(rankmax, index: str, tmp_path: Path) -> None:
    (tmp_path / "excluded.tsv").write_text("q1\td2\nq3\tno such document\n")
    assert rankmax("search", index, "--topics", "topics.tsv", "--exclude", "excluded.tsv", "-o", "bm25.run").status == 0
    found = read_run(tmp_path / "bm25.run").to_dict()
    assert {q: set(documents) for q, documents in found.items()} == {"q1": {"d1"}, "q3": {"d1", "d3"}}
    done = rankmax("search", index, "wing", "--exclude", "excluded.tsv")
    assert (done.status, "--exclude FILE goes with --topics" in done.err) == (2, True)


def test_a_learned_model_ranks(rankmax, index: str, tmp_path: Path) -> None:
    LinearModel(np.array([-1.0]), ("bm25",)).save(tmp_path / "model.json")
    done = rankmax("search", index, "wing", "--model", "model.json", "--json")
    assert [hit["id"] for hit in json.loads(done.out)["hits"]] == ["d1", "d2"]


def test_an_index_without_text_says_how_to_store_some(rankmax, index: str) -> None:
    assert rankmax("index", "docs.tsv", "-o", "bare.index").status == 0
    done = rankmax("search", "bare.index", "wing")
    assert len(done.out.splitlines()) == 1
    assert "rankmax index --store FIELD" in done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [("of the", "the query has no terms"), ("Unheard of", "no document has any of the terms: unheard")],
)
def test_nothing_found_is_no_error(rankmax, index: str, text: str, said: str) -> None:
    done = rankmax("search", index, text)
    assert (done.status, done.out) == (0, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["docs.index"], "give either the TEXT of one query or --topics FILE"),
        (["docs.index", "wing", "--topics", "topics.tsv"], "give either the TEXT of one query or --topics FILE"),
        (["docs.index", "--topics", "topics.tsv"], "--topics FILE and -o FILE go together"),
        (["docs.index", "wing", "-o", "x.run"], "--topics FILE and -o FILE go together"),
        (["no.index", "wing"], "no.index: not an index"),
        (["docs.index", "wing", "--model", "bm52"], "unknown feature 'bm52'; did you mean 'bm25'?"),
        (["docs.index", "wing", "--model", "bm25(k9=1)"], "bm25 has no parameter 'k9'"),
        (["docs.index", "wing", "--model", "no.json"], "no.json: no such file"),
        (["docs.index", "wing", "--model", "docs.tsv"], "docs.tsv: not a rankmax model"),
        (["docs.index", "wing", "--model", "bm25:body"], "unknown field 'body'"),
        (["docs.index", "--topics", "none.tsv", "-o", "x.run"], "none.tsv"),
        (["docs.index", "--topics", "topics.tsv", "-o", "no/x.run"], "no folder no"),
    ],
)
def test_mistakes_are_explained(rankmax, index: str, arguments: list[str], said: str) -> None:
    done = rankmax("search", *arguments)
    assert done.status != 0
    assert said in done.err
