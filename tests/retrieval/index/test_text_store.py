"""Stored text comes back as it was, wherever blocks end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.errors import DataFormatError, InvalidParameterError
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document
from rankmax.retrieval.index.text_store import TextStore


def test_every_document_has_its_own_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankmax.retrieval.index.document_files._MOST_DOCUMENTS", 50)  # blocks of 32, 18, 32, 18 and 7
    documents = [
        Document(f"d{n}", {"title": f"é {n}\ud800", "text": "x"} if n % 3 else {"url": "y"}) for n in range(107)
    ]
    index = build_index(documents, tmp_path / "index", fields=["text"], store=["title", "url"])
    assert index.stored == ("title", "url")
    for n, document in enumerate(documents):
        assert index.text(n) == {name: text for name, text in document.fields.items() if name != "text"}


def test_nothing_stored_is_nothing_returned(tmp_path: Path) -> None:
    index = build_index([Document("d1", {"text": "wing"})], tmp_path / "index")
    assert (index.stored, index.text(0)) == ((), {})


@pytest.mark.parametrize("document", [-1, 1])
def test_a_document_that_is_not_there_is_an_error(tmp_path: Path, document: int) -> None:
    index = build_index([Document("d1", {"text": "wing"})], tmp_path / "index", store=["text"])
    with pytest.raises(InvalidParameterError, match=f"no document {document}: the index has 1, counted from 0"):
        index.text(document)


def test_damage_that_was_not_looked_for_is_found(tmp_path: Path) -> None:
    store = TextStore(tmp_path, np.zeros(9, np.uint8), np.array([0, 9]), np.array([0]))
    with pytest.raises(DataFormatError, match="damaged: stored text cannot be unpacked"):
        store.fields_of(0)
