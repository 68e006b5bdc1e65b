"""The compiled kernel, the numpy path and the thread count must all give the same bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.ids import Ids
from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.metrics import evaluator as evaluate
from rankmax.metrics import parse_metric
from rankmax.metrics.evaluator import Evaluator, evaluate_metrics
from rankmax.metrics.ties import TiePolicy

METRICS = [
    parse_metric(name)
    for name in (
        "AP",
        "AP(rel=2)@5",
        "nDCG@3",
        "nDCG(gain='exp2')",
        "RR",
        "P@2",
        "R@4",
        "Rprec",
        "Success@1",
        "ERR@3",
        "ERR",
        "RBP(p=0.7)",
        "ROC",
        "Bpref",
        "Judged@3",
    )
]


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, Judgments]:
    sizes = draw(st.lists(st.integers(0, 40), min_size=1, max_size=6))
    n = sum(sizes)
    grade = st.sampled_from([np.nan, 0.0, 0.0, 1.0, 2.0])
    score = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(-5, 5))
    unretrieved = draw(st.lists(st.integers(0, 3), min_size=len(sizes), max_size=len(sizes)))
    judgments = Judgments.from_grades(
        draw(st.lists(grade, min_size=n, max_size=n)),
        np.cumsum([0, *sizes]),
        document_ids=Ids.from_strings(draw(st.permutations([f"d{i}" for i in range(n)]))),
        unretrieved_grades=draw(st.lists(st.integers(0, 2), min_size=sum(unretrieved), max_size=sum(unretrieved))),
        unretrieved_offsets=np.cumsum([0, *unretrieved]),
    )
    return np.array(draw(st.lists(score, min_size=n, max_size=n))), judgments


@given(problem=problems(), ties=st.sampled_from(TiePolicy))
def test_numpy_path_has_the_same_bits(problem: tuple[np.ndarray, Judgments], ties: TiePolicy) -> None:
    scores, judgments = problem
    compiled = evaluate_metrics(METRICS, scores, judgments, ties=ties)
    without = evaluate_metrics(METRICS, scores, judgments, ties=ties, compiled=False)
    np.testing.assert_array_equal(compiled, without)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate, "_WORTH_THREADS", 0)
        np.testing.assert_array_equal(evaluate_metrics(METRICS, scores, judgments, ties=ties), without)


@given(
    problem=problems(),
    ties=st.sampled_from(TiePolicy),
    names=st.sampled_from([["ERR@3", "AP", "ERR", "nDCG@3"], ["AP", "Bpref"]]),
    seed=st.integers(0, 99),
)
def test_many_weights_have_the_values_of_their_scores(
    problem: tuple[np.ndarray, Judgments], ties: TiePolicy, names: list[str], seed: int
) -> None:
    scores, judgments = problem
    columns = np.stack([scores, np.random.default_rng(seed).integers(-2, 3, scores.size)])
    weights = np.array([[1.0, 0.0], [0.0, -1.0], [0.5, 2.0]])
    evaluator = Evaluator([parse_metric(name) for name in names], judgments, ties=ties)
    expected = [evaluator(w[0] * columns[0] + w[1] * columns[1]) for w in weights]
    np.testing.assert_array_equal(evaluator.at_weights(columns, weights), expected)
    everything = np.arange(judgments.n_queries)
    asked = [everything[:1], everything[1:], everything[:0]]
    some = evaluator.at_weights(columns, weights, asked)
    for values, whole, queries in zip(some, expected, asked, strict=True):
        np.testing.assert_array_equal(values[:, queries], whole[:, queries])
        assert np.isnan(np.delete(values, queries, axis=1)).all()


@given(problem=problems(), ties=st.sampled_from(TiePolicy), data=st.data())
def test_metrics_together_equal_each_alone(
    problem: tuple[np.ndarray, Judgments], ties: TiePolicy, data: st.DataObject
) -> None:
    scores, judgments = problem
    chosen = data.draw(st.lists(st.sampled_from(METRICS), min_size=1, max_size=4))
    together = evaluate_metrics(chosen, scores, judgments, ties=ties)
    for metric, values in zip(chosen, together, strict=True):
        np.testing.assert_array_equal(values, metric.per_query(scores, judgments, ties=ties))


@given(problem=problems(), ties=st.sampled_from(TiePolicy), data=st.data())
def test_evaluator_remembers_nothing_of_earlier_scores(
    problem: tuple[np.ndarray, Judgments], ties: TiePolicy, data: st.DataObject
) -> None:
    scores, judgments = problem
    evaluator = Evaluator(METRICS, judgments, ties=ties)
    other = np.array(data.draw(st.permutations(scores.tolist())))
    for current in (scores, other, scores):
        np.testing.assert_array_equal(evaluator(current), evaluate_metrics(METRICS, current, judgments, ties=ties))


@given(problem=problems())
def test_pessimistic_ties_are_never_better(problem: tuple[np.ndarray, Judgments]) -> None:
    scores, judgments = problem
    scores = scores.astype(np.float32).astype(np.float64)  # so that trec_eval sees the same ties
    metrics = [parse_metric(name) for name in ("AP", "nDCG@3", "RR", "P@2", "ERR@3", "ROC")]
    worst = evaluate_metrics(metrics, scores, judgments, ties=TiePolicy.PESSIMISTIC)
    for policy in (TiePolicy.DOCUMENT_ORDER, TiePolicy.TREC_EVAL):
        assert (worst <= evaluate_metrics(metrics, scores, judgments, ties=policy) + 1e-12).all()


def test_a_constant_scorer_gains_nothing_from_pessimistic_ties() -> None:
    judgments = Judgments.from_grades([1, 0, 0, 0], [0, 4])
    constant = np.zeros(4)
    assert parse_metric("RR").per_query(constant, judgments)[0] == 1.0
    assert parse_metric("RR").per_query(constant, judgments, ties=TiePolicy.PESSIMISTIC)[0] == 0.25


def test_trec_eval_compares_scores_in_single_precision() -> None:
    judgments = Judgments.from_grades([0, 1], [0, 2], document_ids=Ids.from_strings(["a", "b"]))
    almost_tied = np.array([1.0 + 1e-12, 1.0])
    assert parse_metric("RR").per_query(almost_tied, judgments)[0] == 0.5
    assert parse_metric("RR").per_query(almost_tied, judgments, ties=TiePolicy.TREC_EVAL)[0] == 1.0


@pytest.mark.parametrize("compiled", [True, False])
def test_trec_eval_ties_need_document_ids(compiled: bool) -> None:
    judgments = Judgments.from_grades([0, 1], [0, 2])
    with pytest.raises(IncompatibleError, match="no document ids"):
        evaluate_metrics(METRICS, np.zeros(2), judgments, ties=TiePolicy.TREC_EVAL, compiled=compiled)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros(3), r"scores have shape \(3,\); expected \(2,\)"),
        (np.array([0.0, np.nan]), r"scores\[1\] is NaN and has no rank"),
    ],
)
def test_bad_scores(scores: np.ndarray, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        evaluate_metrics(METRICS, scores, Judgments.from_grades([0, 1], [0, 2]))


def test_same_bits_for_any_number_of_threads(
    use_threads: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankmax.metrics.evaluator._WORTH_THREADS", 0)
    rng = np.random.default_rng(0)
    judgments = Judgments.from_grades(rng.integers(0, 3, 5000), np.arange(0, 5001, 50))
    metrics = [parse_metric(name) for name in ("AP", "nDCG@10", "ERR", "RBP", "ROC")]
    scores, columns, weights = rng.normal(size=5000), rng.normal(size=(3, 5000)), rng.normal(size=(20, 3))
    found = set()
    for n_threads in (1, 2, 3):
        use_threads(n_threads)
        evaluator = Evaluator(metrics, judgments)
        found.add((evaluator(scores).tobytes(), evaluator.at_weights(columns, weights).tobytes()))
    assert len(found) == 1
