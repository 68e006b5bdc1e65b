"""Names lead to metrics and back, and a mistaken name says what is wrong with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import InvalidParameterError, RankmaxError, UnknownNameError
from rankmax.metrics import (
    AP,
    DCG,
    ERR,
    RBP,
    ROC,
    RR,
    AveragePrecision,
    Bpref,
    DCGLike,
    Judged,
    LetorAveragePrecision,
    LetorMeanNDCG,
    LetorNDCG,
    LetorPrecision,
    Metric,
    NoRelevant,
    NormalizedDCG,
    P,
    PowerERR,
    R,
    Rprec,
    Success,
    TableMetric,
    nDCG,
    parse_metric,
    register,
    registered_metrics,
)

positive = st.floats(1e-3, 1e3)
tables = st.lists(st.one_of(st.integers(0, 50), st.floats(0, 50)), min_size=1, max_size=5)
gains = st.one_of(st.sampled_from(["linear", "exp2"]), tables)
discounts = st.one_of(st.sampled_from(["log2", "jk"]), tables.map(lambda table: sorted(table, reverse=True)))
divisors = st.one_of(st.sampled_from(["log2", "jk"]), st.lists(positive, min_size=1, max_size=5).map(sorted))
rel = {"rel": st.one_of(st.integers(-2, 5), st.floats(-5, 5))}
max_grade = {"max_grade": st.one_of(st.none(), st.integers(1, 10))}
PARAMETERS = {
    **dict.fromkeys((AP, P, R, Success, Rprec, RR, ROC, Bpref, LetorAveragePrecision), rel),
    **{metric: {} for metric in (Judged, LetorNDCG, LetorMeanNDCG)},
    DCG: {"gain": gains, "discount": discounts},
    nDCG: {"gain": gains, "discount": discounts},
    DCGLike: {
        "gain": st.one_of(st.sampled_from(["linear", "exp2"]), tables.map(sorted)),
        "divisor": divisors,
        "scale": positive,
    },
    ERR: max_grade,
    PowerERR: {**max_grade, "beta": positive},
    RBP: {**rel, "p": st.floats(0, 0.999)},
    LetorPrecision: {**rel, "version": st.sampled_from([3, 4])},
    TableMetric: {"gain": gains, "discount": discounts, "prefix": tables},
}


@st.composite
def metrics(draw: st.DrawFn) -> Metric:
    metric = draw(st.sampled_from(list(PARAMETERS)))
    cutoffs = {"required": st.integers(1, 10**6), "never": st.none()}
    values = {name: draw(strategy) for name, strategy in PARAMETERS[metric].items()}
    cutoff = draw(cutoffs.get(metric.cutoff_rule, st.one_of(st.none(), st.integers(1, 10**6))))
    return metric(**values, cutoff=cutoff, no_relevant=draw(st.sampled_from(NoRelevant)))


def test_every_registered_metric_is_generated():
    ours = {metric for metric in registered_metrics() if metric.__module__.startswith("rankmax.")}
    assert set(PARAMETERS) == ours


@given(metrics())
def test_a_name_leads_back_to_its_metric(metric):
    assert parse_metric(metric.name) == metric
    assert parse_metric(metric.name).name == metric.name


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("nDCG@10", nDCG @ 10),
        ("AP(rel=2)", AP(rel=2)),
        ("RBP(p=0.8)@20", RBP(p=0.8) @ 20),
        (" ndcg @ 10 ", nDCG(cutoff=10)),
        ("NDCG(gain='exp2')@5", nDCG(gain="exp2") @ 5),
        ('nDCG(gain="exp2")@5', nDCG(gain="exp2") @ 5),
        ("nDCG(dcg='exp-log2')@10", nDCG(gain="exp2") @ 10),
        ("nDCG(dcg='log2')", nDCG()),
        ("nDCG(gain=exp2)@10", nDCG(gain="exp2") @ 10),
        ("nDCG(gain=exp2, discount=jk)", nDCG(gain="exp2", discount="jk")),
        ("nDCG(dcg=exp-log2)@10", nDCG(gain="exp2") @ 10),
        ("AP(no_relevant=skip)", AP(no_relevant=NoRelevant.SKIP)),
        ("nDCG(gains={1: 2, 3: 9})", nDCG(gain=[0, 2, 2, 9])),
        ("nDCG(cutoff=3)", nDCG @ 3),
        ("map", AP()),
        ("MRR@10", RR @ 10),
        ("Recall@100", R @ 100),
        ("precision(rel=2)@5", P(rel=2) @ 5),
        ("Accuracy", ROC()),
        ("RPrec", Rprec()),
        ("BPref", Bpref()),
        ("AP(no_relevant='skip')", AP(no_relevant=NoRelevant.SKIP)),
    ],
)
def test_ir_measures_spelling_and_common_aliases(text, metric):
    assert parse_metric(text) == metric


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P", "P needs a cutoff, for instance P@10"),
        ("Success(rel=2)", r"Success\(rel=2\) needs a cutoff, for instance Success\(rel=2\)@10"),
        ("nDCG@0", "nDCG@0: a cutoff must be a positive whole number"),
        ("P@9223372036854775808", "a cutoff must be a positive whole number"),
        ("nDCG@-3", "nDCG@-3: a cutoff must be a positive whole number"),
        ("P@2.5", "P@2.5: a cutoff must be a positive whole number"),
        ("P@True", "P@True: a cutoff must be a positive whole number"),
        ("P@'ten'", "P@ten: a cutoff must be a positive whole number"),
        ("Rprec@10", "Rprec takes no cutoff"),
        ("RBP(q=0.5)", "RBP has no parameter 'q'; its parameters: cutoff, no_relevant, rel, p"),
        ("RBP(p=1)", r"RBP: p=1 must be a number in \[0, 1\)"),
        (f"RBP(p={'9' * 400})", r"RBP: p=9{400} must be a number in \[0, 1\)"),
        ("RBP(p='x')", "RBP: p='x' must be a number"),
        ("RBP(p=x)", "RBP: p='x' must be a number"),
        ("AP(rel=None)", "AP: rel=None must be a number"),
        ("AP(rel=[1])", r"AP: rel=\[1\] must be a number"),
        ("ERR(max_grade=0)", "ERR: max_grade=0 must be a positive number"),
        ("PowerERR(beta=-1)", "PowerERR: beta=-1 must be a positive number"),
        ("nDCG(gain=[0,-1])", r"nDCG: gain=\[0,-1\] must hold one or more nonnegative numbers"),
        ("nDCG(gain=[])", r"nDCG: gain=\[\] must hold one or more nonnegative numbers"),
        ("nDCG(discount=[1,2])", r"nDCG: discount=\[1,2\] increases"),
        ("nDCG(dcg='ln')", "nDCG: dcg='ln' must be 'log2' or 'exp-log2'"),
        ("nDCG(gains=[1])", r"nDCG: gains=\[1\] must map whole grades to gains"),
        ("DCGLike(gain=[2,1])", r"DCGLike: gain=\[2,1\] must never fall"),
        ("DCGLike(divisor=[2,1])", r"DCGLike: divisor=\[2,1\] must never fall"),
        ("DCGLike(divisor=[0,1])", r"DCGLike: divisor=\[0,1\] contains a 0"),
        ("DCGLike(scale=0)", "DCGLike: scale=0 must be a positive number"),
        ("LetorP(version=5)@1", "LetorP: version=5 must be 3 or 4"),
        ("Tables(prefix=1)", r"Tables: prefix=1 must be a table, such as \[1, 0\]"),
        ("nDCG(cutoff=5)@10", "cannot read the metric"),
        ("RBP(0.8)", "cannot read the metric 'RBP\\(0.8\\)'; write NAME, NAME@CUTOFF or NAME"),
        ("nDCG@", "cannot read the metric 'nDCG@'"),
        ("nDCG@10@5", "cannot read the metric"),
        ("nDCG@10+1", "cannot read the metric"),
        ("nDCG(gain=open('x'))", "cannot read the metric"),
        ("nDCG(**{})", "cannot read the metric"),
        ("", "cannot read the metric ''"),
        ("ndcg_cut.10", "cannot read the metric 'ndcg_cut.10'"),
    ],
)
def test_a_mistake_is_explained(text, message):
    with pytest.raises(InvalidParameterError, match=message):
        parse_metric(text)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("nDGC@10", "did you mean 'nDCG'"),
        ("Recal@10", "'Recall'"),
        ("AP(no_relevant='drop')", "unknown value of no_relevant: 'drop'"),
        ("nDCG(gain='exp')", "unknown gain of nDCG 'exp'; did you mean 'exp2'"),
        ("nDCG(gain=exp)", "unknown gain of nDCG 'exp'; did you mean 'exp2'"),
        ("nDCG(discount='log')", "unknown discount of nDCG 'log'; did you mean 'log2'"),
        ("AP(no_relevant=None)", "Known: one, skip, zero"),
        ("nDCG(gain=2)", "unknown gain of nDCG '2'"),
    ],
)
def test_an_unknown_name_gets_the_nearest_ones(text, nearest):
    with pytest.raises(UnknownNameError) as caught:
        parse_metric(text)
    assert nearest in str(caught.value)


@given(st.text(max_size=40))
def test_any_text_is_a_metric_or_a_mistake(text):
    try:
        parsed = parse_metric(text)
    except RankmaxError:
        return
    assert parse_metric(parsed.name) == parsed


@given(st.text("nDCGAPR@(),=.'[]{}0123456789 +-relpgain", max_size=30))
def test_nearly_a_metric_is_a_metric_or_a_mistake(text):
    try:
        parsed = parse_metric(text)
    except RankmaxError:
        return
    assert parse_metric(parsed.name) == parsed


def test_deep_nesting_is_a_mistake_not_a_crash():
    with pytest.raises(InvalidParameterError, match="cannot read the metric"):
        parse_metric("(" * 5000 + "AP" + ")" * 5000)


class TestRegistration:
    def test_short_and_full_names_are_one_class(self):
        assert AP is AveragePrecision
        assert nDCG is NormalizedDCG

    def test_a_taken_name_is_refused(self):
        with pytest.raises(InvalidParameterError, match="cannot be called 'map': that is AveragePrecision already"):

            @register
            class Other(AveragePrecision):
                symbol = "map"
                aliases = ()

    def test_registering_a_class_again_replaces_it(self):
        assert register(AveragePrecision) is AveragePrecision
        assert parse_metric("AP") == AP()
