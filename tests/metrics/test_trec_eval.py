"""The same numbers as trec_eval, ties included, on its own terms: document ids, unjudged and missing documents."""

from __future__ import annotations

import math
from dataclasses import dataclass

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.ids import Ids
from rankmax.data.judgments import Judgments
from rankmax.metrics import (
    AP,
    ERR,
    RBP,
    ROC,
    RR,
    Bpref,
    Judged,
    Metric,
    P,
    R,
    Rprec,
    Success,
    TiePolicy,
    nDCG,
    parse_metric,
)

CLOSE = 1e-9
TREC_EVAL = {
    "map": AP(),
    "map_cut_5": AP @ 5,
    "P_1": P @ 1,
    "P_5": P @ 5,
    "P_30": P @ 30,
    "recall_5": R @ 5,
    "recall_30": R @ 30,
    "success_1": Success @ 1,
    "success_5": Success @ 5,
    "Rprec": Rprec(),
    "recip_rank": RR(),
    "ndcg": nDCG(),
    "ndcg_cut_1": nDCG @ 1,
    "ndcg_cut_5": nDCG @ 5,
    "ndcg_cut_30": nDCG @ 30,
    "bpref": Bpref(),
}
OF_RELEVANCE = {"map", "map_cut_5", "P_5", "recall_5", "success_5", "Rprec", "recip_rank", "bpref"}


@dataclass(frozen=True)
class Experiment:
    """A run and its qrels as trec_eval's dictionaries, and as judgments."""

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]

    def judgments(self) -> tuple[np.ndarray, Judgments]:
        grades, ids, scores, missing = [], [], [], []
        offsets, missing_offsets = [0], [0]
        for query, retrieved in self.run.items():
            judged = self.qrels[query]
            grades += [judged.get(document, math.nan) for document in retrieved]
            ids += retrieved
            scores += retrieved.values()
            missing += [grade for document, grade in judged.items() if document not in retrieved]
            offsets.append(len(grades))
            missing_offsets.append(len(missing))
        return np.array(scores, np.float64), Judgments.from_grades(
            grades,
            offsets,
            query_ids=list(self.run),
            document_ids=Ids.from_strings(ids),
            unretrieved_grades=missing,
            unretrieved_offsets=missing_offsets,
        )


@st.composite
def experiments(draw: st.DrawFn, *, grades: tuple[int, int] = (-2, 4), distinct_scores: bool = False) -> Experiment:
    documents = [f"d{i}" for i in range(draw(st.integers(1, 25)))]
    lowest, highest = grades
    score = st.sampled_from([-1.5, 0.0, 0.1, 0.1 + 1e-10, 1.0, 1e39]) if not distinct_scores else st.none()
    qrels, run = {}, {}
    for query in range(draw(st.integers(1, 4))):
        judged = draw(st.lists(st.sampled_from(documents), unique=True, min_size=1))
        retrieved = draw(st.lists(st.sampled_from(documents), unique=True, min_size=1))
        # trec_eval reads uninitialized memory where every grade of a query is negative
        first = draw(st.integers(0, highest))
        others = [draw(st.integers(lowest, highest)) for _ in judged[1:]]
        qrels[str(query)] = dict(zip(judged, [first, *others], strict=True))
        scores = range(len(retrieved), 0, -1) if distinct_scores else [draw(score) for _ in retrieved]
        run[str(query)] = {document: float(s) for document, s in zip(retrieved, scores, strict=True)}
    return Experiment(qrels, run)


def assert_equal(metric: Metric, experiment: Experiment, expected: dict[str, float], close: float = CLOSE) -> None:
    scores, judgments = experiment.judgments()
    values = metric.per_query(scores, judgments, ties=TiePolicy.TREC_EVAL)
    for query, value in zip(judgments.query_ids, values, strict=True):
        assert value == pytest.approx(expected[query], abs=close), f"{metric} of query {query}: {experiment}"


@given(experiments())
def test_trec_eval(experiment):
    evaluated = pytrec_eval.RelevanceEvaluator(experiment.qrels, set(TREC_EVAL)).evaluate(experiment.run)
    for measure, metric in TREC_EVAL.items():
        assert_equal(metric, experiment, {query: values[measure] for query, values in evaluated.items()})


@given(experiments(), st.integers(2, 4))
def test_trec_eval_with_a_relevance_threshold(experiment, level):
    evaluator = pytrec_eval.RelevanceEvaluator(experiment.qrels, OF_RELEVANCE, relevance_level=level)
    evaluated = evaluator.evaluate(experiment.run)
    for measure in OF_RELEVANCE:
        metric = type(TREC_EVAL[measure])(rel=level, cutoff=TREC_EVAL[measure].cutoff)
        assert_equal(metric, experiment, {query: values[measure] for query, values in evaluated.items()})


@pytest.mark.parametrize(
    "name",
    ["AP", "AP(rel=2)@5", "P@5", "P(rel=3)@10", "R@5", "Success(rel=2)@3", "Rprec", "RR",
     "nDCG", "nDCG@5", "Bpref(rel=2)", "nDCG(gains={1:5,2:10})@3"],
)  # fmt: skip
@given(experiments())
def test_ir_measures_names(name, experiment):
    measure = ir_measures.parse_measure(name)
    expected = {m.query_id: m.value for m in measure.iter_calc(experiment.qrels, experiment.run)}
    metric = parse_metric(name)
    if "gains" in name:  # ir-measures leaves grades above the mapping as they are; a table has to hold them
        metric = type(metric)(gain=[0, 5, 10, 3, 4], cutoff=metric.cutoff)
    assert_equal(metric, experiment, expected)


@given(experiments(distinct_scores=True))
def test_ir_measures_where_it_breaks_ties_its_own_way(experiment):
    for metric in (Judged(), Judged @ 3, Judged @ 40, RR(rel=2) @ 2):
        measure = ir_measures.parse_measure(metric.name)
        expected = {m.query_id: m.value for m in measure.iter_calc(experiment.qrels, experiment.run)}
        assert_equal(metric, experiment, expected)


@given(experiments(distinct_scores=True))
def test_ir_measures_accuracy_is_roc_area(experiment):
    _, judgments = experiment.judgments()
    relevant = judgments.grades >= 1
    counts = np.add.reduceat(relevant, judgments.query_offsets[:-1])
    if ((counts == 0) | (counts == judgments.documents_by_query)).any():
        return  # ir-measures divides by zero where every document is relevant
    measure = ir_measures.Accuracy
    expected = {m.query_id: m.value for m in measure.iter_calc(experiment.qrels, experiment.run)}
    assert_equal(ROC(), experiment, expected)


class TestGdeval:
    """ir-measures computes ERR, and nDCG of gain 2^r - 1, with the TREC Web Track's script, to five decimals."""

    pytestmark = pytest.mark.skipif(
        not ir_measures.providers.registry["gdeval"].is_available(), reason="gdeval needs perl"
    )

    @pytest.mark.parametrize("metric", [ERR(max_grade=4) @ 5, ERR(max_grade=4) @ 20, nDCG(gain="exp2") @ 5])
    def test_gdeval(self, metric):
        measure = (
            ir_measures.ERR @ metric.cutoff
            if metric.symbol == "ERR"
            else ir_measures.parse_measure(f"nDCG(dcg='exp-log2')@{metric.cutoff}")
        )
        rng = np.random.default_rng(11)
        qrels, run = {}, {}
        for query in map(str, range(1, 9)):
            judged, retrieved = rng.permutation(40)[:30], rng.permutation(40)[:25]
            qrels[query] = {f"d{i}": int(rng.integers(-1, 5)) for i in judged}
            run[query] = {f"d{i}": float(position) for position, i in enumerate(retrieved)}
        expected = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
        assert_equal(metric, Experiment(qrels, run), expected, close=6e-6)


@given(experiments(grades=(0, 1), distinct_scores=True), st.sampled_from([0.5, 0.8, 0.95]))
def test_ranx_rank_biased_precision(experiment, p):
    ranx = pytest.importorskip("ranx")
    qrels, run = ranx.Qrels(experiment.qrels), ranx.Run(experiment.run)
    ranx.evaluate(qrels, run, f"rbp.{int(p * 100)}", make_comparable=True)
    assert_equal(RBP(p=p), experiment, dict(run.scores[f"rbp.{int(p * 100)}"]))
