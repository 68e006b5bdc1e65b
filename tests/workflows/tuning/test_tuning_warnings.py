from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import grade_features
from rankmax.data.runs import Qrels, Run
from rankmax.fusion.signals import Signals, signals_of_features, signals_of_runs
from rankmax.metrics.registry import parse_metric
from rankmax.preprocessing.run_normalization import L2, RetrievedMinMax
from rankmax.workflows.tuning.tuning_warnings import unjudged_share, warnings_on_fusion, warnings_on_signals

QRELS = Qrels.from_dict({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}})


@given(
    queries=st.lists(
        st.lists(st.tuples(st.integers(-3, 3), st.sampled_from([0.0, 1.0, np.nan])), min_size=1, max_size=8),
        min_size=1,
        max_size=4,
    ),
    cutoff=st.integers(1, 9),
)
def test_the_share_of_unjudged_documents_is_counted(queries, cutoff: int) -> None:
    rows = [(q, score, grade) for q, documents in enumerate(queries) for score, grade in documents]
    data = RankingDataset.from_arrays(
        [[float(score)] for _, score, _ in rows], [grade for *_, grade in rows], qid=[q for q, *_ in rows]
    )
    top = [grade for documents in queries for _, grade in sorted(documents, key=lambda one: -one[0])[:cutoff]]
    assert unjudged_share(Signals(data), data.column(0), cutoff=cutoff) == pytest.approx(np.mean(np.isnan(top)))


def test_a_run_without_any_judged_document_is_named() -> None:
    runs = {
        "good": Run.from_dict({"q1": {"d1": 2.0, "x": 1.0}}),
        "foreign": Run.from_dict({"q1": {"msmarco-1": 0.5}, "q2": {"msmarco-2": 0.5}}),
    }
    (warning,) = warnings_on_signals(signals_of_runs(runs, QRELS), [parse_metric("AP")])
    assert warning.startswith("no document of foreign is judged")


@pytest.mark.parametrize(
    ("metrics", "told"),
    [(["nDCG@10", "P@5", "AP"], "nDCG@10, AP compare "), (["R@10"], "R@10 compares "), (["P@5"], "")],
)
def test_a_log_knows_logged_documents_only(metrics: list[str], told: str) -> None:
    data = RankingDataset.from_arrays(
        [[1.0], [2.0]], [1, 0], qid=["q1", "q1"], feature_names=["bm25"], document_ids=["d1", "d2"]
    )
    parsed = [parse_metric(metric) for metric in metrics]
    warnings = warnings_on_signals(signals_of_features(data), parsed)
    assert len(warnings) == bool(told)
    assert told in "".join(warnings)
    more = Qrels.from_dict({"q1": {"d1": 1, "d9": 1}})
    assert warnings_on_signals(signals_of_features(grade_features(data, more)), parsed) == []


def test_negative_scores_matter_under_l2_only() -> None:
    runs = {"bm25": Run.from_dict({"q1": {"d1": 2.0}}), "e5": Run.from_dict({"q1": {"d2": -0.5}})}
    signals = signals_of_runs(runs, QRELS)
    scores = signals.data.scores([1.0, 1.0])
    (warning,) = warnings_on_fusion(signals, scores, L2(), "learned")
    assert warning.startswith("e5 has negative scores")
    assert warnings_on_fusion(signals, scores, RetrievedMinMax(), "learned") == []
