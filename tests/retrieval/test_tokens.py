"""Batches: how documents are cut, analysed and handed on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from rankmax.errors import IncompatibleError
from rankmax.retrieval import tokens
from rankmax.retrieval.analyzer import Analyzer
from rankmax.retrieval.documents import Document
from rankmax.retrieval.tokens import token_batches, tokenise


class LethalAnalyzer(Analyzer):
    """Ends the process that it is handed to."""

    def __reduce__(self) -> Any:
        return os._exit, (3,)


def test_tokens_carry_term_document_and_position() -> None:
    documents = [Document("d1", {"text": "Lift of a wing"}), Document("d2"), Document("d3", {"title": "the lift"})]
    batch = tokenise(documents, Analyzer(stop="english"), None, [])
    assert batch.ids.to_list() == ["d1", "d2", "d3"]
    assert batch.vocabulary == ["lift", "wing"]
    text, title = batch.fields["text"], batch.fields["title"]
    assert (text.lengths.tolist(), text.terms.tolist(), text.positions.tolist()) == ([2, 0, 0], [0, 1], [0, 3])
    assert (title.lengths.tolist(), title.terms.tolist(), title.positions.tolist()) == ([0, 0, 1], [0], [1])


def test_fields_not_asked_for_are_not_analysed() -> None:
    batch = tokenise([Document("d1", {"text": "lift", "url": "wing"})], Analyzer(), ["text"], [])
    assert list(batch.fields) == ["text"]
    assert batch.vocabulary == ["lift"]


def test_batches_end_by_number_and_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_MOST_DOCUMENTS", 3)
    monkeypatch.setattr(tokens, "_MOST_CHARACTERS", 10)
    lengths = [1, 1, 1, 20, 4, 4, 4, 1]
    documents = [Document(str(n), {"text": "x" * length}) for n, length in enumerate(lengths)]
    batches = token_batches(documents, Analyzer(), None, n_jobs=1)
    assert [batch.ids.to_list() for batch in batches] == [["0", "1", "2"], ["3"], ["4", "5", "6"], ["7"]]


def test_documents_are_read_as_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_MOST_DOCUMENTS", 2)
    read = []

    def stream() -> Iterator[Document]:
        for n in range(100):
            read.append(n)
            yield Document(str(n))

    next(token_batches(stream(), Analyzer(), None, n_jobs=1))
    assert len(read) == 2


def test_a_process_that_dies_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_MOST_DOCUMENTS", 1)
    monkeypatch.setattr(tokens, "_BATCHES_HERE", 1)
    documents = [Document(str(n)) for n in range(3)]
    with pytest.raises(IncompatibleError, match=r"ended unexpectedly.*__main__"):
        list(token_batches(documents, LethalAnalyzer(), None, n_jobs=2))
