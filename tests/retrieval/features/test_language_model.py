"""Query likelihood against its definition."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles.retrieval as oracle
from oracles.texts import Case, cases, indexed
from rankmax.errors import InvalidParameterError
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.features import Dirichlet, JelinekMercer
from rankmax.retrieval.index.document_files import read_documents
from rankmax.retrieval.queries.query import Query


@settings(max_examples=30)
@given(cases(), st.floats(0.01, 1e6))
def test_dirichlet_is_its_definition(case: Case, mu: float) -> None:
    case.check(Dirichlet(mu, fields=case.fields), lambda *args: oracle.dirichlet(*args, mu))


@settings(max_examples=30)
@given(cases(), st.floats(0.001, 1))
def test_jelinek_mercer_is_its_definition(case: Case, background: float) -> None:
    case.check(JelinekMercer(background, fields=case.fields), lambda *args: oracle.jelinek_mercer(*args, background))


def test_rankings_are_those_of_the_sum_over_all_documents(shared_data: Path) -> None:
    documents = [one.fields["text"] for one in read_documents(shared_data / "text" / "cranfield" / "docs.jsonl.gz")]
    index = indexed([{"text": text} for text in documents], Analyzer(stemmer="porter2"))
    words = [Counter(index.analyzer.analyze(text)) for text in documents]
    lengths = np.array([counts.total() for counts in words])
    for text in ("similarity laws for aeroelastic models of heated aircraft", "flow past a flat plate, laminar flow"):
        query = Query(index, text)
        tf = np.array([[counts[term] for counts in words] for term in query.terms])
        tf = tf[tf.any(axis=1)]
        background = tf.sum(axis=1, keepdims=True) / lengths.sum()
        expected = np.log((tf + 300 * background) / (lengths + 300)).sum(axis=0)
        found = Dirichlet(mu=300).values(query, np.arange(len(documents)))
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        # equal values may differ by rounding, so the order is compared at ten decimals
        orders = [np.argsort(-values.round(10), kind="stable") for values in (found, expected)]
        np.testing.assert_array_equal(*orders)


@pytest.mark.parametrize("function", [Dirichlet(), JelinekMercer()])
def test_terms_of_no_document_change_nothing(function: Dirichlet | JelinekMercer) -> None:
    index = indexed([{"text": "wing flow"}, {"text": "heat"}])
    with_it, without = (function.values(Query(index, text), np.arange(2)) for text in ("wing zzz", "wing"))
    np.testing.assert_array_equal(with_it, without)


@pytest.mark.parametrize("mu", [0, -1, float("nan"), float("inf"), True, "many"])
def test_mu_is_a_number_above_0(mu: float) -> None:
    with pytest.raises(InvalidParameterError, match=r"dirichlet: mu=.* must be a number above 0"):
        Dirichlet(mu=mu)


@pytest.mark.parametrize("background", [0, 1.1])
def test_background_is_above_0_and_at_most_1(background: float) -> None:
    with pytest.raises(InvalidParameterError, match="must be a number above 0 and at most 1"):
        JelinekMercer(background=background)
