"""Judgments: levels, counts and ideal rankings against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.ids import Ids
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidDataError
from rankmax.metrics.evaluator import Evaluator
from rankmax.metrics.registry import parse_metric

GRADES = st.one_of(st.sampled_from([0.0, 1.0, 2.0, 255.0]), st.sampled_from([-1.0, 0.5, 256.0, 1e9]), st.just(np.nan))
QUERIES = st.lists(
    st.tuples(st.lists(GRADES, max_size=6), st.lists(GRADES.filter(np.isfinite), max_size=3)), max_size=5
)


def build(queries: list[tuple[list[float], list[float]]]) -> Judgments:
    return Judgments.from_grades(
        [grade for retrieved, _ in queries for grade in retrieved],
        np.cumsum([0] + [len(retrieved) for retrieved, _ in queries]),
        unretrieved_grades=[grade for _, unretrieved in queries for grade in unretrieved],
        unretrieved_offsets=np.cumsum([0] + [len(unretrieved) for _, unretrieved in queries]),
        document_ids=Ids.from_strings(f"{q}.{i}" for q, (r, _) in enumerate(queries) for i in range(len(r))),
    )


@given(QUERIES)
def test_levels_are_the_distinct_grades(queries: list[tuple[list[float], list[float]]]) -> None:
    judgments = build(queries)
    grades = [grade for retrieved, _ in queries for grade in retrieved]
    everything = grades + [grade for _, unretrieved in queries for grade in unretrieved]
    assert np.isnan(judgments.levels[0])
    assert judgments.levels[1:].tolist() == sorted({grade for grade in everything if grade == grade})
    np.testing.assert_array_equal(judgments.grades, grades)
    assert ((judgments.document_levels == 0) == np.isnan(judgments.grades)).all()
    assert judgments.query_of_document.tolist() == [q for q, (r, _) in enumerate(queries) for _ in r]


@given(QUERIES)
def test_counts_and_ideal_equal_plain_python(queries: list[tuple[list[float], list[float]]]) -> None:
    judgments = build(queries)
    good = judgments.levels >= 1
    assert judgments.count(good).tolist() == [sum(g >= 1 for g in [*r, *u]) for r, u in queries]
    assert judgments.count_candidates(good).tolist() == [sum(g >= 1 for g in r) for r, _ in queries]
    offsets, levels = judgments.ideal
    for q, (retrieved, unretrieved) in enumerate(queries):
        best_first = sorted((g for g in [*retrieved, *unretrieved] if g == g), reverse=True)
        assert judgments.levels[levels[offsets[q] : offsets[q + 1]]].tolist() == best_first


@given(QUERIES, st.randoms(use_true_random=False))
def test_select_keeps_the_chosen_queries(queries: list[tuple[list[float], list[float]]], random: object) -> None:
    chosen = [q for q in range(len(queries)) if random.random() < 0.6]  # type: ignore[attr-defined]
    random.shuffle(chosen)  # type: ignore[attr-defined]
    part, expected = build(queries).select(np.array(chosen, int)), build([queries[q] for q in chosen])
    np.testing.assert_array_equal(part.grades, expected.grades)
    np.testing.assert_array_equal(part.query_offsets, expected.query_offsets)
    np.testing.assert_array_equal(part.levels[part.unretrieved_levels], expected.levels[expected.unretrieved_levels])
    assert part.query_ids == tuple(str(q) for q in chosen)
    assert part.document_ids is not None
    assert part.document_ids.to_list() == [f"{q}.{i}" for q in chosen for i in range(len(queries[q][0]))]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query_offsets": [0, 1]}, "query_offsets must increase from 0 to the number of documents, 2"),
        ({"query_offsets": [1, 2]}, "query_offsets must increase from 0"),
        ({"query_offsets": []}, "query_offsets must increase from 0"),
        ({"query_offsets": [0, 3, 2]}, "query_offsets must not decrease"),
        ({"query_ids": ["a", "b"]}, "2 query ids for 1 queries"),
        ({"document_ids": Ids.from_strings(["d"])}, "1 document ids for 2 documents"),
        ({"unretrieved_grades": [1]}, "unretrieved_offsets must increase from 0 to the number of documents, 1"),
        ({"unretrieved_offsets": [0, 0, 0]}, "covers 2 queries, query_offsets 1"),
        ({"grades": [np.inf, 0]}, "a grade is infinite"),
        ({"unretrieved_grades": [np.nan], "unretrieved_offsets": [0, 1]}, "a grade is infinite"),
    ],
)
def test_mistakes_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        Judgments.from_grades(**{"grades": [0, 1], "query_offsets": [0, 2], **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize("grade", [5e-324, 1e-101, 1e101, 1e308, -1e-300])
def test_grades_whose_quotients_would_not_be_numbers_are_refused(grade: float) -> None:
    with pytest.raises(InvalidDataError, match=r"is out of range: apart from 0, grades are from 1e-100 to 1e\+100"):
        Judgments.from_grades([grade, 0.0], [0, 2])


@pytest.mark.parametrize("grade", [1e-100, 1e100])
@pytest.mark.parametrize("metric", ["nDCG", "nDCG@10", "DCG"])
def test_the_smallest_and_the_largest_grade_have_finite_values(grade: float, metric: str) -> None:
    judgments = Judgments.from_grades([0.0, grade, grade, grade], [0, 4])
    [[value]] = Evaluator([parse_metric(metric)], judgments)(np.array([4.0, 3.0, 2.0, 1.0]))
    assert 0 < value < np.inf
    if metric.startswith("nDCG"):
        discounts = 1 / np.log2(np.arange(2, 6))
        assert value == pytest.approx(discounts[1:].sum() / discounts[:3].sum())
