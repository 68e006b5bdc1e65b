"""Candidate terms against scikit-learn's mutual information, and Okapi's frequencies against their formula."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.retrieval import term
from oracles.texts import ANALYZER, FIELDS, Case, cases, indexed
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.formats.trec import read_qrels
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.features.term_selection import candidate_terms, mutual_information, okapi_dataset
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import read_documents

TEXTS = [{"text": "wing flow"}, {"title": "wing", "text": "lift"}, {"text": "heat flow"}, {"text": ""}]


@settings(max_examples=25)
@given(cases(), st.data())
def test_information_is_that_of_scikit_learn(case: Case, data: st.DataObject) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    index = indexed(case.texts)
    documents = data.draw(st.lists(st.integers(0, len(case.texts) - 1), unique=True, min_size=1))
    relevant = data.draw(st.lists(st.booleans(), min_size=len(documents), max_size=len(documents)))
    found = mutual_information(index, documents, relevant, fields=case.fields)
    fields = case.fields or FIELDS
    for number, word in enumerate(index.terms):
        occurs = [any(word in ANALYZER.analyze(case.texts[d].get(field, "")) for field in fields) for d in documents]
        assert found[number] == pytest.approx(metrics.mutual_info_score(occurs, relevant), abs=1e-12)


def test_the_best_terms_come_first_and_ties_in_alphabetical_order() -> None:
    best = candidate_terms(indexed(TEXTS), [0, 1, 2, 3], [True, True, False, False], 9)
    assert [(one.term, one.n_relevant, one.n_other) for one in best] == [
        ("wing", 2, 0),
        ("heat", 0, 1),
        ("lift", 1, 0),
        ("flow", 1, 1),
    ]
    assert best[0].information == pytest.approx(np.log(2))
    assert best[-1].information == pytest.approx(0)


def test_terms_of_other_documents_are_no_candidates() -> None:
    assert [one.term for one in candidate_terms(indexed(TEXTS), [1], [True], 9)] == ["lift", "wing"]
    assert [one.term for one in candidate_terms(indexed(TEXTS), [1], [True], 9, fields=["text"])] == ["lift"]
    assert candidate_terms(indexed(TEXTS), [], [], 9) == []


def test_a_real_topic_finds_its_own_words(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "text" / "cranfield"
    index = build_index(
        read_documents(folder / "docs.jsonl.gz"),
        tmp_path / "index",
        analyzer=Analyzer(stop="english", stemmer="porter2"),
    )
    qrels = read_qrels(folder / "qrels.trec.gz")
    topic = {document for document, grade in qrels.to_dict()["2"].items() if grade > 0}
    relevant = [id_ in topic for id_ in index.ids]
    best = candidate_terms(index, np.arange(index.n_documents), relevant, 20)
    # "what are the structural and aeroelastic problems associated with flight of high speed aircraft"
    assert {"aeroelast", "aircraft"} <= {one.term for one in best}


@settings(max_examples=25)
@given(cases(), st.floats(0, 3), st.floats(0, 1))
def test_okapi_values_are_their_formula(case: Case, k1: float, b: float) -> None:
    index, c = indexed(case.texts), case.collection
    words = [*index.terms, "absent"]
    documents = np.arange(len(case.texts))[::-1]
    data = okapi_dataset(index, words, documents, np.zeros(len(documents)), k1=k1, b=b, fields=case.fields)
    assert data.feature_names == tuple(words)
    for row, d in enumerate(documents.tolist()):
        for column, word in enumerate(words):
            tf = c.tf(term(word), d)
            expected = tf / (tf + k1 * (1 - b + b * c.length(d) / c.average_length)) if tf else 0.0
            assert data.features[row, column] == pytest.approx(expected, rel=1e-12)


def test_the_data_set_is_one_query_with_the_grades_given() -> None:
    data = okapi_dataset(indexed(TEXTS), ["wing"], [2, 0, 1], [0, 1, np.nan], query_id="307")
    assert data.query_ids == ("307",)
    assert data.document_ids is not None
    assert data.document_ids.to_list() == ["d2", "d0", "d1"]
    np.testing.assert_array_equal(data.grades, [0, 1, np.nan])


@pytest.mark.parametrize(
    ("documents", "relevant", "message"),
    [
        ([0, 1], [True], "1 values of relevance for 2 documents"),
        ([0, 4], [True, False], "the index has documents 0 to 3"),
        ([-1], [True], "the index has documents 0 to 3"),
        ([0, 0], [True, False], "a document is given twice"),
        ([0.5], [True], "documents must be a list of whole numbers"),
        ([[0]], [[True]], "documents must be a list of whole numbers"),
    ],
)
def test_documents_that_cannot_be_are_refused(documents: list[int], relevant: list[bool], message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        candidate_terms(indexed(TEXTS), documents, relevant, 3)


def test_parameters_outside_their_range_are_named() -> None:
    index = indexed(TEXTS)
    with pytest.raises(InvalidParameterError, match="n_terms must be at least 1, not 0"):
        candidate_terms(index, [0], [True], 0)
    with pytest.raises(InvalidParameterError, match="okapi: b=2 must be a number from 0 to 1"):
        okapi_dataset(index, ["wing"], [0], [1], b=2)
    with pytest.raises(InvalidParameterError, match="okapi: k1=-1 must be"):
        okapi_dataset(index, ["wing"], [0], [1], k1=-1)
    with pytest.raises(UnknownNameError, match="unknown field 'body'"):
        mutual_information(index, [0], [True], fields=["body"])
