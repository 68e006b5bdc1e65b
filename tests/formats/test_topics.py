import csv
import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import DataFormatError
from rankmax.formats.topics import read_topics

EXPECTED = "expected lines of id, tab, text, a table with columns id and text, or JSON lines"


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("topics") / "topics"


printable = st.text(st.characters(min_codepoint=33, exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1)
topics = st.dictionaries(printable.filter(lambda text: text[0] not in "{\ufeff"), printable, min_size=1, max_size=10)


@given(topics, st.sampled_from(["\n", "\r\n", "\n\n"]), st.booleans())
def test_tab_separated(path, topics, newline, compressed):
    content = newline.join(f"{query}\t{text}" for query, text in topics.items()).encode()
    path.write_bytes(gzip.compress(content, mtime=0) if compressed else content)
    assert list(read_topics(path).items()) == list(topics.items())


@given(
    topics,
    st.sampled_from(["id", "qid", "query_id", "_id"]),
    st.sampled_from(["text", "query", "title"]),
    st.booleans(),
)
def test_json_lines(path, topics, id_key, text_key, ascii_only):
    lines = [
        json.dumps({"extra": [1], id_key: query, text_key: text}, ensure_ascii=ascii_only)
        for query, text in topics.items()
    ]
    path.write_bytes("\n".join(lines).encode())
    assert list(read_topics(path).items()) == list(topics.items())


def test_numbers_as_ids(path):
    path.write_text('{"id": 7, "text": "wing flutter"}\n')
    assert read_topics(path) == {"7": "wing flutter"}


def test_text_keeps_its_tabs_and_mark_is_skipped(path):
    path.write_bytes("\ufeff1\twing\tflutter\n2\t\n".encode())
    assert read_topics(path) == {"1": "wing\tflutter", "2": ""}


@given(
    topics,
    st.sampled_from(["id", "qid", "query_id", "_id", "query-id"]),
    st.sampled_from(["text", "query", "title", "Text"]),
    st.sampled_from([",", "\t"]),
    st.booleans(),
)
def test_tables(path, topics, id_column, text_column, delimiter, text_first):
    rows = [(id_column, text_column, "clicks"), *((query, text, "7") for query, text in topics.items())]
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows([row[::-1] if text_first else row for row in rows])
    assert list(read_topics(path).items()) == list(topics.items())


def test_a_query_beside_a_text_is_its_id(path):
    path.write_text('query,text\nq1,"wing,\nflutter"\n\nq2,heat\n')
    assert read_topics(path) == {"q1": "wing,\nflutter", "q2": "heat"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", f": empty file; {EXPECTED}"),
        (b"\n \n", f": empty file; {EXPECTED}"),
        (b"1\twing\n2 flutter\n", ":2: expected id, tab, text, found '2 flutter'"),
        (b"1\twing\n\tflutter\n", ":2: the topic has no id"),
        (b"1\twing\n\n1\tflutter\n", ":3: topic '1' occurs twice, first in line 1"),
        (b"1\twing\n2\t\xe9\n", ":2: not UTF-8 text (byte 0xe9); convert it, as with iconv -t utf-8"),
        (
            b"1\twi\0ng\n",
            f":1: binary file (null byte); {EXPECTED}",
        ),
        (b'{"id": "1", "text": "a"}\n[1]\n', ":2: expected a JSON object, found '[1]'"),
        (b'{"id": "1"}\n', ":1: expected a JSON object with one of text, query, title; it has id"),
        (
            b'{"text": "a", "id": 1.5}\n',
            ":1: expected a JSON object with one of id, qid, query_id, _id; it has text, id",
        ),
        (b'{"id": "", "text": "a"}\n', ":1: the topic has no id"),
        (
            b"id,text\n",
            f": empty file; {EXPECTED}",
        ),
        (b"id,text\nq1,wing, flutter\n", ":2: expected 2 columns, found 3; put a text with commas in quotes"),
        (b"id,text\nq1,a\nq1,b\n", ":3: topic 'q1' occurs twice, first in line 2"),
        (b"id,text\nq1,a\n ,b\n", ":3: the topic has no id"),
        (b"id,text\nq1," + b"a" * 131_073, ":2: not a table: field larger than field limit (131072)"),
        (b"id,words\nq1,a\n", ":1: expected id, tab, text, found 'id,words'"),
        (b'{"id": "1", "text": "\\ud800"}\n', ":1: not Unicode text: a lone surrogate"),
    ],
)
def test_what_is_wrong(path, content, message):
    path.write_bytes(content)
    with pytest.raises(DataFormatError) as caught:
        read_topics(path)
    assert str(caught.value) == f"{path}{message}"


def test_broken_json_names_the_line(path):
    path.write_text('{"id": "1", "text": "a"}\n{"id": \n')
    with pytest.raises(DataFormatError, match=":2: not JSON"):
        read_topics(path)


@given(
    st.one_of(
        st.binary(max_size=60),
        st.text('{}[]":,\\u0d8 \t\nidtex', max_size=60).map(str.encode),
        st.integers(1, 100_000).map(lambda n: b'{"id":' + b"[" * n),
        st.just(b'{"id": ' + b"9" * 10_000 + b', "text": "a"}'),
    )
)
def test_noise_is_read_or_refused(path, content):
    path.write_bytes(content)
    try:
        topics = read_topics(path)
    except DataFormatError:
        return
    assert all(query.encode() and isinstance(text.encode(), bytes) for query, text in topics.items())


def test_real_topics(shared_data):
    for path in shared_data.glob("text/*/queries.tsv.gz"):
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        assert read_topics(path) == {query: text.strip() for query, text in (line.split("\t", 1) for line in lines)}
