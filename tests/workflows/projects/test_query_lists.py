from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.metrics import AP
from rankmax.models import LinearModel
from rankmax.workflows.projects.query_lists import ordered_queries, unjudged_at_top
from rankmax.workflows.projects.workbench import Workbench

DATA = planted_linear(25, 15, 3, noise=0.5, seed=3).data
BENCH = Workbench(DATA)
MODELS = tuple(LinearModel(weights, DATA.feature_names) for weights in ([1.0, 0.0, 0.0], [0.2, 1.0, -0.3]))


@pytest.mark.parametrize(
    ("order", "key"),
    [
        ("gain", lambda query: -query.gain),
        ("loss", lambda query: query.gain),
        ("low", lambda query: query.after),
        ("unjudged", lambda query: -query.n_unjudged),
        ("data", lambda query: DATA.query_ids.index(query.id)),
    ],
)
def test_queries_are_in_order(order, key) -> None:
    listed = ordered_queries(BENCH, *MODELS, AP(), order)
    assert [key(query) for query in listed] == sorted(key(query) for query in listed)
    before, after = (dict(zip(DATA.query_ids, BENCH.values(model, AP()), strict=True)) for model in MODELS)
    for query in listed:
        assert (query.before, query.after) == pytest.approx((before[query.id], after[query.id]), nan_ok=True)


def test_unjudged_documents_are_counted_among_the_first_ten() -> None:
    rng = np.random.default_rng(5)
    grades = np.where(rng.random(DATA.n_documents) < 0.4, np.nan, DATA.grades)
    ids = np.repeat(DATA.query_ids, DATA.judgments.documents_by_query)
    data = RankingDataset.from_arrays(DATA.features, grades, qid=ids)
    scores = data.scores([1.0, 2.0, 0.0])
    expected = []
    for query in data.query_ids:
        own = np.flatnonzero(ids == query)
        top = own[np.argsort(-scores[own], kind="stable")[:10]]
        expected.append(int(np.isnan(grades[top]).sum()))
    assert unjudged_at_top(data, scores).tolist() == expected
    assert sum(expected) > 0
