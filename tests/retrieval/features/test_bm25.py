"""BM25 against its definition, and against bm25s."""

from __future__ import annotations

from math import inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles.retrieval as oracle
from oracles.texts import Case, cases, indexed
from rankmax.errors import InvalidParameterError
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.features import BM25, Okapi
from rankmax.retrieval.features.bm25 import okapi_tf
from rankmax.retrieval.index.document_files import read_documents
from rankmax.retrieval.queries.query import Query

k1s = st.floats(0, 3)
bs = st.floats(0, 1)


@settings(max_examples=30)
@given(cases(), k1s, bs, st.sampled_from([inf, 0.0, 7.0]))
def test_bm25_is_its_definition(case: Case, k1: float, b: float, k3: float) -> None:
    case.check(BM25(k1, b, k3, fields=case.fields), lambda *args: oracle.bm25(*args, k1, b, k3))


@settings(max_examples=30)
@given(cases(), k1s, bs, st.floats(0, 100))
def test_okapi_is_its_definition(case: Case, k1: float, b: float, k3: float) -> None:
    case.check(Okapi(k1, b, k3, fields=case.fields), lambda *args: oracle.okapi(*args, k1, b, k3))


def test_okapi_prefers_documents_without_a_term_that_most_have() -> None:
    index = indexed([{"text": "wing"}, {"text": "wing lift"}, {"text": "lift"}, {"text": "wing heat"}])
    values = Okapi().values(Query(index, "wing"), np.arange(4))
    assert (values[[0, 1, 3]] < 0).all()
    assert values[2] == 0


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (1.5, 0.0)])
def test_bm25_agrees_with_bm25s(shared_data: Path, k1: float, b: float) -> None:
    bm25s = pytest.importorskip("bm25s")
    folder = shared_data / "text" / "cranfield"
    documents = [{"text": one.fields["text"]} for one in read_documents(folder / "docs.jsonl.gz")]
    index = indexed(documents, Analyzer(stemmer="porter2"))
    peer = bm25s.BM25(method="lucene", k1=k1, b=b)
    peer.index([index.analyzer.analyze(one["text"]) for one in documents], show_progress=False)
    for text in ("similarity laws for heated wings", "flow flow past a flat plate", "boundary layer zzz", "zzz"):
        query = Query(index, text)
        known = [term for term in query.terms if term in peer.vocab_dict]
        expected = peer.get_scores(known) if known else np.zeros(len(documents))
        found = BM25(k1=k1, b=b).values(query, np.arange(len(documents)))
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)  # bm25s computes in float32


def test_term_frequencies_are_morgans_with_his_parameters() -> None:
    tf, length = np.array([1.0, 2.0, 5.0]), np.array([10.0, 40.0, 20.0])
    np.testing.assert_allclose(okapi_tf(tf, length, 20, k1=2, b=0.75), tf / (tf + 0.5 + 1.5 * length / 20))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k1": -1}, "bm25: k1=-1 must be a number of at least 0"),
        ({"k1": inf}, "bm25: k1=inf must be"),
        ({"b": 1.5}, "bm25: b=1.5 must be a number from 0 to 1"),
        ({"k3": -0.5}, "bm25: k3=-0.5 must be a number of at least 0, or inf"),
        ({"k3": "seven"}, "bm25: k3='seven' must be a number of at least 0, or inf"),
    ],
)
def test_parameters_outside_their_range_are_named(parameters: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        BM25(**parameters)
