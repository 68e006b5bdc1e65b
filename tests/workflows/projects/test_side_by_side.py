from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import join_runs
from rankmax.data.synthetic import planted_linear
from rankmax.errors import UnknownNameError
from rankmax.formats.interchange import as_qrels, as_run
from rankmax.models import LinearModel
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.projects.side_by_side import side_by_side

DATA = planted_linear(5, 12, 3, noise=0.5, seed=4).data
FIRST = LinearModel([1.0, 0.5, -0.2], DATA.feature_names, Normalization.named("min-max"))
SECOND = LinearModel([0.2, 0.0, 1.0], DATA.feature_names)


def test_ranks_and_scores_are_those_of_the_models() -> None:
    query = DATA.query_ids[2]
    span = slice(*DATA.query_offsets[2:4])
    found = side_by_side(DATA, query, FIRST, SECOND, depth=100).documents
    for key, model in (("first", FIRST), ("second", SECOND)):
        expected = sorted(model.scores(DATA)[span], reverse=True)
        placed = sorted((getattr(document, key) for document in found), key=lambda place: place.rank)
        assert [place.rank for place in placed] == list(range(1, 13))
        np.testing.assert_allclose([place.score for place in placed], expected, atol=1e-12)
        np.testing.assert_allclose([sum(place.contributions.values()) for place in placed], expected, atol=1e-12)
    assert [document.first.rank for document in found] == sorted(document.first.rank for document in found)


def test_only_what_either_ranking_shows_is_listed() -> None:
    found = side_by_side(DATA, DATA.query_ids[0], FIRST, SECOND, depth=3).documents
    assert all(min(document.first.rank, document.second.rank) <= 3 for document in found)
    assert sum(document.second.rank <= 3 for document in found) == 3


def test_relevant_documents_further_down_and_absent_ones_are_told() -> None:
    span = slice(*DATA.query_offsets[:2])
    ranks = [np.argsort(np.argsort(-model.scores(DATA)[span])) + 1 for model in (FIRST, SECOND)]
    relevant = DATA.grades[span] > 0
    found = side_by_side(DATA, DATA.query_ids[0], FIRST, SECOND, depth=2)
    further = relevant & (np.minimum(*ranks) > 2)
    assert further.any()
    assert [document.second.rank for document in found.further] == sorted(ranks[1][further])
    assert found.n_absent == 0
    assert found.documents[0].values["f2"] == DATA.features[span][int(np.argmin(ranks[0])), 1]
    qrels = as_qrels({"q": {"a": 1, "lost": 2, "dull": 0}})
    joined = join_runs({"bm25": as_run({"q": {"a": 2.0, "b": 1.0}})}, qrels, missing="zero")
    assert side_by_side(joined, "q", *(LinearModel([1.0], ("bm25",)),) * 2).n_absent == 1


def test_ties_keep_the_order_of_the_data_and_unjudged_documents_have_no_grade() -> None:
    data = RankingDataset.from_arrays(
        [[1.0], [1.0], [2.0]], [0, np.nan, 1], qid=[1, 1, 1], document_ids=["a", "b", "c"]
    )
    model = ExpectedGainModel([0, 1], [0, 1], [[0.0], [1.0]], [0.0, 0.0], ("f1",))
    found = side_by_side(data, "1", LinearModel([1.0], ("f1",)), model).documents
    assert [(document.id, document.grade, document.first.rank) for document in found] == [
        ("c", 1, 1),
        ("a", 0, 2),
        ("b", None, 3),
    ]
    assert found[0].second.contributions == {}
    assert side_by_side(data, "1", LinearModel([0.0], ("f1",)), model).documents[0].first.contributions == {}


def test_an_unknown_query_is_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown query 'x'"):
        side_by_side(DATA, "x", FIRST, SECOND)
