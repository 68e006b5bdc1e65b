"""Quepid's and OpenSearch's judgments say the same as TREC's qrels, there and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import DataFormatError
from rankmax.formats.judgment_conversion import convert_judgments, convert_topics
from rankmax.formats.opensearch_relevance import opensearch_ratings, query_set, write_judgment_list
from rankmax.formats.quepid import quepid_ratings, write_quepid
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_qrels

GRADES = {"star wars": {"11": 3, "12": 0}, '-r "quoted", comma': {"11": 1}}
BODY = {"judgmentRatings": [{"query": "rings", "ratings": [{"docId": "d1", "rating": "2.000"}]}]}
words = st.text('ab-=,"\u00e9', min_size=1, max_size=5)
texts = st.lists(words, min_size=1, max_size=3).map(" ".join)
grades = st.dictionaries(texts, st.dictionaries(words, st.integers(-2, 4), min_size=1), min_size=1)


@given(grades)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, given_grades: dict) -> None:
    folder = tmp_path_factory.mktemp("lists")
    expected = {query: {d: [float(g)] for d, g in of.items()} for query, of in given_grades.items()}
    write_quepid(given_grades, folder / "x.csv")
    assert quepid_ratings("x.csv", (folder / "x.csv").read_bytes()) == expected
    write_judgment_list(given_grades, folder / "x.json")
    assert opensearch_ratings("x.json", (folder / "x.json").read_bytes()) == expected


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_texts_become_ids_and_texts_again(tmp_path: Path, suffix: str) -> None:
    source, qrels, topics = tmp_path / f"a{suffix}", tmp_path / "qrels.txt", tmp_path / "topics.tsv"
    write_quepid(GRADES, source) if suffix == ".csv" else write_judgment_list(GRADES, source)
    assert convert_judgments(source, qrels, new_topics=topics) == (2, 3)
    assert read_qrels(qrels).to_dict() == {"1": {"11": 3, "12": 0}, "2": {"11": 1}}
    convert_judgments(qrels, tmp_path / f"b{suffix}", topics=topics)
    convert_judgments(tmp_path / f"b{suffix}", tmp_path / "again.txt", topics=topics)
    assert (tmp_path / "again.txt").read_bytes() == qrels.read_bytes()


def test_a_book_gives_the_lower_median_of_its_judges(tmp_path: Path) -> None:
    (tmp_path / "book.csv").write_text("query,docid,Ann,Bob,Anonymous\nx,d1,3.0,1.0,2.0\nx,d2,,3.0,1.0\nx,d3,,,\n")
    assert read_qrels(tmp_path / "book.csv").to_dict() == {"x": {"d1": 2, "d2": 1}}


def test_exports_of_quepid_have_rows_without_ratings(tmp_path: Path) -> None:
    (tmp_path / "case.csv").write_text("\nquery,docid,rating\nx,d1,1.0\ny,,\n")
    assert read_qrels(tmp_path / "case.csv").to_dict() == {"x": {"d1": 1}}
    (tmp_path / "saved.csv").write_text("query;docid;rating\nx;d1;1.0\n")  # by a spreadsheet
    assert read_qrels(tmp_path / "saved.csv").to_dict() == {"x": {"d1": 1}}
    (tmp_path / "detailed.csv").write_text("Team Name,Query Text,Doc ID,Doc Position,Rating\r\nt,x,d1,1,2\r\n")
    assert read_qrels(tmp_path / "detailed.csv").to_dict() == {"x": {"d1": 2}}


def test_a_list_is_the_body_of_a_request_or_of_a_response(tmp_path: Path) -> None:
    for whole in (BODY, {"hits": {"total": 1, "hits": [{"_source": BODY}]}}):
        (tmp_path / "x.json").write_text(json.dumps(whole))
        assert read_qrels(tmp_path / "x.json").to_dict() == {"rings": {"d1": 2}}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "query,docid,rating\nstar wars,d,1\n", "query 'star wars' is a text, and qrels need ids"),
        ("a.csv", "query,docid,rating\nx,d,1\nx,d,2\n", "a.csv:3: document 'd' occurs twice"),
        ("a.csv", "query,docid,rating\nx,d,good\n", "a.csv:2: rating 'good' of document 'd'"),
        ("a.csv", "query,docid,rating\nx,d\n", "a.csv:2: 2 columns, the first line has 3"),
        ("a.csv", "query,docid,rating\nx,d,0.5\n", "--multiply 10"),
        ("a.csv", "query,docid,rating\nx,,\n", "holds no ratings"),
        ("a.csv", "query,docid,rating\nx,a b,1\n", "document id 'a b' must not"),
        ("a.json", '{"judgmentRatings": 1}', "expected a list"),
        (
            "a.json",
            '{"judgmentRatings": [{"query": "x", "ratings": [{"docId": "d", "rating": 1}, {"docId": "d", "rating": 2}]}'
            "]}",
            "document 'd' has two ratings in query 'x': 1 and 2",
        ),
        ("a.json", '{"judgmentRatings": [{"query": "x", "ratings": {}}]}', "ratings of query 'x'"),
        ("a.json", '{"judgmentRatings": [{"query": "x", "ratings": [{"docId": "", "rating": "1"}]}]}', "docId is ''"),
        ("a.json", '{"judgmentRatings": [{"query": "x", "ratings": [{"docId": "d"}]}]}', "rating 'None'"),
        ("a.json", '{"judgmentRatings": [', "not JSON"),
        (
            "a.json",
            '{"hits": {"hits": [{"_source": {"judgmentRatings": []}}, {"_source": {"judgmentRatings": []}}]}}',
            "2 ju",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DataFormatError, match=r"(?s).*") as caught:
        read_qrels(tmp_path / name)
    assert message in str(caught.value)


def test_a_text_without_topic_is_named(tmp_path: Path) -> None:
    write_quepid(GRADES, tmp_path / "a.csv")
    (tmp_path / "topics.tsv").write_text("7\tstar trek\n")
    with pytest.raises(DataFormatError, match="no topic with the text 'star wars'; 2 of 2 queries lack one"):
        convert_judgments(tmp_path / "a.csv", tmp_path / "qrels.txt", topics=tmp_path / "topics.tsv")


def test_a_query_that_a_list_repeats_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps({"judgmentRatings": BODY["judgmentRatings"] * 2}))
    assert read_qrels(tmp_path / "x.json").to_dict() == {"rings": {"d1": 2}}


def test_qrels_become_a_table_of_beir_and_qrels_again(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq1 0 d2 0\n")
    convert_judgments(tmp_path / "qrels.txt", tmp_path / "test.tsv")
    assert (tmp_path / "test.tsv").read_text() == "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n"
    convert_judgments(tmp_path / "test.tsv", tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == (tmp_path / "qrels.txt").read_bytes()


def test_topics_become_a_query_set_and_topics_again(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text('1\tstar wars\n2\t"quoted" \u00e9\n')
    assert convert_topics(tmp_path / "topics.tsv", tmp_path / "set.json") == 2
    body = json.loads((tmp_path / "set.json").read_text())
    assert (body["name"], body["sampling"]) == ("set", "manual")
    assert query_set("set.json", (tmp_path / "set.json").read_bytes()) == ["star wars", '"quoted" \u00e9']
    convert_topics(tmp_path / "set.json", tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_bytes() == (tmp_path / "topics.tsv").read_bytes()
    convert_topics(tmp_path / "again.tsv", tmp_path / "queries.jsonl")
    assert read_topics(tmp_path / "queries.jsonl") == read_topics(tmp_path / "topics.tsv")
