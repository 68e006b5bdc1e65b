"""Signals against evaluating each run by itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csc_array

from rankmax.api.evaluate import evaluate
from rankmax.data.dataset import RankingDataset
from rankmax.data.runs import Qrels, Run
from rankmax.errors import InvalidDataError
from rankmax.formats.trec import read_qrels, read_run
from rankmax.fusion.signals import signals_of_features, signals_of_runs
from rankmax.metrics import AP, nDCG
from rankmax.metrics.metric import NoRelevant
from rankmax.preprocessing.run_normalization import ZERO_SCORE, ReciprocalRank

QRELS = Qrels.from_dict({"q1": {"d1": 1, "d3": 0}, "q2": {"d2": 2}, "q3": {"d1": 1}, "q4": {"d1": 0}})
A = Run.from_dict({"q1": {"d1": -0.5, "d2": -1.5}, "q2": {"d1": 0.0, "d2": -1.0}, "q9": {"d1": 1.0}}, tag="a")
B = Run.from_dict({"q4": {"d1": 3.0}, "q1": {"d3": 2.0, "d1": 1.0}}, tag="b")


def test_what_a_run_lacks_is_zero_and_what_it_holds_never() -> None:
    signals = signals_of_runs({"a": A, "b": B}, QRELS)
    assert signals.names == ("a", "b")
    assert signals.data.query_ids == ("q1", "q2", "q4")
    assert signals.data.document_ids is not None
    assert signals.data.document_ids.to_list() == ["d3", "d2", "d1", "d2", "d1", "d1"]
    assert (signals.data.features != 0).tolist() == [
        *([False, True], [True, False], [True, True]),
        *([True, False], [True, False]),
        [False, True],
    ]
    assert signals.data.features[4, 0] == ZERO_SCORE
    assert signals.missing_shares == {"a": 2 / 6, "b": 3 / 6}
    assert (signals.left_out, signals.not_judged) == (("q3",), ("q9",))


def test_queries_that_a_metric_skips_are_left_out() -> None:
    skipping = AP(no_relevant=NoRelevant.SKIP)
    signals = signals_of_runs({"a": A, "b": B}, QRELS).counted_by([skipping])
    assert signals.data.query_ids == ("q1", "q2")
    assert signals.alone("a", [skipping]).tolist() == [[1.0, 0.5]]
    assert signals.alone("b", [skipping]).tolist() == [[0.5, 0.0]]
    assert signals.counted_by([skipping]) is signals


def test_a_system_alone_has_the_value_that_evaluating_its_run_gives(shared_data: Path) -> None:
    folder = shared_data / "runs" / "dl19-passage"
    paths = [str(folder / f"{name}.run.gz") for name in ("bm25", "monot5")]
    qrels = folder / "qrels.trec.gz"
    signals = signals_of_runs({path: read_run(path) for path in paths}, read_qrels(qrels))
    evaluation = evaluate(qrels, {path: path for path in paths}, ["AP", "nDCG@10"])
    for path in paths:
        ours = signals.alone(path, [AP(), nDCG(cutoff=10)])
        # Equal scores stand in trec_eval's order, which takes those for equal that single precision cannot tell apart.
        np.testing.assert_allclose(ours.mean(axis=1), list(evaluation.means[path].values()), atol=2e-3)


def test_the_order_of_the_runs_changes_nothing_but_the_order_of_the_features() -> None:
    """Ranks of equal scores once followed the order of the other runs' documents."""
    tied = Run.from_dict({"q1": {"d1": 1.0, "d3": 1.0, "d2": 1.0}})
    other = Run.from_dict({"q1": {"d3": 5.0, "d2": 4.0, "d1": 3.0, "d0": 2.0}})
    forth = signals_of_runs({"tied": tied, "other": other}, QRELS).data
    back = signals_of_runs({"other": other, "tied": tied}, QRELS).data
    assert list(forth.document_ids or ()) == list(back.document_ids or ())
    np.testing.assert_array_equal(forth.features, back.features[:, ::-1])
    ranks = ReciprocalRank(k=0).apply(forth).features[:, 0]
    assert dict(zip(forth.document_ids or (), ranks.tolist(), strict=True)) == {
        "d3": 1,
        "d2": 1 / 2,
        "d1": 1 / 3,
        "d0": 0,
    }


def test_features_are_signals_unless_they_never_differ() -> None:
    data = RankingDataset.from_arrays(csc_array([[1.0, 0.0], [2.0, 0.0]]), [0, 1], qid=[7, 7], feature_names=["a", "b"])
    signals = signals_of_features(data)
    assert (signals.names, signals.from_runs, signals.data.is_sparse) == (("a",), False, False)
    assert signals.alone("a", [AP()]).tolist() == [[1.0]]
    assert signals.missing_shares == {}
    with pytest.raises(InvalidDataError, match="no feature differs"):
        signals_of_features(data.select_features(["b"]))
    with pytest.raises(InvalidDataError, match="holds no documents"):
        signals_of_features(data.select(np.array([], np.int64)))


def test_runs_of_other_queries_are_refused_with_both_kinds_of_ids() -> None:
    with pytest.raises(InvalidDataError, match=r"none of the runs' queries is judged: the runs have q9, the qrels 9"):
        signals_of_runs({"a": Run.from_dict({"q9": {"d": 1.0}})}, Qrels.from_dict({"9": {"d": 1}}))
