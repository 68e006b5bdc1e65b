"""Several judges: means, medians and draws against their definitions."""

from __future__ import annotations

from itertools import product
from statistics import median_low

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmax
from rankmax.data.judge_ratings import JudgeRatings
from rankmax.errors import InvalidDataError, UnknownNameError

OPINIONS = {
    "q1": {"d1": {"ann": 3, "bob": 1}, "d2": {"bob": 0, "eve": 2, "ann": 1}, "d3": {"eve": 1}},
    "q2": {"d1": {"ann": 0, "bob": 2}},
}
RUN = {"q1": {"d1": 1.0, "d2": 3.0, "d3": 2.0}, "q2": {"d1": 1.0}}
grades = st.dictionaries(st.sampled_from(["ann", "bob", "eve", "joe"]), st.integers(0, 4), min_size=1)


@given(st.dictionaries(st.sampled_from(["d1", "d2", "d3"]), grades, min_size=1))
def test_means_and_medians_are_those_of_the_grades(documents: dict) -> None:
    ratings = JudgeRatings.from_dict({"q1": documents})
    assert ratings.median().to_dict()["q1"] == {d: median_low(given.values()) for d, given in documents.items()}
    mean = ratings.mean().to_dict()["q1"]
    assert mean == pytest.approx({d: sum(given.values()) / len(given) for d, given in documents.items()})
    for judge in ratings.judges:
        own = {d: given[judge] for d, given in documents.items() if judge in given}
        assert ratings.of_judge(judge).to_dict() == {"q1": own}


@pytest.mark.parametrize("metric", ["DCG@2", "DCG(gain=exp2)@3"])
def test_the_expectation_of_a_sum_of_gains_is_exact(metric: str) -> None:
    ratings = JudgeRatings.from_dict(OPINIONS)
    pairs = [(q, d) for q, documents in OPINIONS.items() for d in documents]
    every = []
    for chosen in product(*(OPINIONS[q][d].values() for q, d in pairs)):
        qrels: dict = {}
        for (q, d), grade in zip(pairs, chosen, strict=True):
            qrels.setdefault(q, {})[d] = grade
        every.append(rankmax.evaluate(qrels, {"s": RUN}, metric).per_query["s"])
    name = next(iter(every[0]))
    expected = {q: np.mean([one[name][q] for one in every]) for q in OPINIONS}
    assert rankmax.evaluate(ratings, {"s": RUN}, metric).per_query["s"][name] == pytest.approx(expected)
    if metric == "DCG@2":
        assert rankmax.evaluate(ratings.mean(), {"s": RUN}, metric).per_query["s"][name] == pytest.approx(expected)


def test_every_judge_of_a_document_is_drawn_equally_often() -> None:
    ratings = JudgeRatings.from_dict(OPINIONS)
    draws = np.array([draw.grades for draw in ratings.draws(seed=3)])
    assert np.mean(draws, axis=0) == pytest.approx(ratings.mean().grades)
    assert not np.array_equal(draws, np.array([draw.grades for draw in ratings.draws(seed=4)]))


def test_mistakes_are_named() -> None:
    with pytest.raises(InvalidDataError, match="document 'd1' in query 'q1' needs finite grades"):
        JudgeRatings.from_dict({"q1": {"d1": {"ann": float("nan")}}})
    with pytest.raises(UnknownNameError, match="judge 'an'"):
        JudgeRatings.from_dict(OPINIONS).of_judge("an")
