"""Queries are sorted by their differences, and rankings are those of the two fusions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oracles.tuning_pages import Tuned, tuned
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.workflows.tuning.report import query_data as module
from rankmax.workflows.tuning.report.query_data import query_data


def test_queries_are_sorted_with_their_held_out_values(results: Tuned) -> None:
    tuning, _ = results
    queries = query_data(tuning)
    order = {query: i for i, query in enumerate(tuning.signals.data.query_ids)}
    assert sorted(query["id"] for query in queries) == sorted(order)
    gains = [query["gain"] for query in queries]
    assert gains == sorted(gains, reverse=True)
    for query in queries:
        q = order[query["id"]]
        assert query["pick"] == tuning.pick.values[0, q]
        assert query["current"] == tuning.current_row.values[0, q]
        assert query["gain"] == pytest.approx(query["pick"] - query["current"], abs=1e-9)
    assert np.mean(gains) == pytest.approx(tuning.verdict.gain.observed, abs=1e-9)


def test_rankings_are_by_the_score_of_each_fusion() -> None:
    data = planted_linear(12, 15, 3, noise=1.0, seed=3).data
    ids = [f"d{i}" for i in range(data.n_documents)]
    qid = np.repeat(data.query_ids, np.diff(data.query_offsets))
    grades = np.where(np.arange(data.n_documents) % 7 == 0, np.nan, data.grades)
    named = RankingDataset.from_arrays(data.features, grades, qid=qid, document_ids=ids)
    tuning, _ = tuned(named, normalizations=[Unchanged()], current="f1")
    features, offsets = np.asarray(named.features), named.query_offsets
    for query in query_data(tuning):
        q = named.query_ids.index(query["id"])
        documents = range(offsets[q], offsets[q + 1])
        by_current = sorted(documents, key=lambda i: -features[i, 0])
        by_pick = sorted(documents, key=lambda i: -(features[i] @ tuning.pick.fusion.weights))
        for side, order, other in (("current", by_current, by_pick), ("pick", by_pick, by_current)):
            shown = query["rankings"][side]
            assert [one["id"] for one in shown] == [f"d{document}" for document in order[:10]]
            assert [one["other"] for one in shown] == [other.index(document) + 1 for document in order[:10]]
            expected = [None if np.isnan(grades[document]) else grades[document] for document in order[:10]]
            assert [one["grade"] for one in shown] == expected


def test_there_are_no_two_rankings_where_the_current_fusion_is_picked(results: Tuned) -> None:
    tuning, _ = results
    same = replace(tuning, verdict=replace(tuning.verdict, pick=tuning.verdict.current))
    assert all(query["rankings"] is None for query in query_data(same))


def test_of_many_queries_those_at_both_ends_have_rankings(monkeypatch: pytest.MonkeyPatch, results: Tuned) -> None:
    monkeypatch.setattr(module, "_MOST_RANKINGS", 6)
    queries = query_data(results[0])
    if results[0].verdict.pick != results[0].verdict.current:
        has_rankings = [query["rankings"] is not None for query in queries]
        assert has_rankings == [True] * 3 + [False] * (len(queries) - 6) + [True] * 3
