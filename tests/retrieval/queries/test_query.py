"""Queries, and the expressions that they are matched by."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles.retrieval as oracle
from oracles.texts import Case, cases, indexed
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import (
    AllOf,
    AnyOf,
    Expression,
    Ordered,
    Query,
    Term,
    Unordered,
    contiguous_subsets,
    subsets,
)
from rankmax.retrieval.queries.scope import Matches, Scope

TERMS = ("wing", "flow")


@pytest.fixture(scope="module")
def index() -> Index:
    return indexed([{"title": "wing", "text": "flow past a wing"}, {"text": "a flow"}, {"title": "wing"}])


@settings(max_examples=20)
@given(cases())
def test_documents_have_a_term_of_the_query(case: Case) -> None:
    query = Query(indexed(case.texts), case.text)
    expected = [d for d in range(len(case.texts)) if oracle.coordination(case.collection, query.terms, d)]
    assert query.documents(case.fields).tolist() == expected


@pytest.mark.parametrize(
    ("expression", "documents", "frequencies"),
    [
        (Term("wing"), [0, 2], [2, 1]),
        (Ordered(TERMS, 5), [], []),
        (Ordered(("flow", "wing"), 3), [0], [1]),
        (Unordered(TERMS), [0], [1]),
        (AllOf(TERMS), [0], [1]),
        (AnyOf(TERMS), [0, 1, 2], [1, 1, 1]),
        (AllOf(("wing", "absent")), [], []),
        (AnyOf(("absent", "missing")), [], []),
    ],
)
def test_expressions_find_what_they_say(
    index: Index, expression: Expression, documents: list[int], frequencies: list[int]
) -> None:
    found = Query(index, "").matches(expression)
    assert found.documents.tolist() == documents
    assert found.frequencies.tolist() == frequencies
    assert found.documents.dtype == found.frequencies.dtype == "int32"


def test_what_was_found_is_remembered(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    query = Query(index, "wing")
    asked: list[str] = []
    find = Scope.term

    def counting(scope: Scope, term: str) -> Matches:
        asked.append(term)
        return find(scope, term)

    monkeypatch.setattr(Scope, "term", counting)
    assert query.matches(Term("wing")) is query.matches(Term("wing"), index.fields)
    assert query.matches(Term("wing"), ("title",)).n_documents == 2
    assert asked == ["wing", "wing"]


@settings(max_examples=20)
@given(cases(), st.integers(1, 5))
def test_what_is_known_not_to_occur_rules_out_only_what_does_not(case: Case, width: int) -> None:
    query = Query(indexed(case.texts), case.text)
    scope = query.scope(case.fields)
    for kind, chosen in ((Unordered, subsets(query.terms, 40)), (Ordered, contiguous_subsets(query.terms, 40))):
        for terms in chosen:
            expression = kind(terms, width)
            found, expected = query.matches(expression, case.fields), expression.find(scope)
            assert found.documents.tolist() == expected.documents.tolist()
            assert found.frequencies.tolist() == expected.frequencies.tolist()


def test_a_query_is_analyzed_as_the_documents_were(index: Index) -> None:
    query = Query(index, "The WINGS of a wing, wing")
    assert query.terms == ("wings", "wing", "wing")
    assert query.term_counts == {"wings": 1, "wing": 2}


def test_a_query_of_stop_words_finds_nothing(index: Index) -> None:
    query = Query(index, "the of a")
    assert query.terms == ()
    assert query.documents().tolist() == []


@given(st.integers(0, 8))
def test_subsets_are_all_for_up_to_eight_terms(n: int) -> None:
    terms = [f"t{place}" for place in range(n)]
    sizes = range(2, n + 1)
    assert sorted(subsets(terms)) == sorted(chosen for size in sizes for chosen in combinations(terms, size))
    assert contiguous_subsets(terms) == [tuple(terms[i : i + size]) for size in sizes for i in range(n - size + 1)]


def test_small_and_close_subsets_are_looked_for_first() -> None:
    terms = [str(place) for place in range(200)]
    spans = [int(chosen[-1]) - int(chosen[0]) for chosen in subsets(terms)]
    assert len(spans) == 247
    assert spans == [1] * 199 + [2] * 48
    assert {len(run) for run in contiguous_subsets(terms)} == {2, 3}
    assert len(contiguous_subsets(terms)) == 247
    assert subsets(terms, 3) == [("0", "1"), ("1", "2"), ("2", "3")]
