"""Cosine similarity against two vectors."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

import oracles.retrieval as oracle
from oracles.texts import Case, cases, indexed
from rankmax.retrieval.features import Cosine
from rankmax.retrieval.queries.query import Query


@settings(max_examples=40)
@given(cases())
def test_cosine_is_its_definition(case: Case) -> None:
    case.check(Cosine(fields=case.fields), oracle.cosine)


def test_a_document_is_most_like_itself() -> None:
    texts = ["wing flow flow", "heat of the wing", "lift"]
    index = indexed([{"title": text.split()[0], "text": text.split(maxsplit=1)[-1]} for text in texts])
    values = [Cosine().values(Query(index, text), np.arange(2)) for text in texts[:2]]
    np.testing.assert_allclose(np.diag(values), 1)
    assert values[0][1] < 1
    assert values[1][0] < 1
