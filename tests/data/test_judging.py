import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import trec as oracle
from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import grade_features, join_runs, judge
from rankmax.data.runs import Qrels, Run
from rankmax.errors import InvalidDataError, UnknownNameError
from rankmax.formats.trec import read_qrels, read_run

query_id = st.sampled_from(["q1", "q2", "q3", "q4"])
document_id = st.sampled_from([f"d{n}" for n in range(12)] + ["a-long-document-name", "a-long-document-nami"])
scores = st.dictionaries(query_id, st.dictionaries(document_id, st.floats(-9, 9)))
grades = st.dictionaries(query_id, st.dictionaries(document_id, st.integers(-2, 3)))


def same(left, right):
    return left == right or (math.isnan(left) and math.isnan(right))


def check_judgments(judgments, candidates, qrels):
    """Compare with ``{query: {document: grade}}`` of the candidates, and with all that was judged."""
    assert judgments.query_ids == tuple(candidates)
    assert np.isnan(judgments.levels[0])
    assert (np.diff(judgments.levels[1:]) > 0).all()
    for q, (query, documents) in enumerate(candidates.items()):
        span = slice(judgments.query_offsets[q], judgments.query_offsets[q + 1])
        assert judgments.document_ids[span].to_list() == list(documents)
        found = judgments.levels[judgments.document_levels[span]]
        assert all(map(same, found.tolist(), documents.values()))
        rest = slice(judgments.unretrieved_offsets[q], judgments.unretrieved_offsets[q + 1])
        unretrieved = [grade for document, grade in qrels[query].items() if document not in documents]
        assert judgments.levels[judgments.unretrieved_levels[rest]].tolist() == unretrieved


@given(scores, grades)
def test_judge(run, qrels):
    judged = judge(Run.from_dict(run), Qrels.from_dict(qrels))
    expected = oracle.judge(run, qrels)
    check_judgments(judged.judgments, expected, qrels)
    assert judged.scores.tolist() == [score for query in qrels for score in run.get(query, {}).values()]
    assert judged.missing_queries == tuple(query for query in qrels if not run.get(query))
    assert judged.unjudged_queries == tuple(query for query in run if query not in qrels)


@given(st.lists(scores, min_size=1, max_size=3), grades, st.sampled_from(["minimum", "zero"]))
def test_join_runs(runs, qrels, missing):
    named = {f"system{n}": run for n, run in enumerate(runs)}
    data = join_runs({name: Run.from_dict(run) for name, run in named.items()}, Qrels.from_dict(qrels), missing=missing)
    expected = oracle.join(named, qrels, missing)
    assert data.feature_names == tuple(named)
    assert data.features.flags.f_contiguous
    assert data.features.tolist() == [row for documents in expected.values() for row in documents.values()]
    candidates = {
        query: {document: qrels[query].get(document, math.nan) for document in documents}
        for query, documents in expected.items()
    }
    check_judgments(data.judgments, candidates, qrels)


def test_missing_has_no_default():
    with pytest.raises(TypeError):
        join_runs({"a": Run.from_dict({"q": {"d": 1.0}})}, Qrels.from_dict({"q": {"d": 1}}))


def test_unknown_way_to_score_missing_documents():
    with pytest.raises(UnknownNameError, match="'min'; did you mean 'minimum'"):
        join_runs({"a": Run.from_dict({"q": {"d": 1.0}})}, Qrels.from_dict({"q": {"d": 1}}), missing="min")


def test_no_runs():
    with pytest.raises(InvalidDataError, match="no runs"):
        join_runs({}, Qrels.from_dict({"q": {"d": 1}}), missing="zero")


def test_real_runs(shared_data):
    folder = shared_data / "runs" / "dl19-passage"
    qrels = read_qrels(folder / "qrels.trec.gz")
    runs = {path.name.partition(".")[0]: read_run(path) for path in sorted(folder.glob("*.run.gz"))}
    grades = qrels.to_dict()
    for run in runs.values():
        judged = judge(run, qrels)
        check_judgments(judged.judgments, oracle.judge(run.to_dict(), grades), grades)
    data = join_runs(runs, qrels, missing="minimum")
    expected = oracle.join({name: run.to_dict() for name, run in runs.items()}, grades, "minimum")
    assert data.features.tolist() == [row for documents in expected.values() for row in documents.values()]
    assert data.n_features == 6


def test_features_get_the_grades_of_qrels() -> None:
    log = RankingDataset.from_arrays(
        [[1.0], [2.0], [3.0], [4.0]], [1, 1, 1, 1], qid=["q2", "q2", "q1", "q9"], document_ids=["a", "b", "a", "a"]
    )
    graded = grade_features(log, Qrels.from_dict({"q1": {"a": 0, "x": 2}, "q3": {"a": 1}, "q2": {"b": 3}}))
    assert graded.query_ids == ("q1", "q2")
    np.testing.assert_array_equal(graded.grades, [0, np.nan, 3])
    assert graded.column(0).tolist() == [3.0, 1.0, 2.0]
    assert graded.judgments.unretrieved_offsets.tolist() == [0, 1, 1]
    assert grade_features(log, Qrels.from_dict({"q7": {"a": 1}})).n_queries == 0
    with pytest.raises(InvalidDataError, match="have no ids"):
        grade_features(RankingDataset.from_arrays([[1.0]], [1], qid=["q1"]), Qrels.from_dict({"q1": {"a": 1}}))
