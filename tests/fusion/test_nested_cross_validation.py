"""Nested cross-validation: nothing of a query's own judgments goes into its value."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.splits import k_folds
from rankmax.data.synthetic import planted_linear
from rankmax.fusion.candidates import Candidate, FixedWeights, LearnedWeights, WeightedFusion
from rankmax.fusion.decision import Prior
from rankmax.fusion.nested_cross_validation import LEARNED, PICK, cross_validate, families_of, select
from rankmax.fusion.signals import signals_of_features
from rankmax.fusion.standard_candidates import fusion_candidates
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.metrics import AP, P
from rankmax.preprocessing.feature_normalization import MinMax, Unchanged, ZScore

METRICS = [AP(), P(cutoff=1)]


@pytest.fixture(scope="module")
def candidates() -> list[Candidate]:
    signals = signals_of_features(planted_linear(24, 8, 2, noise=1.0, seed=6).data)
    return fusion_candidates(signals, METRICS, [Unchanged(), MinMax(), ZScore()])


def test_each_part_is_what_a_loop_over_queries_gives(candidates: list[Candidate]) -> None:
    seed, n = 5, 24
    told = cross_validate(candidates, n, n_folds=4, n_repeats=2, n_inner_folds=3, seed=seed)
    expected = np.zeros((len(METRICS), n))
    learned = np.zeros((len(candidates), len(METRICS), n))
    counted: dict[str, int] = {}
    eligible = [i for i, one in enumerate(candidates) if one.eligible]
    for repeat in range(2):
        for fold in k_folds(n, 4, seed=seed + repeat):
            inside = np.full((len(candidates), n), np.nan)
            for inner in k_folds(fold.train.size, 3, seed=seed):
                for i, candidate in enumerate(candidates):
                    (fusion,) = candidate.fit([fold.train[inner.train]])
                    inside[i, fold.train[inner.test]] = fusion.values[0, fold.train[inner.test]]
            best = select(candidates, inside[:, fold.train], eligible)
            counted[candidates[best].label] = counted.get(candidates[best].label, 0) + 1
            for i, candidate in enumerate(candidates):
                (fusion,) = candidate.fit([fold.train])
                learned[i][:, fold.test] += fusion.values[:, fold.test] / 2
                if i == best:
                    expected[:, fold.test] += fusion.values[:, fold.test] / 2
    np.testing.assert_allclose(told.by_family[PICK], expected, atol=1e-12)
    np.testing.assert_allclose(told.by_candidate, learned, atol=1e-12)
    assert told.selected[PICK] == counted


def test_families_hold_what_differs_in_normalization_only(candidates: list[Candidate]) -> None:
    families = families_of(candidates)
    assert [candidates[i].label for i in families[LEARNED]] == [
        "learned weights (raw scores)",
        "learned weights (min-max)",
        "learned weights (z-score)",
    ]
    assert [candidates[i].label for i in families["f2"]] == ["f2"]
    assert not any("RRF" in candidates[i].label for i in families[PICK])  # not among what the user allowed


def test_the_normalization_is_the_one_that_serves_unseen_queries() -> None:
    data = planted_linear(40, 10, 2, noise=0.2, seed=7).data
    spoilt = planted_linear(40, 10, 2, noise=50.0, seed=8).data  # stands for what a bad normalization would make of it
    prior = Prior(0.0, 100.0)
    pair: list[Candidate] = [
        LearnedWeights(LEARNED, "spoilt", MinMax(), LatticeSearch(spoilt, [AP()]), prior),
        LearnedWeights(LEARNED, "good", Unchanged(), LatticeSearch(data, [AP()]), Prior(-0.05, 100.0)),
    ]
    told = cross_validate(pair, 40, n_folds=5, n_repeats=1)
    assert told.selected[LEARNED] == {"good": 5}
    assert select(pair, told.by_candidate[:, 0], [0, 1]) == 1


def test_what_breaks_a_constraint_is_not_selected() -> None:
    good, better = (
        FixedWeights(
            name, name, WeightedFusion(Unchanged(), np.array([1.0]), np.full((2, 10), value)), Prior(0.0, 100.0)
        )
        for name, value in (("good", 0.5), ("better", 0.9))
    )
    values = np.stack([good.fusion.values[0], better.fusion.values[0]])
    assert select([good, better], values, [0, 1]) == 1
    assert select([good, better], values, [0, 1], [True, False]) == 0
    told = cross_validate(
        [good, better], 10, n_folds=2, n_repeats=1, meets=lambda fusion, queries: fusion is good.fusion
    )
    assert told.selected[PICK] == {"good": 2}
