"""Batches of lines: wherever a file is cut, its documents and errors are the same."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from rankmax.errors import DataFormatError
from rankmax.retrieval.index import line_batches as lines
from rankmax.retrieval.index.line_batches import cut_lines

DOCUMENTS = [(f"d{n}", {"title": f"Wing {n}", "text": "of a " + "long " * (n % 7) + "flow é"}) for n in range(60)]
FILES = {
    "json": "\n\n" + "\n\n".join(json.dumps({"id": name, **fields}) for name, fields in DOCUMENTS),
    "tabs": "id\ttitle\ttext\n" + "\n".join("\t".join([name, *fields.values()]) for name, fields in DOCUMENTS),
    "sgml": "<?xml?>\nignored\n"
    + "\n".join(
        f"<DOC>\n<DOCNO>{name}</DOCNO>\n<TITLE>{fields['title']}</TITLE>\n\n<TEXT>\n{fields['text']}\n</TEXT></Doc >\n"
        for name, fields in DOCUMENTS
    )
    + "ignored\n" * 100,
}


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("size", [1, 10, 300, 1 << 20])
def test_cutting_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, size: int) -> None:
    monkeypatch.setattr(lines, "_BATCH", size)
    path = tmp_path / "documents"
    path.write_text(FILES[form])
    batches = list(cut_lines(path))
    assert len(batches) == 1 if size > 10_000 else len(batches) > 5
    assert {batch.form for batch in batches} == {form}
    assert [pair for batch in batches for pair in batch.pairs()] == DOCUMENTS
    assert pickle.loads(pickle.dumps(batches)) == batches


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("size", [1, 300, 1 << 20])
def test_a_line_is_named_whatever_was_cut_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, size: int
) -> None:
    monkeypatch.setattr(lines, "_BATCH", size)
    content = FILES[form].encode() + b"\n<DOC>\n\xff"
    path = tmp_path / "documents"
    path.write_bytes(content)
    bad_line = content.count(b"\n") + (form == "sgml")
    with pytest.raises(DataFormatError) as caught:
        [list(batch.pairs()) for batch in cut_lines(path)]
    assert caught.value.line == bad_line


def test_a_file_without_documents_is_read_but_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_BATCH", 10)
    path = tmp_path / "page.html"
    path.write_text("<html>\n" * 100)
    with pytest.raises(DataFormatError, match="no documents; expected JSON lines"):
        list(cut_lines(path))
