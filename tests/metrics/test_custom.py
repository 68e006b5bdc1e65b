"""A user's own metric, as a function, a compiled function or tables."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from oracles import metrics as oracle
from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError
from rankmax.metrics import AP, RR, evaluate_metrics, from_function, from_tables, nDCG

RNG = np.random.default_rng(5)
GRADES = RNG.choice([np.nan, -1.0, 0.0, 1.0, 2.0], size=60)
OFFSETS = [0, 0, 1, 20, 59, 60]
SCORES = RNG.permutation(60).astype(np.float64)
JUDGMENTS = Judgments.from_grades(GRADES, OFFSETS)


def reciprocal_rank(grades):
    for i in range(grades.size):
        if grades[i] >= 1:
            return 1.0 / (i + 1)
    return 0.0


class TestFunction:
    def test_computes_a_metric_of_our_own(self):
        for metric, ours in ((from_function(reciprocal_rank), RR()), (from_function(reciprocal_rank) @ 3, RR @ 3)):
            values = metric.per_query(SCORES, JUDGMENTS)
            assert values == pytest.approx(ours.per_query(SCORES, JUDGMENTS))

    def test_sees_unjudged_documents_as_0_and_each_query_alone(self):
        seen = []

        def note(grades):
            seen.append(grades.tolist())
            return 0.0

        judgments = Judgments.from_grades([np.nan, 2, 1], [0, 2, 3])
        from_function(note).per_query(np.array([2.0, 1.0, 3.0]), judgments)
        assert seen == [[0.0, 2.0], [1.0]]

    def test_cannot_disturb_other_queries_or_metrics(self):
        def destroy(grades):
            grades[:] = 0
            return 0.0

        together = evaluate_metrics([from_function(destroy), from_function(reciprocal_rank)], SCORES, JUDGMENTS)
        assert together[1] == pytest.approx(RR().per_query(SCORES, JUDGMENTS))

    def test_compiled_by_numba(self):
        compiled = from_function(njit(reciprocal_rank), name="mine")
        for metric, plain in ((compiled, from_function(reciprocal_rank)), (compiled @ 3, RR @ 3)):
            assert np.array_equal(metric.per_query(SCORES, JUDGMENTS), plain.per_query(SCORES, JUDGMENTS))

    def test_decides_about_queries_without_relevant_documents_unless_told(self):
        judgments = Judgments.from_grades([0, 0], [0, 0, 2])
        constant = {"function": lambda grades: 0.25, "name": "constant"}
        assert from_function(**constant).per_query(np.zeros(2), judgments).tolist() == [0.0, 0.25]
        told = from_function(**constant, rel=1, no_relevant="one")
        assert told.per_query(np.zeros(2), judgments).tolist() == [1.0, 1.0]

    def test_name(self):
        assert from_function(reciprocal_rank).name == "reciprocal_rank"
        assert (from_function(reciprocal_rank, name="mine", rel=2) @ 5).name == "mine(rel=2)@5"
        with pytest.raises(InvalidParameterError, match="give one: from_function"):
            from_function(lambda grades: 0.0)

    def test_must_be_callable(self):
        with pytest.raises(InvalidParameterError, match="must be callable, not 3"):
            from_function(3, name="three")

    @pytest.mark.parametrize("result", [None, [1.0, 2.0], "high"])
    def test_must_return_a_number(self, result):
        with pytest.raises(InvalidDataError, match="the metric 'odd' must return one number per query"):
            from_function(lambda grades: result, name="odd").per_query(SCORES, JUDGMENTS)

    def test_its_own_errors_come_through(self):
        with pytest.raises(ZeroDivisionError):
            from_function(lambda grades: 1 / 0, name="broken").per_query(SCORES, JUDGMENTS)

    def test_what_numba_cannot_compile_is_explained(self):
        @njit
        def wrong(grades):
            return grades.no_such_attribute

        with pytest.raises(IncompatibleError, match="numba cannot compile wrong for one float64 array"):
            from_function(wrong).per_query(SCORES, JUDGMENTS)


class TestTables:
    def test_reciprocal_rank(self):
        metric = from_tables(gain=[0, 1, 1], discount=1 / np.arange(1.0, 60.0), prefix=[1, 0])
        assert metric.per_query(SCORES, JUDGMENTS) == pytest.approx(RR().per_query(SCORES, JUDGMENTS))

    def test_average_precision_but_for_its_norm(self):
        metric = from_tables(gain=[0, 1, 1], discount=1 / np.arange(1.0, 60.0), prefix=np.arange(1, 61))
        n_relevant = JUDGMENTS.count(JUDGMENTS.levels >= 1)
        expected = AP().per_query(SCORES, JUDGMENTS) * n_relevant
        assert metric.per_query(SCORES, JUDGMENTS) == pytest.approx(expected)

    def test_nothing_counts_below_the_end_of_the_discounts(self):
        judgments = Judgments.from_grades([0, 0, 2], [0, 3])
        metric = from_tables(discount=[1, 1])
        assert metric.per_query(np.array([3.0, 2.0, 1.0]), judgments) == [0.0]
        assert metric.per_query(np.array([1.0, 2.0, 3.0]), judgments) == [2.0]


def test_ideal_order_of_a_table_that_is_not_monotone():
    judgments = Judgments.from_grades([0, 1, 2], [0, 3])
    metric = nDCG(gain=[0, 9, 1])
    gain = {0: 0, 1: 9, 2: 1}.get
    scores = np.array([1.0, 2.0, 3.0])
    assert metric.per_query(scores, judgments) == pytest.approx(oracle.ndcg([2, 1, 0], [0, 1, 2], gain=gain))
