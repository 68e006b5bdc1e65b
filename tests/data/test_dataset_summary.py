"""The summary against numpy on dense data, and sparse against dense."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.data.dataset_summary import summarize
from rankmax.data.judgments import Judgments


@given(st.data())
def test_features_that_cannot_help_are_named(data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=4).filter(any))
    values = st.sampled_from([0.0, 0.0, 1.0, -1.0])
    X = data.draw(arrays(np.float64, (sum(lengths), 5), elements=values))
    judgments = Judgments.from_grades(np.zeros(len(X)), np.cumsum([0, *lengths]))
    names = tuple("abcde")
    queries = [part for part in np.split(X, np.cumsum(lengths)[:-1]) if len(part)]
    constant = tuple(n for n, x in zip(names, X.T, strict=True) if len(set(x)) == 1)
    within = tuple(
        n for j, n in enumerate(names) if n not in constant and all(len(set(query[:, j])) == 1 for query in queries)
    )
    equal = {}
    for n, x in zip(names, X.T, strict=True):
        equal.setdefault(tuple(x), []).append(n)
    for features in (X, X.astype(np.float32), csc_array(X)):
        summary = summarize(RankingDataset(features, names, judgments))
        assert summary.constant_features == constant
        assert summary.constant_within_queries == within
        assert summary.duplicate_features == tuple(tuple(g) for g in equal.values() if len(g) > 1)


def test_counts() -> None:
    judgments = Judgments.from_grades(
        [0, 1, 1.5, np.nan, 0], [0, 3, 4, 4, 5], unretrieved_grades=[1], unretrieved_offsets=[0, 0, 1, 1, 1]
    )
    features = np.asfortranarray(np.arange(10, dtype=np.float32).reshape(5, 2))
    summary = summarize(RankingDataset(features, ("a", "b"), judgments))
    assert (summary.n_queries, summary.n_documents, summary.n_features) == (4, 5, 2)
    assert summary.documents_per_query == {"min": 0.0, "median": 1.0, "mean": 1.25, "max": 3.0}
    assert summary.documents_by_grade == {0.0: 2, 1.0: 1, 1.5: 1}
    assert (summary.n_unjudged, summary.n_unretrieved) == (1, 1)
    assert summary.n_queries_without_relevant == 2
    assert (summary.sparse, summary.dtype, summary.n_bytes) == (False, "float32", 40)


def test_json_holds_plain_types() -> None:
    data = RankingDataset.from_arrays(csc_array([[1.0, 1.0], [0.0, 0.0]]), [1, 0.5], qid=[1, 1])
    plain = json.loads(json.dumps(summarize(data).to_dict()))
    assert plain["documents_by_grade"] == {"0.5": 1, "1": 1}
    assert plain["duplicate_features"] == [["f1", "f2"]]
    assert plain["sparse"] is True


def test_no_documents() -> None:
    summary = summarize(RankingDataset.from_arrays(np.empty((0, 2)), [], qid=[]))
    assert summary.documents_per_query["max"] == 0
    assert summary.documents_by_grade == {}
