"""Batches: how documents are cut, analysed and handed on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import pytest

from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError
from rankmax.retrieval import tokens
from rankmax.retrieval.analyzer import Analyzer
from rankmax.retrieval.documents import Batch, PairBatch
from rankmax.retrieval.lines import LineBatch
from rankmax.retrieval.tokens import TokenBatch, Tokeniser, token_batches


class LethalAnalyzer(Analyzer):
    """Ends the process that it is handed to."""

    def __reduce__(self) -> Any:
        return os._exit, (3,)


class PatientTokeniser(Tokeniser):
    """Looks at nothing in this process; other processes receive one that does."""

    def tokens(self, pairs: object) -> TokenBatch:
        return super().tokens([])


def test_tokens_carry_term_document_and_position() -> None:
    documents = [("d1", {"text": "Lift of a wing"}), ("d2", {}), ("d3", {"title": "the lift"})]
    batch = Tokeniser(Analyzer(stop="english")).tokens(documents)
    assert batch.ids.to_list() == ["d1", "d2", "d3"]
    assert batch.vocabulary == ["lift", "wing"]
    text, title = batch.fields["text"], batch.fields["title"]
    assert (text.lengths.tolist(), text.terms.tolist(), text.positions.tolist()) == ([2, 0, 0], [0, 1], [0, 3])
    assert (title.lengths.tolist(), title.terms.tolist(), title.positions.tolist()) == ([0, 0, 1], [0], [1])


def test_fields_not_asked_for_are_not_analysed() -> None:
    batch = Tokeniser(Analyzer(), ["text"]).tokens([("d1", {"text": "lift", "url": "wing"})])
    assert list(batch.fields) == ["text"]
    assert batch.vocabulary == ["lift"]
    assert batch.names == {"text", "url"}


@pytest.mark.parametrize("remembered", [0, 1000])
def test_what_was_met_before_does_not_matter(monkeypatch: pytest.MonkeyPatch, remembered: int) -> None:
    monkeypatch.setattr(tokens, "_MOST_REMEMBERED", remembered)
    tokeniser = Tokeniser(Analyzer(stop="short", stemmer="porter"))
    tokeniser.tokens([("d1", {"text": "the drag of wings"})])
    batch = tokeniser.tokens([("d2", {"text": "a wing, its lift, its wings"})])
    assert batch.vocabulary[batch.fields["text"].terms[0]] == "wing"
    assert [batch.vocabulary[term] for term in batch.fields["text"].terms] == ["wing", "it", "lift", "it", "wing"]
    assert batch.fields["text"].positions.tolist() == [1, 2, 3, 4, 5]
    assert sorted(batch.vocabulary) == ["it", "lift", "wing"]


@pytest.mark.parametrize(
    ("identifier", "message"),
    [("", "must not be empty"), ("a b", "'a b' must not be empty or hold blanks"), ("\ud800", "Unicode text")],
)
def test_ids_that_no_file_could_hold_are_named(identifier: str, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        Tokeniser(Analyzer()).tokens([("d1", {}), (identifier, {})])


def batches(n: int) -> Iterator[Batch]:
    return (PairBatch([(f"d{number}", {"text": f"w{number}"})]) for number in range(n))


def test_batches_are_read_as_they_are_needed() -> None:
    waiting = batches(100)
    next(token_batches(waiting, Tokeniser(Analyzer()), n_jobs=1))
    assert sum(1 for _ in waiting) == 99


def test_processes_keep_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_BATCHES_HERE", 1)
    found = token_batches(batches(40), Tokeniser(Analyzer()), n_jobs=2)
    assert [batch.ids.to_list() for batch in found] == [[f"d{n}"] for n in range(40)]


def test_a_process_that_dies_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_BATCHES_HERE", 1)
    with pytest.raises(IncompatibleError, match=r"ended unexpectedly.*__main__"):
        list(token_batches(cycle(batches(1)), Tokeniser(LethalAnalyzer()), n_jobs=2))


def test_an_error_in_another_process_names_file_and_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_BATCHES_HERE", 0)
    broken = LineBatch("docs.tsv", 7, b"d1\ta\nd2", "tabs")
    with pytest.raises(DataFormatError, match=r"docs\.tsv:8: expected id, tab, text, found 'd2'"):
        list(token_batches(cycle([broken]), PatientTokeniser(Analyzer()), n_jobs=2))
