from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from rankmax.workflows.demo.demonstration import METRICS, Demo


def test_every_family_is_learned_for_every_metric(small_demo: tuple[Demo, Path]) -> None:
    demo, _ = small_demo
    assert [(one.family.name, one.metric) for one in demo.learned] == [
        (name, metric) for name in ("bag of words", "proximity", "fields") for metric in METRICS
    ]
    for one in demo.learned:
        assert one.model.metric == one.metric.name
        assert one.model.feature_names == tuple(feature.name for feature in one.family.features)


def test_shares_are_signed_parts_of_one(small_demo: tuple[Demo, Path]) -> None:
    demo, _ = small_demo
    for one in demo.learned:
        assert np.abs(one.shares).sum() == pytest.approx(1)
        assert (np.sign(one.shares) == np.sign(one.model.weights)).all()
        if one.family.space == "simplex":
            assert (one.model.weights >= 0).all()


def test_every_answer_is_a_candidate_among_others(small_demo: tuple[Demo, Path]) -> None:
    demo, _ = small_demo
    answers, ids = demo.collection.qrels.to_dict(), demo.data.document_ids.to_list()
    for query_id, (begin, end) in zip(demo.data.query_ids, pairwise(demo.data.query_offsets), strict=True):
        assert answers[query_id].keys() < set(ids[begin:end])
