"""Queries grown term by term: what never falls, what may, and Morgan's comparison on real topics."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.formats.trec import read_qrels
from rankmax.metrics import AP
from rankmax.retrieval.features.term_selection import candidate_terms, okapi_dataset
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document
from rankmax.workflows.searching.query_expansion import Growth, grow_query, growth_plot


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_weight_search_never_falls(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(25, 6)).astype(float)  # many ties, as term frequencies have
    grades = np.append([0.0, 1.0], rng.integers(0, 2, 23))
    data = RankingDataset.from_arrays(np.vstack([np.zeros(6), X[1:]]), grades, qid=np.zeros(25))
    if not np.ptp(data.features, axis=0).all():
        return
    search = grow_query(data).weight_search
    assert (np.diff(search.values) >= 0).all()  # to the last bit
    assert all(weights[0] == 1.0 for weights in search.weights)
    assert [weights.size for weights in search.weights] == [1, 2, 3, 4, 5, 6]


def test_begins_with_the_best_term_and_goes_on_in_the_order_of_the_data() -> None:
    data = planted_linear(1, 60, 6, noise=0.2, seed=2).data
    grown = grow_query(data, max_terms=3)
    alone = [AP().per_query(data.column(j), data.judgments)[0] for j in range(6)]
    first = int(np.argmax(alone))
    expected = [data.feature_names[first], *(name for j, name in enumerate(data.feature_names) if j != first)]
    assert grown.terms == tuple(expected[:3])
    assert grown.weight_search.values[0] == max(alone)


def test_values_are_those_of_the_weights() -> None:
    data = planted_linear(1, 60, 5, noise=0.2, seed=3).data
    grown = grow_query(data)
    for growth in (grown.weight_search, grown.maximum_entropy):
        for weights, value in zip(growth.weights, growth.values, strict=True):
            scores = data.select_features(grown.terms[: weights.size]).scores(weights)
            assert AP().per_query(scores, data.judgments)[0] == pytest.approx(value)


def test_a_term_that_tells_nothing_keeps_the_weights() -> None:
    data = planted_linear(1, 40, 2, noise=0.1, seed=4).data
    features = np.column_stack([data.features, np.ones(40)])
    grown = grow_query(RankingDataset.from_arrays(features, data.grades, qid=np.zeros(40)))
    *_, before, after = grown.weight_search.weights
    assert after.tolist() == [*before.tolist(), 0.0]
    assert grown.maximum_entropy.weights[-1][-1] == 0.0


def test_grades_are_cut_where_the_metric_cuts_them() -> None:
    data = planted_linear(1, 60, 3, noise=0.2, seed=5).data
    binary = RankingDataset.from_arrays(data.features, data.grades >= 2, qid=np.zeros(60))
    graded, cut = grow_query(data, metric="AP(rel=2)"), grow_query(binary)
    np.testing.assert_allclose(graded.maximum_entropy.weights[-1], cut.maximum_entropy.weights[-1])
    assert np.array_equal(graded.weight_search.values, cut.weight_search.values)


def test_dips_and_best_size() -> None:
    growth = Growth((), np.array([0.5, 0.4, 0.9, 0.9, 0.8]))
    assert (growth.dips.tolist(), growth.best_size) == ([2, 5], 3)


def test_plot(tmp_path: Path) -> None:
    grown = grow_query(planted_linear(1, 60, 8, noise=0.3, seed=2).data, max_terms=4)
    growth_plot(grown, tmp_path / "growth.svg")
    assert "<!-- fell -->" in (tmp_path / "growth.svg").read_text()
    steady = grow_query(planted_linear(1, 60, 8, noise=0.3, seed=1).data, max_terms=4)
    assert not steady.maximum_entropy.dips.size
    growth_plot(steady, tmp_path / "steady.svg")
    assert "<!-- fell -->" not in (tmp_path / "steady.svg").read_text()


def test_mistakes_are_named() -> None:
    data = planted_linear(1, 20, 2, seed=6).data
    with pytest.raises(InvalidParameterError, match="max_terms is 0"):
        grow_query(data, max_terms=0)
    with pytest.raises(InvalidDataError, match="no candidate terms"):
        grow_query(data.select_features([]))
    with pytest.raises(InvalidDataError, match="both needed"):
        grow_query(RankingDataset.from_arrays([[1.0], [2.0]], [1, 1], qid=[1, 1]))


def test_topics_of_cacm(shared_data: Path, tmp_path: Path) -> None:
    """As in Morgan et al.'s Table 1: short queries do a little better by weight search, long ones about the same."""
    folder = shared_data / "text" / "cacm"
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    documents = [Document(record["id"], {"text": f"{record['title']} {record['text']}"}) for record in records]
    index = build_index(documents, tmp_path / "index")
    qrels = read_qrels(folder / "qrels.trec.gz").to_dict()
    everything = np.arange(index.n_documents)
    at_5, at_best, dips = [], [], 0
    for topic in ("7", "11", "14"):
        relevant = np.array([document in qrels[topic] for document in index.ids])
        terms = [one.term for one in candidate_terms(index, everything, relevant, 20)]
        grown = grow_query(okapi_dataset(index, terms, everything, relevant))
        search, entropy = grown.weight_search, grown.maximum_entropy
        assert not search.dips.size
        dips += entropy.dips.size
        at_5.append(search.values[4] - entropy.values[4])
        at_best.append(search.values.max() - entropy.values.max())
    assert all(0 <= gain < 0.1 for gain in at_5)
    assert all(abs(gain) < 0.05 for gain in at_best)
    assert dips > 0
