"""Batches: how documents are cut, analyzed and handed on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.index import tokenized_batches as tokens
from rankmax.retrieval.index.document_files import Batch, PairBatch
from rankmax.retrieval.index.line_batches import LineBatch
from rankmax.retrieval.index.tokenized_batches import Tokenizer, token_batches


class LethalAnalyzer(Analyzer):
    """Ends the process that it is handed to."""

    def __reduce__(self) -> Any:
        return os._exit, (3,)


def test_tokens_carry_term_document_and_position() -> None:
    documents = [("d1", {"text": "Lift of a wing"}), ("d2", {}), ("d3", {"title": "the lift"})]
    batch = Tokenizer(Analyzer(stop="english")).tokens(documents)
    assert batch.ids.to_list() == ["d1", "d2", "d3"]
    assert batch.vocabulary == ["lift", "wing"]
    text, title = batch.fields["text"], batch.fields["title"]
    assert (text.n_words.tolist(), text.terms.tolist()) == ([4, 0, 0], [0, -1, -1, 1])
    assert (title.n_words.tolist(), title.terms.tolist()) == ([0, 0, 2], [-1, 0])


def test_fields_not_asked_for_are_not_analyzed() -> None:
    batch = Tokenizer(Analyzer(), ["text"]).tokens([("d1", {"text": "lift", "url": "wing"})])
    assert list(batch.fields) == ["text"]
    assert batch.vocabulary == ["lift"]
    assert batch.names == {"text", "url"}


@given(
    st.lists(st.text(st.sampled_from("aBsZ09 -_'\n\tÉßﬁé\u0301\u093f日Ω\ud800"), max_size=20), max_size=5),
    st.booleans(),
    st.sampled_from(["none", "porter"]),
)
def test_terms_are_those_of_the_analyzer(texts: list[str], lowercase: bool, stemmer: str) -> None:
    analyzer = Analyzer(lowercase, stop=("a", "z"), stemmer=stemmer)
    batch = Tokenizer(analyzer).tokens([(f"d{n}", {"text": text}) for n, text in enumerate(texts)])
    if texts:
        found = batch.fields["text"]
        terms = [batch.vocabulary[term] if term >= 0 else "" for term in found.terms.tolist()]
        assert terms == [term for text in texts for term in analyzer.slots(text)]
        assert found.n_words.tolist() == [len(analyzer.slots(text)) for text in texts]
    assert len(set(batch.vocabulary)) == len(batch.vocabulary)


@pytest.mark.parametrize(
    ("identifier", "message"),
    [("", "must not be empty"), ("a b", "'a b' must not be empty or contain blanks"), ("\ud800", "Unicode text")],
)
def test_ids_that_no_file_could_hold_are_named(identifier: str, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        Tokenizer(Analyzer()).tokens([("d1", {}), (identifier, {})])


def batches(n: int) -> Iterator[Batch]:
    return (PairBatch([(f"d{number}", {"text": f"w{number}"})]) for number in range(n))


def test_batches_are_read_as_they_are_needed() -> None:
    waiting = batches(100)
    next(token_batches(waiting, Tokenizer(Analyzer()), n_jobs=1))
    assert sum(1 for _ in waiting) == 99


@pytest.mark.usefixtures("all_in_other_processes")
def test_processes_keep_the_order() -> None:
    found = token_batches(batches(40), Tokenizer(Analyzer()), n_jobs=2)
    assert [batch.ids.to_list() for batch in found] == [[f"d{n}"] for n in range(40)]


def test_this_process_works_while_others_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_WORTH_STARTING", 3)
    assert len(list(token_batches(batches(2), Tokenizer(LethalAnalyzer()), n_jobs=2))) == 2
    found = token_batches(batches(40), Tokenizer(Analyzer()), n_jobs=2)
    assert [batch.ids.to_list() for batch in found] == [[f"d{n}"] for n in range(40)]


@pytest.mark.usefixtures("all_in_other_processes")
def test_a_process_that_dies_is_an_error() -> None:
    with pytest.raises(IncompatibleError, match=r"ended unexpectedly.*__main__"):
        list(token_batches(batches(1), Tokenizer(LethalAnalyzer()), n_jobs=2))


@pytest.mark.usefixtures("all_in_other_processes")
def test_an_error_in_another_process_names_file_and_line() -> None:
    broken = LineBatch("docs.tsv", 7, b"d1\ta\nd2", "tabs")
    with pytest.raises(DataFormatError, match=r"docs\.tsv:8: expected id, tab, text, found 'd2'"):
        list(token_batches(iter([broken]), Tokenizer(Analyzer()), n_jobs=2))
