"""A scope's statistics and matches against the words of the text."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles.retrieval as oracle
from oracles.texts import FIELDS, Case, cases, indexed
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.scope import Matches, Scope

terms = st.lists(st.sampled_from(["wing", "flow", "lift", "absent"]), min_size=1, max_size=3)


@settings(max_examples=30)
@given(cases(), terms, st.integers(1, 6))
def test_statistics_and_matches_are_those_of_the_text(case: Case, terms: list[str], width: int) -> None:
    scope = Scope(indexed(case.texts), case.fields)
    collection = case.collection
    assert set(scope.fields) == set(case.fields or FIELDS)
    assert scope.n_documents == collection.n_documents
    assert scope.n_occurrences == collection.n_occurrences
    assert scope.average_length == collection.average_length
    assert scope.lengths.tolist() == [collection.length(d) for d in range(len(case.texts))]
    for found, expression in (
        (scope.term(terms[0]), oracle.term(terms[0])),
        (scope.ordered(terms, width=width), oracle.ordered(terms, width)),
        (scope.unordered(terms, width=width), oracle.window(terms, width)),
    ):
        counts = [collection.tf(expression, d) for d in range(len(case.texts))]
        assert found.documents.tolist() == np.flatnonzero(counts).tolist()
        assert found.frequencies.tolist() == [count for count in counts if count]
        assert found.n_documents == collection.df(expression)
        assert found.n_occurrences == collection.cf(expression)


@given(st.dictionaries(st.integers(0, 20), st.integers(1, 5)), st.lists(st.integers(0, 25)))
def test_frequencies_in_any_documents(counts: dict[int, int], documents: list[int]) -> None:
    numbers = sorted(counts)
    matches = Matches(np.array(numbers, np.int32), np.array([counts[n] for n in numbers], np.int32))
    found = matches.frequencies_in(np.array(documents, np.int64))
    assert found.tolist() == [counts.get(document, 0) for document in documents]


@pytest.fixture(scope="module")
def index() -> Index:
    return indexed([{"title": "wing", "text": "flow past a wing"}, {"text": "a flow"}])


def test_windows_do_not_reach_into_the_next_field(index: Index) -> None:
    assert Scope(index).unordered(["wing", "flow"], width=2).n_documents == 0
    assert Scope(index).unordered(["wing", "flow"], width=4).n_occurrences == 1


def test_queries_share_scopes_and_what_they_computed(index: Index) -> None:
    assert Scope.of(index, ["title"]) is Scope.of(index, ("title",))
    assert Scope.of(index).lengths is Scope.of(index).lengths
    assert Scope.of(index).vector_norms is Scope.of(index).vector_norms


def test_an_index_that_nobody_uses_takes_its_scopes_along() -> None:
    index = indexed([{"text": "wing"}])
    scope = weakref.ref(Scope.of(index))
    del index
    gc.collect()
    assert scope() is None


def test_a_field_that_is_not_there_is_an_error(index: Index) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown field 'body'.*Known: text, title"):
        Scope(index, ["title", "body"])


def test_a_field_named_twice_is_an_error(index: Index) -> None:
    with pytest.raises(InvalidParameterError, match="a field is named twice: text, text"):
        Scope(index, ["text", "text"])


def test_an_empty_index_has_a_scope() -> None:
    scope = Scope(indexed([]))
    assert (scope.n_documents, scope.n_occurrences, scope.average_length) == (0, 0, 0)
    assert scope.lengths.shape == scope.vector_norms.shape == (0,)
    assert scope.term("wing").n_documents == 0
