"""Judged documents as examples of two classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.learners.pointwise.binary_examples import Examples, center_and_scale


def dataset(grades: list[float], qid: list[int]) -> RankingDataset:
    return RankingDataset.from_arrays(np.zeros((len(grades), 1)), grades, qid=qid)


def test_only_judged_documents_are_examples() -> None:
    examples = Examples.of(dataset([1, np.nan, 0, 2], [1, 1, 2, 2]))
    assert examples.documents.tolist() == [0, 2, 3]
    assert examples.relevant.tolist() == [True, False, True]
    assert examples.costs.tolist() == [1 / 3] * 3


def test_costs_are_in_the_ratio_of_the_numbers_of_the_other_class() -> None:
    examples = Examples.of(dataset([1, 0, 0, 0, 0, 1, 0], [1] * 7), balance="costs")
    ratio = examples.costs[examples.relevant][0] / examples.costs[~examples.relevant][0]
    assert ratio == pytest.approx(5 / 2)
    assert examples.costs.sum() == pytest.approx(1)


@given(st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.0, np.nan]), min_size=1, max_size=8), min_size=1, max_size=5))
def test_undersampling_keeps_relevant_documents_and_as_many_others_of_each_query(queries: list[list[float]]) -> None:
    data = dataset(
        [grade for query in queries for grade in query], [q for q, query in enumerate(queries) for _ in query]
    )
    expected = [(sum(g >= 1 for g in query), sum(g < 1 for g in query)) for query in queries]
    if not any(relevant and other for relevant, other in expected):
        with pytest.raises(InvalidDataError):
            Examples.of(data, balance="undersample")
        return
    examples = Examples.of(data, balance="undersample", seed=3)
    query = data.judgments.query_of_document[examples.documents]
    for q, (relevant, other) in enumerate(expected):
        found = examples.relevant[query == q]
        assert found.sum() == (relevant if other else 0)
        assert (~found).sum() == min(relevant, other)
    assert examples.skipped.tolist() == [not (relevant and other) for relevant, other in expected]
    assert np.unique(examples.documents).size == examples.documents.size


def test_draws_differ_by_seed_only() -> None:
    data = dataset([1.0] * 5 + [0.0] * 50, [1] * 55)
    first, again, other = (Examples.of(data, balance="undersample", seed=seed).documents for seed in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()


def test_mistakes_are_named() -> None:
    data = dataset([1, 2], [1, 1])
    with pytest.raises(InvalidDataError, match=r"from grade 1 on.*grades go from 1 to 2: set relevant_from"):
        Examples.of(data)
    with pytest.raises(InvalidDataError, match=r"are both needed; all grades are 0$"):
        Examples.of(dataset([0, 0], [1, 1]))
    with pytest.raises(InvalidDataError, match="both needed in one query"):
        Examples.of(dataset([1, 0], [1, 2]), balance="undersample")
    with pytest.raises(InvalidDataError, match="no document is judged"):
        Examples.of(dataset([np.nan], [1]))
    with pytest.raises(UnknownNameError, match="way of balancing 'cost'; did you mean 'costs'"):
        Examples.of(data, balance="cost")  # type: ignore[arg-type]
    with pytest.raises(InvalidDataError, match=r"some such as 0.5; give relevant_from"):
        Examples.of(dataset([0, 0.5, 1], [1, 1, 1]))
    assert Examples.of(dataset([0, 0.5, 1], [1, 1, 1]), relevant_from=0.5).relevant.tolist() == [False, True, True]
    with pytest.raises(InvalidParameterError, match="relevant_from='high'"):
        Examples.of(data, relevant_from="high")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match="seed is -1"):
        Examples.of(data, seed=-1)


def test_constant_features_have_no_spread_at_all() -> None:
    X = np.column_stack([np.full(7, 0.1), np.arange(7.0), np.full(7, 1e300) * np.arange(7)])
    center, scale = center_and_scale(RankingDataset.from_arrays(X, np.zeros(7), qid=np.zeros(7)), np.arange(7))
    assert (center[0], scale[0]) == (0.1, 0.0)
    np.testing.assert_allclose(scale[1:], [2.0, 2e300])


def test_a_given_ratio_of_costs() -> None:
    data = RankingDataset.from_arrays([[1.0], [2.0], [3.0], [4.0]], [0, 0, 0, 1], qid=[1, 1, 1, 1])
    costs = Examples.of(data, balance="costs", cost_ratio=7.0).costs
    np.testing.assert_allclose(costs, np.array([1, 1, 1, 7]) / 10)
    np.testing.assert_allclose(Examples.of(data, balance="costs").costs, np.array([1, 1, 1, 3]) / 6)
    with pytest.raises(InvalidParameterError, match="cost_ratio is for balance 'costs'; balance is 'none'"):
        Examples.of(data, cost_ratio=7.0)
    with pytest.raises(InvalidParameterError, match="cost_ratio=0 must be a positive number"):
        Examples.of(data, balance="costs", cost_ratio=0)
