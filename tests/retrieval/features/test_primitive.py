"""Primitive features against counting by hand."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.text_features import count, phrases, windows
from oracles.texts import Case, cases
from rankmax.retrieval.features import Length, PhraseCount, WindowCount, parse_feature


@settings(max_examples=20)
@given(cases())
def test_length_is_the_number_of_terms(case: Case) -> None:
    case.check(Length(fields=case.fields), lambda c, query, d: float(c.length(d)))


@settings(max_examples=20)
@given(cases())
def test_phrases_are_counted(case: Case) -> None:
    case.check(PhraseCount(fields=case.fields), lambda c, query, d: count(c, phrases(query), d))


@settings(max_examples=20)
@given(cases(), st.integers(1, 9), st.booleans())
def test_windows_are_counted(case: Case, width: int, per_term: bool) -> None:
    case.check(
        WindowCount(width, per_term, fields=case.fields),
        lambda c, query, d: count(c, windows(query, width, per_term), d),
    )


def test_names_lead_back() -> None:
    for one in (Length(fields=("title",)), PhraseCount(most=3), WindowCount(width=4, per_term=True)):
        assert parse_feature(one.name) == one
