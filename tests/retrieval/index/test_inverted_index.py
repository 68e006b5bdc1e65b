"""What an index returns, against what a plain look at the documents gives."""

from __future__ import annotations

import pickle
import sqlite3
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.windows import count_ordered, count_unordered
from rankmax.errors import DataFormatError, InvalidParameterError, UnknownNameError
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document
from rankmax.retrieval.index.inverted_index import Index

ANALYZER = Analyzer(stop="short")
WORDS = ["the", "Wing", "wing", "flow", "of", "lift", "é", "日本"]

texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
collections = st.lists(st.dictionaries(st.sampled_from(["title", "text"]), texts), max_size=8)


def built(collection: list[dict[str, str]], folder: str | Path) -> Index:
    documents = [Document(f"d{n}", fields) for n, fields in enumerate(collection)]
    return build_index(documents, Path(folder) / "index", analyzer=ANALYZER)


@settings(max_examples=25)
@given(collections)
def test_postings_and_statistics_are_those_of_the_text(collection: list[dict[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = built(collection, folder)
        assert index.n_documents == len(collection)
        assert set(index.fields) == {name for fields in collection for name in fields}
        everywhere = {t for fields in collection for text in fields.values() for t in ANALYZER.analyze(text)}
        assert index.terms.to_list() == sorted(everywhere)
        for field in index.fields:
            found = [ANALYZER.positions(fields.get(field, "")) for fields in collection]
            assert index.lengths(field).tolist() == [len(tokens) for tokens in found]
            assert index.n_occurrences(field) == sum(len(tokens) for tokens in found)
            for term in [*everywhere, "absent"]:
                expected = {d: p for d, tokens in enumerate(found) if (p := [q for t, q in tokens if t == term])}
                postings = index.postings(term, field)
                places = np.split(postings.positions, postings.offsets[1:-1]) if postings.documents.size else []
                assert postings.documents.tolist() == list(expected)
                assert [p.tolist() for p in places] == list(expected.values())
                assert postings.frequencies.tolist() == [len(p) for p in expected.values()]
                assert index.document_frequency(term, field) == len(expected)
                assert index.collection_frequency(term, field) == sum(map(len, expected.values()))


@settings(max_examples=25)
@given(
    st.lists(texts, min_size=1, max_size=6),
    st.lists(st.sampled_from(["wing", "flow", "lift"]), min_size=1, max_size=3),
    st.integers(1, 8),
)
def test_windows_are_those_of_the_text(collection: list[str], terms: list[str], width: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = built([{"title": "wing flow lift", "text": text} for text in collection], folder)
        words = [ANALYZER.slots(text) for text in collection]
        for count, windows in (
            (count_ordered, index.ordered_windows(terms, "text", width=width)),
            (count_unordered, index.unordered_windows(terms, "text", width=width)),
        ):
            expected = {d: n for d, slots in enumerate(words) if (n := count(slots, terms, width))}
            assert dict(zip(windows.documents.tolist(), windows.counts.tolist(), strict=True)) == expected


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return built([{"text": "the wing"}, {"title": "Flow", "text": "lift of a wing"}], tmp_path_factory.mktemp("index"))


def test_ids_lead_to_documents(index: Index) -> None:
    assert index.find(["d1", "no", "d0", ""]).tolist() == [1, -1, 0, -1]
    assert index.ids.to_list() == ["d0", "d1"]


def test_another_process_gets_the_same_index(index: Index) -> None:
    other = pickle.loads(pickle.dumps(index))
    assert other.postings("wing", "text").documents.tolist() == [0, 1]
    assert other.path.is_absolute()


def test_the_analyzer_is_recorded(index: Index) -> None:
    assert index.analyzer == ANALYZER


def test_what_is_returned_cannot_be_written_to(index: Index) -> None:
    assert not index.postings("wing", "text").documents.flags.writeable
    assert not index.lengths("text").flags.writeable


def test_a_term_that_occurs_nowhere_has_no_windows(index: Index) -> None:
    assert index.unordered_windows(["wing", "absent"], "text").documents.size == 0
    assert index.ordered_windows(["absent"], "text").counts.size == 0
    assert index.postings("\ud800", "text").documents.size == 0  # no UTF-8


def test_a_field_that_is_not_there_is_named(index: Index) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown field 'body'.*Known: text, title"):
        index.postings("wing", "body")


@pytest.mark.parametrize(("terms", "width"), [([], 8), (["wing"], 0)])
def test_a_window_of_nothing_is_an_error(index: Index, terms: list[str], width: int) -> None:
    with pytest.raises(InvalidParameterError, match="a window needs a term and a width of at least 1"):
        index.unordered_windows(terms, "text", width=width)


def test_an_index_of_an_unknown_analyzer_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Analyzer, "to_dict", lambda self: {"lowercase": True, "stop": "none", "stemmer": "lovins"})
    with pytest.raises(DataFormatError, match="index: unknown stemmer 'lovins'"):
        built([{"text": "a"}], tmp_path)


def test_term_statistics_of_a_real_collection(shared_data: Path, tmp_path: Path) -> None:
    from rankmax.retrieval.index.document_files import read_documents

    documents = list(read_documents(shared_data / "text" / "cranfield" / "docs.jsonl.gz"))
    index = build_index(documents, tmp_path / "index", analyzer=Analyzer(stemmer="porter2"))
    counts = Counter(t for document in documents for t in index.analyzer.analyze(document.fields["text"]))
    assert sum(counts.values()) == index.n_occurrences("text")
    for term, n in counts.most_common(200):
        assert index.collection_frequency(term, "text") == n


def test_phrases_agree_with_sqlite(shared_data: Path, tmp_path: Path) -> None:
    from rankmax.retrieval.index.document_files import read_documents

    documents = list(read_documents(shared_data / "text" / "cranfield" / "docs.jsonl.gz"))
    index = build_index(documents, tmp_path / "index")
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE docs USING fts5(text)")
    texts = [(n, " ".join(index.analyzer.analyze(document.fields["text"]))) for n, document in enumerate(documents)]
    database.executemany("INSERT INTO docs(rowid, text) VALUES (?, ?)", texts)
    pairs = Counter(pair for _, text in texts for pair in pairwise(text.split()) if pair[0] != pair[1])
    for pair, _ in [*pairs.most_common(60), *pairs.most_common()[-60:]]:
        command = "SELECT rowid, highlight(docs, 0, '<', '>') FROM docs WHERE docs MATCH ? ORDER BY rowid"
        expected = [(n, marked.count("<")) for n, marked in database.execute(command, [f'"{" ".join(pair)}"'])]
        found = index.ordered_windows(pair, "text")
        assert list(zip(found.documents.tolist(), found.counts.tolist(), strict=True)) == expected
