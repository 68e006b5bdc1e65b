"""Counting documents by term, against a look at every document."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.texts import ANALYZER, FIELDS, Case, cases, indexed


@settings(max_examples=25)
@given(cases(), st.randoms(use_true_random=False))
def test_counts_are_those_of_the_text(case: Case, random) -> None:
    index = indexed(case.texts)
    kinds = np.array([random.randrange(4) for _ in case.texts], np.uint8)
    fields = case.fields or FIELDS
    counts = index.documents_by_kind(kinds, 4, fields)
    has = [{t for field in fields for t in ANALYZER.analyze(text.get(field, ""))} for text in case.texts]
    assert not counts[0].any()
    for kind in (1, 2, 3):
        expected = [sum(term in has[d] for d in np.flatnonzero(kinds == kind)) for term in index.terms]
        assert counts[kind].tolist() == expected
