import gzip
import json
import subprocess
import sys
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import DataFormatError, InvalidDataError, MissingDependencyError, RankmaxError, UnknownNameError
from rankmax.retrieval.index.document_files import Document, in_batches, read_documents

BIG = "wing " * 2_000_000  # 10 MB


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("documents") / "documents"


def written(path, content, *, compressed=False):
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw, mtime=0) if compressed else raw)
    return path


ids = st.text(st.characters(min_codepoint=33, exclude_categories=["C", "Z"]), min_size=1)
plain = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]))
names = st.sampled_from(["title", "text", "größe", "x"])


@given(
    st.lists(st.tuples(ids, st.dictionaries(names, st.text(st.characters(exclude_categories=["Cs"])))), min_size=1),
    st.sampled_from(["id", "_id", "docno", "doc_id", "docid"]),
    st.booleans(),
)
def test_json_lines(path, documents, key, compressed):
    content = "\n".join(json.dumps({**fields, key: identifier, "n": [1]}) for identifier, fields in documents)
    written(path, content, compressed=compressed)
    assert [(document.id, document.fields) for document in read_documents(path)] == documents


@given(
    st.lists(
        st.tuples(ids.filter(lambda i: i[0] not in "{<" and not i.lower().endswith(("id", "no"))), plain), min_size=1
    )
)
def test_lines_of_id_and_text(path, documents):
    written(path, "".join(f"{identifier}\t{text}\n" for identifier, text in documents))
    assert [(document.id, document.fields) for document in read_documents(path)] == [
        (identifier, {"text": text}) for identifier, text in documents
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('\ufeff\n{"id": 7, "text": ""}\n\n{"id": "b", "year": 1999, "text": null}', {"7": {"text": ""}, "b": {}}),
        ("\ufeffid\ta\tb\r\nd1\tA\tB c\r\n\nd2\t\t\n", {"d1": {"a": "A", "b": "B c"}, "d2": {"a": "", "b": ""}}),
        ("d1\ttext\twith a tab\nd2\t", {"d1": {"text": "text\twith a tab"}, "d2": {"text": ""}}),
        ("d1\tA\nid\tB", {"d1": {"text": "A"}, "id": {"text": "B"}}),
        ("<DOC><DOCNO>d1</DOCNO></DOC>", {"d1": {}}),
    ],
)
def test_small_files(path, content, expected):
    found = read_documents(written(path, content))
    assert {document.id: document.fields for document in found} == expected


@pytest.mark.parametrize(
    "content",
    [json.dumps({"id": "d1", "text": BIG}), f"d1\t{BIG}", f"<DOC>\n<DOCNO>d1</DOCNO>\n<TEXT>{BIG}</TEXT></DOC>"],
    ids=["json", "tabs", "sgml"],
)
def test_a_document_of_10_megabytes(path, content):
    (document,) = read_documents(written(path, content))
    assert document.fields["text"].split() == BIG.split()


def test_several_sources_are_read_in_their_order_and_no_sooner_than_asked(tmp_path):
    first = written(tmp_path / "a.json", '{"id": "d1", "text": "a"}\n{"id": "d2"}\nbroken\n')
    second = written(tmp_path / "b.tsv", "d3\tc\n")
    assert [document.id for document in read_documents(second, second)] == ["d3", "d3"]
    documents = read_documents(str(second), first)
    assert [next(documents).id for _ in range(3)] == ["d3", "d1", "d2"]
    with pytest.raises(DataFormatError, match=r"a\.json:3: not JSON"):
        next(documents)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": empty file; expected JSON lines, lines of id, tab, text, or TREC's <DOC><DOCNO>"),
        (b" \n\n", ": empty file; "),
        (b"id\ttext\n", ": no documents; "),
        (b'{"id": "d1"}\n\n{"id": "d2"', ':3: not JSON (Input data was truncated): \'{"id": "d2"\''),
        (b'{"id": "d1"}\n[1]\n', ":2: expected a JSON object, found '[1]'"),
        (b'{"text": "a"}', ":1: expected a JSON object with one of id, _id, docno, doc_id, docid; it has text"),
        (b'{"id": 1.5}', ":1: the document's id must be a string or an integer, not 1.5"),
        (b'{"id": true}', ":1: the document's id must be a string or an integer, not True"),
        (b'{"id": "a b"}', ":1: document id 'a b' must not be empty or contain blanks"),
        (b'{"id": "d1"}\n{"id": " "}', ":2: document id '' must not be empty or contain blanks"),
        (b'{"id": "d1"}\n{"id": "\xe9"}', ":2: not UTF-8 text (byte 0xe9); convert it, as with iconv -t utf-8"),
        (b'{"id": "\\ud800"}', ":1: not JSON"),
        (b'{"id": ' + b"[" * 100_000, ":1: maximum recursion depth exceeded"),
        (b"d1\ta\nd2 b\n", ":2: expected id, tab, text, found 'd2 b'"),
        (b"d1\ta\n\tb\n", ":2: document id '' must not be empty or contain blanks"),
        (b"d1\ta\n\xff\tb\n", ":2: not UTF-8 text (byte 0xff)"),
        (b"id\ta\tb\nd1\tx\n", ":2: expected 3 columns as in the header, found 2"),
        (b"id\ta\ta\nd1\tx\ty\n", ":1: the header must name every column once, found 'a', 'a'"),
        (b"<DOC>\n<DOCNO>d1</DOCNO>\n\xe9</DOC>", ":3: not UTF-8 text (byte 0xe9)"),
        (b"<DOC>\n</DOC>", ":2: the <DOC> of line 1 has no <DOCNO>"),
        (b"<DOC><DOCNO>d 1</DOCNO>\n</DOC>", ":1: document id 'd 1' must not be empty or contain blanks"),
        (b"<DOC><DOCNO>1</DOCNO>\n\n", ":2: the file ends before the <DOC> of line 1 is closed"),
        (b"<DOC><DOCNO>1</DOCNO>\n<DOC>", ":2: <DOC> before the one of line 1 is closed"),
        (b"<DOC><DOCNO>1</DOCNO></DOC>\n</DOC>", ":2: </DOC> without <DOC>"),
        (b"<html></html>", ": no documents; "),
        (gzip.compress(b"d1\ta\n" * 1000, mtime=0)[:40], ": damaged or truncated gzip file"),
    ],
)
def test_wrong_files(path, content, message):
    path.write_bytes(content)
    with pytest.raises(DataFormatError) as caught:
        list(read_documents(path))
    assert str(caught.value).startswith(f"{path}{message}")
    assert len(str(caught.value)) < len(str(path)) + 250


def test_batches_end_by_number_and_by_size(monkeypatch):
    monkeypatch.setattr("rankmax.retrieval.index.document_files._MOST_DOCUMENTS", 3)
    monkeypatch.setattr("rankmax.retrieval.index.document_files._MOST_CHARACTERS", 10)
    lengths = [1, 1, 1, 20, 4, 4, 4, 1]
    batches = in_batches(Document(str(n), {"text": "x" * length}) for n, length in enumerate(lengths))
    assert [[name for name, _ in batch.pairs()] for batch in batches] == [
        ["0", "1", "2"],
        ["3"],
        ["4", "5", "6"],
        ["7"],
    ]


def test_standard_input(path):
    script = (
        "from rankmax.retrieval.index.document_files import read_documents\nprint([d.id for d in read_documents('-')])"
    )
    for content in (b"d1\ta\nd2\tb\n", gzip.compress(b"d1\ta\nd2\tb\n")):
        done = subprocess.run([sys.executable, "-c", script], input=content, capture_output=True, check=True)
        assert done.stdout == b"['d1', 'd2']\n"


def test_no_such_file(tmp_path):
    with pytest.raises(DataFormatError, match="no such file"):
        list(read_documents(tmp_path / "none"))


class Abstract(NamedTuple):
    doc_id: str
    title: str
    year: int


class TestIrDatasets:
    @pytest.fixture
    def collections(self, monkeypatch):
        """Stand in for the package, whose collections would have to be downloaded."""
        collections = {
            "tiny": SimpleNamespace(has_docs=lambda: True, docs_iter=lambda: iter([Abstract("d1", "Wings", 1968)])),
            "tiny/queries": SimpleNamespace(has_docs=lambda: False),
            "offline": SimpleNamespace(has_docs=lambda: True, docs_iter=lambda: (1 / 0 for _ in range(1))),
        }
        module = ModuleType("ir_datasets")
        module.load = collections.__getitem__
        module.registry = collections
        monkeypatch.setitem(sys.modules, "ir_datasets", module)

    @pytest.mark.usefixtures("collections")
    def test_strings_are_fields(self):
        assert list(read_documents("ir_datasets:tiny")) == [Document("d1", {"title": "Wings"})]

    @pytest.mark.usefixtures("collections")
    @pytest.mark.parametrize(
        ("name", "error", "message"),
        [
            ("tinny", UnknownNameError, "unknown collection of ir_datasets 'tinny'; did you mean 'tiny'"),
            ("tiny/queries", InvalidDataError, "the collection 'tiny/queries' of ir_datasets has no documents"),
            ("offline", RankmaxError, "ir_datasets could not read the collection 'offline'.*: division by zero"),
        ],
    )
    def test_what_cannot_be_read(self, name, error, message):
        with pytest.raises(error, match=message):
            list(read_documents(f"ir_datasets:{name}"))

    def test_without_the_package(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "ir_datasets", None)
        with pytest.raises(MissingDependencyError, match=r"pip install 'rankmax\[collections\]'"):
            list(read_documents("ir_datasets:cranfield"))

    def test_the_real_package_gives_what_it_has_at_hand(self, path, monkeypatch):
        ir_datasets = pytest.importorskip("ir_datasets")
        at_hand = ir_datasets.create_dataset(docs_tsv=str(written(path, "d1\tWings\nd2\tLift of wings\n")))
        monkeypatch.setattr(ir_datasets, "load", {"at-hand": at_hand}.__getitem__)
        assert list(read_documents("ir_datasets:at-hand")) == [
            Document("d1", {"text": "Wings"}),
            Document("d2", {"text": "Lift of wings"}),
        ]

    def test_the_real_package_knows_its_collections(self):
        pytest.importorskip("ir_datasets")
        with pytest.raises(UnknownNameError, match="did you mean 'cranfield'"):
            list(read_documents("ir_datasets:cranfeld"))


@pytest.mark.parametrize(("name", "size"), [("cranfield", 1400), ("cisi", 1460), ("cacm", 3204), ("npl", 11429)])
def test_real_collections(shared_data, name, size):
    documents = list(read_documents(shared_data / "text" / name / "docs.jsonl.gz"))
    assert len({document.id for document in documents}) == size
    assert {key for document in documents for key in document.fields} == {"title", "text"}
