"""Every metric keeps the contract and agrees with its definition in the literature."""

from __future__ import annotations

import numpy as np

from oracles import metrics as oracle
from rankmax.metrics import (
    AP,
    DCG,
    ERR,
    RBP,
    ROC,
    RR,
    Bpref,
    DCGLike,
    Judged,
    LetorAveragePrecision,
    LetorMeanNDCG,
    LetorNDCG,
    LetorPrecision,
    P,
    PowerERR,
    R,
    Rprec,
    Success,
    from_function,
    from_tables,
    nDCG,
)
from rankmax.metrics.registry import registered_metrics
from rankmax.testing.metrics import MetricContract

GAINS = {"linear": oracle.linear, "exp2": oracle.exp2}
DIVISORS = {"log2": oracle.log2, "jk": oracle.jarvelin_kekalainen}


class TestAveragePrecision(MetricContract):
    metrics = (AP(), AP(rel=2), AP @ 5)

    def definition(self, metric, ranked, judged):
        return oracle.average_precision(ranked, judged, k=metric.cutoff, rel=metric.rel)


class TestPrecision(MetricContract):
    metrics = (P @ 1, P(rel=2) @ 5, P @ 100)

    def definition(self, metric, ranked, judged):
        return oracle.precision(ranked, judged, k=metric.cutoff, rel=metric.rel)


class TestRecall(MetricContract):
    metrics = (R @ 1, R(rel=2) @ 5, R @ 100)

    def definition(self, metric, ranked, judged):
        return oracle.recall(ranked, judged, k=metric.cutoff, rel=metric.rel)


class TestSuccess(MetricContract):
    metrics = (Success @ 1, Success(rel=3) @ 5)

    def definition(self, metric, ranked, judged):
        return oracle.success(ranked, judged, k=metric.cutoff, rel=metric.rel)


class TestRPrecision(MetricContract):
    metrics = (Rprec(), Rprec(rel=2))

    def definition(self, metric, ranked, judged):
        return oracle.r_precision(ranked, judged, rel=metric.rel)


class TestReciprocalRank(MetricContract):
    metrics = (RR(), RR(rel=2) @ 3)

    def definition(self, metric, ranked, judged):
        return oracle.reciprocal_rank(ranked, judged, k=metric.cutoff, rel=metric.rel)


class TestDiscountedCumulativeGain(MetricContract):
    metrics = (DCG(), DCG(gain="exp2") @ 10, DCG(gain="exp2", discount="jk"))

    def definition(self, metric, ranked, judged):
        return oracle.dcg(ranked, k=metric.cutoff, gain=GAINS[metric.gain], divisor=DIVISORS[metric.discount])


class TestNormalizedDCG(MetricContract):
    metrics = (nDCG(), nDCG @ 1, nDCG(gain="exp2") @ 5, nDCG(discount="jk") @ 10)

    def definition(self, metric, ranked, judged):
        return oracle.ndcg(ranked, judged, k=metric.cutoff, gain=GAINS[metric.gain], divisor=DIVISORS[metric.discount])


class TestNormalizedDCGWithTables(MetricContract):
    metrics = (nDCG(gain=[0, 5, 1, 2]), nDCG(gain=[0, 5, 1, 2], discount=[1, 1, 0.25]) @ 5)
    ideal_is_maximal = False  # the table values grade 1 most

    def definition(self, metric, ranked, judged):
        discounts = dict(enumerate(metric.discount, 1)) if isinstance(metric.discount, tuple) else None
        return oracle.ndcg(
            ranked,
            judged,
            k=metric.cutoff,
            gain=lambda grade: metric.gain[int(grade)] if grade >= 0 else 0,
            divisor=lambda rank: 1 / discounts.get(rank, 1e-300) if discounts else oracle.log2(rank),
        )


class TestExpectedReciprocalRank(MetricContract):
    metrics = (ERR(), ERR(max_grade=4) @ 5)

    def definition(self, metric, ranked, judged):
        return oracle.err(ranked, k=metric.cutoff, max_grade=metric.max_grade or max(self.grades))


class TestPowerERR(MetricContract):
    metrics = (PowerERR(), PowerERR(beta=2.5, max_grade=4) @ 5)

    def definition(self, metric, ranked, judged):
        max_grade = metric.max_grade or max(self.grades)
        return oracle.power_err(ranked, beta=metric.beta, max_grade=max_grade, k=metric.cutoff)


class TestDCGLike(MetricContract):
    metrics = (DCGLike(), DCGLike(gain="linear", divisor="jk", scale=0.5) @ 4)

    def definition(self, metric, ranked, judged):
        return metric.scale * oracle.dcg(
            ranked, k=metric.cutoff, gain=GAINS[metric.gain], divisor=DIVISORS[metric.divisor]
        )


class TestDCGLikeWithTables(MetricContract):
    metrics = (DCGLike(gain=[0, 1, 1, 4], divisor=np.arange(1, 30) ** 2),)

    def definition(self, metric, ranked, judged):
        gain = {0: 0, 1: 1, 2: 1, 3: 4}
        return oracle.dcg(ranked, gain=lambda grade: gain.get(grade, 0), divisor=lambda rank: rank**2)


class TestRankBiasedPrecision(MetricContract):
    metrics = (RBP(), RBP(p=0.5, rel=2) @ 20, RBP(p=0))

    def definition(self, metric, ranked, judged):
        return oracle.rbp(ranked, p=metric.p, k=metric.cutoff, rel=metric.rel)


class TestROCArea(MetricContract):
    metrics = (ROC(), ROC(rel=2))

    def definition(self, metric, ranked, judged):
        return oracle.roc_area(ranked, rel=metric.rel)


class TestBinaryPreference(MetricContract):
    metrics = (Bpref(), Bpref(rel=2))

    def definition(self, metric, ranked, judged):
        return oracle.bpref(ranked, judged, rel=metric.rel)


class TestJudgedRate(MetricContract):
    metrics = (Judged(), Judged @ 5)
    ideal_is_maximal = False

    def definition(self, metric, ranked, judged):
        return oracle.judged_rate(ranked, k=metric.cutoff)


class TestLetorAveragePrecision(MetricContract):
    metrics = (LetorAveragePrecision(), LetorAveragePrecision(rel=2))

    def definition(self, metric, ranked, judged):
        return oracle.average_precision(ranked, ranked, rel=metric.rel)


class TestLetorPrecision(MetricContract):
    metrics = (LetorPrecision @ 5, LetorPrecision(version=3, rel=2) @ 10)

    def definition(self, metric, ranked, judged):
        filled = oracle.letor_precisions(ranked, top=metric.cutoff, version=metric.version, rel=metric.rel)
        return filled.get(metric.cutoff, 0.0)


class TestLetorNDCG(MetricContract):
    metrics = (LetorNDCG @ 1, LetorNDCG @ 10)

    def definition(self, metric, ranked, judged):
        return oracle.letor_ndcg(ranked, k=metric.cutoff)


class TestLetorMeanNDCG(MetricContract):
    metrics = (LetorMeanNDCG(),)

    def definition(self, metric, ranked, judged):
        return oracle.letor_mean_ndcg(ranked)


class TestTableMetric(MetricContract):
    metrics = (from_tables(), from_tables(gain=[0, 1, 2, 3], discount=[1, 0.5, 0.25], prefix=[1, 0.5, 0]) @ 10)


class TestFunctionMetric(MetricContract):
    metrics = (
        from_function(lambda grades: grades[0], name="top"),
        from_function(lambda grades: grades.max() - grades.mean(), name="spread", rel=1) @ 5,
    )
    parses = False
    ideal_is_maximal = False


def test_every_registered_metric_is_held_to_the_contract():
    tested = {type(metric) for name, case in globals().items() if name.startswith("Test") for metric in case.metrics}
    ours = {metric for metric in registered_metrics() if metric.__module__.startswith("rankmax.")}
    assert ours <= tested
