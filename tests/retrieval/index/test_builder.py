"""Building: the same bytes whatever the means, and nothing left behind by what goes wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rankmax.errors import DataFormatError, InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.index import builder
from rankmax.retrieval.index import line_batches as lines
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document, DocumentFiles
from rankmax.retrieval.index.inverted_index import Index

ONE = [Document("d1", {"text": "a wing"})]


def generated(n_documents: int) -> Iterator[Document]:
    """Yield documents with words of very different frequency; some lack a field, some are empty."""
    rng = np.random.default_rng(7)
    for n in range(n_documents):
        words = [f"w{int(w)}" for w in rng.zipf(1.3, size=rng.integers(0, 30)) if w < 10**6]
        fields = {"text": " ".join(words)} if n % 7 else {}
        if words and n > n_documents / 2:
            fields["late"] = words[0]
        if n % 90 == 5:
            fields["rare"] = " ".join(words[:2])
        yield Document(f"doc-{n}", fields)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_neither_batches_nor_memory_change_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_index(generated(300), tmp_path / "large")
    monkeypatch.setattr("rankmax.retrieval.index.document_files._MOST_DOCUMENTS", 20)
    monkeypatch.setattr(builder, "_BYTES_PER_WORD", 5000)  # a segment every 200 tokens
    monkeypatch.setattr("rankmax.retrieval.index.index_segments._BLOCK", 100)
    spilled = []
    spill = builder.Segment.spill
    monkeypatch.setattr(builder.Segment, "spill", lambda self, folder: spilled.append(folder) or spill(self, folder))
    build_index(generated(300), tmp_path / "small", memory=1 << 20)
    assert len(spilled) > 5
    assert content(tmp_path / "small") == content(tmp_path / "large")


@pytest.mark.usefixtures("all_in_other_processes")
def test_processes_do_not_change_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankmax.retrieval.index.document_files._MOST_DOCUMENTS", 20)
    build_index(generated(200), tmp_path / "one", store=["text", "late"])
    build_index(generated(200), tmp_path / "two", store=["text", "late"], n_jobs=2)
    assert content(tmp_path / "two") == content(tmp_path / "one")


@pytest.mark.usefixtures("all_in_other_processes")
def test_files_are_parsed_by_any_number_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_BATCH", 500)
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps({"id": d.id, **d.fields}) + "\n" for d in generated(400)))
    build_index(DocumentFiles(path), tmp_path / "one")
    build_index(DocumentFiles(path), tmp_path / "two", n_jobs=2)
    build_index(generated(400), tmp_path / "from-python")
    assert content(tmp_path / "one") == content(tmp_path / "two") == content(tmp_path / "from-python")


def test_progress_counts_the_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankmax.retrieval.index.document_files._MOST_DOCUMENTS", 2)
    seen: list[int] = []
    build_index(generated(5), tmp_path / "index", progress=seen.append)
    assert seen == [2, 4, 5]


def test_no_documents_make_an_empty_index(tmp_path: Path) -> None:
    index = build_index([], tmp_path / "index")
    assert (index.n_documents, index.n_terms, index.fields, index.terms.to_list()) == (0, 0, (), [])
    assert index.find(["d1"]).tolist() == [-1]


def test_empty_documents_count(tmp_path: Path) -> None:
    index = build_index([Document("d1", {}), *[Document("d2", {"text": ""})]], tmp_path / "index")
    assert index.n_documents == 2
    assert index.lengths("text").tolist() == [0, 0]


def test_a_document_of_ten_megabytes(tmp_path: Path) -> None:
    index = build_index([Document("d1", {"text": "wing flow " * 1_000_000}), *ONE[1:]], tmp_path / "index")
    assert index.lengths("text").tolist() == [2_000_000]
    assert index.ordered_windows(["wing", "flow"], "text").counts.tolist() == [1_000_000]


def test_only_chosen_fields_are_indexed_in_their_order(tmp_path: Path) -> None:
    documents = [Document("d1", {"text": "wing", "title": "lift", "url": "x"}), Document("d2", {"url": "y"})]
    index = build_index(documents, tmp_path / "index", fields=["title", "text"])
    assert index.fields == ("title", "text")
    assert index.terms.to_list() == ["lift", "wing"]
    assert index.lengths("title").tolist() == [1, 0]


@pytest.mark.parametrize("option", ["fields", "store"])
def test_a_field_that_no_document_has_is_an_error(tmp_path: Path, option: str) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown field 'body'.*Known: text"):
        build_index(ONE, tmp_path / "index", **{option: ["text", "body"]})
    assert list(tmp_path.iterdir()) == []


def test_repeated_ids_are_named(tmp_path: Path) -> None:
    documents = [Document(name, {"text": "wing"}) for name in ("a", "b", "c", "b", "b")]
    with pytest.raises(InvalidDataError, match="documents 2 and 4 have the same id 'b'; 2 of 5 ids are repeated"):
        build_index(documents, tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_repeated_ids_are_found_in_their_files(tmp_path: Path) -> None:
    tabs, lines = tmp_path / "docs.tsv", tmp_path / "docs.jsonl"
    tabs.write_text("id\ttext\na\twing\nb\tflow\n")
    lines.write_text('{"id": "c"}\n\n{"id": "b", "text": "lift"}\n{"id": "b"}\n')
    expected = f"documents 2 and 4 have the same id 'b' ({tabs}:3 and {lines}:3); 2 of 5 ids are repeated"
    with pytest.raises(InvalidDataError, match=re.escape(expected)):
        build_index(DocumentFiles(tabs, lines), tmp_path / "index")


def test_an_error_of_the_input_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> Iterator[Document]:
        yield ONE[0]
        raise DataFormatError("docs.jsonl", "not JSON", line=2)

    with pytest.raises(DataFormatError, match=r"docs\.jsonl:2: not JSON"):
        build_index(broken(), tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_replacing_is_explicit_and_a_failure_keeps_the_old(tmp_path: Path) -> None:
    build_index(ONE, tmp_path / "index")
    with pytest.raises(DataFormatError, match="index: exists already"):
        build_index([], tmp_path / "index")
    with pytest.raises(InvalidDataError, match="same id"):
        build_index([*ONE, *ONE], tmp_path / "index", replace=True)
    assert Index.open(tmp_path / "index").n_documents == 1
    assert build_index([], tmp_path / "index", replace=True).n_documents == 0
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": 1000}, "memory must be at least 1,048,576 bytes, not 1,000"),
        ({"n_jobs": 0}, "n_jobs must be at least 1, not 0"),
        ({"fields": "text"}, "fields must be a sequence of different names, not 'text'"),
        ({"store": "text"}, "store must be a sequence of different names, not 'text'"),
        ({"fields": ["text", "text"]}, "fields must be a sequence of different names"),
    ],
)
def test_parameters_out_of_range(tmp_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        build_index(ONE, tmp_path / "index", **options)  # type: ignore[arg-type]


def test_stop_words_keep_their_positions(tmp_path: Path) -> None:
    documents = [Document("d1", {"text": "lift of the wing"}), Document("d2", {"text": "lift wing"})]
    index = build_index(documents, tmp_path / "index", analyzer=Analyzer(stop="english"))
    assert index.ordered_windows(["lift", "wing"], "text").documents.tolist() == [1]
    assert index.ordered_windows(["lift", "wing"], "text", width=3).documents.tolist() == [0, 1]
    assert index.lengths("text").tolist() == [2, 2]
