"""Metrics as values: composing, comparing, naming, and the rules for cutoffs and queries without relevant documents."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.metrics import AP, ROC, RR, Bpref, NoRelevant, P, R, nDCG

SCORES = np.array([3.0, 2.0, 1.0])
JUDGMENTS = Judgments.from_grades([0, 2, 1], [0, 3])


class TestComposing:
    def test_a_class_or_an_object_takes_a_cutoff(self):
        assert nDCG @ 10 == nDCG() @ 10 == nDCG(cutoff=10)

    def test_a_later_cutoff_replaces_an_earlier_one(self):
        assert (AP(rel=2) @ 10) @ 5 == AP(rel=2, cutoff=5)

    def test_parameters_from_numpy_are_plain_values(self):
        metric = nDCG(gain=np.array([0, 1.5]), cutoff=np.int64(3))
        assert metric == nDCG(gain=[0, 1.5]) @ 3
        assert metric.name == "nDCG(gain=[0,1.5])@3"

    def test_metrics_are_keys(self):
        assert {AP(): 1, AP(rel=2): 2}[AP(rel=2.0)] == 2

    def test_the_name_shows_what_differs_from_the_defaults(self):
        assert str(P(rel=2, no_relevant="skip") @ 5) == "P(rel=2,no_relevant='skip')@5"
        assert str(AP(rel=1, no_relevant="zero")) == "AP"


class TestCutoff:
    @pytest.mark.parametrize("cutoff", [0, -1, 2.0, "5", True, np.float64(3)])
    def test_must_be_a_positive_whole_number(self, cutoff):
        with pytest.raises(InvalidParameterError, match="a cutoff must be a positive whole number"):
            nDCG @ cutoff

    def test_may_come_after_the_parameters_of_a_metric_that_needs_it(self):
        assert (P(rel=2) @ 1).per_query(SCORES, JUDGMENTS) == [0.0]

    def test_is_missed_when_the_metric_is_evaluated(self):
        with pytest.raises(InvalidParameterError, match=r"R\(rel=2\) needs a cutoff, for instance R\(rel=2\)@10"):
            R(rel=2).per_query(SCORES, JUDGMENTS)

    @pytest.mark.parametrize("metric", [ROC, Bpref])
    def test_is_refused_where_it_means_nothing(self, metric):
        with pytest.raises(InvalidParameterError, match="takes no cutoff"):
            metric @ 10


class TestNoRelevant:
    @pytest.mark.parametrize(("rule", "value"), [("zero", 0.0), ("one", 1.0), ("skip", np.nan)])
    def test_counts_as_chosen(self, rule, value):
        judgments = Judgments.from_grades([0, np.nan, 1], [0, 2, 3])
        values = RR(no_relevant=rule).per_query(SCORES, judgments)
        assert np.array_equal(values, [value, 1.0], equal_nan=True)

    def test_a_relevant_document_that_was_not_retrieved_is_one(self):
        judgments = Judgments.from_grades([0], [0, 1], unretrieved_grades=[1], unretrieved_offsets=[0, 1])
        assert AP(no_relevant="skip").per_query(np.zeros(1), judgments) == [0.0]

    def test_unknown_rule(self):
        with pytest.raises(UnknownNameError, match="Known: one, skip, zero"):
            AP(no_relevant="ignore")

    def test_values_are_known_by_name(self):
        assert AP(no_relevant="skip").no_relevant is NoRelevant.SKIP


class TestGrades:
    def test_half_grades_have_exponential_gains(self):
        judgments = Judgments.from_grades([1.5, 0.5], [0, 2])
        value = nDCG(gain="exp2").per_query(np.array([1.0, 2.0]), judgments)
        best, other = 2**1.5 - 1, 2**0.5 - 1
        assert value == pytest.approx((other + best / np.log2(3)) / (best + other / np.log2(3)))

    def test_half_grades_cannot_be_looked_up_in_a_table(self):
        judgments = Judgments.from_grades([1.5, 0], [0, 2])
        with pytest.raises(InvalidDataError, match=r"grade 1.5 cannot be looked up in a table of gains by grade"):
            nDCG(gain=[0, 1, 3]).per_query(np.zeros(2), judgments)

    def test_a_table_must_reach_the_highest_grade(self):
        with pytest.raises(InvalidDataError, match=r"grade 2 has no gain: the table \[0,1\] ends at grade 1"):
            nDCG(gain=[0, 1]).per_query(SCORES, JUDGMENTS)

    def test_a_grade_without_a_finite_gain(self):
        judgments = Judgments.from_grades([2000], [0, 1])
        with pytest.raises(InvalidDataError, match="grade 2000 is too high for the gain"):
            nDCG(gain="exp2").per_query(np.zeros(1), judgments)

    def test_negative_grades_gain_nothing(self):
        judgments = Judgments.from_grades([-2, 1], [0, 2])
        for gain in ("linear", "exp2", [5, 1]):
            values = nDCG(gain=gain).per_query(np.array([2.0, 1.0]), judgments)
            assert values == pytest.approx(1 / np.log2(3))

    def test_a_table_may_value_grade_0(self):
        judgments = Judgments.from_grades([0, 1], [0, 2])
        assert nDCG(gain=[2, 1]).per_query(np.array([2.0, 1.0]), judgments) == [1.0]
