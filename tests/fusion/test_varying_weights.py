"""Weights by query: interactions are what they are called, and a planted dependence is found."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.fusion.candidates import LearnedWeights
from rankmax.fusion.decision import Prior
from rankmax.fusion.varying_weights import OTHERS, QueryColumn, Varying, interactions
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.metrics import AP, nDCG
from rankmax.preprocessing.feature_normalization import Unchanged

METRICS = (AP(), nDCG(cutoff=3))


def planted(n_queries: int, share_of_first) -> RankingDataset:
    """Return two systems whose right mixture differs from query to query."""
    rng = np.random.default_rng(4)
    X = rng.random((n_queries * 12, 2))
    share = np.repeat([share_of_first(q) for q in range(n_queries)], 12)
    scores = (share * X[:, 0] + (1 - share) * X[:, 1]).reshape(n_queries, 12)
    relevant = scores >= np.sort(scores, axis=1)[:, [-3]]
    return RankingDataset.from_arrays(X, relevant.ravel().astype(int), qid=np.repeat(range(n_queries), 12))


def fixed_for(data: RankingDataset) -> LearnedWeights:
    return LearnedWeights("learned", "learned weights", Unchanged(), LatticeSearch(data, METRICS), Prior(0.0, 100.0))


def test_weights_by_group_are_those_learned_from_the_group_alone() -> None:
    data = planted(30, lambda q: 0.9 if q % 2 else 0.1)
    fixed = fixed_for(data)
    column = QueryColumn.of("kind", ["even", "odd"] * 15)
    fusion = Varying(column, METRICS).fit(np.arange(20), fixed)
    search = fixed.search
    for label, own in (("even", np.arange(0, 20, 2)), ("odd", np.arange(1, 20, 2))):
        np.testing.assert_array_equal(fusion.weights_by_label[label], search.fit(own))
    assert fusion.weights_by_label["odd"][0] > 0.7 > 0.3 > fusion.weights_by_label["even"][0]
    assert fusion.values.shape == (2, 30)
    assert fusion.values[0, 20:].mean() > fixed.fit([np.arange(20)])[0].values[0, 20:].mean() + 0.05


def test_weights_that_vary_with_a_number_are_found() -> None:
    data = planted(40, lambda q: q / 39)
    fixed = fixed_for(data)
    column = QueryColumn.of("length", [str(q) for q in range(40)])
    fusion = Varying(column, METRICS).fit(np.arange(40), fixed)
    low, high = fusion.weights_by_label["0"], fusion.weights_by_label["39"]
    assert low[0] / low.sum() < 0.3 < 0.7 < high[0] / high.sum()
    assert fusion.values[0].mean() > fixed.fit([np.arange(40)])[0].values[0].mean()
    mixed = low * (1 - column.shares[1])[:, None] + high * column.shares[1][:, None]
    scores = (np.asarray(data.features) * mixed[data.judgments.query_of_document]).sum(axis=1)
    both = interactions(data, column)
    np.testing.assert_allclose(both.scores(np.concatenate([low, high])), scores, atol=1e-12)


def test_a_number_that_does_not_matter_is_never_worse_than_fixed_weights_on_its_queries() -> None:
    data = planted(12, lambda q: 0.5)
    fixed = fixed_for(data)
    column = QueryColumn.of("noise", [str(q % 5) for q in range(12)])
    everything = np.arange(12)
    varying = Varying(column, METRICS).fit(everything, fixed)
    assert varying.values[0].mean() >= fixed.fit([everything])[0].values[0].mean() - 1e-9


def test_a_group_that_a_fold_lacks_gets_the_weights_of_all() -> None:
    data = planted(12, lambda q: 0.5)
    fixed = fixed_for(data)
    column = QueryColumn.of("half", ["first"] * 6 + ["second"] * 6)
    fusion = Varying(column, METRICS).fit(np.arange(6), fixed)
    np.testing.assert_array_equal(fusion.weights_by_label["second"], fusion.weights_by_label["first"])


def test_small_groups_are_put_together() -> None:
    column = QueryColumn.of("kind", ["a"] * 5 + ["b", "c", "b"])
    assert column.groups == ("a",) * 5 + (OTHERS,) * 3
    assert column.shares.tolist() == [[1.0] * 5 + [0.0] * 3, [0.0] * 5 + [1.0] * 3]
    with pytest.raises(InvalidDataError, match="'kind' makes one group of all queries"):
        QueryColumn.of("kind", ["a", "b", "c"])
    assert QueryColumn.of("flag", ["0", "1"] * 5).labels == ("0", "1")


@pytest.mark.parametrize("digits", ["1_000", "\u0663", "inf"])
def test_what_tables_do_not_take_for_a_number_is_a_group(digits: str) -> None:
    column = QueryColumn.of("kind", ["1", "2", digits] * 5)
    assert column.numbers is None
    assert digits in column.labels
